import type { Logger } from 'pino';

/** A refusal that has not come for this long counts as over, s. */
const EPISODE = 10;

/**
 * Logs what comes at the rate of a stream without flooding the log: of each kind the first, the tenth, the hundredth
 * and so on, and the first again after it has been away for 10 s.
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

  /**
   * @param kind equal for refusals that say the same
   * @param text called when there is a line to write
   * @param now monotonic, s
   */
  refuse(kind: string, text: () => string, now: number): void {
    let entry = this.#kinds.get(kind);
    if (entry === undefined || now - entry.last > EPISODE) {
      // Kinds may carry texts of others; the table of those at hand stays small whatever they send.
      if (entry === undefined && this.#kinds.size >= 32) this.#kinds.clear();
      entry = { count: 0, last: now, next: 1 };
      this.#kinds.set(kind, entry);
    }
    entry.count++;
    entry.last = now;
    if (entry.count < entry.next) return;
    entry.next *= 10;
    this.#log.warn(`${this.#prefix}: ${text()}${entry.count > 1 ? ` (${entry.count} times)` : ''}`);
  }
}
