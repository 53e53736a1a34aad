import { expect } from 'vitest';
import type { Arm } from '../../src/arm/arm.ts';

const SERVO_STEP = (2 * Math.PI) / 4096;
/** Stamps follow the system clock, by at most this at once unless somebody sets it, s. */
const CLOCK = 0.006;

/**
 * Watches an arm of a bridge in this process by its snapshots, in each cycle that the main thread gets to see: what its
 * servos are sent, and whether they hold.
 */
export class GoalWatch {
  readonly #arm: Arm;
  readonly #goals: Float64Array;
  readonly #ended: Promise<void>;
  #time: number;
  /** By how much goals have changed beyond what the time between them allows, rad. */
  #excess = 0;
  /** Cycles that were seen, and those of them in which some servo of the connected arm had no torque. */
  #seen = 0;
  #loose = 0;
  #over = false;

  /** @param arm holds or is driven */
  constructor(arm: Arm) {
    const { goals, goalTime } = arm.read();
    this.#arm = arm;
    this.#goals = goals.slice();
    this.#time = goalTime;
    this.#ended = this.#run();
  }

  /** Ends the watch: no goal has changed by more than the velocity limit and one servo step allow, and all servos held. */
  async expectSafe(): Promise<void> {
    this.#over = true;
    await this.#ended;
    expect(this.#seen).toBeGreaterThan(0);
    expect(this.#excess).toBeLessThanOrEqual(0);
    expect(this.#loose).toBe(0);
  }

  async #run(): Promise<void> {
    while (!this.#over) {
      // A machine that is busy for a second is not what this judges.
      await this.#arm.nextCycle().catch(() => {});
      this.#look();
    }
  }

  #look(): void {
    const { goals, goalTime, state, holding } = this.#arm.read();
    if (state !== 'disconnected' && !holding) this.#loose++;
    this.#seen++;
    if (goalTime === this.#time) return;
    const passed = goalTime - this.#time + CLOCK;
    for (const [j, { mirror }] of this.#arm.model.joints.entries()) {
      const excess = Math.abs(goals[j]! - this.#goals[j]!) - mirror.velocity * passed - SERVO_STEP;
      this.#excess = Math.max(this.#excess, excess);
    }
    this.#goals.set(goals);
    this.#time = goalTime;
  }
}
