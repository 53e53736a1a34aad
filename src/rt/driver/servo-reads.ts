import { loadCounts, type Register } from '../../servo/registers.ts';
import { MAX_BLOCK } from '../../servo/servo-bus.ts';
import type { FamilyReads } from '../../servo/servo-family.ts';
import type { CommonRegisters } from '../../servo/servo-model.ts';

/** A run of registers that one read brings, and what of interest is in it. */
export interface Block {
  readonly address: number;
  readonly length: number;
  /** It holds the present position: the read is a sample. */
  readonly position: boolean;
  /** It holds velocity, effort, voltage and temperature. */
  readonly detail: boolean;
  readonly alarms: boolean;
  /** It holds whether the servo has torque, and the goal that it has taken. */
  readonly torque: boolean;
  readonly goal: boolean;
  readonly gain: boolean;
  /** It holds all registers of a largest effort. */
  readonly effortLimit: boolean;
}

/** Gain and largest effort that lie no further apart are read at once, bytes. */
const LONGEST_CAPS = 20;

/** The reads that a cycle chooses from. */
export interface Blocks {
  /** In each cycle that needs no other. */
  readonly position: Block;
  readonly detail: Block;
  /** Whether servos hold, and the goals that they have taken: one read, or two where they lie too far apart. */
  readonly state: Block;
  readonly goals: Block | null;
  readonly gain: Block;
  /** The largest effort where servos have one, and the gain where that is near. */
  readonly caps: Block;
}

/** @param effortLimits registers of the largest effort, where some servo has one */
export function blocksOf(reads: FamilyReads, common: CommonRegisters, effortLimits: readonly Register[]): Blocks {
  const { presentPosition, presentVelocity, presentTemperature, alarms } = common;
  const block = (...registers: readonly Register[]): Block => {
    const address = Math.min(...registers.map((register) => register.address));
    const end = Math.max(...registers.map((register) => register.address + register.size));
    const holds = (register: Register): boolean =>
      register.address >= address && register.address + register.size <= end;
    return {
      address,
      length: end - address,
      position: holds(presentPosition),
      detail: holds(presentVelocity) && holds(presentTemperature),
      alarms: holds(alarms),
      torque: holds(common.torqueEnable),
      goal: holds(common.goalPosition),
      gain: holds(common.positionGain),
      effortLimit: effortLimits.length > 0 && effortLimits.every(holds),
    };
  };
  const named = (names: FamilyReads['position']): Block =>
    block(...names.map((name) => common[name]).filter((register) => register !== null));
  return {
    position: named(reads.position),
    detail: named(reads.detail),
    state: named(reads.state),
    goals: reads.goals === null ? null : named(reads.goals),
    gain: block(common.positionGain),
    caps: capsOf(block, common.positionGain, effortLimits),
  };
}

function capsOf(
  block: (...registers: readonly Register[]) => Block,
  gain: Register,
  limits: readonly Register[],
): Block {
  const both = block(gain, ...limits);
  return both.length <= LONGEST_CAPS ? both : block(...limits);
}

/** Content of a register, in counts, in what a read of `block` brought (`ServoBus.block`) from the servo in this place. */
export function countsIn(bytes: Uint8Array, index: number, block: Block, register: Register): number {
  return loadCounts(register, bytes, index * MAX_BLOCK + register.address - block.address);
}

/** All further fields are read this often, s. */
const DETAIL_INTERVAL = 0.05;
/** A servo that has lost its torque by itself, as after a dip of its supply, is noticed within this time, s. */
const STATE_INTERVAL = 0.25;

/** Why a cycle reads more than positions. */
export interface Wanted {
  /** Torque is being switched on: goals and torque are read back in each cycle. */
  readonly arming: boolean;
  /** Some torque command is under way, a servo is to be proven, or a joint does not follow. */
  readonly state: boolean;
  /** Gains, or gains and largest currents, are to be read back. */
  readonly gains: 'none' | 'gain' | 'caps';
}

/** Chooses what a cycle reads: one block, and a second one where what is wanted lies too far from the position. */
export class ReadPlan {
  first: Block;
  second: Block | null = null;
  readonly #blocks: Blocks;
  /** When details and state were read last, s. */
  #detailTime = 0;
  #stateTime = 0;

  constructor(blocks: Blocks) {
    this.#blocks = blocks;
    this.first = blocks.position;
  }

  /** Begins anew after a check, which has read the state. */
  begin(now: number): void {
    this.#detailTime = 0;
    this.#stateTime = now;
  }

  choose(wanted: Wanted, now: number): void {
    const { position, detail, state, goals, gain, caps } = this.#blocks;
    const stateDue = wanted.arming || wanted.state || now - this.#stateTime >= STATE_INTERVAL;
    const detailDue = now - this.#detailTime >= DETAIL_INTERVAL;
    // While torque goes on nothing else is as urgent.
    if (stateDue && state.position) this.first = state;
    else if (wanted.arming && goals !== null) this.first = goals;
    else if (detailDue) this.first = detail;
    else this.first = goals !== null && stateDue ? goals : position;
    this.second = stateDue && !state.position ? state : null;
    if (this.second === null && wanted.gains !== 'none') this.second = wanted.gains === 'caps' ? caps : gain;
  }

  /** A read has brought this block from all servos that count. */
  brought(block: Block, now: number): void {
    if (block.detail) this.#detailTime = now;
    if (block.torque) this.#stateTime = now;
  }
}
