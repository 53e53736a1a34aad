import type { Timer } from '../../clock.ts';
import type { HttpServices } from '../services.ts';
import { Frames } from './frames.ts';
import { DEFAULT_RATE, TOPICS, type Topic } from './protocol.ts';

/** Bytes that may wait for a client; beyond them it loses frames until it has caught up. */
export const MOST_WAITING = 256 * 1024;
/** What changes slowly is sent at most so often, Hz. */
const SLOW_RATE = 5;
/** Clients at once. */
const MOST_CLIENTS = 200;
/** A client that takes nothing for so long is let go, s. */
const MOST_SILENCE = 30;

/** Where frames of a client go. */
export interface Sink {
  /** Bytes that wait to be taken. */
  readonly waiting: () => number;
  readonly send: (topic: Topic, frame: Buffer) => void;
  /** Ends the connection. */
  readonly close: () => void;
}

/** A client of the live stream and what it watches. */
export class Watcher {
  readonly sink: Sink;
  topics: ReadonlySet<Topic> = new Set();
  rate = 0;
  /** Number of the first line of the log that it has not been sent. */
  seen = 0;
  /** Since when it has taken nothing of what waits for it; 0 while it does. */
  stuck = 0;

  constructor(sink: Sink) {
    this.sink = sink;
  }
}

interface Beat {
  readonly timer: Pick<Timer, 'cancel'>;
  readonly watchers: Set<Watcher>;
  ticks: number;
}

/**
 * Sends what clients watch at the rates they want. Watchers of one rate are served by one timer and share each frame; one
 * that is slow loses frames, so that it gets the newest next and costs nobody else anything.
 */
export class Hub {
  readonly #services: HttpServices;
  readonly #frames: Frames;
  readonly #watchers = new Set<Watcher>();
  readonly #beats = new Map<number, Beat>();

  constructor(services: HttpServices) {
    this.#services = services;
    this.#frames = new Frames(services);
  }

  /** True while there is room for another client. */
  get hasRoom(): boolean {
    return this.#watchers.size < MOST_CLIENTS;
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
    if (!this.#watchers.has(watcher) || watcher.rate === rate) return;
    this.#leave(watcher);
    watcher.rate = rate;
    let beat = this.#beats.get(rate);
    if (beat === undefined) {
      const timer = this.#services.clock.every(1 / rate, () => this.#tick(rate), true);
      beat = { timer, watchers: new Set(), ticks: 0 };
      this.#beats.set(rate, beat);
    }
    beat.watchers.add(watcher);
  }

  remove(watcher: Watcher): void {
    this.#watchers.delete(watcher);
    this.#leave(watcher);
  }

  /** Ends all connections. */
  close(): void {
    for (const watcher of [...this.#watchers]) {
      this.remove(watcher);
      watcher.sink.close();
    }
  }

  #leave(watcher: Watcher): void {
    const beat = this.#beats.get(watcher.rate);
    if (beat === undefined) return;
    beat.watchers.delete(watcher);
    if (beat.watchers.size > 0) return;
    beat.timer.cancel();
    this.#beats.delete(watcher.rate);
  }

  #tick(rate: number): void {
    const beat = this.#beats.get(rate);
    if (beat === undefined) return;
    const slow = beat.ticks++ % Math.ceil(rate / SLOW_RATE) === 0;
    for (const watcher of [...beat.watchers]) {
      if (this.#mayTake(watcher)) this.#serve(watcher, slow);
    }
  }

  #mayTake(watcher: Watcher): boolean {
    if (watcher.sink.waiting() < MOST_WAITING) {
      watcher.stuck = 0;
      return true;
    }
    const now = this.#services.clock.now();
    if (watcher.stuck === 0) {
      watcher.stuck = now;
    } else if (now - watcher.stuck > MOST_SILENCE) {
      this.remove(watcher);
      watcher.sink.close();
    }
    return false;
  }

  #serve(watcher: Watcher, slow: boolean): void {
    for (const topic of TOPICS) {
      if (!watcher.topics.has(topic) || (topic !== 'arms' && !slow)) continue;
      const frame = this.#frames.get(topic, watcher.seen);
      if (topic === 'log') watcher.seen = this.#services.log.next;
      if (frame !== null) watcher.sink.send(topic, frame);
    }
  }
}
