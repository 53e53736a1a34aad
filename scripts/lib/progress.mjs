// What the person at the terminal sees: one line per step with the time since the start. Everything else goes to a log.

import { appendFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';

const KEPT_LOGS = 10;

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

  /**
   * @param {object} options
   * @param {string} options.root the checkout; paths are shown relative to it
   * @param {{write: (text: string) => unknown}} [options.out] standard output carries the environment, so: stderr
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
    this.#out.write(`${this.#prefix()} ${text}\n`);
  }

  #endLine() {
    if (this.#open !== null) this.#out.write('\n');
    this.#open = null;
  }

  /**
   * Runs one step and reports it in one line: what it does, how it ended and how long it took. When another one begins or
   * ends meanwhile, its end has a line of its own.
   * @template T
   * @param {string} title such as "ROS 2 jazzy from PyPI: installing"
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  async step(title, work) {
    this.log(`\n=== ${title}`);
    const before = performance.now();
    this.#endLine();
    this.#out.write(`${this.#prefix()} ${title} ... `);
    this.#open = title;
    const took = () => `${((performance.now() - before) / 1000).toFixed(1)} s`;
    const close = (ending) => {
      if (this.#open !== title) return this.note(`${title}: ${ending}`);
      this.#out.write(`${ending}\n`);
      this.#open = null;
    };
    try {
      const result = await work();
      close(`done (${took()})`);
      return result;
    } catch (error) {
      this.log(`failed: ${error.stack ?? error}`);
      close(`failed (${took()})`);
      throw error;
    }
  }
}
