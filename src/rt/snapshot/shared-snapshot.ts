import type { Clock } from '../../clock.ts';
import type { Joints } from '../joint/joint-groups.ts';
import { ARM_FIELD_NAMES, blockLength, FollowCode, JOINT_FIELD_NAMES, jointFieldAt, StateCode } from './arm-fields.ts';

/**
 * The shared snapshot: one block of numbers per arm. Each block has a SharedArrayBuffer of its own, so that arms can be
 * added. The control loop writes it once per cycle, and any thread may read it at any time. A sequence lock (odd while
 * writing) keeps readers from seeing half a cycle; nothing is allocated or posted per cycle.
 */

/** Bins of the period histogram: evenly from 0 to twice the wanted period, the last with all longer ones. */
export const PERIOD_BINS = 40;

/**
 * Positions of the loop's figures. `priority` is 0 if the thread has none; `periods`, `lateness` and `latency` have six
 * numbers each (`timingAt`); `histogram` has `PERIOD_BINS`.
 */
export const LoopField = {
  rate: 0,
  late: 1,
  period: 2,
  longestPeriod: 3,
  priority: 4,
  periods: 5,
  lateness: 11,
  latency: 17,
  histogram: 23,
  count: 23 + PERIOD_BINS,
} as const;

/** Int32 words before the loop's numbers: the cycle counter of the loop, and the heartbeat of the main thread. */
const CYCLE_WORD = 0;
const BEAT_WORD = 1;
/**
 * Int32 words before an arm's numbers: its sequence; its stop latch; its speed and acceleration fractions; the number
 * of its newest epoch of intent; the numbers with which the present epochs of the arm's own joints and of its gripper
 * began; the number of cycles in its history.
 */
const SEQUENCE_WORD = 0;
const STOP_WORD = 1;
const SPEED_WORD = 2;
const ACCELERATION_WORD = 3;
const EPOCH_WORD = 4;
const BEGUN_WORDS = { arm: 5, gripper: 6 } as const;
const HISTORY_WORD = 7;
/** Size of the words: the numbers after them are aligned to 8 bytes. */
const WORD_BYTES = 32;
/** Words hold integers, so fractions of a limit are stored in ten-thousandths. */
const PART_UNITS = 10_000;
const MOST_ATTEMPTS = 100_000;
/** An odd sequence: no complete block has it. */
export const TORN = 1;
/**
 * Cycles of an arm that are kept for readers that must not miss one: 5 s at 200 Hz. A power of two, because the count
 * wraps.
 */
export const HISTORY = 1024;

const STATE = ARM_FIELD_NAMES.indexOf('state');
const HOLDING = ARM_FIELD_NAMES.indexOf('holding');
const FOLLOW_STATE = ARM_FIELD_NAMES.indexOf('followState');
const MOTION = ARM_FIELD_NAMES.indexOf('motion');

/** Who has latched the stop of an arm: nobody, a person or program, or the arm's own servos. */
export const StopWord = { none: 0, asked: 1, fault: 2 } as const;
export type StopWord = (typeof StopWord)[keyof typeof StopWord];
/** The stop word holds its `StopWord` in these low bits; the bits above count how often a stop was requested. */
const STOP_BITS = 2;
const STOP_MASK = 3;

/** The shared memory itself, as passed from thread to thread. */
export interface SharedBuffers {
  readonly loop: SharedArrayBuffer;
  readonly arms: readonly SharedArrayBuffer[];
}

interface ArmBlock {
  readonly buffer: SharedArrayBuffer;
  readonly joints: number;
  readonly words: Int32Array;
  readonly scalars: Float64Array;
  /** In the order of `JOINT_FIELD_NAMES`. */
  readonly arrays: readonly Float64Array[];
  readonly all: Float64Array;
  /** The newest `HISTORY` cycles, each a copy of `all`. */
  readonly history: Float64Array;
}

/** Shared memory for arms with the given numbers of joints, and its layout. */
export class SharedState {
  readonly loop: Float64Array;
  readonly #clock: Clock;
  readonly #words: Int32Array;
  readonly #loopBuffer: SharedArrayBuffer;
  readonly #arms: ArmBlock[] = [];

