import { describe, expect, test } from 'vitest';
import { ComingToRest } from '../../../src/rt/joint/coming-to-rest.ts';
import { Following } from '../../../src/rt/joint/following.ts';
import { Gate } from '../../../src/rt/joint/gate.ts';

const CYCLE = 0.005;
/** Cycles for which the joint has been watched before it is stopped. */
const WATCHED = 10;
const NONE = Float64Array.of(0);
const one = (value: number): Float64Array => Float64Array.of(value);
const limits = {
  lower: one(-6),
  upper: one(6),
  velocity: { move: one(1.5), mirror: one(3) },
  acceleration: { move: one(6), mirror: one(25) },
};

/** A joint whose goals move at `speed` when it is stopped; the joint is `behind` them and moves as `move` says. */
function stop(
  speed: number,
  behind: number,
  move: (t: number, position: number, goal: number) => number,
  stiff = true,
) {
  const gate = new Gate(limits);
  const rest = new ComingToRest(Uint8Array.of(1));
  const following = new Following({
    stiffness: one(17.8),
    damping: one(0.6),
    friction: one(0.05),
    inertia: one(0.036),
  });
  gate.adopt(one(0));
  gate.rearm();
  let goal = 0;
  for (let k = 0; k < 200; k++) {
    goal += speed * CYCLE;
    gate.step(one(goal), 'mirror', CYCLE);
    gate.sent(Uint8Array.of(0));
  }
  let position = gate.goals[0]! - behind;
  let now = 0;
  following.begin(one(position - WATCHED * speed * CYCLE), now);
  for (let k = WATCHED - 1; k >= 0; k--) {
    now += CYCLE;
    const at = position - k * speed * CYCLE;
    following.measure(one(at), now);
    following.step(one(at + behind), NONE, one(1), one(at), now);
  }
  rest.begin(now);
  const begun = position;
  let largest = 0;
  let rested = Number.NaN;
  for (let k = 1; k <= 200; k++) {
    now += CYCLE;
    const before = gate.goals[0]!;
    position = move(k * CYCLE, position, before);
    following.measure(one(position), now);
    following.step(gate.goals, NONE, one(1), one(position), now);
    gate.brake('mirror', CYCLE);
    rest.step(gate, following, one(position), NONE, stiff, CYCLE, now);
    gate.bound(CYCLE);
    gate.sent(Uint8Array.of(0));
    largest = Math.max(largest, Math.abs(gate.goals[0]! - before));
    if (rest.resting && Number.isNaN(rested)) rested = k * CYCLE;
  }
  return { travelled: Math.abs(position - begun), goal: gate.goals[0]!, position, largest, rested };
}

describe('a stop', () => {
  test('of a joint that follows ends where its goals come to rest', () => {
    const { travelled, rested, goal, position } = stop(1.5, 0.05, (_, at, to) => at + 0.3 * (to - at));
    expect(travelled).toBeLessThan(0.35);
    expect(rested).toBeLessThan(0.3);
    expect(position).toBeCloseTo(goal, 2);
  });

  test('of a joint that a register slows draws its goal back, so that it rests too', () => {
    const slow = (_: number, at: number, to: number): number =>
      at + Math.sign(to - at) * Math.min(0.46 * CYCLE, Math.abs(to - at));
    const { travelled, rested, largest } = stop(1.5, 0.6, slow);
    expect(travelled).toBeLessThan(0.35);
    expect(rested).toBeLessThan(0.3);
    expect(largest).toBeLessThanOrEqual(3 * CYCLE + 1e-9);
  });

  test('of a joint that gains and loses speed slowly catches it where it turns, so that it does not swing back', () => {
    let velocity = 0.42;
    let furthest = 0;
    const swinging = (_: number, at: number, to: number): number => {
      const wanted = Math.min(Math.max(10 * (to - at), -0.5), 0.5);
      velocity += Math.min(Math.max(wanted - velocity, -2.5 * CYCLE), 2.5 * CYCLE);
      furthest = Math.max(furthest, at + velocity * CYCLE);
      return at + velocity * CYCLE;
    };
    const { position, rested } = stop(0.6, 0.15, swinging);
    expect(rested).toBeLessThan(0.3);
    expect(furthest - position).toBeLessThan(0.01);
  });

  test('of a joint that something holds draws its goal back to it', () => {
    const { goal, position, rested } = stop(1.5, 0.5, (_, at) => at);
    expect(Math.abs(goal - position)).toBeLessThan(0.1);
    expect(rested).toBeLessThan(0.3);
  });

  test('of a joint that creeps behind its goal draws this back, so that the joint does not creep on', () => {
    const creep = (_: number, at: number, to: number): number =>
      at + Math.sign(to - at) * Math.min(0.03 * CYCLE, 0.001);
    expect(stop(0.5, 0.06, creep).travelled).toBeLessThan(0.03);
  });

  test('of a joint that something pushes on draws its goal no further than to where it could have come to rest', () => {
    // Its goal stood at 1.5, and it at 1.
    const { goal } = stop(1.5, 0.5, (_, at) => at + 0.02);
    expect(goal).toBeGreaterThan(1);
    expect(goal).toBeLessThan(1.6);
  });

  test('of a joint that runs past its goal leaves this where it brakes the joint, and does not draw it on', () => {
    const speed = 2.9;
    let velocity = speed;
    const coasting = (_: number, at: number): number => {
      velocity = Math.max(0, velocity - 8 * CYCLE);
      return at + velocity * CYCLE;
    };
    // 200 cycles at this speed had brought it here.
    const begun = 200 * CYCLE * speed;
    const braked = speed ** 2 / (2 * 25);
    expect(stop(speed, 0.05, coasting).goal).toBeLessThan(begun + braked + 0.01);
  });

  test('of a joint that merely sags, since it carries something, leaves its goal', () => {
    const { goal } = stop(0, 0.06, (_, at) => at);
    expect(goal).toBe(0);
  });

  test('does not draw goals back while nobody knows how stiff the springs are', () => {
    const { goal } = stop(0, 0.5, (_, at) => at, false);
    expect(goal).toBe(0);
  });

  test('a joint that is pushed long after it has come to rest keeps its goal', () => {
    const { goal } = stop(0, 0, (t, at) => (t > 0.1 ? -0.3 : at));
    expect(goal).toBe(0);
  });
});

