import { expect, test } from 'vitest';
import { ServoTrust } from '../../../src/rt/driver/servo-trust.ts';

const CYCLE = 0.005;

function makeTrust(simulated = false, watchdog = Number.POSITIVE_INFINITY) {
  const trust = new ServoTrust(3, watchdog, simulated);
  let now = 50;
  /** Cycles in which the servos of `answering` answer. */
  const run = (seconds: number, answering: readonly number[]): void => {
    for (let k = Math.round(seconds / CYCLE); k > 0; k--) {
      now += CYCLE;
      trust.advance(now);
      for (let i = 0; i < 3; i++) trust.answered(i, answering.includes(i), now);
    }
    now += CYCLE;
    trust.advance(now);
  };
  trust.advance(now);
  trust.checked(now);
  return { trust, run, now: () => now };
}

test('a servo that answers is trusted; one that is not heard for a moment gets no goals until its torque was read', () => {
  const { trust, run, now } = makeTrust();
  run(1, [0, 1, 2]);
  expect([[...trust.trusted], trust.anyMuted, trust.uncertain]).toEqual([[1, 1, 1], false, false]);
  run(0.03, [0, 2]);
  expect([...trust.trusted]).toEqual([1, 1, 1]);
  run(0.04, [0, 2]);
  expect([[...trust.trusted], trust.anyMuted, trust.uncertain]).toEqual([[1, 0, 1], true, true]);
  run(0.1, [0, 1, 2]);
  expect([...trust.trusted]).toEqual([1, 0, 1]);
  trust.proven(1, now());
  trust.advance(now());
  expect([[...trust.trusted], trust.anyMuted, trust.uncertain]).toEqual([[1, 1, 1], false, true]);
  trust.checked(now());
  expect(trust.uncertain).toBe(false);
});

test('a servo that is asked slowly is not muted by the time between two questions', () => {
  const trust = new ServoTrust(1, Number.POSITIVE_INFINITY, false);
  let now = 0;
  trust.advance(now);
  trust.checked(now);
  for (let k = 0; k < 20; k++) {
    now += 0.06;
    trust.advance(now);
    expect(trust.trusted[0]).toBe(1);
    trust.answered(0, k % 4 === 3, now);
  }
});

test('servos that nobody asks for a while, since something else has their bus, get no goals until their torque was read', () => {
  const { trust, run, now } = makeTrust();
  run(1, [0, 1, 2]);
  for (let k = 1; k <= 20; k++) {
    trust.advance(now() + k * CYCLE);
    trust.skipped();
  }
  trust.advance(now() + 21 * CYCLE);
  expect([[...trust.trusted], trust.uncertain]).toEqual([[0, 0, 0], true]);
});

test('a servo that is silent for half a second is lost: the others lower the arm for at most 35 s', () => {
  const { trust, run, now } = makeTrust();
  run(0.48, [0, 2]);
  expect(trust.loss(true, now())).toBe('none');
  run(0.05, [0, 2]);
  expect([[...trust.lost], trust.count, trust.first]).toEqual([[0, 1, 0], 1, 1]);
  expect(trust.loss(true, now())).toBe('some');
  expect([trust.takeNews(), trust.takeNews()]).toEqual([1, -1]);
  run(34.9, [0, 2]);
  expect(trust.loss(true, now())).toBe('some');
  run(0.2, [0, 2]);
  expect(trust.loss(true, now())).toBe('all');
  expect(trust.silenceText('servo 2')).toBe('servo 2 has not answered for 0.5 s: check the cable into it');
});

test('a second servo that is lost is reported too, and the way down around it takes as long again', () => {
  const { trust, run, now } = makeTrust();
  run(0.6, [0, 2]);
  expect([trust.loss(true, now()), trust.takeNews()]).toEqual(['some', 1]);
  run(30, [0, 2]);
  trust.fell(0, now());
  expect([trust.takeNews(), trust.takeNews()]).toEqual([0, -1]);
  expect(trust.loss(true, now())).toBe('some');
  run(30, [0, 2]);
  expect(trust.loss(true, now())).toBe('some');
  run(6, [0, 2]);
  expect(trust.loss(true, now())).toBe('all');
});

test('an arm that nobody carries, or of which no servo answers, is lost at once', () => {
  const some = makeTrust();
  some.run(0.6, [0, 2]);
  expect(some.trust.loss(false, some.now())).toBe('all');
  const all = makeTrust();
  all.run(0.6, []);
  expect(all.trust.loss(true, all.now())).toBe('all');
  expect(all.trust.silenceText('servo 1')).toMatch(/^no servo has answered for 0\.5 s/);
});

test('a servo that answers again is checked before it is counted on, and giving up ends the wait for the way down', () => {
  const { trust, run, now } = makeTrust();
  run(0.6, [0, 2]);
  expect(trust.loss(true, now())).toBe('some');
  trust.giveUp();
  expect(trust.loss(true, now())).toBe('all');
  run(CYCLE, [0, 1, 2]);
  expect(trust.loss(true, now())).toBe('returned');
  expect(trust.lost[1]).toBe(0);
  expect(trust.trusted[1]).toBe(0);
  trust.checked(now());
  expect(trust.loss(true, now())).toBe('none');
  expect([...trust.trusted]).toEqual([1, 1, 1]);
});

test('a servo that falls limp by itself is lost though it answers, until the arm is checked', () => {
  const { trust, run, now } = makeTrust();
  trust.fell(0, now());
  run(0.1, [0, 1, 2]);
  expect([trust.isLimp(0), [...trust.lost], [...trust.trusted]]).toEqual([true, [1, 0, 0], [0, 1, 1]]);
  expect(trust.loss(true, now())).toBe('some');
  trust.checked(now());
  expect(trust.isLimp(0)).toBe(false);
});

test('a pause of the host is nobody’s silence', () => {
  const trust = new ServoTrust(1, Number.POSITIVE_INFINITY, false);
  trust.advance(0);
  trust.checked(0);
  for (let k = 1; k < 30; k++) trust.answered(0, false, 0);
  trust.advance(0.9);
  expect(trust.count).toBe(0);
  trust.advance(3);
  expect(trust.count).toBe(1);
});

test('simulated servos wait for a busy host ten times as long', () => {
  const { trust, run } = makeTrust(true);
  run(4.9, []);
  expect(trust.count).toBe(0);
  run(0.2, []);
  expect(trust.count).toBe(3);
  expect(trust.silenceText('servo 1')).toMatch(/for 5 s/);
});

test('an arm whose servos were silent for so long that their watchdogs may have run out is checked anew', () => {
  for (const simulated of [true, false]) {
    const { trust, run, now } = makeTrust(simulated, 0.5);
    run(0.35, []);
    run(CYCLE, [0, 1, 2]);
    expect(trust.loss(true, now())).toBe('none');
    run(0.45, [0, 2]);
    run(CYCLE, [0, 1, 2]);
    expect(trust.loss(true, now())).toBe('returned');
    trust.checked(now());
    run(CYCLE, [0, 1, 2]);
    expect(trust.loss(true, now())).toBe('none');
  }
});
