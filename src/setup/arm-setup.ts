import { defineMachine, Running } from '../machine.ts';
import type { Assigned, Presence } from '../servo/assign.ts';
import type { Bench, Difference, RegistersSet } from '../servo/bench.ts';
import { faultsOf, type SetupArm, type SetupServo } from './arm.ts';

/** State machine of the set-up of one arm, from new servos to the configuration. The terminal and the page share it. */
export const SETUP = defineMachine({
  name: 'Set-up of an arm',
  states: {
    look: 'its servos are scanned next',
    missing: 'a servo is missing or wrong',
    single: 'the next servo is connected alone and gets its id',
    whole: 'all servos have their ids: the whole arm is connected and scanned next',
    registers: "all servos answer, and some registers differ from the arm's data",
    enter: 'all servos answer: the arm is written into the configuration next',
    done: 'the arm is in the configuration',
  },
  inputs: {
    complete: 'every servo answers once, has the right model and the required registers',
    deviating: 'every servo answers once and has the right model, but some registers differ',
    incomplete: 'a servo is missing, duplicated or of another model',
    singly: 'the person chooses to assign ids, one servo at a time',
    last: 'the last servo has got its id, or was skipped',
    settled: 'the registers have been set or left',
    entered: 'the arm has been written into the configuration',
  },
  effects: {},
  initial: 'look',
  table: {
    look: {
      complete: 'enter',
      deviating: 'registers',
      incomplete: 'missing',
      singly: null,
      last: null,
      settled: null,
      entered: null,
    },
    missing: {
      complete: 'enter',
      deviating: 'registers',
      incomplete: null,
      singly: 'single',
      last: null,
      settled: null,
      entered: null,
    },
    single: {
      complete: null,
      deviating: null,
      incomplete: null,
      singly: null,
      last: 'whole',
      settled: null,
      entered: null,
    },
    whole: {
      complete: 'enter',
      deviating: 'registers',
      incomplete: 'missing',
      singly: null,
      last: null,
      settled: null,
      entered: null,
    },
    registers: {
      complete: null,
      deviating: null,
      incomplete: null,
      singly: null,
      last: null,
      settled: 'enter',
      entered: null,
    },
    enter: {
      complete: null,
      deviating: null,
      incomplete: null,
      singly: null,
      last: null,
      settled: null,
      entered: 'done',
    },
    done: {
      complete: null,
      deviating: null,
      incomplete: null,
      singly: null,
      last: null,
      settled: null,
      entered: null,
    },
  },
});

export type SetupStep = keyof typeof SETUP.states;

/**
 * The set-up of one arm: its step, and the work of each step on its bench. A call that throws leaves the step
 * unchanged.
 */
export class ArmSetup {
  readonly arm: SetupArm;
  readonly #bench: Bench;
  readonly #machine = new Running(SETUP);
  /** Ids of the servos that have got their ids or were skipped; emptied when the assignment ends. */
  #done: readonly number[];
  #waiting: readonly SetupServo[] = [];
  #found: readonly Presence[] = [];
  #differences: readonly Difference[] = [];

  /** @param done ids of servos already set up in an earlier run */
  constructor(arm: SetupArm, bench: Bench, done: readonly number[] = []) {
    this.arm = arm;
    this.#bench = bench;
    this.#done = done;
  }

  get step(): SetupStep {
    return this.#machine.state;
  }

  get done(): readonly number[] {
    return this.#done;
  }

  /** Whether a servo has its id or was skipped; false at any step but `single`. */
  isDone(servo: SetupServo): boolean {
    return this.step === 'single' && !this.#waiting.includes(servo);
  }

  /** The servo to be connected alone; null at any step but `single`. */
  get servo(): SetupServo | null {
    return this.step === 'single' ? this.#waiting[0]! : null;
  }

  /** Human-readable faults of the last scan; empty at any step but `missing`. */
  get faults(): readonly string[] {
    return this.step === 'missing' ? faultsOf(this.arm, this.#found) : [];
  }

  /** Registers that differ from the arm's data; empty at any step but `registers`. */
  get differences(): readonly Difference[] {
    return this.step === 'registers' ? this.#differences : [];
  }

  /**
   * Scans the servos, and compares the registers if all answer.
   * @throws {PortError}
   * @throws {ServoError}
   * @throws {AssignError}
   */
  async look(): Promise<void> {
    const { servos } = this.arm;
    const found = await this.#bench.presence(servos);
    const complete = found.every((each) => each === 'there');
    const differences = complete ? await this.#bench.differences(servos) : [];
    this.#found = found;
    this.#differences = differences;
    this.#put(complete ? (differences.length > 0 ? 'deviating' : 'complete') : 'incomplete');
  }

  /** Starts to assign ids, one servo at a time, to all servos without their ids. */
  singly(): void {
    const { servos } = this.arm;
    // A servo that answers has its id, except at the factory id, which every new servo has.
    const there = servos.filter(({ id, model }, i) => this.#found[i] === 'there' && id !== model.common.id.initial);
    this.#waiting = servos.filter((servo) => !there.includes(servo) && !this.#done.includes(servo.id));
    this.#put('singly');
    if (this.#waiting.length === 0) this.#last();
  }

  /**
   * Assigns the due id to the only connected servo.
   * @param reassign even if the servo already has another assigned id
   * @throws {AssignError} @throws {PortError} @throws {ServoError}
   */
  async give(reassign: boolean): Promise<Assigned> {
    const assigned = await this.#bench.assign(this.servo!, reassign);
    this.leaveOut();
    return assigned;
  }

  /** Skips to the next servo. */
  leaveOut(): void {
    const [served, ...others] = this.#waiting;
    this.#waiting = others;
    this.#done = [...this.#done, served!.id];
    if (others.length === 0) this.#last();
  }

  /** Sets the registers to the arm's data. @throws {AssignError} @throws {PortError} @throws {ServoError} */
  async setRegisters(): Promise<RegistersSet> {
    const set = await this.#bench.restore(this.arm.servos);
    this.#put('settled');
    return set;
  }

  /** Keeps the registers as they are. */
  leaveRegisters(): void {
    this.#put('settled');
  }

  entered(): void {
    this.#put('entered');
  }

  /** Ends the assignment, and forgets which servos are done, so that missing servos can be assigned again. */
  #last(): void {
    this.#done = [];
    this.#put('last');
  }

  #put(input: keyof typeof SETUP.inputs): void {
    // No step has a time limit.
    this.#machine.put(input, 0);
  }
}
