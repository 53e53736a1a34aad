import { Running } from '../../machine.ts';
import type { ArmLink } from '../driver/arm-link.ts';
import { type LimitSet, type SetpointSource, SourceStatus } from '../sources/setpoint-source.ts';
import { ComingToRest } from './coming-to-rest.ts';
import { ContactRelief } from './contact-relief.ts';
import type { ControlModel } from './control-model.ts';
import type { Droop } from './droop.ts';
import type { Following } from './following.ts';
import type { Gate } from './gate.ts';
import { HOLDING } from './holding.ts';

/** What the joint groups of an arm share; arrays have one element per joint. */
export interface DriveParts {
  readonly model: ControlModel;
  readonly link: ArmLink;
  readonly gate: Gate;
  readonly following: Following;
  readonly droop: Droop;
  /** Commanded joint positions, rad: goals without the droop. */
  readonly setpoints: Float64Array;
  /** Setpoints that sources want, rad. */
  readonly wanted: Float64Array;
  /** Scratch array of one cycle: goals before the gate, rad. */
  readonly targets: Float64Array;
}

/** Makes the goals of a group of joints, which has at most one source. */
export class GroupDrive {
  readonly empty: boolean;
  readonly #parts: DriveParts;
  /** 1 for each joint of the group. */
  readonly #joints: Uint8Array;
  readonly #relief: ContactRelief;
  readonly #rest: ComingToRest;
  /** Scratch array of one cycle: droop at the measured positions, rad. */
  readonly #bent: Float64Array;
  /** 1 for each grip that is drawn back in this cycle. */
  readonly #drawn: Uint8Array;
  #limits: LimitSet = 'move';
  readonly #machine = new Running(HOLDING);
  /** When the goals last braked, s. */
  #brakedAt = 0;

