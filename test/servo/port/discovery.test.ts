import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describePorts, discoverPorts, findBySerialNumber } from '../../../src/servo/port/discovery.ts';
import { FakeTree, SO101_ADAPTER, U2D2 } from './tree.ts';

let tree: FakeTree;
beforeEach(() => {
  tree = new FakeTree();
});
afterEach(() => tree.remove());

describe('discovery of serial ports', () => {
  it('tells vendor, product, serial number, lasting path, latency timer and likely arm of each USB adapter', async () => {
    tree.adapter(SO101_ADAPTER);
    tree.adapter(U2D2);
    const ports = await discoverPorts(tree.root);
    expect(ports).toMatchObject([
      {
        path: '/dev/ttyACM0',
        byId: '/dev/serial/by-id/usb-1a86_USB_Single_Serial_58FA1234-if00',
        vendorId: '1a86',
        productId: '55d3',
        vendor: '1a86',
        product: 'USB Single Serial',
        serialNumber: '58FA1234',
        latencyTimer: null,
        adapter: { family: 'feetech', arms: ['so101', 'so100'] },
      },
      { path: '/dev/ttyUSB10', serialNumber: 'FT6S4DSP', latencyTimer: 16, adapter: { family: 'dynamixel' } },
    ]);
  });

  it('lists ports of the board, but neither those without a chip nor terminals without a device', async () => {
    tree.plain('ttyS0', '4');
    tree.plain('ttyS1', '0');
    tree.plain('tty0', null);
    expect(await discoverPorts(tree.root)).toMatchObject([
      { path: '/dev/ttyS0', byId: null, vendorId: null, serialNumber: null, adapter: null },
    ]);
  });

  it('knows adapters by vendor alone where the maker has one board, and leaves unknown ones without a guess', async () => {
    tree.adapter({ tty: 'ttyACM1', usb: '1-1', attributes: { idVendor: '2F5D', idProduct: '2202' } });
    tree.adapter({ tty: 'ttyACM2', usb: '1-3', attributes: { idVendor: '2341', idProduct: '0043' } });
    const [board, other] = await discoverPorts(tree.root);
    expect(board?.adapter?.name).toBe('ROBOTIS OpenRB-150');
    expect(other?.adapter).toBeNull();
  });

  it('finds a port by its USB serial number under whatever device file it has', async () => {
    tree.adapter({ ...SO101_ADAPTER, tty: 'ttyACM7' });
    expect((await findBySerialNumber('58FA1234', tree.root)).path).toBe('/dev/ttyACM7');
  });

  it('lists the ports that there are when none has the serial number', async () => {
    tree.adapter(SO101_ADAPTER);
    await expect(findBySerialNumber('NOPE', tree.root)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringMatching(/serial number "NOPE".*58FA1234-if00.*likely so101 or so100/),
    });
  });

  it('refuses to choose between two adapters with the same serial number', async () => {
    tree.adapter(SO101_ADAPTER);
    tree.adapter({ ...SO101_ADAPTER, tty: 'ttyACM1', usb: '1-5', byId: 'other' });
    await expect(findBySerialNumber('58FA1234', tree.root)).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining('/dev/ttyACM0 and /dev/ttyACM1'),
    });
  });

  it('says so when the machine has no port at all', async () => {
    expect(await discoverPorts(tree.root)).toEqual([]);
    expect(describePorts([])).toContain('no serial port');
  });
});
