import { describe, expect, test } from 'vitest';
import { CollisionModel } from '../../../src/kinematics/collision.ts';
import { JOG_TIMEOUT, Jog, JogInput } from '../../../src/rt/sources/jog.ts';
import { chain, pose } from '../../kinematics/so101.ts';

const DT = 0.005;
const V = 1.5;
const A = 6;
const N = chain.dof;
const LIMITS = {
  lower: Float64Array.from(chain.limits, ({ lower }) => lower),
  upper: Float64Array.from(chain.limits, ({ upper }) => upper),
  velocity: new Float64Array(N).fill(V),
  acceleration: new Float64Array(N).fill(A),
  gaining: new Float64Array(N).fill(A),
};

class Rig {
  now = 100;
  readonly q: Float64Array;
  readonly input = new JogInput(N);
  readonly jog: Jog;
  readonly speeds = new Float64Array(N);

  constructor(start: Float64Array) {
    this.q = start.slice();
    this.jog = new Jog(this.input, LIMITS, chain, new CollisionModel(chain), () => this.now, JOG_TIMEOUT);
    this.jog.begin(this.q, new Float64Array(N));
  }

  /** One cycle, within the limits of speed, acceleration and position. */
  step(): void {
    this.now += DT;
    const before = this.q.slice();
    this.jog.next(this.now, DT, this.q);
    for (let i = 0; i < N; i++) {
      const speed = (this.q[i]! - before[i]!) / DT;
      expect(Math.abs(speed)).toBeLessThanOrEqual(V);
      expect(Math.abs(speed - this.speeds[i]!)).toBeLessThanOrEqual(A * DT + 1e-9);
      expect(this.q[i]!).toBeGreaterThanOrEqual(Math.min(LIMITS.lower[i]!, before[i]!));
      expect(this.q[i]!).toBeLessThanOrEqual(Math.max(LIMITS.upper[i]!, before[i]!));
      this.speeds[i] = speed;
    }
  }

  run(seconds: number, feed: () => void = () => {}): void {
    for (let i = 0; i < seconds / DT; i++) {
      feed();
      this.step();
    }
  }

  joints(...velocities: number[]): void {
    this.input.arrived({ kind: 'joints', velocities: Float64Array.from(velocities) }, this.now);
  }

  twist(twist: number[], frame: 'base' | 'tool' = 'base'): void {
    this.input.arrived({ kind: 'twist', twist: Float64Array.from(twist), frame }, this.now);
  }
}

test('joints go at the speeds that are asked for, and no faster than the limits of moves', () => {
  const rig = new Rig(pose('init'));
  rig.run(0.5, () => rig.joints(0.3, 0, 0, -0.2, 9, 0));
  expect([...rig.speeds].map((speed) => Number(speed.toFixed(6)))).toEqual([0.3, 0, 0, -0.2, 1.35, 0]);
});

test('without a message for the time-out the arm decelerates, holds, and goes on with the next one', () => {
  const rig = new Rig(pose('init'));
  rig.run(0.5, () => rig.joints(1, 0, 0, 0, 0, 0));
  rig.run(JOG_TIMEOUT - 2 * DT);
  expect(rig.speeds[0]).toBeCloseTo(1, 9);
  rig.run(0.25);
  expect([...rig.speeds]).toEqual([0, 0, 0, 0, 0, 0]);
  rig.run(0.5, () => rig.joints(-0.5, 0, 0, 0, 0, 0));
  expect(rig.speeds[0]).toBeCloseTo(-0.5, 9);
});

test('a joint comes to rest at its limit, and only that joint', () => {
  const rig = new Rig(pose('init'));
  rig.run(4, () => rig.joints(1.2, 0, 0, 0, 0.2, 0));
  expect(rig.q[0]).toBeCloseTo(LIMITS.upper[0]!, 3);
  expect(Math.abs(rig.speeds[0]!)).toBeLessThan(0.02);
  expect(rig.speeds[4]).toBeCloseTo(0.2, 9);
  rig.run(0.5, () => rig.joints(-1, 0, 0, 0, 0, 0));
  expect(rig.speeds[0]).toBeCloseTo(-1, 9);
});

