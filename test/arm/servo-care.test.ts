import { expect, test } from 'vitest';
import type { ArmSet } from '../../src/arm/arms.ts';
import { ServoCare, type ServoFacts } from '../../src/arm/servo-care.ts';
import type { Arm } from '../../src/arm/types.ts';

test('whoever asks an arm for its servos while it is being asked shares the next read', async () => {
  const answers: ((facts: readonly ServoFacts[]) => void)[] = [];
  const failures: ((reason: Error) => void)[] = [];
  const arm = {
    name: 'follower',
    remote: false,
    requireConnected: () => {},
    servos: () =>
      new Promise<readonly ServoFacts[]>((resolve, reject) => {
        answers.push(resolve);
        failures.push(reject);
      }),
  };
  const care = new ServoCare({ byName: () => arm } as unknown as ArmSet);
  const read = () => care.read(arm as unknown as Arm);
  const first = read();
  await expect.poll(() => answers.length).toBe(1);
  const late = Array.from({ length: 100 }, read);
  const [before, after]: (readonly ServoFacts[])[] = [[], []];
  answers[0]!(before!);
  expect(await first).toBe(before);
  await expect.poll(() => answers.length).toBe(2);
  answers[1]!(after!);
  // What they are told was read after they asked.
  for (const told of await Promise.all(late)) expect(told).toBe(after);
  // One that fails keeps nobody from the next.
  const lost = read();
  await expect.poll(() => answers.length).toBe(3);
  const next = read();
  failures[2]!(new Error('disconnected'));
  await expect(lost).rejects.toThrow('disconnected');
  await expect.poll(() => answers.length).toBe(4);
  answers[3]!(before!);
  expect(await next).toBe(before);
  expect(answers).toHaveLength(4);
});
