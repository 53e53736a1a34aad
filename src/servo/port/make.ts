import type { Clock } from '../../clock.ts';
import type { BytePort } from './port.ts';
import { SerialPort } from './serial.ts';
import { TcpPort } from './tcp.ts';
import { parseBusUrl } from './url.ts';

/**
 * The byte port that a `serial:` or `tcp:` URL names, not yet open.
 * @throws {BusUrlError} for a URL that names no bus
 * @throws {TypeError} for `sim:` and `ros`, which the simulation and ROS 2 serve
 */
export function makePort(url: string, clock: Clock): BytePort {
  const target = parseBusUrl(url);
  switch (target.kind) {
    case 'serial':
      return new SerialPort(url, target, clock);
    case 'tcp':
      return new TcpPort(url, target, clock);
    case 'sim':
    case 'ros':
      throw new TypeError(`${url} has no port of its own: it is served by the simulation or by another machine`);
  }
}
