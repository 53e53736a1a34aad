import type { Clock } from '../../clock.ts';
import { BusSession, type Outcome } from '../../servo/bus-session.ts';
import { stepsToRadians } from '../../servo/calibration.ts';
import { DynamixelBus } from '../../servo/dynamixel/dynamixel-bus.ts';
import { DynamixelClient } from '../../servo/dynamixel/dynamixel-client.ts';
import { FeetechBus } from '../../servo/feetech/feetech-bus.ts';
import { FeetechClient } from '../../servo/feetech/feetech-client.ts';
import type { BytePort } from '../../servo/port/port.ts';
import type { FoundServo, StartUp } from '../../servo/start-up.ts';
import { LONGEST_PAUSE } from '../loop/awake-clock.ts';
import type { ArmLink, JointHoming, Power, ServoFacts } from './arm-link.ts';
import { ArmReadings } from './arm-readings.ts';
import { Arming } from './arming.ts';
import { BusStatistics } from './bus-statistics.ts';
import { BusWrites } from './bus-writes.ts';
import { Connection } from './connection.ts';
import type { FoundCap } from './current-caps.ts';
import { CycleReader } from './cycle-reader.ts';
import { type GainPlan, Gains } from './gains.ts';
import { HomingCheck } from './homing-check.ts';
import { Measurements } from './measurements.ts';
import { OverloadRecovery } from './overload-recovery.ts';
import { ServoHealth } from './servo-health.ts';
import { ServoLimits } from './servo-limits.ts';
import { blocksOf, type Wanted } from './servo-reads.ts';
import { expectedServos, type LinkJoint, type ServoSlot, servoSlots } from './servo-slots.ts';
import { ServoTasks } from './servo-tasks.ts';
import { ServoTrust } from './servo-trust.ts';
import { TorqueState } from './torque-state.ts';
import { Watchdog } from './watchdog.ts';

const NOT_OPENED = 'not opened yet';
/** A servo that holds a goal this far from the one that it was sent does not take its goals, steps: a few cycles of a quick motion. */
const GOAL_LAG = 60;

/** An arm of servos of one family on one bus: it joins what its parts decide. */
export class ServoLink implements ArmLink {
  readonly remote = false;
  readonly readings: ArmReadings;
  readonly gains: Gains;
  readonly adopted: Float64Array;
  readonly withheld: Uint8Array;
  reason = NOT_OPENED;
  onSettled: () => void = () => {};
  onWarning: (text: string) => void = () => {};
  onAiling: ArmLink['onAiling'] = () => {};

  readonly #clock: Clock;
  readonly #joints: readonly LinkJoint[];
  readonly #slots: readonly ServoSlot[];
  readonly #session: BusSession;
  readonly #connection: Connection;
  readonly #arming: Arming;
  readonly #trust: ServoTrust;
  readonly #torque: TorqueState;
  readonly #health: ServoHealth;
  readonly #homing: HomingCheck;
  readonly #limits: ServoLimits;
  readonly #overload: OverloadRecovery;
  readonly #measurements: Measurements;
  readonly #statistics: BusStatistics;
  readonly #reader: CycleReader;
  readonly #writes: BusWrites;
  readonly #tasks: ServoTasks;
  readonly #watchdog: Watchdog | null;
  readonly #wanted: { -readonly [K in keyof Wanted]: Wanted[K] } = { arming: false, state: false, gains: 'none' };
  /** What the newest check found, and when it began, s. */
  #check: { readonly began: number; readonly found: StartUp | null } = { began: 0, found: null };
  /** Servos that ail, until it is told. */
  readonly #ailing: { readonly index: number; readonly text: string }[] = [];
  #begun = 0;
  /** The last cycle's read gave way to a transaction, which is not to happen twice in a row. */
  #gaveWay = false;
  #probe = false;

