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
  lower: one(-3),
  upper: one(3),
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
  const rest = new ComingToRest(1);
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

  test('of a joint that something holds draws its goal back to it', () => {
    const { goal, position, rested } = stop(1.5, 0.5, (_, at) => at);
    expect(Math.abs(goal - position)).toBeLessThan(0.1);
    expect(rested).toBeLessThan(0.3);
  });

  test('of a joint that something pushes on draws its goal no further than to where it could have come to rest', () => {
    // Its goal stood at 1.5, and it at 1.
    const { goal } = stop(1.5, 0.5, (_, at) => at + 0.02);
    expect(goal).toBeGreaterThan(1);
    expect(goal).toBeLessThan(1.6);
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
