import type { Clock } from '../../clock.ts';
import { radiansToSteps, stepsToRadians } from '../../servo/calibration.ts';
import { DynamixelBus } from '../../servo/dynamixel/dynamixel-bus.ts';
import { DynamixelClient } from '../../servo/dynamixel/dynamixel-client.ts';
import { FeetechBus } from '../../servo/feetech/feetech-bus.ts';
import { FeetechClient } from '../../servo/feetech/feetech-client.ts';
import { inTurn, writeHoming } from '../../servo/homing.ts';
import type { BytePort, PortError } from '../../servo/port/port.ts';
import { recover } from '../../servo/recover.ts';
import { encodeSign, type Register } from '../../servo/registers.ts';
import type { ServoBus } from '../../servo/servo-bus.ts';
import type { ServoClient } from '../../servo/servo-client.ts';
import { servoFacts } from '../../servo/servo-facts.ts';
import { configure, readRow, registerName } from '../../servo/setup.ts';
import { type ExpectedServo, type FoundServo, type StartUp, startUp } from '../../servo/start-up.ts';
import { LONGEST_PAUSE } from '../loop/awake-clock.ts';
import { Histogram } from '../loop/histogram.ts';
import type { ArmLink, JointHoming, ServoFacts } from './arm-link.ts';
import type { FoundCap } from './current-caps.ts';
import { type GainPlan, Gains } from './gains.ts';
import { HomingCheck } from './homing-check.ts';
import { OutOfBand } from './out-of-band.ts';
import { ServoHealth } from './servo-health.ts';
import { ServoLiveness } from './servo-liveness.ts';
import { type Block, type Blocks, blocksOf, countsIn, Measurements } from './servo-reads.ts';
import { expectedServos, type LinkJoint, type ServoSlot, servoSlots } from './servo-slots.ts';

type Phase = 'closed' | 'preparing' | 'up';

/** All further fields are read this often, s. */
const DETAIL_INTERVAL = 0.05;
/** A servo that has lost its torque by itself, as after a dip of its supply, is noticed within this time, s. */
const STATE_INTERVAL = 0.25;
/** A servo that has not been heard for this long gets no goal until its torque has been read, s. */
const MUTE = 0.05;
/** Overloaded servos are brought back no more often than this, s: each time they are loaded again. */
const RECOVERY_INTERVAL = 5;
/** Over-current and overload; any hardware error. */
const FEETECH_RECOVERABLE = 8 | 32;
const DYNAMIXEL_RECOVERABLE = 0xff;
const FIRST_BACK_OFF = 0.1;
const LONGEST_BACK_OFF = 5;
/** Reads after which a torque command that the servos do not confirm is sent again. */
const TORQUE_RETRY = 4;
/** Servos that do not have the torque that was asked for by then are given up, s. */
const TORQUE_PATIENCE = 1.5;
/** Cycles in which all servos are sent goals before torque goes on: no servo answers such a write, and one may be lost. */
const GOALS_FIRST = 2;
const NOT_OPENED = 'not opened yet';
/** Round trips are told anew this often, s. */
const STATISTICS_INTERVAL = 5;
/** The servos of a Dynamixel bus stop by themselves when nothing is heard for this many units of 20 ms (register 98). */
const WATCHDOG = 25;
/** It is written so many cycles in a row: no servo answers such a write, and one may be lost. */
const WATCHDOG_WRITES = 3;

/** An arm of servos of one family on one bus. */
export class ServoLink implements ArmLink {
  readonly remote = false;
  readonly positions: Float64Array;
  readonly adopted: Float64Array;
  readonly gain: Float64Array;
  readonly gains: Gains;
  readonly velocities: Float64Array;
  readonly efforts: Float64Array;
  readonly temperatures: Float64Array;
  readonly temperatureLimits: Float64Array;
  readonly voltages: Float64Array;
  readonly alarms: Float64Array;
  reason = NOT_OPENED;
  torque = false;
  anyTorque = false;
  readonly held: Uint8Array;
  readonly withheld: Uint8Array;
  readonly heard: Float64Array;
  sampleTime = 0;
  steerTime = 0;
  detailTime = 0;
  roundTripMedian = 0;
  roundTripLongest = 0;
  onSettled: () => void = () => {};
  onWarning: (text: string) => void = () => {};
  onAiling: ArmLink['onAiling'] = () => {};

