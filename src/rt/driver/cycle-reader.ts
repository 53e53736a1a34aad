import type { ServoBus } from '../../servo/servo-bus.ts';
import type { ArmReadings } from './arm-readings.ts';
import type { BusStatistics } from './bus-statistics.ts';
import type { Gains } from './gains.ts';
import type { Measurements } from './measurements.ts';
import { type Block, type Blocks, countsIn, ReadPlan, type Wanted } from './servo-reads.ts';
import type { ServoSlot } from './servo-slots.ts';
import type { ServoTrust } from './servo-trust.ts';
import type { TorqueState } from './torque-state.ts';

/** Reads in a row that must show a servo limp before its loss of torque is believed. */
const AGREEING = 2;

/** Longest time counted before a cycle's second read, s: a longer one means that the host was paused. */
const LONGEST_FIRST = 0.03;

/** Parts of an arm that take the results of a cycle's reads. */
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

/** Reads an arm's servos in each cycle, in one or two blocks, and hands the results to the parts that need them. */
export class CycleReader {
  /** In this cycle all servos, or all that still carry, have answered with credible positions. */
  all = false;
  living = false;
  /** At least one servo has answered in this cycle. */
  heard = false;
  /** An answer came only after its request had been repeated. */
  late = false;
  /** A servo has torque that nobody asked for. */
  unasked = false;
  /** The next cycle must read the servos' state again. */
  doubtful = false;
  readonly #parts: ReaderParts;
  /** Reads in a row that showed a servo limp though it should have torque. */
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

  /** Time from the start of the cycle until the line has carried its answers, including everything sent before, s. */
  get readTime(): number {
    return Math.min(this.#asked - this.#begun, LONGEST_FIRST) + this.#parts.bus.readTime;
  }

  /** The servo was read as limp though it should have torque, but this is not believed yet. */
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
   * @param commanded a torque command is under way, so torque may differ from the expected one
   * @returns true if the cycle's reads are over; false if the next one has begun
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

  /** Takes the state of all servos, or at least of all that still carry. */
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
        // A doubtful or fallen servo still counts as holding, so that the others go on carrying.
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
