import { expect, test } from 'vitest';
import type { ArmFrame } from '../../web/protocol.ts';
import { Telling, VISIBLE } from '../../web/telling.ts';

const BASE: ArmFrame = {
  id: 0,
  state: 'ready',
  owner: null,
  owner_since: null,
  torque: true,
  failed: false,
  initialised: true,
  calibrated: true,
  outside_limits: [],
  doubt: '',
  sampled: 0,
  reason: '',
  joints: {
    position: [0.5, null],
    goal: [0.5, null],
    velocity: [0, 0],
    effort: [0, 0],
    external: [null, null],
    temperature: [30, 30],
    voltage: [7.4, 7.4],
    alarm: [0, 0],
  },
  tool: null,
  wrench: null,
  opening: null,
  motion: null,
};
const at = (position: number, goal = 0.5): ArmFrame => ({
  ...BASE,
  joints: { ...BASE.joints, position: [position, null], goal: [goal, null] },
});
const FRAME = 1000 / 30;

/** Frames of one moving joint that are shown in a second. @param way of it from frame to frame, rad */
function shown(telling: Telling, way: number): number {
  let count = 0;
  for (let i = 0; i < 30; i++) if (telling.due([at(0.5 + way * i)], 10_000 + i * FRAME)) count += 1;
  return count;
}

test('a computer that draws quickly shows every frame', () => {
  expect(shown(new Telling(), 0)).toBe(30);
});

test('a slow one leaves frames out while arms move, and more of them at rest', () => {
  const telling = new Telling();
  telling.interval = 90;
  expect(shown(telling, 0.01)).toBe(10);
  expect(shown(new Slow(), 0)).toBe(2);
});

test('what moves less than anybody can see counts as at rest, until it has come far enough', () => {
  expect(shown(new Slow(), VISIBLE / 100)).toBe(2);
  const telling = new Slow();
  telling.due([at(0.5)], 0);
  expect(telling.due([at(0.5 + 0.9 * VISIBLE)], 100)).toBe(false);
  expect(telling.due([at(0.5 + 1.1 * VISIBLE)], 133)).toBe(true);
  expect(telling.due([at(0.5 + 1.1 * VISIBLE, 0.6)], 300)).toBe(true);
});

test.each<[string, ArmFrame]>([
  ['a stop', { ...BASE, state: 'stopped' }],
  ['another owner', { ...BASE, owner: 'a ROS topic' }],
  ['torque that is gone', { ...BASE, torque: false }],
  ['another reason', { ...BASE, reason: 'no servo answers' }],
  ['an alarm', { ...BASE, joints: { ...BASE.joints, alarm: [32, 0] } }],
])('%s is shown with the very next frame', (_, frame) => {
  const telling = new Slow();
  telling.due([BASE], 0);
  expect(telling.due([BASE], 1)).toBe(false);
  expect(telling.due([frame], 2)).toBe(true);
});

test('an arm that is added is shown at once', () => {
  const telling = new Slow();
  telling.due([BASE], 0);
  expect(telling.due([BASE, { ...BASE, id: 1 }], 1)).toBe(true);
});

class Slow extends Telling {
  override interval = 90;
}
