import { Running } from '../../machine.ts';
import type { ArmLink } from '../driver/arm-link.ts';
import { type Published, StateCode } from '../snapshot/arm-fields.ts';
import { type SharedState, StopWord } from '../snapshot/shared-snapshot.ts';
import { SnapshotWriter } from '../snapshot/snapshot-writer.ts';
import { isFloating, type LimitSet, type SetpointSource, SourceStatus } from '../sources/setpoint-source.ts';
import { ARM_LIFE } from './arm-life.ts';
import type { ControlModel } from './control-model.ts';
import { crawlPart } from './crawl.ts';
import type { Gate } from './gate.ts';
import { JointDrive } from './joint-drive.ts';

/** Why a source no longer drives an arm. */
export type EndReason =
  | 'done'
  | 'superseded'
  | 'cancelled'
  | 'stopped'
  | 'disconnected'
  | 'silent'
  | 'torque_off'
  | 'not_following'
  | 'blocked'
  | 'unattended';

/** Cycles without new positions for so long steer no motion: the arm brakes and its motion ends, s. */
const STALE = 0.25;

/** One arm inside the control loop: its link, what drives it, and its block of the shared snapshot. */
export class ArmController implements Published {
  readonly index: number;
  readonly model: ControlModel;
  readonly link: ArmLink;
  source: SetpointSource | null = null;
  /** Number of the motion that drives or drove last. */
  motion = 0;
  /** Called when the source of `motion` has ended. @param text for people, where the reason says too little */
  onEnd: (motion: number, reason: EndReason, text: string) => void = () => {};
  /** Called when all that was asked of it has been given up, with the epoch that has begun. @param driven something drove it */
  onAbandoned: (epoch: number, driven: boolean) => void = () => {};
  /** Called when `state` changes, and when what is to be said of it does. */
  onState: () => void = () => {};
  /** Called when a joint of an arm that rests gives way to what it presses on. */
  onContactRelief: (joint: number) => void = () => {};
  /** Somebody has said where its joints are at zero. */
  calibrated = true;
  /** `now` of the step that sent goals last, s; 0 before. */
  goalTime = 0;
  now = 0;
  epochOffset = 0;
  cycle = 0;

  readonly #life = new Running(ARM_LIFE);
  readonly #drive: JointDrive;
  readonly #shared: SharedState;
  readonly #writer: SnapshotWriter;
  /** Parts of its speeds at which it moves while its angles may be wrong. */
  readonly #crawl: Readonly<Record<LimitSet, number>>;
  /** What drives it leads it down. */
  #lowers = false;
  /** Some joint is beyond its limits. */
  #beyond = false;
  /** Epoch of intent in which torque was asked for. */
  #armingEpoch = 0;
  /** Time that its cycles have lasted, s. */
  #time = 0;
  /** By that time, when positions came last, and the stamp that they had. */
  #steered = 0;
  #steerTime = 0;
  /** What was said of the state when `onState` was called last. */
  #said = '';

  constructor(index: number, model: ControlModel, link: ArmLink, shared: SharedState) {
    this.index = index;
    this.model = model;
    this.link = link;
    this.#shared = shared;
    // Goes on where a control thread that has failed left off: equal numbers mean the same motion.
    this.motion = shared.lastMotion(index);
    this.#drive = new JointDrive(model, link);
    const { move, mirror } = model.limits.velocity;
    this.#crawl = { move: crawlPart(move), mirror: crawlPart(mirror) };
    this.#writer = new SnapshotWriter(shared, index);
  }

