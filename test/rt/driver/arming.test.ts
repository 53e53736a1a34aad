import { beforeEach, describe, expect, test } from 'vitest';
import { Arming } from '../../../src/rt/driver/arming.ts';
import type { ArmingView } from '../../../src/rt/driver/arming-view.ts';

const CYCLE = 0.005;
const STEPS_PER_RADIAN = 4096 / (2 * Math.PI);

/** Two servos of which a test says what they are read to do. */
class Servos implements ArmingView {
  readonly commanded = Uint8Array.of(1, 1);
  readonly holds = new Uint8Array(2);
  readonly lost = new Uint8Array(2);
  readonly steps = Float64Array.of(1000, 2000);
  readonly fresh = Uint8Array.of(1, 1);
  readonly sent = Float64Array.of(1010, 2000);
  readonly taken = Float64Array.of(1010, 2000);
  readonly lowest = new Float64Array(2).fill(Number.NEGATIVE_INFINITY);
  readonly highest = new Float64Array(2).fill(Number.POSITIVE_INFINITY);
  readonly radians = new Float64Array(2).fill(1 / STEPS_PER_RADIAN);
  readonly log: string[] = [];
  /** Servos obey torque commands at once. */
  obedient = true;

  label(index: number): string {
    return `servo ${index + 1}`;
  }

  energise(): void {
    this.log.push('on');
    if (this.obedient) this.holds.fill(1);
  }

  release(): void {
    this.log.push('off');
    if (this.obedient) this.holds.fill(0);
  }

  undo(before: Uint8Array): void {
    this.log.push(`undo ${before.join('')}`);
    if (this.obedient) this.holds.set(before);
  }
}

let servos: Servos;
let arming: Arming;
let now: number;
let told: string[];

beforeEach(() => {
  servos = new Servos();
  arming = new Arming(servos);
  now = 100;
  told = [];
});

function ask(on: boolean): void {
  arming.ask(on, now, (problem) => told.push(problem));
}

function run(seconds: number, each: () => void = () => {}): void {
  for (let k = Math.round(seconds / CYCLE); k > 0; k--) {
    now += CYCLE;
    arming.tend(now);
    each();
    arming.step(now);
  }
}

/** Cycles whose reads do not bring all servos. */
function silence(seconds: number): void {
  for (let k = Math.round(seconds / CYCLE); k > 0; k--) {
    now += CYCLE;
    arming.tend(now);
  }
}

