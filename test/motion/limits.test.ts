import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { jointSetups } from '../../src/arm/joint-setups.ts';
import { armChain, loadArmModel } from '../../src/arm/model.ts';
import { systemClock } from '../../src/clock.ts';
import { ArmPlanner } from '../../src/motion/planner.ts';
import { ArmController } from '../../src/rt/joint/arm-controller.ts';
import { controlModel } from '../../src/rt/joint/make-control-model.ts';
import { linkJoints, servoLink } from '../../src/rt/open-link.ts';
import { SharedState } from '../../src/rt/snapshot/shared-snapshot.ts';
import { SourceStatus } from '../../src/rt/sources/setpoint-source.ts';
import { Trajectory } from '../../src/rt/sources/trajectory.ts';
import { Waypoints } from '../../src/rt/sources/waypoints.ts';
import type { BytePort } from '../../src/servo/port/port.ts';
import { emulateServos } from '../../src/sim/emulate-servos.ts';

const DT = 0.005;
const STEPS_PER_RADIAN = 4096 / (2 * Math.PI);
const model = loadArmModel('so101');
const joints = model.joints.length;
const chain = armChain(model);
const planner = new ArmPlanner(model, chain);

/** The goal positions of the last sync write, by servo id, read from the bytes: FF FF FE length 83 2A 02 (id low high)*. */
let written = new Map<number, number>();

function readGoals(bytes: Uint8Array): void {
  if (bytes[2] !== 0xfe || bytes[4] !== 0x83 || bytes[5] !== 42) return;
  const width = bytes[6]!;
  written = new Map();
  for (let at = 7; at + width < bytes.length - 1; at += 1 + width) {
    written.set(bytes[at]!, bytes[at + 1]! + 256 * bytes[at + 2]!);
  }
}

/** The far end of a bus in memory: emulated servos whose shafts are always where they were asked to be. */
function memoryBus() {
  const specs = model.joints.map(({ servos }) =>
    servos.map(({ id, model: name }) => ({ id, model: name, stiffness: null, eeprom: {}, ambientTemperature: 25 })),
  );
  const port: BytePort = {
    url: 'sim:so101',
    clock: systemClock,
    onBytes: () => {},
    onClose: () => {},
    open: async () => {},
    write: (bytes) => {
      readGoals(bytes);
      bus.feed(bytes, performance.now());
    },
    close: async () => {},
  };
  const { servos, bus } = emulateServos('arm', specs, (bytes) => port.onBytes(bytes), 1);
  const show = (q: ArrayLike<number>): void => {
    for (const [i, { servos: mounts }] of model.joints.entries()) {
      const { sign, zero } = mounts[0]!;
      servos[i]![0]!.step(DT, zero / STEPS_PER_RADIAN + sign * q[i]!, 0);
    }
  };
  return { port, show };
}