  get state(): StateCode {
    return StateCode[this.#life.state];
  }

  get gate(): Gate {
    return this.#drive.gate;
  }

  /** All servos have torque, and nothing is being switched: the arm can be driven. */
  get holding(): boolean {
    return this.link.up && this.link.power === 'holding';
  }

  /** The joints rest, as measured, since the stop or the end of the motion before; an arm without torque rests. */
  get resting(): boolean {
    return this.#drive.resting || !this.holding;
  }

  /** Goal positions that were sent last, rad. */
  get goals(): Float64Array {
    return this.gate.goals;
  }

  /** Where the joints are asked to be, rad: where a source begins. */
  get setpoints(): Float64Array {
    return this.link.remote && this.source === null ? this.link.readings.positions : this.#drive.setpoints;
  }

  get deviations(): Float64Array {
    return this.#drive.following.deviations;
  }

  /** 1 for each joint that is measured beyond its limits. */
  get outside(): Uint8Array {
    return this.#drive.outside;
  }

  /** What people should know of its state. */
  get reason(): string {
    const { link } = this;
    return link.reason || link.fault || link.trouble;
  }

  /** @returns the part of the speeds of a set that it may use where `part` is asked: less while its angles may be wrong */
  pace(set: LimitSet, part: number): number {
    return this.calibrated && !this.#beyond ? part : Math.min(part, this.#crawl[set]);
  }

  /**
   * Hands the arm to a source. The caller has checked that the arm may be driven.
   * @param speed part of the speeds for moves that is allowed until the next source: one that is planned is timed for it
   * @param acceleration the same of the accelerations
   * @param lowers it leads the arm down, which goes on when a servo then fails
   */
  drive(source: SetpointSource, speed = 1, acceleration = 1, lowers = false): void {
    const { gate, link } = this;
    this.#end('superseded');
    this.#lowers = lowers;
    gate.limitSpeeds('move', speed);
    gate.limitAccelerations('move', acceleration);
    if (link.remote && this.state === StateCode.ready) gate.adopt(link.readings.positions);
    this.#drive.begin(source, this.#time);
    this.source = source;
    if (isFloating(source) && source.gains !== null) link.gains?.soften(source.gains, this.model.floatTorque);
    this.motion++;
    this.#put(source.state === 'moving' ? 'move' : source.state === 'mirroring' ? 'mirror' : 'float');
  }

  /** Ends the motion if it still is the present one: the arm decelerates and holds. */
  cancel(motion: number, reason: EndReason): void {
    if (this.motion === motion && this.source !== null) this.#brakeOff(reason);
  }

  /** Nobody would hear a stop: whatever drives the arm ends, it brakes and holds, and what was asked of it is over. */
  abandon(): void {
    // Before the end of the motion: whoever hears of that is to know that he has lost the arm.
    this.onAbandoned(this.#shared.endEpoch(this.index), this.source !== null);
    if (this.source !== null) this.#brakeOff('unattended');
  }

  /**
   * Torque on where the arm is, or off.
   * @param settle is told why it is not done; empty when it is
   */
  setTorque(on: boolean, settle: (problem: string) => void = () => {}): void {
    const { link } = this;
    if (link.remote || !link.up) {
      settle(link.reason);
      return;
    }
    // The link has come up since the last cycle.
    if (this.state === StateCode.disconnected) this.#connect();
    if (on && this.holding) {
      settle('');
      return;
    }
    if (on) {
      this.#armingEpoch = this.#shared.epoch(this.index);
      this.#drive.adoptLimp(this.now);
      this.motion++;
    } else {
      this.#end('torque_off');
    }
    link.setTorque(on, settle);
  }

  /**
   * One cycle after the read has settled: decides the state, asks the source, passes the gate and sends the goals.
   * @param now monotonic time, s
   * @param dt time since the last cycle, at most two periods, so that a late cycle never makes a large step, s
   * @param epochOffset seconds to add to monotonic times for time since 1970
   */
  step(now: number, dt: number, epochOffset: number): void {
    const { gate, link } = this;
    this.now = now;
    this.epochOffset = epochOffset;
    this.#time += dt;
    if (link.readings.steerTime !== this.#steerTime) {
      this.#steerTime = link.readings.steerTime;
      this.#steered = this.#time;
      this.#beyond = this.#drive.measure(this.#steerTime);
    }
    // What follows has no plan that a lower speed would bend.
    gate.limitSpeeds('mirror', this.pace('mirror', this.#shared.speedPart(this.index)));
    gate.limitAccelerations('mirror', this.#shared.accelerationPart(this.index));
    if (!link.up) this.#put('gone');
    else this.#live(dt);
    if (this.reason !== this.#said) this.#tell();
    this.cycle = this.#shared.cycle;
    this.#writer.write(this);
  }

  #live(dt: number): void {
    if (this.state === StateCode.disconnected) this.#connect();
    this.#mindStop();
    const { power, blocked } = this.link;
    if (blocked !== '' && this.source !== null) this.#brakeOff('blocked', blocked);
    if (power === 'holding') this.#put('energised');
    else if (power !== 'arming') this.#put('limp');
    if (power === 'holding' || power === 'arming') {
      this.#drive.followGains();
      this.#command(dt);
    } else this.#drive.slacken();
  }

  #connect(): void {
    this.#put(this.link.power === 'holding' ? 'foundHolding' : 'foundLimp');
  }

  #mindStop(): void {
    const { link } = this;
    if (link.fault !== '' && !this.#lowers && !this.#shared.stopLatched(this.index)) {
      this.#shared.latchStop(this.index, StopWord.fault);
      this.#shared.endEpoch(this.index);
    }
    if (this.#shared.stopLatched(this.index)) {
      this.#put('latched');
      link.endArming('it is stopped');
    } else if (this.state === StateCode.stopped) this.#put(this.holding ? 'releasedHolding' : 'releasedLimp');
    if (link.arming && this.#shared.epoch(this.index) !== this.#armingEpoch)
      link.endArming('whoever asked for torque has lost the arm meanwhile');
  }

  /** Makes the goals of this cycle and sends them. */
  #command(dt: number): void {
    const { gate, link, now } = this;
    if (link.arming) {
      // Until its torque is on a limp joint falls, or a hand moves it: it is to hold where it is then.
      if (!link.frozen) this.#drive.adoptLimp(now);
    } else {
      const straggler = this.#drive.watch(this.source);
      if (straggler !== '') this.#brakeOff('not_following', straggler);
      if (!this.#move(dt)) return;
      gate.bound(dt);
    }
    link.write(gate.goals);
    gate.sent(link.withheld);
    this.goalTime = now;
  }

  /** @returns whether there are goals to be sent */
  #move(dt: number): boolean {
    const { source, link, now } = this;
    const drive = this.#drive;
    if (source === null) {
      if (link.remote) return false;
      const joint = drive.stay(dt, now);
      if (joint >= 0) this.onContactRelief(joint);
    } else if (!link.remote && this.#time - this.#steered > STALE) {
      this.#brakeOff('silent');
      drive.brake(dt, now);
    } else if (isFloating(source)) {
      if (drive.float(source, this.#time, dt) !== SourceStatus.done) return true;
      // Its weight has been given to the hand.
      this.#end('done');
      this.setTorque(false);
      return false;
    } else if (drive.follow(source, this.#time, dt, now) === SourceStatus.done) {
      this.#end('done');
      drive.settle(now);
      this.#put('over');
    }
    return true;
  }

  /** What drives the arm is over before its end: the arm decelerates and holds. */
  #brakeOff(reason: EndReason, text = ''): void {
    this.#end(reason, text);
    this.#drive.hold(this.now);
    this.#put('over');
  }

  #end(reason: EndReason, text = ''): void {
    if (this.source === null) return;
    if (isFloating(this.source)) {
      this.link.gains?.restore();
      this.#drive.followGains();
    }
    this.source = null;
    this.#lowers = false;
    this.onEnd(this.motion, reason, text);
  }

  #put(input: keyof typeof ARM_LIFE.inputs): void {
    const before = this.#life.state;
    const effects = this.#life.put(input, this.now);
    for (let i = 0; i < effects.length; i++) this.#carryOut(effects[i]!);
    if (this.#life.state !== before) this.#tell();
  }

  #carryOut(effect: keyof typeof ARM_LIFE.effects): void {
    switch (effect) {
      case 'adopt':
        this.#drive.connect(this.now);
        // What was known of its last motion is over: it may have been moved while nobody looked.
        this.motion++;
        break;
      case 'drop':
        this.#end('disconnected');
        // What is on its way here was asked of the arm as it was.
        this.#shared.endEpoch(this.index);
        break;
      case 'slacken':
        this.#end('torque_off');
        break;
      case 'stop':
        this.#end('stopped');
        this.#drive.hold(this.now);
        break;
    }
  }

  #tell(): void {
    this.#said = this.reason;
    this.onState();
  }
}
