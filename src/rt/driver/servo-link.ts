import type { Clock } from '../../clock.ts';
import type { BusSession, Outcome } from '../../servo/bus-session.ts';
import type { StartUp } from '../../servo/start-up.ts';
import type { ArmLink, JointHoming, Power, ServoFacts } from './arm-link.ts';
import type { ArmReadings } from './arm-readings.ts';
import { Arming } from './arming.ts';
import { Connection } from './connection.ts';
import type { GainPlan, Gains } from './gains.ts';
import { planCheck, takeOver } from './servo-check.ts';
import { makeServoParts, type ServoParts } from './servo-parts.ts';
import type { Wanted } from './servo-reads.ts';
import type { LinkJoint } from './servo-slots.ts';
import { PAUSE } from './servo-trust.ts';

const NOT_OPENED = 'not opened yet';
/** A servo that holds a goal this far from the one that it was sent does not take its goals, steps: a few cycles of a quick motion. */
const GOAL_LAG = 60;

/** An arm of servos of one family on one bus: it joins what its parts decide. */
export class ServoLink implements ArmLink {
  readonly remote = false;
  readonly blocked = '';
  readonly readings: ArmReadings;
  readonly gains: Gains;
  readonly limits: ArmLink['limits'];
  readonly adopted: Float64Array;
  readonly withheld: Uint8Array;
  reason = NOT_OPENED;
  onSettled: () => void = () => {};
  onWarning: (text: string) => void = () => {};
  onAiling: ArmLink['onAiling'] = () => {};

  readonly #clock: Clock;
  readonly #parts: ServoParts;
  readonly #connection: Connection;
  readonly #arming: Arming;
  readonly #wanted: { -readonly [K in keyof Wanted]: Wanted[K] } = { arming: false, state: false, gains: 'none' };
  /** What the newest check found, and when it began, s. */
  #check: { readonly began: number; readonly found: StartUp | null } = { began: 0, found: null };
  /** Servos that ail, until it is told. */
  readonly #ailing: { readonly index: number; readonly text: string }[] = [];
  /** Who waits for a check that torque has to wait for; null: nobody. */
  #asked: ((problem: string) => void) | null = null;
  #begun = 0;
  /** The last cycle's read gave way to a transaction, which is not to happen twice in a row. */
  #gaveWay = false;
  #probe = false;

  /**
   * @param leftGains gains that a bridge that did not end properly may have left to the servos; null: none
   * @param simulated its servos wait for a busy host
   */
  constructor(session: BusSession, joints: readonly LinkJoint[], leftGains: GainPlan | null = null, simulated = false) {
    const parts = makeServoParts(session, joints, leftGains, simulated, {
      warning: (text) => this.onWarning(text),
      // One that is limp for it is told to be so, once that is believed.
      ailing: (index, text) => this.#ailing.push({ index, text }),
    });
    this.#parts = parts;
    this.#clock = session.clock;
    this.readings = parts.readings;
    this.gains = parts.gains;
    this.limits = parts.limits;
    this.adopted = new Float64Array(joints.length);
    this.withheld = new Uint8Array(joints.length);
    parts.measurements.onMoved = (index) => this.#moved(index);
    parts.session.onLost = ({ message }) => this.#put('lost', message);
    parts.session.bus.onSettled = () => this.#settled();
    this.#connection = this.#makeConnection();
    this.#arming = this.#makeArming();
  }