/** What the clock adds to the time that is faked. */
const ORIGIN = systemClock.now() - performance.now() / 1000;
// Time is that of the cycles: nothing here depends on how fast the machine is.
let now = systemClock.now();
beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => 1000 * (now - ORIGIN));
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function poweredArm() {
  const { port, show } = memoryBus();
  const link = servoLink(port, linkJoints('arm', jointSetups(model)));
  const shared = new SharedState([joints], systemClock);
  const runtime = new ArmController(
    0,
    {
      ...controlModel('arm', jointSetups(model), chain),
      floatTorque: Float64Array.from(model.joints, ({ torqueLimit }) => torqueLimit),
      stall: model.joints.map(() => null),
      yield: model.joints.map(() => null),
    },
    link,
    shared,
  );
  let settled = false;
  link.onSettled = () => {
    settled = true;
  };
  const cycle = (): void => {
    now += DT;
    settled = false;
    if (link.begin(now) && !settled) link.expire();
    runtime.step(now, DT, 0);
    show(runtime.holding ? runtime.setpoints : rest);
  };
  const rest = planner.pose('init');
  show(rest);
  while (!link.up) {
    cycle();
    await new Promise((resolve) => setImmediate(resolve));
  }
  runtime.setTorque(true);
  while (!runtime.holding) {
    cycle();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { runtime, cycle, shared };
}

test('what the gate lets through of moves, lines, changes of goal and cancels keeps to every limit, and the bytes on the bus are its rounding', async () => {
  const { runtime, cycle } = await poweredArm();
  const limits = { velocity: new Float64Array(joints), acceleration: new Float64Array(joints) };
  for (const [i, { move }] of model.joints.entries()) {
    limits.velocity[i] = move.velocity;
    limits.acceleration[i] = move.acceleration;
  }
  const jerk = new Float64Array(joints);
  const rows: Float64Array[] = [];
  let wrong = 0;
  const run = (cycles: number): void => {
    for (let k = 0; k < cycles; k++) {
      cycle();
      const goals = runtime.gate.goals.slice();
      rows.push(goals);
      for (const [i, { servos }] of model.joints.entries()) {
        const { id, sign, zero } = servos[0]!;
        if (written.get(id) !== Math.round(zero + sign * goals[i]! * STEPS_PER_RADIAN)) wrong++;
      }
    }
  };
  let state = 7;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const somewhere = () => Float64Array.from(model.joints, ({ lower, upper }) => lower + random() * (upper - lower));
  for (let n = 0; n < 40; n++) {
    jerk.fill(n % 2 === 0 ? Number.POSITIVE_INFINITY : 60);
    const trajectory = new Trajectory(somewhere(), { ...limits, jerk: jerk.slice() });
    runtime.drive(trajectory);
    run(Math.ceil((trajectory.duration * random()) / DT));
    if (n % 5 === 4) {
      runtime.cancel(runtime.motion, 'cancelled');
      run(60);
    }
  }
  const init = new Trajectory(planner.pose('init'), { ...limits, jerk });
  runtime.drive(init);
  run(Math.ceil(init.duration / DT) + 5);
  for (const [dx, dy, dz] of [
    [0, 0.1, -0.05],
    [-0.08, -0.15, 0.05],
    [0.1, 0.05, 0],
  ] as const) {
    const { x, y, z } = chain.toolPose(runtime.setpoints).position;
    const angles = { pitch: null, yaw: null, roll: null };
    const position = { x: x + dx, y: y + dy, z: z + dz };
    const { q } = planner.solve(position, angles, runtime.setpoints);
    const line = planner.line(runtime.setpoints.slice(), {
      position,
      angles,
      goal: q.slice(),
      plannedOrientationError: 0,
    });
    if (typeof line === 'string') expect.fail(line);
    runtime.drive(new Waypoints(line, limits.velocity));
    run(Math.ceil(line.times.at(-1)! / DT) + 5);
    const tool = chain.toolPose(runtime.setpoints).position;
    expect(Math.hypot(tool.x - position.x, tool.y - position.y, tool.z - position.z)).toBeLessThan(1e-4);
  }
  expect(rows.length).toBeGreaterThan(2000);
  expect(wrong).toBe(0);
  let speed = 0;
  let acceleration = 0;
  for (let k = 1; k + 1 < rows.length; k++) {
    for (let i = 0; i < joints; i++) {
      const [before, here, after] = [rows[k - 1]![i]!, rows[k]![i]!, rows[k + 1]![i]!];
      speed = Math.max(speed, Math.abs(after - here) / DT / limits.velocity[i]!);
      acceleration = Math.max(acceleration, Math.abs(after - 2 * here + before) / (DT * DT) / limits.acceleration[i]!);
      expect(here >= model.joints[i]!.lower && here <= model.joints[i]!.upper).toBe(true);
    }
  }
  expect(speed).toBeLessThanOrEqual(1 + 1e-9);
  expect(acceleration).toBeLessThanOrEqual(1 + 1e-9);
  expect(speed).toBeGreaterThan(0.85);
});

test('goals that are changed in each cycle are followed as closely as braking for the newest allows', async () => {
  const { runtime, cycle } = await poweredArm();
  const { velocity, acceleration } = runtime.model.limits;
  const limits = {
    velocity: velocity.move,
    acceleration: acceleration.move,
    jerk: new Float64Array(joints).fill(Number.POSITIVE_INFINITY),
  };
  const goal = runtime.setpoints.slice();
  let lag = 0;
  let before = runtime.gate.velocities[0]!;
  for (let k = 0; k * DT < 8; k++) {
    const t = k * DT;
    goal[0] = 0.5 * Math.sin((2 * Math.PI * t) / 4);
    runtime.drive(new Trajectory(goal.slice(), limits));
    cycle();
    if (t > 0.5) lag = Math.max(lag, Math.abs(runtime.gate.goals[0]! - goal[0]!));
    expect(Math.abs(runtime.gate.velocities[0]! - before) / DT).toBeLessThanOrEqual(acceleration.move[0]! * (1 + 1e-9));
    before = runtime.gate.velocities[0]!;
  }
  // A joint that may have to stop there stays v^2 / 2a behind a goal that moves at v: 0.057 rad here, and a cycle's way.
  expect(lag).toBeLessThan(0.07);
});

test('a line planned for a part of the speed keeps to it in the gate, whatever is asked for meanwhile, and stays straight', async () => {
  const { runtime, cycle, shared } = await poweredArm();
  const part = 0.3;
  const start = chain.toolPose(runtime.setpoints).position;
  const angles = { pitch: null, yaw: null, roll: null };
  const position = { x: start.x, y: start.y + 0.1, z: start.z - 0.05 };
  const { q } = planner.solve(position, angles, runtime.setpoints);
  const to = { position, angles, goal: q.slice(), plannedOrientationError: 0 };
  const line = planner.line(runtime.setpoints.slice(), to, { pace: part, accelerationScale: 1 });
  const quick = planner.line(runtime.setpoints.slice(), to);
  if (typeof line === 'string' || typeof quick === 'string') expect.fail('no line');
  expect(line.times.at(-1)!).toBeGreaterThan(quick.times.at(-1)!);
  const top = Float64Array.from(model.joints, ({ move }) => part * move.velocity);
  runtime.drive(new Waypoints(line, top), { speed: part });
  let speed = 0;
  let apart = 0;
  for (let k = 0; k < Math.ceil(line.times.at(-1)! / DT) + 5; k++) {
    // Slower still: that is for the next motion, as this one would be bent by it.
    if (k === 40) shared.limitSpeed(0, 0.1);
    cycle();
    for (let i = 0; i < joints; i++) {
      speed = Math.max(speed, Math.abs(runtime.gate.velocities[i]!) / top[i]!);
    }
    const tool = chain.toolPose(runtime.setpoints).position;
    const along = (tool.y - start.y) / 0.1;
    apart = Math.max(apart, Math.hypot(tool.x - start.x, tool.z - (start.z - 0.05 * along)));
  }
  expect(speed).toBeLessThanOrEqual(1 + 1e-9);
  expect(speed).toBeGreaterThan(0.8);
  expect(apart).toBeLessThan(1e-3);
  const tool = chain.toolPose(runtime.setpoints).position;
  expect(Math.hypot(tool.x - position.x, tool.y - position.y, tool.z - position.z)).toBeLessThan(1e-4);
});

test('an arm that follows is slowed down at once, within its acceleration', async () => {
  const { runtime, cycle, shared } = await poweredArm();
  const { velocity, acceleration } = model.joints[0]!.mirror;
  const end = runtime.setpoints[0]! + 1.5;
  runtime.drive({
    state: 'mirroring',
    limits: 'mirror',
    begin: () => {},
    next: (_now, _dt, out) => {
      out[0] = end;
      return SourceStatus.running;
    },
  });
  const speeds = [0];
  const run = (cycles: number): void => {
    for (let k = 0; k < cycles; k++) {
      cycle();
      speeds.push(runtime.gate.velocities[0]!);
    }
  };
  while (speeds.at(-1)! < 0.7 * velocity) run(1);
  shared.limitSpeed(0, 0.2);
  run(Math.ceil(velocity / acceleration / DT) + 2);
  expect(speeds.at(-1)).toBeCloseTo(0.2 * velocity, 6);
  for (let k = 1; k < speeds.length; k++) {
    expect(Math.abs(speeds[k]! - speeds[k - 1]!)).toBeLessThanOrEqual(acceleration * DT * (1 + 1e-9));
  }
});