  /**
   * @param leftGains gains that a bridge that did not end properly may have left to the servos; null: none
   * @param simulated its servos wait for a busy host
   */
  constructor(port: BytePort, joints: readonly LinkJoint[], leftGains: GainPlan | null = null, simulated = false) {
    const slots = servoSlots(joints);
    const ids = slots.map(({ id }) => id);
    const jointOf = slots.map(({ joint }) => joint);
    const { family, registers, common } = slots[0]!.model;
    const watchdog = registers.bus_watchdog;
    this.#clock = port.clock;
    this.#joints = joints;
    this.#slots = slots;
    this.#session = new BusSession(port, (open) =>
      family === 'feetech'
        ? { bus: new FeetechBus(open, ids), client: new FeetechClient(open) }
        : { bus: new DynamixelBus(open, ids), client: new DynamixelClient(open) },
    );
    const { bus } = this.#session;
    this.#session.onLost = ({ message }) => this.#put('lost', message);
    bus.onSettled = () => this.#settled();
    this.#connection = new Connection(this.#hooks());
    this.readings = new ArmReadings(joints.length);
    this.#health = new ServoHealth(
      slots.map(({ id, name }) => ({ id, joint: name })),
      family,
      (text) => this.onWarning(text),
      (index, text) => this.#ails(index, text),
    );
    this.#homing = new HomingCheck(slots);
    this.#limits = new ServoLimits(slots, joints);
    this.#overload = new OverloadRecovery(family);
    this.#torque = new TorqueState(slots, joints.length);
    // Servos with a watchdog have stopped by themselves in a pause of this length, and refuse goals until they are checked.
    this.#trust = new ServoTrust(slots.length, watchdog === undefined ? LONGEST_PAUSE : 0, simulated);
    this.gains = new Gains(jointOf, leftGains);
    this.#measurements = new Measurements(this.readings, slots, this.#health, this.#torque);
    this.#measurements.onMoved = (index) => this.#moved(index);
    this.#statistics = new BusStatistics(this.readings, bus, jointOf);
    this.#writes = new BusWrites(bus, slots, this.gains);
    const common_ = { slots, readings: this.readings, measurements: this.#measurements, torque: this.#torque };
    this.#reader = new CycleReader({
      ...common_,
      bus,
      blocks: blocksOf(family, common, this.#writes.goalCurrent),
      statistics: this.#statistics,
      trust: this.#trust,
      gains: this.gains,
    });
    this.#tasks = new ServoTasks({
      ...common_,
      session: this.#session,
      writes: this.#writes,
      homing: this.#homing,
      health: this.#health,
      now: () => this.#clock.now(),
    });
    this.#watchdog = watchdog === undefined ? null : new Watchdog((value) => this.#writes.all(watchdog, value));
    this.#arming = this.#makeArming();
    this.adopted = new Float64Array(joints.length);
    this.withheld = new Uint8Array(joints.length);
  }

  #hooks(): ConstructorParameters<typeof Connection>[0] {
    return {
      open: () =>
        this.#session.open((outcome) => {
          if ('problem' in outcome) this.#put('failed', outcome.problem);
          else {
            for (const advice of outcome.result) this.onWarning(advice);
            this.#put('opened');
          }
        }),
      check: () => this.#beginCheck(),
      take: () => this.#take(this.#check.found!),
      settle: () => {
        this.#session.bus.abandon();
        this.onSettled();
      },
      close: () => {
        this.#session.bus.abandon();
        this.#session.close();
      },
    };
  }

  #makeArming(): Arming {
    const command = (change: (expected: Uint8Array) => void): void => {
      change(this.#torque.expected);
      this.#writes.torque(this.#torque.expected);
    };
    return new Arming({
      label: (index) => this.#health.label(index),
      commanded: this.#writes.commanded,
      holds: this.#torque.holds,
      lost: this.#trust.lost,
      steps: this.#measurements.steps,
      fresh: this.#measurements.fresh,
      sent: this.#writes.sent,
      taken: this.#measurements.taken,
      lowest: this.#limits.lowest,
      highest: this.#limits.highest,
      radians: Float64Array.from(this.#slots, ({ model }) => (2 * Math.PI) / model.stepsPerTurn),
      energise: () => command((expected) => expected.fill(1)),
      release: () => command((expected) => expected.fill(0)),
      undo: (before) => command((expected) => expected.set(before)),
    });
  }

  get up(): boolean {
    return this.#connection.up;
  }

  get torque(): boolean {
    return this.#torque.all;
  }

  get anyTorque(): boolean {
    return this.#torque.any;
  }

  get held(): Uint8Array {
    return this.#torque.joints;
  }

  get power(): Power {
    if (this.#arming.switchingOn) return 'arming';
    if (this.#arming.active) return 'releasing';
    if (this.#torque.all) return 'holding';
    return this.#torque.any ? 'partial' : 'limp';
  }

  get arming(): boolean {
    return this.#arming.switchingOn;
  }

  get frozen(): boolean {
    return this.#arming.frozen;
  }

  get limits(): ArmLink['limits'] {
    return this.#limits;
  }

  get gain(): Float64Array {
    return this.gains.effective;
  }

  get readTime(): number {
    return this.#reader.readTime;
  }

  get fault(): string {
    return this.#health.fault;
  }

  get trouble(): string {
    if (!this.up || !this.#torque.any || this.#torque.all || this.#arming.active) return '';
    return `${this.#torque.named(0)} is limp, the others hold: lower the arm, or switch its torque on`;
  }

  get miscalibrated(): string {
    return this.#homing.text;
  }

  get torqueRefusal(): string {
    return [this.#homing.text, this.#health.refusal()].filter((text) => text !== '').join('; ');
  }

  begin(now: number): boolean {
    this.#begun = now;
    this.#trust.advance(now);
    if (this.up) this.#mindLoss(now);
    if (!this.up) {
      if (this.#session.waiting) this.#session.abandon(this.reason);
      this.#connection.advance(now);
      return false;
    }
    if (this.#session.busy) return false;
    // Here no servo speaks: what is sent while they answer meets their answers on the wire.
    if (this.#watchdog !== null) this.#watchdog.tend(this.#torque.any && !this.#arming.active && this.gains.works, now);
    this.#gaveWay = this.#session.waiting && !this.#gaveWay;
    if (this.#gaveWay) {
      this.#takeTurn();
      return true;
    }
    // Under torque a gain follows the goals that were made for it.
    if (this.gains.pending && !this.#torque.any) this.#writes.gains();
    this.#wanted.arming = this.#arming.switchingOn;
    this.#wanted.state = this.#arming.active || this.#trust.anyMuted || this.#reader.doubtful || this.#probe;
    this.#wanted.gains = !this.gains.pending ? 'none' : this.gains.currents.any ? 'caps' : 'gain';
    this.#probe = false;
    this.#reader.begin(this.#wanted, now);
    return true;
  }

  expire(): void {
    // The cycle goes on without the transaction, which has its own deadline.
    if (this.#session.busy) this.onSettled();
    else this.#session.bus.expire();
  }

  write(goals: Float64Array): void {
    if (!this.up || this.#session.busy) return;
    const { trusted, lost } = this.#trust;
    this.withheld.fill(0);
    for (let i = 0; i < this.#slots.length; i++) {
      if (trusted[i] === 1) continue;
      const { joint } = this.#slots[i]!;
      this.withheld[joint] = Math.max(this.withheld[joint]!, 1 + lost[i]!);
    }
    this.#writes.goals(goals, trusted);
    if (this.gains.pending) this.#writes.gains();
  }

  probe(): void {
    this.#probe = true;
  }

  takesGoals(joint: number): boolean {
    const { taken } = this.#measurements;
    const { sent } = this.#writes;
    for (let i = 0; i < this.#slots.length; i++) {
      if (this.#slots[i]!.joint === joint && Math.abs(taken[i]! - sent[i]!) > GOAL_LAG) return false;
    }
    return true;
  }

  setTorque(on: boolean, settle: (problem: string) => void = () => {}): void {
    if (this.up && on && this.#trust.uncertain && !this.#torque.any)
      this.#doubt('a servo was silent for a moment, so the arm is checked anew: try again');
    if (this.up) this.#arming.ask(on, this.#begun, settle);
    else settle(this.reason);
  }

  endArming(why: string): void {
    this.#arming.end(why, this.#begun);
  }

  recover(now: number): string {
    if (!this.up || this.#health.alarms.every((bits) => !this.#overload.needed(bits))) return '';
    const refusal = this.#overload.ask(now);
    if (refusal === '') this.#doubt('its overloaded servos are being brought back');
    return refusal;
  }

  giveUp(): void {
    this.#trust.giveUp();
  }

  servos(done: (outcome: Outcome<readonly ServoFacts[]>) => void): void {
    this.#tasks.facts(done);
  }

  limitTemperatures(limits: Float64Array, done: (outcome: Outcome<void>) => void): void {
    this.#tasks.limitTemperatures(limits, done);
  }

  calibrate(joints: readonly JointHoming[], done: (outcome: Outcome<void>) => void): void {
    this.#tasks.calibrate(joints, done);
  }

  close(reason: string, done: () => void = () => {}): void {
    this.#session.abandon(reason);
    this.#arming.lose(reason, this.#clock.now());
    this.#put('detach', reason);
    this.reason = reason;
    this.#session.close(done);
  }

  reopen(): void {
    const { state } = this.#connection;
    if (state !== 'detached' && state !== 'leaving') return;
    this.#put('attach', NOT_OPENED);
    this.reason = NOT_OPENED;
  }

  #takeTurn(): void {
    this.#session.turn(() => {
      if (this.up) this.#session.bus.attach();
      // Whatever has become of the arm meanwhile: all arms wait for this.
      this.onSettled();
    });
  }

  #settled(): void {
    const now = this.#clock.now();
    const arming = this.#arming;
    if (!this.#reader.settled(arming.active, now)) return;
    if (this.#reader.unasked)
      this.#doubt(`${this.#torque.named(1)} has torque that nobody asked for: does another program use the bus?`);
    else if (arming.active && (arming.switchingOn ? this.#reader.all : this.#reader.living)) arming.step(this.#begun);
    if (this.#ailing.length > 0) this.#tellAiling();
    this.onSettled();
  }

  /** Hands an input to the connection. @param why it is not up then, for people */
  #put(input: Parameters<Connection['put']>[0], why = ''): void {
    const { state } = this.#connection;
    // Whoever has taken the arm off its bus has said why.
    if (why !== '' && state !== 'detached' && state !== 'leaving') this.reason = why;
    if (input === 'lost' || input === 'doubt') this.#arming.lose(why, this.#clock.now());
    this.#connection.put(input, this.#clock.now());
  }

  /** What the servos hold is to be found out anew. */
  #doubt(why: string): void {
    this.#put('doubt', why);
  }

  #beginCheck(): void {
    const expected = expectedServos(this.#joints, this.#slots);
    const recovering = this.#overload.takeWanted();
    const overloaded = expected.flatMap((servo, i) =>
      recovering && this.#overload.needed(this.#health.alarms[i]!)
        ? [{ servo: { ...servo, model: this.#slots[i]!.model }, held: this.#torque.holds[i] === 1 }]
        : [],
    );
    if (recovering) {
      this.#health.alarms.fill(0);
      this.readings.alarms.fill(0);
    }
    const began = this.#clock.now();
    this.#session.check(expected, overloaded, (outcome) => {
      if ('problem' in outcome) this.#put('failed', outcome.problem);
      else {
        this.#check = { began, found: outcome.result };
        this.#put('checked');
      }
    });
  }

  /** Takes over what the check found. */
  #take({ servos, warnings }: StartUp): void {
    const now = this.#clock.now();
    for (const [i, servo] of servos.entries()) this.#takeServo(i, servo, now);
    this.#torque.combine();
    this.#torque.accept();
    this.#trust.checked(now);
    this.#health.begin(servos);
    this.readings.temperatureLimits.set(this.#health.limits.subarray(0, this.#joints.length));
    this.#homing.compare(servos);
    this.#statistics.checked(this.#check.began, now);
    this.#reader.checked(now);
    this.#session.handOver(this.#slots.map(({ id }) => id));
    this.reason = '';
    // A servo whose watchdog has run out refuses goals, also those that are to be there before its torque.
    this.#watchdog?.checked(now);
    const refusal = this.torqueRefusal;
    const told = [...warnings, ...this.#limits.take(servos), ...(refusal === '' ? [] : [`no torque: ${refusal}`])];
    if (this.#torque.any && !this.#torque.all) told.push(`${this.#torque.named(0)} without torque, the others hold`);
    for (const text of told) this.onWarning(text);
  }

  #takeServo(i: number, servo: FoundServo, now: number): void {
    const slot = this.#slots[i]!;
    slot.model = servo.model;
    this.#torque.holds[i] = servo.torque ? 1 : 0;
    const cap = capOf(servo);
    this.#writes.capped[i] = cap === null ? 0 : this.#writes.commanded[i]!;
    this.gains.found(i, servo.positionGain, servo.model.stallTorque / usualGain(this.#joints[slot.joint]!), cap);
    this.#measurements.begin(i, servo.presentPosition, now);
    // The goal register of a limp servo says nothing: it may be left from any earlier day.
    const held = servo.torque ? servo.goalPosition : servo.presentPosition;
    if (i < this.#joints.length) this.adopted[i] = stepsToRadians(slot.calibration, held);
  }

  /** Sees whether servos are lost, and whether the others can still lower the arm. */
  #mindLoss(now: number): void {
    const loss = this.#trust.loss(this.#torque.all && !this.#arming.active, now);
    if (loss === 'none') return;
    if (loss === 'returned') {
      this.#doubt('a servo that had fallen silent answers again: the arm is checked anew');
      return;
    }
    const { first } = this.#trust;
    const limp = this.#trust.isLimp(first);
    const text = limp ? this.#health.limpText(first) : this.#trust.silenceText(this.#health.label(first));
    if (loss === 'all') this.#doubt(text);
    else if (this.#trust.takeNews()) this.onAiling(this.#slots[first]!.joint, text, limp ? 'limp' : 'silent');
  }

  /** A servo ails. One that is limp for it is told so, once that is believed. */
  #ails(index: number, text: string): void {
    this.#ailing.push({ index, text });
  }

  #tellAiling(): void {
    for (let k = this.#ailing.length - 1; k >= 0; k--) {
      const { index, text } = this.#ailing[k]!;
      if (this.#reader.seemsLimp(index)) continue;
      this.#ailing.splice(k, 1);
      if (!this.#trust.isLimp(index)) this.onAiling(this.#slots[index]!.joint, text, 'failing');
    }
  }

  #moved(index: number): void {
    this.#trust.uncertain = true;
    if (!this.#measurements.filter.takesMany(index)) return;
    const { id } = this.#slots[index]!;
    this.onWarning(
      `the position of ${this.#health.label(index)} jumps: is there a second servo with id ${id}, or a broken cable?`,
    );
  }
}

/** The largest current of a servo that keeps to one. */
function capOf({ goalCurrent, model }: FoundServo): FoundCap | null {
  const register = model.common.goalCurrent;
  if (goalCurrent === null || register === null) return null;
  return {
    counts: goalCurrent,
    torquePerCount: model.torquePerEffort * register.scale,
    stallTorque: model.stallTorque,
  };
}

/** Position gain times stall torque for which the arm's data state the stiffness of a joint. */
function usualGain({ servos }: LinkJoint): number {
  return servos.reduce((sum, { model }) => sum + model.common.positionGain.initial! * model.stallTorque, 0);
}