  readonly #port: BytePort;
  readonly #clock: Clock;
  readonly #bus: ServoBus;
  readonly #client: ServoClient;
  readonly #outOfBand: OutOfBand;
  /** The last cycle's read gave way to a transaction, which is not to happen twice in a row. */
  #gaveWay = false;
  readonly #joints: number;
  readonly #servos: readonly ServoSlot[];
  readonly #health: ServoHealth;
  readonly #homing: HomingCheck;
  readonly #steps: Int32Array;
  readonly #flags: Uint8Array;
  /** Servos whose torque must be read before a goal is sent again: they have been silent, perhaps without power. */
  readonly #suspect: Uint8Array;
  /** Servos to which goals may be sent. */
  readonly #trusted: Uint8Array;
  /** Torque that each servo is to have: as it was found, or as it was asked for last. */
  readonly #expected: Uint8Array;
  #anySuspect = false;
  readonly #expectedServos: readonly ExpectedServo[];
  /** Alarms that cut or reduce the torque until the servo is brought back. */
  readonly #recoverable: number;
  #recovering = false;
  #recovered = Number.NEGATIVE_INFINITY;
  /** 1 for each servo that is written to in the loop: all but shadows. */
  readonly #commanded: Uint8Array;
  /** 1 for those of them that keep to a largest current. */
  readonly #capped: Uint8Array;
  /** Of each servo: torque enabled, when it was heard last (s). */
  readonly #holds: Uint8Array;
  readonly #heard: Float64Array;
  readonly #liveness: ServoLiveness;
  readonly #measured: Measurements;
  /** Position gain times stall torque for which the arm's data state the stiffness, by joint. */
  readonly #usualGain: Float64Array;
  readonly #roundTrips = new Histogram();
  readonly #blocks: Blocks;
  readonly #positionGain: Register;
  readonly #goalCurrent: Register | null;
  readonly #goal: Register;
  readonly #torqueEnable: Register;
  readonly #watchdog: Register | undefined;
  #phase: Phase = 'closed';
  #block: Block;
  /** A second read of the same cycle, for what lies too far from the position. */
  #extra: Block | null = null;
  #begun = 0;
  #asked = 0;
  #stateTime = 0;
  #statisticsTime = 0;
  #retryAt = 0;
  #backOff = FIRST_BACK_OFF;
  #busy = false;
  /** False while the bus is to be left alone. */
  #wanted = true;
  #wantTorque: boolean | null = null;
  /** The wanted torque has not been sent yet, and cycles in a row since in which all servos have been sent goals. */
  #torqueDue = false;
  #goalsSent = 0;
  #unconfirmed = 0;
  /** When torque was asked for, s, and whether some servo held before. */
  #wantedAt = 0;
  #heldBefore = false;
  /** Content of the watchdog register that the servos are to have, and how often it is still to be sent. */
  #watchdogWanted = -1;
  #watchdogWrites = 0;
  /** The EEPROM of some servo may be open: a gain that is written now would outlast the supply. */
  #eepromOpen = false;
  #configuring: Promise<void> = Promise.resolve();

