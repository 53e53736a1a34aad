import { expect, test } from 'vitest';
import { Gate, type GateLimits, STOP_TIME } from '../../../src/rt/joint/gate.ts';

const DT = 0.005;
const A = 6;

function limits(joints: number, acceleration = A): GateLimits {
  const of = (value: number): Float64Array => new Float64Array(joints).fill(value);
  return {
    lower: of(-1),
    upper: of(1),
    velocity: { move: of(3), mirror: of(3) },
    acceleration: { move: of(acceleration), mirror: of(25) },
  };
}

/** A gate whose joints are at 0 and as quick as this, rad/s. */
function moving(...speeds: readonly number[]): Gate {
  const gate = new Gate(limits(speeds.length));
  gate.velocities.set(speeds);
  return gate;
}

test.each([
  ['slow: at the acceleration limit', 0.6, 'move', A],
  ['quick: as fast as it takes to rest in time', 3, 'move', 3 / STOP_TIME],
  ['backwards', -3, 'move', 3 / STOP_TIME],
  ['mirroring: at the acceleration limit of mirroring', 3, 'mirror', 25],
] as const)('a joint brakes at one rate from first to last, %s', (_, speed, set, rate) => {
  const gate = moving(speed);
  let goal = 0;
  for (let cycle = 1, resting = false; !resting; cycle++) {
    resting = gate.brake(set, DT);
    const left = Math.max(0, Math.abs(speed) - rate * DT * cycle);
    const next = left < 1e-9 ? 0 : Math.sign(speed) * left;
    goal += next * DT;
    expect(gate.velocities[0]).toBeCloseTo(next, 9);
    expect(gate.goals[0]).toBeCloseTo(goal, 9);
    if (left > 0) expect(gate.accelerations[0]).toBeCloseTo(-Math.sign(speed) * rate, 6);
    expect(resting).toBe(gate.velocities[0] === 0);
    expect(cycle * DT).toBeLessThanOrEqual(STOP_TIME + DT);
  }
  // The way of a joint that brakes evenly, but for half a cycle.
  expect(Math.abs(gate.goals[0]! - (Math.sign(speed) * speed ** 2) / (2 * rate))).toBeLessThanOrEqual(
    Math.abs(speed) * DT,
  );
});

test.each([2, 6, 20])('a joint rests in time also where cycles come %s times too late', (late) => {
  const gate = moving(3);
  let time = 0;
  // Goals go no further in a late cycle than in two that are in time.
  while (!gate.brake('move', 2 * DT, undefined, undefined, late * DT)) time += late * DT;
  expect(time).toBeLessThanOrEqual(STOP_TIME);
});

test('joints rest when the last of them does, and one that rests already stays where it is', () => {
  const gate = moving(0, 0.3, 3);
  let cycles = 0;
  while (!gate.brake('move', DT)) {
    cycles++;
    expect(gate.goals[0]).toBe(0);
    expect(gate.accelerations[0]).toBe(0);
  }
  expect([...gate.velocities]).toEqual([0, 0, 0]);
  expect(gate.goals[1]).toBeLessThan(gate.goals[2]!);
  expect(cycles).toBeGreaterThanOrEqual(Math.floor(STOP_TIME / DT) - 1);
  expect(gate.brake('move', DT)).toBe(true);
  expect([...gate.accelerations]).toEqual([0, 0, 0]);
});

test('each stop has a rate of its own: that of a quick one is not kept for a slow one', () => {
  const gate = moving(3);
  while (!gate.brake('move', DT));
  gate.velocities[0] = 0.6;
  gate.brake('move', DT);
  expect(gate.accelerations[0]).toBeCloseTo(-A, 6);

  const interrupted = moving(3);
  interrupted.brake('move', DT);
  interrupted.velocities[0] = 0.6;
  interrupted.rearm();
  interrupted.brake('move', DT);
  expect(interrupted.accelerations[0]).toBeCloseTo(-A, 6);
});

test.each([1, -1])('a joint that brakes does not pass its position limit (side %d)', (side) => {
  const gate = moving(3 * side);
  gate.goals[0] = 0.99 * side;
  while (!gate.brake('move', DT)) expect(Math.abs(gate.goals[0]!)).toBeLessThanOrEqual(1);
  expect(gate.goals[0]).toBe(side);
});

test.each([1, -1])('a joint beyond its limit goes no further while it brakes, and may come back (side %d)', (side) => {
  const out = moving(1 * side);
  out.goals[0] = 1.2 * side;
  while (!out.brake('move', DT)) expect(out.goals[0]).toBe(1.2 * side);

  const back = moving(-1 * side);
  back.goals[0] = 1.2 * side;
  while (!back.brake('move', DT));
  expect(back.goals[0]! * side).toBeLessThan(1.2 - 0.05);
});

test('what was asked before a stop is forgotten: a target that is no number holds the arm where it has stopped', () => {
  const gate = moving(0);
  for (let i = 0; i < 20; i++) gate.step(Float64Array.of(0.5), 'move', DT);
  while (!gate.brake('move', DT));
  const stopped = gate.goals[0]!;
  expect(stopped).toBeGreaterThan(0.01);
  for (let i = 0; i < 20; i++) gate.step(Float64Array.of(Number.NaN), 'move', DT);
  expect(gate.goals[0]).toBe(stopped);
});
