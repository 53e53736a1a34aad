import fc from 'fast-check';
import { expect, test } from 'vitest';
import { armConfig } from '../../src/config/schema.ts';
import { parseBusUrl } from '../../src/servo/port/url.ts';

function configTakes(bus: string): boolean {
  return armConfig.safeParse({ name: 'arm', bus }).success;
}

function portTakes(bus: string): boolean {
  try {
    parseBusUrl(bus);
    return true;
  } catch {
    return false;
  }
}

test('every documented form of a bus is a configuration', () => {
  for (const bus of [
    'ros',
    'sim:so101',
    'serial:/dev/serial/by-id/usb-1a86_USB_Single_Serial_58FA1234-if00',
    'serial:/dev/ttyACM0?baud=500000',
    'serial:COM3',
    'serial:?serial=58FA1234',
    'serial:?serial=58FA1234&baud=57600',
    'serial:?baud=57600&serial=58FA1234',
    'tcp://192.168.1.20:4000',
    'tcp://[::1]:4000',
  ]) {
    expect(configTakes(bus), bus).toBe(true);
    expect(portTakes(bus), bus).toBe(true);
  }
});

test('the configuration takes exactly the buses that a port can be made of, so that no bad one gets past the start', () => {
  const piece = fc.constantFrom(
    ...[
      'serial:',
      'tcp://',
      'tcp:',
      'sim:',
      'ros',
      'so101',
      '/dev/ttyACM0',
      'COM3',
      'host',
      '[::1]',
      ':',
      '?',
      '&',
      ' ',
    ],
    ...[
      'baud=1000000',
      'baud=0',
      'baud=',
      'baud=10000000',
      'serial=58FA',
      'serial=',
      '=',
      '4000',
      '0',
      '65535',
      '65536',
    ],
  );
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
      const bus = pieces.join('');
      expect(configTakes(bus), bus).toBe(portTakes(bus));
    }),
    { numRuns: 3000 },
  );
});

test('a bus of no known kind is refused with all that is allowed', () => {
  const result = armConfig.safeParse({ name: 'arm', bus: '/dev/ttyUSB0' });
  const message = result.error?.issues[0]?.message;
  for (const form of ['serial:<device file>', 'tcp://<host>:<port>', 'sim:<model>', '"ros"']) {
    expect(message).toContain(form);
  }
});
