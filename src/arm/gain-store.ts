import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Disk } from '../disk.ts';
import type { GainPlan } from '../rt/driver/gains.ts';
import type { Arm } from './arm.ts';

const counts = z.array(z.int().positive());
const caps = z.array(z.int().min(0));
const currents = z.strictObject({ own: caps, soft: caps }).default({ own: [], soft: [] });
const plan = z.strictObject({ own: counts, soft: counts, currents });

/** Longest time that servos need to have their own gains back, and how often they are asked, s. */
const RESTORE_LIMIT = 5;
const RESTORE_INTERVAL = 0.1;

/** Where what has to outlive the process is kept when nothing else is configured. */
export function defaultStateFolder(): string {
  return join(process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'arm-bridge');
}

/**
 * The servos' own position gains and largest currents while they have others: in memory for a control thread that takes over from one that has
 * failed, and on disk for the next bridge. One file per arm and bus.
 */
export class GainStore {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #kept = new Map<string, GainPlan>();

  constructor(disk: Disk, folder: string) {
    this.#disk = disk;
    this.#folder = folder;
  }

  /** What a control thread, or a bridge, that did not end properly has left behind; null when there is nothing that can be read. */
  read(arm: string, bus: string): GainPlan | null {
    const kept = this.#kept.get(this.#file(arm, bus));
    if (kept !== undefined) return kept;
    try {
      return plan.parse(JSON.parse(this.#disk.read(this.#file(arm, bus)) ?? ''));
    } catch {
      return null;
    }
  }

  /** What this process has kept last, another object each time; undefined when it has forgotten it. */
  kept(arm: string, bus: string): GainPlan | undefined {
    return this.#kept.get(this.#file(arm, bus));
  }

  /**
   * Keeps gains before they are changed; where softer ones are kept already, these count.
   * @throws {Error} when the file cannot be written
   */
  keep(arm: string, bus: string, { own, soft: wanted, currents }: GainPlan): void {
    const file = this.#file(arm, bus);
    const before = this.#kept.get(file);
    const same = before?.own.length === own.length && own.every((counts, i) => counts === before.own[i]);
    const soft = wanted.map((counts, i) => (same ? Math.min(counts, before.soft[i]!) : counts));
    this.#kept.set(file, { own, soft, currents });
    // The servos of a simulated arm do not outlive the bridge.
    if (bus.startsWith('sim:')) return;
    this.#disk.write(file, JSON.stringify({ own, soft, currents }));
  }

  /** The servos have their own gains again. */
  forget(arm: string, bus: string): void {
    this.#kept.delete(this.#file(arm, bus));
    this.#disk.remove(this.#file(arm, bus));
  }

  #file(arm: string, bus: string): string {
    return join(this.#folder, `gains-${arm}-${bus.replace(/[^\w.-]+/g, '_')}.json`);
  }
}

/**
 * Waits until an arm's servos have their own gains again, and forgets what was kept of them. If that takes too long, it
 * stays on disk for the next start.
 * @returns whether they have them
 */
export async function forgetWhenRestored(
  arm: Arm,
  store: GainStore,
  parts: Float64Array = new Float64Array(arm.model.joints.length).fill(arm.model.gravity.softGain),
): Promise<boolean> {
  const kept = store.kept(arm.name, arm.bus);
  for (let waited = 0; waited < RESTORE_LIMIT; waited += RESTORE_INTERVAL) {
    try {
      if ((await arm.servos.gains(parts)).restored) {
        // Where it floats once more, what has been kept is of that time.
        if (arm.read().state === 'floating' || store.kept(arm.name, arm.bus) !== kept) return false;
        store.forget(arm.name, arm.bus);
        return true;
      }
    } catch {
      // It is disconnected just now.
    }
    await arm.clock.sleep(RESTORE_INTERVAL, true);
  }
  return false;
}
