import type { Clock, Timer } from '../../clock.ts';
import type { ArmController } from '../joint/arm-controller.ts';
import type { SharedState } from '../snapshot/shared-snapshot.ts';
import { Attendance } from './attendance.ts';
import { LoopTiming } from './loop-timing.ts';
import { Pacer } from './pacer.ts';
import { ReplyDelays } from './reply-delays.ts';
import { SlowBuses } from './slow-buses.ts';

/**
 * A read is retried once when this part of the period has passed, or what the line needs for it with a margin, if that
 * is longer; it is given up after as much again.
 */
const READ_SHARE = 0.35;
const WIRE_MARGIN = 1.3;
/** Time for the servos and for both threads of a port to turn round, s. */
const TURN_ROUND = 0.0005;
/** Time between two looks whether time is up, s: the shortest timer there is, since longer ones are cut to whole milliseconds. */
const LOOK = 0.001;
/** A thread that looks this late whether time is up has been kept from running, s; it naps for less. */
const ASLEEP = 0.003;
/** Goals that follow each other more closely than this are stepped as if they did not, s. */
const SHORTEST_STEP = 1e-4;
/** Longest time by which goals are stepped where there is no period to measure it by, s. */
const FREE_STEP = 0.01;
/** A step of the system clock, or drift, is followed when the two clocks differ by more than this, s. */
const CLOCK_STEP = 0.005;
/** Readings of both clocks that are less than this apart are taken for one moment, s. */
const TOGETHER = 0.001;

/**
 * The control loop: each cycle asks all buses at once, goes on when all have answered or the deadline has passed, steps
 * every arm, and publishes the cycle.
 */
export class ControlLoop {
  /** Called when the main thread runs again after it had not for so long, s. */
  onAttended: (silence: number) => void = () => {};
  readonly #arms: ArmController[] = [];
  readonly #shared: SharedState;
  readonly #clock: Clock;
  readonly #pacer: Pacer;
  /** s; 0 where cycles follow each other without a pause. */
  readonly #period: number;
  readonly #longestStep: number;
  readonly #timing: LoopTiming;
  readonly #attendance: Attendance;
  readonly #replyDelays = new ReplyDelays();
  readonly #slow = new SlowBuses();
  /** When this cycle's reads were begun or retried, s. */
  #asked = 0;
  /** When it was looked last whether time is up, s, and whether that was once put off. */
  #looked = 0;
  #excused = false;
  /** A read of this cycle has been retried; those that settle now are given up. */
  #retried = false;
  #expiring = false;
  /** 1 for each arm whose read has not settled; a link may call back for no read at all, when its port closes. */
  #pending = new Uint8Array();
  #waiting = 0;
  #inCycle = false;
  readonly #timer: Timer;
  /** When the cycle before this one began, and when it sent its goals, s. */
  #began = 0;
  #last = 0;
  #epoch: number;

  /** @param rate Hz; infinite for cycles that begin as soon as the one before has ended, none of which is late */
  constructor(shared: SharedState, rate: number, clock: Clock) {
    this.#shared = shared;
    this.#clock = clock;
    this.#epoch = clock.wall() - clock.now();
    this.#timer = clock.timer(() => this.#expired());
    this.#period = 1 / rate;
    this.#longestStep = Number.isFinite(rate) ? 2 / rate : FREE_STEP;
    this.#timing = new LoopTiming(shared.loop, rate);
    this.#attendance = new Attendance(shared, this.#period);
    this.#pacer = new Pacer(1 / rate, clock, (lateness) => this.#cycle(lateness));
  }

