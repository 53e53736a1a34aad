import type { Clock } from '../clock.ts';
import type { SharedState } from '../rt/snapshot/shared-snapshot.ts';

/** A machine that does not run for a while finds timers run out before the loop has had its turn: time is waited for in parts. */
const PARTS = 4;

/**
 * Resolves when a cycle after `seen` has been published, or after `timeout` s. Whoever begins to wait between the count of a
 * cycle and its notice is woken by that notice, with nothing new, and waits on.
 */
export async function nextCycle(shared: SharedState, clock: Clock, seen: number, timeout: number): Promise<void> {
  const { words, index } = shared.cycleWord;
  for (let part = 0; part < PARTS && shared.cycle === seen; ) {
    if (!(await clock.changed(words, index, seen, timeout / PARTS))) part++;
  }
}
