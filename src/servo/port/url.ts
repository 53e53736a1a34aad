/** Baud rate of a serial bus whose URL names none: the factory setting of Feetech STS servos, and that of the arms. */
export const DEFAULT_BAUD_RATE = 1_000_000;

/** No adapter of this kind comes near this rate. */
const MAX_BAUD_RATE = 9_999_999;

/** Where the servos of an arm are, as its URL says. */
export type BusUrl =
  /** A serial port by its device file. */
  | { readonly kind: 'serial'; readonly path: string; readonly serialNumber: null; readonly baudRate: number }
  /** A serial port by the serial number of its USB adapter, whatever its device file is called today. */
  | { readonly kind: 'serial'; readonly path: null; readonly serialNumber: string; readonly baudRate: number }
  /** A server that passes bytes on to a serial port, such as ser2net in raw mode. */
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'sim'; readonly model: string }
  /** The arm belongs to another machine; it is spoken to over ROS 2. */
  | { readonly kind: 'ros' };

/** Every form of a bus URL, for messages and help texts. */
export const BUS_URL_FORMS = [
  'serial:/dev/serial/by-id/NAME',
  'serial:/dev/ttyACM0?baud=1000000',
  'serial:?serial=USB_SERIAL_NUMBER',
  'tcp://HOST:PORT',
  'sim:MODEL',
  'ros',
] as const;

/** A bus URL that names no bus; the message says what is wrong and what is allowed. */
export class BusUrlError extends Error {
  constructor(url: string, fault: string) {
    super(`bus "${url}": ${fault}. Allowed: ${BUS_URL_FORMS.join(', ')}`);
    this.name = 'BusUrlError';
  }
}

/** @throws {BusUrlError} */
export function parseBusUrl(url: string): BusUrl {
  if (url === 'ros') return { kind: 'ros' };
  if (url.startsWith('sim:')) {
    const model = url.slice('sim:'.length);
    if (!/^[a-z][a-z0-9_]*$/.test(model)) throw new BusUrlError(url, 'sim: is followed by an arm model such as so101');
    return { kind: 'sim', model };
  }
  if (url.startsWith('tcp:')) return parseTcp(url);
  if (url.startsWith('serial:')) return parseSerial(url);
  if (url.startsWith('/dev/')) throw new BusUrlError(url, `a device file is written "serial:${url}"`);
  throw new BusUrlError(url, 'it starts with none of serial:, tcp:, sim: or ros');
}

function parseSerial(url: string): BusUrl {
  const rest = url.slice('serial:'.length);
  if (/\s/.test(rest)) throw new BusUrlError(url, 'it contains a blank');
  const mark = rest.indexOf('?');
  const path = mark < 0 ? rest : rest.slice(0, mark);
  const options = new Map<string, string>();
  for (const option of mark < 0 ? [] : rest.slice(mark + 1).split('&')) {
    const [, key, value] = /^(baud|serial)=(.+)$/.exec(option) ?? [];
    if (key === undefined || value === undefined) {
      throw new BusUrlError(url, `"${option}" is neither baud=RATE nor serial=NUMBER`);
    }
    if (options.has(key)) throw new BusUrlError(url, `${key}= is given twice`);
    options.set(key, value);
  }
  const baud = options.get('baud');
  const baudRate = baud === undefined ? DEFAULT_BAUD_RATE : /^[1-9]\d*$/.test(baud) ? Number(baud) : Number.NaN;
  if (!(baudRate <= MAX_BAUD_RATE)) {
    throw new BusUrlError(url, `baud=${baud} is not a whole number from 1 to ${MAX_BAUD_RATE}`);
  }
  const serialNumber = options.get('serial');
  if (serialNumber !== undefined) {
    if (path !== '') throw new BusUrlError(url, 'it names both a device file and a USB serial number: keep one');
    return { kind: 'serial', path: null, serialNumber, baudRate };
  }
  if (path === '') throw new BusUrlError(url, 'it names neither a device file nor a USB serial number');
  if (!/^(\/.+|COM\d+)$/.test(path)) throw new BusUrlError(url, `the device file "${path}" is no absolute path`);
  return { kind: 'serial', path, serialNumber: null, baudRate };
}

function parseTcp(url: string): BusUrl {
  const parts = /^tcp:\/\/(?:\[([0-9A-Fa-f:.]+)\]|([^\s:/?#@[\]]+)):([1-9]\d*)$/.exec(url);
  if (!parts) throw new BusUrlError(url, 'tcp:// is followed by a host and a port, host:port, and nothing else');
  const port = Number(parts[3]);
  if (port > 65535) throw new BusUrlError(url, `port ${parts[3]} is not within 1..65535`);
  return { kind: 'tcp', host: (parts[1] ?? parts[2])!, port };
}

/** The URL with another baud rate; unchanged unless it is serial, because the far end of other buses sets the rate. */
export function atRate(url: string, baudRate: number): string {
  const target = parseBusUrl(url);
  if (target.kind !== 'serial') return url;
  const serial = target.serialNumber === null ? '' : `serial=${target.serialNumber}&`;
  return `serial:${target.path ?? ''}?${serial}baud=${baudRate}`;
}
