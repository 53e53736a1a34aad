import { expect } from 'vitest';
import { PERIOD, type VirtualArm } from './virtual-arm.ts';

/** Frames, instruction and registers of an STS3215's bus, as its data sheet prints them. */
const SYNC_WRITE = 0x83;
const GOAL_POSITION = 42;
const TORQUE_ENABLE = 40;
const STEP = (2 * Math.PI) / 4096;
/** A healthy joint is never further from where it is asked to be, rad. */
const SAG = 0.1;

/** Watches an arm from its bus: what its servos are sent, and where the physics has them. */
export class GoalWitness {
  readonly #arm: VirtualArm;
  readonly #goals = new Map<number, number>();
  /** How far each joint has been from where it is asked to be, rad. */
  readonly #furthest: number[];
  readonly #asked: Float64Array;
  /** Largest change of a servo's goal from one message to the next, rad. */
  #step = 0;
  /** Goals seen. */
  #count = 0;

  constructor(arm: VirtualArm) {
    this.#arm = arm;
    this.#furthest = arm.model.joints.map(() => 0);
    this.#asked = arm.runtime.setpoints.slice();
    const { lose } = arm.port;
    arm.port.lose = (bytes) => {
      this.#take(bytes);
      return lose(bytes);
    };
  }

  /** To be called once in a cycle. */
  look(): void {
    const { positions } = this.#arm.truth();
    const { runtime } = this.#arm;
    // While nobody drives them the servos are to stay where they were asked to be last.
    if (runtime.holding) this.#asked.set(runtime.setpoints);
    for (const [j, angle] of positions.entries()) {
      this.#furthest[j] = Math.max(this.#furthest[j]!, Math.abs(angle - this.#asked[j]!));
    }
  }

  /** No goal has jumped. */
  expectSteady(): void {
    const velocity = Math.max(...this.#arm.model.joints.map(({ mirror }) => mirror.velocity));
    expect(this.#count).toBeGreaterThan(100);
    expect(this.#step).toBeLessThanOrEqual(velocity * PERIOD + STEP + 1e-9);
  }

  /**
   * Nothing has jumped, no healthy joint has sagged, and every servo holds.
   * @param ailing joint whose servo need not carry
   */
  expectSafe(ailing: number | null = null): void {
    const { joints } = this.#arm.model;
    this.expectSteady();
    for (const [j, furthest] of this.#furthest.entries()) {
      if (j !== ailing) expect(furthest, joints[j]!.name).toBeLessThan(SAG);
    }
    for (const { servos } of joints) {
      for (const { id } of servos) expect(this.#arm.register(id, TORQUE_ENABLE), `servo ${id}`).toBe(1);
    }
  }

  #take(bytes: Uint8Array): void {
    if (bytes[4] !== SYNC_WRITE || bytes[5] !== GOAL_POSITION) return;
    const size = 1 + bytes[6]!;
    for (let at = 7; at + size < bytes.length; at += size) {
      const id = bytes[at]!;
      const goal = (bytes[at + 1]! | (bytes[at + 2]! << 8)) * STEP;
      this.#step = Math.max(this.#step, Math.abs(goal - (this.#goals.get(id) ?? goal)));
      this.#goals.set(id, goal);
      this.#count++;
    }
  }
}
