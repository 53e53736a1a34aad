import type { ArmModel } from '../src/arm/model.ts';

/** How fast an arm may be driven for what was asked of it (docs/safety.md, "The gate"), rad/s; `follow`: as its joints may follow. */
export const PACES = { follow: null, move: null, lowering: 1, align: 0.8, approach: 0.6 } as const;
export type Pace = keyof typeof PACES;

/** Speed of an arm whose angles may be wrong, rad/s. */
export const CRAWL = 0.3;
/** Goals are judged over times from the first to the second of these, s: those of one cycle are whole steps of an encoder. */
const LEAST_TIME = 0.1;
const TIME = 0.2;
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
  /** Largest speed then, rad/s. */
  readonly most: number;
}

/** @returns rad/s */
export function speedOf(pace: Pace, { move, mirror }: ArmModel['joints'][number]): number {
  if (pace === 'move') return move.velocity;
  return pace === 'follow' ? mirror.velocity : PACES[pace];
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
   * @param most largest speed for what was asked, rad/s
   * @returns the speed of the goals where they are too fast, rad/s; 0 otherwise
   */
  take(now: number, setpoint: number, goal: number, position: number, most: number): number {
    const sent = this.#sent;
    const last = sent.at(-1);
    if (last !== undefined && now - last.at > GAP) this.reset();
    const next = { at: now, setpoint, goal, ahead: setpoint - position, most };
    sent.push(next);
    while (now - sent[0]!.at > TIME) sent.shift();
    const first = sent[0]!;
    const passed = now - first.at;
    if (passed < LEAST_TIME) return 0;
    const way = Math.min(Math.abs(setpoint - first.setpoint), Math.abs(goal - first.goal));
    // A goal that comes back to its joint drives it nowhere.
    if (way <= MORE || Math.abs(next.ahead) < Math.abs(first.ahead) - MORE / 2) return 0;
    const allowed = Math.max(...sent.map((one) => one.most));
    return way > MORE_PART * allowed * passed + MORE ? way / passed : 0;
  }
}
