import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A USB serial adapter as `/sys` shows it. */
export interface FakeAdapter {
  readonly tty: string;
  /** Place in the bus: `1-4`. */
  readonly usb: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly byId?: string;
  readonly latencyTimer?: string;
}

/** A folder with the parts of `/sys`, `/dev` and `/etc` that tell of serial ports. */
export class FakeTree {
  readonly root = mkdtempSync(join(tmpdir(), 'arm-bridge-tree-'));

  file(path: string, text: string): void {
    const full = join(this.root, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, `${text}\n`);
  }

  link(path: string, target: string): void {
    const full = join(this.root, path);
    mkdirSync(dirname(full), { recursive: true });
    symlinkSync(target, full);
  }

  adapter({ tty, usb, attributes, byId, latencyTimer }: FakeAdapter): void {
    const device = `sys/devices/pci0000:00/usb1/${usb}`;
    for (const [name, value] of Object.entries(attributes)) this.file(`${device}/${name}`, value);
    // A ttyUSB has a folder more between the interface and itself than a ttyACM.
    const parent = tty.startsWith('ttyUSB') ? `${usb}:1.0/${tty}` : `${usb}:1.0`;
    this.file(`${device}/${parent}/tty/${tty}/dev`, '188:0');
    this.link(`${device}/${parent}/tty/${tty}/device`, `../../../${tty.startsWith('ttyUSB') ? tty : `${usb}:1.0`}`);
    this.link(`sys/class/tty/${tty}`, `../../devices/pci0000:00/usb1/${usb}/${parent}/tty/${tty}`);
    this.file(`dev/${tty}`, '');
    if (byId) this.link(`dev/serial/by-id/${byId}`, `../../${tty}`);
    if (latencyTimer) this.file(`sys/bus/usb-serial/devices/${tty}/latency_timer`, latencyTimer);
  }

  /** A tty of the board itself, or a pseudo one when `type` is null. */
  plain(tty: string, type: string | null): void {
    this.file(`sys/devices/platform/${tty}/tty/${tty}/dev`, '4:64');
    if (type !== null) {
      this.file(`sys/devices/platform/${tty}/tty/${tty}/type`, type);
      this.link(`sys/devices/platform/${tty}/tty/${tty}/device`, `../../../${tty}`);
    }
    this.link(`sys/class/tty/${tty}`, `../../devices/platform/${tty}/tty/${tty}`);
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** The adapter that comes with an SO-101. */
export const SO101_ADAPTER: FakeAdapter = {
  tty: 'ttyACM0',
  usb: '1-4',
  attributes: {
    idVendor: '1a86',
    idProduct: '55d3',
    manufacturer: '1a86',
    product: 'USB Single Serial',
    serial: '58FA1234',
  },
  byId: 'usb-1a86_USB_Single_Serial_58FA1234-if00',
};

/** A U2D2 with the factory's latency timer. */
export const U2D2: FakeAdapter = {
  tty: 'ttyUSB10',
  usb: '1-2.3',
  attributes: {
    idVendor: '0403',
    idProduct: '6014',
    manufacturer: 'FTDI',
    product: 'USB <-> Serial Converter',
    serial: 'FT6S4DSP',
  },
  byId: 'usb-FTDI_USB_-__Serial_Converter_FT6S4DSP-if00-port0',
  latencyTimer: '16',
};
