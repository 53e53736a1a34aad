import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { VirtualTime } from '../../explore/virtual-clock.ts';
import { RosPreparation, type RosProgress } from '../../src/ros/preparation.ts';

let folder: string;
let writer: number;
let environment: NodeJS.ProcessEnv;
const time = new VirtualTime();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-preparation-'));
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  // A FIFO may be opened for reading before anybody writes to it, if nobody waits.
  const descriptor = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  writer = openSync(pipe, 'w');
  environment = { ARM_BRIDGE_ROS_PREPARATION: String(descriptor), OTHER: 'stays' };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const clock = time.lane('main');
const begin = (): RosPreparation => RosPreparation.of(environment, clock)!;
const say = (news: object): number => writeSync(writer, `${JSON.stringify(news)}\n`);

test('without a preparation there is nothing to wait for', () => {
  expect(RosPreparation.of({}, clock)).toBeNull();
  expect(RosPreparation.of({ ARM_BRIDGE_ROS_PREPARATION: '' }, clock)).toBeNull();
  closeSync(writer);
});

test('each step is told as it begins, and the time that is left runs down', async () => {
  const preparation = begin();
  const steps: RosProgress[] = [];
  await new Promise<void>((resolve) => {
    preparation.onStep = (progress) => {
      steps.push(progress);
      if (steps.length === 2) resolve();
    };
    say({ step: 'installing', left: 60 });
    say({ step: 'building', left: 30 });
  });
  expect(steps).toEqual([
    { step: 'installing', left: 60 },
    { step: 'building', left: 30 },
  ]);
  expect(preparation.progress).toEqual({ step: 'building', left: 30 });
  time.runSync(time.now + 12);
  expect(preparation.progress.left).toBe(18);
  time.runSync(time.now + 60);
  expect(preparation.progress.left).toBe(0);
  closeSync(writer);
  await preparation.ended;
});

test('a ROS 2 that is ready is in the environment, and its preparation no longer', async () => {
  const preparation = begin();
  say({ ready: { AMENT_PREFIX_PATH: '/ros', ROS_DISTRO: 'jazzy' } });
  closeSync(writer);
  await preparation.ended;
  expect(environment).toEqual({ AMENT_PREFIX_PATH: '/ros', ROS_DISTRO: 'jazzy', OTHER: 'stays' });
});

test.each([
  ['the reason that it gave', [{ failed: 'no compiler' }], 'no compiler'],
  ['where to look, if it ended without a word', [{ step: 'building', left: 3 }], /ended early.*build\/log/],
])('a ROS 2 that cannot be had is told with %s', async (_, news, reason) => {
  const preparation = begin();
  for (const line of news) say(line);
  closeSync(writer);
  await preparation.ended;
  expect(environment.ARM_BRIDGE_ROS_UNAVAILABLE).toMatch(reason);
});

test('a preparation that is given up has ended', async () => {
  const preparation = begin();
  preparation.abandon();
  await preparation.ended;
  closeSync(writer);
});
