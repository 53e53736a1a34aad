import { stepsToRadians } from '../../servo/calibration.ts';
import type { ArmReadings } from './arm-readings.ts';
import { isWhole, PositionFilter, Verdict } from './position-filter.ts';
import type { ServoHealth } from './servo-health.ts';
import { type Block, countsIn } from './servo-reads.ts';
import { findTurn, type ServoSlot } from './servo-slots.ts';
import type { TorqueState } from './torque-state.ts';

/** Converts what servos answer into readings of their arm, by joint. */
export class Measurements {
  /** By servo: present position, and the goal it has taken, steps; 1 if the last read gave a position. */
  readonly steps: Float64Array;
  readonly taken: Float64Array;
  readonly fresh: Uint8Array;
  /** 1 for each servo that may count other turns than before: a goal as it was would turn it by these. */
  readonly turned: Uint8Array;
  /** Called with the slot index of a servo whose position has jumped further than any joint can move. */
  onMoved: (index: number) => void = () => {};
  readonly filter: PositionFilter;
  readonly #readings: ArmReadings;
  readonly #slots: readonly ServoSlot[];
  readonly #health: ServoHealth;
  readonly #torque: TorqueState;
  /** Nm, by servo. */
  readonly #effort: Float64Array;

  constructor(readings: ArmReadings, slots: readonly ServoSlot[], health: ServoHealth, torque: TorqueState) {
    const count = slots.length;
    this.#readings = readings;
    this.#slots = slots;
    this.#health = health;
    this.#torque = torque;
    this.#effort = new Float64Array(count);
    this.filter = new PositionFilter(slots.map(({ model }) => model.stepsPerTurn));
    this.steps = new Float64Array(count);
    this.taken = new Float64Array(count).fill(Number.NaN);
    this.fresh = new Uint8Array(count);
    this.turned = new Uint8Array(count);
  }

  /** Starts over from a known position of a servo, steps. */
  begin(index: number, steps: number, now: number): void {
    findTurn(this.#slots[index]!, steps);
    this.filter.begin(index, steps, now);
    this.taken[index] = Number.NaN;
    this.turned[index] = 0;
    this.#place(index, steps);
  }

  /**
   * Takes over what a read of `block` returned; a servo that did not answer keeps its last values.
   * @returns whether every servo that answered has a credible position
   */
  take(bytes: Uint8Array, answered: Uint8Array, block: Block, now: number): boolean {
    let believed = true;
    for (let i = 0; i < answered.length; i++) {
      if (block.position) this.fresh[i] = 0;
      if (answered[i] === 1 && !this.#takeServo(bytes, i, block, now)) believed = false;
    }
    if (block.alarms || block.detail) this.#combine();
    return believed;
  }

  #takeServo(bytes: Uint8Array, i: number, block: Block, now: number): boolean {
    const { common } = this.#slots[i]!.model;
    if (block.goal) this.taken[i] = countsIn(bytes, i, block, common.goalPosition);
    const believed = !block.position || this.#takePosition(i, countsIn(bytes, i, block, common.presentPosition), now);
    if (block.alarms) this.#health.alarm(i, countsIn(bytes, i, block, common.alarms));
    if (block.detail) this.#takeDetail(bytes, i, block, now);
    return believed;
  }

  #takePosition(i: number, steps: number, now: number): boolean {
    const verdict = this.filter.judge(i, steps, now);
    if (verdict === Verdict.turned) this.turned[i] = 1;
    if (verdict === Verdict.turned || verdict === Verdict.held) return false;
    this.turned[i] = 0;
    this.fresh[i] = 1;
    if (verdict === Verdict.moved) {
      const turns = (steps - this.steps[i]!) / this.#slots[i]!.model.stepsPerTurn;
      // A multi-turn servo that has restarted begins in its first turn. One that holds has not, but may have miscounted.
      if (this.#torque.holds[i] === 0 || isWhole(turns)) findTurn(this.#slots[i]!, steps);
      this.onMoved(i);
    }
    this.#place(i, steps);
    return true;
  }

  #takeDetail(bytes: Uint8Array, i: number, block: Block, now: number): void {
    const { calibration, joint, model } = this.#slots[i]!;
    const { presentVelocity, presentEffort, presentVoltage, presentTemperature } = model.common;
    const velocity = countsIn(bytes, i, block, presentVelocity) * presentVelocity.scale;
    if (this.#isFirst(i)) {
      this.#readings.velocities[joint] = velocity * calibration.sign;
      this.#readings.detailed[joint] = now;
    }
    const effort = countsIn(bytes, i, block, presentEffort) * presentEffort.scale;
    this.#effort[i] = effort * model.torquePerEffort * calibration.sign;
    const temperature = countsIn(bytes, i, block, presentTemperature) * presentTemperature.scale;
    this.#health.measured(i, temperature, countsIn(bytes, i, block, presentVoltage) * presentVoltage.scale);
  }

  #place(index: number, steps: number): void {
    const { calibration, joint } = this.#slots[index]!;
    const { positions } = this.#readings;
    this.steps[index] = steps;
    if (this.#isFirst(index)) positions[joint] = stepsToRadians(calibration, steps);
    else this.#health.apart[index] = stepsToRadians(calibration, steps) - positions[joint]!;
  }

  /** Whether this is a joint's first servo, which gives its position: these come first. */
  #isFirst(index: number): boolean {
    return index < this.#readings.positions.length;
  }

  /**
   * Combines servos into joints: efforts add up, alarm bits merge, the hottest counts; voltage is the first servo's.
   */
  #combine(): void {
    const { alarms, temperatures, voltages } = this.#health;
    const readings = this.#readings;
    for (let i = 0; i < this.#slots.length; i++) {
      const { joint } = this.#slots[i]!;
      const first = this.#isFirst(i);
      readings.efforts[joint] = first ? this.#effort[i]! : readings.efforts[joint]! + this.#effort[i]!;
      readings.alarms[joint] = first ? alarms[i]! : readings.alarms[joint]! | alarms[i]!;
      const temperature = temperatures[i]!;
      readings.temperatures[joint] = first ? temperature : Math.max(readings.temperatures[joint]!, temperature);
      if (first) readings.voltages[joint] = voltages[i]!;
    }
  }
}
