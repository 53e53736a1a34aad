import type { Clock, Timer } from '../../clock.ts';

/** Calls a function at a fixed rate. A deadline missed by more than a period is dropped, not made up for. */
export class Pacer {
  /** s */
  readonly #period: number;
  readonly #clock: Clock;
  readonly #alarm: Timer;
  #deadline = 0;
  #running = false;

  /**
   * @param period s
   * @param tick called with its lateness, s; calls `next()` when its cycle has ended
   */
  constructor(period: number, clock: Clock, tick: (lateness: number) => void) {
    this.#period = period;
    this.#clock = clock;
    this.#alarm = clock.alarm(() => tick(Math.max(0, clock.now() - this.#deadline)));
  }

  start(): void {
    this.#running = true;
    this.#deadline = this.#clock.now();
    this.#alarm.start(0);
  }

  /** The cycle has ended: wait for the next deadline. */
  next(): void {
    if (!this.#running) return;
    const now = this.#clock.now();
    this.#deadline += this.#period;
    if (this.#deadline < now - this.#period) this.#deadline = now;
    this.#alarm.start(Math.max(0, this.#deadline - now));
  }

  stop(): void {
    this.#running = false;
    this.#alarm.cancel();
  }
}
