import { nap } from '../../thread.ts';

/** Before a deadline the event loop is left this much time for I/O; the rest is slept exactly, ms. */
const SLEEP = 1.2;

/**
 * Calls a function at a fixed rate: a coarse timer to just before each deadline, which leaves the thread's event loop
 * free for I/O, then a sleep that the kernel times for the rest. A deadline that has passed by more than a period is
 * given up, not made up for.
 */
export class Pacer {
  readonly #period: number;
  readonly #tick: (lateness: number) => void;
  #deadline = 0;
  #timer: NodeJS.Timeout | undefined;
  #running = false;

  /**
   * @param period ms
   * @param tick is told how late it is called, s; calls `next()` when its cycle has ended
   */
  constructor(period: number, tick: (lateness: number) => void) {
    this.#period = period;
    this.#tick = tick;
  }

  start(): void {
    this.#running = true;
    this.#deadline = performance.now();
    this.#schedule();
  }

  /** The cycle has ended: wait for the next deadline. */
  next(): void {
    this.#deadline += this.#period;
    const now = performance.now();
    if (this.#deadline < now - this.#period) this.#deadline = now;
    this.#schedule();
  }

  stop(): void {
    this.#running = false;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (!this.#running) return;
    const coarse = Math.floor(this.#deadline - performance.now() - SLEEP);
    if (coarse < 1) setImmediate(() => this.#fire());
    else this.#timer = setTimeout(() => this.#fire(), coarse);
  }

  #fire(): void {
    if (!this.#running) return;
    const remaining = this.#deadline - performance.now();
    if (remaining > 0) nap(remaining / 1000);
    this.#tick(Math.max(0, performance.now() - this.#deadline) / 1000);
  }
}
