import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'vitest';

/** Runs a program in a terminal of its own, whose keyboard and screen are stdin and stdout. */
const TERMINAL = [
  'import os, pty, sys',
  'size = ["sh", "-c", \'stty rows 40 cols 100; exec "$@"\', "sh"]',
  'sys.exit(abs(os.waitstatus_to_exitcode(pty.spawn(size + sys.argv[1:]))))',
].join('\n');

export const ENTER = '\r';
export const INTERRUPT = '\x03';
const DOWN = '\x1b[B';
const PATIENCE = { timeout: 60_000, interval: 20 };
/** Lines of the screen that a failure shows: the test reports keep no more. */
const LAST_LINES = 8;
/** More than any list of choices is long. */
const CHOICES = 12;

/** A person at a terminal in which a program runs: reads what has come since the last key, and types. */
export class Typist {
  readonly #child: ChildProcess;
  readonly #end: Promise<unknown>;
  #screen = '';
  #read = 0;
  #over = false;

  constructor(command: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.#child = spawn('python3', ['-c', TERMINAL, ...command], {
      env: { ...process.env, TERM: 'xterm', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#end = once(this.#child, 'close').then(() => {
      this.#over = true;
    });
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.#screen += text;
    });
    this.#child.stdin!.on('error', () => {});
  }

  /** Everything so far, without what moves the cursor. */
  get screen(): string {
    return stripVTControlCharacters(this.#screen);
  }

  get #lastLines(): string {
    return this.screen.split('\n').slice(-LAST_LINES).join('\n');
  }

  /** What has come since the last key. */
  get news(): string {
    return stripVTControlCharacters(this.#screen.slice(this.#read));
  }

  type(keys: string): void {
    this.#read = this.#screen.length;
    this.#child.stdin!.write(keys);
  }

  /** Waits until one of these texts has come since the last key; returns the first of the list that has. */
  async until(...texts: readonly string[]): Promise<string> {
    const seen = (): string | undefined => texts.find((text) => this.news.includes(text));
    const told = `"${texts.join('" or "')}"`;
    try {
      await expect.poll(() => seen() !== undefined || this.#over, PATIENCE).toBe(true);
    } catch {
      return expect.fail(`does not say ${told}:\n${this.#lastLines}`);
    }
    return seen() ?? expect.fail(`has ended without ${told}:\n${this.#lastLines}`);
  }

  /** Waits for a question that has an answer in it already, and types the rest of it. */
  async answer(question: string, rest = ''): Promise<void> {
    await this.until(`◆  ${question}`);
    this.type(rest + ENTER);
  }

  /** Waits for a question and takes the choice that begins so. */
  async choose(question: string, choice: string): Promise<void> {
    await this.until(`◆  ${question}`);
    for (let moved = 0; moved < CHOICES; moved++) {
      await this.until('● ');
      if (this.news.includes(`● ${choice}`)) break;
      this.type(DOWN);
    }
    await this.until(`● ${choice}`);
    this.type(ENTER);
  }

  /** Its exit code, once it has ended. */
  async ended(): Promise<number | null> {
    await this.#end;
    return this.#child.exitCode;
  }

  /** Hangs up. */
  async close(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#end;
  }
}
