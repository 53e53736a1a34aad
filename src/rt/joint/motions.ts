import type { ArmLink } from '../driver/arm-link.ts';
import { isFloating, type SetpointSource, SourceStatus } from '../sources/setpoint-source.ts';
import type { ControlModel } from './control-model.ts';
import type { JointDrive } from './joint-drive.ts';
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
  /** No joint is quicker than this, rad/s, also one that has fallen behind what is planned. */
  readonly top?: number;
  /** The same of the accelerations. */
  readonly acceleration?: number;
  /** It leads the arm down, which goes on when a servo then fails. */
  readonly lowers?: boolean;
  /** Largest torque of the gripper from now on, Nm: infinite for its own; null: as before. */
  readonly gripperTorque?: number | null;
}

/** What drives an arm: one source for all of its joints, or one for its own joints and one for its gripper. */
export class Motions {
  /** Number of the motion that drives or drove last. */
  newest: number;
  /** Called when the source of a motion has ended. @param text for people, where the reason says too little */
  onEnd: (motion: number, reason: EndReason, text: string) => void = () => {};
  /** Called when a joint of an arm that rests gives way to what it presses on. */
  onContactRelief: (joint: number) => void = () => {};
  /** What drives the arm's own joints, or all; and what drives its gripper apart from them. */
  #arm: Driving | null = null;
  #gripper: Driving | null = null;
  readonly #model: ControlModel;
  readonly #link: ArmLink;
  readonly #drive: JointDrive;

  /** @param newest number of the motion that drove the arm last */
  constructor(model: ControlModel, link: ArmLink, drive: JointDrive, newest: number) {
    this.#model = model;
    this.#link = link;
    this.#drive = drive;
    this.newest = newest;
  }

  /** What drives the arm's own joints or, where nothing does, its gripper; null while nothing drives it. */
  get source(): SetpointSource | null {
    return (this.#arm ?? this.#gripper)?.source ?? null;
  }

  /** What drives the arm leads it down. */
  get lowers(): boolean {
    return this.#arm?.lowers === true;
  }

  /** What drives the arm as this motion; null when it is over. */
  sourceOf(motion: number): SetpointSource | null {
    if (this.#arm?.motion === motion) return this.#arm.source;
    return this.#gripper?.motion === motion ? this.#gripper.source : null;
  }

  /**
   * Hands joints to a source, once nothing drives them.
   * @param time that the arm's cycles have lasted, s
   */
  begin(source: SetpointSource, options: DriveOptions, time: number): void {
    const { joints = 'all', speed = 1, top, acceleration = 1, lowers = false, gripperTorque = null } = options;
    const { gate } = this.#drive;
    const mask = this.#model.masks[joints];
    gate.limitSpeeds('move', speed, mask, top);
    gate.limitAccelerations('move', acceleration, mask);
    this.#limitTorques(mask, gripperTorque);
    this.#drive.begin(source, joints, time);
    this.newest++;
    const driving = { source, joints, motion: this.newest, lowers };
    if (joints === 'gripper') this.#gripper = driving;
    else this.#arm = driving;
  }

  /** Ends what drives some of these joints; others that it drives as well decelerate and hold. @param now monotonic, s */
  end(reason: EndReason, now: number, text = '', joints: Joints = 'all'): void {
    const arm = this.#arm;
    const gripper = this.#gripper;
    if (arm !== null && meet(arm.joints, joints)) {
      if (isFloating(arm.source)) {
        this.#drive.unfeel();
        this.#link.gains?.restore();
        this.#drive.followGains();
      }
      this.#arm = null;
      if (!includes(joints, arm.joints)) this.#drive.hold(arm.joints, now);
      this.onEnd(arm.motion, reason, text);
    }
    if (gripper !== null && meet(gripper.joints, joints)) {
      this.#gripper = null;
      this.onEnd(gripper.motion, reason, text);
    }
  }

  /** What drives these joints is over before its end: they decelerate and hold. @param now monotonic, s */
  brakeOff(reason: EndReason, now: number, text = '', joints: Joints = 'all'): void {
    this.end(reason, now, text, joints);
    this.#drive.hold(joints, now);
  }

  /** Ends a motion, if it still goes on, or what drives these joints: they decelerate and hold. @param now monotonic, s */
  cancel(what: number | Joints, reason: EndReason, now: number): void {
    const { arm, gripper } = { arm: this.#arm, gripper: this.#gripper };
    for (const driving of [arm, gripper]) {
      if (driving === null) continue;
      const meant = typeof what === 'number' ? driving.motion === what : meet(driving.joints, what);
      if (meant) this.brakeOff(reason, now, '', driving.joints);
    }
  }

  /** Ends the motions whose joints do not follow them. @param now monotonic, s */
  judge(now: number): void {
    this.#judge(this.#arm, now);
    this.#judge(this.#gripper, now);
  }

  #judge(driving: Driving | null, now: number): void {
    if (driving === null) return;
    const straggler = this.#drive.straggler(driving.source, driving.joints, now);
    if (straggler !== '') this.brakeOff('not_following', now, straggler, driving.joints);
  }

  /** One cycle of the joints, and of what drives them. @param time that the arm's cycles have lasted, s @param now monotonic, s */
  step(time: number, dt: number, now: number): void {
    // What drives all joints drives the gripper too.
    const apart = this.#arm?.joints !== 'all';
    this.#step(this.#arm, 'arm', time, dt, now);
    if (apart) this.#step(this.#gripper, 'gripper', time, dt, now);
  }

  #step(driving: Driving | null, group: Group, time: number, dt: number, now: number): void {
    if (driving === null) {
      const joint = this.#drive.stay(group, dt, now);
      if (joint >= 0) this.onContactRelief(joint);
      return;
    }
    const { source, joints } = driving;
    if (this.#drive.follow(source, joints, time, dt, now) !== SourceStatus.done) return;
    this.end('done', now, '', joints);
    this.#drive.settle(joints, now);
  }

  /** The arm has been connected, or is limp: what its gripper's servo keeps to is known to its link. */
  forgetGrip(): void {
    const gripper = this.#model.masks.gripper.indexOf(1);
    if (gripper >= 0) this.#model.stall[gripper]?.limitTo(Number.POSITIVE_INFINITY);
  }

  /** Joints are asked to move, and may do so with their own torque. @param gripperTorque as in `DriveOptions` */
  #limitTorques(mask: Uint8Array, gripperTorque: number | null): void {
    const { masks, stall } = this.#model;
    const currents = this.#link.gains?.currents;
    for (let i = 0; i < mask.length; i++) {
      if (masks.gripper[i] === 0) {
        if (mask[i] === 1) currents?.asked(i);
      } else if (gripperTorque !== null) {
        stall[i]?.limitTo(gripperTorque);
        currents?.limit(i, gripperTorque);
      }
    }
  }
}