  constructor(parts: DriveParts, joints: Uint8Array) {
    const { stall, yield: yielding } = parts.model;
    this.#parts = parts;
    this.#joints = joints;
    this.empty = !joints.includes(1);
    // Joints with a stall guard of their own give way by it.
    this.#relief = new ContactRelief(
      stall.map((guard, i) => (joints[i] === 1 && guard === null ? (yielding[i]?.limits ?? null) : null)),
    );
    this.#rest = new ComingToRest(joints);
    this.#bent = new Float64Array(joints.length);
    this.#drawn = new Uint8Array(joints.length);
  }

  /** The joints have come to rest, as measured, since the last motion. */
  get resting(): boolean {
    return this.empty || this.#rest.resting;
  }

  /** A source takes over the goals. */
  begin({ limits }: SetpointSource, now: number): void {
    this.#put('begin', now);
    // An arm that its own servos have stopped rests, and is lowered.
    this.#rest.resting = false;
    this.#limits = limits;
  }

  /** The goals have stood still before this cycle, and go on from this part of their speeds, 0..1. */
  stood(part: number): void {
    // A follower has the acceleration to go on at once; later it would make up for that faster than it may approach.
    if (this.#limits === 'move') this.#parts.gate.stood(part, this.#joints);
  }

  /** From the next cycle on, the goals decelerate and stay. */
  halt(now: number): void {
    this.#put('halt', now);
  }

  /** The goals reach the last setpoints and stay there; what a gripper grips, it goes on holding where it is. */
  settle(now: number): void {
    const { model, gate, droop, setpoints } = this.#parts;
    for (let i = 0; i < setpoints.length; i++) {
      if (this.#joints[i] === 1 && model.stall[i]?.stalled) setpoints[i] = gate.goals[i]! - droop.values[i]!;
    }
    this.#rest.begin(now);
  }

  /** Spring stiffness has changed: contacts are judged anew. */
  regain(now: number): void {
    this.#put('regain', now);
  }

  /** One cycle driven by a source, which has written `wanted` and returned `status`. */
  take(status: SourceStatus, mirroring: boolean, dt: number, now: number): void {
    if (this.empty) return;
    const { wanted, setpoints } = this.#parts;
    const joints = this.#joints;
    if (status === SourceStatus.hold) {
      this.brake(dt, now);
      this.#want();
      return;
    }
    this.#put('take', now);
    for (let i = 0; i < joints.length; i++) if (joints[i] === 1) setpoints[i] = wanted[i]!;
    this.#aim();
    this.#relieve(mirroring, now);
    this.#throughGate(dt);
  }

  /**
   * One cycle without a source: the joints come to rest, hold, and give way where they press on something.
   * @returns the joint that gives way from now on; -1 for none
   */
  stay(dt: number, now: number): number {
    if (this.empty) return -1;
    const { gate, link, following, droop, model, setpoints } = this.#parts;
    const relief = this.#relief;
    const { state } = this.#machine;
    let braking = false;
    if (state === 'yielding') {
      if (relief.yields(gate)) {
        relief.heed(gate, link, droop.at(link.readings.positions), model.stiffness);
        // A target to stay at implies no velocity.
        gate.rearm(false, relief.joints);
      }
      gate.step(relief.targets, 'move', dt, relief.joints);
      this.#readSetpoints();
    } else if (state === 'held') braking = !this.brake(dt, now);
    else {
      this.#aim();
      this.#throughGate(dt);
      this.#rest.watch(gate, following, link.readings.positions, droop.values);
    }
    if (!braking) this.#drawGrips(dt, now);
    this.#want();
    if (!relief.mayPress(link.readings.efforts)) return -1;
    const joint = relief.look(gate, link, droop.at(link.readings.positions), model.stiffness, now);
    droop.at(setpoints);
    if (joint < 0) return joint;
    this.#put('press', now);
    return joint;
  }

  /** One cycle in which the goals decelerate. @returns true once they rest */
  brake(dt: number, now: number): boolean {
    const { gate, link, following, droop } = this.#parts;
    this.#put('brake', now);
    const { positions } = link.readings;
    const room = this.#rest.room(gate, following, positions, droop.values);
    const resting = gate.brake(this.#limits, dt, this.#joints, room, Math.max(dt, now - this.#brakedAt));
    this.#brakedAt = now;
    const stiff = link.gains?.stiffening !== true;
    this.#rest.step(gate, following, positions, droop.values, stiff, dt, now);
    this.#readSetpoints();
    return resting;
  }

  #put(input: keyof typeof HOLDING.inputs, now: number): void {
    const effects = this.#machine.put(input, now);
    for (let i = 0; i < effects.length; i++) {
      const effect = effects[i]!;
      if (effect === 'rest') {
        this.#rest.begin(now);
        this.#brakedAt = now;
      } else if (effect === 'forget') this.#relief.reset();
      else this.#parts.gate.rearm(false, this.#joints);
    }
  }

  /** Resets `wanted` to the setpoints, from which the next source continues. */
  #want(): void {
    const { wanted, setpoints } = this.#parts;
    for (let i = 0; i < wanted.length; i++) if (this.#joints[i] === 1) wanted[i] = setpoints[i]!;
  }

  /** Makes the targets of the setpoints. */
  #aim(): void {
    const { targets, setpoints, droop } = this.#parts;
    const values = droop.at(setpoints);
    for (let i = 0; i < targets.length; i++) targets[i] = setpoints[i]! + values[i]!;
  }

  #throughGate(dt: number): void {
    const { gate, link, targets, setpoints } = this.#parts;
    // The owner of a remote arm is sent setpoints and adds the droop.
    if (link.remote) for (let i = 0; i < targets.length; i++) if (this.#joints[i] === 1) setpoints[i] = targets[i]!;
    gate.step(targets, this.#limits, dt, this.#joints);
  }

  /**
   * Draws back the goals of joints that have a stall guard and press without a source, at the mirror speed limit: these
   * goals are ahead of their joints, so drawing them back moves nothing, and if what they press on goes meanwhile, the
   * joints follow it no further than to where they meet their goals. No goal goes on.
   */
  #drawGrips(dt: number, now: number): void {
    const { model, gate, link, droop, targets } = this.#parts;
    if (link.remote) return;
    const { positions, velocities, efforts, detailed } = link.readings;
    const drawn = this.#drawn;
    let any = false;
    for (let i = 0; i < model.stall.length; i++) {
      drawn[i] = 0;
      const guard = model.stall[i]!;
      if (guard === null || this.#joints[i] === 0) continue;
      const goal = gate.goals[i]!;
      targets[i] = guard.step(goal, positions[i]!, velocities[i]!, efforts[i]!, droop.stiffnessOf(i), detailed[i]!);
      if ((goal - targets[i]!) * (goal - positions[i]!) <= 0) continue;
      drawn[i] = 1;
      any = true;
    }
    if (!any) return;
    this.#put('draw', now);
    gate.draw(targets, drawn, dt);
    this.#readSetpoints();
  }

  /** Draws back the goals of joints that press on something without moving. */
  #relieve(mirroring: boolean, now: number): void {
    const { model, gate, link, targets, droop } = this.#parts;
    const { positions, velocities, efforts, detailed } = link.readings;
    const bent = this.#bent;
    if (mirroring) droop.write(positions, bent);
    for (let i = 0; i < targets.length; i++) {
      if (this.#joints[i] === 0) continue;
      const stiffness = droop.stiffnessOf(i);
      const grip = model.stall[i]!;
      const guard = model.yield[i]!;
      if (grip !== null) {
        // The owner of a remote gripper guards it itself.
        if (!link.remote)
          targets[i] = grip.step(targets[i]!, positions[i]!, velocities[i]!, efforts[i]!, stiffness, detailed[i]!);
      } else if (mirroring && guard !== null) {
        // The person moving the leader does not choose what a follower presses on; an overloaded follower would sag.
        // What carries the arm's own weight does not press. The measured load confirms what the spring explains.
        const spring = stiffness * (gate.goals[i]! - positions[i]! - bent[i]!);
        const press = Math.min(Math.abs(spring), Math.abs(efforts[i]!));
        const target = targets[i]! - bent[i]!;
        targets[i] = guard.step(target, positions[i]!, velocities[i]!, press, stiffness, now, detailed[i]!) + bent[i]!;
      }
    }
  }

  /** Derives the setpoints from the goals with the droop of the last setpoints: they change little in a cycle. */
  #readSetpoints(): void {
    const { gate, setpoints, droop } = this.#parts;
    const { goals } = gate;
    for (let i = 0; i < goals.length; i++) if (this.#joints[i] === 1) setpoints[i] = goals[i]! - droop.values[i]!;
    droop.at(setpoints);
  }
}
