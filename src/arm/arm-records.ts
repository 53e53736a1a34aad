import { join } from 'node:path';
import { z } from 'zod';
import type { Disk } from '../disk.ts';
import { messageOf } from './types.ts';

const record = z.strictObject({
  /** The bridge has not ended properly, or still runs. */
  running: z.boolean(),
  /** Why the arm is stopped; null when it is not. */
  stopped: z.string().nullable(),
  /** A bridge has not ended properly, and nobody has reset the arm since. */
  unclean: z.boolean(),
});
type ArmRecord = z.infer<typeof record>;

const NOTHING: ArmRecord = { running: false, stopped: null, unclean: false };

/** An arm as its record names it. */
export interface Recorded {
  readonly name: string;
  readonly bus: string;
}

/**
 * What has to outlive the process of each arm: that it is stopped, and that a bridge has it. One file per arm and bus, so
 * that a stopped arm is stopped after a crash, a power cut or a restart.
 */
export class ArmRecords {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #warn: (text: string) => void;
  readonly #records = new Map<string, ArmRecord>();

  /** @param warn is told that something could not be kept */
  constructor(disk: Disk, folder: string, warn: (text: string) => void) {
    this.#disk = disk;
    this.#folder = folder;
    this.#warn = warn;
  }

  /**
   * This process has the arm from now on.
   * @returns why it is stopped, null when it is not, and whether a process before has ended without letting go of it and
   * nobody has reset it since
   */
  begin(arm: Recorded): { readonly stopped: string | null; readonly unclean: boolean } {
    const { stopped, unclean: left, running } = this.#read(arm);
    const unclean = left || running;
    this.#keep(arm, { running: true, stopped, unclean });
    return { stopped, unclean };
  }

  /** The arm is stopped. It is on disk when this returns, or people have been told why not. */
  stop(arm: Recorded, reason: string): void {
    this.#keep(arm, { ...this.#of(arm), stopped: reason });
  }

  /** A person has reset the arm. */
  release(arm: Recorded): void {
    const { running, stopped, unclean } = this.#of(arm);
    if (stopped !== null || unclean) this.#keep(arm, { running, stopped: null, unclean: false });
  }

  /** This process ends properly. A stop stays. */
  end(arm: Recorded): void {
    this.#keep(arm, { ...this.#of(arm), running: false });
  }

  #of(arm: Recorded): ArmRecord {
    return this.#records.get(this.#path(arm)) ?? NOTHING;
  }

  #read(arm: Recorded): ArmRecord {
    const text = this.#disk.read(this.#path(arm));
    if (text === null) return NOTHING;
    try {
      return record.parse(JSON.parse(text));
    } catch {
      // It was being written by something else than this file: nothing is known but that somebody had the arm.
      return { running: true, stopped: null, unclean: true };
    }
  }

  #keep(arm: Recorded, next: ArmRecord): void {
    const path = this.#path(arm);
    this.#records.set(path, next);
    try {
      if (next.running || next.unclean || next.stopped !== null) this.#disk.write(path, `${JSON.stringify(next)}\n`);
      else this.#disk.remove(path);
    } catch (error) {
      const what = next.stopped === null ? 'its state' : 'its stop';
      this.#warn(
        `${arm.name}: ${what} is not kept for the next start (${messageOf(error)}): make state_folder writable`,
      );
    }
  }

  #path({ name, bus }: Recorded): string {
    return join(this.#folder, `arm-${name}-${bus.replace(/[^\w.-]+/g, '_')}.json`);
  }
}
