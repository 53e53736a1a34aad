import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ArmModel, armChain, loadArmModel } from '../../src/arm/model.ts';
import { anglesFromRotation } from '../../src/kinematics/angles.ts';
import { rotationFromQuaternion } from '../../src/kinematics/frames.ts';
import type { Line } from '../../src/motion/line.ts';
import { timePath } from '../../src/motion/path-timing.ts';
import { ArmPlanner } from '../../src/motion/planner.ts';
import { SourceStatus } from '../../src/rt/sources/setpoint-source.ts';
import { Waypoints } from '../../src/rt/sources/waypoints.ts';

/** Setpoints of a line as the control loop makes them, every `dt` s, one row per time. */
function drive(line: Line, from: Float64Array, dt: number): Float64Array[] {
  const source = new Waypoints(line, new Float64Array(from.length).fill(9));
  source.begin(from, new Float64Array(from.length), 0);
  const rows: Float64Array[] = [];
  for (let t = 0; ; t += dt) {
    const row = new Float64Array(from.length);
    const status = source.next(t, dt, row);
    rows.push(row);
    if (status === SourceStatus.done) return rows;
  }
}

/** Largest speed and acceleration by differences, each over its limit. */
function strain(rows: readonly Float64Array[], dt: number, model: ArmModel): { speed: number; acceleration: number } {
  let speed = 0;
  let acceleration = 0;
  for (const [i, { move }] of model.joints.entries()) {
    for (let k = 1; k + 1 < rows.length - 1; k++) {
      const before = rows[k - 1]![i]!;
      const here = rows[k]![i]!;
      const after = rows[k + 1]![i]!;
      speed = Math.max(speed, Math.abs(here - before) / dt / move.velocity);
      acceleration = Math.max(acceleration, Math.abs(after - 2 * here + before) / (dt * dt) / move.acceleration);
    }
  }
  return { speed, acceleration };
}

describe.each(['so101', 'so100', 'koch', 'wx250s'])('a straight line of the %s', (name) => {
  const model = loadArmModel(name);
  const chain = armChain(model);
  const planner = new ArmPlanner(model, chain);
  const zero = rotationFromQuaternion(planner.zero.orientation);
  const init = planner.pose('init');

  /** @param angles as given, null where free */
  function line(
    from: Float64Array,
    by: [number, number, number],
    angles: [number | null, number | null, number | null],
  ) {
    const { x, y, z } = chain.toolPose(from).position;
    const position = { x: x + by[0], y: y + by[1], z: z + by[2] };
    const [pitch, yaw, roll] = angles;
    const asked = { pitch, yaw, roll };
    const end = planner.solve(position, asked, from);
    expect(end.reachable).toBe(true);
    const goal = end.q.slice();
    return planner.line(from, { position, angles: asked, goal, plannedOrientationError: end.orientationError });
  }

  const ways: [string, [number, number, number], [number | null, number | null, number | null]][] = [
    ['forward, level', [0.05, 0, 0], [0, null, 0]],
    ['down, all angles free', [0, 0, -0.08], [null, null, null]],
    ['sideways, level', [0, 0.1, 0], [0, null, 0]],
    ['aslant, turning the nose down', [-0.06, -0.06, -0.06], [-0.6, null, 0]],
    ['nowhere, rolling', [0, 0, 0], [0, null, 0.8]],
    ['half a centimetre', [0, 0, 0.005], [0, 0, 0]],
  ];

  test.each(ways)('%s: the tool keeps to it, the joints to their limits, from rest to rest', (_, by, angles) => {
    const planned = line(init, by, angles);
    if (typeof planned === 'string') expect.fail(planned);
    const dt = 0.001;
    const rows = drive(planned, init, dt);
    const start = chain.toolPose(init).position;
    const length = Math.hypot(...by);
    let farthest = 0;
    let along = -1e-9;
    for (const q of rows) {
      const { x, y, z } = chain.toolPose(q).position;
      const off = [x - start.x, y - start.y, z - start.z];
      const part = length === 0 ? 0 : (off[0]! * by[0] + off[1]! * by[1] + off[2]! * by[2]) / length;
      const aside = Math.hypot(...off.map((value, i) => value - (length === 0 ? 0 : (part * by[i]!) / length)));
      farthest = Math.max(farthest, aside);
      expect(part).toBeGreaterThan(along - 1e-6);
      along = part;
    }
    expect(farthest).toBeLessThan(1e-4);
    expect(along).toBeCloseTo(length, 5);
    const { speed, acceleration } = strain(rows, dt, model);
    expect(speed).toBeLessThanOrEqual(1);
    expect(acceleration).toBeLessThanOrEqual(1);
    // It is no slower than it must be: somewhere a joint is at the part of a limit that plans use.
    expect(Math.max(speed, acceleration)).toBeGreaterThan(0.8);
    const tool = anglesFromRotation(rotationFromQuaternion(chain.toolPose(rows.at(-1)!).orientation), zero);
    if (angles[0] !== null) expect(tool.pitch).toBeCloseTo(angles[0], 3);
    if (angles[2] !== null) expect(tool.roll).toBeCloseTo(angles[2], 3);
  });

  test('one that would leave what the arm reaches, or hit the table, is refused with how far it goes', () => {
    const inside = planner.solve({ x: 0.2, y: 0.2, z: 0.1 }, { pitch: null, yaw: null, roll: null }, init).q.slice();
    // Through the axis of the shoulder: the arm reaches both ends, but would have to swing round in between.
    const through = line(inside, [-0.02, -0.4, 0], [null, null, null]);
    if (typeof through === 'string') expect(through).toMatch(/followed for \d+\.\d of 40\.0 cm, then/);
    const { position } = chain.toolPose(init);
    const below = { x: position.x, y: 0, z: 0.003 };
    const goal = planner.pose('init');
    const down = planner.line(init, {
      position: below,
      angles: { pitch: 0, yaw: null, roll: 0 },
      goal,
      plannedOrientationError: 0,
    });
    expect(down).toMatch(/followed for \d+\.\d of \d+\.\d cm, then .* (and floor would touch|cannot be reached)/);
  });
});

