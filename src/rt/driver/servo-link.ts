import type { Clock } from '../../clock.ts';
import type { BusSession, Outcome } from '../../servo/bus-session.ts';
import type { ArmLink, JointHoming, Power, ServoFacts } from './arm-link.ts';
import type { ArmReadings } from './arm-readings.ts';
import { Arming } from './arming.ts';
import { armingView } from './arming-view.ts';
import type { GainPlan, Gains } from './gains.ts';
import { LinkConnection } from './link-connection.ts';
import { makeServoParts, type ServoParts } from './servo-parts.ts';
import type { Wanted } from './servo-reads.ts';
import type { LinkJoint } from './servo-slots.ts';
import { PAUSE } from './servo-trust.ts';

/** A servo takes no goals if its goal is further than this from the one sent, steps: a few cycles of quick motion. */
const GOAL_LAG = 60;
/** The same for a goal at rest, which may differ by rounding only, steps. */
const GOAL_SLACK = 2;

/** The link to an arm with servos of one family on one bus: it combines the decisions of its parts. */
export class ServoLink implements ArmLink {
  readonly remote = false;
  readonly blocked = '';
  readonly readings: ArmReadings;
  readonly gains: Gains;
  readonly limits: ArmLink['limits'];
  readonly withheld: Uint8Array;
  onSettled: () => void = () => {};
  onWarning: (text: string) => void = () => {};
  onAiling: ArmLink['onAiling'] = () => {};

  readonly #clock: Clock;
  readonly #parts: ServoParts;
  readonly #connection: LinkConnection;
  readonly #arming: Arming;
  readonly #wanted: { -readonly [K in keyof Wanted]: Wanted[K] } = { arming: false, state: false, gains: 'none' };
  #begun = 0;
  /** The last cycle's read gave way to a transaction, which must not happen twice in a row. */
  #gaveWay = false;
  #probe = false;
  /** 1 for each servo that this cycle's goals go to. */
  readonly #sendable: Uint8Array;

