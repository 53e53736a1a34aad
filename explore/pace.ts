import type { ArmModel } from '../src/arm/model.ts';

/** How fast an arm may be driven for what was asked of it (docs/safety.md, "The gate"), rad/s; `follow`: as its joints may follow. */
export const PACES = { follow: null, move: null, lowering: 1, align: 0.8, approach: 0.6 } as const;
export type Pace = keyof typeof PACES;

/** Speed of an arm whose angles may be wrong, rad/s. */
export const CRAWL = 0.3;
/** Goals are judged over times from the first to the second of these, s: those of one cycle are whole steps of an encoder. */
const LEAST_TIME = 0.1;
const TIME = 0.2;
/** What a speed has gained is judged between two times of this length, s: the speed of a cycle is whole steps too. */
const GAIN_TIME = 0.08;
/** A goal may have gone so much further than what its speed could gain explains, rad. */
const GAIN_MORE = 0.015;
/** Goals that come no longer than this after each other belong together, s. */
const GAP = 0.04;
/** A goal may have gone so much further than its speed explains: by this part, and this much, rad: cycles are late, steps whole. */
const MORE_PART = 1.05;
const MORE = 0.03;

interface Sent {
  readonly at: number;
  /** Where the joint was asked to be: the goal without what the arm's weight bends its spring by, rad. */
  readonly setpoint: number;
  /** The goal itself, rad: an arm that floats is bounded in its goals, while its weight and its gains change. */
  readonly goal: number;
  /** How far that was from the joint, rad. */
  readonly ahead: number;
  /** Largest speed then, rad/s, and largest acceleration, rad/s^2. */
  readonly most: Most;
}

/** Largest speed of a joint, rad/s, and how fast it may gain speed, rad/s^2. */
export interface Most {
  readonly speed: number;
  readonly gain: number;
}

/** Goals that are sent faster than what was asked allows: their speed, rad/s, or how fast it grew, rad/s^2. */
export interface TooFast {
  readonly what: 'speed' | 'gain';
  readonly by: number;
}

/** @returns rad/s and rad/s^2 */
export function mostOf(pace: Pace, { move, mirror }: ArmModel['joints'][number]): Most {
  const gain = pace === 'follow' || pace === 'approach' ? mirror.acceleration : move.acceleration;
  if (pace === 'move') return { speed: move.velocity, gain };
  return { speed: pace === 'follow' ? mirror.velocity : PACES[pace], gain };
}

/** The speed at which goals of one joint are sent. */
export class GoalPace {
  readonly #sent: Sent[] = [];

  /** What has been sent says nothing of what follows. */
  reset(): void {
    this.#sent.length = 0;
  }

  /**
   * A goal is sent.
   * @param now s @param setpoint rad @param goal rad @param position of the joint, rad
   * @param most what was asked allows
   * @returns null where the goals are as they may be
   */
  take(now: number, setpoint: number, goal: number, position: number, most: Most): TooFast | null {
    const sent = this.#sent;
    const last = sent.at(-1);
    if (last !== undefined && now - last.at > GAP) this.reset();
    const next = { at: now, setpoint, goal, ahead: setpoint - position, most };
    sent.push(next);
    while (now - sent[0]!.at > TIME) sent.shift();
    const first = sent[0]!;
    const passed = now - first.at;
    if (passed < LEAST_TIME) return null;
    const way = wayBetween(first, next);
    // A goal that comes back to its joint drives it nowhere.
    if (way <= MORE || Math.abs(next.ahead) < Math.abs(first.ahead) - MORE / 2) return null;
    const allowed = Math.max(...sent.map((one) => one.most.speed));
    if (way > MORE_PART * allowed * passed + MORE) return { what: 'speed', by: way / passed };
    return this.#gained(next);
  }

  /** Whether the speed has grown faster than it may, between the last two times of `GAIN_TIME`. */
  #gained(next: Sent): TooFast | null {
    const sent = this.#sent;
    const middle = sent.findLast(({ at }) => next.at - at >= GAIN_TIME);
    const first = middle && sent.findLast(({ at }) => middle.at - at >= GAIN_TIME);
    if (first === undefined) return null;
    const [before, after] = [middle!.at - first.at, next.at - middle!.at];
    const speed = wayBetween(middle!, next) / after;
    const gained = speed - wayBetween(first, middle!) / before;
    const allowed = Math.max(...sent.map((one) => one.most.gain));
    const time = (before + after) / 2;
    return gained > MORE_PART * allowed * time + GAIN_MORE / after ? { what: 'gain', by: gained / time } : null;
  }
}

/** How far goals have driven a joint, rad: where its weight and its gains change, setpoints and goals go different ways. */
function wayBetween(before: Sent, after: Sent): number {
  return Math.min(Math.abs(after.setpoint - before.setpoint), Math.abs(after.goal - before.goal));
}
