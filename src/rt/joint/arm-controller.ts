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

/** Arming goes on this long after its epoch has ended, because the arm's next owner may ask for torque too, s. */
const HANDING_ON = 0.05;
/** Without new goals for so long, a joint in motion slows down noticeably, s; its goal loses at most this part of its speed. */
const STANDS = 0.02;
const LOSS = 0.5;

/** One arm inside the control loop: its link, its motions, and its block of the shared snapshot. */
export class ArmController implements Published {
  readonly index: number;
  readonly model: ControlModel;
  readonly link: ArmLink;
  readonly motions: Motions;
  /** Called by `abandon`: earlier requests are void. @param epoch the new one @param driven a source was driving */
  onAbandoned: (epoch: number, driven: boolean) => void = () => {};
  /** Called when `state` or `reason` changes. */
  onState: () => void = () => {};
  /** The zero positions of its joints are known. */
  calibrated = true;
  /** `now` of the last step that sent goals, s; 0 before the first. */
  goalTime = 0;
  now = 0;
  epochOffset = 0;
  cycle = 0;

  readonly #life = new Running(ARM_LIFE);
  readonly #drive: JointDrive;
  readonly #shared: SharedState;
  readonly #writer: SnapshotWriter;
  /** Speed scale while the joint angles may be wrong: not calibrated, or a joint beyond its limits. */
  readonly #crawl: Readonly<Record<LimitSet, number>>;
  readonly #age = new PositionsAge();
  /** Some joint is measured beyond its limits. */
  #beyond = false;
  /** The last torque request: its epoch of intent, that epoch's joints, and when it was last current, monotonic, s. */
  readonly #armed: { epoch: number; joints: Joints; wanted: number } = { epoch: 0, joints: 'all', wanted: 0 };
  /** `reason` at the last call of `onState`. */
  #said = '';