  /** Adds an arm, which is asked from the next cycle on. Not for every cycle. */
  add(arm: ArmController): void {
    const index = this.#arms.length;
    const pending = new Uint8Array(index + 1);
    pending.set(this.#pending);
    this.#pending = pending;
    this.#replyDelays.add();
    this.#slow.add();
    arm.link.onSettled = () => this.#answered(index);
    this.#arms.push(arm);
  }

  start(): void {
    this.#last = this.#clock.now();
    this.#began = this.#last;
    this.#pacer.start();
  }

  stop(): void {
    this.#pacer.stop();
    this.#timer.cancel();
  }

  #cycle(lateness: number): void {
    const now = this.#clock.now();
    this.#timing.cycle(now, now - this.#began, lateness);
    this.#began = now;
    this.#inCycle = true;
    // Held at one until every bus has been asked, so that an instant answer cannot end the cycle early.
    this.#waiting = 1;
    for (let i = 0; i < this.#arms.length; i++) {
      this.#pending[i] = 1;
      this.#waiting++;
      if (this.#arms[i]!.link.begin(now)) continue;
      this.#pending[i] = 0;
      this.#waiting--;
    }
    this.#asked = now;
    this.#looked = now;
    this.#excused = false;
    this.#retried = false;
    this.#timer.start(LOOK);
    this.#settled();
    if (!this.#inCycle) return;
    const sleep = this.#replyDelays.duration(this.#arms, this.#pending, now, this.#clock.now());
    if (sleep === 0) return;
    if (this.#clock.nap(sleep)) this.#replyDelays.woke(this.#clock.now());
  }

  /** Time that reads are given before they are retried or given up, s. */
  #allowed(): number {
    let allowed = 0;
    for (let i = 0; i < this.#arms.length; i++) {
      if (this.#pending[i] === 0) continue;
      allowed = Math.max(allowed, this.#usual(i) + (this.#retried ? 0 : this.#slow.allowed(i)));
    }
    return allowed;
  }

  /** Time that the read of an arm is given as a rule, s. */
  #usual(index: number): number {
    return Math.max(READ_SHARE * this.#period, WIRE_MARGIN * this.#arms[index]!.link.readTime + TURN_ROUND);
  }

  #answered(index: number): void {
    if (!this.#inCycle || this.#pending[index] === 0) return;
    this.#pending[index] = 0;
    const now = this.#clock.now();
    const { late } = this.#arms[index]!.link;
    if (late) this.#slow.answered(index, now - this.#began, READ_SHARE * this.#period);
    else if (this.#expiring) this.#slow.missed(index);
    else this.#slow.answered(index, this.#retried ? Number.NaN : now - this.#asked, this.#usual(index));
    if (!this.#retried) this.#replyDelays.answered(index, this.#arms[index]!.link.readTime, now);
    this.#settled();
  }

  #expired(): void {
    if (!this.#inCycle) return;
    this.#timer.start(LOOK);
    const now = this.#clock.now();
    const asleep = now - this.#looked > ASLEEP;
    this.#looked = now;
    // What was answered while this thread did not run is still to be read: timers come before data.
    if (asleep && !this.#excused) {
      this.#excused = true;
      return;
    }
    if (now - this.#asked < this.#allowed()) return;
    this.#asked = now;
    this.#excused = false;
    this.#retried = true;
    this.#expiring = true;
    for (const arm of this.#arms) arm.link.expire();
    this.#expiring = false;
  }

  #settled(): void {
    this.#waiting--;
    if (this.#waiting > 0) return;
    this.#inCycle = false;
    const now = this.#clock.now();
    // Goals leave now, so the time since they last left is what their steps are measured by.
    const dt = Math.min(Math.max(now - this.#last, SHORTEST_STEP), this.#longestStep);
    this.#last = now;
    this.#followClock();
    this.#attend(now);
    let written = false;
    // What pushes an arm is known once it has been stepped: arms that feel others come after them.
    for (const arm of this.#arms) if (!arm.feels) arm.step(now, dt, this.#epoch);
    for (const arm of this.#arms) {
      if (arm.feels) arm.step(now, dt, this.#epoch);
      if (arm.goalTime === now) written = true;
    }
    if (written) this.#timing.written(this.#clock.now() - this.#began);
    this.#shared.finishCycle();
    this.#pacer.next();
  }

  /** While nobody would hear a stop, no arm is driven. */
  #attend(now: number): void {
    const effects = this.#attendance.look(now);
    for (let i = 0; i < effects.length; i++) {
      if (effects[i] === 'tell') this.onAttended(this.#attendance.silence);
      else for (const arm of this.#arms) arm.abandon();
    }
  }

  /** Stamps are of the system clock, which may be set; all that moves an arm goes by the monotonic one. */
  #followClock(): void {
    const before = this.#clock.now();
    const clock = this.#clock.wall();
    const drift = clock - (this.#epoch + before);
    if (Math.abs(drift) <= CLOCK_STEP) return;
    // Between the two readings the thread may have been kept waiting: then it is not the clock that has stepped.
    if (this.#clock.now() - before < TOGETHER) this.#epoch += drift;
  }
}
