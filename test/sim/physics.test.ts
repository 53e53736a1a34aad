import loadMujoco, { type MainModule } from '@mujoco/mujoco';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { loadArmModel } from '../../src/arm/model.ts';
import { MujocoPhysics } from '../../src/sim/mujoco-physics.ts';
import { type SimArmOptions, SimulatedArm } from '../../src/sim/simulated-arm.ts';
import { request, word } from './frames.ts';
import { JOINTS, so101 } from './so101.ts';

const STIFFNESS = 17.8;
const STEPS_PER_RADIAN = 4096 / (2 * Math.PI);
const WRITE = 3;
const GOAL = 42;

let mj: MainModule;
beforeAll(async () => {
  mj = await loadMujoco();
});

/** An arm on a clock that only the test moves: its results do not depend on the machine. */
class Bench {
  readonly arm: SimulatedArm;
  readonly failures: string[] = [];
  #steps = 0;
  #worstHand = 0;
  #reply: number[] = [];

  constructor(changes: Partial<SimArmOptions> = {}) {
    const onReply = (bytes: Uint8Array): void => void this.#reply.push(...bytes);
    this.arm = new SimulatedArm(mj, so101('arm', changes), 0, onReply, (text) => this.failures.push(text));
    benches.push(this);
  }

  run(seconds: number, each: () => void = () => {}): void {
    for (let i = Math.round(seconds * 1000); i > 0; i--) {
      this.#steps += 1;
      this.arm.advance(this.time);
      for (const torque of this.truth().handTorques) this.#worstHand = Math.max(this.#worstHand, Math.abs(torque));
      each();
    }
  }