  constructor(index: number, model: ControlModel, link: ArmLink, shared: SharedState) {
    this.index = index;
    this.model = model;
    this.link = link;
    this.#shared = shared;
    this.#drive = new JointDrive(model, link);
    // Continues the numbering of a failed control thread: equal numbers mean the same motion.
    this.motions = new Motions(model, link, this.#drive, shared.lastMotion(index));
    const { move, mirror } = model.limits.velocity;
    this.#crawl = { move: crawlPart(move), mirror: crawlPart(mirror) };
    this.#writer = new SnapshotWriter(shared, index);
  }

  /** Number of the present or last motion. */
  get motion(): number {
    return this.motions.newest;
  }

  /** Source of the arm's own joints or, if they have none, of its gripper; null while the arm holds or is limp. */
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

  /**
   * The joints have come to rest, as measured, since the last stop or end of a motion; true without torque, false until
   * servos have confirmed that their torque is off.
   */
  get resting(): boolean {
    const { up, power } = this.link;
    if (up && power === 'releasing') return false;
    return this.#drive.resting || !this.holding;
  }

  /** Goal positions sent last, rad. */
  get goals(): Float64Array {
    return this.gate.goals;
  }

  /** Commanded joint positions, rad, from which a source starts. */
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

  /** It floats with force feedback: a hand may feel what pushes the followers. */
  get feels(): boolean {
    return this.source !== null && isFloating(this.source) && this.source.feedback !== null;
  }

  /** External torques, Nm by joint; all NaN while the owner of a remote arm reports none. */
  get external(): Float64Array {
    return this.link.remote ? this.link.readings.external : this.#drive.external.values;
  }

  get feltTime(): number {
    const { remote, readings } = this.link;
    return remote ? Math.min(readings.steerTime, readings.externalTime) : readings.steerTime;
  }

  /** 1 for each joint measured beyond its limits. */
  get outside(): Uint8Array {
    return this.#drive.outside;
  }

  /** Why it is in its state, for people; empty if there is nothing to say. */
  get reason(): string {
    const { link } = this;
    return link.reason || link.fault || link.trouble;
  }

  /** Its joint angles may be wrong: it is not calibrated, or a joint is beyond its limits. */
  get doubtful(): boolean {
    return !this.calibrated || this.#beyond;
  }

  /**
   * @param doubtful whether joint angles may be wrong
   * @returns the allowed part of a limit set's speeds if `part` is wanted: less while joint angles may be wrong
   */
  pace(set: LimitSet, part: number, doubtful = this.doubtful): number {
    return doubtful ? Math.min(part, this.#crawl[set]) : part;
  }

  /** Hands joints of the arm to a source. The caller has checked that the arm may be driven. */
  drive(source: SetpointSource, options: DriveOptions = {}): void {
    const { gate, link } = this;
    this.motions.end('superseded', this.now, '', options.joints);
    if (link.remote && this.state === StateCode.ready) gate.adopt(link.readings.positions);
    this.motions.begin(source, options, this.#age.time, this.now);
    this.#put(source.state === 'moving' ? 'move' : source.state === 'mirroring' ? 'mirror' : 'float');
  }

  /** Ends a running motion, or whatever drives these joints: they decelerate and hold. */
  cancel(what: number | Joints, reason: EndReason): void {
    this.motions.cancel(what, reason, this.now);
    this.#mindEnd();
  }

  /** A stop would not be heard now: ends all motions and pending requests; the arm brakes and holds. */
  abandon(): void {
    // Called before the motion ends, so that its owner learns first that it has lost the arm.
    this.onAbandoned(this.#shared.endEpoch(this.index), this.source !== null);
    if (this.source !== null) this.#brakeOff('unattended');
    // A gripper with a low torque limit may still move after its motion has ended.
    else if (!this.resting) this.#drive.hold('all', this.now);
  }

  /**
   * Switches torque on at the present pose, or off.
   * @param settle receives why it failed; empty on success
   * @param joints whose epoch the request belongs to: arming ends when that epoch is over
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
      // A request that comes while the arm is arming already joins that arming.
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
    // A source with mirror limits has no plan that a lower speed would distort, so a new scale applies at once.
    const doubtful = this.doubtful || this.source?.doubtful === true;
    gate.limitSpeeds('mirror', this.pace('mirror', this.#shared.speedPart(this.index), doubtful));
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
      this.#drive.followGains(this.now);
      this.#command(dt);
    } else this.#drive.slacken();
  }

  #connect(): void {
    this.#put(this.link.power === 'holding' ? 'foundHolding' : 'foundLimp');
  }

  #mindStop(): void {
    const { link } = this;
    const reset = this.state === StateCode.stopped;
    if (link.fault !== '' && !this.#shared.stopLatched(this.index) && (reset || !this.motions.lowers)) {
      this.#shared.latchStop(this.index, StopWord.fault);
      // What lowers the arm goes on, also from one part of its way to the next.
      if (!this.motions.lowered) this.#shared.endEpoch(this.index);
      // One that a person had stopped on its way down is lowered now.
      if (reset && !this.motions.lowers) link.failAgain();
    }
    if (this.#shared.stopLatched(this.index)) {
      this.#put('latched');
      // An arm that its own servos have stopped is being lowered until a person stops it, too.
      if (this.source !== null && this.#shared.stop(this.index) === StopWord.asked) this.#brakeOff('stopped');
      link.endArming('it is stopped');
    } else if (this.state === StateCode.stopped) {
      // Whoever resets the stop of an arm that is being lowered gets one that holds.
      if (this.source !== null) this.#brakeOff('stopped');
      this.#put(this.holding ? 'releasedHolding' : 'releasedLimp');
    }
    if (!link.arming) return;
    if (!this.#shared.isOver(this.index, this.#armed.epoch, this.#armed.joints)) this.#armed.wanted = this.now;
    else if (this.now - this.#armed.wanted > HANDING_ON)
      link.endArming('whoever asked for torque has lost the arm meanwhile');
  }

  /** Makes the goals of this cycle and sends them. */
  #command(dt: number): void {
    const { gate, link, now } = this;
    if (link.arming) {
      // Until its torque is on, a limp joint falls or is moved by hand: it must hold where it is by then.
      if (!link.frozen) this.#drive.adoptLimp(now);
    } else {
      const { source } = this;
      this.#drive.watch(source !== null && isFloating(source), this.goalTime);
      this.motions.judge(now);
      this.#mindEnd();
      const elapsed = now - this.goalTime;
      if (elapsed > STANDS) this.#drive.stood(Math.max(dt / elapsed, 1 - LOSS));
      if (!this.#move(dt)) return;
      gate.bound(dt);
    }
    link.write(gate.goals);
    gate.sent(link.withheld);
    this.goalTime = now;
  }

  /** @returns whether there are goals to send */
  #move(dt: number): boolean {
    const { source, link, now } = this;
    const { time } = this.#age;
    if (source === null && link.remote) return false;
    if (source !== null && this.#age.stale && !link.remote) this.#brakeOff('silent');
    else if (source !== null && isFloating(source)) {
      if (this.#drive.float(source, time, dt) !== SourceStatus.done) return true;
      // The support has faded out: the hand carries the arm.
      this.motions.end('done', now);
      this.setTorque(false);
      return false;
    }
    this.motions.step(time, dt, now);
    this.#mindEnd();
    return true;
  }

  /** Ends the arm's motions early: it decelerates and holds. */
  #brakeOff(reason: EndReason, text = ''): void {
    this.motions.brakeOff(reason, this.now, text);
    this.#mindEnd();
  }

  /** Puts `over` into the state machine once nothing drives the arm. */
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
        // The last motion no longer describes the arm, which may have been moved while disconnected.
        motions.newest++;
        break;
      case 'drop':
        motions.end('disconnected', now);
        this.#drive.external.reset(this.link.readings.positions);
        // Requests still under way were meant for the arm before it disconnected.
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
