import { join } from 'node:path';
import type { Disk } from '../disk.ts';
import { messageOf } from '../message-of.ts';

interface ArmRecord {
  /** The bridge still runs, or has not shut down cleanly. */
  readonly running: boolean;
  /** Why the arm is stopped; null when it is not. */
  readonly stopped: string | null;
  /** A bridge did not shut down cleanly, and nobody has reset the arm since. */
  readonly unclean: boolean;
}

const NOTHING: ArmRecord = { running: false, stopped: null, unclean: false };

/** @throws {Error} when the text is not a record */
function recordIn(text: string): ArmRecord {
  const { running, stopped, unclean } = JSON.parse(text);
  const isOne =
    typeof running === 'boolean' && typeof unclean === 'boolean' && (stopped === null || typeof stopped === 'string');
  if (!isOne) throw new Error('no record');
  return { running, stopped, unclean };
}

/** Identifies an arm in its record. */
export interface Recorded {
  readonly name: string;
  readonly bus: string;
}

/**
 * Per-arm state that must outlive the process: that the arm is stopped, and that a bridge has it. One file per arm and
 * bus, so a stopped arm is still stopped after a crash, a power cut or a restart. Each thread that stops arms has its
 * own instance over the same files; only the files are authoritative.
 */
export class ArmRecords {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #warn: (text: string) => void;
  /** Records as `begin` found them, by path. */
  readonly #found = new Map<string, ArmRecord>();

  /** @param warn called when something could not be saved */
  constructor(disk: Disk, folder: string, warn: (text: string) => void) {
    this.#disk = disk;
    this.#folder = folder;
    this.#warn = warn;
  }

  /**
   * This process takes the arm.
   * @returns why the arm is stopped, null when it is not; whether a previous process ended without releasing it and nobody
   *   has reset it since; and whether this process is on disk, without which its own crash would go unnoticed
   */
  begin(arm: Recorded): { readonly stopped: string | null; readonly unclean: boolean; readonly kept: boolean } {
    const found = this.#read(arm);
    this.#found.set(this.#path(arm), found);
    const { stopped, unclean: left, running } = found;
    const unclean = left || running;
    return { stopped, unclean, kept: this.#keep(arm, { running: true, stopped, unclean }) };
  }

  /** Records a stop. On return it is on disk, or `warn` has been told why not. */
  stop(arm: Recorded, reason: string): void {
    this.#keep(arm, { ...this.#read(arm), running: true, stopped: reason });
  }

  /** Like `stop`, but keeps the reason of a stop that is on disk already, so that repeated stops wait for no disk. */
  stopOnce(arm: Recorded, reason: string): void {
    if (!this.isStopped(arm)) this.stop(arm, reason);
  }

  /** Whether the arm's stop is on disk. */
  isStopped(arm: Recorded): boolean {
    return this.#read(arm).stopped !== null;
  }

  /** A person has reset the arm. Another thread may have stopped it meanwhile: check its stop afterwards. */
  release(arm: Recorded): void {
    const { stopped, unclean } = this.#read(arm);
    if (stopped !== null || unclean) this.#keep(arm, { running: true, stopped: null, unclean: false });
  }

  /** This process shuts down cleanly. A stop stays recorded. */
  end(arm: Recorded): void {
    this.#keep(arm, { ...this.#read(arm), running: false });
  }

  /**
   * This process gives back an arm that `begin` took, because its start has failed. What looked like a crash may be
   * another bridge that still has the arm, so its record is as it was. A stop stays recorded.
   */
  takeBack(arm: Recorded): void {
    const { running, unclean } = this.#found.get(this.#path(arm)) ?? NOTHING;
    this.#keep(arm, { ...this.#read(arm), running, unclean });
  }

  #read(arm: Recorded): ArmRecord {
    const text = this.#disk.read(this.#path(arm));
    if (text === null) return NOTHING;
    try {
      return recordIn(text);
    } catch {
      // Something other than this class wrote the file: all we know is that a bridge had the arm.
      return { running: true, stopped: null, unclean: true };
    }
  }

  /** @returns whether it is on disk */
  #keep(arm: Recorded, next: ArmRecord): boolean {
    const path = this.#path(arm);
    try {
      if (next.running || next.unclean || next.stopped !== null) this.#disk.write(path, `${JSON.stringify(next)}\n`);
      else this.#disk.remove(path);
      return true;
    } catch (error) {
      const what = next.stopped === null ? 'its state' : 'its stop';
      this.#warn(
        `${arm.name}: ${what} is not kept for the next start (${messageOf(error)}): make state_folder writable`,
      );
      return false;
    }
  }

  #path({ name, bus }: Recorded): string {
    return join(this.#folder, `arm-${name}-${bus.replace(/[^\w.-]+/g, '_')}.json`);
  }
}