  #makeConnection(): Connection {
    const { session } = this.#parts;
    return new Connection({
      open: () =>
        session.open((outcome) => {
          if ('problem' in outcome) this.#put('failed', outcome.problem);
          else {
            for (const advice of outcome.result) this.onWarning(advice);
            this.#put('opened');
          }
        }),
      check: () => this.#beginCheck(),
      take: () => this.#take(),
      settle: () => {
        session.bus.abandon();
        this.onSettled();
      },
      close: () => {
        session.bus.abandon();
        session.close();
      },
    });
  }

  #makeArming(): Arming {
    const { torque, writes } = this.#parts;
    const all = (on: 0 | 1): void => {
      torque.expected.fill(on);
      writes.torque(torque.expected);
    };
    return new Arming({
      label: (index) => this.#parts.health.label(index),
      commanded: this.#parts.writes.commanded,
      holds: this.#parts.torque.holds,
      lost: this.#parts.trust.lost,
      steps: this.#parts.measurements.steps,
      fresh: this.#parts.measurements.fresh,
      sent: this.#parts.writes.sent,
      taken: this.#parts.measurements.taken,
      lowest: this.#parts.limits.lowest,
      highest: this.#parts.limits.highest,
      radians: Float64Array.from(this.#parts.slots, ({ model }) => (2 * Math.PI) / model.stepsPerTurn),
      energise: () => all(1),
      release: () => all(0),
      undo: (before) => {
        torque.expected.set(before);
        writes.release(before);
      },
    });
  }

  get up(): boolean {
    return this.#connection.up;
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
    return this.#arming.switchingOn || this.#asked !== null;
  }

  get frozen(): boolean {
    return this.#arming.frozen;
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

  get trouble(): string {
    if (!this.up || !this.#parts.torque.any || this.#parts.torque.all || this.#arming.active) return '';
    return `${this.#parts.torque.named(0)} is limp, the others hold: lower the arm, or switch its torque on`;
  }

  get miscalibrated(): string {
    return this.#parts.homing.text;
  }

  get torqueRefusal(): string {
    return [this.#parts.homing.text, this.#parts.health.refusal()].filter((text) => text !== '').join('; ');
  }

  begin(now: number): boolean {
    this.#begun = now;
    this.#parts.trust.advance(now);
    if (this.#connection.reading) this.#mindLoss(now);
    if (!this.#connection.reading) {
      if (this.#parts.session.waiting) this.#parts.session.abandon(this.reason || 'its servos are being checked');
      this.#connection.advance(now);
      return false;
    }
    this.#arming.tend(now);
    if (this.#parts.session.busy) return false;
    // Here no servo speaks: what is sent while they answer meets their answers on the wire.
    if (this.#parts.watchdog !== null)
      this.#parts.watchdog.tend(this.#parts.torque.any && !this.#arming.active && this.gains.works, now);
    this.#gaveWay = this.#parts.session.waiting && !this.#gaveWay;
    if (this.#gaveWay) {
      this.#takeTurn();
      return true;
    }
    // Under torque a gain follows the goals that were made for it.
    const { trust, torque, writes } = this.#parts;
    if (this.gains.pending && !torque.any && !trust.uncertain) writes.gains(trust.trusted);
    this.#wanted.arming = this.#arming.switchingOn;
    this.#wanted.state =
      this.#arming.active || this.#parts.trust.anyMuted || this.#parts.reader.doubtful || this.#probe;
    this.#wanted.gains = !this.gains.pending ? 'none' : this.gains.currents.any ? 'caps' : 'gain';
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
    const sends = this.#connection.reading && !this.#parts.session.busy && !paused;
    this.withheld.fill(sends ? 0 : 1);
    if (!sends) return;
    const { trusted, lost } = this.#parts.trust;
    for (let i = 0; i < this.#parts.slots.length; i++) {
      if (trusted[i] === 1) continue;
      const { joint } = this.#parts.slots[i]!;
      this.withheld[joint] = Math.max(this.withheld[joint]!, 1 + lost[i]!);
    }
    // A goal means torque to some servos: a limp one is sent none before it is known where it is.
    const settling = this.#arming.state === 'settling';
    this.#parts.writes.goals(goals, trusted, settling ? this.#parts.torque.holds : this.#parts.writes.commanded);
    if (this.gains.pending) this.#parts.writes.gains(trusted);
  }

  probe(): void {
    this.#probe = true;
  }

  takesGoals(joint: number): boolean {
    const { taken } = this.#parts.measurements;
    const { sent } = this.#parts.writes;
    for (let i = 0; i < this.#parts.slots.length; i++) {
      if (this.#parts.slots[i]!.joint === joint && Math.abs(taken[i]! - sent[i]!) > GOAL_LAG) return false;
    }
    return true;
  }

  setTorque(on: boolean, settle: (problem: string) => void = () => {}): void {
    if (!this.up) {
      settle(this.reason);
      return;
    }
    const { trust, torque } = this.#parts;
    this.#answer(on ? 'its torque is being switched on already' : 'torque has been switched off meanwhile');
    if (on && trust.uncertain && !torque.any && this.#connection.reading) {
      // A servo that was silent may have restarted: what it is set to is found out before it gets torque.
      this.#asked = settle;
      this.#put('renew');
    } else this.#arming.ask(on, this.#begun, settle);
  }

  endArming(why: string): void {
    this.#answer(why);
    this.#arming.end(why, this.#begun);
  }

  recover(now: number): string {
    if (!this.#connection.reading || this.#parts.health.alarms.every((bits) => !this.#parts.overload.needed(bits)))
      return '';
    const refusal = this.#parts.overload.ask(now);
    if (refusal === '') this.#doubt('its overloaded servos are being brought back');
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
    this.#parts.tasks.calibrate(joints, done);
  }

  close(reason: string, done: () => void = () => {}): void {
    this.#parts.session.abandon(reason);
    this.#arming.lose(reason, this.#clock.now());
    this.#put('detach', reason);
    this.reason = reason;
    this.#parts.session.close(done);
  }

  reopen(): void {
    const { state } = this.#connection;
    if (state !== 'detached' && state !== 'leaving') return;
    this.#put('attach', NOT_OPENED);
    this.reason = NOT_OPENED;
  }

  #takeTurn(): void {
    this.#parts.session.turn(() => {
      if (this.#connection.reading) this.#parts.session.bus.attach();
      // Whatever has become of the arm meanwhile: all arms wait for this.
      this.onSettled();
    });
  }

  #settled(): void {
    const now = this.#clock.now();
    const arming = this.#arming;
    if (!this.#parts.reader.settled(arming.active, now)) return;
    if (this.#parts.reader.unasked)
      this.#doubt(`${this.#parts.torque.named(1)} has torque that nobody asked for: does another program use the bus?`);
    else if (arming.active && (arming.switchingOn ? this.#parts.reader.all : this.#parts.reader.living))
      arming.step(this.#begun);
    if (this.#ailing.length > 0 && !arming.active) this.#tellAiling();
    this.onSettled();
  }

  /** Hands an input to the connection. @param why it is not up then, for people */
  #put(input: Parameters<Connection['put']>[0], why = ''): void {
    const { state } = this.#connection;
    // Whoever has taken the arm off its bus has said why.
    if (why !== '' && state !== 'detached' && state !== 'leaving') this.reason = why;
    if (input === 'lost' || input === 'doubt') this.#arming.lose(why, this.#clock.now());
    this.#connection.put(input, this.#clock.now());
    if (!this.up) this.#answer(this.reason);
  }

  /** What the servos hold is to be found out anew. */
  #doubt(why: string): void {
    this.#put('doubt', why);
  }

  #beginCheck(): void {
    const { expected, overloaded } = planCheck(this.#parts);
    const began = this.#clock.now();
    this.#parts.session.check(expected, overloaded, (outcome) => {
      if ('problem' in outcome) this.#put('failed', outcome.problem);
      else {
        this.#check = { began, found: outcome.result };
        this.#put('checked');
      }
    });
  }

  #take(): void {
    const { began, found } = this.#check;
    const told = takeOver(this.#parts, found!, began, this.#clock.now(), this.adopted);
    this.reason = '';
    const refusal = this.torqueRefusal;
    for (const text of told) this.onWarning(text);
    if (refusal !== '') this.onWarning(`no torque: ${refusal}`);
    const asked = this.#asked;
    this.#asked = null;
    if (asked !== null && refusal !== '') asked(`no torque: ${refusal}`);
    else if (asked !== null) this.#arming.ask(true, this.#clock.now(), asked);
  }

  /** Tells whoever waits for torque, before it was begun to be switched on, why it does not come. */
  #answer(problem: string): void {
    const asked = this.#asked;
    this.#asked = null;
    asked?.(problem);
  }

  /** Sees whether servos are lost, and whether the others can still lower the arm. */
  #mindLoss(now: number): void {
    const loss = this.#parts.trust.loss(this.#parts.torque.all && !this.#arming.active, now);
    if (loss === 'none') return;
    if (loss === 'returned') {
      this.#doubt('a servo that had fallen silent answers again: the arm is checked anew');
      return;
    }
    const { first } = this.#parts.trust;
    const limp = this.#parts.trust.isLimp(first);
    const text = limp
      ? this.#parts.health.limpText(first)
      : this.#parts.trust.silenceText(this.#parts.health.label(first));
    if (loss === 'all') this.#doubt(text);
    else if (this.#parts.trust.takeNews())
      this.onAiling(this.#parts.slots[first]!.joint, text, limp ? 'limp' : 'silent');
  }

  #tellAiling(): void {
    for (let k = this.#ailing.length - 1; k >= 0; k--) {
      const { index, text } = this.#ailing[k]!;
      if (this.#parts.reader.seemsLimp(index)) continue;
      this.#ailing.splice(k, 1);
      if (!this.#parts.trust.isLimp(index)) this.onAiling(this.#parts.slots[index]!.joint, text, 'failing');
    }
  }

  #moved(index: number): void {
    this.#parts.trust.uncertain = true;
    if (!this.#parts.measurements.filter.takesMany(index)) return;
    const { id } = this.#parts.slots[index]!;
    this.onWarning(
      `the position of ${this.#parts.health.label(index)} jumps: is there a second servo with id ${id}, or a broken cable?`,
    );
  }
}
