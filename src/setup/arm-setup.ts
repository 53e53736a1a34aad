import { defineMachine, Running } from '../machine.ts';
import type { Assigned, Presence } from '../servo/assign.ts';
import type { Bench, Difference, RegistersSet } from '../servo/bench.ts';
import { faultsOf, type SetupArm, type SetupServo } from './arm.ts';

/** The way of one arm from servos in a box to the configuration, at a terminal and on the page. */
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

/** One arm that is set up: its step, and what each step does on its bench. What a call throws leaves the step as it is. */
export class ArmSetup {
  readonly arm: SetupArm;
  readonly #bench: Bench;
  readonly #machine = new Running(SETUP);
  /** Ids of the servos that have been given theirs, or were left out, since the arm was last seen whole. */
  #done: readonly number[];
  #waiting: readonly SetupServo[] = [];
  #found: readonly Presence[] = [];
  #differences: readonly Difference[] = [];

  /** @param done ids of servos that an earlier run has set up */
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

  /** Whether a servo has its id, or was left out, while they get theirs one at a time. */
  isDone(servo: SetupServo): boolean {
    return this.step === 'single' && !this.#waiting.includes(servo);
  }

  /** The servo that is to be connected alone; null at any other step. */
  get servo(): SetupServo | null {
    return this.step === 'single' ? this.#waiting[0]! : null;
  }

  /** What was wrong when the arm was looked at last, for people. */
  get faults(): readonly string[] {
    return this.step === 'missing' ? faultsOf(this.arm, this.#found) : [];
  }

  /** Registers that are not as wanted; empty at any step but that one. */
  get differences(): readonly Difference[] {
    return this.step === 'registers' ? this.#differences : [];
  }

  /** Looks who answers, and how the registers are when everybody does. @throws {PortError} @throws {ServoError} @throws {AssignError} */
  async look(): Promise<void> {
    const { servos } = this.arm;
    const found = await this.#bench.presence(servos);
    const complete = found.every((each) => each === 'there');
    const differences = complete ? await this.#bench.differences(servos) : [];
    this.#found = found;
    this.#differences = differences;
    this.#put(complete ? (differences.length > 0 ? 'deviating' : 'complete') : 'incomplete');
  }

  /** Begins to give the servos their ids: all but those that have them. */
  singly(): void {
    const { servos } = this.arm;
    // One that answers has its id, but for the factory's, which every new servo has.
    const there = servos.filter(({ id, model }, i) => this.#found[i] === 'there' && id !== model.common.id.initial);
    this.#waiting = servos.filter((servo) => !there.includes(servo) && !this.#done.includes(servo.id));
    this.#put('singly');
    if (this.#waiting.length === 0) this.#last();
  }

  /**
   * Gives the only servo that is connected the id that is due.
   * @param reassign also when it has been given another id before
   * @throws {AssignError} @throws {PortError} @throws {ServoError}
   */
  async give(reassign: boolean): Promise<Assigned> {
    const assigned = await this.#bench.assign(this.servo!, reassign);
    this.leaveOut();
    return assigned;
  }

  /** Goes on to the next servo. */
  leaveOut(): void {
    const [served, ...others] = this.#waiting;
    this.#waiting = others;
    this.#done = [...this.#done, served!.id];
    if (others.length === 0) this.#last();
  }

  /** Sets the registers as they are wanted. @throws {AssignError} @throws {PortError} @throws {ServoError} */
  async setRegisters(): Promise<RegistersSet> {
    const set = await this.#bench.restore(this.arm.servos);
    this.#put('settled');
    return set;
  }

  /** Leaves the registers as they are. */
  leaveRegisters(): void {
    this.#put('settled');
  }

  entered(): void {
    this.#put('entered');
  }

  /** Whoever is missing in the end is asked for once more. */
  #last(): void {
    this.#done = [];
    this.#put('last');
  }

  #put(input: keyof typeof SETUP.inputs): void {
    // No step has a limit of time.
    this.#machine.put(input, 0);
  }
}
