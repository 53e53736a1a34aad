import type { HttpServices } from '../services.ts';
import { armFactsView, armView, loopView, mirrorView } from '../views.ts';
import type { Topic } from './protocol.ts';

/** Frames are made anew when they are older than this, s: clients of several rates share them. */
const FRESH = 0.005;
/** Lines of the log in one frame at most. */
const LOG_LINES = 100;

/** What changes only as an arm is added: the version of the bridge, the arms and their joints. */
export function helloView(services: HttpServices, scopes: readonly string[]) {
  const arms = services.arms.all.map((arm) => armFactsView(services, arm));
  return { type: 'hello', version: services.version, scopes, arms };
}

/** The frames of the topics as text, each made once for all clients that are sent it at about the same time. */
export class Frames {
  readonly #services: HttpServices;
  readonly #made = new Map<string, { readonly time: number; readonly text: Buffer | null }>();

  constructor(services: HttpServices) {
    this.#services = services;
  }

  /**
   * The newest frame of a topic.
   * @param from number of the first line of the log that the client has not seen; of no matter to other topics
   * @returns null when there is nothing to tell
   */
  get(topic: Topic, from: number): Buffer | null {
    const key = topic === 'log' ? `log ${from}` : topic;
    const now = this.#services.clock.now();
    const made = this.#made.get(key);
    if (made !== undefined && now - made.time < FRESH) return made.text;
    if (topic === 'log') for (const old of this.#made.keys()) if (old.startsWith('log ')) this.#made.delete(old);
    const content = this.#content(topic, from);
    const text = content === null ? null : Buffer.from(JSON.stringify({ type: topic, ...content }));
    this.#made.set(key, { time: now, text });
    return text;
  }

  #content(topic: Topic, from: number): object | null {
    const services = this.#services;
    const t = services.clock.wall();
    switch (topic) {
      case 'arms':
        return { t, arms: services.arms.all.map(armView) };
      case 'pairs':
        return { t, active: services.mirror.status().active, ...mirrorView(services) };
      case 'loop':
        return { t, ...loopView(services), ros: services.ros() };
      case 'log': {
        const lines = services.log.since(from, LOG_LINES);
        return lines.length === 0 ? null : { t, lines };
      }
    }
  }
}
