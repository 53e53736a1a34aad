import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Arm } from '../../src/arm/arm.ts';
import { forgetWhenRestored, GainStore } from '../../src/arm/gain-store.ts';
import type { Caller } from '../../src/arm/types.ts';
import { fileDisk } from '../../src/disk.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';

const A: Caller = { owner: { key: 'a', name: 'owner a' }, takeOver: false };
const REAL = 'serial:/dev/none';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'arm-bridge-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

/** Position gains that the servos work with, in counts. */
const gainsOf = async (bridge: VirtualBridge, arm: Arm) =>
  (await bridge.until(arm.servos.read())).map(({ gains }) => gains.p);

const soften = (name: string, part: number) => ({
  arms: [{ name: 'arm', bus: 'sim:so101', position_gains: { [name]: part } }],
});

test("configured parts are the servos' from the start, again after they have been away, and given back at the end", async () => {
  const plain = await VirtualBridge.start();
  const own = await gainsOf(plain, plain.arm());
  const bridge = await VirtualBridge.start(soften('elbow_flex', 0.5));
  const arm = bridge.arm();
  const soft = own.map((gain, i) => (i === 2 ? gain / 2 : gain));
  await bridge.pass(1);
  expect(await gainsOf(bridge, arm)).toEqual(soft);
  bridge.host.arms!.get('arm').unplug();
  await bridge.pass(1);
  await bridge.until(bridge.host.arms!.fault('arm', { powerCycle: true }));
  bridge.host.arms!.get('arm').plugIn();
  await bridge.pass(5);
  expect(await gainsOf(bridge, arm)).toEqual(soft);
  await bridge.until(bridge.bridge.gains.restore());
  expect(await gainsOf(bridge, arm)).toEqual(own);
});

test('of an arm that floats or moves no gain is changed', async () => {
  const bridge = await VirtualBridge.start();
  const arm = bridge.arm();
  const { gains } = bridge.bridge;
  expect(gains.refusal(arm)).toBeNull();
  const move = bridge.bridge.motion.init(arm, A);
  await bridge.pass(0.5);
  expect(gains.refusal(arm)).toBe('arm arm is moving: its gains change while it holds or is limp');
  await bridge.until(move);
  await bridge.until(bridge.bridge.gravity.start(arm, { shoulder: 100, elbow: 50, wrist: 10 }, A));
  expect(gains.refusal(arm)).toMatch(/is floating/);
});

test("a real servo's own gains are on disk while it has others, and the softest of those", () => {
  const kept = folder();
  const store = new GainStore(fileDisk, kept);
  const caps = { own: [1750, 1750], soft: [735, 735] };
  store.keep('arm', REAL, { own: [32, 32], soft: [16, 32], currents: caps });
  store.keep('arm', REAL, { own: [32, 32], soft: [32, 24], currents: caps });
  const left = { own: [32, 32], soft: [16, 24], currents: caps };
  expect(new GainStore(fileDisk, kept).read('arm', REAL)).toEqual(left);
  expect(new GainStore(fileDisk, kept).read('arm', 'serial:/dev/other')).toBeNull();
  store.forget('arm', REAL);
  expect(new GainStore(fileDisk, kept).read('arm', REAL)).toBeNull();
});

test('gains that are kept for another floating are not forgotten at the end of the one before', async () => {
  const bridge = await VirtualBridge.start();
  const arm = bridge.arm();
  const store = new GainStore(fileDisk, folder());
  const plan = { own: [400], soft: [150], currents: { own: [1750], soft: [735] } };
  store.keep(arm.name, arm.bus, plan);
  const forgetting = forgetWhenRestored(arm, store);
  store.keep(arm.name, arm.bus, plan);
  expect(await bridge.until(forgetting)).toBe(false);
  expect(store.kept(arm.name, arm.bus)).toEqual(plan);
  expect(await bridge.until(forgetWhenRestored(arm, store))).toBe(true);
  expect(store.kept(arm.name, arm.bus)).toBeUndefined();
});
