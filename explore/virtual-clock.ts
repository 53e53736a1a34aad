import { promiseHooks } from 'node:v8';
import type { Clock, Timer } from '../src/clock.ts';

/** Whether anything in this process has made or settled a promise since it was set to false. */
let stirred = false;
const stir = (): void => {
  stirred = true;
};
promiseHooks.createHook({ init: stir, settled: stir });

/** Something that happens at an instant. Of two at one instant the one that was asked for first happens first. */
interface Event {
  at: number;
  order: number;
  readonly lane: Lane;
  readonly call: () => void;
  /** Its place in the heap; -1 when it is not in it. */
  place: number;
}

interface Waiter {
  readonly words: Int32Array;
  readonly index: number;
  readonly wake: () => void;
}

/** A binary heap of events, the next one first. */
class EventHeap {
  readonly #events: Event[] = [];

  get next(): Event | undefined {
    return this.#events[0];
  }

  add(event: Event): void {
    event.place = this.#events.length;
    this.#events.push(event);
    this.#up(event.place);
  }

  remove(event: Event): void {
    const { place } = event;
    if (place < 0) return;
    event.place = -1;
    const last = this.#events.pop()!;
    if (last === event) return;
    this.#events[place] = last;
    last.place = place;
    this.#up(place);
    this.#down(last.place);
  }

  #before(a: Event, b: Event): boolean {
    return a.at < b.at || (a.at === b.at && a.order < b.order);
  }

  #up(from: number): void {
    const events = this.#events;
    const event = events[from]!;
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.#before(event, events[parent]!)) break;
      events[place] = events[parent]!;
      events[place]!.place = place;
      place = parent;
    }
    events[place] = event;
    event.place = place;
  }

  #down(from: number): void {
    const events = this.#events;
    const event = events[from]!;
    let place = from;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= events.length) break;
      if (child + 1 < events.length && this.#before(events[child + 1]!, events[child]!)) child++;
      if (!this.#before(events[child]!, event)) break;
      events[place] = events[child]!;
      events[place]!.place = place;
      place = child;
    }
    events[place] = event;
    event.place = place;
  }
}

/**
 * Virtual time: events of all threads in one queue, each at its instant. Nothing waits for the machine, so minutes take
 * seconds, and the same calls give the same run.
 */
export class VirtualTime {
  readonly #heap = new EventHeap();
  /** Whoever waits for a word to change, in any thread. */
  readonly waiters = new Set<Waiter>();
  /** s since the epoch when `now` was 0; a clock that is set changes it. */
  wallOffset: number;
  #now = 0;
  #order = 0;
  /** How many let time pass at once. */
  #drivers = 0;
  /** Whose event happened last. */
  #last: Lane | null = null;

  /** @param wallOffset s since the epoch at the beginning */
  constructor(wallOffset = 1_700_000_000) {
    this.wallOffset = wallOffset;
  }

  get now(): number {
    return this.#now;
  }

  /**
   * A clock for one thread, which can be paused by itself.
   * @param calculates the thread waits for no file and no socket, so that nothing but promises goes on between its events
   */
  lane(name: string, calculates = false): Lane {
    return new Lane(name, this, calculates);
  }

  schedule(event: Event, at: number): void {
    this.#heap.remove(event);
    event.at = Math.max(at, this.#now);
    event.order = this.#order++;
    this.#heap.add(event);
  }

  cancel(event: Event): void {
    this.#heap.remove(event);
  }

  /** Lets the next event happen, if it is not after `until` (s). @returns whether one has happened */
  step(until: number): boolean {
    for (;;) {
      const event = this.#heap.next;
      if (event === undefined || event.at > until) return false;
      const resumes = event.lane.pausedUntil;
      if (resumes > event.at) {
        // A paused thread has its events afterwards, in their order.
        this.schedule(event, resumes);
        continue;
      }
      this.#heap.remove(event);
      this.#now = event.at;
      this.#last = event.lane;
      stirred = false;
      event.call();
      return true;
    }
  }

  /** All events up to `until` (s), without what promises would do in between: for code that makes none. */
  runSync(until: number): void {
    while (this.step(until));
    this.#now = Math.max(this.#now, until);
  }

  /** All events up to `until` (s); promises settle after each. */
  async run(until: number): Promise<void> {
    await this.#drive(until, () => false);
    this.#now = Math.max(this.#now, until);
  }

  /**
   * Runs until a promise settles.
   * @param limit s from now on
   * @throws {Error} when it has not settled by then, or what it was rejected with
   */
  async until<T>(promise: Promise<T>, limit: number): Promise<T> {
    if (!(await this.settles(promise, limit))) throw new Error(`not settled within ${limit} s of virtual time`);
    return promise;
  }

  /** Runs until a promise settles, at most so long, s. @returns whether it has */
  async settles(promise: Promise<unknown>, limit: number): Promise<boolean> {
    let over = false;
    const end = (): void => {
      over = true;
    };
    promise.then(end, end);
    await this.#drive(this.#now + limit, () => over);
    return over;
  }

  /** Lets events happen up to an instant (s), or until `isOver`. */
  async #drive(until: number, isOver: () => boolean): Promise<void> {
    this.#drivers++;
    try {
      await settled();
      while (!isOver() && this.step(until)) if (this.#goesOn) await settled();
    } finally {
      this.#drivers--;
    }
  }

  /**
   * Whether something may go on between the last event and the next. To wait after each byte on a bus doubles all times; where
   * several let time pass, each may want to look after each event.
   */
  get #goesOn(): boolean {
    return stirred || this.#drivers > 1 || this.#last?.calculates !== true;
  }
}

