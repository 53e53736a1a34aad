import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { PATIENCE } from './actions.ts';

/** Period of the control loop, s. */
export const PERIOD = 0.005;
/** Joints that have rested for so long rest, s. */
const RESTED = 0.4;
/** Slower than this a joint rests, rad/s. */
const REST = 0.02;
/** What an encoder may jump while its joint rests, rad. */
const ENCODER = 0.0031;

/** An arm at the time its joints were measured, s since the epoch. */
export interface Sample {
  readonly time: number;
  readonly state: string;
  readonly q: readonly number[];
}

/** What the bridge streams of an arm, and how many cycles its loop had begun when. */
export class Recording {
  readonly samples: Sample[] = [];
  readonly #beats: { t: number; cycles: number }[] = [];
  readonly #socket: WebSocket;

  private constructor(url: string, id: number) {
    this.#socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/live`);
    const wanted = { type: 'subscribe', topics: ['arms', 'loop'], rate: 100 };
    this.#socket.on('open', () => this.#socket.send(JSON.stringify(wanted)));
    this.#socket.on('message', (data) => {
      const message = JSON.parse(String(data));
      if (message.type === 'loop') this.#beats.push(message);
      if (message.type !== 'arms') return;
      const arm = message.arms.find((candidate: { id: number }) => candidate.id === id);
      const { sampled: time, state, joints } = arm;
      if (time !== this.samples.at(-1)?.time) this.samples.push({ time, state, q: joints.position });
    });
  }

  /** Resolves when it has begun. @param url of the bridge @param id of the arm */
  static async begin(url: string, id: number): Promise<Recording> {
    const recording = new Recording(url, id);
    await expect.poll(() => Math.min(recording.#beats.length, recording.samples.length), PATIENCE).toBeGreaterThan(0);
    return recording;
  }

  /** Ends when the arm has been stopped and rests. @returns its first sample as stopped, the last one, and when it came to rest */
  async end(): Promise<{ stopped: Sample; last: Sample; rest: number }> {
    const { samples } = this;
    const rests = (): boolean => {
      const rest = restOf(samples);
      return (
        samples.at(-1)!.state === 'stopped' && samples.at(-1)!.time - rest > RESTED && this.#beats.at(-1)!.t > rest
      );
    };
    await expect.poll(rests, PATIENCE).toBe(true);
    this.#socket.close();
    return { stopped: samples.find(({ state }) => state === 'stopped')!, last: samples.at(-1)!, rest: restOf(samples) };
  }

  /** Time of an interval in which the loop did not get its cycles, on a machine that is busy with other things, s. */
  lost(from: number, to: number): number {
    const first = this.#beats.findLast(({ t }) => t <= from) ?? this.#beats[0]!;
    const last = this.#beats.find(({ t }) => t >= to)!;
    return Math.max(0, last.t - first.t - (last.cycles - first.cycles) * PERIOD);
  }
}

/** Time from which on no joint moves any more, s since the epoch. */
function restOf(samples: readonly Sample[]): number {
  const moves = samples.findLastIndex(
    ({ time, q }, i) =>
      i > 0 &&
      q.some((value, j) => Math.abs(value - samples[i - 1]!.q[j]!) > ENCODER + REST * (time - samples[i - 1]!.time)),
  );
  return samples[Math.max(moves, 0)]!.time;
}
