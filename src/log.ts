import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

/** Number of lines kept for clients. */
const KEPT = 1000;

/** A line of the log. */
export interface LogLine {
  /** Seconds since the epoch. */
  readonly time: number;
  /** trace, debug, info, warn, error or fatal. */
  readonly level: string;
  readonly message: string;
  /** Name of the arm concerned; left out where the message names it, or concerns none. */
  readonly arm?: string;
}

/** The newest lines of the log. */
export class LogTail {
  /** Lines as written, oldest first. */
  readonly #lines: string[] = [];
  /** Number of the next line; the first has 0. */
  #next = 0;
  readonly #listeners = new Set<(line: LogLine) => void>();

  /** Calls `listener` with each new line. @returns a function that unsubscribes */
  onLine(listener: (line: LogLine) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get next(): number {
    return this.#next;
  }

  /** @param line JSON, as pino writes it */
  add(line: string): void {
    this.#lines.push(line);
    this.#next++;
    if (this.#lines.length > KEPT) this.#lines.shift();
    if (this.#listeners.size === 0) return;
    const told = parsed(line);
    for (const listener of this.#listeners) listener(told);
  }

  /** The kept lines from number `from` on and before number `before`, newest first; each is parsed when it is read. */
  *newest(from: number, before = this.#next): Generator<LogLine> {
    const oldest = this.#next - this.#lines.length;
    for (let i = Math.min(before, this.#next) - 1; i >= Math.max(from, oldest); i--)
      yield parsed(this.#lines[i - oldest]!);
  }
}

function parsed(line: string): LogLine {
  const { time, level, msg, err, arm } = JSON.parse(line) as {
    time: string;
    level: number;
    msg?: string;
    err?: { message?: string };
    arm?: string;
  };
  const message = [msg, err?.message].filter((text) => text !== undefined && text !== '').join(': ');
  return {
    time: Date.parse(time) / 1000,
    level: pino.levels.labels[level] ?? String(level),
    message,
    ...(arm === undefined ? {} : { arm }),
  };
}

/** Starts logging to stdout, human-readable on a terminal and JSON lines otherwise, and keeps the newest lines. */
export function startLog(level: string): { readonly logger: Logger; readonly tail: LogTail } {
  const tail = new LogTail();
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    hooks: {
      streamWrite: (line: string) => {
        tail.add(line);
        return line;
      },
    },
  };
  const logger = process.stdout.isTTY
    ? pino(options, pretty({ translateTime: 'HH:MM:ss.l', ignore: 'pid,hostname,arm,event', sync: true }))
    : pino(options);
  return { logger, tail };
}
