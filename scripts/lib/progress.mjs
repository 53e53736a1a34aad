// What the person at the terminal sees: one line per step with the time since the start, and on a terminal a last line that
// tells of what is being done. Everything else goes to a log. Once the bridge runs, it is the bridge that tells of steps.

import { appendFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';

const KEPT_LOGS = 10;
/** How often the last line of a terminal is drawn anew, ms. */
const REDRAW = 500;

/** A step that failed, with the sentence to show; the details are in the log. */
export class StepError extends Error {}

export class Progress {
  #start = performance.now();
  #folder;
  #root;
  #out;
  #logPath = null;
  /** What the unfinished line tells of; null when there is none. */
  #open = null;
  /** Steps that are being done, and since when. */
  #running = new Map();
  #redraw = null;
  /** Told of each step that begins, instead of a person; null before the bridge runs. */
  #bridge = null;

  /**
   * @param {object} options
   * @param {string} options.root the checkout; paths are shown relative to it
   * @param {{write: (text: string) => unknown, isTTY?: boolean, columns?: number}} [options.out] standard output carries
   *   the environment, so: stderr
   */
  constructor({ root, out = process.stderr }) {
    this.#root = root;
    this.#folder = join(root, 'build', 'log');
    this.#out = out;
  }

  /** Seconds since the preparation started. */
  get elapsed() {
    return (performance.now() - this.#start) / 1000;
  }

  /** Where the details are, relative to the checkout; null while there are none. */
  get logPath() {
    return this.#logPath === null ? null : relative(this.#root, this.#logPath);
  }

  /** The steps that are being done, with when they began in seconds since the start. */
  get running() {
    return [...this.#running].map(([title, { since }]) => ({ title, since }));
  }

  /** Appends details to the log; the first call makes the file, so that a run with nothing to do leaves none. */
  log(text) {
    if (this.#logPath === null) this.#openLog();
    appendFileSync(this.#logPath, text.endsWith('\n') ? text : `${text}\n`);
  }

  #openLog() {
    mkdirSync(this.#folder, { recursive: true });
    const logs = readdirSync(this.#folder).filter((name) => /^prepare-.*\.log$/.test(name));
    for (const old of logs.sort().slice(0, -(KEPT_LOGS - 1))) rmSync(join(this.#folder, old), { force: true });
    const stamp = new Date().toISOString().replace(/[:.]/g, '-');
    this.#logPath = join(this.#folder, `prepare-${stamp}-${process.pid}.log`);
    this.note(`preparing Arm Bridge; details in ${relative(this.#root, this.#logPath)}`);
  }

  #prefix() {
    return `[${this.elapsed.toFixed(1).padStart(6)} s]`;
  }

  /** One line of its own. */
  note(text) {
    this.#endLine();
    this.#write(`${this.#prefix()} ${text}\n`);
    this.#draw();
  }

  /** From now on the terminal is the bridge's: it is told of each step that begins, and writes what there is to say. */
  handOver(bridge) {
    this.#endLine();
    clearInterval(this.#redraw);
    this.#bridge = bridge;
    for (const title of this.#running.keys()) bridge(title);
  }

  #write(text) {
    if (this.#bridge === null) this.#out.write(text);
    else if (this.#logPath !== null) appendFileSync(this.#logPath, text);
  }

  /** Leaves the cursor at the beginning of an empty line. */
  #endLine() {
    if (this.#open !== null) this.#write(this.#out.isTTY ? '\r\x1b[2K' : '\n');
    this.#open = null;
  }

  /** On a terminal, what is being done and for how long. */
  #draw() {
    if (!this.#out.isTTY || this.#bridge !== null || this.#running.size === 0) return;
    const told = [...this.#running].map(([title, { since, usual }]) => {
      const lasted = `${Math.round(this.elapsed - since)} s`;
      return usual === undefined ? `${title}, ${lasted}` : `${title}, ${lasted} of about ${usual} s`;
    });
    const line = `${this.#prefix()} ${told.join(' | ')}`;
    this.#write(`\r\x1b[2K${line.slice(0, (this.#out.columns ?? 80) - 1)}`);
    this.#open = line;
  }

  /**
   * Runs one step and reports it in one line: what it does, how it ended and how long it took. When another one begins or
   * ends meanwhile, its end has a line of its own.
   * @template T
   * @param {string} title such as "ROS 2 jazzy from PyPI: installing"
   * @param {() => Promise<T>} work
   * @param {number} [usual] how long it takes on two cores, s
   * @returns {Promise<T>}
   */
  async step(title, work, usual) {
    this.log(`\n=== ${title}`);
    const before = this.elapsed;
    this.#begin(title, usual);
    const close = (ending) => this.#end(title, `${ending} (${(this.elapsed - before).toFixed(1)} s)`);
    try {
      const result = await work();
      close('done');
      return result;
    } catch (error) {
      this.log(`failed: ${error.stack ?? error}`);
      close('failed');
      throw error;
    }
  }

  #begin(title, usual) {
    this.#running.set(title, { since: this.elapsed, usual });
    if (this.#bridge !== null) return this.#bridge(title);
    if (this.#out.isTTY) {
      this.#redraw ??= setInterval(() => this.#draw(), REDRAW).unref();
      return this.#draw();
    }
    this.#endLine();
    this.#write(`${this.#prefix()} ${title} ... `);
    this.#open = title;
  }

  #end(title, ending) {
    this.#running.delete(title);
    if (this.#open !== title) return this.note(`${title}: ${ending}`);
    this.#write(`${ending}\n`);
    this.#open = null;
  }
}
