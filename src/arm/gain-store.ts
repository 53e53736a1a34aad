import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { GainPlan } from '../control/gains.ts';

const counts = z.array(z.int().positive());
const caps = z.array(z.int().min(0));
const currents = z.strictObject({ own: caps, soft: caps }).default({ own: [], soft: [] });
const plan = z.strictObject({ own: counts, soft: counts, currents });

/** Where what has to outlive the process is kept when nothing else is configured. */
export function defaultStateFolder(): string {
  return join(process.env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'arm-bridge');
}

/**
 * The servos' own position gains and largest currents while they have others: in memory for a control thread that takes over from one that has
 * failed, and on disk for the next bridge. One file per arm and bus.
 */
export class GainStore {
  readonly #folder: string;
  readonly #kept = new Map<string, GainPlan>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What a control thread, or a bridge, that did not end properly has left behind; null when there is nothing that can be read. */
  read(arm: string, bus: string): GainPlan | null {
    const kept = this.#kept.get(this.#file(arm, bus));
    if (kept !== undefined) return kept;
    try {
      return plan.parse(JSON.parse(readFileSync(this.#file(arm, bus), 'utf8')));
    } catch {
      return null;
    }
  }

  /** What this process has kept last, another object each time; undefined when it has forgotten it. */
  kept(arm: string, bus: string): GainPlan | undefined {
    return this.#kept.get(this.#file(arm, bus));
  }

  /** Keeps gains before they are changed. @throws {Error} when the file cannot be written */
  keep(arm: string, bus: string, gains: GainPlan): void {
    const file = this.#file(arm, bus);
    this.#kept.set(file, { ...gains });
    // The servos of a simulated arm do not outlive the bridge.
    if (bus.startsWith('sim:')) return;
    mkdirSync(this.#folder, { recursive: true });
    const descriptor = openSync(`${file}.new`, 'w');
    try {
      const { own, soft, currents } = gains;
      writeSync(descriptor, JSON.stringify({ own, soft, currents }));
      // A dip of the supply that takes the computer along is one of the cases that this is for.
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(`${file}.new`, file);
  }

  /** The servos have their own gains again. */
  forget(arm: string, bus: string): void {
    this.#kept.delete(this.#file(arm, bus));
    rmSync(this.#file(arm, bus), { force: true });
  }

  #file(arm: string, bus: string): string {
    return join(this.#folder, `gains-${arm}-${bus.replace(/[^\w.-]+/g, '_')}.json`);
  }
}
