import type { Clock } from '../../clock.ts';
import { ARM_FIELD_NAMES, blockLength, FollowCode, JOINT_FIELD_NAMES, jointFieldAt, StateCode } from './arm-fields.ts';

/**
 * The shared snapshot: one block of numbers per arm, each in a SharedArrayBuffer of its own so that arms can be added,
 * written by the control loop once per cycle and read by anybody at any time. A sequence lock (odd while writing) keeps
 * readers from seeing half a cycle; nothing is allocated or posted per cycle.
 */

/** Bins of the distribution of periods: evenly from 0 to twice the wanted period, the last with all longer ones. */
export const PERIOD_BINS = 40;

/**
 * Figures of the loop, in this order; `priority` is 0 without one, `periods`, `lateness` and `latency` have six numbers
 * each (`timingAt`), `histogram` has `PERIOD_BINS`.
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

/** Int32 words before the numbers: the cycle counter of the loop, and the heartbeat of the main thread. */
const CYCLE_WORD = 0;
const BEAT_WORD = 1;
/** The same of an arm: its sequence, its stop latch, its parts of speed and acceleration, its epoch of intent. */
const SEQUENCE_WORD = 0;
const STOP_WORD = 1;
const SPEED_WORD = 2;
const ACCELERATION_WORD = 3;
const EPOCH_WORD = 4;
/** Numbers are aligned to 8 bytes. */
const WORD_BYTES = 32;
/** Words hold whole numbers: parts of a limit are counted in ten-thousandths. */
const PART_UNITS = 10_000;
const MOST_ATTEMPTS = 100_000;

const STATE = ARM_FIELD_NAMES.indexOf('state');
const HOLDING = ARM_FIELD_NAMES.indexOf('holding');
const FOLLOW_STATE = ARM_FIELD_NAMES.indexOf('followState');
const MOTION = ARM_FIELD_NAMES.indexOf('motion');

/** Who has latched the stop of an arm: nobody, a person or program, or the arm's own servos. */
export const StopWord = { none: 0, asked: 1, fault: 2 } as const;
export type StopWord = (typeof StopWord)[keyof typeof StopWord];

/** The shared memory itself, as it goes from thread to thread. */
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
}

/** Shared memory for arms with the given numbers of joints, and where everything lies in it. */
export class SharedState {
  readonly loop: Float64Array;
  readonly #clock: Clock;
  readonly #words: Int32Array;
  readonly #loopBuffer: SharedArrayBuffer;
  readonly #arms: ArmBlock[] = [];

