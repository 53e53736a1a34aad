import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { ArmSet } from '../../src/arm/arms.ts';
import { forgetWhenRestored, GainStore } from '../../src/arm/gain-store.ts';
import { type ArmHandle, Claim, type Loss } from '../../src/arm/handle.ts';
import { type Arm, BridgeError, type Caller } from '../../src/arm/types.ts';
import { GravityService } from '../../src/mirror/gravity.ts';
import { DEFAULT_GRAVITY, type PlannedMotions } from '../../src/mirror/mirroring.ts';
import type { SourceSpec } from '../../src/rt/messages.ts';

/** What floating uses of an arm. */
class FakeHandle {
  readonly id = 0;
  readonly name = 'leader';
  readonly bus = 'serial:/dev/null';
  readonly remote = false;
  model = { joints: [{ role: 'shoulder_lift' }], gravity: { softGain: 0.375 } };
  held: Claim | null = null;
  readonly driven: SourceSpec[] = [];
  /** Comes between a request and its answer. */
  meanwhile: () => void = () => {};

  read() {
    return { state: 'ready' };
  }
  claim(caller: Caller, onLoss: (loss: Loss) => void): Claim {
    const before = this.held;
    this.held = new Claim(caller.owner, onLoss);
    before?.lose({ reason: 'taken_over', message: `taken over by ${caller.owner.name}` });
    return this.held;
  }
  requireHeld(claim: Claim): void {
    if (this.held !== claim) throw new BridgeError('owned', `${claim.lostBecause()}`);
  }
  release(claim: Claim): void {
    if (this.held === claim) this.held = null;
  }
  async torqueOn(): Promise<void> {}
  async nextCycle(): Promise<void> {}
  async gains() {
    this.meanwhile();
    return { own: [32], soft: [12], restored: true };
  }
  async drive(source: SourceSpec) {
    this.driven.push(source);
    return { motion: 1, duration: 0, ended: new Promise<never>(() => {}) };
  }
  async cancel(): Promise<void> {}
}

const caller = (key: string): Caller => ({ owner: { key, name: `owner ${key}` }, takeOver: true });

let folder: string;
let arm: FakeHandle;
let store: GainStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  arm = new FakeHandle();
  store = new GainStore(folder);
});

test('an arm that is taken over while it is being made to float is left to whoever took it', async () => {
  const arms = { byId: () => arm } as unknown as ArmSet;
  const gravity = new GravityService(arms, store, {} as PlannedMotions, () => {});
  const taker = caller('page');
  arm.meanwhile = () => arm.claim(taker, () => {});
  const start = gravity.start(arm as unknown as Arm, DEFAULT_GRAVITY, caller('http'));
  await expect(start).rejects.toMatchObject({ code: 'owned', message: 'taken over by owner page' });
  expect(arm.driven).toEqual([]);
  expect(arm.held?.owner).toBe(taker.owner);
  expect(readdirSync(folder)).toEqual([]);
});

test('gains that are kept for another floating are not forgotten at the end of the one before', async () => {
  const plan = { own: [400], soft: [150], currents: { own: [1750], soft: [735] } };
  store.keep(arm.name, arm.bus, plan);
  arm.meanwhile = () => store.keep(arm.name, arm.bus, plan);
  expect(await forgetWhenRestored(arm as unknown as ArmHandle, store)).toBe(false);
  expect(new GainStore(folder).read(arm.name, arm.bus)).toEqual(plan);
  arm.meanwhile = () => {};
  expect(await forgetWhenRestored(arm as unknown as ArmHandle, store)).toBe(true);
  expect(new GainStore(folder).read(arm.name, arm.bus)).toBeNull();
});

test.each([
  [DEFAULT_GRAVITY, [0.1, 1, 0.5, 0.1, 0.1]],
  [{ shoulder: 30, elbow: 70, wrist: 100 }, [1, 0.3, 0.7, 1, 1]],
])('%j supports the weight at each joint by its own percentage', async (gravity, support) => {
  const roles = ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'gripper'];
  arm.model = { joints: roles.map((role) => ({ role })), gravity: { softGain: 0.375 } };
  const service = new GravityService({ byId: () => arm } as unknown as ArmSet, store, {} as PlannedMotions, () => {});
  await service.start(arm as unknown as Arm, gravity, caller('http'));
  expect(arm.driven).toEqual([expect.objectContaining({ kind: 'float', support: Float64Array.from(support) })]);
});
