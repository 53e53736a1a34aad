/**
 * Serves one simulated arm on a pseudo-terminal, in a process of its own, for bench/soak.ts and bench/lerobot.ts: physics,
 * emulated servos, a hand, faults that are switched while it runs, and a watch over what its servos are sent. Started by `fork`.
 */

import { loadArmModel } from '../src/arm/model.ts';
import { simulatedCounterpart } from '../src/arm/simulated-counterpart.ts';
import { systemClock } from '../src/clock.ts';
import { ServedArm } from '../src/sim/serve.ts';
import { setPriority } from '../src/thread.ts';
import { GoalWatch } from './goal-watch.ts';

export interface SoakArmOptions {
  /** Folder of the arm's model. */
  readonly model: string;
  /** Where the link to its serial port is put. */
  readonly link: string;
}

/** What the program is told; each message is answered by a `SoakArmReport`. */
export interface SoakArmOrder {
  /** Shares of replies, 0..1. */
  readonly loseRate?: number;
  readonly corruptRate?: number;
  readonly plugged?: boolean;
  /** The hand moves these joints (rad) within `duration` (s). */
  readonly hand?: Readonly<Record<string, number>>;
  readonly duration?: number;
}

export interface SoakArmReport {
  /** As in `GoalWatch`, since the report before. */
  readonly goals: number;
  readonly largest: number;
  /** When goals of servos with torque have changed since the report before, monotonic s of this machine. */
  readonly changed: readonly number[];
}

/** Above that of every client: real servos wait for no processor. Where that is not allowed, they are late now and then. */
const PRIORITY = 60;

setPriority(PRIORITY);
const options: SoakArmOptions = JSON.parse(process.argv[2]!);
const model = loadArmModel(options.model);
const served = await ServedArm.start({
  clock: systemClock,
  arm: simulatedCounterpart(model, model.name),
  pty: { link: options.link },
});
const { arm } = served;
const watch = new GoalWatch();
let changed: number[] = [];
const feed = arm.feed.bind(arm);
arm.feed = (bytes, now) => {
  const before = watch.changes;
  watch.take(bytes);
  if (watch.changes > before) changed.push(Number(process.hrtime.bigint()) / 1e9);
  feed(bytes, now);
};

async function carryOut(order: SoakArmOrder): Promise<void> {
  const { faults } = arm.bus;
  faults.loseRate = order.loseRate ?? faults.loseRate;
  faults.corruptRate = order.corruptRate ?? faults.corruptRate;
  if (order.hand) arm.hand(order.hand, order.duration ?? 0);
  if (order.plugged !== undefined) await (order.plugged ? served.plugIn() : served.unplug());
}

process.on('message', async (order: SoakArmOrder) => {
  await carryOut(order);
  const report: SoakArmReport = { goals: watch.count, largest: watch.largest, changed };
  watch.count = 0;
  watch.largest = 0;
  changed = [];
  process.send!(report);
});
// The other end has gone, whatever became of it.
process.on('disconnect', () => void served.close());
process.send!({ goals: 0, largest: 0, changed: [] } satisfies SoakArmReport);
