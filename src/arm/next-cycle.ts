import type { Clock } from '../clock.ts';
import type { SharedState } from '../rt/snapshot/shared-snapshot.ts';

/**
 * Timers can expire in a pause of the machine, before the loop has had its turn. Waiting in parts gives it that turn.
 */
const PARTS = 4;

/**
 * Resolves when a cycle after `seen` has been published, or after `timeout` s. A waiter that starts between a cycle's
 * count and its notify is woken by that notify with nothing new, and keeps waiting.
 */
export async function nextCycle(shared: SharedState, clock: Clock, seen: number, timeout: number): Promise<void> {
  const { words, index } = shared.cycleWord;
  for (let part = 0; part < PARTS && shared.cycle === seen; ) {
    if (!(await clock.changed(words, index, seen, timeout / PARTS))) part++;
  }
}
