import type { Timer } from '../../clock.ts';
import type { Asks } from '../asks.ts';
import { networkOf } from '../limits.ts';
import type { HttpServices } from '../services.ts';
import { Frames, type Growing, isGrowing, NOTHING_SEEN } from './frames.ts';
import { DEFAULT_RATE, TOPICS, type Topic } from './protocol.ts';

/** Most bytes queued for a client; beyond this it loses frames until it has caught up. */
export const MOST_WAITING = 256 * 1024;
/** Maximum rate of slowly changing topics, Hz. */
const SLOW_RATE = 5;
/** Topics sent at the client's rate. */
const OFTEN: ReadonlySet<Topic> = new Set(['arms', 'objects']);
/** Most clients at once: all together, on other computers, and in one network of them. */
export const MOST_WATCHERS = 200;
const MOST_REMOTE = 160;
const MOST_OF_NETWORK = 80;
/** A client whose queue stays full for this long is disconnected, s. */
const MOST_SILENCE = 30;
/** Frames due within this time are sent together, s, because timers are that coarse. */
const TOGETHER = 0.001;

/** Destination of a client's frames. */
export interface Sink {
  /** Address of the client's computer. */
  readonly address: string;
  /** Queued bytes. */
  readonly waiting: () => number;
  readonly send: (topic: Topic, frame: Buffer) => void;
  /** Sends hello. */
  readonly greet: () => void;
  /** Ends the connection. */
  readonly close: () => void;
}

/** A client of the live stream, and its subscription. */
export class Watcher {
  readonly sink: Sink;
  topics: ReadonlySet<Topic> = new Set(TOPICS);
  /** Frames per second. */
  rate = DEFAULT_RATE;
  /** Number of the next frame, in periods since clock zero, so that clients of the same rate share frames. */
  next = 0;
  /** It has not received all topics yet. */
  isNew = true;
  /** It gets hello again, and the log and asks from the start, before its next slowly changing topics. */
  greeting = false;
  /** Positions up to which it has received the incremental topics. */
  seen: Readonly<Record<Growing, number>> = NOTHING_SEEN;
  /** Time since which its queue has been full, s; 0 while it is not. */
  stuck = 0;

  constructor(sink: Sink) {
    this.sink = sink;
  }

  /** Due time of its next frame, s. */
  get due(): number {
    return this.next / this.rate;
  }
}

/**
 * Sends clients their topics at their rates, with one timer for all. A slow client loses frames: it gets the newest
 * frame next, and does not delay others.
 */
export class Hub {
  readonly #services: HttpServices;
  readonly #frames: Frames;
  readonly #watchers = new Set<Watcher>();
  readonly #timer: Timer;

  constructor(services: HttpServices, asks: Asks) {
    this.#services = services;
    this.#frames = new Frames(services, asks);
    this.#timer = services.clock.timer(() => this.#tick(), true);
  }

  /** True while there is room for another client at an address. Places are kept for this computer and other networks. */
  hasRoom(address: string): boolean {
    const network = networkOf(address);
    if (this.#watchers.size >= MOST_WATCHERS) return false;
    if (network === 'local') return true;
    const remote = [...this.#watchers].map(({ sink }) => networkOf(sink.address)).filter((its) => its !== 'local');
    return remote.length < MOST_REMOTE && remote.filter((its) => its === network).length < MOST_OF_NETWORK;
  }

  /** Number of clients. */
  get size(): number {
    return this.#watchers.size;
  }

  add(sink: Sink): Watcher {
    const watcher = new Watcher(sink);
    this.#watchers.add(watcher);
    this.subscribe(watcher, TOPICS, DEFAULT_RATE);
    return watcher;
  }

  /** @param rate frames per second */
  subscribe(watcher: Watcher, topics: readonly Topic[], rate: number): void {
    watcher.topics = new Set(topics);
    watcher.rate = rate;
    watcher.isNew = true;
    watcher.next = Math.floor(this.#services.clock.now() * rate) + 1;
    this.#wait();
  }

  remove(watcher: Watcher): void {
    this.#watchers.delete(watcher);
    if (this.#watchers.size === 0) this.#timer.cancel();
  }

  /** Ends all connections. */
  close(): void {
    for (const watcher of [...this.#watchers]) {
      this.remove(watcher);
      watcher.sink.close();
    }
  }

  /** Starts the timer for the earliest due frame. */
  #wait(): void {
    let due = Number.POSITIVE_INFINITY;
    for (const watcher of this.#watchers) due = Math.min(due, watcher.due);
    if (due < Number.POSITIVE_INFINITY) this.#timer.start(Math.max(0, due - this.#services.clock.now()));
  }

  #tick(): void {
    const now = this.#services.clock.now();
    for (const watcher of [...this.#watchers]) {
      if (watcher.due > now + TOGETHER) continue;
      if (this.#mayTake(watcher, now)) this.#serve(watcher);
      // Frames missed by a busy thread are skipped.
      watcher.next = Math.max(watcher.next + 1, Math.floor(now * watcher.rate) + 1);
    }
    this.#wait();
  }

  #mayTake(watcher: Watcher, now: number): boolean {
    if (watcher.sink.waiting() < MOST_WAITING) {
      watcher.stuck = 0;
      return true;
    }
    if (watcher.stuck === 0) {
      watcher.stuck = now;
    } else if (now - watcher.stuck > MOST_SILENCE) {
      this.remove(watcher);
      watcher.sink.close();
    }
    return false;
  }

  #serve(watcher: Watcher): void {
    const slow = watcher.isNew || watcher.next % Math.ceil(watcher.rate / SLOW_RATE) === 0;
    watcher.isNew = false;
    if (slow && watcher.greeting) {
      watcher.greeting = false;
      watcher.seen = { ...watcher.seen, log: 0, asks: 0 };
      watcher.sink.greet();
    }
    for (const topic of TOPICS) {
      if (!watcher.topics.has(topic) || (!OFTEN.has(topic) && !slow)) continue;
      const frame = this.#frames.get(topic, watcher.seen);
      if (isGrowing(topic)) watcher.seen = { ...watcher.seen, [topic]: this.#frames.length(topic) };
      if (frame !== null) watcher.sink.send(topic, frame);
    }
  }
}
