import type { ArmLink } from '../driver/arm-link.ts';
import { type LimitSet, type SetpointSource, SourceStatus } from '../sources/setpoint-source.ts';
import { ComingToRest } from './coming-to-rest.ts';
import { ContactRelief } from './contact-relief.ts';
import type { ControlModel } from './control-model.ts';
import type { Droop } from './droop.ts';
import type { Following } from './following.ts';
import type { Gate } from './gate.ts';

/** What the groups of an arm's joints share, one element per joint in each array. */
export interface DriveParts {
  readonly model: ControlModel;
  readonly link: ArmLink;
  readonly gate: Gate;
  readonly following: Following;
  readonly droop: Droop;
  /** Where the joints are asked to be, rad: goals without the droop. */
  readonly setpoints: Float64Array;
  /** Setpoints that sources want, rad. */
  readonly wanted: Float64Array;
  /** Memory of one cycle, rad: goals before the gate. */
  readonly targets: Float64Array;
}

/** What the goals of an arm with torque do. */
type Goals =
  /** A source drives them, or they come to what it asked for last. */
  | 'driven'
  /** They decelerate, and stay. */
  | 'held';

/** Makes the goals of a group of joints, which has at most one source. */
export class GroupDrive {
  readonly empty: boolean;
  readonly #parts: DriveParts;
  /** 1 for each joint of the group. */
  readonly #joints: Uint8Array;
  readonly #relief: ContactRelief;
  readonly #rest: ComingToRest;
  #limits: LimitSet = 'move';
  #goals: Goals = 'held';

  constructor(parts: DriveParts, joints: Uint8Array) {
    const { stall, yield: yielding } = parts.model;
    this.#parts = parts;
    this.#joints = joints;
    this.empty = !joints.includes(1);
    this.#relief = new ContactRelief(
      stall.map((guard, i) => (joints[i] === 1 ? (guard ?? yielding[i])! : null)?.limits ?? null),
    );
    this.#rest = new ComingToRest(joints);
  }

  /** The joints rest, as measured, since the stop or the end of the motion before. */
  get resting(): boolean {
    return this.empty || this.#rest.resting;
  }

  /** A source takes the goals over. */
  begin({ limits }: SetpointSource): void {
    this.#relief.reset();
    this.#limits = limits;
    this.#goals = 'driven';
  }

  /** From the next cycle on goals decelerate, and stay. */
  halt(now: number): void {
    this.#goals = 'held';
    this.#relief.reset();
    this.#rest.begin(now);
  }

  /** Goals come to what was asked last, and stay there. */
  settle(now: number): void {
    this.#rest.begin(now);
  }

  /** Springs have changed: what they press with is found out anew. */
  regain(): void {
    this.#relief.reset();
  }

  /** One cycle in which a source drives: it has told what it wants, and how it goes on. */
  take(status: SourceStatus, mirroring: boolean, dt: number, now: number): void {
    if (this.empty) return;
    const { gate, wanted, setpoints } = this.#parts;
    const joints = this.#joints;
    if (status === SourceStatus.hold) {
      this.brake(dt, now);
      this.#want();
      return;
    }
    if (this.#goals === 'held') {
      this.#goals = 'driven';
      gate.rearm(false, joints);
    }
    for (let i = 0; i < joints.length; i++) if (joints[i] === 1) setpoints[i] = wanted[i]!;
    this.#throughGate(mirroring, dt, now);
  }

  /**
   * Nothing drives these joints: they come to rest, hold, and give way where they press on something.
   * @returns the joint that gives way from now on; -1 for none
   */
  stay(dt: number, now: number): number {
    if (this.empty) return -1;
    const { gate, link, following, droop, model, setpoints } = this.#parts;
    const relief = this.#relief;
    if (this.#goals === 'held' && relief.active) {
      if (relief.yields(gate)) {
        relief.heed(gate, link, droop.at(link.readings.positions), model.stiffness);
        // Where these goals are to stay says nothing of a speed.
        gate.rearm(false, relief.joints);
      }
      gate.step(relief.targets, 'move', dt, relief.joints);
      this.#readSetpoints();
    } else if (this.#goals === 'held') this.brake(dt, now);
    else {
      this.#throughGate(false, dt, now);
      this.#rest.watch(link.readings.positions, following.measured);
    }
    this.#want();
    if (!relief.mayPress(link.readings.efforts)) return -1;
    const joint = relief.look(gate, link, droop.at(link.readings.positions), model.stiffness, now);
    droop.at(setpoints);
    if (joint < 0) return joint;
    // The other goals stay as they are.
    this.#goals = 'held';
    gate.rearm(false, this.#joints);
    return joint;
  }

  brake(dt: number, now: number): void {
    const { gate, link, following, droop } = this.#parts;
    // What was found of joints in an earlier stop says nothing of this one.
    if (this.#goals === 'driven') this.#rest.begin(now);
    this.#goals = 'held';
    const { positions } = link.readings;
    gate.brake(this.#limits, dt, this.#joints, this.#rest.room(gate, following, positions, droop.values));
    const stiff = link.gains?.stiffening !== true;
    this.#rest.step(gate, following, positions, droop.values, stiff, dt, now);
    this.#readSetpoints();
  }

  /** What is asked of these joints from here on goes on from where they are asked to be. */
  #want(): void {
    const { wanted, setpoints } = this.#parts;
    for (let i = 0; i < wanted.length; i++) if (this.#joints[i] === 1) wanted[i] = setpoints[i]!;
  }

  #throughGate(mirroring: boolean, dt: number, now: number): void {
    const { gate, link, targets, setpoints, droop } = this.#parts;
    const values = droop.at(setpoints);
    for (let i = 0; i < targets.length; i++) targets[i] = setpoints[i]! + values[i]!;
    this.#relieve(mirroring, now);
    // The machine that owns a remote arm is sent setpoints, and adds the droop.
    if (link.remote) for (let i = 0; i < targets.length; i++) if (this.#joints[i] === 1) setpoints[i] = targets[i]!;
    gate.step(targets, this.#limits, dt, this.#joints);
  }

  /** Draws back the goals of joints that press on something without moving, by the time in which servos overheat: the real one. */
  #relieve(mirroring: boolean, now: number): void {
    const { model, link, targets, droop } = this.#parts;
    const { stall, yield: yielding } = model;
    const { positions, velocities, efforts } = link.readings;
    for (let i = 0; i < targets.length; i++) {
      if (this.#joints[i] === 0) continue;
      // The machine that owns a gripper guards it itself.
      if (link.remote && stall[i] !== null) continue;
      // A person who moves by hand does not choose what a follower presses on, and its arm would sag once overloaded.
      const guard = stall[i] ?? (mirroring ? yielding[i]! : null);
      if (guard === null) continue;
      targets[i] = guard.step(targets[i]!, positions[i]!, velocities[i]!, efforts[i]!, droop.stiffnessOf(i), now);
    }
  }

  /** The setpoints follow the goals; the droop of the last ones is near enough, since they change little in a cycle. */
  #readSetpoints(): void {
    const { gate, setpoints, droop } = this.#parts;
    const { goals } = gate;
    for (let i = 0; i < goals.length; i++) if (this.#joints[i] === 1) setpoints[i] = goals[i]! - droop.values[i]!;
    droop.at(setpoints);
  }
}
