import { expect, test } from 'vitest';
import type { ArmHandle } from '../../src/arm/handle.ts';
import { loadArmModel } from '../../src/arm/model.ts';
import { BridgeError, type Caller, type Owner } from '../../src/arm/types.ts';
import type { MoveService } from '../../src/motion/move-service.ts';
import { Protection } from '../../src/motion/protection.ts';
import type { Ailment } from '../../src/rt/driver/arm-link.ts';

const model = loadArmModel('koch');
const ELBOW = 2;
const TEXT = 'servo 3 (elbow_flex) has had enough';

/** What the protection needs of an arm's handle, and in which order it has used it. */
class FakeHandle {
  readonly name = 'koch';
  readonly model = model;
  readonly done: string[] = [];
  owner: Owner | null = { key: 'http', name: 'HTTP clients' };
  notice = '';
  torque = true;
  claim(caller: Caller): object {
    this.done.push(`claimed, taking over: ${caller.takeOver}`);
    this.owner = caller.owner;
    return {};
  }
  release(): void {
    this.owner = null;
  }
  reserve(owner: Owner): void {
    this.done.push(`kept for ${owner.name}`);
  }
  unreserve(): void {}
  async giveUp(): Promise<void> {
    this.done.push('given up');
  }
  read(): { torque: boolean } {
    return { torque: this.torque };
  }
}

/** Tells the protection of an ailing servo. @param lower what comes of lowering the arm */
async function ail(
  arm: FakeHandle,
  joint: number,
  ailment: Ailment,
  lower: () => Promise<string | null> = async () => null,
): Promise<void> {
  const motion = {
    lower: (_: unknown, __: unknown, without: number | null) => {
      arm.done.push(`lowered without joint ${without}`);
      return lower();
    },
  };
  const protection = new Protection(motion as unknown as MoveService, () => {});
  await protection.ailing(arm as unknown as ArmHandle, joint, TEXT, ailment);
}

test.each([
  ['failing', null, [], `${TEXT}: it has been lowered and released`],
  ['limp', ELBOW, ['given up'], `${TEXT}: the other servos have lowered it and hold`],
  // Its arm is disconnected, for a reason that says the rest.
  ['silent', ELBOW, ['given up'], 'the other servos have lowered it and hold'],
] as const)(
  'an arm with a servo that is %s is taken from its owner and lowered, and says so',
  async (ailment, without, after, notice) => {
    const arm = new FakeHandle();
    await ail(arm, ELBOW, ailment);
    const kept = without === null ? [] : [`kept for the protection of its servos (${TEXT})`];
    expect(arm.done).toEqual(['claimed, taking over: true', ...kept, `lowered without joint ${without}`, ...after]);
    expect([arm.notice, arm.owner]).toEqual([notice, null]);
  },
);

test('an arm that cannot be lowered for a limp servo says why, and is checked anew all the same', async () => {
  const arm = new FakeHandle();
  await ail(arm, ELBOW, 'limp', async () => {
    throw new BridgeError('stopped', 'arm koch is stopped and holds');
  });
  expect(arm.notice).toBe(`${TEXT}: arm koch is stopped and holds`);
  expect(arm.done.at(-1)).toBe('given up');
});

test('a limp gripper carries nothing, and a limp arm is not lowered: neither is taken from its owner', async () => {
  const gripper = new FakeHandle();
  await ail(gripper, model.gripper!.index, 'limp');
  expect([gripper.done, gripper.owner?.key]).toEqual([['given up'], 'http']);
  const limp = new FakeHandle();
  limp.torque = false;
  await ail(limp, ELBOW, 'limp');
  expect([limp.done, limp.owner?.key]).toEqual([['given up'], 'http']);
});
