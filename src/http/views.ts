import type { BridgeStatus } from './schemas.ts';
import type { HttpServices } from './services.ts';

/** What several routes tell of the parts of the bridge, in SI units. */

/** A number that JSON can carry; 0 for one that is not known. */
export function finite(value: number): number {
  return Number.isFinite(value) ? value : 0;
}

/** State of mirroring, its pairs and why it stopped. */
export function mirrorView({ mirror }: HttpServices): BridgeStatus['mirror'] {
  const status = mirror.status();
  return {
    reason: status.reason,
    pairs: status.pairs.map((pair) => ({
      leader: pair.leader,
      follower: pair.follower,
      state: pair.state,
      owner: pair.owner,
      rate: finite(pair.rate),
      latency: Number.isFinite(pair.latency) ? pair.latency : null,
      reason: pair.reason,
    })),
  };
}

/** Figures of the control loop. */
export function loopView(services: HttpServices): BridgeStatus['loop'] {
  const loop = services.loop();
  return {
    cycles: loop.cycles,
    rate: loop.rate,
    late: loop.late,
    period: finite(loop.period),
    longest_period: finite(loop.longestPeriod),
    priority: loop.priority === 0 ? null : loop.priority,
    periods: loop.periods,
    lateness: loop.lateness,
    latency: loop.latency,
  };
}
