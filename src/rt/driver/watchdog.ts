import { defineMachine, Running } from '../../machine.ts';

/** Number of cycles in which the register is written: servos do not acknowledge the write, and one may be lost. */
const WRITES = 3;
/** The same before the bus falls silent: the line that made the check necessary may lose most packets. */
const LAST_WRITES = 8;

/** Whether the servos stop by themselves when the bus falls silent. */
export const WATCHDOG = defineMachine({
  name: 'Watchdog',
  states: {
    unknown: 'the state of the servos is not known',
    disarming: 'it is being switched off',
    off: 'servos keep holding when the bus falls silent',
    arming: 'it is being switched on',
    armed: 'servos stop by themselves when the bus falls silent',
  },
  inputs: {
    guard: 'the arm holds with full stiffness: it would not sink if its servos stopped',
    spare: 'the arm is limp, or so soft that it would sink if its servos stopped',
    written: 'the register has been written often enough',
    checked: 'the arm has been checked again, or its port is opened anew',
  },
  effects: {
    clear: 'write 0, which also wakes a servo after its watchdog has expired',
    set: 'write 0, then the time',
  },
  initial: 'unknown',
  table: {
    unknown: { guard: 'arming', spare: 'disarming', written: null, checked: null },
    disarming: { guard: 'arming', spare: ['disarming', 'clear'], written: 'off', checked: 'unknown' },
    off: { guard: 'arming', spare: null, written: null, checked: 'unknown' },
    arming: { guard: ['arming', 'set'], spare: 'disarming', written: 'armed', checked: 'unknown' },
    armed: { guard: null, spare: 'disarming', written: null, checked: 'unknown' },
  },
});

/** Switches the watchdogs of an arm's servos on and off as needed. */
export class Watchdog {
  readonly #machine = new Running(WATCHDOG);
  readonly #counts: number;
  readonly #write: (value: number) => void;
  #writes = 0;

  /**
   * @param counts register content with which servos stop by themselves
   * @param write sends a register content to all servos
   */
  constructor(counts: number, write: (value: number) => void) {
    this.#counts = counts;
    this.#write = write;
  }

  /** The arm has been checked: the state of its servos' watchdogs is unknown until it is written. */
  checked(now: number): void {
    this.forget(now);
    this.#write(0);
  }

  /** The port is opened anew: it is not known which servos are behind it. */
  forget(now: number): void {
    this.#machine.put('checked', now);
  }

  /**
   * Switches off what was switched on, before a check in which servos may hear nothing for long: a servo that stops drops
   * what its goal carries.
   */
  quiet(now: number): void {
    const { state } = this.#machine;
    if (state !== 'armed' && state !== 'arming') return;
    this.forget(now);
    for (let k = 0; k < LAST_WRITES; k++) this.#write(0);
  }

  /**
   * Call once per cycle, while no servo is sending.
   * @param guard servos must stop by themselves when the bus falls silent
   */
  tend(guard: boolean, now: number): void {
    const input = guard ? 'guard' : 'spare';
    const before = this.#machine.state;
    let effects = this.#machine.put(input, now);
    if (this.#machine.state !== before) {
      this.#writes = 0;
      effects = this.#machine.put(input, now);
    }
    for (let i = 0; i < effects.length; i++) {
      this.#write(0);
      if (effects[i] === 'set') this.#write(this.#counts);
      if (++this.#writes === WRITES) this.#machine.put('written', now);
    }
  }
}
