import { expect, test } from 'vitest';
import { loadArmModel } from '../../../src/arm/model.ts';
import { type SetpointSource, SourceStatus } from '../../../src/rt/sources/setpoint-source.ts';
import { holdingArm } from '../../mirror/support/fixture.ts';
import type { VirtualArm } from '../../mirror/support/virtual-arm.ts';

const MODEL = loadArmModel('so101');
/** Where no joint's swing touches anything. */
const POSE = [0.2, -1, 0.4, 0.3, 0.1, 0.6];
const SWING = 0.5;

/** All joints swing at once, each with a frequency of its own. */
class Swing implements SetpointSource {
  readonly state = 'moving';
  readonly limits = 'mirror';
  readonly #speed: number;
  readonly #middle = new Float64Array(POSE.length);
  #began = 0;

  /** @param speed largest of the quickest joint, rad/s */
  constructor(speed: number) {
    this.#speed = speed;
  }

  begin(setpoints: Float64Array, _velocities: Float64Array, now: number): void {
    this.#middle.set(setpoints);
    this.#began = now;
  }

  next(now: number, _dt: number, out: Float64Array): SourceStatus {
    for (let i = 0; i < out.length; i++) {
      const frequency = (this.#speed / SWING) * (1 - 0.1 * i);
      out[i] = this.#middle[i]! + SWING * Math.sin(frequency * (now - this.#began));
    }
    return SourceStatus.running;
  }
}

function percentile95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(0.95 * values.length)]!;
}

/**
 * Torques from outside that MuJoCo's weight and the emulated motors leave over on an arm that rests, Nm: what holds it
 * besides them, static friction included.
 */
function leftOver(arm: VirtualArm): number[] {
  const { motorTorques } = arm.truth();
  return Array.from(arm.sim.physics.holdingTorques(), (weight, i) => weight - motorTorques[i]!);
}

test.each([0, 0.3, 0.75, 1.5])(
  'an arm that nobody touches tells less than 0.08 Nm at %s rad/s',
  async (speed) => {
    const arm = await holdingArm(MODEL, POSE);
    if (speed > 0) arm.runtime.drive(new Swing(speed));
    arm.run(1);
    const told: number[][] = POSE.map(() => []);
    arm.run(20, () => {
      for (const [i, torque] of arm.runtime.external.entries()) told[i]!.push(Math.abs(torque));
    });
    expect(arm.sim.physics.contacts()).toEqual([]);
    for (const torques of told) {
      expect(percentile95(torques)).toBeLessThan(0.08);
      expect(Math.max(...torques)).toBeLessThan(0.15);
    }
  },
  30_000,
);

test.each([
  ['shoulder_pan', 0.15],
  ['shoulder_lift', -0.1],
  ['elbow_flex', -0.1],
  ['wrist_flex', 0.06],
  ['gripper', 0.05],
])('a hand at %s is told within 15 percent or 0.1 Nm, in the direction in which it pushes', async (joint, by) => {
  const arm = await holdingArm(MODEL, POSE);
  const at = MODEL.joints.findIndex(({ name }) => name === joint);
  arm.sim.hand({ [joint]: arm.truth().positions[at]! + by }, 0.1);
  arm.run(0.4);
  const pushed = arm.truth().handTorques[at]!;
  expect(Math.abs(pushed)).toBeGreaterThan(0.3);
  expect(Math.abs(arm.runtime.external[at]! - pushed)).toBeLessThan(Math.max(0.1, 0.15 * Math.abs(pushed)));
  arm.sim.hand(null, 0);
  arm.run(0.4);
  expect(Math.abs(arm.runtime.external[at]!)).toBeLessThan(0.1);
});

test('an arm that presses on the table tells it within 15 percent or 0.1 Nm, and nothing once it is limp', async () => {
  const arm = await holdingArm(MODEL, [0, 0.2, 0.4, 0.9, 0, 0.3]);
  const down = new Float64Array(POSE.length);
  down.set(arm.runtime.setpoints);
  down[1] = down[1]! + 0.35;
  arm.runtime.drive({
    state: 'mirroring',
    limits: 'mirror',
    begin: () => {},
    next: (_now, dt, out) => {
      for (const [i, goal] of down.entries()) out[i] = out[i]! + Math.min(Math.max(goal - out[i]!, -dt), dt);
      return SourceStatus.running;
    },
  });
  arm.run(0.7);
  expect(arm.sim.physics.contacts()).not.toEqual([]);
  const truth = leftOver(arm);
  expect(Math.max(...truth.map(Math.abs))).toBeGreaterThan(0.3);
  for (const [i, torque] of truth.entries())
    expect(Math.abs(arm.runtime.external[i]! - torque)).toBeLessThan(Math.max(0.1, 0.15 * Math.abs(torque)));
  arm.runtime.setTorque(false);
  arm.run(0.1);
  expect([...arm.runtime.external]).toEqual(POSE.map(() => 0));
});