test('timing of a path of known curvature is the known one: a straight path is a trapezoid of speed', () => {
  const count = 200;
  const way = 1.2;
  const poses = Float64Array.from({ length: count + 1 }, (_, k) => (way * k) / count);
  const limits = { velocity: Float64Array.of(1), acceleration: Float64Array.of(4) };
  const { times, velocities } = timePath(poses, limits);
  expect(times.at(-1)).toBeCloseTo(way / 1 + 1 / 4, 2);
  expect(Math.max(...velocities)).toBeLessThanOrEqual(1 + 1e-9);
  expect(velocities[0]).toBe(0);
  expect(velocities.at(-1)).toBe(0);
});

test('on any smooth path of several joints no limit is exceeded', () => {
  const wave = fc.record({
    size: fc.double({ min: 0.05, max: 1, noNaN: true }),
    turns: fc.double({ min: 0.2, max: 3, noNaN: true }),
    phase: fc.double({ min: 0, max: 6, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(wave, { minLength: 2, maxLength: 6 }), (waves) => {
      const count = 400;
      const joints = waves.length;
      const at = (part: number, i: number) => {
        const { size, turns, phase } = waves[i]!;
        return size * Math.sin(2 * Math.PI * turns * part + phase);
      };
      const poses = Float64Array.from({ length: (count + 1) * joints }, (_, n) =>
        at(Math.floor(n / joints) / count, n % joints),
      );
      const limits = { velocity: new Float64Array(joints).fill(1.5), acceleration: new Float64Array(joints).fill(6) };
      const timing = timePath(poses, limits);
      const from = poses.slice(0, joints);
      const source = new Waypoints({ ...timing, positions: poses }, limits.velocity);
      source.begin(from, new Float64Array(joints), 0);
      const dt = 0.002;
      const rows: Float64Array[] = [];
      for (let t = 0; t < source.duration; t += dt) {
        const row = new Float64Array(joints);
        source.next(t, dt, row);
        rows.push(row);
      }
      let speed = 0;
      let acceleration = 0;
      for (let k = 1; k + 1 < rows.length; k++) {
        for (let i = 0; i < joints; i++) {
          const [before, here, after] = [rows[k - 1]![i]!, rows[k]![i]!, rows[k + 1]![i]!];
          speed = Math.max(speed, Math.abs(after - here) / dt);
          acceleration = Math.max(acceleration, Math.abs(after - 2 * here + before) / (dt * dt));
        }
      }
      expect(speed).toBeLessThanOrEqual(1.5 * 1.01);
      expect(acceleration).toBeLessThanOrEqual(6 * 1.05);
    }),
    { numRuns: 40, seed: 4 },
  );
});
