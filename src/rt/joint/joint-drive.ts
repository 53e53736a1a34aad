import type { ArmLink } from '../driver/arm-link.ts';
import { type FloatingSource, isFloating, type SetpointSource, SourceStatus } from '../sources/setpoint-source.ts';
import type { ControlModel } from './control-model.ts';
import { Droop } from './droop.ts';
import { ExternalTorque } from './external-torque.ts';
import { Following } from './following.ts';
import { Gate } from './gate.ts';
import { type DriveParts, GroupDrive } from './group-drive.ts';
import type { Group, Joints } from './joint-groups.ts';
import { straggling } from './straggler.ts';

/** A joint that is no further beyond its limits than this, and than its droop, is within them, rad. */
const LIMIT_BAND = 0.05;

/** A joint that ends its motion further than this from where it is asked to be is done only if its servo holds that goal, rad. */
const SHORT = 0.02;
/** A servo that has not taken the goal of a motion's end after this time does not take goals, s: many readings. */
const TAKING = 0.1;

/** Faster than this no joint's droop changes while only others move, rad/s. */
const DROOP_SPEED = 0.02;

/** Makes the goals of an arm's joints, cycle by cycle, and holds what was measured against them. */
export class JointDrive {
  readonly gate: Gate;
  readonly following: Following;
  readonly external: ExternalTorque;
  /** Where the joints are asked to be, rad: goals without the droop. */
  readonly setpoints: Float64Array;
  /** 1 for each joint that is measured beyond its limits. */
  readonly outside: Uint8Array;
  readonly #model: ControlModel;
  readonly #link: ArmLink;
  readonly #arm: GroupDrive;
  readonly #gripper: GroupDrive;
  readonly #droop: Droop;
  /** Memory of one cycle, made once. */
  readonly #targets: Float64Array;
  readonly #reach: Float64Array;
  /** By how far goals of a floating arm stand off for what a hand is let feel, rad. */
  readonly #fed: Float64Array;
  /** Parts of their own gains that the servos of a floating arm have been asked to work with. */
  #softness: Float64Array | null = null;
  readonly #wanted: Float64Array;
  readonly #kept: Float64Array;
  readonly #velocities: Float64Array;
  readonly #accelerations: Float64Array;
  /** Gains for which the goals have been made, and what they have changed by. */
  readonly #gain: Float64Array;
  readonly #ratio: Float64Array;
  /** Since when a proof is wanted that the servo of a joint holds the last goal of its motion, s; 0: none is, infinite: it does. */
  readonly #unproven: Float64Array;

