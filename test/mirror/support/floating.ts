import { expect } from 'vitest';
import type { ArmModel } from '../../../src/arm/model.ts';
import { SOFT_GAIN } from '../../../src/arm/model.ts';
import { Float } from '../../../src/rt/sources/float.ts';
import { furthest } from '../../support/poses.ts';
import type { VirtualArm } from './virtual-arm.ts';

/** Makes an arm whose joints are at `initial`, rad, connected and limp. */
export type MakeArm = (initial: readonly number[]) => Promise<VirtualArm>;

/** A pose of an SO-101 in which the shoulder, the elbow and the wrist all carry, rad. */
export const STRETCHED = [0.3, 0.5, -0.4, 0.2, 0.4, 0.5];
/** Speed of the hand that moves a joint, rad/s, and of how many tenths of a second, of which the first start it. */
export const HAND_SPEED = 0.5;
const TENTHS = 6;
const STARTING = 3;

/** A reproducible sequence in 0..1. */
export function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** Full support at soft gains. */
export function floating(joints: number): Float {
  return new Float(new Float64Array(joints).fill(1), 0, new Float64Array(joints).fill(SOFT_GAIN));
}

/** An arm that has held `pose` and floats from now on. */
export async function floatingArm(make: MakeArm, pose: readonly number[]): Promise<VirtualArm> {
  const arm = await make(pose);
  // A hand has it until it holds: torque does not go on for an arm that falls.
  arm.sim.hand(Object.fromEntries(arm.model.joints.map(({ name }, j) => [name, pose[j]!])), 0.01);
  await arm.hold();
  arm.sim.hand(null, 0);
  arm.run(0.2);
  arm.runtime.drive(floating(pose.length));
  return arm;
}

/**
 * Lets a floating arm go at random poses without contacts, none nearer than a tenth of its range to a limit.
 * @returns how far its furthest joint is from where it was let go after `seconds`, rad, for each of `count` poses
 */
export async function drifts(make: MakeArm, model: ArmModel, count: number, seconds: number): Promise<number[]> {
  const next = sequence(7);
  const drifted: number[] = [];
  while (drifted.length < count) {
    const pose = model.joints.map(({ lower, upper }) => lower + (0.1 + 0.8 * next()) * (upper - lower));
    const arm = await floatingArm(make, pose);
    if (arm.sim.physics.contacts().length > 0) continue;
    expect(arm.problem).toBe('');
    const before = arm.truth().positions;
    arm.run(seconds);
    drifted.push(furthest(arm.truth().positions, before));
  }
  return drifted;
}

interface Moved {
  /** Against the motion, Nm. */
  readonly torques: number[];
  /** Along it, rad/s. */
  readonly speeds: number[];
}

/** A hand moves joint `j` at an even speed and holds the others; what it feels besides `weight`, once it is under way. */
function moveByHand(arm: VirtualArm, j: number, direction: 1 | -1, weight: () => number): Moved {
  const names = arm.model.joints.map(({ name }) => name);
  arm.sim.hand(Object.fromEntries(names.map((name, i) => [name, STRETCHED[i]!])), 0.1);
  arm.run(0.5);
  const moved: Moved = { torques: [], speeds: [] };
  for (let n = 1; n <= TENTHS; n++) {
    arm.sim.hand({ [names[j]!]: STRETCHED[j]! + direction * 0.1 * HAND_SPEED * n }, 0.1);
    arm.run(0.1, () => {
      if (n <= STARTING) return;
      const { handTorques, velocities } = arm.truth();
      moved.torques.push(direction * (handTorques[j]! - weight()));
      moved.speeds.push(direction * velocities[j]!);
    });
  }
  arm.sim.hand(null, 0);
  return moved;
}

export interface HandForce {
  readonly joint: string;
  /** The most that a hand feels of the floating joint beyond what it feels on the same arm limp and without weight, Nm. */
  readonly extra: number;
  /** rad/s */
  readonly speeds: readonly number[];
}

/** What moving each joint to each side takes, from the stretched pose. */
export async function handForces(make: MakeArm, model: ArmModel): Promise<HandForce[]> {
  const forces: HandForce[] = [];
  for (const [j, { name }] of model.joints.entries()) {
    for (const direction of [1, -1] as const) {
      const limp = await make(STRETCHED);
      const free = moveByHand(limp, j, direction, () => limp.sim.physics.holdingTorques()[j]!);
      const floats = moveByHand(await floatingArm(make, STRETCHED), j, direction, () => 0);
      const mean = free.torques.reduce((sum, torque) => sum + torque, 0) / free.torques.length;
      const extra = Math.max(...floats.torques) - mean;
      forces.push({ joint: name, extra, speeds: [...free.speeds, ...floats.speeds] });
    }
  }
  return forces;
}
