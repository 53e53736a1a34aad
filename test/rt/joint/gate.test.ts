import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Gate, type GateLimits, STOP_TIME } from '../../../src/rt/joint/gate.ts';

const DT = 0.005;
const V = 1.5;
const A = 6;

function limits(joints = 1): GateLimits {
  const of = (value: number): Float64Array => new Float64Array(joints).fill(value);
  return {
    lower: of(-1),
    upper: of(1),
    velocity: { move: of(V), mirror: of(3) },
    acceleration: { move: of(A), mirror: of(25) },
  };
}

function run(gate: Gate, target: (cycle: number) => number, cycles: number): { goals: number[]; speeds: number[] } {
  const goals: number[] = [];
  const speeds: number[] = [];
  const targets = new Float64Array(1);
  for (let i = 0; i < cycles; i++) {
    targets[0] = target(i);
    gate.step(targets, 'move', DT);
    goals.push(gate.goals[0]!);
    speeds.push(gate.velocities[0]!);
  }
  return { goals, speeds };
}

function expectWithinLimits(start: number, goals: number[]): void {
  let last = start;
  let lastSpeed = 0;
  for (const goal of goals) {
    const speed = (goal - last) / DT;
    expect(Math.abs(speed)).toBeLessThanOrEqual(V + 1e-9);
    expect(Math.abs(speed - lastSpeed) / DT).toBeLessThanOrEqual(A + 1e-6);
    last = goal;
    lastSpeed = speed;
  }
}

test('a jump becomes an approach within velocity and acceleration limits that overshoots by no visible part of a servo step', () => {
  const gate = new Gate(limits());
  gate.adopt(Float64Array.of(-0.8));
  const { goals } = run(gate, () => 0.9, 500);
  expectWithinLimits(-0.8, goals);
  expect(Math.max(...goals)).toBeLessThanOrEqual(0.9 + (A * DT * DT) / 8);
  expect(goals.at(-1)).toBeCloseTo(0.9, 9);
});

test('a target within the limits passes unchanged', () => {
  const gate = new Gate(limits());
  gate.adopt(Float64Array.of(0));
  const path = (i: number): number => 0.4 * (1 - Math.cos(1.5 * i * DT));
  const { goals } = run(gate, path, 1000);
  for (const [i, goal] of goals.entries()) expect(Math.abs(goal - path(i))).toBeLessThan(2e-4);
});

test('whatever is asked, what is sent stays within all limits', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: -5, max: 5 }), { minLength: 5, maxLength: 60 }), (wishes) => {
      const gate = new Gate(limits());
      gate.adopt(Float64Array.of(0));
      const { goals } = run(gate, (i) => wishes[Math.floor(i / 20)]!, wishes.length * 20);
      expectWithinLimits(0, goals);
      for (const goal of goals) expect(Math.abs(goal)).toBeLessThanOrEqual(1 + 1e-9);
    }),
    { numRuns: 60, seed: 1 },
  );
});

test('a target that is no number holds the joint', () => {
  const gate = new Gate(limits());
  gate.adopt(Float64Array.of(0.3));
  const { goals } = run(gate, (i) => (i % 2 ? Number.NaN : Number.POSITIVE_INFINITY), 50);
  expect(new Set(goals)).toEqual(new Set([0.3]));
});

test('an arm outside its limits is led inside at limited speed', () => {
  const gate = new Gate(limits());
  gate.adopt(Float64Array.of(1.2));
  const { goals } = run(gate, () => 1.2, 300);
  expectWithinLimits(1.2, goals);
  expect(goals.at(-1)).toBeCloseTo(1, 9);
});

test('a stop from full speed ends within its time, without a step', () => {
  const gate = new Gate(limits());
  gate.adopt(Float64Array.of(-1));
  run(gate, (i) => -1 + V * i * DT, 120);
  expect(gate.velocities[0]).toBeCloseTo(V, 2);
  let cycles = 0;
  let last = gate.goals[0]!;
  while (!gate.brake('move', DT)) {
    cycles++;
    expect(Math.abs(gate.goals[0]! - last)).toBeLessThanOrEqual(V * DT + 1e-9);
    last = gate.goals[0]!;
    expect(cycles).toBeLessThan(1000);
  }
  expect(cycles * DT).toBeLessThanOrEqual(STOP_TIME + DT);
});

/** All servos have been sent their goals. */
const ALL = Uint8Array.of(0);

test('floating comes to within reach of the measured position, and no faster than mirroring may', () => {
  const gate = new Gate(limits());
  const step = limits().velocity.mirror[0]! * DT;
  gate.adopt(Float64Array.of(0));
  gate.rearm();
  for (let last = 0, k = 1; k < 0.6 / step + 2; k++) {
    gate.float(Float64Array.of(0.5), Float64Array.of(2), Float64Array.of(0.1), DT);
    gate.bound(DT);
    gate.sent(ALL);
    expect(gate.goals[0]! - last).toBeLessThanOrEqual(step + 1e-12);
    last = gate.goals[0]!;
  }
  expect(gate.goals[0]).toBeCloseTo(0.6, 12);
  gate.float(Float64Array.of(Number.NaN), Float64Array.of(0), Float64Array.of(0.1), DT);
  gate.sent(ALL);
  expect(gate.goals[0]).toBeCloseTo(0.6, 12);
});

