import type { ArmLink } from '../driver/arm-link.ts';
import { type FloatingSource, type SetpointSource, SourceStatus } from '../sources/setpoint-source.ts';
import { Completion } from './completion.ts';
import type { ControlModel } from './control-model.ts';
import { Droop } from './droop.ts';
import { ExternalTorque } from './external-torque.ts';
import { Following } from './following.ts';
import { Gate } from './gate.ts';
import { type DriveParts, GroupDrive } from './group-drive.ts';
import type { Group, Joints } from './joint-groups.ts';

/** A joint counts as within its limits up to this plus its droop beyond them, rad. */
const LIMIT_BAND = 0.05;

/** Makes the goals of an arm's joints each cycle, and compares measurements with them. */
export class JointDrive {
  readonly gate: Gate;
  readonly following: Following;
  readonly external: ExternalTorque;
  /** Commanded joint positions, rad: goals without the droop. */
  readonly setpoints: Float64Array;
  /** 1 for each joint measured beyond its limits. */
  readonly outside: Uint8Array;
  readonly #model: ControlModel;
  readonly #link: ArmLink;
  readonly #arm: GroupDrive;
  readonly #gripper: GroupDrive;
  readonly #droop: Droop;
  /** Scratch arrays of one cycle, allocated once. */
  readonly #targets: Float64Array;
  readonly #reach: Float64Array;
  /** What the goals of a floating arm hold of force feedback, rad. */
  readonly #fed: Float64Array;
  /** Gains last requested for the servos of a floating arm, relative to their own; null: none. */
  #softness: Float64Array | null = null;
  readonly #wanted: Float64Array;
  readonly #kept: Float64Array;
  readonly #velocities: Float64Array;
  readonly #accelerations: Float64Array;
  /** Gains that the goals were made for, and their ratio to the new ones. */
  readonly #gain: Float64Array;
  readonly #ratio: Float64Array;
  readonly completion: Completion;

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
    this.completion = new Completion(parts);
    this.#arm = new GroupDrive(parts, model.masks.arm);
    this.#gripper = new GroupDrive(parts, model.masks.gripper);
    this.#kept = new Float64Array(joints);
    this.#velocities = new Float64Array(joints);
    this.#accelerations = new Float64Array(joints);
    this.#gain = link.gain.slice();
    this.#ratio = new Float64Array(joints);
  }

  /** The joints have come to rest, as measured, since the last stop or end of a motion. */
  get resting(): boolean {
    return this.#arm.resting && this.#gripper.resting;
  }

  /** Takes new positions. @param time when they were measured, s @returns whether some joint is beyond its limits */
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

  /** Starts from the goals that the servos hold or, for a remote arm, from its positions. */
  connect(now: number): void {
    const { limits, readings, remote, adopted } = this.#link;
    this.#forgetGains();
    this.gate.narrow(limits.lower, limits.upper);
    this.gate.adopt(remote ? readings.positions : adopted);
    this.following.begin(readings.positions, now);
    this.hold('all', now);
  }

  /** The arm is limp: discards gains, predictions and estimates. */
  slacken(): void {
    this.#forgetGains();
    this.following.adopt(this.#link.readings.positions);
    this.external.reset(this.#link.readings.positions);
  }

  /** Adopts goals before torque goes on: a holding servo keeps its goal, a limp one gets its present position. */
  adoptLimp(now: number): void {
    const { held, readings, settling, adopted, limits } = this.#link;
    // A calibration sets them anew.
    this.gate.narrow(limits.lower, limits.upper);
    const goals = settling ? adopted : this.gate.goals;
    const droop = this.#droop.at(readings.positions);
    for (let i = 0; i < this.#targets.length; i++) {
      const position = readings.positions[i]!;
      // A servo refuses a goal beyond its own limits, so a joint near them sags instead.
      const lowest = Math.min(limits.lower[i]!, position);
      const highest = Math.max(limits.upper[i]!, position);
      this.#targets[i] = held[i] === 1 ? goals[i]! : Math.min(Math.max(position + droop[i]!, lowest), highest);
    }
    this.gate.adopt(this.#targets);
    this.following.adopt(readings.positions);
    this.external.reset(readings.positions);
    this.hold('all', now);
  }

  /**
   * A source takes over the goals of these joints where they are.
   * @param time sum of the arm's cycle times, s @param now monotonic, s
   */
  begin(source: SetpointSource, joints: Joints, time: number, now: number): void {
    const { gate } = this;
    const mask = this.#model.masks[joints];
    this.#setpointsOfGoals(mask);
    for (let i = 0; i < mask.length; i++) {
      if (mask[i] === 1) this.#wanted[i] = this.setpoints[i]!;
      this.#velocities[i] = mask[i] === 1 ? gate.velocities[i]! : 0;
      this.#accelerations[i] = mask[i] === 1 ? gate.accelerations[i]! : 0;
    }
    this.completion.forget(mask);
    source.begin(this.setpoints, this.#velocities, time, this.#accelerations);
    this.#softness = null;
    gate.rearm(source.continues, mask);
    if (joints !== 'gripper') this.#arm.begin(source, now);
    if (joints !== 'arm') this.#gripper.begin(source, now);
  }

  /** One cycle of an arm that floats. */
  float(source: FloatingSource, time: number, dt: number): SourceStatus {
    const { stiffness, floatTorque, limits } = this.#model;
    const { gain, readings } = this.#link;
    const status = source.next(time, dt, this.#wanted, this.#link.withheld);
    const { support, feedback, gains } = source;
    if (gains !== this.#softness) {
      this.#softness = gains;
      if (gains !== null) this.#link.gains?.soften(gains, floatTorque);
    }
    const droop = this.#droop.at(readings.positions);
    for (let i = 0; i < this.#targets.length; i++) {
      const stiff = stiffness[i]! * gain[i]!;
      const fed = feedback === null ? 0 : feedback[i]! / stiff;
      this.#targets[i] = droop[i]! * support[i]! + fed;
      // The gate moves goals no faster (`bound`), so this is what they hold of it when floating ends.
      const most = limits.velocity.mirror[i]! * dt;
      this.#fed[i] = this.#fed[i]! + Math.min(Math.max(fed - this.#fed[i]!, -most), most);
      this.#reach[i] = floatTorque[i]! / stiff;
    }
    this.gate.float(readings.positions, this.#targets, this.#reach, dt);
    this.setpoints.set(readings.positions);
    this.following.adopt(readings.positions);
    return status;
  }

  /** The arm no longer floats: removes the force-feedback offsets from the goals, as fast as goals may move. */
  unfeel(): void {
    if (!this.gate.shift(this.#fed, this.#link.readings.positions, this.#reach, this.#targets)) return;
    this.#fed.fill(0);
    this.#droop.setpointsOf(this.#targets, this.setpoints);
  }

  /**
   * One cycle of a source that does not float, driving these joints.
   * @returns its status; `done` only once the gate has passed the final goals and servos of joints elsewhere hold them
   */
  follow(source: SetpointSource, joints: Joints, time: number, dt: number, now: number): SourceStatus {
    const mask = this.#model.masks[joints];
    this.#kept.set(this.#wanted);
    const { withheld } = this.#link;
    // A withheld goal stays behind the setpoint that it was sent for.
    for (let i = 0; i < mask.length; i++)
      if (withheld[i] === 1 && mask[i] === 1) this.#wanted[i] = this.gate.goals[i]! - this.#droop.values[i]!;
    const status = source.next(time, dt, this.#wanted, withheld);
    // The other joints' setpoints belong to another source.
    for (let i = 0; i < mask.length; i++) if (mask[i] === 0) this.#wanted[i] = this.#kept[i]!;
    const mirroring = source.state === 'mirroring';
    if (joints !== 'gripper') this.#arm.take(status, mirroring, dt, now);
    if (joints !== 'arm') this.#gripper.take(status, mirroring, dt, now);
    if (status === SourceStatus.done)
      return this.completion.look(mask, joints !== 'all', now) ? status : SourceStatus.running;
    this.completion.forget(mask);
    return status;
  }

  /**
   * One cycle without a source: the joints come to rest, hold, and give way where they press on something.
   * @returns the joint that gives way from now on; -1 for none
   */
  stay(group: Group, dt: number, now: number): number {
    return (group === 'arm' ? this.#arm : this.#gripper).stay(dt, now);
  }

  /** The goals have stood still before this cycle, and go on from this part of their speeds, 0..1. */
  stood(part: number): void {
    this.#arm.stood(part);
    this.#gripper.stood(part);
  }

  /** From the next cycle on, the goals of these joints decelerate and stay. */
  hold(joints: Joints, now: number): void {
    if (joints !== 'gripper') this.#arm.halt(now);
    if (joints !== 'arm') this.#gripper.halt(now);
    this.#setpointsOfGoals(this.#model.masks[joints]);
  }

  /** Sets the setpoints of these joints to match their goals. */
  #setpointsOfGoals(mask: Uint8Array): void {
    this.#kept.set(this.setpoints);
    this.#droop.setpointsOf(this.gate.goals, this.setpoints);
    for (let i = 0; i < mask.length; i++) if (mask[i] === 0) this.setpoints[i] = this.#kept[i]!;
  }

  /** The goals of these joints reach the last setpoints and stay there. */
  settle(joints: Joints, now: number): void {
    if (joints !== 'gripper') this.#arm.settle(now);
    if (joints !== 'arm') this.#gripper.settle(now);
  }

  /** Moves the goals of servos that have become stiffer or softer, so that they keep pulling with the same torque. */
  followGains(now: number): void {
    const { gain, readings } = this.#link;
    let changed = false;
    for (let i = 0; i < gain.length; i++) {
      this.#ratio[i] = this.#gain[i]! / gain[i]!;
      if (this.#ratio[i] !== 1) changed = true;
      this.#gain[i] = gain[i]!;
    }
    if (!changed) return;
    this.#arm.regain(now);
    this.#gripper.regain(now);
    this.gate.regain(readings.positions, this.#ratio, this.#targets);
    this.#droop.setpointsOf(this.#targets, this.setpoints);
  }

  /** The goals are those that the servos were found with, which match their present gains. */
  #forgetGains(): void {
    const { gain, gains } = this.#link;
    this.#gain.set(gains?.known ?? gain);
  }

  /**
   * Compares measured positions with the goals that the servos have held since the previous cycle.
   * @param floats the arm yields to a hand @param sent when these goals were sent, s
   */
  watch(floats: boolean, sent: number): void {
    const { gate, following, external } = this;
    const link = this.#link;
    const { positions, steerTime } = link.readings;
    if (link.remote || link.arming) return;
    // While gains change, the stiffness is unknown.
    const unknown = link.gains?.stiffening === true;
    if (unknown) external.reset(positions);
    else external.step(gate.goals, sent, link.gain, positions, steerTime);
    if (floats) return;
    if (unknown) following.adopt(positions);
    else following.step(gate.goals, this.#droop.values, link.gain, positions, steerTime);
  }
}