  /** @param leftGains gains that a bridge that did not end properly may have left to the servos; null: none */
  constructor(port: BytePort, joints: readonly LinkJoint[], leftGains: GainPlan | null = null) {
    const servos = servoSlots(joints);
    const count = servos.length;
    const { family, common, registers } = servos[0]!.model;
    const ids = servos.map(({ id }) => id);
    this.#port = port;
    this.#clock = port.clock;
    this.#joints = joints.length;
    this.#servos = servos;
    const watched = servos.map(({ id, name }) => ({ id, joint: name }));
    this.#health = new ServoHealth(
      watched,
      family,
      (text) => this.onWarning(text),
      (index, text) => {
        if (!this.#shutDown(index)) this.onAiling(servos[index]!.joint, text, 'failing');
      },
    );
    this.#homing = new HomingCheck(servos);
    this.#measured = new Measurements(servos, joints.length, this.#health);
    // Before the client is made, which passes on what it finds here.
    port.onClose = (error) => this.#closed(error);
    this.#bus = family === 'feetech' ? new FeetechBus(port, ids) : new DynamixelBus(port, ids);
    this.#client = family === 'feetech' ? new FeetechClient(port) : new DynamixelClient(port);
    this.#outOfBand = new OutOfBand(this.#client, this.#bus);
    this.#bus.onSettled = () => this.#settled();
    // Of one address and size in all models that have it.
    this.#goalCurrent =
      servos.map(({ model }) => model.common.goalCurrent).find((register) => register !== null) ?? null;
    this.#blocks = blocksOf(family, common, this.#goalCurrent);
    this.#block = this.#blocks.position;
    this.#positionGain = common.positionGain;
    this.#goal = common.goalPosition;
    this.#torqueEnable = common.torqueEnable;
    this.#watchdog = registers.bus_watchdog;
    this.#expectedServos = expectedServos(joints, servos);
    this.#commanded = Uint8Array.from(servos, ({ shadow }) => (shadow ? 0 : 1));
    this.#capped = new Uint8Array(count);
    this.#holds = new Uint8Array(count);
    this.#heard = new Float64Array(count);
    // Servos with a watchdog have stopped by themselves in a pause of this length, and refuse goals until they are checked.
    this.#liveness = new ServoLiveness(count, this.#watchdog === undefined ? LONGEST_PAUSE : 0);
    this.#usualGain = new Float64Array(joints.length);
    for (const { joint, model } of servos)
      this.#usualGain[joint]! += model.common.positionGain.initial! * model.stallTorque;
    this.#steps = new Int32Array(count);
    this.#flags = new Uint8Array(count);
    this.#suspect = new Uint8Array(count);
    this.#trusted = new Uint8Array(count);
    this.#expected = new Uint8Array(count);
    this.held = new Uint8Array(joints.length);
    this.withheld = new Uint8Array(joints.length);
    this.#recoverable = family === 'feetech' ? FEETECH_RECOVERABLE : DYNAMIXEL_RECOVERABLE;
    this.heard = new Float64Array(joints.length);
    this.positions = this.#measured.positions;
    this.adopted = new Float64Array(joints.length);
    this.gains = new Gains(
      servos.map(({ joint }) => joint),
      leftGains,
    );
    this.gain = this.gains.effective;
    this.velocities = this.#measured.velocities;
    this.efforts = this.#measured.efforts;
    this.temperatures = this.#measured.temperatures;
    this.temperatureLimits = new Float64Array(joints.length);
    this.voltages = this.#measured.voltages;
    this.alarms = this.#measured.alarms;
  }

  get up(): boolean {
    return this.#phase === 'up';
  }

  get fault(): string {
    return this.#health.fault;
  }