describe('torque on', () => {
  test('goes on after readings agree and goals were read back, is watched for 50 ms, and told once', () => {
    ask(true);
    run(3 * CYCLE);
    expect([arming.state, servos.log]).toEqual(['settling', []]);
    run(CYCLE);
    expect(arming.state).toBe('offering');
    run(2 * CYCLE);
    expect([arming.state, servos.log]).toEqual(['energising', ['on']]);
    expect(arming.frozen).toBe(true);
    run(CYCLE);
    expect(arming.state).toBe('proving');
    run(0.05 - CYCLE);
    expect([arming.state, told]).toEqual(['proving', []]);
    run(2 * CYCLE);
    expect([arming.state, told]).toEqual(['idle', ['']]);
    run(0.1);
    expect([servos.log, told]).toEqual([['on'], ['']]);
  });

  test('waits for a joint that moves, at most 1.5 s, and names it', () => {
    ask(true);
    run(1.6, () => {
      servos.steps[1] = servos.steps[1]! + 20;
    });
    expect([arming.state, servos.log]).toEqual(['idle', []]);
    expect(told).toEqual(['servo 2 does not stand still: hold the arm, and try again']);
  });

  test('goes on after a joint that moved has come to rest', () => {
    ask(true);
    run(0.3, () => {
      servos.steps[1] = servos.steps[1]! + 20;
      servos.sent[1] = servos.steps[1]!;
      servos.taken[1] = servos.steps[1]!;
    });
    run(0.3);
    expect(told).toEqual(['']);
  });

  test('waits for servos that are not heard for a moment, and half a second at most', () => {
    ask(true);
    silence(0.4);
    run(0.3);
    expect(told).toEqual(['']);
    arming.ask(false, now, () => {});
    run(0.1);
    ask(true);
    silence(0.6);
    expect([arming.state, told]).toEqual(['idle', ['', 'its servos do not answer just now']]);
  });

  test.each([
    [4, 'offering'],
    [6, 'energising'],
    [7, 'proving'],
  ])('is undone when servos are heard no more after %i reads, when it is %s', (reads, state) => {
    ask(true);
    run(reads * CYCLE);
    expect(arming.state).toBe(state);
    silence(0.6);
    run(CYCLE);
    expect([arming.state, told, servos.log.at(-1)]).toEqual(['idle', ['its servos do not answer just now'], 'undo 00']);
  });

  test('goes on after a pause of the whole bridge', () => {
    ask(true);
    run(2 * CYCLE);
    now += 1;
    run(0.2);
    expect(told).toEqual(['']);
  });

  test('is not for servos whose readings do not come', () => {
    servos.fresh[0] = 0;
    ask(true);
    run(1.6);
    expect(told).toEqual([expect.stringMatching(/^the readings of its servos do not agree/)]);
    expect(servos.log).toEqual([]);
  });

  test('is refused when a servo keeps another goal, which is named with what it keeps', () => {
    servos.taken[0] = 1700;
    ask(true);
    run(0.5);
    expect(servos.log).toEqual(['undo 00']);
    expect(told).toEqual([expect.stringMatching(/^servo 1 takes no goals: it keeps 1700 where 1010 was sent/)]);
  });

  test.each([
    [1015, 3000],
    [500, 985],
  ])(
    'is refused when a servo stands beyond its own limits, %i to %i, and says how it comes back between them',
    (low, high) => {
      servos.taken[0] = 1700;
      servos.lowest[0] = low;
      servos.highest[0] = high;
      ask(true);
      run(0.5);
      const beyond = new RegExp(`^servo 1 stands at 1000, beyond its own position limits ${low} to ${high}, .*by hand`);
      expect(told).toEqual([expect.stringMatching(beyond)]);
    },
  );

  test.each([
    ['below', 1021, 3000],
    ['above', 500, 979],
  ])(
    'is not tried for a joint %s the limits of its servo, which might drive to them, until it is moved',
    (_, low, high) => {
      servos.lowest[0] = low;
      servos.highest[0] = high;
      ask(true);
      run(1.6);
      expect(servos.log).toEqual([]);
      expect(told).toEqual([expect.stringMatching(/^servo 1 stands at 1000, beyond its own position limits/)]);
      ask(true);
      run(1);
      servos.steps[0] = (low + high) / 2;
      run(0.1);
      expect(told[1]).toBe('');
    },
  );

  test('goes on for a servo a few steps beyond its own limits, and for one that holds there', () => {
    servos.lowest[0] = 1009;
    servos.highest[1] = 1900;
    servos.holds[1] = 1;
    ask(true);
    run(0.5);
    expect(told).toEqual(['']);
  });

  test('needs two reads in a row with the goals: one is not believed', () => {
    ask(true);
    let flips = 0;
    run(0.25, () => {
      servos.taken[0] = flips++ % 2 === 0 ? 1700 : 1010;
    });
    expect(servos.log).toEqual([]);
  });

  test('begins anew when a joint leaves the place that its goal was made for', () => {
    ask(true);
    run(4 * CYCLE);
    expect(arming.state).toBe('offering');
    servos.steps[0] = 1000 + 12 + 0.031 * STEPS_PER_RADIAN;
    run(CYCLE);
    expect(arming.state).toBe('settling');
  });

  test('a joint that moves by more than its droop and 0.03 rad has its torque undone, and is named', () => {
    ask(true);
    run(7 * CYCLE);
    expect(arming.state).toBe('proving');
    servos.steps[0] = 1000 + 10 + 0.031 * STEPS_PER_RADIAN;
    run(CYCLE);
    expect([arming.state, servos.log]).toEqual(['undoing', ['on', 'undo 00']]);
    expect(told).toEqual([
      expect.stringMatching(/^servo 1 moved 0\.05 rad when it got torque, which was switched off again/),
    ]);
    run(CYCLE);
    expect(arming.state).toBe('idle');
  });

  test('a joint that moves by no more than its droop and 0.03 rad keeps its torque', () => {
    ask(true);
    run(7 * CYCLE);
    servos.steps[0] = 1000 + 10 + 0.029 * STEPS_PER_RADIAN;
    run(0.1);
    expect(told).toEqual(['']);
  });

  test('is sent again while servos do not have it, and given up after half a second, as it was before', () => {
    servos.obedient = false;
    servos.holds[1] = 1;
    ask(true);
    run(0.5);
    expect(servos.log.length).toBeGreaterThan(10);
    expect(servos.log.length).toBeLessThan(30);
    expect(new Set(servos.log)).toEqual(new Set(['on']));
    run(0.1);
    expect(told).toEqual(['servo 1 does not take torque: check its supply and its cable']);
    expect(servos.log).toContain('undo 01');
    expect(servos.log.lastIndexOf('on')).toBeLessThan(servos.log.indexOf('undo 01'));
  });

  test('servos that hold already need not stand still, and keep their torque when it is undone', () => {
    servos.holds[1] = 1;
    ask(true);
    run(4 * CYCLE, () => {
      servos.steps[1] = servos.steps[1]! + 30;
    });
    expect(arming.state).toBe('offering');
    run(2 * CYCLE);
    arming.end('it is stopped', now);
    expect(servos.log).toEqual(['on', 'undo 01']);
    expect(told).toEqual(['it is stopped']);
  });

  test.each([0, 1])(
    'is not for servo %i that creeps, a little with each reading, or is moved: it is named',
    (index) => {
      for (const way of [7, 20]) {
        told = [];
        ask(true);
        run(1.6, () => {
          servos.steps[index] = servos.steps[index]! + way;
        });
        expect([servos.log, told]).toEqual([
          [],
          [`servo ${index + 1} does not stand still: hold the arm, and try again`],
        ]);
      }
    },
  );

  test('goes on for a joint that sags a little while it is offered its goal, and near its limits', () => {
    servos.lowest[0] = 975;
    servos.highest[0] = 1001;
    ask(true);
    run(4 * CYCLE);
    servos.steps[0] = 1000 - 12 - 0.02 * STEPS_PER_RADIAN;
    run(CYCLE);
    expect(arming.state).toBe('offering');
    run(0.2);
    expect(told).toEqual(['']);
  });

  test('is not for servos of which only one read shows the goals in time', () => {
    ask(true);
    run(4 * CYCLE);
    expect(arming.state).toBe('offering');
    silence(0.32);
    run(CYCLE);
    expect([told, servos.log]).toEqual([['its servos have not been heard in time'], ['undo 00']]);
  });

  test.each([0, 1])(
    'is undone at once when joint %i moves before all have it, and no later command sets it on',
    (index) => {
      servos.obedient = false;
      ask(true);
      run(6 * CYCLE);
      expect(arming.state).toBe('energising');
      servos.steps[index] = servos.steps[index]! + 100;
      run(CYCLE);
      expect([arming.state, servos.log]).toEqual(['undoing', ['on', 'undo 00']]);
      expect(told).toEqual([expect.stringMatching(new RegExp(`^servo ${index + 1} moved 0\\.15 rad`))]);
    },
  );

  test('goes on although one that held before moves, or one whose joint another commands; what is not believed moves nothing', () => {
    for (const [name, value] of [
      ['holds', 1],
      ['commanded', 0],
      ['fresh', 0],
    ] as const) {
      servos = new Servos();
      arming = new Arming(servos);
      told = [];
      if (name === 'holds') servos.holds[1] = value;
      ask(true);
      run(6 * CYCLE);
      expect(arming.state).toBe('energising');
      if (name !== 'holds') servos[name][1] = value;
      servos.steps[1] = servos.steps[1]! + 300;
      run(0.2);
      expect([name, told, servos.log]).toEqual([name, [''], ['on']]);
    }
  });

  test('freezes the goals from when it is sent until nothing has moved, and is on its way until then', () => {
    const frozen = new Set<string>();
    ask(true);
    for (let k = 0; k < 40; k++) {
      if (arming.frozen) frozen.add(arming.state);
      expect(arming.switchingOn).toBe(arming.active);
      run(CYCLE);
    }
    expect([...frozen]).toEqual(['energising', 'proving']);
    expect([arming.frozen, told]).toEqual([false, ['']]);
  });

  test('that is undone is sent off until the servos are limp; asked for meanwhile it is refused, and holds when it has ended', () => {
    ask(true);
    run(6 * CYCLE);
    servos.obedient = false;
    arming.end('it is stopped', now);
    expect([arming.state, arming.switchingOn, arming.active, arming.frozen]).toEqual(['undoing', false, true, false]);
    run(0.1);
    expect(servos.log.filter((command) => command === 'undo 00').length).toBeGreaterThan(3);
    expect(servos.log.filter((command) => command === 'undo 00').length).toBeLessThan(8);
    ask(true);
    expect([arming.state, told]).toEqual(['undoing', ['it is stopped', 'its torque is going off']]);
    // Nobody ends what has ended.
    arming.end('it is stopped', now);
    expect(told).toHaveLength(2);
    servos.holds.fill(0);
    run(CYCLE);
    expect([arming.state, arming.active]).toEqual(['idle', false]);
    servos.obedient = true;
    ask(true);
    run(0.3);
    expect([told.length, told.at(-1), [...servos.holds]]).toEqual([3, '', [1, 1]]);
  });

  test('asked for while it goes on already, it goes on for both', () => {
    ask(true);
    run(4 * CYCLE);
    ask(true);
    expect(told).toEqual([]);
    run(0.2);
    expect(told).toEqual(['', '']);
  });
});

