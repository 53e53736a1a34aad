import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Clock } from '../clock.ts';
import { UNAVAILABLE } from './rclnodejs.ts';

/** Holds the file descriptor on which the preparation reports its progress (scripts/prepare.mjs). */
const VARIABLE = 'ARM_BRIDGE_ROS_PREPARATION';

/** Progress of the preparation. */
export interface RosProgress {
  /** The current step, human-readable. */
  readonly step: string;
  /** Estimated time until ROS 2 is ready, s. */
  readonly left: number;
}

/** The progress in words. */
export function wordsOf({ step, left }: RosProgress): string {
  return `${step}, about ${left < 90 ? `${left} s` : `${Math.round(left / 60)} min`} left`;
}

/** A line of the preparation's output. */
type News =
  | { readonly step: string; readonly left: number }
  | { readonly ready: Readonly<Record<string, string>> }
  | { readonly failed: string };

/** The preparation of ROS 2, which continues while the bridge already runs: a child of this process. */
export class RosPreparation {
  /** Resolves when it has ended. The environment of this process then says where ROS 2 is, or why there is none. */
  readonly ended: Promise<void>;
  /** Called at the start of each step. */
  onStep: (progress: RosProgress) => void = () => {};
  readonly #clock: Clock;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #socket: Socket;
  #step = 'beginning';
  /** Estimated end, by the clock. */
  #due: number;

  /** @returns the preparation named in the environment; null where ROS 2 is ready or unavailable */
  static of(environment: NodeJS.ProcessEnv, clock: Clock): RosPreparation | null {
    const descriptor = Number(environment[VARIABLE] || Number.NaN);
    delete environment[VARIABLE];
    return Number.isNaN(descriptor) ? null : new RosPreparation(descriptor, environment, clock);
  }

  /** @param descriptor of a pipe, read from here on */
  constructor(descriptor: number, environment: NodeJS.ProcessEnv, clock: Clock) {
    this.#clock = clock;
    this.#environment = environment;
    this.#due = clock.now();
    this.#socket = new Socket({ fd: descriptor, readable: true, writable: false });
    this.ended = this.#follow();
  }

  /** Present progress. */
  get progress(): RosProgress {
    return { step: this.#step, left: Math.max(0, Math.round(this.#due - this.#clock.now())) };
  }

  /** Lets the process end before the preparation does. */
  inBackground(): void {
    this.#socket.unref();
  }

  /** Stops listening: the preparation ends itself, and resumes from there when started again. */
  abandon(): void {
    this.#socket.destroy();
  }

  async #follow(): Promise<void> {
    let end: Exclude<News, RosProgress> = { failed: 'its preparation has ended early, and says why in build/log' };
    this.#socket.on('error', () => {});
    const lines = createInterface({ input: this.#socket });
    lines.on('line', (line) => {
      const news = JSON.parse(line) as News;
      if ('step' in news) this.#begin(news);
      else end = news;
    });
    await new Promise<void>((resolve) => this.#socket.once('close', () => resolve()));
    // rclnodejs may be loaded only once the environment of the process is complete.
    if ('ready' in end) Object.assign(this.#environment, end.ready);
    else this.#environment[UNAVAILABLE] = end.failed;
  }

  #begin({ step, left }: RosProgress): void {
    this.#step = step;
    this.#due = this.#clock.now() + left;
    this.onStep({ step, left });
  }
}
