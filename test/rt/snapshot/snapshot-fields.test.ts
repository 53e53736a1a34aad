import { describe, expect, test, vi } from 'vitest';
import { VirtualTime } from '../../../explore/virtual-clock.ts';
import { systemClock } from '../../../src/clock.ts';
import type { Joints } from '../../../src/rt/joint/joint-groups.ts';
import {
  ARM_STATES,
  emptySnapshot,
  FollowCode,
  JOINT_FIELD_NAMES,
  type Published,
  StateCode,
} from '../../../src/rt/snapshot/arm-fields.ts';
import { LoopField, PERIOD_BINS, SharedState, StopWord } from '../../../src/rt/snapshot/shared-snapshot.ts';
import { SnapshotReader } from '../../../src/rt/snapshot/snapshot-reader.ts';
import { SnapshotWriter } from '../../../src/rt/snapshot/snapshot-writer.ts';

const JOINTS = 2;
const numbers = (first: number): Float64Array => Float64Array.of(first, first + 0.5);

/** An arm in the loop, each of whose numbers is another one. */
function published(differs: object = {}): Published {
  return {
    state: StateCode.mirroring,
    motion: 7,
    holding: true,
    resting: true,
    calibrated: true,
    goalTime: 40,
    source: { follow: { code: FollowCode.following, sampleTime: 49.5 } },
    link: {
      up: true,
      anyTorque: true,
      readings: {
        sampleTime: 48,
        detailTime: 47,
        discarded: 3,
        roundTripMedian: 0.001,
        roundTripLongest: 0.002,
        positions: numbers(10),
        velocities: numbers(20),
        efforts: numbers(30),
        temperatures: numbers(40),
        temperatureLimits: numbers(50),
        voltages: numbers(60),
        alarms: numbers(70),
        heard: Float64Array.of(46, 0),
        lost: numbers(80),
      },
      limits: { lower: numbers(130), upper: numbers(140) },
    },
    goals: numbers(90),
    gate: { velocities: numbers(150) },
    setpoints: numbers(100),
    deviations: numbers(110),
    external: numbers(120),
    outside: Uint8Array.of(1, 0),
    now: 50,
    epochOffset: 1000,
    cycle: 12,
    ...differs,
  } as unknown as Published;
}

function shown(arm: Published): ReturnType<SnapshotReader['read']> {
  const shared = new SharedState([1, JOINTS], systemClock);
  new SnapshotWriter(shared, 1).write(arm);
  return new SnapshotReader(shared, 1).read();
}

describe('a snapshot', () => {
  test('shows every field of its arm as the control loop has it, instants as time since 1970', () => {
    expect(shown(published())).toEqual({
      cycle: 12,
      state: 'mirroring',
      torque: true,
      holding: true,
      resting: true,
      calibrated: true,
      sampleTime: 1048,
      sampleInstant: 48,
      goalTime: 1040,
      detailTime: 1047,
      motion: 7,
      followState: FollowCode.following,
      followLatency: 0.5,
      discarded: 3,
      roundTripMedian: 0.001,
      roundTripLongest: 0.002,
      positions: numbers(10),
      goals: numbers(90),
      setpoints: numbers(100),
      goalVelocities: numbers(150),
      velocities: numbers(20),
      efforts: numbers(30),
      temperatures: numbers(40),
      temperatureLimits: numbers(50),
      voltages: numbers(60),
      alarms: numbers(70),
      heardTimes: Float64Array.of(1046, 0),
      lostReplies: numbers(80),
      deviations: numbers(110),
      external: numbers(120),
      outside: Float64Array.of(1, 0),
      servoLower: numbers(130),
      servoUpper: numbers(140),
    });
  });

  test('shows no torque while the link is not up, and what never was as 0', () => {
    const { link } = published();
    expect(shown(published({ link: { ...link, up: false } })).torque).toBe(false);
    expect(shown(published({ link: { ...link, anyTorque: false } })).torque).toBe(false);
    const bare = shown(published({ source: null, goalTime: 0, holding: false, resting: false }));
    expect(bare).toMatchObject({ goalTime: 0, followState: FollowCode.idle, followLatency: 0 });
    expect([bare.holding, bare.resting]).toEqual([false, false]);
    expect(shown(published({ source: {} }))).toMatchObject({ followState: FollowCode.idle, followLatency: 0 });
  });

  test.each(ARM_STATES)('names the state %s as the loop numbers it', (state) => {
    expect(shown(published({ state: StateCode[state] })).state).toBe(state);
  });

  test('that nobody has written yet is one of a disconnected arm', () => {
    const empty = emptySnapshot(JOINTS);
    expect(empty).toMatchObject({ state: 'disconnected', torque: false, holding: false, sampleTime: 0, cycle: 0 });
    for (const name of JOINT_FIELD_NAMES) expect(empty[name]).toEqual(new Float64Array(JOINTS));
    const shared = new SharedState([JOINTS], systemClock);
    expect(new SnapshotReader(shared, 0).read()).toEqual(empty);
  });

  test('is of one cycle, and is kept by its reader until its next read', () => {
    const shared = new SharedState([JOINTS], systemClock);
    const reader = new SnapshotReader(shared, 0);
    const writer = new SnapshotWriter(shared, 0);
    writer.write(published());
    const first = reader.read();
    writer.write(published({ goals: numbers(5), cycle: 13 }));
    expect([first.cycle, first.goals[0]]).toEqual([12, 90]);
    const second = reader.read();
    expect(second).toBe(first);
    expect([second.cycle, second.goals[0]]).toEqual([13, 5]);
  });
});

