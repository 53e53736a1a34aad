import loadMujoco, { type MainModule } from '@mujoco/mujoco';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { loadArmModel } from '../../src/arm/model.ts';
import { StateCode } from '../../src/control/snapshot.ts';
import { Float } from '../../src/mirror/float.ts';
import { SOFT_GAIN } from '../../src/mirror/support.ts';
import { PERIOD, VirtualArm } from './support/virtual-arm.ts';

const model = loadArmModel('so101');
const JOINTS = model.joints.length;
const P_COEFFICIENT = 21;
const LOCK = 55;
const SERVO_STEP = (2 * Math.PI) / 4096;

let mj: MainModule;
const arms: VirtualArm[] = [];
beforeAll(async () => {
  mj = await loadMujoco();
});
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'], now: 0 });
});
afterEach(() => {
  for (const arm of arms.splice(0)) arm.dispose();
  vi.useRealTimers();
});

async function virtualArm(initial: readonly number[]): Promise<VirtualArm> {
  const arm = new VirtualArm(mj, model, initial, (seconds) => vi.advanceTimersByTime(seconds * 1000));
  arms.push(arm);
  await arm.connect();
  return arm;
}

function floating(): Float {
  return new Float(new Float64Array(JOINTS).fill(1), 0, new Float64Array(JOINTS).fill(SOFT_GAIN));
}

/** A reproducible sequence in 0..1. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** Poses without contacts, none nearer than a tenth of its range to a limit. */
function poses(seed: number): () => number[] {
  const next = sequence(seed);
  return () => model.joints.map(({ lower, upper }) => lower + (0.1 + 0.8 * next()) * (upper - lower));
}

async function floatingArm(pose: readonly number[]): Promise<VirtualArm> {
  const arm = await virtualArm(pose);
  arm.hold();
  arm.runtime.drive(floating());
  return arm;
}

function furthest(a: readonly number[], b: readonly number[]): number {
  return Math.max(...a.map((angle, j) => Math.abs(angle - b[j]!)));
}

function gains(arm: VirtualArm): number[] {
  return model.joints.map(({ servos }) => arm.register(servos[0]!.id, P_COEFFICIENT));
}

/** A pose in which the shoulder, the elbow and the wrist all carry. */
const STRETCHED = [0.3, 0.5, -0.4, 0.2, 0.4, 0.5];

test('a leader let go at 20 random poses drifts less than 0.05 rad in 10 s', async () => {
  const next = poses(7);
  for (let n = 0; n < 20; ) {
    const arm = await floatingArm(next());
    if (arm.sim.physics.contacts().length > 0) continue;
    const before = arm.truth().positions;
    arm.run(10);
    expect(furthest(arm.truth().positions, before), `pose ${n}`).toBeLessThan(0.05);
    n++;
  }
}, 60_000);

/** Torque against the motion, Nm, with which joint `j` answers a hand that moves it at 0.5 rad/s and holds the others. */
function resistance(arm: VirtualArm, j: number, direction: 1 | -1, weight: (arm: VirtualArm) => number): number[] {
  const names = model.joints.map(({ name }) => name);
  arm.sim.hand(Object.fromEntries(names.map((name, i) => [name, STRETCHED[i]!])), 0.1);
  arm.run(0.5);
  const torques: number[] = [];
  for (let n = 1; n <= 6; n++) {
    arm.sim.hand({ [names[j]!]: STRETCHED[j]! + direction * 0.05 * n }, 0.1);
    arm.run(0.1, () => {
      // After the start, at an even speed.
      const { handTorques, velocities } = arm.truth();
      if (n > 3) torques.push(direction * (handTorques[j]! - weight(arm)));
      if (n > 3) expect(direction * velocities[j]!).toBeCloseTo(0.5, 1);
    });
  }
  arm.sim.hand(null, 0);
  return torques;
}

test('moving a joint at 0.5 rad/s takes at most 0.1 Nm more than on the same arm limp and without weight', async () => {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  for (let j = 0; j < JOINTS; j++) {
    for (const direction of [1, -1] as const) {
      const limp = await virtualArm(STRETCHED);
      const free = mean(resistance(limp, j, direction, () => limp.sim.physics.holdingTorques()[j]!));
      const floats = resistance(await floatingArm(STRETCHED), j, direction, () => 0);
      expect(Math.max(...floats) - free, model.joints[j]!.name).toBeLessThan(0.1);
    }
  }
}, 60_000);

test('servos get soft gains that do not outlast their supply, and their own ones back; nothing jumps or sags', async () => {
  const arm = await floatingArm(STRETCHED);
  const before = arm.truth().positions;
  arm.run(0.5);
  expect(gains(arm)).toEqual(new Array(JOINTS).fill(SOFT_GAIN * 32));
  expect(arm.register(2, LOCK)).toBe(1);
  arm.largestStep = 0;
  arm.runtime.cancel(arm.runtime.motion, 'cancelled');
  arm.run(1);
  expect(gains(arm)).toEqual(new Array(JOINTS).fill(32));
  expect(arm.link.gains.restored).toBe(true);
  expect(furthest(arm.truth().positions, before)).toBeLessThan(0.01);
  expect(arm.largestStep).toBeLessThanOrEqual(3 * PERIOD + SERVO_STEP);

  arm.runtime.drive(floating());
  arm.run(0.5);
  arm.sim.powerCycle();
  expect(gains(arm)).toEqual(new Array(JOINTS).fill(32));
});

test('a bridge that is killed while an arm floats leaves it holding, and the next one takes over without a twitch or a sag', async () => {
  const arm = await floatingArm(STRETCHED);
  const plan = arm.link.gains.plan(new Float64Array(JOINTS).fill(SOFT_GAIN));
  arm.run(0.5);
  const before = arm.truth().positions;
  // Nobody writes any more.
  for (let i = 0; i < 200; i++) arm.idle();
  expect(furthest(arm.truth().positions, before)).toBeLessThan(0.01);
  arm.restart(plan);
  await arm.connect();
  let worst = 0;
  arm.run(1, () => {
    worst = Math.max(worst, furthest(arm.truth().positions, before));
  });
  expect(worst).toBeLessThan(0.02);
  expect(gains(arm)).toEqual(new Array(JOINTS).fill(32));
  expect(arm.runtime.state).toBe(StateCode.ready);
});

test('with every tenth packet lost gains still come and go, and nothing jumps', async () => {
  const arm = await floatingArm(STRETCHED);
  const before = arm.truth().positions;
  const next = sequence(3);
  arm.port.lose = () => next() < 0.1;
  let worst = 0;
  const watch = (): void => {
    worst = Math.max(worst, furthest(arm.truth().positions, before));
  };
  arm.run(1, watch);
  expect(arm.link.gain.every((gain) => gain === SOFT_GAIN)).toBe(true);
  arm.runtime.cancel(arm.runtime.motion, 'cancelled');
  arm.run(1, watch);
  arm.port.lose = () => false;
  expect(gains(arm)).toEqual(new Array(JOINTS).fill(32));
  expect(worst).toBeLessThan(0.02);
});
