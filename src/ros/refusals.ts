import type { Logger } from 'pino';

/** A refusal that has not come for this long counts as over, s. */
const EPISODE = 10;

/** What senders put into a text: quoted names, and numbers that stand alone. */
const THEIRS = /"(?:[^"\\]|\\.)*"|(?<!\w)-?\d+(\.\d+)?/g;

/**
 * Logs what comes at the rate of a stream without flooding the log: the first, the tenth, the hundredth refusal that says the
 * same and so on, and the first again after it has been away for 10 s. Texts say the same that differ in what they quote and
 * in their numbers alone.
 */
export class RefusalLog {
  readonly #log: Logger;
  readonly #prefix: string;
  readonly #kinds = new Map<string, { count: number; last: number; next: number }>();

  /** @param prefix what every line begins with, for people */
  constructor(log: Logger, prefix: string) {
    this.#log = log;
    this.#prefix = prefix;
  }

  /** @param now monotonic, s */
  refuse(text: string, now = performance.now() / 1000): void {
    const kind = text.replace(THEIRS, '#');
    let entry = this.#kinds.get(kind);
    if (entry === undefined || now - entry.last > EPISODE) {
      // The table of kinds stays small whatever is refused.
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