describe('the shared memory', () => {
  test('is seen by whoever is given its buffers, arm by arm', () => {
    const shared = new SharedState([JOINTS], systemClock);
    shared.add(1);
    const other = new SharedState([JOINTS, 1], systemClock, shared.buffers);
    new SnapshotWriter(other, 0).write(published());
    other.loop[LoopField.rate] = 200;
    other.finishCycle();
    expect(new SnapshotReader(shared, 0).read().motion).toBe(7);
    expect(shared.lastMotion(0)).toBe(7);
    expect(new SnapshotReader(shared, 1).read().state).toBe('disconnected');
    expect([shared.loop[LoopField.rate], shared.cycle]).toEqual([200, 1]);
    expect([shared.joints(0), shared.joints(1)]).toEqual([JOINTS, 1]);
    expect(shared.blockLength(0) - shared.blockLength(1)).toBe(JOINT_FIELD_NAMES.length);
    expect(shared.loop).toHaveLength(LoopField.histogram + PERIOD_BINS);
  });

  test('an arm that is added may use all of its speed; one that another thread has added keeps its own part', () => {
    const shared = new SharedState([], systemClock);
    const memory = shared.add(JOINTS);
    expect([shared.speedPart(0), shared.accelerationPart(0)]).toEqual([1, 1]);
    shared.limitSpeed(0, 0.25);
    shared.limitAcceleration(0, 0.5);
    const other = new SharedState([], systemClock);
    other.add(JOINTS, memory);
    expect([other.speedPart(0), other.accelerationPart(0)]).toEqual([0.25, 0.5]);
    shared.limitSpeed(0, 1 / 3);
    expect(shared.speedPart(0)).toBeCloseTo(1 / 3, 4);
    expect(shared.accelerationPart(0)).toBe(0.5);
    shared.drop();
    expect(shared.buffers.arms).toEqual([]);
  });

  test('an arm is stopped by a person or by a fault, and a fault makes no less of what a person has asked', () => {
    const shared = new SharedState([JOINTS, JOINTS], systemClock);
    expect([shared.stop(0), shared.stopLatched(0)]).toEqual([StopWord.none, false]);
    shared.latchStop(0, StopWord.fault);
    expect([shared.stop(0), shared.stopLatched(0)]).toEqual([StopWord.fault, true]);
    shared.latchStop(0, StopWord.asked);
    shared.latchStop(0, StopWord.fault);
    expect(shared.stop(0)).toBe(StopWord.asked);
    expect(shared.stopLatched(1)).toBe(false);
    expect(shared.releaseStop(0, shared.stopMark(0))).toBe(true);
    expect(shared.stopLatched(0)).toBe(false);
  });

  test('a stop that is asked for again is not released by whoever has seen the one before', () => {
    const shared = new SharedState([JOINTS], systemClock);
    const first = shared.latchStop(0, StopWord.asked);
    const second = shared.latchStop(0, StopWord.asked);
    expect(shared.releaseStop(0, first)).toBe(false);
    expect(shared.stop(0)).toBe(StopWord.asked);
    expect(shared.releaseStop(0, second)).toBe(true);
    // Also when it is latched anew after a release: marks do not come again.
    const third = shared.latchStop(0, StopWord.asked);
    expect(new Set([first, second, third]).size).toBe(3);
  });

  test('an epoch of intent ends for one arm alone, and its number does not come again', () => {
    const shared = new SharedState([JOINTS, JOINTS], systemClock);
    const before = shared.epoch(0);
    const next = shared.endEpoch(0);
    expect(next).not.toBe(before);
    expect(shared.epoch(0)).toBe(next);
    expect(shared.endEpoch(0)).toBe(next + 1);
    expect(shared.epoch(1)).toBe(before);
  });

  test('the epoch of the gripper goes on where that of the other joints ends, and the other way round', () => {
    const over = (ended: Joints): boolean[] => {
      const shared = new SharedState([JOINTS], systemClock);
      const asked = shared.epoch(0);
      const next = shared.endEpoch(0, ended);
      for (const joints of ['all', 'arm', 'gripper'] as const) expect(shared.isOver(0, next, joints)).toBe(false);
      return (['all', 'arm', 'gripper'] as const).map((joints) => shared.isOver(0, asked, joints));
    };
    expect(over('all')).toEqual([true, true, true]);
    expect(over('arm')).toEqual([true, true, false]);
    expect(over('gripper')).toEqual([true, false, true]);
  });

  test('an epoch is over too where its number is the last one before they begin anew', () => {
    const shared = new SharedState([JOINTS], systemClock);
    const last = 2 ** 31 - 1;
    new Int32Array(shared.memory(0), 0, 8).set([last, last, last], 4);
    expect(shared.isOver(0, last, 'all')).toBe(false);
    const next = shared.endEpoch(0);
    expect([next, shared.epoch(0)]).toEqual([-(2 ** 31), -(2 ** 31)]);
    expect([shared.isOver(0, last, 'all'), shared.isOver(0, next, 'all')]).toEqual([true, false]);
  });

  test('of two epochs that threads begin at once the later one counts', () => {
    const shared = new SharedState([JOINTS], systemClock);
    // Another thread has begun number 3, and this one is about to begin number 2.
    new Int32Array(shared.memory(0), 0, 8).set([1, 3, 3], 4);
    shared.endEpoch(0);
    expect([shared.isOver(0, 2, 'arm'), shared.isOver(0, 2, 'gripper')]).toEqual([true, true]);
    expect([shared.isOver(0, 3, 'arm'), shared.isOver(0, 3, 'gripper')]).toEqual([false, false]);
  });

  test('counts the heartbeats of the main thread, and wakes whoever waits for a cycle', async () => {
    const time = new VirtualTime();
    const lane = time.lane('reader');
    const shared = new SharedState([JOINTS], lane);
    const other = new SharedState([JOINTS], lane, shared.buffers);
    shared.beat();
    shared.beat();
    expect([other.beats, other.cycle]).toEqual([2, 0]);
    const { words, index } = other.cycleWord;
    const woken = lane.changed(words, index, 0, 1);
    time.runSync(0.5);
    shared.finishCycle();
    expect(await time.until(woken, 0.1)).toBe(true);
    expect([other.beats, other.cycle]).toEqual([2, 1]);
  });

  test('a control thread that has ended leaves arms that are disconnected, also where it ended as it wrote', () => {
    const shared = new SharedState([JOINTS, JOINTS], systemClock);
    for (const index of [0, 1]) new SnapshotWriter(shared, index).write(published());
    shared.beginWrite(1);
    // Whoever reads meanwhile is not held up for ever.
    expect(new SnapshotReader(shared, 1).read().motion).toBe(7);
    shared.orphan();
    for (const index of [0, 1]) {
      expect(shared.sequence(index) & 1).toBe(0);
      expect(shared.copy(index, new Float64Array(shared.blockLength(index)))).toBe(shared.sequence(index));
      const left = new SnapshotReader(shared, index).read();
      expect(left).toMatchObject({ state: 'disconnected', holding: false, followState: FollowCode.idle, motion: 7 });
      new SnapshotWriter(shared, index).write(published());
      expect(new SnapshotReader(shared, index).read().state).toBe('mirroring');
    }
  });

  test('a reader copies a cycle once, and each later one', () => {
    const shared = new SharedState([JOINTS], systemClock);
    const writer = new SnapshotWriter(shared, 0);
    const reader = new SnapshotReader(shared, 0);
    const copy = vi.spyOn(shared, 'copy');
    for (const motion of [7, 8]) {
      writer.write(published({ motion }));
      expect([reader.read().motion, reader.read().motion]).toEqual([motion, motion]);
    }
    expect(copy).toHaveBeenCalledTimes(2);
    // While a cycle is being written it is looked at anew each time.
    shared.beginWrite(0);
    reader.read();
    shared.endWrite(0);
    writer.write(published({ motion: 9 }));
    expect(reader.read().motion).toBe(9);
  });

  test('a reader takes nothing while a cycle is being written', () => {
    const shared = new SharedState([JOINTS], systemClock);
    new SnapshotWriter(shared, 0).write(published());
    const block = new Float64Array(shared.blockLength(0));
    let reads = 0;
    const { set } = Float64Array.prototype;
    // The writer comes in between, as another thread may, while the first copy is made.
    block.set = function (this: Float64Array, source: ArrayLike<number>, offset?: number): void {
      set.call(this, source, offset);
      reads += 1;
      if (reads === 1) new SnapshotWriter(shared, 0).write(published({ motion: 8 }));
    };
    shared.copy(0, block);
    expect(reads).toBe(2);
    expect(shared.lastMotion(0)).toBe(8);
  });
});
