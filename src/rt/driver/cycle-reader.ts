import type { ServoBus } from '../../servo/servo-bus.ts';
import type { ArmReadings } from './arm-readings.ts';
import type { BusStatistics } from './bus-statistics.ts';
import type { Gains } from './gains.ts';
import type { Measurements } from './measurements.ts';
import { type Block, type Blocks, countsIn, ReadPlan, type Wanted } from './servo-reads.ts';
import type { ServoSlot } from './servo-slots.ts';
import type { ServoTrust } from './servo-trust.ts';
import type { TorqueState } from './torque-state.ts';

/** A servo that has lost its torque by itself is believed after so many reads. */
const AGREEING = 2;

/** What precedes the second read of a cycle has taken no longer than this, s: in a longer time the host has stood still. */
const LONGEST_FIRST = 0.03;

/** What the reads of a cycle are taken by. */
export interface ReaderParts {
  readonly bus: ServoBus;
  readonly blocks: Blocks;
  readonly slots: readonly ServoSlot[];
  readonly readings: ArmReadings;
  readonly measurements: Measurements;
  readonly statistics: BusStatistics;
  readonly trust: ServoTrust;
  readonly torque: TorqueState;
  readonly gains: Gains;
}

/** Reads the servos of an arm in each cycle: one block, or two, each taken over by those whom it concerns. */
export class CycleReader {
  /** All servos have answered in this cycle, with positions that can be believed; and all of those that still carry. */
  all = false;
  living = false;
  /** Some servo has answered in this cycle. */
  heard = false;
  /** Answers came to a request that had been repeated by then. */
  late = false;
  /** Torque was read that nobody has asked for. */
  unasked = false;
  /** The state of the servos is to be read again in the next cycle. */
  doubtful = false;
  readonly #parts: ReaderParts;
  /** Reads in a row that showed a servo limp though it was left with torque. */
  readonly #limpReads: Uint8Array;
  readonly #plan: ReadPlan;
  #block: Block;
  #begun = 0;
  #asked = 0;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
    this.#limpReads = new Uint8Array(parts.slots.length);
    this.#plan = new ReadPlan(parts.blocks);
    this.#block = parts.blocks.position;
  }

  /** Time from the beginning of the cycle until the line has carried its answers, with all that was sent before, s. */
  get readTime(): number {
    return Math.min(this.#asked - this.#begun, LONGEST_FIRST) + this.#parts.bus.readTime;
  }

  /** A servo was read to be limp though it was left with torque, which is not believed yet. */
  seemsLimp(index: number): boolean {
    return this.#limpReads[index]! > 0 && this.#limpReads[index]! < AGREEING;
  }

  /** The arm has been checked. */
  checked(now: number): void {
    this.#plan.begin(now);
  }

  begin(wanted: Wanted, now: number): void {
    this.#begun = now;
    this.all = true;
    this.living = true;
    this.heard = false;
    this.late = false;
    this.unasked = false;
    this.doubtful = false;
    this.#plan.choose(wanted, now);
    this.#ask(this.#plan.first, now);
  }

  /**
   * A read has settled.
   * @param commanded a torque command is under way: torque may be otherwise than it was left
   * @returns whether the cycle's reads are over; otherwise the next one has begun
   */
  settled(commanded: boolean, now: number): boolean {
    const { bus, measurements, statistics, trust } = this.#parts;
    const { answered } = bus;
    if (bus.late) this.late = true;
    let all = true;
    let living = true;
    for (let i = 0; i < answered.length; i++) {
      trust.answered(i, answered[i] === 1, now);
      if (answered[i] === 1) this.heard = true;
      if (answered[i] === 1 && !trust.isLimp(i)) continue;
      all = false;
      if (trust.lost[i] === 0) living = false;
    }
    statistics.settled(answered, all ? now - this.#asked : Number.NaN, now);
    const block = this.#block;
    if (!measurements.take(bus.block, answered, block, now)) {
      all = false;
      living = false;
    }
    this.all &&= all;
    this.living &&= living;
    if (block.gain || block.effortLimit) this.#takeGains(block);
    if (living) this.#takeState(block, all, commanded);
    const next = this.#plan.second;
    if (block !== this.#plan.first || next === null) return true;
    this.#ask(next, now);
    return false;
  }

  #ask(block: Block, now: number): void {
    this.#asked = now;
    this.#block = block;
    this.#parts.bus.beginRead(block.address, block.length);
  }

  #takeGains(block: Block): void {
    const { bus, slots, gains } = this.#parts;
    const { positionGain } = slots[0]!.model.common;
    for (let i = 0; i < slots.length; i++) {
      if (bus.answered[i] === 0) continue;
      if (block.gain) gains.confirm(i, countsIn(bus.block, i, block, positionGain));
      const { effortLimit } = slots[i]!;
      if (block.effortLimit && effortLimit !== null)
        gains.currents.confirm(i, countsIn(bus.block, i, block, effortLimit));
    }
  }

  /** Of all servos, or at least of all that still carry. */
  #takeState(block: Block, all: boolean, commanded: boolean): void {
    const { readings } = this.#parts;
    const begun = this.#begun;
    this.#plan.brought(block, begun);
    if (block.position) readings.steerTime = begun;
    if (all && block.position) readings.sampleTime = begun;
    if (all && block.detail) readings.detailTime = begun;
    if (block.torque) this.#takeTorque(block, commanded);
  }

  #takeTorque(block: Block, commanded: boolean): void {
    const { bus, slots, trust, torque } = this.#parts;
    const { torqueEnable } = slots[0]!.model.common;
    for (let i = 0; i < slots.length; i++) {
      if (trust.lost[i] === 1) continue;
      const held = countsIn(bus.block, i, block, torqueEnable) === 1 ? 1 : 0;
      if (held === torque.expected[i]) trust.proven(i, this.#begun);
      const limp = !commanded && held < torque.expected[i]!;
      this.#limpReads[i] = limp ? this.#limpReads[i]! + 1 : 0;
      if (limp) {
        // Until it is read again, and when it has fallen, it counts as holding: the others go on carrying.
        if (this.#limpReads[i]! >= AGREEING) trust.fell(i, this.#begun);
        else this.doubtful = true;
        continue;
      }
      if (!commanded && held > torque.expected[i]!) this.unasked = true;
      torque.holds[i] = held;
    }
    torque.combine();
  }
}
