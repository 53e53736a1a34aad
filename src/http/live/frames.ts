import type { z } from 'zod';
import type { Scope } from '../../named-tokens.ts';
import { fitting } from '../answer-size.ts';
import type { Asks } from '../asks.ts';
import type { HttpServices } from '../services.ts';
import { armFactsView, armView, askView, eventView, logView, loopView, mirrorView, objectsView } from '../views.ts';
import { writerOf } from '../writer.ts';
import { frames, hello, LOG_LINES, MOST_EVENTS, type Topic } from './protocol.ts';

/** Frames are cached for this long, s, so that clients of different rates share them. */
const FRESH = 0.002;

const writeHello = writerOf(hello);
const writeArms = writerOf(frames.arms);
const writeObjects = writerOf(frames.objects);
const writePairs = writerOf(frames.pairs);
const writeLoop = writerOf(frames.loop);
const writeLog = writerOf(frames.log);
const writeEvents = writerOf(frames.events);
const writeAsks = writerOf(frames.asks);

/** Incremental topics: a frame is sent only if something is new since the client's last frame. */
export type Growing = 'log' | 'events' | 'objects' | 'asks';
export const NOTHING_SEEN: Readonly<Record<Growing, number>> = { log: 0, events: 0, objects: 0, asks: 0 };

export function isGrowing(topic: Topic): topic is Growing {
  return topic in NOTHING_SEEN;
}

/** The hello frame: version of the bridge, the client's scopes and name, the arms and their joints. */
export function helloFrame(services: HttpServices, scopes: readonly Scope[], client: string): string {
  const arms = services.arms.all.map((arm) => armFactsView(services, arm));
  const frame: z.input<typeof hello> = { type: 'hello', version: services.version, scopes: [...scopes], client, arms };
  return writeHello(frame);
}

/** Serialised frames of the topics, each made once for all clients that get it at about the same time. */
export class Frames {
  readonly #services: HttpServices;
  readonly #asks: Asks;
  readonly #made = new Map<string, { readonly time: number; readonly text: Buffer | null }>();

  constructor(services: HttpServices, asks: Asks) {
    this.#services = services;
    this.#asks = asks;
  }

  /**
   * The newest frame of a topic.
   * @param seen positions up to which the client has received the incremental topics; ignored for other topics
   * @returns null if there is nothing new
   */
  get(topic: Topic, seen: Readonly<Record<Growing, number>>): Buffer | null {
    const from = isGrowing(topic) ? seen[topic] : 0;
    // The length is part of the key because a cached frame lacks newer entries.
    const key = isGrowing(topic) ? `${topic} ${from} ${this.length(topic)}` : topic;
    const now = this.#services.clock.now();
    const made = this.#made.get(key);
    if (made !== undefined && now - made.time < FRESH) return made.text;
    if (isGrowing(topic)) {
      for (const old of this.#made.keys()) if (old.startsWith(`${topic} `)) this.#made.delete(old);
    }
    const frame = this.#frame(topic, from);
    const text = frame === null ? null : Buffer.from(frame);
    this.#made.set(key, { time: now, text });
    return text;
  }

  /** Current position of an incremental topic. */
  length(topic: Growing): number {
    const { log, arms, simulation } = this.#services;
    if (topic === 'objects') return simulation?.scene.version ?? 0;
    if (topic === 'asks') return this.#asks.changes;
    return topic === 'log' ? log.next : arms.journal.changes;
  }

  #frame(topic: Topic, from: number): string | null {
    const services = this.#services;
    const t = services.clock.wall();
    switch (topic) {
      case 'arms':
        return writeArms({ type: topic, t, arms: services.arms.all.map(armView) });
      case 'objects':
        return this.length(topic) === from ? null : writeObjects({ type: topic, t, objects: objectsView(services) });
      case 'asks':
        return this.length(topic) === from
          ? null
          : writeAsks({ type: topic, t, asks: fitting([...this.#asks.all].map(askView)) });
      case 'pairs':
        return writePairs({ type: topic, t, ...mirrorView(services) });
      case 'loop':
        return writeLoop({ type: topic, t, ...loopView(services), ros: services.ros() });
      case 'log': {
        const lines = logView(services, from, LOG_LINES);
        return lines.length === 0 ? null : writeLog({ type: topic, t, lines });
      }
      case 'events': {
        const events = fitting(services.arms.journal.changedSince(from, MOST_EVENTS).map(eventView));
        return events.length === 0 ? null : writeEvents({ type: topic, t, events });
      }
    }
  }
}
