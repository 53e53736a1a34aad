import type { ArmLink } from '../driver/arm-link.ts';
import { isFloating, type LimitSet, type SetpointSource, SourceStatus } from '../sources/setpoint-source.ts';
import { ComingToRest } from './coming-to-rest.ts';
import { ContactRelief } from './contact-relief.ts';
import type { ControlModel } from './control-model.ts';
import { Droop } from './droop.ts';
import { Following } from './following.ts';
import { Gate } from './gate.ts';
import { straggling } from './straggler.ts';

/** A joint that is no further beyond its limits than this, and than its droop, is within them, rad. */
const LIMIT_BAND = 0.05;

/** What the goals of an arm with torque do. */
type Goals =
  /** A source drives them, or they come to what it asked for last. */
  | 'driven'
  /** They decelerate, and stay. */
  | 'held';

/** Makes the goals of an arm's joints, cycle by cycle, and holds what was measured against them. */
export class JointDrive {
  readonly gate: Gate;
  readonly following: Following;
  /** Where the joints are asked to be, rad: goals without the droop. */
  readonly setpoints: Float64Array;
  /** 1 for each joint that is measured beyond its limits. */
  readonly outside: Uint8Array;
  readonly #model: ControlModel;
  readonly #link: ArmLink;
  readonly #relief: ContactRelief;
  readonly #rest: ComingToRest;
  readonly #droop: Droop;
  #limits: LimitSet = 'move';
  #goals: Goals = 'held';
  /** Memory of one cycle, made once. */
  readonly #targets: Float64Array;
  readonly #reach: Float64Array;
  readonly #wanted: Float64Array;
  /** Gains for which the goals have been made, and what they have changed by. */
  readonly #gain: Float64Array;
  readonly #ratio: Float64Array;

  constructor(model: ControlModel, link: ArmLink) {
    const joints = model.stiffness.length;
    this.#model = model;
    this.#link = link;
    this.gate = new Gate(model.limits);
    this.following = new Following(model);
    this.setpoints = new Float64Array(joints);
    this.outside = new Uint8Array(joints);
    this.#relief = new ContactRelief(model.stall.map((guard, i) => (guard ?? model.yield[i])?.limits ?? null));
    this.#rest = new ComingToRest(joints);
    this.#droop = new Droop(model.gravity, model.stiffness, link);
    this.#targets = new Float64Array(joints);
    this.#reach = new Float64Array(joints);
    this.#wanted = new Float64Array(joints);
    this.#gain = link.gain.slice();
    this.#ratio = new Float64Array(joints);
  }

  /** The joints rest, as measured, since the stop or the end of the motion before. */
  get resting(): boolean {
    return this.#rest.resting;
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
    const { limits, readings, remote, adopted, gain } = this.#link;
    this.#gain.set(gain);
    this.gate.narrow(limits.lower, limits.upper);
    this.gate.adopt(remote ? readings.positions : adopted);
    this.following.begin(readings.positions, now);
    this.hold(now);
  }

