import { Running } from '../../machine.ts';
import { ARMING } from './arming-machine.ts';
import { type ArmingView, beyondText, movedText, refusalText } from './arming-view.ts';

/** Readings in a row for which a limp joint must stand still before it gets torque, and the scatter allowed, steps. */
const AGREEING = 3;
const AGREEMENT = 12;
/** Longest wait for joints to stand still, s. */
const SETTLING_LIMIT = 1.5;
/** Reads in a row that must show the goals, and the longest wait for them, s. */
const OFFERS = 2;
const OFFERING_LIMIT = 0.3;
/** A limp joint that moves further than this plus `AGREEMENT` has left the place its goal was made for, rad. */
const GOAL_BAND = 0.03;
/** Reads after which a torque command that the servos have not confirmed is sent again. */
const RETRY = 4;
/** Longest wait for all servos to take torque, s. */
const TORQUE_LIMIT = 0.5;
/** Switching torque on is given up after no read has brought all servos for this long, s, and this many cycles. */
const SILENCE = 0.5;
const SILENT_CYCLES = 5;
/** How long joints are watched once they have torque, s, and how far they may move beyond their droop, rad. */
const PROVING_TIME = 0.05;
const PROVING_BAND = 0.03;

type Input = keyof typeof ARMING.inputs;

/** Calls both callbacks with the same outcome. */
export function both(first: (problem: string) => void, second: (problem: string) => void): (problem: string) => void {
  return (problem) => {
    first(problem);
    second(problem);
  };
}

/** Switches the torque of an arm, verifies each servo, and undoes the command if anything is wrong. */
export class Arming {
  readonly #machine = new Running(ARMING);
  readonly #view: ArmingView;
  /** 1 for each servo that had torque before the command. */
  readonly #before: Uint8Array;
  /**
   * Position of each servo when its readings began to agree, and how many have; later, its position when it got torque.
   */
  readonly #anchor: Float64Array;
  #agreeing = 0;
  #reads = 0;
  /** When torque was requested, s. */
  #begun = 0;
  /** When all servos were last heard, or torque was requested, s; cycles since then. */
  #heard = 0;
  #silent = 0;
  #problem = '';
  #settle: (problem: string) => void = () => {};

  constructor(view: ArmingView) {
    this.#view = view;
    this.#before = new Uint8Array(view.holds.length);
    this.#anchor = new Float64Array(view.holds.length);
  }

  get state(): keyof typeof ARMING.states {
    return this.#machine.state;
  }

  /** A torque command is under way. */
  get active(): boolean {
    return this.#machine.state !== 'idle';
  }

  /** Torque is being switched on: the servos are read back in each cycle. */
  get switchingOn(): boolean {
    const { state } = this.#machine;
    return state !== 'idle' && state !== 'releasing' && state !== 'undoing';
  }

  /** Goals must not change, because servos take torque at them. */
  get frozen(): boolean {
    const { state } = this.#machine;
    return state === 'energising' || state === 'proving';
  }

  /**
   * Requests torque on or off. Off ends a request for on; on is refused while torque is going off. Requests for the
   * same are settled together.
   * @param settle called with the reason for a failure; with an empty string on success
   */
  ask(on: boolean, now: number, settle: (problem: string) => void): void {
    this.#problem = 'torque has been switched off meanwhile';
    if (on && this.switchingOn) {
      this.#settle = both(this.#settle, settle);
      return;
    }
    if (on && this.active) {
      settle('its torque is going off');
      return;
    }
    this.#before.set(this.#view.holds);
    this.#put(on ? 'on' : 'off', now);
    this.#settle = both(this.#settle, settle);
    this.#begun = now;
    this.#heard = now;
    this.#silent = 0;
    this.#agreeing = 0;
    this.#reads = 0;
  }

  /**
   * Cancels switching torque on, and undoes it.
   * @param why for people
   */
  end(why: string, now: number): void {
    this.#problem = why;
    this.#put('end', now);
  }

  /**
   * Ends the command, because the servos must be checked again.
   * @param why for people
   */
  lose(why: string, now: number): void {
    this.#problem = why;
    this.#put('lost', now);
  }

