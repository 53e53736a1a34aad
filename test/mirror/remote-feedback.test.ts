import { expect, test } from 'vitest';
import { FeltPair, motor, networkOf, PAN, pressing, steadiness } from './support/felt.ts';

/** Half of what the leader's shoulder_pan gives, Nm: most that floating may ask of it. */
const CAP = 1.63 / 2;

test('a hand feels most of what pushes a follower 60 ms away, and nothing in free motion', async () => {
  const told: { free: number; pushed: number; wall: number }[] = [];
  for (const arm of [0, 1]) {
    const pair = await FeltPair.start({ arm }, { network: networkOf(0.06) });
    const start = pair.place('leader', PAN);
    let time = 0;
    const hand = pair.hand(PAN, 60, 1, () => start + 0.4 * Math.sin(2.5 * time));
    let free = 0;
    for (; time < 3; time += 0.01) {
      await pair.bridge.pass(0.01);
      free += (Math.abs(hand()) * 0.01) / 3;
    }
    pair.clear();
    await pair.bridge.lead('leader', { [PAN]: start }, 0.5);
    await pair.bridge.pass(1);
    await pair.bridge.lead('leader', null);
    const { wall } = await pressing(pair, 0.3, 1.5);
    told.push({ free, pushed: -motor(pair), wall: -wall() });
  }
  const [without, felt] = told as [(typeof told)[0], (typeof told)[0]];
  expect(felt.free - without.free).toBeLessThan(0.05);
  expect(Math.abs(without.pushed)).toBeLessThan(0.1);
  expect(felt.pushed).toBeGreaterThan(0.6 * Math.min(felt.wall, CAP));
  expect(felt.pushed).toBeLessThan(CAP + 0.05);
}, 300_000);

test('a push of a follower 60 ms away stays while messages are late by chance and some are lost', async () => {
  const pair = await FeltPair.start({ arm: 1 }, { network: networkOf(0.06) });
  await pressing(pair, 0.3, 1.5);
  expect(await steadiness(pair, 5)).toBeGreaterThan(0.9);
}, 300_000);

test('the gripper of a follower of another machine is felt by its own setting', async () => {
  const left: number[] = [];
  for (const feedback of [
    { arm: 1, gripper: 0 },
    { arm: 0, gripper: 1 },
  ]) {
    const pair = await FeltPair.start(feedback, { network: networkOf(0.02) });
    const start = pair.place('leader', 'gripper');
    let goal = start;
    pair.hand('gripper', 2, 0.05, () => goal);
    pair.wall('gripper', start + 0.15, 200);
    for (; goal < start + 0.4; goal += 0.005) await pair.bridge.pass(0.01);
    await pair.bridge.pass(1.5);
    left.push(goal - pair.place('leader', 'gripper'));
  }
  const [free, held] = left as [number, number];
  expect(free).toBeLessThan(0.05);
  expect(held).toBeGreaterThan(free + 0.05);
}, 60_000);
