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

/** How long servos may take to get their own gains back, and how often they are asked, s. */
const RESTORE_LIMIT = 5;
const RESTORE_INTERVAL = 0.1;

/** Folder for state that outlives the process, unless configured otherwise. */
export function defaultStateFolder(): string {
  return join(process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'arm-bridge');
}

/**
 * The servos' own position gains and current limits while they run on others. Kept in memory for a control thread that
 * replaces a failed one, and on disk for the next bridge. One file per arm and bus.
 */
export class GainStore {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #kept = new Map<string, GainPlan>();

  constructor(disk: Disk, folder: string) {
    this.#disk = disk;
    this.#folder = folder;
  }

  /** What a control thread or bridge that did not shut down cleanly left behind; null if there is nothing readable. */
  read(arm: string, bus: string): GainPlan | null {
    const kept = this.#kept.get(this.#file(arm, bus));
    if (kept !== undefined) return kept;
    try {
      return plan.parse(JSON.parse(this.#disk.read(this.#file(arm, bus)) ?? ''));
    } catch {
      return null;
    }
  }

  /** What this process has kept last, a new object per `keep`; undefined once forgotten. */
  kept(arm: string, bus: string): GainPlan | undefined {
    return this.#kept.get(this.#file(arm, bus));
  }

  /**
   * Keeps gains before they are changed; if softer ones are kept already, the softer ones count.
   * @throws {Error} when the file cannot be written
   */
  keep(arm: string, bus: string, { own, soft: wanted, currents }: GainPlan): void {
    const file = this.#file(arm, bus);
    const before = this.#kept.get(file);
    const same = before?.own.length === own.length && own.every((counts, i) => counts === before.own[i]);
    const soft = wanted.map((counts, i) => (same ? Math.min(counts, before.soft[i]!) : counts));
    this.#kept.set(file, { own, soft, currents });
    // Servos of a simulated arm do not outlive the bridge.
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
 * Waits until an arm's servos run on their own gains again, then forgets the kept ones. If that takes too long, the
 * file stays for the next start.
 * @returns whether the servos run on their own gains
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
        // If it floats again, the kept gains belong to that time.
        if (arm.read().state === 'floating' || store.kept(arm.name, arm.bus) !== kept) return false;
        store.forget(arm.name, arm.bus);
        return true;
      }
    } catch {
      // The arm is disconnected at the moment.
    }
    await arm.clock.sleep(RESTORE_INTERVAL, true);
  }
  return false;
}
