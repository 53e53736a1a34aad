import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ArmHandle, Claim, type Loss } from '../../src/arm/handle.ts';
import { InputStreams } from '../../src/arm/input-streams.ts';
import type { ArmState, Caller } from '../../src/arm/types.ts';
import { systemClock } from '../../src/clock.ts';

/** What feeds use of an arm. */
class FakeHandle {
  readonly name = 'follower';
  state: ArmState = 'ready';
  held: Claim | null = null;
  motions = 0;
  readonly cancelled: number[] = [];
  #ended: (reason: 'cancelled') => void = () => {};

  get owner() {
    return this.held?.owner ?? null;
  }
  read() {
    return { state: this.state, holding: this.state !== 'connected' };
  }
  claim(caller: Caller, onLoss: (loss: Loss) => void): Claim {
    const before = this.held;
    this.held = new Claim(caller.owner, onLoss);
    before?.lose({ reason: 'taken_over', message: 'taken over' });
    return this.held;
  }
  release(claim: Claim): void {
    if (this.held === claim) this.held = null;
  }
  async drive() {
    this.state = 'moving';
    const ended = new Promise<'cancelled'>((resolve) => {
      this.#ended = resolve;
    });
    return { motion: ++this.motions, duration: 0, ended };
  }
  async cancel(motion: number): Promise<void> {
    this.cancelled.push(motion);
    this.state = 'ready';
    this.#ended('cancelled');
  }
}

const caller = (key: string, takeOver = false): Caller => ({ owner: { key, name: `owner ${key}` }, takeOver });
const JOG = { kind: 'jog', timeout: 0.1 } as const;

let arm: FakeHandle;
let feeds: InputStreams;
const take = (by: Caller) => feeds.take(arm as unknown as ArmHandle, JOG, by);
beforeEach(() => {
  vi.useFakeTimers();
  arm = new FakeHandle();
  feeds = new InputStreams(systemClock);
});
afterEach(() => {
  feeds.close();
  vi.useRealTimers();
});

test('the first message takes a ready arm, the next ones keep it, 0.5 s of silence give it back', async () => {
  expect(take(caller('a'))).toBeNull();
  for (let i = 0; i < 10; i++) {
    await vi.advanceTimersByTimeAsync(200);
    expect(take(caller('a'))).toBeNull();
  }
  expect(arm).toMatchObject({ motions: 1, owner: { key: 'a' }, cancelled: [] });
  await vi.advanceTimersByTimeAsync(700);
  expect(arm).toMatchObject({ owner: null, cancelled: [1], state: 'ready' });
});

test('another one is refused with the name of the owner, or takes the arm over, which the first then loses', async () => {
  take(caller('a'));
  await vi.advanceTimersByTimeAsync(1);
  expect(take(caller('b'))).toBe('arm follower is driven by owner a');
  expect(take(caller('b', true))).toBeNull();
  await vi.advanceTimersByTimeAsync(1);
  expect(arm).toMatchObject({ motions: 2, owner: { key: 'b' }, cancelled: [1] });
  expect(take(caller('a'))).toBe('arm follower is driven by owner b');
});

test('a limp arm is refused with what to do, and so is every arm once the bridge ends', () => {
  arm.state = 'connected';
  expect(take(caller('a'))).toMatch(/is connected, not ready: switch its torque on/);
  arm.state = 'ready';
  feeds.close();
  expect(take(caller('a'))).toBe('the bridge is ending');
});

test('its owner ends it at once, nobody else does', async () => {
  take(caller('a'));
  await vi.advanceTimersByTimeAsync(1);
  await feeds.stop(arm as unknown as ArmHandle, 'b');
  expect(arm.owner).not.toBeNull();
  await feeds.stop(arm as unknown as ArmHandle, 'a');
  expect(arm).toMatchObject({ owner: null, cancelled: [1] });
});
