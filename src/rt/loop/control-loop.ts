import type { Clock, Timer } from '../../clock.ts';
import type { ArmController } from '../joint/arm-controller.ts';
import type { SharedState } from '../snapshot/shared-snapshot.ts';
import { Attendance } from './attendance.ts';
import { LoopTiming } from './loop-timing.ts';
import { Pacer } from './pacer.ts';
import { ReplyDelays } from './reply-delays.ts';
import { SlowBuses } from './slow-buses.ts';

/**
 * A read is retried once after this fraction of the period, or after its line time with a margin if that is longer. It
 * is given up after the same time again.
 */
const READ_SHARE = 0.35;
const WIRE_MARGIN = 1.3;
/** Turnaround time of the servos and of both threads of a port, s. */
const TURN_ROUND = 0.0005;
/** Interval of deadline checks, s: the shortest timer there is, because longer ones are cut to whole milliseconds. */
const LOOK = 0.001;
/** A deadline check this late means that the thread was kept from running, s; its naps are shorter. */
const ASLEEP = 0.003;
/** Shortest time step of goals, s: cycles that follow each other more closely count as this. */
const SHORTEST_STEP = 1e-4;
/** Longest time step of goals if there is no period to measure it by, s. */
const FREE_STEP = 0.01;
/** A step or drift of the system clock is followed once the two clocks differ by more than this, s. */
const CLOCK_STEP = 0.005;
/** Readings of both clocks that are less than this apart count as simultaneous, s. */
const TOGETHER = 0.001;

/**
 * The control loop: each cycle asks all buses at once, continues when all have answered or the deadline has passed,
 * steps every arm, and publishes the cycle.
 */
export class ControlLoop {
  /** Called when the main thread runs again, with the duration of its silence, s. */
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
  /** When the deadline was last checked, s, and whether it was put off once because the thread was asleep. */
  #looked = 0;
  #excused = false;
  /** This cycle's reads have been retried; reads that settle right now are given up. */
  #retried = false;
  #expiring = false;
  /** 1 for each arm whose read has not settled. A link may also call back without a read, when its port closes. */
  #pending = new Uint8Array();
  #waiting = 0;
  #inCycle = false;
  readonly #timer: Timer;
  /** When the newest cycle began, and when goals were last sent, s. */
  #began = 0;
  #last = 0;
  #epoch: number;

  /** @param rate Hz; infinite: each cycle begins as soon as the previous one has ended, and none is late */
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

  /** Adds an arm, which is read from the next cycle on. Do not call from the control cycle. */
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

  /** Usual time allowed for the read of an arm, s. */
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
    // Answers that came while this thread was asleep are still unread, because timers run before I/O.
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
    // Goals leave now, so they are stepped by the time since they last left.
    const dt = Math.min(Math.max(now - this.#last, SHORTEST_STEP), this.#longestStep);
    this.#last = now;
    this.#followClock();
    this.#attend(now);
    let written = false;
    // External torques on an arm are known once it has been stepped, so arms that feel others come last.
    for (const arm of this.#arms) if (!arm.feels) arm.step(now, dt, this.#epoch);
    for (const arm of this.#arms) {
      if (arm.feels) arm.step(now, dt, this.#epoch);
      if (arm.goalTime === now) written = true;
    }
    if (written) this.#timing.written(this.#clock.now() - this.#began);
    this.#shared.finishCycle();
    this.#pacer.next();
  }

  /** Abandons all motion while the main thread would not receive a stop. */
  #attend(now: number): void {
    const effects = this.#attendance.look(now);
    for (let i = 0; i < effects.length; i++) {
      if (effects[i] === 'tell') this.onAttended(this.#attendance.silence);
      else for (const arm of this.#arms) arm.abandon();
    }
  }

  /** Time stamps follow the system clock, which may be set; motion follows the monotonic clock alone. */
  #followClock(): void {
    const before = this.#clock.now();
    const clock = this.#clock.wall();
    const drift = clock - (this.#epoch + before);
    if (Math.abs(drift) <= CLOCK_STEP) return;
    // If the thread was kept waiting between the two readings, their difference is not a clock step.
    if (this.#clock.now() - before < TOGETHER) this.#epoch += drift;
  }
}
