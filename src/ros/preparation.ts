import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Clock } from '../clock.ts';
import { UNAVAILABLE } from './rclnodejs.ts';

/** Names the file descriptor by which the preparation tells how far ROS 2 is (scripts/prepare.mjs). */
const VARIABLE = 'ARM_BRIDGE_ROS_PREPARATION';

/** How far ROS 2 is. */
export interface RosProgress {
  /** What is being done, for people. */
  readonly step: string;
  /** About how long it takes until ROS 2 is ready, s. */
  readonly left: number;
}

/** How far ROS 2 is, in words. */
export function wordsOf({ step, left }: RosProgress): string {
  return `${step}, about ${left < 90 ? `${left} s` : `${Math.round(left / 60)} min`} left`;
}

/** A line of the preparation. */
type News =
  | { readonly step: string; readonly left: number }
  | { readonly ready: Readonly<Record<string, string>> }
  | { readonly failed: string };

/** The preparation of a ROS 2 that goes on while the bridge runs already: it is a child of this process. */
export class RosPreparation {
  /** Resolves when it has ended. Then the environment of this process says where ROS 2 is, or why there is none. */
  readonly ended: Promise<void>;
  /** Called for each step that begins. */
  onStep: (progress: RosProgress) => void = () => {};
  readonly #clock: Clock;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #socket: Socket;
  #step = 'beginning';
  /** When it is likely to end, on the clock. */
  #due: number;

  /** @returns the preparation that the environment tells of; null where ROS 2 is ready, or not to be had */
  static of(environment: NodeJS.ProcessEnv, clock: Clock): RosPreparation | null {
    const descriptor = Number(environment[VARIABLE] || Number.NaN);
    delete environment[VARIABLE];
    return Number.isNaN(descriptor) ? null : new RosPreparation(descriptor, environment, clock);
  }

  /** @param descriptor of a pipe that is read from here on */
  constructor(descriptor: number, environment: NodeJS.ProcessEnv, clock: Clock) {
    this.#clock = clock;
    this.#environment = environment;
    this.#due = clock.now();
    this.#socket = new Socket({ fd: descriptor, readable: true, writable: false });
    this.ended = this.#follow();
  }

  /** How far it is. */
  get progress(): RosProgress {
    return { step: this.#step, left: Math.max(0, Math.round(this.#due - this.#clock.now())) };
  }

  /** Lets the process end before it has. */
  inBackground(): void {
    this.#socket.unref();
  }

  /** Nobody waits for it any more: the preparation ends itself, and goes on from there when it is started again. */
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
    // Once the environment of the process is complete, and not before, rclnodejs may be loaded.
    if ('ready' in end) Object.assign(this.#environment, end.ready);
    else this.#environment[UNAVAILABLE] = end.failed;
  }

  #begin({ step, left }: RosProgress): void {
    this.#step = step;
    this.#due = this.#clock.now() + left;
    this.onStep({ step, left });
  }
}
