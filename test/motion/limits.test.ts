import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { armChain, loadArmModel } from '../../src/arm/model.ts';
import { ArmRuntime } from '../../src/control/arm-runtime.ts';
import { ServoLink } from '../../src/control/servo-link.ts';
import { SharedState } from '../../src/control/snapshot.ts';
import { ArmPlanner } from '../../src/motion/planner.ts';
import { Trajectory } from '../../src/motion/trajectory.ts';
import { Waypoints } from '../../src/motion/waypoints.ts';
import { modelByName } from '../../src/servo/models.ts';
import type { BytePort } from '../../src/servo/port/port.ts';
import { emulateServos } from '../../src/sim/servos.ts';

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

/** The far end of a bus in memory: emulated servos whose shafts are always where they were sent. */
function memoryBus() {
  const specs = model.joints.map(({ servos }) =>
    servos.map(({ id, model: name }) => ({ id, model: name, stiffness: null, eeprom: {}, ambientTemperature: 25 })),
  );
  const port: BytePort = {
    url: 'sim:so101',
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

// Time is that of the cycles: nothing here depends on how fast the machine is.
let now = 1000;
beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => 1000 * now);
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function poweredArm() {
  const { port, show } = memoryBus();
  const link = new ServoLink(
    port,
    model.joints.map(({ name, servos, settings }) => ({
      name,
      settings,
      servos: servos.map(({ id, model: trade, sign, zero }) => {
        const table = modelByName(trade)!;
        return { id, model: table, calibration: { sign, zero, stepsPerTurn: table.stepsPerTurn }, shadow: false };
      }),
    })),
  );
  const of = (pick: (joint: (typeof model.joints)[number]) => number) => Float64Array.from(model.joints, pick);
  const runtime = new ArmRuntime(
    0,
    {
      name: 'arm',
      limits: {
        lower: of(({ lower }) => lower),
        upper: of(({ upper }) => upper),
        velocity: { move: of(({ move }) => move.velocity), mirror: of(({ mirror }) => mirror.velocity) },
        acceleration: { move: of(({ move }) => move.acceleration), mirror: of(({ mirror }) => mirror.acceleration) },
      },
      stiffness: of(({ stiffness }) => stiffness),
      floatTorque: of(({ torqueLimit }) => torqueLimit),
      gravity: (q, out) => chain.gravityTorques(q, out),
      stall: model.joints.map(() => null),
      yield: model.joints.map(() => null),
    },
    link,
    new SharedState([joints]),
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
    show(runtime.powered ? runtime.gate.goals : rest);
  };
  const rest = planner.pose('init');
  show(rest);
  while (!link.up) {
    cycle();
    await new Promise((resolve) => setImmediate(resolve));
  }
  runtime.setTorque(true);
  while (!link.torque) {
    cycle();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { runtime, cycle };
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