  /**
   * @param leftGains gains that a bridge which did not end properly may have left in the servos; null: none
   * @param simulated the servos are simulated, and wait for a busy host
   */
  constructor(session: BusSession, joints: readonly LinkJoint[], leftGains: GainPlan | null = null, simulated = false) {
    const parts = makeServoParts(session, joints, leftGains, simulated, {
      warning: (text) => this.onWarning(text),
      ailing: (joint, text, ailment) => this.onAiling(joint, text, ailment),
    });
    this.#parts = parts;
    this.#clock = session.clock;
    this.readings = parts.readings;
    this.gains = parts.gains;
    this.limits = parts.limits;
    this.withheld = new Uint8Array(joints.length);
    this.#sendable = new Uint8Array(parts.slots.length);
    parts.session.bus.onSettled = () => this.#settled();
    this.#arming = new Arming(armingView(parts));
    this.#connection = new LinkConnection(parts, this.#arming, {
      warning: (text) => this.onWarning(text),
      settled: () => this.onSettled(),
      torqueRefusal: () => this.torqueRefusal,
    });
  }

  get up(): boolean {
    return this.#connection.up;
  }

  get reason(): string {
    return this.#connection.reason;
  }

  get adopted(): Float64Array {
    return this.#connection.adopted;
  }

  get torque(): boolean {
    return this.#parts.torque.all;
  }

  get anyTorque(): boolean {
    return this.#parts.torque.any;
  }

  get held(): Uint8Array {
    return this.#parts.torque.joints;
  }

  get power(): Power {
    if (this.arming) return 'arming';
    if (this.#arming.active) return 'releasing';
    if (this.#parts.torque.all) return 'holding';
    return this.#parts.torque.any ? 'partial' : 'limp';
  }

  get arming(): boolean {
    return this.#arming.switchingOn || this.#connection.waiting;
  }

  get frozen(): boolean {
    return this.#arming.frozen;
  }

  get settling(): boolean {
    return this.#arming.state === 'settling';
  }

  get gain(): Float64Array {
    return this.gains.effective;
  }

  get readTime(): number {
    return this.#parts.reader.readTime;
  }

  get late(): boolean {
    return this.#parts.reader.late;
  }

  get fault(): string {
    return this.#parts.health.fault;
  }

  failAgain(): void {
    this.#parts.health.failAgain();
  }

  get trouble(): string {
    if (!this.up || !this.#parts.torque.any || this.#parts.torque.all || this.#arming.active) return '';
    return `${this.#parts.torque.named(0)} is limp, the others hold: lower the arm, or switch its torque on`;
  }

  get miscalibrated(): string {
    return this.#parts.homing.text;
  }

  get torqueRefusal(): string {
    if (this.#parts.tasks.homing) return 'its calibration is being written to its servos: ask again in a second';
    return [this.#parts.homing.text, this.#parts.health.refusal()].filter((text) => text !== '').join('; ');
  }

  begin(now: number): boolean {
    this.#begun = now;
    this.#parts.trust.advance(now);
    if (this.#connection.reading) {
      const lost = this.#parts.losses.look(this.#parts.torque.all && !this.#arming.active, now);
      if (lost !== '') this.#connection.doubt(lost);
    }
    this.#connection.advance(now, !this.#parts.session.busy && !this.#parts.writes.eepromOpen);
    if (!this.#connection.reading) {
      // What waits for its turn goes on waiting during a check that torque asked for.
      if (!this.up && this.#parts.session.waiting)
        this.#parts.session.abandon(this.reason || 'its servos are being checked');
      return false;
    }
    this.#arming.tend(now);
    if (this.#parts.session.busy) {
      this.#parts.trust.skipped();
      return false;
    }
    // No servo is sending now. A write while servos answer would collide with their answers on the wire.
    if (this.#parts.watchdog !== null)
      this.#parts.watchdog.tend(this.#parts.torque.any && !this.#arming.active && this.gains.works, now);
    this.#gaveWay = this.#parts.session.waiting && !this.#gaveWay;
    if (this.#gaveWay) {
      this.#takeTurn();
      return true;
    }
    const { trust, torque, writes } = this.#parts;
    if (!torque.any) this.gains.currents.slacken();
    // Under torque, gains are written after the goals that were computed for them.
    if (this.gains.pending && !torque.any && !trust.uncertain) writes.gains(trust.trusted);
    this.#wanted.arming = this.#arming.switchingOn;
    this.#wanted.state =
      this.#arming.active || this.#parts.trust.anyMuted || this.#parts.reader.doubtful || this.#probe;
    this.#wanted.gains = !this.gains.pending ? 'none' : this.gains.currents.pending ? 'caps' : 'gain';
    this.#probe = false;
    this.#parts.reader.begin(this.#wanted, now);
    return true;
  }

  expire(): void {
    // The cycle goes on without the transaction, which has its own deadline.
    if (this.#parts.session.busy) this.onSettled();
    else this.#parts.session.bus.expire();
  }

  write(goals: Float64Array): void {
    const paused = this.#clock.now() - this.#begun > PAUSE;
    // Goals sent to a silent line may reach its servos much later, when they are elsewhere, and limp.
    const sends = this.#connection.reading && !this.#parts.session.busy && !paused && this.#parts.reader.heard;
    this.withheld.fill(sends ? 0 : 1);
    if (!sends) return;
    const { slots, trust, measurements } = this.#parts;
    const { trusted, lost } = trust;
    this.#sendable.set(trusted);
    for (let i = 0; i < slots.length; i++) {
      const { joint } = slots[i]!;
      const turned = measurements.turned[i]!;
      if (trusted[i] === 1 && turned === 0) continue;
      this.withheld[joint] = Math.max(this.withheld[joint]!, 1 + lost[i]!);
      // A shadow obeys the packets for its joint's first servo.
      for (let k = 0; turned === 1 && k < slots.length; k++) if (slots[k]!.joint === joint) this.#sendable[k] = 0;
    }
    // There are no goals yet before limp servos are checked, and while they settle: it is not known where they are and
    // what the others hold. Some take torque with a goal.
    if (!this.settling && !this.#connection.waiting)
      this.#parts.writes.goals(goals, this.#sendable, this.#parts.writes.commanded);
    if (this.gains.pending) this.#parts.writes.gains(trusted);
  }

  probe(): void {
    this.#probe = true;
  }

  takesGoals(joint: number, resting: boolean): boolean {
    const most = resting ? GOAL_SLACK : GOAL_LAG;
    const { taken } = this.#parts.measurements;
    const { sent } = this.#parts.writes;
    for (let i = 0; i < this.#parts.slots.length; i++) {
      if (this.#parts.slots[i]!.joint === joint && Math.abs(taken[i]! - sent[i]!) > most) return false;
    }
    return true;
  }

  setTorque(on: boolean, settle: (problem: string) => void = () => {}): void {
    if (!this.up) {
      settle(this.reason);
      return;
    }
    const { trust, torque } = this.#parts;
    if (!on) this.#connection.answer('torque has been switched off meanwhile');
    // A check would make the holding ones deaf to a stop for a while.
    if (on && torque.any && !torque.all && trust.uncertain) {
      settle(
        `${torque.named(0)} may have restarted while the others hold: let the arm go limp first, then it is checked`,
      );
      return;
    }
    // Somebody may have set a register of a limp servo, or restarted it, so a check reads and sets all of them before
    // they get torque.
    const checked = this.#arming.active && this.#connection.reading && !trust.uncertain;
    if (on && !torque.any && !checked) this.#connection.renew(settle);
    else this.#arming.ask(on, this.#begun, settle);
  }

  endArming(why: string): void {
    this.#connection.answer(why);
    this.#arming.end(why, this.#begun);
  }

  recover(now: number, goesOn: () => boolean): string {
    if (!this.#connection.reading || this.#parts.health.alarms.every((bits) => !this.#parts.overload.needed(bits)))
      return '';
    const refusal = this.#parts.overload.ask(now, goesOn);
    if (refusal === '') this.#connection.doubt('its overloaded servos are being brought back');
    return refusal;
  }

  giveUp(): void {
    this.#parts.trust.giveUp();
  }

  servos(done: (outcome: Outcome<readonly ServoFacts[]>) => void): void {
    this.#parts.tasks.facts(done);
  }

  limitTemperatures(limits: Float64Array, done: (outcome: Outcome<void>) => void): void {
    this.#parts.tasks.limitTemperatures(limits, done);
  }

  calibrate(joints: readonly JointHoming[], done: (outcome: Outcome<void>) => void): void {
    if (this.arming) {
      done({ problem: 'its torque is being switched on: switch it off first' });
      return;
    }
    this.#parts.tasks.calibrate(joints, done);
  }

  close(reason: string, done: () => void = () => {}): void {
    this.#connection.detach(reason, done);
  }

  reopen(): void {
    this.#connection.attach();
  }

  #takeTurn(): void {
    this.#parts.session.turn(() => {
      if (this.#connection.reading) this.#parts.session.bus.attach();
      // Always settles, whatever has become of the arm meanwhile: all arms wait for this.
      this.onSettled();
    });
  }

  #settled(): void {
    const now = this.#clock.now();
    const arming = this.#arming;
    if (!this.#parts.reader.settled(arming.active, now)) return;
    if (this.#parts.reader.unasked)
      this.#connection.doubt(
        `${this.#parts.torque.named(1)} has torque that nobody asked for: does another program use the bus?`,
      );
    else if (arming.active && (arming.switchingOn ? this.#parts.reader.all : this.#parts.reader.living)) {
      if (this.settling) this.#connection.adoptTaken();
      arming.step(this.#begun);
    }
    if (!arming.active) this.#parts.losses.tell();
    this.onSettled();
  }
}
