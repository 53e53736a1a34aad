import { readFileSync } from 'node:fs';

/** UDP ports of a domain, as the DDS specification (RTPS 2.5, 9.6.2) deals them out. */
const PORT_BASE = 7400;
const PORTS_PER_DOMAIN = 250;
/** Above this a domain's ports meet those that Linux gives to outgoing connections. */
const LAST_DOMAIN = 100;

/**
 * A ROS domain for this test process alone: none of its ports is bound, and of two test files that run side by side one
 * takes an even and one an odd domain, so that both may choose at the same time.
 * @param taken domains that have been chosen and whose ports may not be bound yet
 */
export function freeDomain(taken: readonly number[] = []): number {
  const bound = new Set(taken);
  for (const line of readFileSync('/proc/net/udp', 'utf8').split('\n').slice(1)) {
    const port = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4})/.exec(line)?.[1];
    if (port !== undefined) bound.add(Math.floor((Number.parseInt(port, 16) - PORT_BASE) / PORTS_PER_DOMAIN));
  }
  const side = Number(process.env.VITEST_POOL_ID ?? 0) % 2;
  const places = LAST_DOMAIN / 2;
  for (let step = 0; step < places; step++) {
    const domain = 1 + 2 * ((process.pid + step) % places) + side;
    if (!bound.has(domain)) return domain;
  }
  throw new Error('every ROS domain of this machine is in use');
}
