/**
 * The shared snapshot: one block of numbers per arm in a SharedArrayBuffer, written by the control loop once per cycle
 * and read by anybody at any time. A sequence lock (odd while writing) keeps readers from seeing half a cycle; nothing
 * is allocated or posted per cycle.
 */

/** Numbers of an arm that are not per joint, in this order. */
export const Field = {
  cycle: 0,
  state: 1,
  torque: 2,
  sampleTime: 3,
  goalTime: 4,
  detailTime: 5,
  motion: 6,
  followState: 7,
  followLatency: 8,
  discarded: 9,
  roundTripMedian: 10,
  roundTripLongest: 11,
  holding: 12,
  count: 13,
} as const;

/** Per-joint arrays of an arm, in this order. */
export const JOINT_ARRAYS = [
  'positions',
  'goals',
  'setpoints',
  'velocities',
  'efforts',
  'temperatures',
  'temperatureLimits',
  'voltages',
  'alarms',
  'heardTimes',
  'lostReplies',
] as const;
export type JointArray = (typeof JOINT_ARRAYS)[number];

/** Figures of the loop, in this order; `priority` is 0 without one, the last three have six numbers each (`timingAt`). */
export const LoopField = {
  rate: 0,
  late: 1,
  period: 2,
  longestPeriod: 3,
  priority: 4,
  periods: 5,
  lateness: 11,
  latency: 17,
  count: 23,
} as const;

/** States of an arm as the loop numbers them. */
export const StateCode = {
  disconnected: 0,
  connected: 1,
  ready: 2,
  moving: 3,
  mirroring: 4,
  floating: 5,
  stopped: 6,
} as const;
export type StateCode = (typeof StateCode)[keyof typeof StateCode];

/** What following a leader or a stream of setpoints is doing; `refused`: samples came back too far away to be approached. */
export const FollowCode = { idle: 0, ramping: 1, following: 2, holding: 3, refused: 4 } as const;
export type FollowCode = (typeof FollowCode)[keyof typeof FollowCode];

const HEADER_WORDS = 2;
const CYCLE_WORD = 0;
const WORDS_PER_ARM = 3;
/** Words hold whole numbers: parts of a speed are counted in ten-thousandths. */
const SPEED_UNITS = 10_000;
const MOST_ATTEMPTS = 100_000;

/** Shared memory for arms with the given numbers of joints, and where everything lies in it. */
export class SharedState {
  /** Int32 words: cycle counter, one spare for alignment, then per arm its sequence, its stop latch and its part of speed. */
  readonly words: Int32Array;
  readonly loop: Float64Array;
  readonly #arms: { fields: Float64Array; arrays: Record<JointArray, Float64Array>; all: Float64Array }[] = [];
  readonly buffer: SharedArrayBuffer;
  readonly joints: readonly number[];

  constructor(joints: readonly number[], buffer?: SharedArrayBuffer) {
    this.joints = joints;
    const words = HEADER_WORDS + WORDS_PER_ARM * joints.length;
    const wordBytes = Math.ceil((words * 4) / 8) * 8;
    const numbers = LoopField.count + joints.reduce((sum, count) => sum + Field.count + JOINT_ARRAYS.length * count, 0);
    this.buffer = buffer ?? new SharedArrayBuffer(wordBytes + numbers * 8);
    this.words = new Int32Array(this.buffer, 0, words);
    if (buffer === undefined) for (const index of joints.keys()) this.limitSpeed(index, 1);
    let at = wordBytes;
    const take = (count: number): Float64Array => {
      const view = new Float64Array(this.buffer, at, count);
      at += count * 8;
      return view;
    };
    this.loop = take(LoopField.count);
    for (const count of joints) {
      const start = at;
      const fields = take(Field.count);
      const arrays = {} as Record<JointArray, Float64Array>;
      for (const name of JOINT_ARRAYS) arrays[name] = take(count);
      const all = new Float64Array(this.buffer, start, (at - start) / 8);
      this.#arms.push({ fields, arrays, all });
    }
  }

  /** Views of an arm's block, for the one writer. */
  arm(index: number): { readonly fields: Float64Array; readonly arrays: Record<JointArray, Float64Array> } {
    return this.#arms[index]!;
  }

  #sequenceWord(index: number): number {
    return HEADER_WORDS + WORDS_PER_ARM * index;
  }

  beginWrite(index: number): void {
    Atomics.add(this.words, this.#sequenceWord(index), 1);
  }

  endWrite(index: number): void {
    Atomics.add(this.words, this.#sequenceWord(index), 1);
  }

  /** Copies an arm's block into `out` (fields, then the joint arrays), all of one cycle. */
  copy(index: number, out: Float64Array): void {
    const word = this.#sequenceWord(index);
    const all = this.#arms[index]!.all;
    // Bounded: a control thread that has died while it wrote must not take its readers with it.
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const before = Atomics.load(this.words, word);
      if ((before & 1) === 1) continue;
      out.set(all);
      // An exchange, not a load: the copy above may not be moved behind it on machines with weak memory order.
      if (Atomics.add(this.words, word, 0) === before) return;
    }
    out.set(all);
  }

  /** Length of an arm's block, numbers. */
  blockLength(index: number): number {
    return this.#arms[index]!.all.length;
  }

  /** The control thread has ended, perhaps as it wrote: from now on every arm is disconnected until another one writes. */
  orphan(): void {
    for (const [index, { fields }] of this.#arms.entries()) {
      const word = this.#sequenceWord(index);
      if ((Atomics.load(this.words, word) & 1) === 0) this.beginWrite(index);
      fields[Field.state] = StateCode.disconnected;
      fields[Field.holding] = 0;
      fields[Field.followState] = FollowCode.idle;
      this.endWrite(index);
    }
  }

  /** Publishes the figures of the loop and wakes whoever waits for the next cycle. */
  finishCycle(): void {
    Atomics.add(this.words, CYCLE_WORD, 1);
    Atomics.notify(this.words, CYCLE_WORD);
  }

  get cycle(): number {
    return Atomics.load(this.words, CYCLE_WORD);
  }

  /** Resolves when a cycle after `seen` has been published, or after `timeout` ms. */
  async nextCycle(seen: number, timeout: number): Promise<void> {
    const wait = Atomics.waitAsync(this.words, CYCLE_WORD, seen, timeout);
    if (wait.async) await wait.value;
  }

  /** Latches (or clears) the stop of an arm: seen by the loop in its next cycle, whatever else is queued. */
  latchStop(index: number, stopped: boolean): void {
    Atomics.store(this.words, this.#sequenceWord(index) + 1, stopped ? 1 : 0);
  }

  stopLatched(index: number): boolean {
    return Atomics.load(this.words, this.#sequenceWord(index) + 1) === 1;
  }

  /** Sets the part of its largest speeds that an arm may use, above 0 and at most 1. It outlives the control thread. */
  limitSpeed(index: number, part: number): void {
    Atomics.store(this.words, this.#sequenceWord(index) + 2, Math.round(part * SPEED_UNITS));
  }

  speedPart(index: number): number {
    return Atomics.load(this.words, this.#sequenceWord(index) + 2) / SPEED_UNITS;
  }
}
