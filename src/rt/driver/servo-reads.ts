import { loadCounts, type Register } from '../../servo/registers.ts';
import { MAX_BLOCK } from '../../servo/servo-bus.ts';
import type { FamilyReads } from '../../servo/servo-family.ts';
import type { CommonRegisters } from '../../servo/servo-model.ts';

/** A run of registers that one read returns, and which registers of interest it contains. */
export interface Block {
  readonly address: number;
  readonly length: number;
  /** Contains the present position: the read is a sample. */
  readonly position: boolean;
  /** Contains velocity, effort, voltage and temperature. */
  readonly detail: boolean;
  readonly alarms: boolean;
  /** Contains the torque switch; contains the goal that the servo has taken. */
  readonly torque: boolean;
  readonly goal: boolean;
  readonly gain: boolean;
  /** Contains all effort-limit registers. */
  readonly effortLimit: boolean;
}

/** Longest block in which gain and effort limit are read together, bytes. */
const LONGEST_CAPS = 20;

/** Blocks from which a cycle chooses its reads. */
export interface Blocks {
  /** Read in each cycle that needs no other block. */
  readonly position: Block;
  readonly detail: Block;
  /** Torque switch, and the goal that the servo has taken: one read, or two if the registers lie too far apart. */
  readonly state: Block;
  readonly goals: Block | null;
  readonly gain: Block;
  /** The effort limits, if servos have any, and the gain if it lies near them. */
  readonly caps: Block;
}

/** @param effortLimits effort-limit registers of the servos; empty if none has one */
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

/** Content of a register, counts, for one slot index, in what a read of `block` returned (`ServoBus.block`). */
export function countsIn(bytes: Uint8Array, index: number, block: Block, register: Register): number {
  return loadCounts(register, bytes, index * MAX_BLOCK + register.address - block.address);
}

/** Interval at which all further fields are read, s. */
const DETAIL_INTERVAL = 0.05;
/** Time within which a servo that has lost its torque by itself is noticed, for example after a supply dip, s. */
const STATE_INTERVAL = 0.25;

/** Why a cycle reads more than positions. */
export interface Wanted {
  /** Torque is being switched on: goals and torque are read back in each cycle. */
  readonly arming: boolean;
  /** A torque command is under way, a servo's torque must be verified, or a joint does not follow. */
  readonly state: boolean;
  /** Gains, or gains and current caps, must be read back. */
  readonly gains: 'none' | 'gain' | 'caps';
}

/** Chooses what a cycle reads: one block, and a second one if wanted registers lie too far from the position. */
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

  /** Starts over after a check, which has read the state. */
  begin(now: number): void {
    this.#detailTime = 0;
    this.#stateTime = now;
  }

  choose(wanted: Wanted, now: number): void {
    const { position, detail, state, goals, gain, caps } = this.#blocks;
    const stateDue = wanted.arming || wanted.state || now - this.#stateTime >= STATE_INTERVAL;
    const detailDue = now - this.#detailTime >= DETAIL_INTERVAL;
    // Nothing is more urgent while torque is being switched on.
    if (stateDue && state.position) this.first = state;
    else if (wanted.arming && goals !== null) this.first = goals;
    else if (detailDue) this.first = detail;
    else this.first = goals !== null && stateDue ? goals : position;
    this.second = stateDue && !state.position ? state : null;
    if (this.second === null && wanted.gains !== 'none') this.second = wanted.gains === 'caps' ? caps : gain;
  }

  /** This block has been read from all servos that still carry. */
  brought(block: Block, now: number): void {
    if (block.detail) this.#detailTime = now;
    if (block.torque) this.#stateTime = now;
  }
}