describe.each([
  ['settling', 1],
  ['offering', 4],
  ['energising', 6],
  ['proving', 8],
] as const)('an end while it is %s', (state, cycles) => {
  test('is told, and no torque goes on or stays on after it', () => {
    ask(true);
    run(cycles * CYCLE);
    expect(arming.state).toBe(state);
    const before = servos.log.length;
    arming.end('it is stopped', now);
    run(1);
    expect(told).toEqual(['it is stopped']);
    expect(servos.log.slice(before)).not.toContain('on');
    expect([...servos.holds]).toEqual([0, 0]);
    expect(arming.active).toBe(false);
  });
});

describe('torque off', () => {
  test('is told once all servos are limp, and sent again until they are', () => {
    servos.holds.fill(1);
    servos.obedient = false;
    ask(false);
    expect(arming.switchingOn).toBe(false);
    run(0.1);
    expect(told).toEqual([]);
    expect(servos.log.length).toBeGreaterThan(2);
    expect(servos.log.length).toBeLessThan(8);
    servos.holds.fill(0);
    run(CYCLE);
    expect(told).toEqual(['']);
  });

  test('does not wait for a servo that is lost', () => {
    servos.obedient = false;
    servos.holds.fill(1);
    servos.lost[0] = 1;
    ask(false);
    servos.holds[1] = 0;
    run(CYCLE);
    expect(told).toEqual(['']);
  });

  test('asked for twice is told to both', () => {
    servos.holds.fill(1);
    ask(false);
    ask(false);
    run(CYCLE);
    expect(told).toEqual(['', '']);
  });

  test('ends torque that is on its way on, whose asker is told', () => {
    ask(true);
    run(6 * CYCLE);
    ask(false);
    expect(told).toEqual(['torque has been switched off meanwhile']);
    run(2 * CYCLE);
    expect(told).toEqual(['torque has been switched off meanwhile', '']);
    expect([...servos.holds]).toEqual([0, 0]);
  });
});

test('servos that are checked anew end a command: torque on is undone, off is told not to be done', () => {
  ask(true);
  run(6 * CYCLE);
  arming.lose('the port has gone', now);
  expect([arming.state, told, servos.log]).toEqual(['idle', ['the port has gone'], ['on', 'undo 00']]);
  told = [];
  ask(false);
  arming.lose('the port has gone', now);
  expect(told).toEqual(['the port has gone']);
});
