import { describe, expect, it } from 'vitest';
import { BUS_URL_FORMS, BusUrlError, parseBusUrl } from '../../../src/servo/port/url.ts';

function fault(url: string): string {
  try {
    parseBusUrl(url);
  } catch (error) {
    expect(error).toBeInstanceOf(BusUrlError);
    return (error as Error).message;
  }
  throw new Error(`expected "${url}" to be refused`);
}

describe('the URL of a bus', () => {
  it('names a serial port by its device file or by its USB serial number, at 1 Mbaud unless it says otherwise', () => {
    expect(parseBusUrl('serial:/dev/serial/by-id/usb-1a86_X-if00')).toEqual({
      kind: 'serial',
      path: '/dev/serial/by-id/usb-1a86_X-if00',
      serialNumber: null,
      baudRate: 1_000_000,
    });
    expect(parseBusUrl('serial:/dev/ttyUSB0?baud=57600')).toMatchObject({ path: '/dev/ttyUSB0', baudRate: 57_600 });
    expect(parseBusUrl('serial:?serial=58FA1234&baud=500000')).toEqual({
      kind: 'serial',
      path: null,
      serialNumber: '58FA1234',
      baudRate: 500_000,
    });
  });

  it('names a TCP server, a simulated arm, or ROS', () => {
    expect(parseBusUrl('tcp://arm-pi.local:4000')).toEqual({ kind: 'tcp', host: 'arm-pi.local', port: 4000 });
    expect(parseBusUrl('tcp://[fe80::1]:4000')).toEqual({ kind: 'tcp', host: 'fe80::1', port: 4000 });
    expect(parseBusUrl('sim:so101')).toEqual({ kind: 'sim', model: 'so101' });
    expect(parseBusUrl('ros')).toEqual({ kind: 'ros' });
  });

  it('is refused with the fault and with every form that is allowed', () => {
    expect(fault('/dev/ttyACM0')).toContain('is written "serial:/dev/ttyACM0"');
    expect(fault('serial:')).toContain('neither a device file nor a USB serial number');
    expect(fault('serial:ttyACM0')).toContain('"ttyACM0" is no absolute path');
    expect(fault('serial:/dev/ttyACM0?speed=9600')).toContain('"speed=9600" is neither baud=RATE nor serial=NUMBER');
    expect(fault('serial:/dev/ttyACM0?baud=fast')).toContain('baud=fast is not a whole number');
    expect(fault('serial:/dev/ttyACM0?baud=0')).toContain('baud=0 is not a whole number');
    expect(fault('serial:/dev/ttyACM0?serial=1')).toContain('keep one');
    expect(fault('serial:?serial=1&serial=2')).toContain('serial= is given twice');
    expect(fault('tcp://host')).toContain('a host and a port');
    expect(fault('tcp://host:70000')).toContain('port 70000 is not within 1..65535');
    expect(fault('sim:SO 101')).toContain('an arm model such as so101');
    expect(fault('usb:0')).toContain('none of serial:, tcp:, sim: or ros');
    for (const form of BUS_URL_FORMS) expect(fault('usb:0')).toContain(form);
  });
});
