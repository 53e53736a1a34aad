import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { armChain, loadArmModel, ROBOTS_DIRECTORY } from '../../src/arm/model.ts';
import { CollisionModel } from '../../src/kinematics/collision.ts';
import { InverseKinematics } from '../../src/kinematics/inverse.ts';
import { modelByName } from '../../src/servo/servo-models.ts';
import { MujocoArm } from '../kinematics/mujoco.ts';

const ARMS = readdirSync(ROBOTS_DIRECTORY).filter((name) => existsSync(join(ROBOTS_DIRECTORY, name, 'arm.yaml')));

/** Rotor inertia at the joint (kg m²) with which a limp arm is let fall. */
const ARMATURE: Readonly<Record<string, number>> = { so101: 0.028, so100: 0.028, koch: 0.002, wx250s: 0.011 };

describe.each(ARMS)('%s as data', (name) => {
  const model = loadArmModel(name);
  const chain = armChain(model);
  const pose = (named: string): Float64Array => model.poses.get(named)!.slice();
  const touches = new CollisionModel(chain);

  it('has servos of its family, whose turn covers the range of each joint', () => {
    for (const { lower, upper, servos } of model.joints) {
      for (const { model: trade, sign, zero } of servos) {
        const servo = modelByName(trade);
        expect(servo?.family.name).toBe(model.family);
        for (const limit of [lower, upper]) {
          const steps = zero + (sign * limit * servo!.stepsPerTurn) / (2 * Math.PI);
          expect(steps).toBeGreaterThanOrEqual(0);
          expect(steps).toBeLessThanOrEqual(servo!.stepsPerTurn - 1);
        }
      }
    }
  });

  it('asks no more torque of a joint than its URDF and its servos allow', () => {
    for (const [index, { torqueLimit, servos }] of model.joints.entries()) {
      expect(torqueLimit).toBeLessThanOrEqual(chain.limits[index]!.effort);
      const stall = servos.reduce((sum, servo) => sum + modelByName(servo.model)!.stallTorque, 0);
      expect(torqueLimit).toBeLessThanOrEqual(stall);
    }
  });

  it('names each role once, and its frame unless it is the gripper', () => {
    const roles = model.joints.map(({ role }) => role);
    expect(new Set(roles).size).toBe(roles.length);
    for (const { role, roleFrame } of model.joints) expect(roleFrame === null).toBe(role === 'gripper');
  });

  it('starts at init with its tool level and pointing along +x', () => {
    const frame = new Float64Array(12);
    chain.forward(pose('init'), frame);
    for (const [index, value] of [1, 0, 0, 0, 1, 0, 0, 0, 1].entries()) expect(frame[3 + index]).toBeCloseTo(value, 5);
    // The Koch's wrist stands 1 mm beside its pan axis.
    expect(Math.abs(frame[1]!)).toBeLessThan(0.002);
  });

  it('can move its tool from init by 8 cm in each of six directions with the tool level', () => {
    const inverse = new InverseKinematics(chain, { accept: (q) => touches.check(q) === null });
    const start = chain.toolPose(pose('init'));
    // A tool on five joints turns with the pan joint when it moves aside.
    const orientation = { pitch: 0, yaw: null, roll: 0, init: start.orientation };
    for (const axis of ['x', 'y', 'z'] as const) {
      for (const sense of [1, -1]) {
        let q = pose('init');
        for (let way = 0.01; way < 0.0801; way += 0.01) {
          const position = { ...start.position, [axis]: start.position[axis] + sense * way };
          const found = inverse.solve({ position, orientation }, q);
          const what = `${sense > 0 ? '+' : '-'}${axis} by ${way.toFixed(2)} m`;
          expect(found.reachable, what).toBe(true);
          expect(found.orientationError, what).toBeLessThan(0.005);
          expect(touches.checkPath(q, found.q), what).toBeNull();
          q = found.q;
        }
      }
    }
  });

  it('touches nothing in its named poses, nor on the straight ways between rest, park and init', () => {
    for (const named of model.poses.keys()) expect(touches.check(pose(named)), named).toBeNull();
    for (const from of ['rest', 'park', 'init']) {
      for (const to of ['rest', 'park', 'init', 'hello']) {
        if (from !== to) expect(touches.checkPath(pose(from), pose(to)), `${from} to ${to}`).toBeNull();
      }
    }
  });

  describe('in MuJoCo', () => {
    let mujoco: MujocoArm;
    beforeAll(async () => {
      mujoco = await MujocoArm.load(model.urdf);
    });
    afterAll(() => mujoco.dispose());

    it('touches nothing in its named poses', () => {
      for (const named of model.poses.keys()) expect(mujoco.contacts(pose(named)), named).toEqual([]);
    });

    it('lies at rest when limp: no joint sinks by more than 0.1 rad', () => {
      const lying = mujoco.fall(pose('rest'), 6, ARMATURE[name] ?? Number.NaN);
      for (const [index, position] of lying.entries()) {
        expect(Math.abs(position - pose('rest')[index]!), model.joints[index]!.name).toBeLessThan(0.1);
      }
      expect(touches.checkPath(Float64Array.from(lying), pose('init'))).toBeNull();
    });
  });
});

describe.each([
  ['so101', 'leader'],
  ['koch', 'leader'],
])('the variant of %s that is a %s', (name, variant) => {
  const base = loadArmModel(name);
  const model = loadArmModel(name, variant);

  it('has the joints, roles and servo ids of the arm, with weaker drives', () => {
    expect(model.variant).toBe(variant);
    const plan = ({ joints }: typeof model) =>
      joints.map(({ name: joint, role, roleFrame }) => [joint, role, roleFrame]);
    expect(plan(model)).toEqual(plan(base));
    for (const [i, { servos, torqueLimit, stiffness }] of model.joints.entries()) {
      expect(servos.map(({ id, zero }) => [id, zero])).toEqual(
        base.joints[i]!.servos.map(({ id, zero }) => [id, zero]),
      );
      expect(torqueLimit).toBeLessThanOrEqual(modelByName(servos[0]!.model)!.stallTorque);
      expect(torqueLimit).toBeLessThanOrEqual(base.joints[i]!.torqueLimit);
      expect(stiffness).toBeLessThanOrEqual(base.joints[i]!.stiffness);
    }
    expect(model.joints.some(({ stiffness }, i) => stiffness < base.joints[i]!.stiffness)).toBe(true);
  });
});
