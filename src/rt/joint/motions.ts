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
  /** It lowers the arm. */
  readonly lowers: boolean;
}

export interface DriveOptions {
  /** The joints it drives; left out: all. */
  readonly joints?: Joints;
  /** Allowed part of the move speeds until the next source; a planned source is timed for it. */
  readonly speed?: number;
  /** Largest speed of a joint, rad/s, even if it has fallen behind the plan. */
  readonly top?: number;
  /** Allowed part of the move accelerations until the next source. */
  readonly acceleration?: number;
  /** It lowers the arm, and continues if a servo fails meanwhile. */
  readonly lowers?: boolean;
  /** Largest gripper torque from now on, Nm; infinite: the gripper's own limit; null: unchanged. */
  readonly gripperTorque?: number | null;
}

/** The sources that drive an arm: one for all of its joints, or one for its own joints and one for its gripper. */
export class Motions {
  /** Number of the present or last motion. */
  newest: number;
  /** The present or last motion lowers, or has lowered, the arm. */
  lowered = false;
  /** Called when a motion has ended. @param text details for people; empty if the reason says enough */
  onEnd: (motion: number, reason: EndReason, text: string) => void = () => {};
  /** Called when a joint of a resting arm gives way to what it presses on. */
  onContactRelief: (joint: number) => void = () => {};
  /** `#arm` drives the arm's own joints or all joints, `#gripper` the gripper separately. */
  #arm: Driving | null = null;
  #gripper: Driving | null = null;
  readonly #model: ControlModel;
  readonly #link: ArmLink;
  readonly #drive: JointDrive;

  /** @param newest number of the arm's last motion */
  constructor(model: ControlModel, link: ArmLink, drive: JointDrive, newest: number) {
    this.#model = model;
    this.#link = link;
    this.#drive = drive;
    this.newest = newest;
  }

  /** Source of the arm's own joints or, if they have none, of its gripper; null while nothing drives the arm. */
  get source(): SetpointSource | null {
    return (this.#arm ?? this.#gripper)?.source ?? null;
  }

  /** The present motion lowers the arm. */
  get lowers(): boolean {
    return this.#arm?.lowers === true;
  }

  /** Source of this motion; null once it is over. */
  sourceOf(motion: number): SetpointSource | null {
    if (this.#arm?.motion === motion) return this.#arm.source;
    return this.#gripper?.motion === motion ? this.#gripper.source : null;
  }

  /**
   * Hands joints that have no source to a source.
   * @param time sum of the arm's cycle times, s @param now monotonic, s
   */
  begin(source: SetpointSource, options: DriveOptions, time: number, now: number): void {
    const { joints = 'all', speed = 1, top, acceleration = 1, lowers = false, gripperTorque = null } = options;
    const { gate } = this.#drive;
    const mask = this.#model.masks[joints];
    gate.limitSpeeds('move', speed, mask, top);
    gate.limitAccelerations('move', acceleration, mask);
    this.#limitTorques(mask, gripperTorque);
    this.#drive.begin(source, joints, time, now);
    this.newest++;
    this.lowered = lowers;
    const driving = { source, joints, motion: this.newest, lowers };
    if (joints === 'gripper') this.#gripper = driving;
    else this.#arm = driving;
  }

  /** Ends all sources of these joints; other joints of the same sources decelerate and hold. @param now monotonic, s */
  end(reason: EndReason, now: number, text = '', joints: Joints = 'all'): void {
    const arm = this.#arm;
    const gripper = this.#gripper;
    if (arm !== null && meet(arm.joints, joints)) {
      if (isFloating(arm.source)) {
        this.#drive.unfeel();
        this.#link.gains?.restore();
        this.#drive.followGains(now);
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

  /** Ends whatever drives these joints early: they decelerate and hold. @param now monotonic, s */
  brakeOff(reason: EndReason, now: number, text = '', joints: Joints = 'all'): void {
    this.end(reason, now, text, joints);
    this.#drive.hold(joints, now);
  }

  /** Ends a running motion, or whatever drives these joints: they decelerate and hold. @param now monotonic, s */
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
    const straggler = this.#drive.completion.straggler(driving.source, driving.joints, now);
    if (straggler !== '') this.brakeOff('not_following', now, straggler, driving.joints);
  }

  /** One cycle of the joints and their sources. @param time sum of the arm's cycle times, s @param now monotonic, s */
  step(time: number, dt: number, now: number): void {
    // A source of all joints drives the gripper too.
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

  /** The arm was connected or is limp: drops the grip torque limit here; the link knows what the servo keeps to. */
  forgetGrip(): void {
    const gripper = this.#model.masks.gripper.indexOf(1);
    if (gripper >= 0) this.#model.stall[gripper]?.limitTo(Number.POSITIVE_INFINITY);
  }

  /** Lets joints that are asked to move use their own torque. @param gripperTorque as in `DriveOptions` */
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
