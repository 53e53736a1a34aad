import { beforeEach, expect, test, vi } from 'vitest';
import type { Arm } from '../../src/arm/arm.ts';
import type { Caller } from '../../src/arm/types.ts';
import type { CalibrationAnswer } from '../../src/calibration/calibrating.ts';
import { CALIBRATION } from '../../src/calibration/calibration-steps.ts';
import { stepsOf } from '../support/machines.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';

const A: Caller = { owner: { key: 'a', name: 'owner a' }, takeOver: false };
const B: Caller = { owner: { key: 'b', name: 'owner b' }, takeOver: true };

let bridge: VirtualBridge;
let arm: Arm;
beforeEach(async () => {
  bridge = await VirtualBridge.start();
  arm = bridge.arm();
});

const next = (reversed: readonly string[] = []): Promise<CalibrationAnswer> =>
  bridge.until(bridge.bridge.calibration.next(arm, A, reversed), 90);

const offsets = async () => (await bridge.until(arm.servos.read())).map(({ homingOffset }) => homingOffset);

/** A hand leads joints to a share of their travel, -1 to 1. */
async function lead(share: number, names = arm.model.joints.map(({ name }) => name)): Promise<void> {
  const goal = Object.fromEntries(
    arm.model.joints
      .filter(({ name }) => names.includes(name))
      .map(({ name, lower, upper }) => [name, (lower + upper) / 2 + (share * (upper - lower)) / 2]),
  );
  await bridge.until(bridge.host.arms!.hand('arm', goal, 1));
  await bridge.pass(2.5);
}

/** Goes on up to the step of this number. */
async function upTo(step: number): Promise<CalibrationAnswer> {
  let answer = await next();
  expect(answer.step).toBe(1);
  if (step === 1) return answer;
  await lead(0);
  answer = await next();
  expect(answer, answer.message).toMatchObject({ step: 2 });
  if (step === 2) return answer;
  for (const { name } of arm.model.joints) {
    if (name === 'shoulder_lift' || name === 'elbow_flex') continue;
    await lead(1, [name]);
    await lead(-1, [name]);
    await lead(0, [name]);
  }
  // The table and the arm itself are in the way of one when the other is where it is.
  for (const [first, second] of [
    ['elbow_flex', 'shoulder_lift'],
    ['shoulder_lift', 'elbow_flex'],
  ] as const) {
    for (const share of [0.9, -0.9]) {
      await lead(share, [first]);
      await lead(1, [second]);
      await lead(-1, [second]);
      await lead(0, [second]);
    }
    await lead(0, [first]);
  }
  while (answer.step < step) {
    const before = answer.step;
    answer = await next();
    expect(answer.step, answer.message).toBe(before + 1);
    // The hand lets go once the arm holds.
    if (answer.step === 4) await bridge.until(bridge.host.arms!.hand('arm', null, 0));
  }
  return answer;
}

test('a hand takes an arm through all steps, and its calibration is kept', async () => {
  await upTo(5);
  const done = await next();
  expect(done.status, done.message).toBe('success');
  expect(arm.owner).toBeNull();
  expect(arm.read().torque).toBe(false);
  expect(bridge.bridge.calibration.view(arm)).toBeNull();
});

test('a step that is not yet as it should be says so, and the session stays where it is', async () => {
  await upTo(2);
  const early = await next();
  expect(early).toMatchObject({ status: 'in_progress', step: 2, message: expect.stringMatching(/^Not yet: /) });
  await expect(next(['elbow_flex'])).rejects.toMatchObject({ code: 'bad_request' });
});

test('whoever gives up leaves the servos with what they had, limp and free', async () => {
  const before = await offsets();
  await upTo(4);
  expect(await offsets()).not.toEqual(before);
  expect(arm.read().torque).toBe(true);
  expect(await bridge.until(bridge.bridge.calibration.cancel(arm, A))).toBe(true);
  expect(await offsets()).toEqual(before);
  expect(arm.read().torque).toBe(false);
  expect(arm.owner).toBeNull();
  expect(await bridge.until(bridge.bridge.calibration.cancel(arm, A))).toBe(false);
});

