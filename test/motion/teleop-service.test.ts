import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ControlClient } from '../../src/arm/control-client.ts';
import { type ArmHandle, Claim, type Loss } from '../../src/arm/handle.ts';
import { armChain, loadArmModel } from '../../src/arm/model.ts';
import { type Arm, type ArmState, BridgeError, type Caller, type Owner } from '../../src/arm/types.ts';
import { systemClock } from '../../src/clock.ts';
import { ArmPlanner } from '../../src/motion/planner.ts';
import { Planners } from '../../src/motion/planners.ts';
import { TeleopService } from '../../src/motion/teleop-service.ts';
import type { Sample, SourceSpec } from '../../src/rt/messages.ts';

const model = loadArmModel('so101');
const chain = armChain(model);
const planner = new ArmPlanner(model, chain);

/** What leading uses of an arm. Its setpoints stay where a test puts them. */
class FakeHandle {
  readonly name = 'follower';
  readonly index = 0;
  readonly model = model;
  readonly chain = chain;
  state: ArmState = 'ready';
  setpoints = planner.pose('init');
  kept: Owner | null = null;
  held: Claim | null = null;
  readonly driven: SourceSpec[] = [];
  readonly cancelled: number[] = [];

  get owner(): Owner | null {
    return this.held?.owner ?? this.kept;
  }
  read() {
    return { state: this.state, holding: this.state !== 'connected', setpoints: this.setpoints };
  }
  requireDrivable(): void {
    if (this.state === 'stopped') throw new BridgeError('stopped', 'Arm follower is stopped.');
  }
  claim({ owner }: Caller, onLoss: (loss: Loss) => void): Claim {
    this.held = new Claim(owner, onLoss);
    return this.held;
  }
  release(claim: Claim): void {
    if (this.held === claim) this.held = null;
  }
  async drive(source: SourceSpec) {
    this.driven.push(source);
    return { motion: this.driven.length, duration: 0, ended: new Promise<'cancelled'>(() => {}) };
  }
  async cancel(motion: number): Promise<void> {
    this.cancelled.push(motion);
  }
}

const FREE = { pitch: null, yaw: null, roll: null };
const CALLER: Caller = { owner: { key: 'http', name: 'an HTTP client' }, takeOver: false };

let now: number;
let handle: FakeHandle;
let service: TeleopService;
const goals: Float64Array[] = [];
beforeEach(() => {
  now = 50;
  goals.length = 0;
  handle = new FakeHandle();
  const control = {
    sample: (sample: Sample) => goals.push((sample as Extract<Sample, { kind: 'setpoints' }>).positions),
  };
  const arms = new Planners([[handle as unknown as ArmHandle, planner]]);
  service = new TeleopService(arms, control as unknown as ControlClient, { ...systemClock, now: () => now });
});
afterEach(() => service.close());

/** A message of a hand at a height (m), 20 ms after the last one unless told otherwise. */
function feed(z: number, { sent = null as number | null, after = 0.02, sender = 'right', caller = CALLER } = {}) {
  now += after;
  const hand = { x: 0, y: 0, z, pitch: 0, yaw: 0, roll: 0 };
  return service.feed(handle as unknown as Arm, sender, { hand, open: 0, timestamp: sent }, caller);
}
const height = () => chain.toolPose(goals.at(-1)!).position.z - planner.zero.position.z;

test('the first message takes the arm and moves nothing; the next lead it by what the hand has moved', () => {
  expect(feed(1.3)).toBeNull();
  expect(handle.driven).toEqual([{ kind: 'stream', timeout: 0.2 }]);
  expect(height()).toBeCloseTo(0, 6);
  expect(feed(1.31)).toBeNull();
  expect(feed(1.32)).toBeNull();
  expect(height()).toBeCloseTo(0.02, 4);
  expect(handle.driven).toHaveLength(1);
});

test('after a pause it begins anew, from where the arm is asked to be and the hand is', () => {
  feed(1);
  feed(1.03);
  const where = planner.solve({ ...planner.zero.position, z: planner.zero.position.z + 0.01 }, FREE, handle.setpoints);
  handle.setpoints = where.q.slice();
  expect(feed(0.4, { after: 0.21 })).toBeNull();
  expect(height()).toBeCloseTo(0.01, 4);
  feed(0.42);
  expect(height()).toBeCloseTo(0.03, 4);
});

test('the tool moves further or less far than the hand; a change begins anew from where both are', () => {
  service.scaling = 0.5;
  feed(1);
  feed(1.04);
  expect(height()).toBeCloseTo(0.02, 4);
  handle.setpoints = goals.at(-1)!.slice();
  service.scaling = 2;
  feed(1.05);
  expect(height()).toBeCloseTo(0.02, 4);
  feed(1.06);
  expect(height()).toBeCloseTo(0.04, 4);
});

test('messages that are out of order or late are dropped, whatever the clock of the sender shows', () => {
  feed(1, { sent: 9000 });
  feed(1.01, { sent: 9000.02 });
  expect(feed(0.9, { sent: 9000.01 })).toMatch(/sent later has come before/);
  expect(feed(0.9, { sent: 9000.02 })).toMatch(/sent later has come before/);
  expect(goals).toHaveLength(2);
  // 0.15 s in a queue pass, 0.25 s do not.
  expect(feed(1.02, { sent: 9000.05, after: 0.12 })).toBeNull();
  expect(feed(0.9, { sent: 9000.06, after: 0.14 })).toMatch(/under way for too long/);
  expect(height()).toBeCloseTo(0.02, 4);
  // A queue that empties: the newest counts again.
  expect(feed(1.03, { sent: 9000.36 })).toBeNull();
  // A clock that was set back is learnt anew after a while of silence.
  expect(feed(1.03, { sent: 10, after: 0.02 })).toMatch(/dropped/);
  expect(feed(1.03, { sent: 12, after: 2 })).toBeNull();
});

test('one hand leads at a time; when it has gone the next one may', () => {
  feed(1);
  expect(feed(2, { sender: 'left' })).toBe('arm follower is led by another hand');
  expect(goals).toHaveLength(1);
  service.leave('left');
  expect(handle.owner).not.toBeNull();
  service.leave('right');
  expect(handle.owner).toBeNull();
  expect(feed(2, { sender: 'left' })).toBeNull();
});

test('an arm of somebody else is not led, and taken over when that is asked for; a stopped or limp one is not', () => {
  handle.kept = { key: 'mirror', name: 'mirroring' };
  expect(() => feed(1)).toThrow(/driven by mirroring/);
  expect(feed(1, { caller: { ...CALLER, takeOver: true } })).toBeNull();
  service.leave('right');
  handle.kept = null;
  handle.state = 'stopped';
  expect(() => feed(1)).toThrow(/stopped/);
  handle.state = 'connected';
  expect(() => feed(1)).toThrow(/switch its torque on/);
});
