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
import { type Group, includes, type Joints, meet } from './joint-groups.ts';

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

/** A source, and the joints that it drives. */
interface Driving {
  readonly source: SetpointSource;
  readonly joints: Joints;
  readonly motion: number;
  /** It leads the arm down. */
  readonly lowers: boolean;
}

export interface DriveOptions {
  /** What it drives; left out: all. */
  readonly joints?: Joints;
  /** Part of the speeds for moves that is allowed until the next source: one that is planned is timed for it. */
  readonly speed?: number;
  /** The same of the accelerations. */
  readonly acceleration?: number;
  /** It leads the arm down, which goes on when a servo then fails. */
  readonly lowers?: boolean;
  /** Largest torque of the gripper from now on, Nm: infinite for its own; null: as before. */
  readonly gripperTorque?: number | null;
}

/** One arm inside the control loop: its link, what drives it, and its block of the shared snapshot. */
export class ArmController implements Published {
  readonly index: number;
  readonly model: ControlModel;
  readonly link: ArmLink;
  /** Number of the motion that drives or drove last. */
  motion = 0;
  /** Called when the source of a motion has ended. @param text for people, where the reason says too little */
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
  /** What drives the arm's own joints, or all; and what drives its gripper apart from them. */
  #arm: Driving | null = null;
  #gripper: Driving | null = null;
  readonly #drive: JointDrive;
  readonly #shared: SharedState;
  readonly #writer: SnapshotWriter;
  /** Parts of its speeds at which it moves while its angles may be wrong. */
  readonly #crawl: Readonly<Record<LimitSet, number>>;
  /** Some joint is beyond its limits. */
  #beyond = false;
  /** Epoch of intent in which torque was asked for. */
  #armingEpoch = 0;
  #armingJoints: Joints = 'all';
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