  /** Call once per cycle, before its read. */
  tend(now: number): void {
    if (!this.switchingOn || ++this.#silent <= SILENT_CYCLES || now - this.#heard <= SILENCE) return;
    this.#problem = 'its servos do not answer just now';
    this.#put('overdue', now);
  }

  /** Call while a command is under way, once for each cycle that has read positions, goals and torque of all servos. */
  step(now: number): void {
    this.#heard = now;
    this.#silent = 0;
    switch (this.#machine.state) {
      case 'settling':
        this.#settling(now);
        return;
      case 'offering':
        this.#offering(now);
        return;
      case 'energising':
        this.#energising(now);
        return;
      case 'proving':
        this.#proving(now);
        return;
      default:
        this.#releasing(now);
    }
  }

  #settling(now: number): void {
    const view = this.#view;
    let moving = -1;
    let stale = false;
    for (let i = 0; i < view.holds.length; i++) {
      if (view.holds[i] === 1) continue;
      if (view.fresh[i] === 0) stale = true;
      else if (this.#agreeing > 0 && Math.abs(view.steps[i]! - this.#anchor[i]!) > AGREEMENT) moving = i;
    }
    if (!stale) {
      if (this.#agreeing === 0 || moving >= 0) this.#anchor.set(view.steps);
      this.#agreeing = moving >= 0 ? 1 : this.#agreeing + 1;
    }
    const beyond = this.#beyond();
    if (this.#agreeing > AGREEING && beyond < 0) {
      this.#reads = 0;
      this.#put('agreed', now);
    } else if (now - this.#begun > SETTLING_LIMIT) {
      this.#problem =
        this.#agreeing > AGREEING
          ? beyondText(view, beyond)
          : moving >= 0
            ? `${view.label(moving)} does not stand still: hold the arm, and try again`
            : 'the readings of its servos do not agree: check the bus cable, and that no two servos have one id';
      this.#put('overdue', now);
    }
  }

  #offering(now: number): void {
    const view = this.#view;
    let refusing = -1;
    for (let i = 0; i < view.holds.length; i++) {
      if (view.commanded[i] === 0) continue;
      if (view.taken[i] !== view.sent[i]) refusing = i;
      else if (view.holds[i] === 0 && view.fresh[i] === 1 && this.#strays(i)) {
        this.#agreeing = 0;
        this.#put('moved', now);
        return;
      }
    }
    this.#reads = refusing < 0 ? this.#reads + 1 : 0;
    if (this.#reads >= OFFERS) {
      this.#reads = 0;
      this.#anchor.set(view.steps);
      this.#put('taken', now);
    } else if (now - this.#machine.since > OFFERING_LIMIT) {
      this.#problem = refusing < 0 ? 'its servos have not been heard in time' : refusalText(view, refusing);
      this.#put('overdue', now);
    }
  }

  /**
   * Index of a limp servo so far beyond its own position limits that torque would move its joint; -1 for none. Some
   * servos store a goal beyond them and drive to the limit.
   */
  #beyond(): number {
    const { holds, steps, lowest, highest, radians } = this.#view;
    for (let i = 0; i < holds.length; i++) {
      const band = PROVING_BAND / radians[i]!;
      if (holds[i] === 0 && (steps[i]! < lowest[i]! - band || steps[i]! > highest[i]! + band)) return i;
    }
    return -1;
  }

  /** Whether a limp joint has left the place its goal was made for. */
  #strays(index: number): boolean {
    const view = this.#view;
    const away = Math.abs(view.steps[index]! - this.#anchor[index]!);
    return away > AGREEMENT + GOAL_BAND / view.radians[index]!;
  }

  #energising(now: number): void {
    const view = this.#view;
    if (this.#movedJoint() >= 0) {
      this.#tellMoved(now);
      return;
    }
    let without = -1;
    for (let i = 0; i < view.holds.length; i++) if (view.holds[i] === 0) without = i;
    if (without < 0) {
      this.#put('confirmed', now);
    } else if (now - this.#machine.since > TORQUE_LIMIT) {
      this.#problem = `${view.label(without)} does not take torque: check its supply and its cable`;
      this.#put('overdue', now);
    } else if (++this.#reads % RETRY === 0) {
      this.#put('unanswered', now);
    }
  }

  #proving(now: number): void {
    if (this.#movedJoint() >= 0) this.#tellMoved(now);
    else if (now - this.#machine.since >= PROVING_TIME) this.#put('still', now);
  }

  #releasing(now: number): void {
    const view = this.#view;
    const all = this.#machine.state === 'releasing';
    let holding = false;
    for (let i = 0; i < view.holds.length; i++) {
      if (view.holds[i] === 1 && view.lost[i] === 0 && (all || this.#before[i] === 0)) holding = true;
    }
    if (!holding) this.#put('released', now);
    else if (++this.#reads % RETRY === 0) this.#put('unanswered', now);
  }

  /** Index of a servo that has moved by more than its droop since torque was sent; -1 for none. */
  #movedJoint(): number {
    const view = this.#view;
    for (let i = 0; i < view.holds.length; i++) {
      if (this.#before[i] === 1 || view.commanded[i] === 0 || view.fresh[i] === 0) continue;
      const droop = Math.abs(view.sent[i]! - this.#anchor[i]!);
      const moved = Math.abs(view.steps[i]! - this.#anchor[i]!);
      if (moved > droop + PROVING_BAND / view.radians[i]!) return i;
    }
    return -1;
  }

  #tellMoved(now: number): void {
    const index = this.#movedJoint();
    this.#problem = movedText(this.#view, index, Math.abs(this.#view.steps[index]! - this.#anchor[index]!));
    this.#put('moved', now);
  }

  #put(input: Input, now: number): void {
    const effects = this.#machine.put(input, now);
    for (let i = 0; i < effects.length; i++) this.#carryOut(effects[i]!);
  }

  #carryOut(effect: keyof typeof ARMING.effects): void {
    switch (effect) {
      case 'energise':
        this.#view.energise();
        break;
      case 'release':
        this.#view.release();
        break;
      case 'undo':
        this.#view.undo(this.#before);
        break;
      case 'succeed':
        this.#tell('');
        break;
      case 'fail':
        this.#tell(this.#problem);
        break;
    }
  }

  #tell(problem: string): void {
    const settle = this.#settle;
    this.#settle = () => {};
    settle(problem);
  }
}
