import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { VirtualTime } from '../../explore/virtual-clock.ts';

let time: VirtualTime;
let told: string[];
const say = (what: string): void => {
  told.push(`${what} ${time.now}`);
};

beforeEach(() => {
  time = new VirtualTime();
  told = [];
});

test.each([true, false])(
  'what awaits promises has gone on as far as it can before the next event (a thread that calculates: %s)',
  async (calculates) => {
    const lane = time.lane('thread', calculates);
    const settled = Promise.resolve();
    const chain = async (): Promise<void> => {
      for (let step = 0; step < 5; step++) await null;
      await settled;
      say('chain');
    };
    lane.after(1, () => void chain());
    lane.after(2, () => void settled.then(() => say('then')));
    lane.after(3, () => void lane.sleep(0.5).then(() => say('slept')));
    for (const at of [1, 2, 3, 4]) lane.after(at + 1e-9, () => say('event'));
    await time.run(5);
    expect(told.map((line) => line.split(' ')[0])).toEqual([
      ...['chain', 'event', 'then', 'event', 'event', 'slept', 'event'],
    ]);
    expect(told[5]).toBe('slept 3.5');
  },
);

test('a file is read in no time, and what is put off to the next turn of the event loop is done', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-clock-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const main = time.lane('main');
  const file = join(folder, 'file');
  main.after(
    1,
    () =>
      void writeFile(file, 'text')
        .then(() => readFile(file))
        .then(() => say('read')),
  );
  main.after(1, () => setImmediate(() => setImmediate(() => process.nextTick(() => say('turned')))));
  const bus = time.lane('bus', true);
  bus.every(0.001, () => {});
  await time.run(2);
  expect(told.toSorted()).toEqual(['read 1', 'turned 1']);
});

test('where two let time pass, the one that waits for less goes on before more happens', async () => {
  const bus = time.lane('bus', true);
  const main = time.lane('main');
  bus.every(0.001, () => {});
  const longer = time.until(main.sleep(1), 2);
  for (let step = 0; step < 10; step++) {
    const before = time.now;
    await time.run(before + 0.01);
    expect(time.now - before).toBeLessThan(0.013);
  }
  await longer;
  expect(time.now).toBeGreaterThanOrEqual(1);
});

test('what does not settle in time is an error, and a rejection is told', async () => {
  const main = time.lane('main');
  await expect(time.until(new Promise(() => {}), 3)).rejects.toThrow('not settled within 3 s of virtual time');
  await expect(
    time.until(
      main.sleep(1).then(() => Promise.reject(new Error('no'))),
      3,
    ),
  ).rejects.toThrow('no');
  expect(await time.settles(main.sleep(5), 1)).toBe(false);
  expect(await time.settles(main.sleep(1), 2)).toBe(true);
});
