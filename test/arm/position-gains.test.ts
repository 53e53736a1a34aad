import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { ArmSet } from '../../src/arm/arms.ts';
import { GainStore } from '../../src/arm/gain-store.ts';
import type { ArmHandle } from '../../src/arm/handle.ts';
import { GainParts } from '../../src/arm/position-gains.ts';
import type { Arm, ArmState } from '../../src/arm/types.ts';

const OWN = 32;

/** One servo per joint; what it is told, and what is on disk then. */
class FakeHandle {
  readonly id = 0;
  readonly name = 'arm';
  readonly bus = 'serial:/dev/none';
  readonly remote = false;
  readonly model = { joints: [{ name: 'lift' }, { name: 'wrist' }], gravity: { softGain: 0.375 } };
  state: ArmState = 'ready';
  parts = [1, 1];
  readonly told: { parts: number[]; kept: readonly number[] | undefined }[] = [];
  #listener: (state: ArmState) => void = () => {};

  constructor(readonly folder: string) {}

  read() {
    return { state: this.state };
  }
  onState(listener: (state: ArmState) => void): void {
    this.#listener = listener;
  }
  become(state: ArmState): void {
    this.state = state;
    if (state === 'disconnected') this.parts = [1, 1];
    this.#listener(state);
  }
  async gains(parts: Float64Array) {
    if (this.state === 'disconnected') throw new Error('it is away');
    const soft = Array.from(parts, (part) => OWN * part);
    return { own: [OWN, OWN], soft, currents: { own: [], soft: [] }, restored: this.parts.every((part) => part === 1) };
  }
  async workWith(parts: Float64Array): Promise<void> {
    this.parts = [...parts];
    this.told.push({ parts: this.parts, kept: new GainStore(this.folder).read(this.name, this.bus)?.soft });
  }
}

let arm: FakeHandle;
let store: GainStore;
let notices: string[];
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  arm = new FakeHandle(folder);
  store = new GainStore(folder);
  notices = [];
});

function gainParts(configured: Record<string, number> = {}): GainParts {
  const arms = { all: [arm], byId: () => arm } as unknown as ArmSet;
  const gains = new GainParts(arms, store, (text) => notices.push(text));
  gains.add(arm as unknown as ArmHandle, configured);
  return gains;
}

const asArm = (): Arm => arm as unknown as Arm;

/** Lets the promises of a change settle. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("the servos' own gains are on disk before they are given others, and forgotten once they have them back", async () => {
  const gains = gainParts();
  gains.begin();
  await settle();
  expect(arm.told).toEqual([]);
  gains.set(asArm(), 0, 0.5);
  await settle();
  expect(arm.told).toEqual([{ parts: [0.5, 1], kept: [16, 32] }]);
  expect(gains.parts(asArm())).toEqual([0.5, 1]);
  await gains.restore();
  expect(arm.told.at(-1)!.parts).toEqual([1, 1]);
  expect(new GainStore(arm.folder).read(arm.name, arm.bus)).toBeNull();
  expect(notices).toEqual([]);
});

test('configured parts are set at the start, and again when the arm is back', async () => {
  arm.become('disconnected');
  const gains = gainParts({ wrist: 0.75 });
  gains.begin();
  await settle();
  expect(arm.told).toEqual([]);
  for (let time = 1; time <= 2; time++) {
    arm.become('connected');
    await settle();
    expect(arm.parts).toEqual([1, 0.75]);
    expect(arm.told).toHaveLength(time);
    arm.become('ready');
    await settle();
    expect(arm.told).toHaveLength(time);
    arm.become('disconnected');
  }
  // Nothing is waited for that cannot come.
  await gains.restore();
  expect(new GainStore(arm.folder).read(arm.name, arm.bus)?.own).toEqual([OWN, OWN]);
});

test('an arm that comes while the bridge runs is looked after as well', async () => {
  const gains = new GainParts({ all: [], byId: () => arm } as unknown as ArmSet, store, (text) => notices.push(text));
  gains.begin();
  gains.add(arm as unknown as ArmHandle, { lift: 0.5 });
  await settle();
  expect(arm.parts).toEqual([0.5, 1]);
});

test.each(['moving', 'mirroring', 'floating'] as const)('of an arm that is %s no gain is changed', (state) => {
  const gains = gainParts();
  expect(gains.refusal(asArm())).toBeNull();
  arm.become(state);
  expect(gains.refusal(asArm())).toContain(`arm arm is ${state}`);
});

test('where they cannot be kept nothing is changed, and people are told', async () => {
  store.keep = () => {
    throw new Error('disk full');
  };
  const gains = gainParts();
  gains.set(asArm(), 0, 0.5);
  await settle();
  expect(arm.told).toEqual([]);
  expect(notices).toEqual([expect.stringMatching(/arm: .*disk full/)]);
});
