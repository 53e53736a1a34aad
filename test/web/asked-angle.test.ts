import { expect, test } from 'vitest';
import { AskedAngle } from '../../web/asked-angle.ts';
import type { ArmFrame } from '../../web/protocol.ts';

const ME = 'this page';
const frame = (state: ArmFrame['state'], owner: string | null): ArmFrame => ({ state, owner }) as ArmFrame;
const FREE = frame('ready', null);
const MOVING = frame('moving', ME);

/** One that the bridge has accepted, and whose motion has begun. */
async function askedFor(value: number): Promise<AskedAngle> {
  const asked = new AskedAngle();
  await asked.ask(value, FREE, Promise.resolve(true));
  asked.see(FREE, 0, ME, '');
  // The arm is taken before it moves.
  asked.see(frame('ready', ME), 0, ME, '');
  asked.see(MOVING, value / 2, ME, '');
  return asked;
}

test('an angle counts as asked for until the goal has arrived there', async () => {
  const asked = await askedFor(20);
  expect(asked.value).toBe(20);
  asked.see(MOVING, 19.7, ME, '');
  expect(asked.value).toBeNull();
});

test.each([
  ['ends its motion elsewhere', FREE, ''],
  ['is moved by somebody else', frame('moving', 'another page'), ''],
  ['mirrors', frame('mirroring', ME), ''],
  ['cannot be moved', MOVING, 'follower is stopped: press Reset first.'],
])('an angle counts as asked for no longer when the arm %s', async (_, now, why) => {
  const asked = await askedFor(20);
  asked.see(now, 12, ME, why);
  expect(asked.value).toBeNull();
});

test('an angle that is asked for while the motion before it ends counts on', async () => {
  const asked = new AskedAngle();
  let accept = (_accepted: boolean): void => {};
  const answer = new Promise<boolean>((resolve) => {
    accept = resolve;
  });
  const accepted = asked.ask(20, frame('moving', 'another page'), answer);
  asked.see(FREE, 0, ME, '');
  expect(asked.value).toBe(20);
  asked.see(MOVING, 3, ME, '');
  accept(true);
  await accepted;
  expect(asked.value).toBe(20);
  asked.see(FREE, 12, ME, '');
  expect(asked.value).toBeNull();
});

test('a refusal takes back the angle that was refused, and no newer one', async () => {
  const asked = new AskedAngle();
  let refuse = (_accepted: boolean): void => {};
  const refused = asked.ask(
    10,
    FREE,
    new Promise((resolve) => {
      refuse = resolve;
    }),
  );
  const newer = asked.ask(20, FREE, Promise.resolve(true));
  refuse(false);
  await Promise.all([refused, newer]);
  expect(asked.value).toBe(20);
  await asked.ask(30, FREE, Promise.resolve(false));
  expect(asked.value).toBeNull();
});