  get torqueRefusal(): string {
    return [this.#homing.text, this.#health.refusal()].filter((text) => text !== '').join('; ');
  }

  get miscalibrated(): string {
    return this.#homing.text;
  }

  get lost(): ArrayLike<number> {
    return this.#bus.lost;
  }

  get readTime(): number {
    return this.#asked - this.#begun + this.#bus.readTime;
  }

  get discarded(): number {
    return this.#bus.discarded;
  }

  begin(now: number): boolean {
    this.#begun = now;
    this.#liveness.advance(now);
    if (this.#phase === 'up' && this.#silent(now)) this.#phase = 'preparing';
    if (this.#phase !== 'up') {
      if (this.#outOfBand.waiting) this.#outOfBand.abandon(this.reason);
      if (this.#wanted && now >= this.#retryAt && !this.#busy) void this.#connect();
      return false;
    }
    if (this.#outOfBand.busy) return false;
    // Here no servo speaks: what is sent while they answer meets their answers on the wire.
    if (this.#watchdog !== undefined) this.#tendWatchdog(this.#watchdog);
    if (this.#torqueDue) this.#sendDueTorque();
    if (this.#outOfBand.waiting && !this.#gaveWay) {
      this.#gaveWay = true;
      void this.#takeTurn();
      return true;
    }
    this.#gaveWay = false;
    const state = this.#wantTorque !== null || this.#anySuspect || now - this.#stateTime >= STATE_INTERVAL;
    if (state && this.#blocks.state.position) this.#block = this.#blocks.state;
    else this.#block = now - this.detailTime >= DETAIL_INTERVAL ? this.#blocks.detail : this.#blocks.position;
    this.#extra = state && !this.#blocks.state.position ? this.#blocks.state : null;
    if (this.gains.pending) {
      if (this.#extra === null) this.#extra = this.gains.currents.any ? this.#blocks.caps : this.#blocks.gain;
      // Under torque a gain follows the goals that were made for it.
      if (!this.anyTorque) this.#writeGains();
    }
    this.#asked = now;
    this.#bus.beginRead(this.#block.address, this.#block.length);
    return true;
  }

  expire(): void {
    // The cycle goes on without the transaction, which has its own deadline.
    if (this.#outOfBand.busy) this.onSettled();
    else this.#bus.expire();
  }

  write(goals: Float64Array): void {
    if (this.#phase !== 'up' || this.#outOfBand.busy) return;
    this.#goalsSent++;
    this.withheld.fill(0);
    for (let i = 0; i < this.#servos.length; i++) {
      const { calibration, joint } = this.#servos[i]!;
      this.#steps[i] = encodeSign(this.#goal.sign, radiansToSteps(calibration, goals[joint]!));
      if (this.#begun - this.#heard[i]! > MUTE) {
        this.#suspect[i] = 1;
        this.#anySuspect = true;
      }
      if (this.#suspect[i] === 1) {
        this.#goalsSent = 0;
        this.withheld[joint] = Math.max(this.withheld[joint]!, 1 + this.#liveness.dead[i]!);
      }
      this.#trusted[i] = this.#suspect[i] === 1 || this.#liveness.dead[i] === 1 ? 0 : this.#commanded[i]!;
    }
    this.#bus.syncWrite(this.#goal, this.#steps, this.#trusted);
    if (this.gains.pending) this.#writeGains();
  }

  /** Not kept over a power cycle: the lock of a Feetech servo is closed, and these registers of a Dynamixel servo are RAM. */
  #writeGains(): void {
    if (this.#eepromOpen) return;
    const { currents } = this.gains;
    this.#bus.syncWrite(this.#positionGain, this.gains.wanted, this.#commanded);
    if (this.#goalCurrent !== null && currents.pending) {
      this.#bus.syncWrite(this.#goalCurrent, currents.wanted, this.#capped);
    }
  }

  setTorque(on: boolean): void {
    if (this.#phase !== 'up') return;
    this.#wantTorque = on;
    this.#expected.fill(on ? 1 : 0);
    this.#wantedAt = this.#begun;
    this.#heldBefore = this.anyTorque;
    this.#askTorque();
  }

  recover(now: number): string {
    if (this.#phase !== 'up' || this.#health.alarms.every((bits) => (bits & this.#recoverable) === 0)) return '';
    const wait = this.#recovered + RECOVERY_INTERVAL - now;
    if (wait > 0)
      return `its servos have just been brought back: take the load off, and try again in ${Math.ceil(wait)} s`;
    this.#recovered = now;
    this.#recovering = true;
    this.reason = 'its overloaded servos are being brought back';
    this.#phase = 'preparing';
    return '';
  }

  giveUp(): void {
    this.#liveness.giveUp();
  }

  async servos(): Promise<readonly ServoFacts[]> {
    const facts: ServoFacts[] = [];
    for (const { name, id, model } of this.#servos.slice(0, this.#joints)) {
      facts.push({ joint: name, ...(await servoFacts(this.#outOfBand, id, model)) });
    }
    return facts;
  }

  limitTemperatures(limits: Float64Array): Promise<void> {
    // One after the other: a lock that one of two closes would keep the other's value from lasting.
    const done = this.#configuring.then(() => this.#limit(limits));
    this.#configuring = done.catch(() => {});
    return done;
  }

  calibrate(joints: readonly JointHoming[]): Promise<void> {
    const done = this.#configuring.then(() => this.#calibrate(joints));
    this.#configuring = done.catch(() => {});
    return done;
  }

  async close(reason: string): Promise<void> {
    this.#outOfBand.abandon(reason);
    this.#phase = 'closed';
    this.#wanted = false;
    this.reason = reason;
    this.#bus.abandon();
    // A read that was under way has no answer to come.
    this.onSettled();
    await this.#port.close();
  }

  reopen(): void {
    if (this.#wanted) return;
    this.#wanted = true;
    this.#retryAt = 0;
    this.#backOff = FIRST_BACK_OFF;
    this.reason = NOT_OPENED;
  }

  async #limit(limits: Float64Array): Promise<void> {
    for (const { id, name, model, joint } of this.#servos) {
      const { initial, scale } = model.common.maxTemperature;
      if (limits[joint]! <= initial! * scale) continue;
      throw new Error(
        `servo ${id} (${name}), a ${model.model}, takes no limit above ${initial! * scale} degrees Celsius`,
      );
    }
    this.#eepromOpen = true;
    try {
      for (const [i, { id, model, joint }] of this.#servos.entries()) {
        const { maxTemperature } = model.common;
        const counts = Math.round(limits[joint]! / maxTemperature.scale);
        await configure(this.#outOfBand, model, id, { [registerName(model, maxTemperature)]: counts });
        this.#health.limits[i] = counts * maxTemperature.scale;
        if (i < this.#joints) this.temperatureLimits[i] = this.#health.limits[i]!;
      }
    } finally {
      this.#eepromOpen = false;
    }
  }

  async #calibrate(joints: readonly JointHoming[]): Promise<void> {
    if (this.anyTorque) throw new Error(`${this.#named(1)} holds torque: support the arm and let it go limp first`);
    this.#eepromOpen = true;
    try {
      for (const [i, { offset, operatingMode, expected, sign, zero }] of joints.entries()) {
        const place = this.#servos[i]!;
        const { id, model } = place;
        const homing = { offset, operatingMode };
        await writeHoming(this.#outOfBand, model, id, homing);
        this.#homing.set(i, expected ? offset : null);
        place.mount = { sign, zero, stepsPerTurn: place.mount.stepsPerTurn };
        findTurn(place, await readRow(this.#outOfBand, id, model.common.presentPosition));
      }
      this.#homing.text = '';
    } finally {
      this.#eepromOpen = false;
    }
  }

  /** Torque is to be sent when it may. */
  #askTorque(): void {
    this.#torqueDue = true;
    this.#goalsSent = 0;
    this.#unconfirmed = 0;
  }

  /** Torque goes on only when every servo has been sent where it is to hold: a goal from an earlier day would throw the arm. */
  #sendDueTorque(): void {
    if (this.#wantTorque === true && this.#goalsSent < GOALS_FIRST) return;
    this.#torqueDue = false;
    if (this.#wantTorque !== null) this.#sendTorque(this.#wantTorque);
  }

  /** An arm that was limp is so again; of one that holds in part, what holds goes on: it would drop. */
  #giveTorqueUp(): void {
    this.reason = `${this.#named(0)} does not take torque: check its supply and its cable`;
    if (!this.#heldBefore) this.#sendTorque(false);
    this.#phase = 'preparing';
  }

  #sendTorque(on: boolean): void {
    this.#writeAll(this.#torqueEnable, on ? 1 : 0);
  }

  /**
   * Off while the arm is limp, and while its servos are soft to float: a servo that stops by itself holds where it is without the
   * torque that carried the arm, and a soft one would let it down.
   */
  #tendWatchdog(register: Register): void {
    const wanted = (this.#wantTorque ?? this.anyTorque) && this.gains.works ? WATCHDOG : 0;
    if (wanted !== this.#watchdogWanted) this.#watchdogWrites = WATCHDOG_WRITES;
    this.#watchdogWanted = wanted;
    if (this.#watchdogWrites === 0) return;
    this.#watchdogWrites--;
    // One that has run out keeps a servo from moving until it is cleared by 0.
    this.#writeAll(register, 0);
    if (wanted > 0) this.#writeAll(register, wanted);
  }

  #writeAll(register: Register, value: number): void {
    this.#flags.fill(value);
    this.#bus.syncWrite(register, this.#flags, this.#commanded);
  }

  /** One transaction with a single servo takes the place of this cycle's read. */
  async #takeTurn(): Promise<void> {
    await this.#outOfBand.turn();
    if (this.#phase === 'up') this.#bus.attach();
    // Whatever has become of the arm meanwhile: all arms wait for this.
    this.onSettled();
  }

  /** Opens the port if need be and checks the servos; whatever fails is told and tried again later. */
  async #connect(): Promise<void> {
    this.#busy = true;
    const began = this.#clock.now();
    try {
      if (this.#phase === 'closed') {
        await this.#port.open();
        if (!this.#wanted) {
          await this.#port.close();
          return;
        }
        this.#phase = 'preparing';
        for (const advice of this.#port.advice ?? []) this.onWarning(advice);
      }
      this.#client.attach();
      if (this.#recovering) {
        this.#recovering = false;
        for (const [i, servo] of this.#expectedServos.entries()) {
          if ((this.#health.alarms[i]! & this.#recoverable) === 0) continue;
          await recover(this.#client, { ...servo, model: this.#servos[i]!.model }, this.#holds[i] === 1);
        }
        this.#health.alarms.fill(0);
        this.alarms.fill(0);
      }
      const found = await startUp(this.#client, this.#expectedServos);
      if (this.#phase === 'preparing') this.#take(found, began);
    } catch (error) {
      if (this.#wanted) this.reason = error instanceof Error ? error.message : String(error);
      this.#delay();
    } finally {
      this.#busy = false;
    }
  }

  #take(found: StartUp, began: number): void {
    for (const [i, servo] of found.servos.entries()) {
      const place = this.#servos[i]!;
      place.model = servo.model;
      this.#holds[i] = servo.torque ? 1 : 0;
      const cap = capOf(servo);
      this.#capped[i] = cap === null ? 0 : this.#commanded[i]!;
      this.gains.found(i, servo.positionGain, servo.model.stallTorque / this.#usualGain[place.joint]!, cap);
      findTurn(place, servo.presentPosition);
      if (i >= this.#joints) continue;
      this.positions[i] = stepsToRadians(place.calibration, servo.presentPosition);
      // The goal register of a limp servo says nothing: it may be left from any earlier day.
      this.adopted[i] = servo.torque ? stepsToRadians(place.calibration, servo.goalPosition) : this.positions[i]!;
    }
    this.#combineTorque();
    this.#expected.set(this.#holds);
    this.#suspect.fill(0);
    this.#anySuspect = false;
    if (this.anyTorque && !this.torque) this.onWarning(`${this.#named(0)} without torque, the others hold`);
    this.#health.begin(found.servos);
    this.temperatureLimits.set(this.#health.limits.subarray(0, this.#joints));
    for (const warning of found.warnings) this.onWarning(warning);
    this.#homing.compare(found.servos);
    const refusal = this.torqueRefusal;
    if (refusal !== '') this.onWarning(`no torque: ${refusal}`);
    this.#bus.attach();
    for (const { id } of this.#servos) this.#outOfBand.handOver(id);
    const now = this.#clock.now();
    this.#heard.fill(now);
    this.heard.fill(now);
    this.sampleTime = began;
    this.steerTime = began;
    this.#liveness.reset();
    this.detailTime = 0;
    this.#stateTime = now;
    this.#wantTorque = null;
    this.#torqueDue = false;
    this.#backOff = FIRST_BACK_OFF;
    this.reason = '';
    this.#phase = 'up';
    if (this.#watchdog === undefined) return;
    // A servo whose watchdog has run out refuses goals, also those that are to be there before its torque.
    this.#writeAll(this.#watchdog, 0);
    this.#watchdogWanted = -1;
  }

  #closed(error: PortError): void {
    this.#bus.abandon();
    this.#phase = 'closed';
    if (this.#wanted) this.reason = error.message;
    this.#delay();
    this.onSettled();
  }

  #delay(): void {
    this.#retryAt = Math.max(this.#retryAt, this.#clock.now() + this.#backOff);
    this.#backOff = Math.min(this.#backOff * 2, LONGEST_BACK_OFF);
  }

  /** True when a servo has been silent for too long and the others do not carry the arm; says which. */
  #silent(now: number): boolean {
    const silence = this.#liveness;
    silence.look();
    if (silence.returned) {
      this.reason = 'a servo that had fallen silent answers again: the arm is checked anew';
      return true;
    }
    if (silence.count === 0) return false;
    const { joint } = this.#servos[silence.first]!;
    if (this.torque && this.#wantTorque === null && silence.count < this.#servos.length) {
      if (silence.begins(now))
        this.onAiling(joint, this.#deadText(), silence.limp[silence.first] === 1 ? 'limp' : 'silent');
      if (silence.lasts(now)) return false;
    }
    this.reason = this.#deadText();
    return true;
  }

  /** For people. */
  #deadText(): string {
    const { first, limp } = this.#liveness;
    const { id, name } = this.#servos[first]!;
    return limp[first] === 1 ? this.#health.shutDown(first) : this.#liveness.text(`servo ${id} (${name})`);
  }

  #settled(): void {
    const now = this.#clock.now();
    const { answered } = this.#bus;
    let all = true;
    let living = true;
    for (let i = 0; i < answered.length; i++) {
      if (answered[i] === 1) {
        this.#heard[i] = now;
        this.#liveness.heard(i);
        if (this.#liveness.limp[i] === 0) continue;
      }
      all = false;
      if (this.#liveness.dead[i] === 0) living = false;
    }
    for (let i = 0; i < this.#heard.length; i++) {
      const { joint } = this.#servos[i]!;
      this.heard[joint] = i < this.#joints ? this.#heard[i]! : Math.min(this.heard[joint]!, this.#heard[i]!);
    }
    if (all) this.#roundTrips.add(now - this.#asked);
    this.#decode(all, living);
    if (this.#extra !== null) {
      this.#block = this.#extra;
      this.#extra = null;
      this.#asked = now;
      this.#bus.beginRead(this.#block.address, this.#block.length);
      return;
    }
    if (now - this.#statisticsTime > STATISTICS_INTERVAL) {
      this.#statisticsTime = now;
      this.roundTripMedian = this.#roundTrips.percentile(0.5);
      this.roundTripLongest = this.#roundTrips.percentile(0.99);
      this.#roundTrips.clear();
    }
    this.onSettled();
  }

  /** Takes over what the last read brought: of all servos, or at least of all that are not dead. */
  #decode(all: boolean, living: boolean): void {
    const { answered, block: bytes } = this.#bus;
    const block = this.#block;
    this.#measured.take(bytes, answered, block);
    if (block === this.#blocks.gain || block === this.#blocks.caps) {
      for (let i = 0; i < answered.length; i++) {
        if (answered[i] === 0) continue;
        this.gains.confirm(i, countsIn(bytes, i, block, this.#positionGain));
        if (block === this.#blocks.caps) this.gains.currents.confirm(i, countsIn(bytes, i, block, this.#goalCurrent!));
      }
    }
    if (!living) return;
    if (block.position) this.steerTime = this.#begun;
    if (all && block.position) this.sampleTime = this.#begun;
    if (all && block.detail) this.detailTime = this.#begun;
    if (block === this.#blocks.state) {
      this.#stateTime = this.#begun;
      this.#decodeTorque();
    }
  }

  /** A joint is held when all of its servos have torque. */
  #combineTorque(): void {
    let on = 0;
    for (let i = 0; i < this.#servos.length; i++) {
      const { joint } = this.#servos[i]!;
      this.held[joint] = i < this.#joints ? this.#holds[i]! : this.held[joint]! & this.#holds[i]!;
      on += this.#holds[i]!;
    }
    this.torque = on === this.#servos.length;
    this.anyTorque = on > 0;
  }

  #decodeTorque(): void {
    let unexpected = false;
    for (let i = 0; i < this.#servos.length; i++) {
      if (this.#liveness.dead[i] === 1) continue;
      if (this.#wantTorque === null && this.#expected[i] === 1 && this.#shutDown(i)) {
        this.#liveness.fell(i);
        continue;
      }
      const held = countsIn(this.#bus.block, i, this.#block, this.#torqueEnable) === 1 ? 1 : 0;
      this.#holds[i] = held;
      if (held !== this.#expected[i]) unexpected = true;
    }
    this.#combineTorque();
    if (this.#wantTorque !== null) {
      this.#trust();
      if (this.#torqueDue) return;
      if (this.#wantTorque ? this.torque : !this.anyTorque) this.#wantTorque = null;
      else if (this.#wantTorque && this.#begun - this.#wantedAt > TORQUE_PATIENCE) this.#giveTorqueUp();
      else if (++this.#unconfirmed === TORQUE_RETRY) this.#askTorque();
    } else if (unexpected) {
      // A dip of the supply, or another program: what the servos hold is to be found out anew.
      this.reason = `${this.#named(this.anyTorque ? 0 : 1)} has other torque than was asked for: check its supply and its cable`;
      this.#phase = 'preparing';
    } else {
      this.#trust();
    }
  }

  /** The read of the servos' state shows one without torque for an alarm of its own; those of Feetech go on carrying. */
  #shutDown(index: number): boolean {
    const { state } = this.#blocks;
    if (this.#block !== state || !state.alarms || this.#health.alarms[index] === 0) return false;
    return countsIn(this.#bus.block, index, state, this.#torqueEnable) === 0;
  }

  #trust(): void {
    this.#suspect.fill(0);
    this.#anySuspect = false;
  }

  /** Servos with torque (1) or without (0), for messages. */
  #named(held: 0 | 1): string {
    const names = this.#servos.filter((_, i) => this.#holds[i] === held).map(({ id, name }) => `${id} (${name})`);
    return `servo ${names.join(', ')}`;
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

/** A servo that has been mounted anew, or has got its supply: which turn it counts in. */
function findTurn(place: ServoSlot, present: number): void {
  const { mount, middle, model } = place;
  place.calibration = middle === undefined || model.family === 'feetech' ? mount : inTurn(mount, middle, present);
}
