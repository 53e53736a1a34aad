import { describe, expect, test } from 'vitest';
import { Gate, type GateLimits, largestChange } from '../../../src/rt/joint/gate.ts';

const DT = 0.005;
const A = 6;
const V = 1.5;
const MIRROR = 3;

function limits(joints = 1): GateLimits {
  const of = (value: number): Float64Array => new Float64Array(joints).fill(value);
  return {
    lower: of(-1),
    upper: of(1),
    velocity: { move: of(V), mirror: of(MIRROR) },
    acceleration: { move: of(A), mirror: of(25) },
  };
}

function adopted(...goals: readonly number[]): Gate {
  const gate = new Gate(limits(goals.length));
  gate.adopt(Float64Array.from(goals));
  return gate;
}

describe('what the gate begins with', () => {
  test('is at rest at the goals of the servos; a goal that is not known leaves the one before', () => {
    const gate = adopted(0.1, 0.2);
    gate.step(Float64Array.of(0.5, 0.5), 'move', DT);
    gate.adopt(Float64Array.of(0.3, Number.NaN));
    expect(gate.goals[0]).toBe(0.3);
    expect(gate.goals[1]).toBeCloseTo(0.2 + A * DT * DT, 9);
    expect([...gate.velocities, ...gate.accelerations]).toEqual([0, 0, 0, 0]);
  });

  test('is at rest before anything has been adopted: the first target is approached', () => {
    const gate = new Gate(limits());
    gate.step(Float64Array.of(0.001), 'move', DT);
    expect(gate.goals[0]).toBeCloseTo(A * DT * DT, 9);
  });

  test('a source that goes on has its first target followed at its speed; any other is approached', () => {
    for (const continues of [true, false]) {
      const gate = adopted(0.2);
      gate.velocities[0] = V;
      gate.rearm(continues);
      gate.step(Float64Array.of(0.2 + V * DT), 'move', DT);
      if (continues) expect(gate.goals[0]).toBeCloseTo(0.2 + V * DT, 12);
      else expect(gate.velocities[0]).toBeCloseTo(V - A * DT, 12);
    }
    const gate = adopted(0.2);
    gate.velocities[0] = V;
    gate.rearm();
    gate.step(Float64Array.of(0.2 + V * DT), 'move', DT);
    expect(gate.velocities[0]).toBeCloseTo(V - A * DT, 12);
    const resting = adopted(0.2);
    resting.rearm(true);
    resting.step(Float64Array.of(0.2), 'move', DT);
    expect(resting.goals[0]).toBe(0.2);
  });
});

describe('goals that are withheld from servos', () => {
  test('stay at rest where they were sent last', () => {
    const gate = adopted(0, 0);
    gate.velocities.set([1, 1]);
    gate.step(Float64Array.of(0.5, 0.5), 'move', DT);
    gate.sent(Uint8Array.of(0, 1));
    const [first, second] = gate.goals;
    expect(first).toBeGreaterThan(0);
    expect([second, gate.velocities[1], gate.accelerations[1]]).toEqual([0, 0, 0]);
    expect(gate.velocities[0]).toBeGreaterThan(0);
    gate.step(Float64Array.of(0.5, 0.5), 'move', DT);
    gate.sent(Uint8Array.of(1, 0));
    expect(gate.goals[0]).toBe(first);
    expect(gate.goals[1]).toBeGreaterThan(0);
  });

  test('of a lost servo go on as planned, each within a step of the one before', () => {
    const LOST = 2;
    const gate = adopted(0);
    gate.velocities[0] = 1;
    gate.step(Float64Array.of(0.5), 'move', DT);
    const planned = gate.goals[0];
    gate.sent(Uint8Array.of(LOST));
    expect(gate.goals[0]).toBe(planned);
    expect(gate.velocities[0]).toBeGreaterThan(0);
    gate.sent(Uint8Array.of(1));
    expect(gate.goals[0]).toBe(planned);
  });

  test('no goal leaves further from the one before than mirroring may go in a cycle, whoever has moved it', () => {
    const gate = adopted(0.1, 0.1, 0.1);
    gate.goals.set([0.9, -0.9, 0.1 + 0.5 * MIRROR * DT]);
    gate.bound(DT);
    expect(gate.goals[0]).toBeCloseTo(0.1 + MIRROR * DT, 12);
    expect(gate.goals[1]).toBeCloseTo(0.1 - MIRROR * DT, 12);
    expect(gate.goals[2]).toBeCloseTo(0.1 + 0.5 * MIRROR * DT, 12);
  });
});