  /** @param buffers memory that another thread has made; left out: made here */
  constructor(joints: readonly number[], clock: Clock, buffers?: SharedBuffers) {
    this.#clock = clock;
    this.#loopBuffer = buffers?.loop ?? new SharedArrayBuffer(WORD_BYTES + LoopField.count * 8);
    this.#words = new Int32Array(this.#loopBuffer, 0, WORD_BYTES / 4);
    this.loop = new Float64Array(this.#loopBuffer, WORD_BYTES, LoopField.count);
    for (const [index, count] of joints.entries()) this.add(count, buffers?.arms[index]);
  }

  /** What another thread needs to use the same memory. */
  get buffers(): SharedBuffers {
    return { loop: this.#loopBuffer, arms: this.#arms.map(({ buffer }) => buffer) };
  }

  /**
   * Adds an arm after the existing ones.
   * @param given its memory, made by another thread; left out: made here, for an arm that is disconnected
   * @returns its memory
   */
  add(joints: number, given?: SharedArrayBuffer): SharedArrayBuffer {
    const length = blockLength(joints);
    const buffer = given ?? new SharedArrayBuffer(WORD_BYTES + (1 + HISTORY) * length * 8);
    const all = new Float64Array(buffer, WORD_BYTES, length);
    const history = new Float64Array(buffer, WORD_BYTES + length * 8, HISTORY * length);
    const scalars = all.subarray(0, ARM_FIELD_NAMES.length);
    const arrays = JOINT_FIELD_NAMES.map((_, field) => {
      const at = jointFieldAt(field, joints);
      return all.subarray(at, at + joints);
    });
    const words = new Int32Array(buffer, 0, WORD_BYTES / 4);
    this.#arms.push({ buffer, joints, words, scalars, arrays, all, history });
    if (given === undefined) {
      this.limitSpeed(this.#arms.length - 1, 1);
      this.limitAcceleration(this.#arms.length - 1, 1);
    }
    return buffer;
  }

  /** Removes the arm that was added last, because it could not be used. */
  drop(): void {
    this.#arms.pop();
  }

  /** Views of an arm's block, for its only writer. */
  arm(index: number): { readonly scalars: Float64Array; readonly arrays: readonly Float64Array[] } {
    return this.#arms[index]!;
  }

  /** Number of the motion that drove an arm last, as written by the loop. */
  lastMotion(index: number): number {
    return this.#arms[index]!.scalars[MOTION]!;
  }

  beginWrite(index: number): void {
    Atomics.add(this.#arms[index]!.words, SEQUENCE_WORD, 1);
  }

  endWrite(index: number): void {
    Atomics.add(this.#arms[index]!.words, SEQUENCE_WORD, 1);
  }

  /** Adds the block that has just been written to the arm's history. Only for the writer. */
  keep(index: number): void {
    const { words, all, history } = this.#arms[index]!;
    history.set(all, (Atomics.load(words, HISTORY_WORD) & (HISTORY - 1)) * all.length);
    Atomics.add(words, HISTORY_WORD, 1);
  }

  /** Number of blocks added to the arm's history so far; it wraps at 2^32. */
  kept(index: number): number {
    return Atomics.load(this.#arms[index]!.words, HISTORY_WORD) >>> 0;
  }

  /**
   * Copies a block of the arm's history.
   * @param number of the block, from 0
   * @returns false if the block has been overwritten, or is being overwritten
   */
  recall(index: number, number: number, out: Float64Array): boolean {
    const { words, all, history } = this.#arms[index]!;
    const at = (number & (HISTORY - 1)) * all.length;
    for (let i = 0; i < all.length; i++) out[i] = history[at + i]!;
    // An atomic add, not a load, as in `copy`. The block after the newest one may be half written.
    return ((Atomics.add(words, HISTORY_WORD, 0) - number) | 0) < HISTORY;
  }

  /** Memory of one arm, for another thread that reads that arm alone. */
  memory(index: number): SharedArrayBuffer {
    return this.#arms[index]!.buffer;
  }

  /** Sequence number of an arm's block; odd while it is being written. It wraps at 2^32. */
  sequence(index: number): number {
    return Atomics.load(this.#arms[index]!.words, SEQUENCE_WORD);
  }

  /**
   * Copies an arm's block into `out` (fields, then the joint arrays), all of one cycle.
   * @returns its `sequence`; odd if no complete block could be copied
   */
  copy(index: number, out: Float64Array): number {
    const { words, all } = this.#arms[index]!;
    // Bounded: a control thread that died while writing must not hang its readers.
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const before = Atomics.load(words, SEQUENCE_WORD);
      if ((before & 1) === 1) continue;
      out.set(all);
      // An atomic add, not a load: machines with weak memory order must not move the copy above behind it.
      if (Atomics.add(words, SEQUENCE_WORD, 0) === before) return before;
    }
    out.set(all);
    return TORN;
  }

  joints(index: number): number {
    return this.#arms[index]!.joints;
  }

  /** Length of an arm's block, numbers. */
  blockLength(index: number): number {
    return this.#arms[index]!.all.length;
  }

  /** The control thread has ended, perhaps while writing: every arm is disconnected until another thread writes. */
  orphan(): void {
    for (const [index, { scalars, words }] of this.#arms.entries()) {
      if ((Atomics.load(words, SEQUENCE_WORD) & 1) === 0) this.beginWrite(index);
      scalars[STATE] = StateCode.disconnected;
      scalars[HOLDING] = 0;
      scalars[FOLLOW_STATE] = FollowCode.idle;
      this.endWrite(index);
    }
  }

  /** Publishes the figures of the loop and wakes threads that wait for the next cycle. */
  finishCycle(): void {
    Atomics.add(this.#words, CYCLE_WORD, 1);
    this.#clock.notify(this.#words, CYCLE_WORD);
  }

  get cycle(): number {
    return Atomics.load(this.#words, CYCLE_WORD);
  }

  /** The word that counts the cycles, for threads that wait for the next one. */
  get cycleWord(): { readonly words: Int32Array; readonly index: number } {
    return { words: this.#words, index: CYCLE_WORD };
  }

  /** The main thread runs, so it would hear a stop. It calls this every `BEAT_INTERVAL`, and with every command. */
  beat(): void {
    Atomics.add(this.#words, BEAT_WORD, 1);
  }

  /** Number of heartbeats so far. */
  get beats(): number {
    return Atomics.load(this.#words, BEAT_WORD);
  }

  /**
   * Latches the stop of an arm. The loop sees it in its next cycle, whatever else is queued. Any thread may call this.
   * A fault does not replace a requested stop.
   * @returns the mark of the stop that is latched now, for `releaseStop`
   */
  latchStop(index: number, stop: Exclude<StopWord, 0>): number {
    const { words } = this.#arms[index]!;
    for (;;) {
      const before = Atomics.load(words, STOP_WORD);
      if (stop === StopWord.fault && (before & STOP_MASK) !== StopWord.none) return before;
      const asked = (before >> STOP_BITS) + (stop === StopWord.asked ? 1 : 0);
      const after = (asked << STOP_BITS) | stop;
      if (Atomics.compareExchange(words, STOP_WORD, before, after) === before) return after;
    }
  }

  /** The mark of the stop that is latched, or was latched last. */
  stopMark(index: number): number {
    return Atomics.load(this.#arms[index]!.words, STOP_WORD);
  }

  /** Clears a stop. @param mark of that stop @returns false if another stop was requested meanwhile: that one stays */
  releaseStop(index: number, mark: number): boolean {
    const { words } = this.#arms[index]!;
    return Atomics.compareExchange(words, STOP_WORD, mark, mark & ~STOP_MASK) === mark;
  }

  stopLatched(index: number): boolean {
    return this.stop(index) !== StopWord.none;
  }

  /** Who has latched the stop of an arm. */
  stop(index: number): StopWord {
    return (this.stopMark(index) & STOP_MASK) as StopWord;
  }

  /**
   * Number of an arm's newest epoch of intent. A request for a motion or for torque names its epoch, and never acts
   * once that epoch is over.
   */
  epoch(index: number): number {
    return Atomics.load(this.#arms[index]!.words, EPOCH_WORD);
  }

  /**
   * Ends the present epoch of these joints, and with it everything that waits or streams in it.
   * @returns the number of the new epoch
   */
  endEpoch(index: number, joints: Joints = 'all'): number {
    const { words } = this.#arms[index]!;
    const epoch = (Atomics.add(words, EPOCH_WORD, 1) + 1) | 0;
    if (joints !== 'gripper') raise(words, BEGUN_WORDS.arm, epoch);
    if (joints !== 'arm') raise(words, BEGUN_WORDS.gripper, epoch);
    return epoch;
  }

  /** Whether an epoch is over for these joints: something has ended it since. */
  isOver(index: number, epoch: number, joints: Joints): boolean {
    const { words } = this.#arms[index]!;
    const arm = joints !== 'gripper' && isBefore(epoch, Atomics.load(words, BEGUN_WORDS.arm));
    return arm || (joints !== 'arm' && isBefore(epoch, Atomics.load(words, BEGUN_WORDS.gripper)));
  }

  /**
   * Sets the fraction of its largest speeds that an arm may use, above 0 and at most 1. It outlives the control thread.
   */
  limitSpeed(index: number, part: number): void {
    Atomics.store(this.#arms[index]!.words, SPEED_WORD, Math.round(part * PART_UNITS));
  }

  speedPart(index: number): number {
    return Atomics.load(this.#arms[index]!.words, SPEED_WORD) / PART_UNITS;
  }

  /** The same for the accelerations with which the arm gains speed. */
  limitAcceleration(index: number, part: number): void {
    Atomics.store(this.#arms[index]!.words, ACCELERATION_WORD, Math.round(part * PART_UNITS));
  }

  accelerationPart(index: number): number {
    return Atomics.load(this.#arms[index]!.words, ACCELERATION_WORD) / PART_UNITS;
  }
}

/** Epoch numbers wrap, so the difference decides which is earlier. */
function isBefore(epoch: number, other: number): boolean {
  return ((epoch - other) | 0) < 0;
}

/** Two threads may end epochs: the newer number stays. */
function raise(words: Int32Array, word: number, epoch: number): void {
  let seen = Atomics.load(words, word);
  while (isBefore(seen, epoch)) {
    const found = Atomics.compareExchange(words, word, seen, epoch);
    if (found === seen) return;
    seen = found;
  }
}