test.each([
  ['a stop', (): Promise<unknown> => arm.stop('test'), /the arm is stopped \(test\)/],
  ['another owner', (): Promise<unknown> => arm.takeOver(B), /taken over by owner b/],
])(
  '%s ends a calibration, is told, and the servos get back what they had once the arm is limp',
  async (_, end, words) => {
    const before = await offsets();
    await upTo(3);
    await bridge.until(end());
    await bridge.pass(0.5);
    expect(bridge.bridge.calibration.view(arm)).toBeNull();
    expect((await next()).message).toMatch(words);
    await bridge.pass(2);
    expect(await offsets()).toEqual(before);
  },
);

test('servos get no torque while offsets are written to them, and no offsets while they get torque', async () => {
  const before = await offsets();
  await upTo(3);
  expect(await offsets()).not.toEqual(before);
  const written = vi.spyOn(arm, 'calibrate');
  await bridge.until(arm.takeOver(B));
  const told: string[] = [];
  const on = () =>
    bridge.bridge.torque.on(arm, B).then(
      () => 'ok',
      ({ message }: Error) => message,
    );
  for (let passed = 0; passed < 3 && told.at(-1) !== 'ok'; passed += 0.05) {
    await bridge.pass(0.05);
    expect(arm.read().torque).toBe(false);
    told.push(await bridge.until(on()));
  }
  expect(told.at(-2)).toMatch(/its calibration is being written to its servos: ask again in a second/);
  expect(told.at(-1)).toBe('ok');
  expect(await offsets()).toEqual(before);
  await bridge.until(bridge.bridge.torque.off(arm, true, B));
  await bridge.pass(0.5);
  const again = on();
  await bridge.pass(0.05);
  const [left] = written.mock.calls.at(-1)!;
  await expect(bridge.until(arm.calibrate(left))).rejects.toThrow(/torque is being switched on/);
  expect(await bridge.until(again)).toBe('ok');
});

test('an arm is calibrated by one caller at a time, and driven by nobody meanwhile', async () => {
  await next();
  await expect(bridge.until(bridge.bridge.calibration.next(arm, { ...B, takeOver: false }, []))).rejects.toMatchObject({
    code: 'owned',
  });
  await expect(bridge.until(bridge.bridge.motion.init(arm, A))).rejects.toMatchObject({ code: 'owned' });
});

test('in every state but the last a calibration can be given up and lost, and servos get back what they had', () => {
  for (const [state, row] of Object.entries(CALIBRATION.table)) {
    if (state === 'ended') continue;
    expect(row.cancel).toEqual({ to: 'ended', effects: ['giveBack', 'release'] });
    expect(row.lost).toEqual({ to: 'ended', effects: ['giveBack'] });
  }
});

test('nothing is kept of a calibration that has not been through its last step', () => {
  const kept = stepsOf(CALIBRATION).filter(({ to, effects }) => to === 'ended' && !effects.includes('giveBack'));
  expect(kept).toEqual([{ from: 'save', input: 'done', to: 'ended', effects: ['release'] }]);
});

test.each(['homingOffset', 'positionLimits'] as const)(
  'servos that answer differently at first are read until their %s agrees',
  async (what) => {
    const facts = await bridge.until(arm.servos.read());
    const { positionLimits, homingOffset } = facts[0]!;
    const other = { positionLimits: { ...positionLimits, highest: 1 }, homingOffset: homingOffset + 7 };
    const read = vi.spyOn(arm.servos, 'read');
    read.mockResolvedValueOnce([{ ...facts[0]!, [what]: other[what] }, ...facts.slice(1)]);
    expect(await next()).toMatchObject({ status: 'in_progress', step: 1 });
    expect(read).toHaveBeenCalledTimes(3);
  },
);
