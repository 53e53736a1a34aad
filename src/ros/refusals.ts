import type { Logger } from 'pino';

/** A refusal not repeated for this long counts as over, s. */
const EPISODE = 10;

/** Variable parts of a text: quoted names and stand-alone numbers. */
const THEIRS = /"(?:[^"\\]|\\.)*"|(?<!\w)-?\d+(\.\d+)?/g;

/**
 * Logs refusals at the rate of a stream without flooding the log: the first, the tenth, the hundredth of the same
 * refusal and so on, and the first again after a pause of 10 s. Texts that differ only in quotes and numbers are the
 * same.
 */
export class RefusalLog {
  readonly #log: Logger;
  readonly #prefix: string;
  readonly #kinds = new Map<string, { count: number; last: number; next: number }>();

  /** @param prefix of every line, human-readable */
  constructor(log: Logger, prefix: string) {
    this.#log = log;
    this.#prefix = prefix;
  }

  /** @param now monotonic, s */
  refuse(text: string, now: number): void {
    const kind = text.replace(THEIRS, '#');
    let entry = this.#kinds.get(kind);
    if (entry === undefined || now - entry.last > EPISODE) {
      // Bounds the table of kinds.
      if (entry === undefined && this.#kinds.size >= 32) this.#kinds.clear();
      entry = { count: 0, last: now, next: 1 };
      this.#kinds.set(kind, entry);
    }
    entry.count++;
    entry.last = now;
    if (entry.count < entry.next) return;
    entry.next *= 10;
    this.#log.warn(`${this.#prefix}: ${text}${entry.count > 1 ? ` (${entry.count} times)` : ''}`);
  }
}
