import loadMujoco from '@mujoco/mujoco';
import { describe, expect, it } from 'vitest';
import { loadArmModel } from '../../src/arm/model.ts';
import { simulatedCounterpart } from '../../src/arm/simulated-counterpart.ts';
import { LightPhysics } from '../../src/sim/light-physics.ts';
import { MujocoPhysics } from '../../src/sim/mujoco-physics.ts';
import { TIME_STEP } from '../../src/sim/physics.ts';
import { seededRandom } from '../../src/sim/random.ts';

const mj = await loadMujoco();
const STIFFNESS = 17.8;

function optionsOf(name: string, pose: string, payload = 0) {
  const model = loadArmModel(name);
  const { urdf, toolLink } = simulatedCounterpart(model);
  return {
    name,
    urdf,
    toolLink,
    payload,
    joints: model.joints.map((joint) => ({ name: joint.name, damping: 0.6, frictionLoss: 0.052, armature: 0.028 })),
    initial: [...model.poses.get(pose)!],
  };
}

describe.each(['so101', 'so100', 'koch', 'wx250s'])('the light physics of %s', (name) => {
  it('needs the torques against gravity that MuJoCo needs, with a payload too', () => {
    for (const payload of [0, 0.2]) {
      const options = optionsOf(name, 'init', payload);
      const light = new LightPhysics(options).holdingTorques();
      const judge = new MujocoPhysics(mj, options);
      judge.holdingTorques().forEach((torque, i) => {
        expect(light[i]).toBeCloseTo(torque, 3);
      });
      judge.dispose();
    }
  });

  it('stands at the pose that MuJoCo gives the tool', () => {
    const options = optionsOf(name, 'init');
    const judge = new MujocoPhysics(mj, options);
    const { position } = judge.toolPose();
    const light = new LightPhysics(options).toolPose().position;
    for (const axis of ['x', 'y', 'z'] as const) expect(light[axis]).toBeCloseTo(position[axis], 4);
    judge.dispose();
  });
});

it('follows servos as MuJoCo does, to 0.05 rad of a quick move and to 1 mrad at its end', () => {
  const options = optionsOf('so101', 'init');
  const light = new LightPhysics(options);
  const judge = new MujocoPhysics(mj, options);
  const random = seededRandom(4);
  let worst = 0;
  for (let move = 0; move < 5; move++) {
    const goals = options.initial.map((angle, i) => angle + (i < 5 ? random() - 0.5 : 0));
    for (let step = 0; step < 2000; step++) {
      for (const physics of [light, judge]) {
        for (let i = 0; i < goals.length; i++) {
          const pull = STIFFNESS * (goals[i]! - physics.positions[i]!);
          physics.torques[i] = Math.min(2.94, Math.max(-2.94, pull));
        }
        expect(physics.step()).toBe(true);
      }
      for (let i = 0; i < goals.length; i++) {
        worst = Math.max(worst, Math.abs(light.positions[i]! - judge.positions[i]!));
      }
    }
    // Dry friction lets either stand a little short of the same place.
    light.positions.forEach((position, i) => {
      expect(Math.abs(position - judge.positions[i]!)).toBeLessThan((2 * 0.052) / STIFFNESS);
    });
  }
  expect(worst).toBeLessThan(0.06);
  judge.dispose();
});

it('stops at the limits of its joints, and stays at rest when a torque is no number', () => {
  const light = new LightPhysics(optionsOf('so101', 'init'));
  light.torques[0] = 3;
  for (let i = 0; i < 3 / TIME_STEP; i++) light.step();
  const { upper } = loadArmModel('so101').joints[0]!;
  expect(light.positions[0]).toBe(upper);
  expect(light.velocities[0]).toBe(0);
  light.torques[0] = Number.NaN;
  expect(light.step()).toBe(false);
  expect(light.positions.every(Number.isFinite)).toBe(true);
});

it('names the arm and the link or joint that its model lacks', () => {
  const options = optionsOf('so101', 'init');
  expect(() => new LightPhysics({ ...options, toolLink: 'flange' })).toThrow(/so101.*flange/);
  expect(() => new LightPhysics({ ...options, initial: [0] })).toThrow(/so101.*1 initial.*6 joints/);
  expect(() => new LightPhysics({ ...options, urdf: '<robot' })).toThrow(/so101/);
});
