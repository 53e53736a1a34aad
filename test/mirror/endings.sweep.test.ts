import { expect, test } from 'vitest';
import { FeltPair, fadeTime, motor, networkOf, PAN, pressing } from './support/felt.ts';

/** Everything that ends what a hand feels: how soon it is gone, and whether it goes without a kick. */

const CYCLE = 0.005;
/** Largest speed of goals that follow, rad/s. */
const MIRROR_SPEED = 3;

/** What ends feedback. */
const ENDINGS: readonly (readonly [string, (pair: FeltPair) => Promise<unknown>])[] = [
  ['a stop', (pair: FeltPair) => pair.bridge.post('/stop')],
  ['the end of mirroring', (pair: FeltPair) => pair.bridge.post('/move/leader/stop?release=hold')],
  ['a follower that is stopped', (pair: FeltPair) => pair.bridge.post('/stop?robot_id=1')],
  ['a follower that is silent', (pair: FeltPair) => pair.bridge.fault('follower', { unplugged: true })],
  ['a follower whose line is stuck', (pair: FeltPair) => pair.bridge.fault('follower', { stall: 1 })],
  ['another setting', (pair: FeltPair) => pair.bridge.post('/teleop/settings', { force_feedback: { arm: 0 } })],
  ['another owner', (pair: FeltPair) => pair.bridge.post('/move/init?robot_id=1&take_over=true')],
  [
    'torque off',
    (pair: FeltPair) =>
      pair.bridge.post('/torque/toggle?robot_id=1&take_over=true', { torque_status: false, force: true }),
  ],
];

test.each(ENDINGS)(
  '%s fades what the hand feels within 0.1 s and two cycles',
  async (_, end) => {
    const pair = await FeltPair.start({ arm: 1 });
    await pressing(pair);
    expect(await fadeTime(pair, PAN, end)).toBeLessThan(0.1 + 2 * CYCLE);
  },
  300_000,
);

test.each(ENDINGS)(
  '%s lets go of the hand without a kick',
  async (_, end) => {
    const pair = await FeltPair.start({ arm: 1 });
    await pressing(pair);
    expect(-motor(pair)).toBeGreaterThan(0.3);
    const leader = pair.bridge.arm('leader');
    let last = leader.read().goals.slice();
    let largest = 0;
    const ended = end(pair);
    for (let k = 0; k < 60; k++) {
      await pair.bridge.pass(CYCLE);
      const { goals } = leader.read();
      for (const [i, goal] of goals.entries()) largest = Math.max(largest, Math.abs(goal - last[i]!));
      last = goals.slice();
    }
    await pair.bridge.until(Promise.resolve(ended));
    // The speed of mirroring, twice where two cycles fall between two looks.
    expect(largest).toBeLessThan(2 * 3 * CYCLE + 1e-6);
    pair.clear();
    await pair.bridge.pass(0.3);
    expect(Math.abs(motor(pair))).toBeLessThan(0.15);
  },
  300_000,
);

/** A network with a delay of 20 ms each way. */
const NEAR = networkOf(0.02);
/** Until the newest message from there is 0.1 s old, s: it was up to 24 ms on its way, and they come every 10 ms. */
const MISSED = 0.024 + 0.01 + 0.1;
/** What ends feedback of another machine, and within which time, s. */
const REMOTE_ENDINGS: readonly (readonly [string, (pair: FeltPair) => Promise<unknown> | undefined, number])[] = [
  [
    'a network that is gone',
    (pair) => {
      pair.graph!.network = { delay: 0, loss: 1 };
      return undefined;
    },
    MISSED,
  ],
  ['a follower that is stopped on its own machine', (pair) => pair.owner.post('/stop'), MISSED],
  ['a follower that is unplugged there', (pair) => pair.owner.fault('follower', { unplugged: true }), MISSED],
  ['a follower whose line is stuck there', (pair) => pair.owner.fault('follower', { stall: 1 }), MISSED],
  ['a stop of the leader', (pair) => pair.bridge.post('/stop?robot_id=0'), 0.1],
  ['the end of mirroring', (pair) => pair.bridge.post('/move/leader/stop?release=hold'), 0.1],
  ['another setting', (pair) => pair.bridge.post('/teleop/settings', { force_feedback: { arm: 0 } }), 0.1],
];

test.each(REMOTE_ENDINGS)(
  '%s fades what the hand feels of another machine in time',
  async (_, end, within) => {
    const pair = await FeltPair.start({ arm: 1 }, { network: NEAR });
    await pressing(pair, 0.3, 1.5);
    const time = await fadeTime(pair, PAN, end);
    expect(time).toBeLessThan(within + 0.01);
  },
  300_000,
);

test.each(REMOTE_ENDINGS)(
  '%s lets go of the hand that feels another machine without a kick',
  async (_, end) => {
    const pair = await FeltPair.start({ arm: 1 }, { network: NEAR });
    await pressing(pair, 0.3, 1.5);
    expect(-motor(pair)).toBeGreaterThan(0.3);
    const leader = pair.bridge.arm('leader');
    let { goalTime: at, goals: last } = leader.read();
    last = last.slice();
    let fastest = 0;
    const ended = end(pair);
    for (let k = 0; k < 60; k++) {
      await pair.bridge.pass(CYCLE);
      const { goalTime, goals } = leader.read();
      if (goalTime === at) continue;
      for (const [i, goal] of goals.entries()) fastest = Math.max(fastest, Math.abs(goal - last[i]!) / (goalTime - at));
      at = goalTime;
      last = goals.slice();
    }
    await pair.bridge.until(Promise.resolve(ended));
    expect(fastest).toBeLessThan(MIRROR_SPEED + 0.01);
    pair.clear();
    await pair.bridge.pass(0.3);
    expect(Math.abs(motor(pair))).toBeLessThan(0.15);
  },
  300_000,
);
