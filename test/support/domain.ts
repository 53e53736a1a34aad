import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** UDP ports of a domain, as the DDS specification (RTPS 2.5, 9.6.2) deals them out. */
const PORT_BASE = 7400;
const PORTS_PER_DOMAIN = 250;
/** Above this a domain's ports meet those that Linux gives to outgoing connections. */
const LAST_DOMAIN = 100;
/** An empty file `DOMAIN.PID` for each domain that a test process of this machine, of whatever checkout, has to itself. */
const CLAIMS = join(tmpdir(), 'arm-bridge-ros-domains');

/**
 * A ROS domain for this test process alone, until it ends: none of its ports is bound, and no other test process has claimed it.
 * Ports alone do not tell, since one is not bound before a bridge runs, nor between two of them.
 */
export function freeDomain(): number {
  mkdirSync(CLAIMS, { recursive: true, mode: 0o777 });
  const bound = boundDomains();
  const places = Array.from({ length: LAST_DOMAIN }, (_, i) => i + 1).filter((domain) => !bound.has(domain));
  // In an order of its own, so that two that get in each other's way do not meet again at the next.
  for (let left = places.length; left > 0; left--) {
    const [domain] = places.splice(Math.floor(Math.random() * left), 1) as [number];
    if (claim(domain)) return domain;
  }
  throw new Error('every ROS domain of this machine is in use');
}

/** Claims a domain unless a living process has. Of two that do so at once, both give way. */
function claim(domain: number): boolean {
  const own = join(CLAIMS, `${domain}.${process.pid}`);
  if (existsSync(own)) return false;
  writeFileSync(own, '');
  for (const name of readdirSync(CLAIMS)) {
    const [of, pid] = name.split('.').map(Number) as [number, number];
    if (!existsSync(`/proc/${pid}`)) rmSync(join(CLAIMS, name), { force: true });
    else if (of === domain && pid !== process.pid) {
      rmSync(own);
      return false;
    }
  }
  process.once('exit', () => rmSync(own, { force: true }));
  return true;
}

function boundDomains(): Set<number> {
  const bound = new Set<number>();
  for (const line of readFileSync('/proc/net/udp', 'utf8').split('\n').slice(1)) {
    const port = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4})/.exec(line)?.[1];
    if (port !== undefined) bound.add(Math.floor((Number.parseInt(port, 16) - PORT_BASE) / PORTS_PER_DOMAIN));
  }
  return bound;
}
