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
import type { Joints } from './joint-groups.ts';
import { type DriveOptions, type EndReason, Motions } from './motions.ts';
import { PositionsAge } from './positions-age.ts';

/** Torque on its way on outlives whoever has asked for it by so much: somebody who has the arm next may ask for it, too, s. */
const HANDING_ON = 0.05;

/** One arm inside the control loop: its link, what drives it, and its block of the shared snapshot. */
export class ArmController implements Published {
  readonly index: number;
  readonly model: ControlModel;
  readonly link: ArmLink;
  /** What drives it. */
  readonly motions: Motions;
  /** Called when all that was asked of it has been given up, with the epoch that has begun. @param driven something drove it */
  onAbandoned: (epoch: number, driven: boolean) => void = () => {};
  /** Called when `state` changes, and when what is to be said of it does. */
  onState: () => void = () => {};
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
  readonly #age = new PositionsAge();
  /** Some joint is beyond its limits. */
  #beyond = false;
  /** Epoch of intent in which torque was asked for, of which joints, and when that epoch was last seen to go on, monotonic, s. */
  readonly #armed: { epoch: number; joints: Joints; wanted: number } = { epoch: 0, joints: 'all', wanted: 0 };
  /** What was said of the state when `onState` was called last. */
  #said = '';

  constructor(index: number, model: ControlModel, link: ArmLink, shared: SharedState) {
    this.index = index;
    this.model = model;
    this.link = link;
    this.#shared = shared;
    this.#drive = new JointDrive(model, link);
    // Goes on where a control thread that has failed left off: equal numbers mean the same motion.
    this.motions = new Motions(model, link, this.#drive, shared.lastMotion(index));
    const { move, mirror } = model.limits.velocity;
    this.#crawl = { move: crawlPart(move), mirror: crawlPart(mirror) };
    this.#writer = new SnapshotWriter(shared, index);
  }

  /** Number of the motion that drives or drove last. */
  get motion(): number {
    return this.motions.newest;
  }

  /** What drives its own joints or, where nothing does, its gripper; null while it holds or is limp. */
  get source(): SetpointSource | null {
    return this.motions.source;
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

  /** Measured over the last cycles, rad/s. */
  get velocities(): Float64Array {
    return this.#drive.following.velocities;
  }

  /** It floats, and a hand may feel by it what pushes others. */
  get feels(): boolean {
    return this.source !== null && isFloating(this.source) && this.source.feedback !== null;
  }

  /** Nm by joint; NaN, all of them, while the machine that owns a remote arm tells none. */
  get external(): Float64Array {
    return this.link.remote ? this.link.readings.external : this.#drive.external.values;
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

  /** Hands joints of the arm to a source. The caller has checked that the arm may be driven. */
  drive(source: SetpointSource, options: DriveOptions = {}): void {
    const { gate, link } = this;
    this.motions.end('superseded', this.now, '', options.joints);
    if (link.remote && this.state === StateCode.ready) gate.adopt(link.readings.positions);
    this.motions.begin(source, options, this.#age.time);
    this.#put(source.state === 'moving' ? 'move' : source.state === 'mirroring' ? 'mirror' : 'float');
  }

  /** Ends a motion, if it still goes on, or what drives these joints: they decelerate and hold. */
  cancel(what: number | Joints, reason: EndReason): void {
    this.motions.cancel(what, reason, this.now);
    this.#mindEnd();
  }

  /** Nobody would hear a stop: whatever drives the arm ends, it brakes and holds, and what was asked of it is over. */
  abandon(): void {
    // Before the end of the motion: whoever hears of that is to know that he has lost the arm.
    this.onAbandoned(this.#shared.endEpoch(this.index), this.source !== null);
    if (this.source !== null) this.#brakeOff('unattended');
    // A gripper with little torque is still on its way when its motion has ended.
    else if (!this.resting) this.#drive.hold('all', this.now);
  }

  /**
   * Torque on where the arm is, or off.
   * @param settle is told why it is not done; empty when it is
   * @param joints whose epoch it belongs to: when that is over, so is what switches torque on
   */
  setTorque(on: boolean, settle: (problem: string) => void = () => {}, joints: Joints = 'all'): void {
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
      this.#armed.epoch = this.#shared.epoch(this.index);
      this.#armed.joints = joints;
      this.#armed.wanted = this.now;
      // Whoever asks for torque that is on its way on already goes on with it.
      if (!link.arming) this.#drive.adoptLimp(this.now);
      this.motions.newest++;
    } else {
      this.motions.end('torque_off', this.now);
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
    const { steerTime } = link.readings;
    if (this.#age.advance(dt, steerTime)) this.#beyond = this.#drive.measure(steerTime);
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
    if (link.fault !== '' && !this.motions.lowers && !this.#shared.stopLatched(this.index)) {
      this.#shared.latchStop(this.index, StopWord.fault);
      this.#shared.endEpoch(this.index);
    }
    if (this.#shared.stopLatched(this.index)) {
      this.#put('latched');
      link.endArming('it is stopped');
    } else if (this.state === StateCode.stopped) this.#put(this.holding ? 'releasedHolding' : 'releasedLimp');
    if (!link.arming) return;
    if (!this.#shared.isOver(this.index, this.#armed.epoch, this.#armed.joints)) this.#armed.wanted = this.now;
    else if (this.now - this.#armed.wanted > HANDING_ON)
      link.endArming('whoever asked for torque has lost the arm meanwhile');
  }

  /** Makes the goals of this cycle and sends them. */
  #command(dt: number): void {
    const { gate, link, now } = this;
    if (link.arming) {
      // Until its torque is on a limp joint falls, or a hand moves it: it is to hold where it is then.
      if (!link.frozen) this.#drive.adoptLimp(now);
    } else {
      const { source } = this;
      this.#drive.watch(source !== null && isFloating(source), this.goalTime);
      this.motions.judge(now);
      this.#mindEnd();
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
    const { time } = this.#age;
    if (source === null && link.remote) return false;
    if (source !== null && this.#age.stale && !link.remote) this.#brakeOff('silent');
    else if (source !== null && isFloating(source)) {
      if (this.#drive.float(source, time, dt) !== SourceStatus.done) return true;
      // Its weight has been given to the hand.
      this.motions.end('done', now);
      this.setTorque(false);
      return false;
    }
    this.motions.step(time, dt, now);
    this.#mindEnd();
    return true;
  }

  /** What drives the arm is over before its end: it decelerates and holds. */
  #brakeOff(reason: EndReason, text = ''): void {
    this.motions.brakeOff(reason, this.now, text);
    this.#mindEnd();
  }

  /** Nothing may drive the arm any more. */
  #mindEnd(): void {
    if (this.source === null) this.#put('over');
  }

  #put(input: keyof typeof ARM_LIFE.inputs): void {
    const before = this.#life.state;
    const effects = this.#life.put(input, this.now);
    for (let i = 0; i < effects.length; i++) this.#carryOut(effects[i]!);
    if (this.#life.state !== before) this.#tell();
  }

  #carryOut(effect: keyof typeof ARM_LIFE.effects): void {
    const { motions, now } = this;
    switch (effect) {
      case 'adopt':
        motions.forgetGrip();
        this.#drive.connect(now);
        // What was known of its last motion is over: it may have been moved while nobody looked.
        motions.newest++;
        break;
      case 'drop':
        motions.end('disconnected', now);
        this.#drive.external.reset(this.link.readings.positions);
        // What is on its way here was asked of the arm as it was.
        this.#shared.endEpoch(this.index);
        break;
      case 'slacken':
        motions.end('torque_off', now);
        motions.forgetGrip();
        break;
      case 'stop':
        motions.end('stopped', now);
        this.#drive.hold('all', now);
        break;
    }
  }

  #tell(): void {
    this.#said = this.reason;
    this.onState();
  }
}
