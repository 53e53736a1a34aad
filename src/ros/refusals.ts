import type { Logger } from 'pino';
import { kindOf } from '../arm/journal.ts';

/** A refusal not repeated for this long counts as over, s. */
const EPISODE = 10;

/** Selects from repeated texts the first, the tenth, the hundredth and so on, and the first again after a pause of 10 s. */
export class Repetitions {
  readonly #kinds = new Map<string, { count: number; last: number; next: number }>();

  /**
   * Counts a text.
   * @param now in the same clock at each call, s
   * @returns how often it has come if it is to be told, otherwise 0
   */
  count(text: string, now: number): number {
    let entry = this.#kinds.get(text);
    if (entry === undefined || now - entry.last > EPISODE) {
      // Bounds the table of kinds.
      if (entry === undefined && this.#kinds.size >= 32) this.#kinds.clear();
      entry = { count: 0, last: now, next: 1 };
      this.#kinds.set(text, entry);
    }
    entry.count++;
    entry.last = now;
    if (entry.count < entry.next) return 0;
    entry.next *= 10;
    return entry.count;
  }
}

/** How often a told text has come, as its ending. */
export function times(count: number): string {
  return count > 1 ? ` (${count} times)` : '';
}

/**
 * Logs refusals at the rate of a stream without flooding the log (`Repetitions`). Texts of one kind (`kindOf`) are the
 * same.
 */
export class RefusalLog {
  readonly #log: Logger;
  readonly #prefix: string;
  readonly #repetitions = new Repetitions();

  /** @param prefix of every line, human-readable */
  constructor(log: Logger, prefix: string) {
    this.#log = log;
    this.#prefix = prefix;
  }

  /** @param now monotonic, s */
  refuse(text: string, now: number): void {
    const count = this.#repetitions.count(kindOf(text), now);
    if (count > 0) this.#log.warn(`${this.#prefix}: ${text}${times(count)}`);
  }
}
