/** Stops the arms of a bridge, and watches when they rest. */
import { request as plain, type RequestOptions } from 'node:http';
import { request as encrypted } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { StopBridge } from './stop-bridge.ts';

/** A joint that is no further from where it comes to rest has come to rest, rad. */
const REST_BAND = 0.01;
/** An arm that has gone so far in this time moves, rad and s. */
const MOVING = 0.03;
const MOVING_TIME = 0.15;
/** Longest wait for arms that move, s, and for a stop, which is given up then. */
const MOTION_LIMIT = 10;
const ANSWER_LIMIT = 10_000;
/** After a stop arms are looked at for so long, s. */
const LOOK = 0.9;
/** An answer to what is no stop may take so long under load, s. */
const PATIENCE = 20;

interface Frame {
  readonly id: number;
  readonly torque: boolean;
  /** s since the epoch */
  readonly sampled: number;
  readonly joints: { readonly position: readonly (number | null)[] };
}

export interface Stopped {
  /** From the request to its answer, s: of moving arms, which answer when they rest, and of arms that rest. */
  readonly moving: number;
  readonly resting: number;
  /** From the request to rest, by the samples of the joints, s; NaN where there are none after it. */
  readonly rest: number;
  /** Arms were seen to move before. */
  readonly moved: boolean;
  /** What is wrong with the answers; empty when nothing is. */
  readonly fault: string;
}

export class StopWatch {
  readonly #bridge: StopBridge;
  readonly #socket: WebSocket;
  /** Newest frames of each arm, the newest last. */
  readonly #frames = new Map<number, Frame[]>();

  constructor(bridge: StopBridge) {
    this.#bridge = bridge;
    this.#socket = new WebSocket(`${bridge.url.replace(/^http/, 'ws')}/api/v1/live`, {
      rejectUnauthorized: false,
      headers: this.#headers,
    });
    this.#socket.on('open', () =>
      this.#socket.send(JSON.stringify({ type: 'subscribe', topics: ['arms'], rate: 100 })),
    );
    this.#socket.on('message', (data) => this.#take(JSON.parse(String(data))));
    // A stop is measured all the same, by its answer.
    this.#socket.on('error', () => {});
  }

  get #headers(): Record<string, string> {
    const { token } = this.#bridge;
    return token === null ? {} : { authorization: `Bearer ${token}` };
  }

  close(): void {
    this.#socket.removeAllListeners('message');
    this.#socket.terminate();
  }

  /** Brings arms to their pose `init`, which moves need. @throws {Error} when one does not get there */
  async initialise(arms: readonly number[]): Promise<void> {
    for (const id of arms) {
      const limit = performance.now() + 1000 * PATIENCE;
      for (;;) {
        const { text } = await this.ask(this.#bridge.url, `/move/init?robot_id=${id}`);
        if (text.includes('"status":"ok"')) break;
        if (performance.now() > limit) throw new Error(`/move/init of arm ${id}: ${text}`);
      }
    }
  }

  /** Lets the arms go, waits until one moves, and stops them. @param url where */
  async stop(url: string): Promise<Stopped> {
    await this.#reset();
    const moved = await this.#seenMoving();
    const wall = Date.now() / 1000;
    const driven = [...this.#frames].filter(([, frames]) => frames.at(-1)!.torque).map(([id]) => id);
    const first = await this.ask(url, '/stop');
    const second = await this.ask(url, '/stop');
    await sleep(1000 * LOOK);
    const rests = driven.map((id) => this.#restOf(id, wall));
    const faults = [first, second].filter(({ text }) => !text.includes('"status":"ok"'));
    return {
      moving: first.took,
      resting: second.took,
      rest: rests.length === 0 ? Number.NaN : Math.max(...rests),
      moved,
      fault: faults.map(({ status, text }) => `${status} ${text.slice(0, 200)}`).join('; '),
    };
  }

  /** @returns how long it took, s, on a connection of its own */
  ask(url: string, path: string, limit = ANSWER_LIMIT): Promise<{ took: number; status: number; text: string }> {
    const began = performance.now();
    const { protocol, hostname, port } = new URL(url);
    return new Promise((resolve) => {
      const end = (status: number, text: string): void =>
        resolve({ took: (performance.now() - began) / 1000, status, text });
      const options: RequestOptions & { rejectUnauthorized: boolean } = {
        host: hostname,
        port,
        path,
        method: 'POST',
        agent: false,
        timeout: limit,
        rejectUnauthorized: false,
        headers: this.#headers,
      };
      const sent = (protocol === 'https:' ? encrypted : plain)(options, (answer) => {
        let text = '';
        answer.on('data', (part) => {
          text += part;
        });
        answer.on('end', () => end(answer.statusCode ?? 0, text));
      });
      sent.on('timeout', () => sent.destroy(new Error('not answered')));
      sent.on('error', (error) => end(0, error.message));
      sent.end();
    });
  }

  async #reset(): Promise<void> {
    const limit = performance.now() + 1000 * PATIENCE;
    while (performance.now() < limit) {
      const { text } = await this.ask(this.#bridge.url, '/stop/reset');
      if (text.includes('"status":"ok"')) return;
      await sleep(50);
    }
  }

  async #seenMoving(): Promise<boolean> {
    const limit = performance.now() + 1000 * MOTION_LIMIT;
    while (performance.now() < limit) {
      if ([...this.#frames.values()].some(isMoving)) return true;
      await sleep(20);
    }
    return false;
  }

  /** s from `wall` to the first sample from which on the joints stay where they come to rest */
  #restOf(id: number, wall: number): number {
    const after = this.#frames.get(id)!.filter(({ sampled }) => sampled > wall);
    const last = after.at(-1);
    if (last === undefined) return Number.NaN;
    const away = after.findLastIndex((frame) => distance(frame, last) > REST_BAND);
    return (after[away + 1] ?? last).sampled - wall;
  }

  // biome-ignore lint/suspicious/noExplicitAny: messages are those of docs/http.md
  #take(message: any): void {
    if (message.type !== 'arms') return;
    for (const arm of message.arms as Frame[]) {
      const frames = this.#frames.get(arm.id) ?? [];
      this.#frames.set(arm.id, frames);
      frames.push(arm);
      if (frames.length > 400) frames.splice(0, 200);
    }
  }
}

function isMoving(frames: readonly Frame[]): boolean {
  const last = frames.at(-1)!;
  const before = frames.findLast(({ sampled }) => sampled <= last.sampled - MOVING_TIME);
  const recent = Date.now() / 1000 - last.sampled < 2 * MOVING_TIME;
  return last.torque && recent && before !== undefined && distance(before, last) > MOVING;
}

function distance(a: Frame, b: Frame): number {
  return Math.max(...a.joints.position.map((angle, i) => Math.abs((angle ?? 0) - (b.joints.position[i] ?? 0))));
}