test('floating goals follow a hand of any usual speed, and a quicker one, or a reading that jumps, no faster than mirroring may', () => {
  const gate = new Gate(limits());
  const top = limits().velocity.mirror[0]!;
  const none = Float64Array.of(0);
  const reach = Float64Array.of(0.1);
  gate.rearm();
  gate.float(none, none, reach, DT);
  gate.sent(ALL);
  gate.float(Float64Array.of(0.9 * top * DT), none, reach, DT);
  gate.sent(ALL);
  expect(gate.goals[0]).toBeCloseTo(0.9 * top * DT, 12);
  gate.float(Float64Array.of(0.9 * top * DT + 0.08), none, reach, DT);
  gate.sent(ALL);
  expect(gate.goals[0]).toBeCloseTo(1.9 * top * DT, 12);
  gate.float(Float64Array.of(0.9), none, reach, DT);
  gate.bound(DT);
  expect(gate.goals[0]).toBeCloseTo(2.9 * top * DT, 12);
});

test('a spring that becomes harder or softer goes on pulling as it did', () => {
  const gate = new Gate(limits());
  gate.adopt(Float64Array.of(0.5));
  const aims = new Float64Array(1);
  gate.regain(Float64Array.of(0.4), Float64Array.of(0.25), aims);
  expect(aims[0]).toBeCloseTo(0.425, 12);
  // As fast as goals may go, and not for ever.
  const goals: number[] = [];
  for (let k = 0; k < 30; k++) {
    gate.brake('move', DT);
    gate.bound(DT);
    gate.sent(ALL);
    goals.push(gate.goals[0]!);
  }
  const steps = goals.map((goal, k) => Math.abs(goal - (k === 0 ? 0.5 : goals[k - 1]!)));
  expect(Math.max(...steps)).toBeLessThanOrEqual(limits().velocity.mirror[0]! * DT + 1e-12);
  expect(gate.goals[0]).toBeCloseTo(0.425, 12);
  gate.regain(Float64Array.of(Number.NaN), Float64Array.of(4), aims);
  expect(gate.goals[0]).toBeCloseTo(0.425, 12);
});

test('a lower limit of speed in the midst of a motion is come down to within the acceleration limit, and the target is still met', () => {
  const gate = new Gate(limits());
  gate.adopt(Float64Array.of(-0.9));
  const before = run(gate, () => 0.9, 100);
  expect(before.speeds.at(-1)).toBeCloseTo(V, 6);
  gate.limitSpeeds('move', 0.2);
  const after = run(gate, () => 0.9, 1500);
  expectWithinLimits(-0.9, [...before.goals, ...after.goals]);
  const braking = Math.ceil((0.8 * V) / (A * DT)) + 1;
  for (const speed of after.speeds.slice(braking)) expect(speed).toBeLessThanOrEqual(0.2 * V + 1e-9);
  expect(after.goals.at(-1)).toBeCloseTo(0.9, 9);
  gate.limitSpeeds('move', 1);
  const back = run(gate, () => -0.9, 500);
  expectWithinLimits(after.goals.at(-1)!, back.goals);
  expect(Math.min(...back.speeds)).toBeCloseTo(-V, 6);
});

test('with a part of the acceleration a joint gains speed slower, and brakes as before', () => {
  const gate = new Gate(limits());
  gate.adopt(Float64Array.of(-0.9));
  gate.limitAccelerations('move', 0.25);
  const { goals, speeds } = run(gate, (i) => (i < 300 ? 0.9 : -0.9), 1200);
  let gained = 0;
  let braked = 0;
  for (const [i, speed] of speeds.entries()) {
    const change = (Math.abs(speed) - Math.abs(speeds[i - 1] ?? 0)) / DT;
    gained = Math.max(gained, change);
    braked = Math.max(braked, -change);
  }
  expect(gained).toBeLessThanOrEqual(0.25 * A + 1e-6);
  expect(gained).toBeGreaterThan(0.24 * A);
  expect(braked).toBeLessThanOrEqual(A + 1e-6);
  expect(braked).toBeGreaterThan(0.9 * A);
  expect(Math.max(...goals)).toBeLessThanOrEqual(0.9 + (A * DT * DT) / 8);
  expect(Math.min(...goals)).toBeGreaterThanOrEqual(-0.9 - (A * DT * DT) / 8);
  expect(goals.at(-1)).toBeCloseTo(-0.9, 9);
});

test('goals that have stood still go on from the part of their speed that is left, and gain the rest within the limits', () => {
  const gate = new Gate(limits());
  gate.adopt(Float64Array.of(-0.8));
  const speed = run(gate, () => 0.9, 40).speeds.at(-1)!;
  expect(speed).toBeGreaterThan(1);
  gate.stood(0.25, Uint8Array.of(1));
  const { speeds } = run(gate, () => 0.9, 300);
  expect(speeds[0]!).toBeCloseTo(speed / 4 + A * DT, 6);
  expect(gate.goals[0]!).toBeCloseTo(0.9, 9);
});