describe('limits', () => {
  test('are the narrower of those of the arm and of its servos', () => {
    const gate = adopted(0, 0);
    gate.narrow(Float64Array.of(-0.5, -3), Float64Array.of(3, 0.4));
    expect([...gate.lower]).toEqual([-0.5, -1]);
    expect([...gate.upper]).toEqual([1, 0.4]);
    gate.narrow(Float64Array.of(-0.7, -3), Float64Array.of(3, 0.6));
    expect([...gate.lower]).toEqual([-0.7, -1]);
    expect([...gate.upper]).toEqual([1, 0.6]);
  });

  test('a part of the speeds or accelerations is one of those of the arm, which stay as they are', () => {
    const all = limits();
    const gate = new Gate(all);
    for (const set of ['move', 'mirror'] as const) {
      gate.limitSpeeds(set, 0.5);
      gate.limitSpeeds(set, 0.5);
      gate.limitAccelerations(set, 0.5);
      gate.limitAccelerations(set, 0.5);
    }
    expect([gate.speeds.move[0], gate.speeds.mirror[0]]).toEqual([V / 2, MIRROR / 2]);
    expect([all.velocity.move[0], all.velocity.mirror[0]]).toEqual([V, MIRROR]);
    expect([all.acceleration.move[0], all.acceleration.mirror[0]]).toEqual([A, 25]);
    gate.step(Float64Array.of(0.5), 'mirror', DT);
    expect(gate.velocities[0]).toBeCloseTo(0.5 * 25 * DT, 12);
  });

  test.each([1, -1])(
    'a joint that is too quick to brake stops at its position limit all the same (side %d)',
    (side) => {
      const gate = adopted(0.998 * side);
      gate.velocities[0] = V * side;
      gate.step(Float64Array.of(side), 'move', DT);
      expect(gate.goals[0]).toBe(side);
      expect(gate.velocities[0]).toBeCloseTo((0.002 / DT) * side, 9);
      expect(gate.accelerations[0]).toBeCloseTo(((0.002 / DT - V) / DT) * side, 6);
    },
  );

  test.each([1, -1])(
    'a joint beyond its limit goes no further, however quick, and is let back in (side %d)',
    (side) => {
      const gate = adopted(1.1 * side);
      gate.velocities[0] = V * side;
      gate.step(Float64Array.of(0), 'move', DT);
      expect(gate.goals[0]).toBe(1.1 * side);
      expect(gate.velocities[0]).toBe(0);
      gate.step(Float64Array.of(0), 'move', DT);
      expect(gate.goals[0]! * side).toBeCloseTo(1.1 - A * DT * DT, 9);
      gate.goals[0] = 1.1 * side;
      gate.velocities[0] = 0.5 * V * side;
      gate.step(Float64Array.of(1.1 * side), 'move', DT);
      expect(gate.goals[0]).toBe(1.1 * side);
    },
  );

  test('accelerations are told as they are', () => {
    const gate = adopted(0, 0);
    gate.velocities.set([0.5, -0.5]);
    gate.step(Float64Array.of(0.9, -0.9), 'move', DT);
    expect(gate.accelerations[0]).toBeCloseTo(A, 6);
    expect(gate.accelerations[1]).toBeCloseTo(-A, 6);
  });

  test('only the joints that are meant are moved', () => {
    const gate = adopted(0, 0);
    gate.step(Float64Array.of(0.5, 0.5), 'move', DT, Uint8Array.of(0, 1));
    expect(gate.goals[0]).toBe(0);
    expect(gate.goals[1]).toBeGreaterThan(0);
  });

  test('the last part of an approach ends on the target without swinging about it', () => {
    const gate = adopted(0);
    const goals: number[] = [];
    for (let i = 0; i < 400; i++) {
      gate.step(Float64Array.of(0.3), 'move', DT);
      goals.push(gate.goals[0]!);
    }
    const arrived = goals.findIndex((goal) => Math.abs(goal - 0.3) < 1e-9);
    // Gaining and braking take a quarter of a second each at 6 rad/s^2; 0.3 rad are too near for full speed.
    expect(arrived * DT).toBeCloseTo(2 * Math.sqrt(0.3 / A), 1);
    for (const [i, goal] of goals.entries())
      if (i > 0) expect(goal).toBeGreaterThanOrEqual(goals[i - 1]! - (A * DT * DT) / 8);
  });
});

describe('goals that their joints do not reach', () => {
  test('are drawn to where the joints can rest, no faster than mirroring, and only those', () => {
    const gate = adopted(0, 0, 0, 0.5);
    gate.velocities.fill(1);
    gate.draw(Float64Array.of(0.9, -0.9, Number.NaN, 0.9), Uint8Array.of(1, 1, 1, 0), DT);
    const step = MIRROR * DT;
    expect(gate.goals[0]).toBeCloseTo(step, 12);
    expect(gate.goals[1]).toBeCloseTo(-step, 12);
    expect([gate.goals[2], gate.goals[3]]).toEqual([0, 0.5]);
    expect([...gate.velocities]).toEqual([0, 0, 1, 1]);
    gate.draw(Float64Array.of(0.5 * step, 0, 0, 0), Uint8Array.of(1, 0, 0, 0), DT);
    expect(gate.goals[0]).toBeCloseTo(0.5 * step, 12);
  });

  test('a stop after that has its own rate', () => {
    const gate = adopted(0);
    gate.velocities[0] = 3;
    gate.brake('move', DT);
    gate.draw(Float64Array.of(0), Uint8Array.of(1), DT);
    gate.velocities[0] = 0.3;
    gate.brake('move', DT);
    expect(gate.accelerations[0]).toBeCloseTo(-A, 6);
  });
});

