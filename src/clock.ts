/**
 * The only file that reads time, sets timers and sleeps. All other code gets a clock, so it can run in virtual time.
 */

/** A reusable one-shot timer. */
export interface Timer {
  /** Calls back after `delay` (s); replaces a pending call. */
  start(delay: number): void;
  cancel(): void;
}

/** Source of time. Instants and durations are in seconds. */
export interface Clock {
  /** Monotonic time, the same in all threads of the process, s. */
  now(): number;
  /** System clock time since 1970, s. It can jump forwards and backwards. */
  wall(): number;
  /** An event-loop timer, rounded up to milliseconds. @param background does not keep the process alive */
  timer(call: () => void, background?: boolean): Timer;
  /** A precise timer: the thread sleeps through the last millisecond. */
  alarm(call: () => void): Timer;
  /** Calls back once after `delay` (s). @param background does not keep the process alive */
  after(delay: number, call: () => void, background?: boolean): Timer;
  /** Calls back every `interval` (s) until cancelled. @param background does not keep the process alive */
  every(interval: number, call: () => void, background?: boolean): Pick<Timer, 'cancel'>;
  /** Calls back once pending events have been handled. */
  soon(call: () => void): void;
  /** Resolves after `duration` (s). @param background does not keep the process alive */
  sleep(duration: number, background?: boolean): Promise<void>;
  /** Blocks the thread for `duration` (s). @returns false where it cannot sleep and has not */
  nap(duration: number): boolean;
  /**
   * Waits for `notify` on this word; resolves at once if it is not `seen`. False if `timeout` (s) ran out, else true.
   */
  changed(words: Int32Array, index: number, seen: number, timeout: number): Promise<boolean>;
  /** Wakes everyone who waits for a change of this word. */
  notify(words: Int32Array, index: number): void;
}

/** Time before an alarm, ms, that is slept precisely; until then the event loop is free for I/O. */
const SLEPT = 1.2;
/** Coarse waits up to this length reuse one timer per length, ms. */
const KEPT_TIMERS = 16;
/** Offset from this thread's monotonic time to that of all threads, s. */
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
    // Refreshing a timer of the same length allocates nothing, as the control cycle requires.
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

/** A coarse timer that keeps the event loop free for I/O until just before the instant, then a sleep by the kernel. */
class Alarm implements Timer {
  readonly #call: () => void;
  /** Indexed by length, ms. */
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

/** The clock of the machine. Only entry points of threads and programs import it; they pass it on. */
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

/** Resolves once this thread has done what waits for it: heartbeats, requests and stops. */
export function turn(clock: Pick<Clock, 'soon'>): Promise<void> {
  return new Promise((resolve) => clock.soon(resolve));
}