  get time(): number {
    // Half a step more than counted, so that rounding never moves an instant across the edge of a step.
    return (this.#steps + 0.5) / 1000;
  }

  /** Strongest pull of the hand so far, Nm. */
  get worstHand(): number {
    return this.#worstHand;
  }

  truth() {
    return this.arm.truth(0);
  }

  send(bytes: Uint8Array): number[] {
    this.#reply = [];
    this.arm.feed(bytes, this.time);
    return this.#reply;
  }

  /** Sync write of goal positions (rad). */
  goals(angles: ArrayLike<number>): void {
    const entries = JOINTS.flatMap((_, i) => [i + 1, ...word(2048 + Math.round((angles[i] ?? 0) * STEPS_PER_RADIAN))]);
    this.send(request(0xfe, 0x83, GOAL, 2, ...entries));
  }

  positions(): number[] {
    return this.truth().positions;
  }
}

const benches: Bench[] = [];
afterEach(() => {
  for (const bench of benches.splice(0)) {
    expect(bench.failures).toEqual([]);
    bench.arm.dispose();
  }
});

const ZERO = JOINTS.map(() => 0);

function distance(a: { x: number; y: number; z: number }, b: { x: number; y: number; z: number }): number {
  return Math.hypot(a.x - b.x, a.y - b.y, a.z - b.z);
}

describe('holding', () => {
  it('sags at the tool by 12 mm or more with goals 0, and by less than 2 mm with goals moved by tau / k', () => {
    const bench = new Bench();
    const asked = bench.truth().tool.position;
    expect(asked.x).toBeCloseTo(0.391362, 5);
    expect(asked.z).toBeCloseTo(0.226469, 5);
    const holding = bench.arm.physics.holdingTorques();
    expect(holding[1]).toBeCloseTo(-0.5386, 4);

    bench.goals(ZERO);
    bench.run(3);
    const sag = distance(bench.truth().tool.position, asked);
    expect(sag).toBeGreaterThan(0.012);
    expect(sag).toBeLessThan(0.025);

    bench.goals(holding.map((torque) => torque / STIFFNESS));
    bench.run(3);
    expect(distance(bench.truth().tool.position, asked)).toBeLessThan(0.002);
  });

  it('sags further with half the P gain', () => {
    const sag = (p: number): number => {
      const bench = new Bench();
      for (let id = 1; id <= 6; id++) bench.send(request(id, WRITE, 21, p));
      bench.goals(ZERO);
      bench.run(3);
      return Math.abs(bench.positions()[1]!);
    };
    expect(sag(16) / sag(32)).toBeGreaterThan(1.7);
  });

  it('falls to the floor or a joint limit without torque, and stops there', () => {
    const bench = new Bench();
    const start = bench.truth().tool.position.z;
    bench.run(4);
    const { tool, velocities } = bench.truth();
    expect(tool.position.z).toBeLessThan(start - 0.1);
    expect(tool.position.z).toBeGreaterThan(-0.02);
    expect(Math.max(...velocities.map(Math.abs))).toBeLessThan(0.05);
  });

  it('stays at its rest pose without torque, and leaves it at a hand', () => {
    const rest = [0, -1.73, 1.6, 1.02, 0.0486795, 0];
    const bench = new Bench({ initial: rest });
    bench.run(3);
    bench.positions().forEach((position, i) => {
      expect(Math.abs(position - rest[i]!)).toBeLessThan(0.05);
    });
    bench.arm.hand(Object.fromEntries(JOINTS.map((name) => [name, 0])), 2);
    bench.run(2.5);
    for (const position of bench.positions()) expect(Math.abs(position)).toBeLessThan(0.05);
  });

  it('does not creep once it has come to rest, limp or holding, and falls when its torque goes', () => {
    const bench = new Bench({ initial: [0, -1.73, 1.6, 1.02, 0.0486795, 0] });
    const stands = (): number[] => {
      const before = bench.positions();
      bench.run(3);
      expect(bench.positions()).toEqual(before);
      return before;
    };
    bench.run(4);
    const limp = stands();
    bench.goals(ZERO);
    bench.run(4);
    const held = stands();
    expect(held[1]! - limp[1]!).toBeGreaterThan(0.5);
    for (let id = 1; id <= 6; id++) bench.send(request(id, WRITE, 40, 0));
    bench.run(4);
    expect(Math.abs(held[1]! - bench.positions()[1]!)).toBeGreaterThan(0.1);
  });

  it('stands with its links clear of each other at its zero pose', () => {
    expect(new Bench().arm.physics.contacts()).toEqual([]);
  });
});

describe('motion', () => {
  it('never turns faster than the motor can, nor with more torque', () => {
    const bench = new Bench();
    bench.goals([1.9, 0, 0, 0, 0, 0]);
    let speed = 0;
    let torque = 0;
    bench.run(1.5, () => {
      const { velocities, motorTorques } = bench.truth();
      speed = Math.max(speed, Math.abs(velocities[0]!));
      torque = Math.max(torque, ...motorTorques.map(Math.abs));
    });
    expect(torque).toBeLessThanOrEqual(2.94 + 1e-9);
    expect(torque).toBeGreaterThan(2.9);
    expect(speed).toBeLessThan(5.5);
    expect(speed).toBeGreaterThan(3);
    expect(bench.positions()[0]).toBeCloseTo(1.9, 1);
  });

  it('keeps within the joint limits whatever the goal', () => {
    const bench = new Bench();
    bench.goals([3, 0, 0, 0, 0, 0]);
    bench.run(2);
    expect(bench.positions()[0]).toBeLessThan(1.92 + 0.02);
  });

  it('reports on the bus what the joints do', () => {
    const bench = new Bench();
    bench.goals([0.5, 0, 0, 0, 0, 0]);
    bench.run(3);
    const reply = bench.send(request(1, 2, 56, 2));
    const step = reply[5]! + 256 * reply[6]!;
    expect(step).toBe(2048 + Math.round(bench.positions()[0]! * STEPS_PER_RADIAN));
  });

  it('turns a joint against a servo that is mounted the other way round', () => {
    const joints = so101('arm').joints.map((joint) => ({
      ...joint,
      servos: [{ ...joint.servos[0]!, sign: -1 as const }],
    }));
    const bench = new Bench({ joints });
    bench.goals([0.5, 0, 0, 0, 0, 0]);
    bench.run(2);
    expect(bench.positions()[0]).toBeCloseTo(-0.5, 1);
  });

  it('lets two servos on one joint share its stiffness', () => {
    const deflection = (ids: readonly number[]): number => {
      const joints = so101('arm').joints.map((joint, i) =>
        i === 1
          ? {
              ...joint,
              stiffness: 2 * STIFFNESS,
              servos: ids.map((id) => ({ id, model: 'STS3215', sign: 1 as const, zero: 2048 })),
            }
          : joint,
      );
      const bench = new Bench({ joints });
      for (const id of ids) bench.send(request(id, WRITE, GOAL, ...word(2048)));
      bench.run(3);
      return bench.positions()[1]!;
    };
    expect(deflection([2, 12])).toBeCloseTo(deflection([2]), 2);
  });
});

describe('a gripper with a crank', () => {
  it('takes the fingers with it, from the first step on', () => {
    const { urdf, joints, poses } = loadArmModel('wx250s');
    const physics = new MujocoPhysics(mj, {
      name: 'arm',
      urdf,
      toolLink: 'left_finger_link',
      joints: joints.map(({ name }) => ({ name, damping: 0.2, frictionLoss: 0, armature: 0.01 })),
      initial: [...poses.get('init')!],
    });
    try {
      const hold = (goals: ArrayLike<number>): void => {
        for (let i = 0; i < physics.torques.length; i++) {
          physics.torques[i] = 40 * (goals[i]! - physics.positions[i]!) - physics.velocities[i]!;
        }
      };
      /** The forearm lies in the plane of x and z: a finger's way is along y. */
      const finger = (): number => physics.toolPose().position.y;
      // Horn 0.014 m, rod 0.024 m, horn across the way.
      expect(finger()).toBeCloseTo(Math.sqrt(0.024 ** 2 - 0.014 ** 2), 2);
      const goals = [...physics.positions];
      for (const [angle, opening] of [
        [1.26, 0.037],
        [-0.37, 0.015],
      ] as const) {
        goals[6] = angle;
        for (let step = 0; step < 1500; step++) {
          hold(goals);
          expect(physics.step()).toBe(true);
        }
        expect(Math.abs(finger() - opening)).toBeLessThan(0.0005);
      }
    } finally {
      physics.dispose();
    }
  });
});

describe('hand', () => {
  it('holds a limp arm within 0.05 rad and pulls with 3 Nm at most', () => {
    const bench = new Bench();
    bench.arm.hand(Object.fromEntries(JOINTS.map((name) => [name, 0])), 0);
    bench.run(2);
    for (const position of bench.positions()) expect(Math.abs(position)).toBeLessThan(0.05);
    bench.arm.hand(null, 0);
    bench.run(1);
    expect(Math.abs(bench.positions()[1]!)).toBeGreaterThan(0.2);
    expect(bench.worstHand).toBeLessThanOrEqual(3);
  });

  it('moves a joint to the angle in the time asked, without a jump', () => {
    const bench = new Bench();
    bench.arm.hand({ shoulder_pan: 1 }, 1);
    let speed = 0;
    bench.run(1, () => {
      speed = Math.max(speed, Math.abs(bench.truth().velocities[0]!));
    });
    bench.run(0.2);
    expect(bench.positions()[0]).toBeCloseTo(1, 1.3);
    expect(speed).toBeGreaterThan(1.5);
    expect(speed).toBeLessThan(2.2);
  });

  it('keeps an even speed in a stream of short steps', () => {
    const bench = new Bench();
    const speeds: number[] = [];
    // The other joints held, lest the arm drags over the floor.
    bench.arm.hand({ shoulder_lift: -0.5, elbow_flex: 0, wrist_flex: 0 }, 0.5);
    for (let i = 1; i <= 40; i++) {
      bench.arm.hand({ shoulder_pan: 0.05 * i - 1 }, i === 1 ? 1 : 0.05);
      bench.run(i === 1 ? 1.5 : 0.05, () => {
        if (i > 10) speeds.push(bench.truth().velocities[0]!);
      });
    }
    expect(Math.min(...speeds)).toBeGreaterThan(0.9);
    expect(Math.max(...speeds)).toBeLessThan(1.1);
  });

  it('keeps holding what it held when another joint is moved', () => {
    const bench = new Bench();
    bench.arm.hand({ shoulder_lift: 0, elbow_flex: 0, wrist_flex: 0 }, 0.3);
    bench.run(0.5);
    bench.arm.hand({ shoulder_pan: 0.5 }, 0.3);
    bench.run(1);
    expect(Math.abs(bench.positions()[1]!)).toBeLessThan(0.05);
    expect(bench.positions()[0]).toBeCloseTo(0.5, 1);
  });

  it('gives way to a servo that is stronger', () => {
    const bench = new Bench();
    bench.goals(ZERO);
    bench.arm.hand({ shoulder_pan: 1.5 }, 0.5);
    bench.run(1);
    expect(bench.worstHand).toBeLessThanOrEqual(3);
    expect(bench.positions()[0]).toBeLessThan(1.2);
  });

  it('refuses unknown joints and numbers that are not finite, by name', () => {
    const bench = new Bench();
    expect(() => bench.arm.hand({ elbow: 1 }, 1)).toThrow(/"elbow".*elbow_flex/);
    expect(() => bench.arm.hand({ gripper: Number.NaN }, 1)).toThrow(/gripper/);
    expect(() => bench.arm.hand({ gripper: 1 }, -1)).toThrow(/duration/);
  });
});

describe('robustness', () => {
  it('drops what a stall of more than 50 ms left behind, and says how much', () => {
    const bench = new Bench();
    bench.arm.advance(1);
    expect(bench.truth().dropped).toBeCloseTo(0.95, 9);
    expect(Math.abs(bench.truth().time - 1)).toBeLessThan(0.0011);
  });

  it('puts an arm at rest where it was when the physics diverges, and goes on', () => {
    const physics = new MujocoPhysics(mj, {
      ...so101('arm'),
      joints: JOINTS.map((name) => ({ name, damping: 0.6, frictionLoss: 0.052, armature: 0.028 })),
      initial: [0.3, 0, 0, 0, 0, 0],
    });
    for (let i = 0; i < 10; i++) expect(physics.step()).toBe(true);
    const before = Array.from(physics.positions);
    physics.torques[0] = Number.NaN;
    expect(physics.step()).toBe(false);
    expect(Array.from(physics.positions)).toEqual(before);
    physics.torques[0] = 1e300;
    physics.step();
    expect(physics.positions.every(Number.isFinite)).toBe(true);
    physics.torques.fill(0);
    for (let i = 0; i < 10; i++) physics.step();
    expect(physics.positions.every(Number.isFinite)).toBe(true);
    physics.dispose();
  });

  it('names the arm and the joint or link that its model lacks', () => {
    const joint = { name: 'elbow', servos: [{ id: 1, model: 'STS3215', sign: 1 as const, zero: 2048 }] };
    const build = (changes: Partial<SimArmOptions>): void =>
      void new SimulatedArm(
        mj,
        so101('left', changes),
        0,
        () => {},
        () => {},
      );
    expect(() => build({ joints: [joint], initial: [0] })).toThrow(/left.*elbow/s);
    expect(() => build({ toolLink: 'flange' })).toThrow(/left.*flange/);
    expect(() => build({ urdf: '<robot' })).toThrow(/left/);
    expect(() => build({ initial: [0] })).toThrow(/left.*1 initial.*6 joints/);
  });
});
