/** The only file that reads time, sets timers and sleeps. Everything else is handed a clock, so that it can run in virtual time. */

/** A one-shot timer that is made once and started again and again. */
export interface Timer {
  /** Calls back after `delay` (s), in place of what was started before. */
  start(delay: number): void;
  cancel(): void;
}

/** Time as a part of the bridge knows it. Instants and durations are in seconds. */
export interface Clock {
  /** Monotonic time, the same in all threads of the process, s. */
  now(): number;
  /** Time since 1970 as the system clock is set, s. It can be set forth and back. */
  wall(): number;
  /** A timer as exact as the event loop, which is rounded up to milliseconds. @param background it does not keep the process alive */
  timer(call: () => void, background?: boolean): Timer;
  /** A timer that is exact, for which the thread sleeps through the last millisecond. */
  alarm(call: () => void): Timer;
  /** Calls back once after `delay` (s). @param background it does not keep the process alive */
  after(delay: number, call: () => void, background?: boolean): Timer;
  /** Calls back every `interval` (s) until it is cancelled. @param background it does not keep the process alive */
  every(interval: number, call: () => void, background?: boolean): Pick<Timer, 'cancel'>;
  /** Calls back once the events that are there have been handled. */
  soon(call: () => void): void;
  /** Resolves after `duration` (s). @param background it does not keep the process alive */
  sleep(duration: number, background?: boolean): Promise<void>;
  /** Sleeps for `duration` (s), during which nothing else happens in this thread. @returns false where it cannot sleep and has not */
  nap(duration: number): boolean;
  /** Resolves when `notify` is called for this word, at once if it is not `seen`, or after `timeout` s; true unless that ran out. */
  changed(words: Int32Array, index: number, seen: number, timeout: number): Promise<boolean>;
  /** Wakes whoever waits for a change of this word. */
  notify(words: Int32Array, index: number): void;
}

/** Before an alarm the event loop is left this much time for I/O; the rest is slept exactly, ms. */
const SLEPT = 1.2;
/** Coarse waits up to this have a timer each that is made once, ms. */
const KEPT_TIMERS = 16;
/** What is added to the monotonic time of this thread to be that of all threads, s. */
const ORIGIN = Number(process.hrtime.bigint()) / 1e9 - performance.now() / 1000;

const cell = new Int32Array(new SharedArrayBuffer(4));

class EventLoopTimer implements Timer {
  readonly #call: () => void;
  readonly #background: boolean;
  #timer: NodeJS.Timeout | undefined;
  /** ms */
  #delay = Number.NaN;

  constructor(call: () => void, background: boolean) {
    this.#call = call;
    this.#background = background;
  }

  start(delay: number): void {
    const milliseconds = 1000 * delay;
    // A timer of the same length is used again: the control cycle allocates nothing.
    if (this.#timer !== undefined && milliseconds === this.#delay) {
      this.#timer.refresh();
      return;
    }
    clearTimeout(this.#timer);
    this.#delay = milliseconds;
    this.#timer = setTimeout(this.#call, milliseconds);
    if (this.#background) this.#timer.unref();
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** A coarse timer to just before the instant, which leaves the thread's event loop free for I/O, then a sleep that the kernel times. */
class Alarm implements Timer {
  readonly #call: () => void;
  /** By their length, ms. */
  readonly #coarse: (NodeJS.Timeout | undefined)[] = [];
  #instant = 0;
  #waiting = false;
  readonly #fire = (): void => {
    if (!this.#waiting) return;
    const remaining = this.#instant - performance.now();
    if (remaining > SLEPT + 1) {
      this.#wait();
      return;
    }
    this.#waiting = false;
    if (remaining > 0) Atomics.wait(cell, 0, 0, remaining);
    this.#call();
  };

  constructor(call: () => void) {
    this.#call = call;
  }

  start(delay: number): void {
    this.#instant = performance.now() + 1000 * delay;
    this.#waiting = true;
    this.#wait();
  }

  cancel(): void {
    this.#waiting = false;
    for (const timer of this.#coarse) clearTimeout(timer);
    this.#coarse.length = 0;
  }

  #wait(): void {
    const coarse = Math.min(Math.floor(this.#instant - performance.now() - SLEPT), KEPT_TIMERS);
    if (coarse < 1) {
      setImmediate(this.#fire);
      return;
    }
    const timer = this.#coarse[coarse];
    if (timer === undefined) this.#coarse[coarse] = setTimeout(this.#fire, coarse);
    else timer.refresh();
  }
}

/** The clock of the machine. Only entries of threads and programs import it; they hand it on. */
export const systemClock: Clock = {
  now: () => performance.now() / 1000 + ORIGIN,
  wall: () => Date.now() / 1000,
  timer: (call, background = false) => new EventLoopTimer(call, background),
  alarm: (call) => new Alarm(call),
  after(delay, call, background = false) {
    const timer = new EventLoopTimer(call, background);
    timer.start(delay);
    return timer;
  },
  every(interval, call, background = false) {
    const timer = setInterval(call, 1000 * interval);
    if (background) timer.unref();
    return { cancel: () => clearInterval(timer) };
  },
  soon: (call) => void setImmediate(call),
  sleep: (duration, background = false) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, 1000 * duration);
      if (background) timer.unref();
    }),
  nap(duration) {
    Atomics.wait(cell, 0, 0, 1000 * duration);
    return true;
  },
  async changed(words, index, seen, timeout) {
    const wait = Atomics.waitAsync(words, index, seen, 1000 * timeout);
    return (wait.async ? await wait.value : wait.value) !== 'timed-out';
  },
  notify: (words, index) => void Atomics.notify(words, index),
};