  /** What drives its own joints or, where nothing does, its gripper; null while it holds or is limp. */
  get source(): SetpointSource | null {
    return (this.#arm ?? this.#gripper)?.source ?? null;
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

  /** Hands joints of the arm to a source. The caller has checked that the arm may be driven. */
  drive(
    source: SetpointSource,
    { joints = 'all', speed = 1, acceleration = 1, lowers = false, gripperTorque = null }: DriveOptions = {},
  ): void {
    const { gate, link } = this;
    const mask = this.model.masks[joints];
    this.#end('superseded', '', joints);
    gate.limitSpeeds('move', speed, mask);
    gate.limitAccelerations('move', acceleration, mask);
    if (link.remote && this.state === StateCode.ready) gate.adopt(link.readings.positions);
    if (gripperTorque !== null) this.#limitGripper(gripperTorque);
    this.#drive.begin(source, joints, this.#time);
    this.motion++;
    const driving = { source, joints, motion: this.motion, lowers };
    if (joints === 'gripper') this.#gripper = driving;
    else this.#arm = driving;
    if (isFloating(source) && source.gains !== null) link.gains?.soften(source.gains, this.model.floatTorque);
    this.#put(source.state === 'moving' ? 'move' : source.state === 'mirroring' ? 'mirror' : 'float');
  }

  /** What drives the arm as this motion; null when it is over. */
  sourceOf(motion: number): SetpointSource | null {
    if (this.#arm?.motion === motion) return this.#arm.source;
    return this.#gripper?.motion === motion ? this.#gripper.source : null;
  }

  /** Ends a motion, if it still goes on, or what drives these joints: they decelerate and hold. */
  cancel(what: number | Joints, reason: EndReason): void {
    const { arm, gripper } = { arm: this.#arm, gripper: this.#gripper };
    for (const driving of [arm, gripper]) {
      if (driving === null) continue;
      const meant = typeof what === 'number' ? driving.motion === what : meet(driving.joints, what);
      if (meant) this.#brakeOff(reason, '', driving.joints);
    }
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
      this.#armingEpoch = this.#shared.epoch(this.index);
      this.#armingJoints = joints;
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
    if (link.fault !== '' && this.#arm?.lowers !== true && !this.#shared.stopLatched(this.index)) {
      this.#shared.latchStop(this.index, StopWord.fault);
      this.#shared.endEpoch(this.index);
    }
    if (this.#shared.stopLatched(this.index)) {
      this.#put('latched');
      link.endArming('it is stopped');
    } else if (this.state === StateCode.stopped) this.#put(this.holding ? 'releasedHolding' : 'releasedLimp');
    if (link.arming && this.#shared.isOver(this.index, this.#armingEpoch, this.#armingJoints))
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
      this.#drive.watch(source !== null && isFloating(source));
      this.#judge(this.#arm);
      this.#judge(this.#gripper);
      if (!this.#move(dt)) return;
      gate.bound(dt);
    }
    link.write(gate.goals);
    gate.sent(link.withheld);
    this.goalTime = now;
  }

  /** Ends a motion whose joints do not follow it. */
  #judge(driving: Driving | null): void {
    if (driving === null) return;
    const straggler = this.#drive.straggler(driving.source, driving.joints);
    if (straggler !== '') this.#brakeOff('not_following', straggler, driving.joints);
  }

  /** @returns whether there are goals to be sent */
  #move(dt: number): boolean {
    const { source, link, now } = this;
    if (source === null && link.remote) return false;
    const stale = !link.remote && this.#time - this.#steered > STALE;
    if (source !== null && stale) this.#brakeOff('silent');
    else if (source !== null && isFloating(source)) {
      if (this.#drive.float(source, this.#time, dt) !== SourceStatus.done) return true;
      // Its weight has been given to the hand.
      this.#end('done');
      this.setTorque(false);
      return false;
    }
    // What drives all joints drives the gripper too.
    const apart = this.#arm?.joints !== 'all';
    this.#step(this.#arm, 'arm', dt, now);
    if (apart) this.#step(this.#gripper, 'gripper', dt, now);
    return true;
  }

  /** One cycle of a group of joints, and of what drives it. */
  #step(driving: Driving | null, group: Group, dt: number, now: number): void {
    if (driving === null) {
      const joint = this.#drive.stay(group, dt, now);
      if (joint >= 0) this.onContactRelief(joint);
      return;
    }
    const { source, joints } = driving;
    if (this.#drive.follow(source, joints, this.#time, dt, now) !== SourceStatus.done) return;
    this.#end('done', '', joints);
    this.#drive.settle(joints, now);
    this.#over();
  }

  /** What drives these joints is over before its end: they decelerate and hold. */
  #brakeOff(reason: EndReason, text = '', joints: Joints = 'all'): void {
    this.#end(reason, text, joints);
    this.#drive.hold(joints, this.now);
    this.#over();
  }

  #over(): void {
    if (this.source === null) this.#put('over');
  }

  /** Ends what drives some of these joints; others that it drives as well decelerate and hold. */
  #end(reason: EndReason, text = '', joints: Joints = 'all'): void {
    const arm = this.#arm;
    const gripper = this.#gripper;
    if (arm !== null && meet(arm.joints, joints)) {
      if (isFloating(arm.source)) {
        this.link.gains?.restore();
        this.#drive.followGains();
      }
      this.#arm = null;
      if (!includes(joints, arm.joints)) this.#drive.hold(arm.joints, this.now);
      this.onEnd(arm.motion, reason, text);
    }
    if (gripper !== null && meet(gripper.joints, joints)) {
      this.#gripper = null;
      this.onEnd(gripper.motion, reason, text);
    }
  }

  /** @param torque Nm; infinite: as much as its own limits let it */
  #limitGripper(torque: number): void {
    const gripper = this.model.masks.gripper.indexOf(1);
    if (gripper < 0) return;
    this.model.stall[gripper]?.limitTo(torque);
    this.link.gains?.currents.limit(gripper, torque);
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
        this.#limitGripper(Number.POSITIVE_INFINITY);
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
        this.#limitGripper(Number.POSITIVE_INFINITY);
        break;
      case 'stop':
        this.#end('stopped');
        this.#drive.hold('all', this.now);
        break;
    }
  }

  #tell(): void {
    this.#said = this.reason;
    this.onState();
  }
}
