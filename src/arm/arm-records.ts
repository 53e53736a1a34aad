import { join } from 'node:path';
import type { Disk } from '../disk.ts';
import { messageOf } from './types.ts';

interface ArmRecord {
  /** The bridge has not ended properly, or still runs. */
  readonly running: boolean;
  /** Why the arm is stopped; null when it is not. */
  readonly stopped: string | null;
  /** A bridge has not ended properly, and nobody has reset the arm since. */
  readonly unclean: boolean;
}

const NOTHING: ArmRecord = { running: false, stopped: null, unclean: false };

/** @throws {Error} when it is not the text of a record */
function recordIn(text: string): ArmRecord {
  const { running, stopped, unclean } = JSON.parse(text);
  const isOne =
    typeof running === 'boolean' && typeof unclean === 'boolean' && (stopped === null || typeof stopped === 'string');
  if (!isOne) throw new Error('no record');
  return { running, stopped, unclean };
}

/** An arm as its record names it. */
export interface Recorded {
  readonly name: string;
  readonly bus: string;
}

/**
 * What has to outlive the process of each arm: that it is stopped, and that a bridge has it. One file per arm and bus, so
 * that a stopped arm is stopped after a crash, a power cut or a restart. Each thread that stops arms has records of its own over
 * the same files, which alone know what holds.
 */
export class ArmRecords {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #warn: (text: string) => void;

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
    this.#keep(arm, { ...this.#read(arm), running: true, stopped: reason });
  }

  /** As `stop`, but an arm that is stopped on disk already keeps its reason: repeated stops wait for no disk. */
  stopOnce(arm: Recorded, reason: string): void {
    if (this.#read(arm).stopped === null) this.stop(arm, reason);
  }

  /** A person has reset the arm. Another thread may have stopped it meanwhile: look at its stop afterwards. */
  release(arm: Recorded): void {
    const { stopped, unclean } = this.#read(arm);
    if (stopped !== null || unclean) this.#keep(arm, { running: true, stopped: null, unclean: false });
  }

  /** This process ends properly. A stop stays. */
  end(arm: Recorded): void {
    this.#keep(arm, { ...this.#read(arm), running: false });
  }

  #read(arm: Recorded): ArmRecord {
    const text = this.#disk.read(this.#path(arm));
    if (text === null) return NOTHING;
    try {
      return recordIn(text);
    } catch {
      // It was being written by something else than this file: nothing is known but that somebody had the arm.
      return { running: true, stopped: null, unclean: true };
    }
  }

  #keep(arm: Recorded, next: ArmRecord): void {
    const path = this.#path(arm);
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