describe('a floating arm', () => {
  const none = Float64Array.of(0);
  const reach = Float64Array.of(0.1);

  test('each floating begins where its arm is, not where the hand was at the end of the one before', () => {
    const gate = adopted(0);
    gate.float(Float64Array.of(-0.5), none, reach, DT);
    expect(gate.goals[0]).toBe(-0.5);
    gate.rearm();
    gate.float(Float64Array.of(0.5), none, reach, DT);
    expect(gate.goals[0]).toBe(0.5);
  });

  test('has goals that rest, and what was asked before is forgotten', () => {
    const gate = adopted(0);
    gate.step(Float64Array.of(0.5), 'move', DT);
    gate.velocities[0] = 1;
    gate.accelerations[0] = 1;
    gate.float(Float64Array.of(0), none, reach, DT);
    expect([gate.velocities[0], gate.accelerations[0]]).toEqual([0, 0]);
    gate.step(Float64Array.of(Number.NaN), 'move', DT);
    expect(gate.goals[0]).toBe(0);
  });

  test('is pushed back beyond a limit, by its reach at most, and bears a distance that is no number', () => {
    const gate = adopted(0);
    gate.float(Float64Array.of(1.3), none, reach, DT);
    expect(gate.goals[0]).toBeCloseTo(1.2, 12);
    gate.rearm();
    gate.float(Float64Array.of(-1.05), none, reach, DT);
    expect(gate.goals[0]).toBe(-1);
    gate.rearm();
    gate.float(Float64Array.of(0.2), Float64Array.of(Number.NaN), reach, DT);
    expect(gate.goals[0]).toBe(0.2);
    gate.rearm();
    gate.float(Float64Array.of(0.2), Float64Array.of(-3), reach, DT);
    expect(gate.goals[0]).toBeCloseTo(0.1, 12);
  });
});

test.each([
  ['equal accelerations need no thought', 1, 6, 6, 6 * DT],
  ['all of a cycle is braking', 1, 2, 6, 6 * DT],
  ['exactly a cycle of braking', 6 * DT, 2, 6, 6 * DT],
  ['all of it is gaining, from rest', 0, 2, 6, 2 * DT],
  ['all of it is gaining, from a speed that way', -1, 2, 6, 2 * DT],
  // 0.01 rad/s are braked away in a third of the cycle at 6 rad/s^2, the rest gains at 2 rad/s^2.
  ['first braking, then gaining', 0.01, 2, 6, 0.01 + 2 * (DT - 0.01 / 6)],
])('largest change of speed in a cycle: %s', (_, away, gaining, braking, most) => {
  expect(largestChange(away, gaining, braking, DT)).toBeCloseTo(most, 12);
});

describe('springs that change', () => {
  const STEP = MIRROR * DT;

  /** A joint at -0.1 whose spring pulls towards 0; its goals go on for a target. */
  function changing(): { gate: Gate; cycle: (target: number) => void } {
    const gate = adopted(0);
    const cycle = (target: number): void => {
      gate.step(Float64Array.of(target), 'move', DT);
      gate.bound(DT);
      gate.sent(Uint8Array.of(0));
    };
    cycle(0);
    return { gate, cycle };
  }

  test('have goals that pull as before, step by step, while the joint is asked for the same', () => {
    const { gate, cycle } = changing();
    const aims = new Float64Array(1);
    gate.regain(Float64Array.of(-0.1), Float64Array.of(2), aims);
    expect(aims[0]).toBeCloseTo(0.1, 12);
    const goals: number[] = [];
    for (let k = 0; k < 10; k++) {
      cycle(0.1);
      // What the target changes by in one cycle passes for a beginning of a motion, and is braked away.
      expect(Math.abs(gate.velocities[0]!)).toBeLessThanOrEqual(A * DT + 1e-9);
      goals.push(gate.goals[0]!);
    }
    for (const [k, goal] of goals.entries()) expect(goal).toBeCloseTo(Math.min(0.1, (k + 1) * STEP), 3);
  });

  test('and change again before their goals have come about have those that the last change asks for', () => {
    const { gate, cycle } = changing();
    const aims = new Float64Array(1);
    gate.regain(Float64Array.of(-0.1), Float64Array.of(2), aims);
    for (let k = 0; k < 3; k++) cycle(0.1);
    gate.regain(Float64Array.of(-0.1), Float64Array.of(0.25), aims);
    expect(aims[0]).toBeCloseTo(-0.05, 12);
    for (let k = 0; k < 20; k++) cycle(-0.05);
    expect(gate.goals[0]).toBeCloseTo(-0.05, 9);
  });

  test('of a joint that nobody knows the place of leave its goal', () => {
    const { gate, cycle } = changing();
    const aims = new Float64Array(1);
    gate.regain(Float64Array.of(Number.NaN), Float64Array.of(2), aims);
    expect(aims[0]).toBe(0);
    cycle(0);
    expect(gate.goals[0]).toBe(0);
  });
});