  /** The arm is limp: nothing is to be made of what was before. */
  slacken(): void {
    this.#gain.set(this.#link.gain);
    this.following.adopt(this.#link.readings.positions);
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
    this.hold(now);
  }

  /** A source takes the goals over where they are. @param time that the arm's cycles have lasted, s */
  begin(source: SetpointSource, time: number): void {
    const { gate } = this;
    this.#droop.setpointsOf(gate.goals, this.setpoints);
    source.begin(this.setpoints, gate.velocities, time, gate.accelerations);
    this.#wanted.set(this.setpoints);
    gate.rearm(source.continues);
    this.#relief.reset();
    this.#limits = source.limits;
    this.#goals = 'driven';
  }

  /** One cycle of an arm that floats. */
  float(source: SetpointSource & { readonly support: Float64Array }, time: number, dt: number): SourceStatus {
    const { stiffness, floatTorque } = this.#model;
    const { gain, readings } = this.#link;
    const status = source.next(time, dt, this.#wanted);
    const droop = this.#droop.at(readings.positions);
    for (let i = 0; i < this.#targets.length; i++) {
      this.#targets[i] = droop[i]! * source.support[i]!;
      this.#reach[i] = floatTorque[i]! / (stiffness[i]! * gain[i]!);
    }
    this.gate.float(readings.positions, this.#targets, this.#reach, dt);
    this.setpoints.set(readings.positions);
    this.following.adopt(readings.positions);
    return status;
  }

  /** One cycle of any other source. @returns `done` once the gate has let its final setpoints through */
  follow(source: SetpointSource, time: number, dt: number, now: number): SourceStatus {
    const status = source.next(time, dt, this.#wanted);
    if (status === SourceStatus.hold) {
      this.brake(dt, now);
      this.#wanted.set(this.setpoints);
      return status;
    }
    if (this.#goals === 'held') {
      this.#goals = 'driven';
      this.gate.rearm();
    }
    this.setpoints.set(this.#wanted);
    this.#throughGate(source.state === 'mirroring', dt, now);
    return status === SourceStatus.done && !this.#arrived() ? SourceStatus.running : status;
  }

  /**
   * Nothing drives the arm: it comes to rest, holds, and gives way where it presses on something.
   * @returns the joint that gives way from now on; -1 for none
   */
  stay(dt: number, now: number): number {
    const { gate } = this;
    const link = this.#link;
    const relief = this.#relief;
    if (this.#goals === 'held' && relief.active) {
      gate.step(relief.targets, 'move', dt, relief.joints);
      this.#readSetpoints();
    } else if (this.#goals === 'held') this.brake(dt, now);
    else this.#throughGate(false, dt, now);
    if (!relief.mayPress(link.readings.efforts)) return -1;
    const joint = relief.look(gate, link, this.#droop.at(link.readings.positions), this.#model.stiffness, now);
    this.#droop.at(this.setpoints);
    if (joint < 0) return joint;
    // The other goals stay as they are.
    this.#goals = 'held';
    gate.rearm();
    return joint;
  }

  brake(dt: number, now: number): void {
    // What was found of joints in an earlier stop says nothing of this one.
    if (this.#goals === 'driven') this.#rest.begin(now);
    this.#goals = 'held';
    this.gate.brake(this.#limits, dt);
    const stiff = this.#link.gains?.pending !== true;
    const { positions } = this.#link.readings;
    this.#rest.step(this.gate, this.following, positions, this.#droop.values, stiff, dt, now);
    this.#readSetpoints();
  }

  /** From the next cycle on goals decelerate, and stay. */
  hold(now: number): void {
    this.#goals = 'held';
    this.#relief.reset();
    this.#rest.begin(now);
    this.#droop.setpointsOf(this.gate.goals, this.setpoints);
  }

  /** The goals come to what was asked last, and stay there. */
  settle(now: number): void {
    this.#rest.begin(now);
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
    this.#relief.reset();
    this.gate.regain(readings.positions, this.#ratio, this.#targets);
    this.#droop.setpointsOf(this.#targets, this.setpoints);
  }

  /**
   * Holds measured positions against the goals that the servos have had since the cycle before.
   * @param source that drives the arm; null for none
   * @returns why a joint does not follow, so that the motion has failed; empty while all do
   */
  watch(source: SetpointSource | null): string {
    const { gate, following } = this;
    const link = this.#link;
    const { readings } = link;
    if (link.remote || link.arming || (source !== null && isFloating(source))) return '';
    // How stiff springs are whose gains change nobody knows.
    if (link.gains?.pending === true) {
      following.adopt(readings.positions);
      return '';
    }
    following.step(gate.goals, this.#droop.values, link.gain, readings.positions, readings.steerTime);
    if (source === null || source.limits !== 'move') return '';
    const { joints, stall, torqueLimit } = this.#model;
    for (let i = 0; i < joints.length; i++) {
      if (stall[i] !== null || link.withheld[i] !== 0 || !following.isSuspect(i)) continue;
      link.probe();
      if (!following.isBehind(i)) continue;
      const load = Math.abs(readings.efforts[i]!) / torqueLimit[i]!;
      return straggling(joints[i]!, readings.alarms[i] !== 0, link.takesGoals(i), load, following.velocities[i]!);
    }
    return '';
  }

  /** True when the gate has let the final setpoints through. */
  #arrived(): boolean {
    const { velocities } = this.gate;
    for (let i = 0; i < velocities.length; i++) if (Math.abs(velocities[i]!) > 1e-6) return false;
    return true;
  }

  #throughGate(mirroring: boolean, dt: number, now: number): void {
    const droop = this.#droop.at(this.setpoints);
    for (let i = 0; i < this.#targets.length; i++) this.#targets[i] = this.setpoints[i]! + droop[i]!;
    this.#relieve(mirroring, now);
    this.gate.step(this.#targets, this.#limits, dt);
  }

  /** Draws back the goals of joints that press on something without moving, by the time in which servos overheat: the real one. */
  #relieve(mirroring: boolean, now: number): void {
    const { stall, yield: yielding } = this.#model;
    const { positions, velocities, efforts } = this.#link.readings;
    for (let i = 0; i < this.#targets.length; i++) {
      // A person who moves by hand does not choose what a follower presses on, and its arm would sag once overloaded.
      const guard = stall[i] ?? (mirroring ? yielding[i]! : null);
      if (guard === null) continue;
      const stiffness = this.#droop.stiffnessOf(i);
      this.#targets[i] = guard.step(this.#targets[i]!, positions[i]!, velocities[i]!, efforts[i]!, stiffness, now);
    }
  }

  /** The setpoints follow the goals; the droop of the last ones is near enough, since they change little in a cycle. */
  #readSetpoints(): void {
    const { goals } = this.gate;
    for (let i = 0; i < goals.length; i++) this.setpoints[i] = goals[i]! - this.#droop.values[i]!;
    this.#droop.at(this.setpoints);
  }
}