describe('whether joints rest', () => {
  /** Looks at joints at these positions, whose springs would have them `away` from there, rad. */
  const at = (rest: ComingToRest, positions: readonly number[], t: number, away = 0): boolean => {
    const none = new Float64Array(positions.length);
    const gate = { goals: Float64Array.from(positions, (position) => position + away) } as Gate;
    const following = { measured: t, learned: none } as unknown as Following;
    rest.watch(gate, following, Float64Array.from(positions), none);
    return rest.resting;
  };

  test('is told once each has stayed within 4 mrad for 40 ms, and not taken back', () => {
    const rest = new ComingToRest(Uint8Array.of(1, 1));
    expect(rest.resting).toBe(false);
    rest.begin(1);
    expect([at(rest, [0, 1], 1), at(rest, [0.003, 1], 1.039)]).toEqual([false, false]);
    // The second joint has moved on.
    expect([at(rest, [0.003, 1.005], 1.05), at(rest, [0, 1.006], 1.089)]).toEqual([false, false]);
    expect(at(rest, [0, 1.006], 1.0901)).toBe(true);
    expect(at(rest, [0, 2], 1.2)).toBe(true);
    rest.begin(2);
    expect([rest.resting, at(rest, [0, 2], 2), at(rest, [0, 2], 2.041)]).toEqual([false, false, true]);
  });

  test('is told later of one that its spring pulls, which stays as long where it turns', () => {
    const rest = new ComingToRest(Uint8Array.of(1));
    rest.begin(1);
    expect([at(rest, [0], 1, 0.03), at(rest, [0.003], 1.09, 0.03)]).toEqual([false, false]);
    expect(at(rest, [0.003], 1.101, 0.03)).toBe(true);
    rest.begin(2);
    expect([at(rest, [0], 2, -0.03), at(rest, [0], 2.05, -0.01)]).toEqual([false, true]);
  });

  test('is told of a soft joint that swings only once it no longer does', () => {
    const swing = (t: number): number => 0.065 * Math.exp(-2.8 * t) * Math.cos(15.7 * t);
    const { rested } = stop(0, -swing(0), (t) => swing(t));
    const later = Array.from({ length: 100 }, (_, k) => swing(rested + k * CYCLE));
    expect(Math.max(...later) - Math.min(...later)).toBeLessThan(0.04);
  });

  test('is told of its own joints alone', () => {
    const rest = new ComingToRest(Uint8Array.of(1, 0));
    rest.begin(1);
    expect([at(rest, [0, 1], 1), at(rest, [0, 1.5], 1.03), at(rest, [0, 2], 1.041)]).toEqual([false, false, true]);
  });

  test('is not told of readings that stand still since none come', () => {
    const rest = new ComingToRest(Uint8Array.of(1));
    rest.begin(1);
    for (let k = 0; k < 50; k++) expect(at(rest, [0.5], 0.99)).toBe(false);
  });
});

/** A joint at `position` whose goal rests at `goal` and that deviates, looked at once, so long after the stop, s. */
function look({ goal = 0.3, position = 0, droop = 0, learned = 0, velocity = 0, after = 0.01, deviation = 0.2 } = {}) {
  const gate = new Gate(limits);
  gate.adopt(one(goal));
  const rest = new ComingToRest(Uint8Array.of(1));
  const following = {
    measured: 1,
    velocities: one(velocity),
    deviations: one(deviation),
    learned: one(learned),
  } as unknown as Following;
  rest.begin(1);
  for (let k = 1; k <= 40; k++)
    rest.step(gate, following, one(position), one(droop), true, CYCLE, 1 + (k === 1 ? after : after + k * CYCLE));
  return gate.goals[0]!;
}

describe('a joint whose goal is ahead of it as it is stopped', () => {
  test('has it drawn back to where it is, by as much as carries it', () => {
    expect(look()).toBeCloseTo(0, 1);
    expect(look({ goal: -0.3 })).toBeCloseTo(0, 1);
    expect(look({ goal: 0.5, droop: 0.2 })).toBeCloseTo(0.2, 1);
    // What has been learned bends it too.
    expect(look({ goal: 0.5, learned: -0.2 })).toBeCloseTo(0.2, 1);
    // To where it can stop from 1.5 rad/s, at 12 rad/s^2.
    expect(look({ goal: 0.5, velocity: 1.5 })).toBeCloseTo(0.09, 1);
  });

  test('keeps it when it is 0.08 rad ahead at most, is explained, or nothing has been stopped just now', () => {
    expect(look({ goal: 0.079 })).toBe(0.079);
    expect(look({ goal: 0.12, velocity: 1.2 })).toBe(0.12);
    expect(look({ deviation: 0.039 })).toBe(0.3);
    expect(look({ after: 0.031 })).toBe(0.3);
  });

  test('keeps it when the joint moves towards it and past it', () => {
    // 2.5 rad/s take it 0.26 rad on: beyond its goal, which brakes it.
    expect(look({ goal: 0.1, velocity: 2.5 })).toBe(0.1);
  });
});