  constructor(model: ControlModel, link: ArmLink) {
    const joints = model.stiffness.length;
    this.#model = model;
    this.#link = link;
    this.gate = new Gate(model.limits);
    this.following = new Following(model);
    this.external = new ExternalTorque(model);
    this.setpoints = new Float64Array(joints);
    this.outside = new Uint8Array(joints);
    this.#droop = new Droop(model.gravity, model.stiffness, link);
    this.#targets = new Float64Array(joints);
    this.#reach = new Float64Array(joints);
    this.#fed = new Float64Array(joints);
    this.#wanted = new Float64Array(joints);
    const parts: DriveParts = {
      ...{ model, link, gate: this.gate, following: this.following, droop: this.#droop },
      ...{ setpoints: this.setpoints, wanted: this.#wanted, targets: this.#targets },
    };
    this.#arm = new GroupDrive(parts, model.masks.arm);
    this.#gripper = new GroupDrive(parts, model.masks.gripper);
    this.#kept = new Float64Array(joints);
    this.#velocities = new Float64Array(joints);
    this.#accelerations = new Float64Array(joints);
    this.#gain = link.gain.slice();
    this.#ratio = new Float64Array(joints);
    this.#unproven = new Float64Array(joints);
  }

  /** The joints rest, as measured, since the stop or the end of the motion before. */
  get resting(): boolean {
    return this.#arm.resting && this.#gripper.resting;
  }

  /** New positions have been measured, at this time, s. @returns whether some joint is beyond its limits */
  measure(time: number): boolean {
    const { lower, upper } = this.gate;
    const { positions } = this.#link.readings;
    this.following.measure(positions, time);
    let any = false;
    for (let i = 0; i < positions.length; i++) {
      const band = LIMIT_BAND + Math.abs(this.#droop.values[i]!);
      const beyond = positions[i]! < lower[i]! - band || positions[i]! > upper[i]! + band;
      this.outside[i] = beyond ? 1 : 0;
      any ||= beyond;
    }
    return any;
  }

  /** Takes over what the servos hold, or where they are. */
  connect(now: number): void {
    const { limits, readings, remote, adopted } = this.#link;
    this.#forgetGains();
    this.gate.narrow(limits.lower, limits.upper);
    this.gate.adopt(remote ? readings.positions : adopted);
    this.following.begin(readings.positions, now);
    this.hold('all', now);
  }

  /** The arm is limp: nothing is to be made of what was before. */
  slacken(): void {
    this.#forgetGains();
    this.following.adopt(this.#link.readings.positions);
    this.external.reset(this.#link.readings.positions);
  }

  /** A servo that holds goes on holding what it holds; a limp one is to hold where it is. */
  adoptLimp(now: number): void {
    const { held, readings, settling, adopted } = this.#link;
    const goals = settling ? adopted : this.gate.goals;
    const droop = this.#droop.at(readings.positions);
    for (let i = 0; i < this.#targets.length; i++) {
      this.#targets[i] = held[i] === 1 ? goals[i]! : readings.positions[i]! + droop[i]!;
    }
    this.gate.adopt(this.#targets);
    this.following.adopt(readings.positions);
    this.external.reset(readings.positions);
    this.hold('all', now);
  }

  /** A source takes the goals of these joints over where they are. @param time that the arm's cycles have lasted, s */
  begin(source: SetpointSource, joints: Joints, time: number): void {
    const { gate } = this;
    const mask = this.#model.masks[joints];
    this.#setpointsOfGoals(mask);
    for (let i = 0; i < mask.length; i++) {
      if (mask[i] === 1) {
        this.#wanted[i] = this.setpoints[i]!;
        this.#unproven[i] = 0;
      }
      this.#velocities[i] = mask[i] === 1 ? gate.velocities[i]! : 0;
      this.#accelerations[i] = mask[i] === 1 ? gate.accelerations[i]! : 0;
    }
    source.begin(this.setpoints, this.#velocities, time, this.#accelerations);
    this.#softness = null;
    gate.rearm(source.continues, mask);
    if (joints !== 'gripper') this.#arm.begin(source);
    if (joints !== 'arm') this.#gripper.begin(source);
  }

  /** One cycle of an arm that floats. */
  float(source: FloatingSource, time: number, dt: number): SourceStatus {
    const { stiffness, floatTorque } = this.#model;
    const { gain, readings } = this.#link;
    const status = source.next(time, dt, this.#wanted);
    const { support, feedback, gains } = source;
    if (gains !== this.#softness) {
      this.#softness = gains;
      if (gains !== null) this.#link.gains?.soften(gains, floatTorque);
    }
    const droop = this.#droop.at(readings.positions);
    for (let i = 0; i < this.#targets.length; i++) {
      const stiff = stiffness[i]! * gain[i]!;
      this.#fed[i] = feedback === null ? 0 : feedback[i]! / stiff;
      this.#targets[i] = droop[i]! * support[i]! + this.#fed[i]!;
      this.#reach[i] = floatTorque[i]! / stiff;
    }
    this.gate.float(readings.positions, this.#targets, this.#reach, dt);
    this.setpoints.set(readings.positions);
    this.following.adopt(readings.positions);
    return status;
  }

  /** The arm floats no more: what a hand was let feel leaves the goals as quickly as they may move. */
  unfeel(): void {
    if (!this.gate.shift(this.#fed, this.#link.readings.positions, this.#reach, this.#targets)) return;
    this.#fed.fill(0);
    this.#droop.setpointsOf(this.#targets, this.setpoints);
  }

  /**
   * One cycle of any other source, which drives these joints.
   * @returns `done` once the gate has let its final setpoints through, and the servos of joints that are elsewhere hold them
   */
  follow(source: SetpointSource, joints: Joints, time: number, dt: number, now: number): SourceStatus {
    const mask = this.#model.masks[joints];
    this.#kept.set(this.#wanted);
    const status = source.next(time, dt, this.#wanted);
    // Where the others go is somebody else's business.
    for (let i = 0; i < mask.length; i++) if (mask[i] === 0) this.#wanted[i] = this.#kept[i]!;
    const mirroring = source.state === 'mirroring';
    if (joints !== 'gripper') this.#arm.take(status, mirroring, dt, now);
    if (joints !== 'arm') this.#gripper.take(status, mirroring, dt, now);
    if (status !== SourceStatus.done) return status;
    return this.#arrived(mask, joints !== 'all') && this.#proven(mask, now) ? status : SourceStatus.running;
  }

  /** The servos of joints that end short of where they are asked to be hold their goals: something else holds these joints. */
  #proven(mask: Uint8Array, now: number): boolean {
    const link = this.#link;
    if (link.remote) return true;
    const { positions } = link.readings;
    let proven = true;
    for (let i = 0; i < mask.length; i++) {
      if (mask[i] === 0) continue;
      const short = link.withheld[i] === 0 && Math.abs(this.setpoints[i]! - positions[i]!) > SHORT;
      const asked = this.#unproven[i] !== 0;
      if (!short) this.#unproven[i] = 0;
      else if (asked && link.takesGoals(i, true)) this.#unproven[i] = Number.POSITIVE_INFINITY;
      else {
        if (!asked) this.#unproven[i] = now;
        proven = false;
      }
    }
    if (!proven) link.probe();
    return proven;
  }

  /**
   * Nothing drives these joints: they come to rest, hold, and give way where they press on something.
   * @returns the joint that gives way from now on; -1 for none
   */
  stay(group: Group, dt: number, now: number): number {
    return (group === 'arm' ? this.#arm : this.#gripper).stay(dt, now);
  }

  /** From the next cycle on goals of these joints decelerate, and stay. */
  hold(joints: Joints, now: number): void {
    if (joints !== 'gripper') this.#arm.halt(now);
    if (joints !== 'arm') this.#gripper.halt(now);
    this.#setpointsOfGoals(this.#model.masks[joints]);
  }

  /** These joints are asked to be where their goals are. */
  #setpointsOfGoals(mask: Uint8Array): void {
    this.#kept.set(this.setpoints);
    this.#droop.setpointsOf(this.gate.goals, this.setpoints);
    for (let i = 0; i < mask.length; i++) if (mask[i] === 0) this.setpoints[i] = this.#kept[i]!;
  }

  /** The goals of these joints come to what was asked last, and stay there. */
  settle(joints: Joints, now: number): void {
    if (joints !== 'gripper') this.#arm.settle(now);
    if (joints !== 'arm') this.#gripper.settle(now);
  }

  /** Servos that have become harder or softer are sent goals with which they go on pulling as they did. */
  followGains(): void {
    const { gain: now, readings } = this.#link;
    let changed = false;
    for (let i = 0; i < now.length; i++) {
      this.#ratio[i] = this.#gain[i]! / now[i]!;
      if (this.#ratio[i] !== 1) changed = true;
      this.#gain[i] = now[i]!;
    }
    if (!changed) return;
    this.#arm.regain();
    this.#gripper.regain();
    this.gate.regain(readings.positions, this.#ratio, this.#targets);
    this.#droop.setpointsOf(this.#targets, this.setpoints);
  }

  /** The goals are those that servos were found with, which were made for the gains that they have. */
  #forgetGains(): void {
    const { gain, gains } = this.#link;
    this.#gain.set(gains?.known ?? gain);
  }

  /**
   * Holds measured positions against the goals that the servos have had since the cycle before.
   * @param floats the arm yields to a hand @param sent instant at which these goals were sent, s
   */
  watch(floats: boolean, sent: number): void {
    const { gate, following, external } = this;
    const link = this.#link;
    const { positions, steerTime } = link.readings;
    if (link.remote || link.arming) return;
    // How stiff springs are whose gains change nobody knows.
    const unknown = link.gains?.stiffening === true;
    if (unknown) external.reset(positions);
    else external.step(gate.goals, sent, link.gain, positions, steerTime);
    if (floats) return;
    if (unknown) following.adopt(positions);
    else following.step(gate.goals, this.#droop.values, link.gain, positions, steerTime);
  }

  /**
   * Why a joint of these does not follow the source that drives them, so that the motion has failed; empty while all do.
   * @param now monotonic, s
   */
  straggler(source: SetpointSource, joints: Joints, now: number): string {
    const { following } = this;
    const link = this.#link;
    if (link.remote || link.arming || isFloating(source)) return '';
    const watched = source.limits === 'move' && link.gains?.stiffening !== true;
    const { joints: names, masks, stall, torqueLimit } = this.#model;
    const mask = masks[joints];
    const { readings } = link;
    for (let i = 0; i < mask.length; i++) {
      if (mask[i] === 0 || link.withheld[i] !== 0) continue;
      const deaf = this.#unproven[i] !== 0 && now - this.#unproven[i]! > TAKING;
      if (!deaf) {
        // What holds a gripper back is no fault.
        if (!watched || stall[i] !== null || !following.isSuspect(i)) continue;
        link.probe();
        if (!following.isBehind(i)) continue;
      }
      const load = Math.abs(readings.efforts[i]!) / torqueLimit[i]!;
      const takes = !deaf && link.takesGoals(i, false);
      return straggling(names[i]!, readings.alarms[i] !== 0, takes, load, following.velocities[i]!);
    }
    return '';
  }

  /**
   * True when the gate has let the final setpoints of these joints through.
   * @param beside others may move: then the droop of these goes on changing
   */
  #arrived(mask: Uint8Array, beside: boolean): boolean {
    const { velocities, goals } = this.gate;
    for (let i = 0; i < velocities.length; i++) {
      const speed = Math.abs(velocities[i]!);
      if (mask[i] === 0 || speed <= 1e-6) continue;
      if (!beside || speed > DROOP_SPEED || Math.abs(goals[i]! - this.#targets[i]!) > 1e-6) return false;
    }
    return true;
  }
}
