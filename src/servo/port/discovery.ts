import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type AdapterFingerprint, recogniseAdapter } from './adapters.ts';
import { PortError } from './port.ts';
import { parseBusUrl } from './url.ts';

/** A serial port of this machine. */
export interface PortInfo {
  /** Present device file: `/dev/ttyACM0`. */
  readonly path: string;
  /** Link below `/dev/serial/by-id` that stays the same over replugging; null where udev made none. */
  readonly byId: string | null;
  /** USB ids, four lower-case hexadecimal digits; null for a port that is not behind USB. */
  readonly vendorId: string | null;
  readonly productId: string | null;
  /** Manufacturer and product strings of the USB device. */
  readonly vendor: string | null;
  readonly product: string | null;
  /** USB serial number. */
  readonly serialNumber: string | null;
  /** Latency timer of an FTDI adapter, ms; null for other adapters. */
  readonly latencyTimer: number | null;
  /** Guess at adapter and arm. */
  readonly adapter: AdapterFingerprint | null;
}

/** Levels from a tty's device folder up to its USB device: interface, device, for a hub's port one more. */
const MAX_LEVELS = 6;

async function text(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch {
    return null;
  }
}

async function entries(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch {
    return [];
  }
}

/** Links of `/dev/serial/by-id` by the name of the device file they lead to. */
async function idLinks(root: string): Promise<Map<string, string>> {
  const folder = join(root, 'dev/serial/by-id');
  const links = new Map<string, string>();
  for (const name of (await entries(folder)).sort()) {
    try {
      links.set(basename(await readlink(join(folder, name))), join('/dev/serial/by-id', name));
    } catch {
      // A plain file among the links leads nowhere.
    }
  }
  return links;
}

/** Folder of the USB device above a tty's device folder. */
async function usbDevice(folder: string): Promise<string | null> {
  let at = folder;
  for (let level = 0; level < MAX_LEVELS; level++) {
    if ((await text(join(at, 'idVendor'))) !== null) return at;
    at = dirname(at);
  }
  return null;
}

async function portOf(root: string, tty: string, byId: string | null): Promise<PortInfo | null> {
  const folder = join(root, 'sys/class/tty', tty);
  let device: string;
  try {
    device = await realpath(join(folder, 'device'));
  } catch {
    // A terminal without a device behind it: consoles and pseudo-terminals.
    return null;
  }
  const usb = await usbDevice(device);
  // The 8250 driver makes ttyS0..31 whether or not there is a chip; their type is 0 (unknown) then.
  if (usb === null && (await text(join(folder, 'type'))) === '0') return null;
  const of = async (name: string): Promise<string | null> => (usb === null ? null : text(join(usb, name)));
  const vendorId = (await of('idVendor'))?.toLowerCase() ?? null;
  const productId = (await of('idProduct'))?.toLowerCase() ?? null;
  const timer = await text(join(root, 'sys/bus/usb-serial/devices', tty, 'latency_timer'));
  return {
    path: join('/dev', tty),
    byId,
    vendorId,
    productId,
    vendor: await of('manufacturer'),
    product: await of('product'),
    serialNumber: await of('serial'),
    latencyTimer: timer === null ? null : Number(timer),
    adapter: recogniseAdapter(vendorId, productId),
  };
}

/**
 * Serial ports of this Linux machine in the order of their names, read from `/sys` and `/dev/serial/by-id`, because
 * containers and small systems have no udevadm.
 * @param root folder that holds `sys` and `dev`
 */
export async function discoverPorts(root = '/'): Promise<PortInfo[]> {
  const links = await idLinks(root);
  const ttys = await entries(join(root, 'sys/class/tty'));
  ttys.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const ports: PortInfo[] = [];
  for (const tty of ttys) {
    const port = await portOf(root, tty, links.get(tty) ?? null);
    if (port) ports.push(port);
  }
  return ports;
}

/**
 * The port of this machine that a URL names; null if it is not behind USB, is reached over TCP, or is not plugged in.
 */
export async function usbPort(url: string, root = '/'): Promise<PortInfo | null> {
  const target = parseBusUrl(url);
  if (target.kind !== 'serial') return null;
  const { path, serialNumber } = target;
  const port = (await discoverPorts(root)).find((known) =>
    path === null ? known.serialNumber === serialNumber : known.path === path || known.byId === path,
  );
  return port?.vendorId == null ? null : port;
}

/** The bus URL that finds this port again after replugging; adapters with several ports share a serial number. */
export function lastingUrl(port: PortInfo, ports: readonly PortInfo[]): string {
  const alone = ports.filter(({ serialNumber }) => serialNumber === port.serialNumber).length === 1;
  const plain = port.serialNumber !== null && /^[^\s&]+$/.test(port.serialNumber);
  return alone && plain ? `serial:?serial=${port.serialNumber}` : `serial:${port.byId ?? port.path}`;
}

/** One port in a line: path, what it is, serial number, guess. */
export function describePort(port: PortInfo): string {
  const parts = [port.byId ?? port.path];
  if (port.byId) parts.push(`(${port.path})`);
  const name = [port.vendor, port.product].filter((part) => part !== null).join(' ');
  if (name !== '') parts.push(name);
  if (port.vendorId) parts.push(`${port.vendorId}:${port.productId}`);
  if (port.serialNumber) parts.push(`serial ${port.serialNumber}`);
  if (port.adapter) parts.push(guess(port.adapter));
  return parts.join(' ');
}

function guess(adapter: AdapterFingerprint): string {
  const likely = adapter.arms.length > 0 ? adapter.arms.join(' or ') : adapter.family && `${adapter.family} servos`;
  return likely ? `- ${adapter.name}, likely ${likely}` : `- ${adapter.name}`;
}

/** The present ports, as the end of a message. */
export function describePorts(ports: readonly PortInfo[]): string {
  if (ports.length === 0) return 'This machine has no serial port: is the adapter plugged in and the arm powered?';
  return `There are: ${ports.map(describePort).join('; ')}`;
}

/**
 * The port whose USB adapter has this serial number.
 * @param root folder that holds `sys` and `dev`
 * @throws {PortError} not_found, with a list of the present ports; failed if two adapters share the number
 */
export async function findBySerialNumber(serialNumber: string, root = '/'): Promise<PortInfo> {
  const ports = await discoverPorts(root);
  const found = ports.filter((port) => port.serialNumber === serialNumber);
  const first = found[0];
  if (!first) {
    throw new PortError('not_found', `no USB adapter has the serial number "${serialNumber}". ${describePorts(ports)}`);
  }
  if (found.length > 1) {
    throw new PortError(
      'failed',
      `the USB serial number "${serialNumber}" belongs to ${found.map((port) => port.path).join(' and ')}: ` +
        'name the port by its link below /dev/serial/by-path instead',
    );
  }
  return first;
}