  /** @param buffers what another thread has made; left out: made here */
  constructor(joints: readonly number[], clock: Clock, buffers?: SharedBuffers) {
    this.#clock = clock;
    this.#loopBuffer = buffers?.loop ?? new SharedArrayBuffer(WORD_BYTES + LoopField.count * 8);
    this.#words = new Int32Array(this.#loopBuffer, 0, WORD_BYTES / 4);
    this.loop = new Float64Array(this.#loopBuffer, WORD_BYTES, LoopField.count);
    for (const [index, count] of joints.entries()) this.add(count, buffers?.arms[index]);
  }

  /** What another thread needs to look at the same memory. */
  get buffers(): SharedBuffers {
    return { loop: this.#loopBuffer, arms: this.#arms.map(({ buffer }) => buffer) };
  }

  /**
   * Adds an arm after those that there are.
   * @param given its memory, made by another thread; left out: made here, for an arm that is disconnected
   * @returns its memory
   */
  add(joints: number, given?: SharedArrayBuffer): SharedArrayBuffer {
    const length = blockLength(joints);
    const buffer = given ?? new SharedArrayBuffer(WORD_BYTES + length * 8);
    const all = new Float64Array(buffer, WORD_BYTES, length);
    const scalars = all.subarray(0, ARM_FIELD_NAMES.length);
    const arrays = JOINT_FIELD_NAMES.map((_, field) => {
      const at = jointFieldAt(field, joints);
      return all.subarray(at, at + joints);
    });
    const words = new Int32Array(buffer, 0, WORD_BYTES / 4);
    this.#arms.push({ buffer, joints, words, scalars, arrays, all });
    if (given === undefined) {
      this.limitSpeed(this.#arms.length - 1, 1);
      this.limitAcceleration(this.#arms.length - 1, 1);
    }
    return buffer;
  }

  /** Takes back the arm that was added last: it could not be used. */
  drop(): void {
    this.#arms.pop();
  }

  /** Views of an arm's block, for the one writer. */
  arm(index: number): { readonly scalars: Float64Array; readonly arrays: readonly Float64Array[] } {
    return this.#arms[index]!;
  }

  /** Number of the motion that drove an arm last, as the loop wrote it. */
  lastMotion(index: number): number {
    return this.#arms[index]!.scalars[MOTION]!;
  }

  beginWrite(index: number): void {
    Atomics.add(this.#arms[index]!.words, SEQUENCE_WORD, 1);
  }

  endWrite(index: number): void {
    Atomics.add(this.#arms[index]!.words, SEQUENCE_WORD, 1);
  }

  /** Copies an arm's block into `out` (fields, then the joint arrays), all of one cycle. */
  copy(index: number, out: Float64Array): void {
    const { words, all } = this.#arms[index]!;
    // Bounded: a control thread that has died while it wrote must not take its readers with it.
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const before = Atomics.load(words, SEQUENCE_WORD);
      if ((before & 1) === 1) continue;
      out.set(all);
      // An exchange, not a load: the copy above may not be moved behind it on machines with weak memory order.
      if (Atomics.add(words, SEQUENCE_WORD, 0) === before) return;
    }
    out.set(all);
  }

  joints(index: number): number {
    return this.#arms[index]!.joints;
  }

  /** Length of an arm's block, numbers. */
  blockLength(index: number): number {
    return this.#arms[index]!.all.length;
  }

  /** The control thread has ended, perhaps as it wrote: from now on every arm is disconnected until another one writes. */
  orphan(): void {
    for (const [index, { scalars, words }] of this.#arms.entries()) {
      if ((Atomics.load(words, SEQUENCE_WORD) & 1) === 0) this.beginWrite(index);
      scalars[STATE] = StateCode.disconnected;
      scalars[HOLDING] = 0;
      scalars[FOLLOW_STATE] = FollowCode.idle;
      this.endWrite(index);
    }
  }

  /** Publishes the figures of the loop and wakes whoever waits for the next cycle. */
  finishCycle(): void {
    Atomics.add(this.#words, CYCLE_WORD, 1);
    this.#clock.notify(this.#words, CYCLE_WORD);
  }

  get cycle(): number {
    return Atomics.load(this.#words, CYCLE_WORD);
  }

  /** The word that counts the cycles, for whoever waits for the next one. */
  get cycleWord(): { readonly words: Int32Array; readonly index: number } {
    return { words: this.#words, index: CYCLE_WORD };
  }

  /** The main thread runs: a stop would be heard. It says so every `BEAT_INTERVAL`, and with every command. */
  beat(): void {
    Atomics.add(this.#words, BEAT_WORD, 1);
  }

  /** How often it has said so. */
  get beats(): number {
    return Atomics.load(this.#words, BEAT_WORD);
  }

  /**
   * Latches the stop of an arm, or clears it: seen by the loop in its next cycle, whatever else is queued. What somebody has
   * asked for is not lessened to a fault's.
   */
  latchStop(index: number, stop: StopWord): void {
    const { words } = this.#arms[index]!;
    if (stop === StopWord.fault) Atomics.compareExchange(words, STOP_WORD, StopWord.none, StopWord.fault);
    else Atomics.store(words, STOP_WORD, stop);
  }

  stopLatched(index: number): boolean {
    return this.stop(index) !== StopWord.none;
  }

  /** Who has latched the stop of an arm. */
  stop(index: number): StopWord {
    return Atomics.load(this.#arms[index]!.words, STOP_WORD) as StopWord;
  }

  /**
   * Number of an arm's present epoch of intent. Whoever asks for a motion or for torque says in which epoch: what was asked
   * in an earlier one is over and never acts.
   */
  epoch(index: number): number {
    return Atomics.load(this.#arms[index]!.words, EPOCH_WORD);
  }

  /** Ends the present epoch, and with it all that waits or streams in it. @returns the number of the new one */
  endEpoch(index: number): number {
    return (Atomics.add(this.#arms[index]!.words, EPOCH_WORD, 1) + 1) | 0;
  }

  /** Sets the part of its largest speeds that an arm may use, above 0 and at most 1. It outlives the control thread. */
  limitSpeed(index: number, part: number): void {
    Atomics.store(this.#arms[index]!.words, SPEED_WORD, Math.round(part * PART_UNITS));
  }

  speedPart(index: number): number {
    return Atomics.load(this.#arms[index]!.words, SPEED_WORD) / PART_UNITS;
  }

  /** The same for the accelerations with which it gains speed. */
  limitAcceleration(index: number, part: number): void {
    Atomics.store(this.#arms[index]!.words, ACCELERATION_WORD, Math.round(part * PART_UNITS));
  }

  accelerationPart(index: number): number {
    return Atomics.load(this.#arms[index]!.words, ACCELERATION_WORD) / PART_UNITS;
  }
}