/** What the event loop goes on with by itself: calls that were put off to its next turn, and requests to the disk. */
const UNDER_WAY = /^(?:Immediate|FSReq|CloseReq)/;
/** More turns of the event loop than anything takes that ends. */
const MOST_TURNS = 10_000;

/** Whoever waits for rest waits for the same: one who waited for another's turn would never see any. */
let resting: Promise<void> | null = null;

/** Resolves when nothing goes on by itself any more: no promise, no call that was put off, no request to the disk. */
function settled(): Promise<void> {
  resting ??= comeToRest();
  return resting;
}

async function comeToRest(): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (process.getActiveResourcesInfo().some((resource) => UNDER_WAY.test(resource))) continue;
    resting = null;
    return;
  }
  throw new Error(`the event loop has not come to rest in ${MOST_TURNS} turns`);
}

/** The clock of one thread in virtual time. */
export class Lane implements Clock {
  readonly name: string;
  /** No event of this thread happens before this instant, s. */
  pausedUntil = 0;
  /** See `VirtualTime.lane`. */
  readonly calculates: boolean;
  readonly #time: VirtualTime;

  constructor(name: string, time: VirtualTime, calculates: boolean) {
    this.name = name;
    this.#time = time;
    this.calculates = calculates;
  }

  /** Whatever it was to do in the next `duration` (s) happens afterwards, as in a thread that has no processor. */
  pause(duration: number): void {
    this.pausedUntil = Math.max(this.pausedUntil, this.#time.now + duration);
  }

  now(): number {
    return this.#time.now;
  }

  wall(): number {
    return this.#time.now + this.#time.wallOffset;
  }

  timer(call: () => void): Timer {
    const event: Event = { at: 0, order: 0, lane: this, call, place: -1 };
    const time = this.#time;
    return {
      start: (delay) => time.schedule(event, time.now + delay),
      cancel: () => time.cancel(event),
    };
  }

  alarm(call: () => void): Timer {
    return this.timer(call);
  }

  after(delay: number, call: () => void): Timer {
    const timer = this.timer(call);
    timer.start(delay);
    return timer;
  }

  every(interval: number, call: () => void): Pick<Timer, 'cancel'> {
    const timer = this.timer(() => {
      timer.start(interval);
      call();
    });
    timer.start(interval);
    return timer;
  }

  soon(call: () => void): void {
    this.after(0, call);
  }

  sleep(duration: number): Promise<void> {
    return new Promise((resolve) => this.after(duration, resolve));
  }

  nap(): boolean {
    return false;
  }

  changed(words: Int32Array, index: number, seen: number, timeout: number): Promise<boolean> {
    if (Atomics.load(words, index) !== seen) return Promise.resolve(true);
    return new Promise((resolve) => {
      const { waiters } = this.#time;
      const end = (changed: boolean): void => {
        timer.cancel();
        waiters.delete(waiter);
        resolve(changed);
      };
      const timer = this.after(timeout, () => end(false));
      const waiter: Waiter = { words, index, wake: () => this.soon(() => end(true)) };
      waiters.add(waiter);
    });
  }

  notify(words: Int32Array, index: number): void {
    const { waiters } = this.#time;
    for (const waiter of waiters) {
      if (waiter.words.buffer !== words.buffer || waiter.index !== index) continue;
      waiters.delete(waiter);
      waiter.wake();
    }
  }
}