test('what would touch the floor is not begun, and the way back is free', () => {
  const collision = new CollisionModel(chain);
  const rig = new Rig(pose('init'));
  rig.run(3, () => {
    rig.joints(0, 1, 0, 0, 0, 0);
    expect(collision.check(rig.q)).toBeNull();
  });
  const lowest = rig.q[1]!;
  expect(lowest).toBeLessThan(LIMITS.upper[1]! - 0.1);
  expect([...rig.speeds]).toEqual([0, 0, 0, 0, 0, 0]);
  rig.run(0.5, () => rig.joints(0, -1, 0, 0, 0, 0));
  expect(rig.q[1]).toBeLessThan(lowest - 0.3);
});

test.each([0.05, 0.2, 1])(
  'an arm that lies on the floor already is not pressed into it at %d rad/s, and can rise',
  (speed) => {
    const collision = new CollisionModel(chain);
    const q = pose('init');
    while (collision.check(q) === null) q[1] = q[1]! + 1e-4;
    const touch = collision.check(q)!.distance;
    const rig = new Rig(q);
    rig.run(2, () => rig.joints(0, speed, 0, 0, 0, 0));
    expect(collision.check(rig.q)!.distance).toBeGreaterThan(touch - 0.0011);
    expect([...rig.speeds]).toEqual([0, 0, 0, 0, 0, 0]);
    rig.run(2, () => rig.joints(0, -speed, 0, 0, 0, 0));
    expect(collision.check(rig.q)).toBeNull();
  },
);

describe('the tool', () => {
  const from = pose('init');

  test.each([
    ['forward', [0.05, 0, 0, 0, 0, 0]],
    ['left', [0, 0.05, 0, 0, 0, 0]],
    ['down', [0, 0, -0.05, 0, 0, 0]],
    ['in all three', [0.03, -0.03, 0.02, 0, 0, 0]],
  ])('goes %s on a straight line at the speed that is asked for', (_way, twist) => {
    const rig = new Rig(from);
    const start = chain.toolPose(rig.q).position;
    rig.run(1, () => rig.twist(twist));
    const end = chain.toolPose(rig.q).position;
    const way = [end.x - start.x, end.y - start.y, end.z - start.z];
    const speed = Math.hypot(...twist);
    const along = way.reduce((sum, part, i) => sum + (part * twist[i]!) / speed, 0);
    expect(along).toBeGreaterThan(0.9 * speed);
    expect(along).toBeLessThan(1.001 * speed);
    expect(Math.hypot(...way) ** 2 - along ** 2).toBeLessThan(0.002 ** 2);
  });

  test('turns about its own axis in its own frame, and stays where it is', () => {
    const rig = new Rig(from);
    const start = chain.toolPose(rig.q).position;
    rig.run(1, () => rig.twist([0, 0, 0, 0, 0.3, 0], 'tool'));
    const end = chain.toolPose(rig.q).position;
    expect(Math.hypot(end.x - start.x, end.y - start.y, end.z - start.z)).toBeLessThan(0.002);
    expect(Math.max(...rig.speeds.map(Math.abs))).toBeGreaterThan(0.1);
  });

  test('slows down on its way out of reach without shaking, within every limit', () => {
    const rig = new Rig(from);
    let turned = 0;
    rig.run(6, () => {
      const before = rig.speeds[1]!;
      rig.twist([0.15, 0, 0, 0, 0, 0]);
      if (before * rig.speeds[1]! < 0) turned++;
    });
    const { position } = chain.toolPose(rig.q);
    expect(Math.hypot(position.x, position.y)).toBeGreaterThan(0.3);
    const rest = rig.q.slice();
    rig.run(1, () => rig.twist([0.15, 0, 0, 0, 0, 0]));
    expect(Math.max(...rig.q.map((angle, i) => Math.abs(angle - rest[i]!)))).toBeLessThan(1e-3);
    expect(turned).toBe(0);
    rig.run(1, () => rig.twist([-0.1, 0, 0, 0, 0, 0]));
    expect(chain.toolPose(rig.q).position.x).toBeLessThan(position.x - 0.05);
  });
});
