import { beforeEach, expect, test } from 'vitest';
import { armChain, loadArmModel } from '../../src/arm/model.ts';
import {
  angleBetween,
  multiplyRotations,
  rotationFromAxisAngle,
  rotationFromQuaternion,
} from '../../src/kinematics/frames.ts';
import { ArmPlanner } from '../../src/motion/planner.ts';
import { type Hand, ToolLead } from '../../src/motion/tool-lead.ts';

const model = loadArmModel('so101');
const chain = armChain(model);
const planner = new ArmPlanner(model, chain);
const zero = rotationFromQuaternion(planner.zero.orientation);
const init = planner.pose('init');
const at = planner.zero.position;
const start: Hand = { x: 0.4, y: -1.2, z: 1.5, pitch: 0.3, yaw: -0.7, roll: 1.1 };

let lead: ToolLead;
beforeEach(() => {
  lead = new ToolLead({ chain, zero, touches: (from, to) => planner.touches(from, to) });
  lead.latch(start, init);
});

/** Moves the hand in small steps; the arm keeps up. @returns what the last one answers */
function move(to: Partial<Hand>, steps = 20): string | null {
  let answer: string | null = null;
  const end = { ...start, ...to };
  const mix = (part: number) =>
    Object.fromEntries(
      Object.entries(start).map(([key, from]) => [key, from + part * (end[key as keyof Hand] - from)]),
    ) as unknown as Hand;
  for (let k = 1; k <= steps; k++) answer = lead.follow(mix(k / steps), lead.goal.slice(), null);
  return answer;
}

const tool = () => chain.toolPose(lead.goal);

test('wherever the hand is when it is latched, the arm stays; only the gripper goes where it is asked', () => {
  const { index, open } = model.gripper!;
  expect(lead.follow(start, init, { index, position: open })).toBeNull();
  for (const [i, angle] of lead.goal.entries()) expect(angle).toBeCloseTo(i === index ? open : init[i]!, 6);
});

test('the tool moves as the hand does, in axes of the base', () => {
  expect(move({ x: start.x - 0.04, y: start.y + 0.03, z: start.z + 0.02 })).toBeNull();
  const { position } = tool();
  expect(position.x - at.x).toBeCloseTo(-0.04, 4);
  expect(position.y - at.y).toBeCloseTo(0.03, 4);
  expect(position.z - at.z).toBeCloseTo(0.02, 4);
});

test('the tool turns about the axis about which the hand has turned since', () => {
  const six = loadArmModel('wx250s');
  const arm = armChain(six);
  const plan = new ArmPlanner(six, arm);
  const level = rotationFromQuaternion(plan.zero.orientation);
  const turning = new ToolLead({ chain: arm, zero: level, touches: (from, to) => plan.touches(from, to) });
  // Its nose points to the left: lifting it is a turn about the x axis of the base.
  const sideways = { ...start, pitch: 0, yaw: Math.PI / 2, roll: 0 };
  turning.latch(sideways, plan.pose('init'));
  for (let k = 1; k <= 10; k++) {
    expect(turning.follow({ ...sideways, pitch: 0.04 * k }, turning.goal.slice(), null)).toBeNull();
  }
  const { position, orientation } = arm.toolPose(turning.goal);
  const wanted = multiplyRotations(rotationFromAxisAngle(1, 0, 0, 0.4), level);
  expect(angleBetween(rotationFromQuaternion(orientation), wanted)).toBeLessThan(0.002);
  const { x, y, z } = plan.zero.position;
  expect(Math.hypot(position.x - x, position.y - y, position.z - z)).toBeLessThan(1e-3);
});

test('beyond its reach the arm stays where it came, says so, and comes back with the hand', () => {
  expect(move({ x: start.x + 0.5 }, 50)).toMatch(/beyond the reach|leap/);
  const far = lead.goal.slice();
  expect(Math.max(...far.map((angle, i) => Math.abs(angle - init[i]!)))).toBeLessThan(2);
  const back = 50;
  for (let k = back; k >= 0; k--) lead.follow({ ...start, x: start.x + (0.5 * k) / back }, lead.goal.slice(), null);
  expect(Math.hypot(tool().position.x - at.x, tool().position.z - at.z)).toBeLessThan(1e-3);
});

test('what would touch the table or the arm itself is not led to, and every goal on the way is free', () => {
  let answer: string | null = null;
  for (let k = 1; k <= 60; k++) {
    const before = lead.goal.slice();
    answer = lead.follow({ ...start, x: start.x - 0.004 * k, z: start.z - 0.006 * k }, before, null);
    expect(planner.touches(before, lead.goal)).toBeNull();
  }
  expect(answer).toMatch(/would touch/);
});

test('a hand that leaps is followed from where it is then', () => {
  move({ z: start.z + 0.02 });
  const before = lead.goal.slice();
  const leapt = { ...start, x: start.x + 1 };
  expect(lead.follow(leapt, before, null)).toMatch(/has leapt/);
  expect([...lead.goal]).toEqual([...before]);
  expect(lead.follow({ ...leapt, y: leapt.y + 0.01 }, before, null)).toBeNull();
  expect(tool().position.y - at.y).toBeCloseTo(0.01, 4);
  expect(tool().position.z - at.z).toBeCloseTo(0.02, 4);
});
