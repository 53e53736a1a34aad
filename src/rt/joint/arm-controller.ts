import { Running } from '../../machine.ts';
import type { ArmLink } from '../driver/arm-link.ts';
import { type Published, StateCode } from '../snapshot/arm-fields.ts';
import { type SharedState, StopWord } from '../snapshot/shared-snapshot.ts';
import { SnapshotWriter } from '../snapshot/snapshot-writer.ts';
import { isFloating, type LimitSet, type SetpointSource, SourceStatus } from '../sources/setpoint-source.ts';
import { ARM_LIFE } from './arm-life.ts';
import { ComingToRest } from './coming-to-rest.ts';
import { ContactRelief } from './contact-relief.ts';
import { Droop, type GravityModel } from './droop.ts';
import { type DrivenJoints, Following } from './following.ts';
import { Gate, type GateLimits } from './gate.ts';
import type { StallGuard } from './stall-guard.ts';
import { straggling } from './straggler.ts';

export interface ControlModel extends DrivenJoints {
  readonly name: string;
  readonly joints: readonly string[];
  readonly limits: GateLimits;
  /** Largest torque that a joint's servos give, and that floating may ask of it, Nm. */
  readonly torqueLimit: Float64Array;
  readonly floatTorque: Float64Array;
  readonly gravity: GravityModel;
  /** Guards of the joints that have one, else null: such a joint may press on something for good. */
  readonly stall: readonly (StallGuard | null)[];
  /** The same for an arm that follows or rests: it yields where something holds it back. */
  readonly yield: readonly (StallGuard | null)[];
}

/** Why a source no longer drives an arm. */
export type EndReason =
  | 'done'
  | 'superseded'
  | 'cancelled'
  | 'stopped'
  | 'disconnected'
  | 'silent'
  | 'torque_off'
  | 'not_following';

/** Cycles without new positions for so long steer no motion: the arm brakes and its motion ends, s. */
const STALE = 0.25;

/** What the goals of an arm with torque do. */
type Goals =
  /** A source drives them, or they come to what it asked for last. */
  | 'driven'
  /** They decelerate, and stay. */
  | 'held';

/** One arm inside the control loop: its link, its gate, what drives it, and its block of the shared snapshot. */
export class ArmController implements Published {
  readonly index: number;
  readonly model: ControlModel;
  readonly link: ArmLink;
  readonly gate: Gate;
  source: SetpointSource | null = null;
  /** Number of the motion that drives or drove last. */
  motion = 0;
  /** Called when the source of `motion` has ended. @param text for people, where the reason says too little */
  onEnd: (motion: number, reason: EndReason, text: string) => void = () => {};
  /** Called when `state` changes, and when what is to be said of it does. */
  onState: () => void = () => {};
  /** Called when a joint of an arm that rests gives way to what it presses on. */
  onContactRelief: (joint: number) => void = () => {};
  /** `now` of the step that sent goals last, s; 0 before. */
  goalTime = 0;
  now = 0;
  epochOffset = 0;
  cycle = 0;

  readonly #life = new Running(ARM_LIFE);
  readonly #relief: ContactRelief;
  readonly #rest: ComingToRest;
  readonly #droop: Droop;
  readonly #following: Following;
  readonly #shared: SharedState;
  readonly #writer: SnapshotWriter;
  readonly #setpoints: Float64Array;
  readonly #scratch: Scratch;
  #limits: LimitSet = 'move';
  #goals: Goals = 'held';
  /** Epoch of intent in which torque was asked for. */
  #armingEpoch = 0;
  /** Time that its cycles have lasted, s. */
  #time = 0;
  /** By that time, when positions came last, and the stamp that they had. */
  #steered = 0;
  #steerTime = 0;
  /** What was said of the state when `onState` was called last. */
  #said = '';

  constructor(index: number, model: ControlModel, link: ArmLink, shared: SharedState) {
    const joints = model.stiffness.length;
    this.index = index;
    this.model = model;
    this.link = link;
    this.#shared = shared;
    // Goes on where a control thread that has failed left off: equal numbers mean the same motion.
    this.motion = shared.lastMotion(index);
    this.gate = new Gate(model.limits);
    this.#relief = new ContactRelief(model.stall.map((guard, i) => (guard ?? model.yield[i])?.limits ?? null));
    this.#rest = new ComingToRest(joints);
    this.#droop = new Droop(model.gravity, model.stiffness, link);
    this.#following = new Following(model);
    this.#setpoints = new Float64Array(joints);
    this.#writer = new SnapshotWriter(shared, index);
    this.#scratch = new Scratch(joints);
    this.#scratch.gain.set(link.gain);
  }

  get state(): StateCode {
    return StateCode[this.#life.state];
  }

  /** All servos have torque, and nothing is being switched: the arm can be driven. */
  get powered(): boolean {
    return this.link.up && this.link.power === 'holding';
  }

  get holding(): boolean {
    return this.powered;
  }

  /** The joints rest, as measured, since the stop or the end of the motion before. */
  get resting(): boolean {
    return this.#rest.resting || !this.powered;
  }

  /** Goal positions that were sent last, rad. */
  get goals(): Float64Array {
    return this.gate.goals;
  }

  /** Where the joints are asked to be, rad: where a source begins. */
  get setpoints(): Float64Array {
    return this.link.remote && this.source === null ? this.link.readings.positions : this.#setpoints;
  }

  get deviations(): Float64Array {
    return this.#following.deviations;
  }

  /** What people should know of its state. */
  get reason(): string {
    const { link } = this;
    return link.reason || link.fault || link.trouble;
  }

  /**
   * Hands the arm to a source. The caller has checked that the arm may be driven.
   * @param speed part of the speeds for moves that is allowed until the next source: one that is planned is timed for it
   * @param acceleration the same of the accelerations
   */
  drive(source: SetpointSource, speed = 1, acceleration = 1): void {
    const { gate, link } = this;
    this.#end('superseded');
    gate.limitSpeeds('move', speed);
    gate.limitAccelerations('move', acceleration);
    if (link.remote && this.state === StateCode.ready) gate.adopt(link.readings.positions);
    this.#droop.setpointsOf(gate.goals, this.#setpoints);
    source.begin(this.#setpoints, gate.velocities, this.#time, gate.accelerations);
    this.#scratch.wanted.set(this.#setpoints);
    gate.rearm(source.continues);
    this.#relief.reset();
    this.#limits = source.limits;
    this.#goals = 'driven';
    this.source = source;
    if (isFloating(source) && source.gains !== null) link.gains?.soften(source.gains, this.model.floatTorque);
    this.motion++;
    this.#put(source.state === 'moving' ? 'move' : source.state === 'mirroring' ? 'mirror' : 'float');
  }

  /** Ends the motion if it still is the present one: the arm decelerates and holds. */
  cancel(motion: number, reason: EndReason): void {
    if (this.motion !== motion || this.source === null) return;
    this.#over(reason);
  }

  /**
   * Torque on where the arm is, or off.
   * @param settle is told why it is not done; empty when it is
   */
  setTorque(on: boolean, settle: (problem: string) => void = () => {}): void {
    const { link } = this;
    if (link.remote || !link.up) {
      settle(link.reason);
      return;
    }
    // The link has come up since the last cycle.
    if (this.state === StateCode.disconnected) this.#connect();
    if (on && this.powered) {
      settle('');
      return;
    }
    if (on) {
      this.#armingEpoch = this.#shared.epoch(this.index);
      this.#adoptLimp();
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
      this.#following.measure(link.readings.positions, this.#steerTime);
    }
    // What follows has no plan that a lower speed would bend.
    gate.limitSpeeds('mirror', this.#shared.speedPart(this.index));
    gate.limitAccelerations('mirror', this.#shared.accelerationPart(this.index));
    if (!link.up) this.#put('gone');
    else this.#live(dt);
    if (this.reason !== this.#said) this.#tell();
    this.cycle = this.#shared.cycle;
    this.#writer.write(this);
  }

  #live(dt: number): void {
    const { link } = this;
    if (this.state === StateCode.disconnected) this.#connect();
    this.#mindStop();
    const { power } = link;
    if (power === 'holding') this.#put('energised');
    else if (power !== 'arming') this.#put('limp');
    if (power === 'holding' || power === 'arming') {
      this.#followGains();
      this.#command(dt);
    } else {
      this.#scratch.gain.set(link.gain);
      this.#following.adopt(link.readings.positions);
    }
  }

  #connect(): void {
    this.#put(this.link.power === 'holding' ? 'foundHolding' : 'foundLimp');
  }

  /** A servo that holds goes on holding what it holds; a limp one is to hold where it is. */
  #adoptLimp(): void {
    const { held, readings } = this.link;
    const { targets } = this.#scratch;
    const droop = this.#droop.at(readings.positions);
    for (let i = 0; i < targets.length; i++) {
      targets[i] = held[i] === 1 ? this.gate.goals[i]! : readings.positions[i]! + droop[i]!;
    }
    this.gate.adopt(targets);
    this.#following.adopt(readings.positions);
    this.#hold();
  }

  #mindStop(): void {
    const { link } = this;
    if (link.fault !== '') this.#shared.latchStop(this.index, StopWord.fault);
    const latched = this.#shared.stopLatched(this.index);
    if (latched) {
      this.#put('latched');
      link.endArming('it is stopped');
    } else if (this.state === StateCode.stopped) this.#put(this.powered ? 'releasedHolding' : 'releasedLimp');
    if (link.arming && this.#shared.epoch(this.index) !== this.#armingEpoch)
      link.endArming('whoever asked for torque has lost the arm meanwhile');
  }

  #command(dt: number): void {
    const { source, gate, link } = this;
    const { now } = this;
    const fresh = link.remote || this.#time - this.#steered <= STALE;
    if (link.arming) {
      // Until its torque is on a limp joint falls, or a hand moves it: it is to hold where it is then.
      if (!link.frozen) this.#adoptLimp();
    } else if (source !== null && !fresh) {
      this.#over('silent');
      this.#brake(dt);
    } else if (source !== null && isFloating(source)) {
      if (!this.#float(source, dt)) return;
    } else if (source !== null) {
      this.#follow(source, dt);
    } else if (link.remote) {
      return;
    } else {
      this.#stay(dt);
    }
    if (!link.arming) gate.bound(dt);
    this.#watch(dt);
    link.write(gate.goals);
    gate.sent(link.withheld);
    this.goalTime = now;
  }

  /** @returns false when its weight has been given to the hand: the arm goes limp */
  #float(source: SetpointSource & { readonly support: Float64Array }, dt: number): boolean {
    const { stiffness, floatTorque } = this.model;
    const { targets, reach, wanted } = this.#scratch;
    const { gain, readings } = this.link;
    const status = source.next(this.#time, dt, wanted);
    const droop = this.#droop.at(readings.positions);
    for (let i = 0; i < targets.length; i++) {
      targets[i] = droop[i]! * source.support[i]!;
      reach[i] = floatTorque[i]! / (stiffness[i]! * gain[i]!);
    }
    this.gate.float(readings.positions, targets, reach, dt);
    this.#setpoints.set(readings.positions);
    this.#following.adopt(readings.positions);
    if (status !== SourceStatus.done) return true;
    this.#end('done');
    this.setTorque(false);
    return false;
  }

  #follow(source: SetpointSource, dt: number): void {
    const { wanted } = this.#scratch;
    const status = source.next(this.#time, dt, wanted);
    if (status === SourceStatus.hold) {
      this.#brake(dt);
      wanted.set(this.#setpoints);
      return;
    }
    if (this.#goals === 'held') {
      this.#goals = 'driven';
      this.gate.rearm();
    }
    this.#setpoints.set(wanted);
    this.#throughGate(dt);
    if (status === SourceStatus.done && this.#arrived()) this.#over('done', 'driven');
  }

  /** True when the gate has let the final setpoints through. */
  #arrived(): boolean {
    const { velocities } = this.gate;
    for (let i = 0; i < velocities.length; i++) if (Math.abs(velocities[i]!) > 1e-6) return false;
    return true;
  }

  #throughGate(dt: number): void {
    const { targets } = this.#scratch;
    const droop = this.#droop.at(this.#setpoints);
    for (let i = 0; i < targets.length; i++) targets[i] = this.#setpoints[i]! + droop[i]!;
    this.#relieve();
    this.gate.step(targets, this.#limits, dt);
  }

  /** Draws back the goals of joints that press on something without moving, by the time in which servos overheat: the real one. */
  #relieve(): void {
    const { model } = this;
    const { positions, velocities, efforts } = this.link.readings;
    const { targets } = this.#scratch;
    // A person who moves by hand does not choose what a follower presses on, and its arm would sag once overloaded.
    const following = this.source?.state === 'mirroring';
    for (let i = 0; i < targets.length; i++) {
      const guard = model.stall[i] ?? (following ? model.yield[i]! : null);
      if (guard === null) continue;
      const stiffness = this.#droop.stiffnessOf(i);
      targets[i] = guard.step(targets[i]!, positions[i]!, velocities[i]!, efforts[i]!, stiffness, this.now);
    }
  }

  /** Nothing drives the arm: it comes to rest, holds, and gives way where it presses on something. */
  #stay(dt: number): void {
    const { gate, link, model, now } = this;
    const relief = this.#relief;
    if (this.#goals === 'held' && relief.active) {
      gate.step(relief.targets, 'move', dt, relief.joints);
      this.#readSetpoints();
    } else if (this.#goals === 'held') this.#brake(dt);
    else this.#throughGate(dt);
    if (!relief.mayPress(link.readings.efforts)) return;
    const joint = relief.look(gate, link, this.#droop.at(link.readings.positions), model.stiffness, now);
    this.#droop.at(this.#setpoints);
    if (joint < 0) return;
    // The other goals stay as they are.
    this.#goals = 'held';
    gate.rearm();
    this.onContactRelief(joint);
  }

  #brake(dt: number): void {
    this.#goals = 'held';
    this.gate.brake(this.#limits, dt);
    const stiff = this.link.gains?.pending !== true;
    const { positions } = this.link.readings;
    this.#rest.step(this.gate, this.#following, positions, this.#droop.values, stiff, dt, this.now);
    this.#readSetpoints();
  }

  /** The setpoints follow the goals; the droop of the last ones is near enough, since they change little in a cycle. */
  #readSetpoints(): void {
    const { goals } = this.gate;
    for (let i = 0; i < goals.length; i++) this.#setpoints[i] = goals[i]! - this.#droop.values[i]!;
    this.#droop.at(this.#setpoints);
  }

  /** Holds measured positions against the goals, and ends a move of which a joint does not follow. */
  #watch(dt: number): void {
    const { gate, link, model, source } = this;
    if (link.remote || link.arming || (source !== null && isFloating(source))) return;
    const following = this.#following;
    const { readings } = link;
    // How stiff the springs are in between nobody knows.
    if (link.gains?.pending === true) {
      following.adopt(readings.positions);
      return;
    }
    following.step(gate.goals, this.#droop.values, link.gain, readings.positions, dt, this.now);
    if (source === null || source.limits !== 'move') return;
    for (let i = 0; i < model.joints.length; i++) {
      if (model.stall[i] !== null || link.withheld[i] !== 0 || !following.isSuspect(i)) continue;
      link.probe();
      if (!following.isBehind(i, this.now)) continue;
      const load = Math.abs(readings.efforts[i]!) / model.torqueLimit[i]!;
      const text = straggling(model.joints[i]!, link.takesGoals(i), load, following.velocities[i]!);
      this.#over('not_following', 'held', text);
      return;
    }
  }

  #hold(): void {
    this.#goals = 'held';
    this.#relief.reset();
    this.#rest.begin(this.now);
    this.#droop.setpointsOf(this.gate.goals, this.#setpoints);
  }

  /** Servos that have become harder or softer are sent goals with which they go on pulling as they did. */
  #followGains(): void {
    const { gain: now, readings } = this.link;
    const { gain, ratio } = this.#scratch;
    let changed = false;
    for (let i = 0; i < gain.length; i++) {
      ratio[i] = gain[i]! / now[i]!;
      if (ratio[i] !== 1) changed = true;
      gain[i] = now[i]!;
    }
    if (!changed) return;
    this.#relief.reset();
    this.gate.regain(readings.positions, ratio);
    this.#droop.setpointsOf(this.gate.goals, this.#setpoints);
  }

  /** What drives the arm is over; the arm holds. @param goals whether they still come to what was asked last */
  #over(reason: EndReason, goals: Goals = 'held', text = ''): void {
    this.#end(reason, text);
    if (goals === 'held') this.#hold();
    else this.#rest.begin(this.now);
    this.#put('over');
  }

  #end(reason: EndReason, text = ''): void {
    if (this.source === null) return;
    if (isFloating(this.source)) {
      this.link.gains?.restore();
      this.#followGains();
    }
    this.source = null;
    this.onEnd(this.motion, reason, text);
  }

  #put(input: keyof typeof ARM_LIFE.inputs): void {
    const before = this.#life.state;
    const effects = this.#life.put(input, this.now);
    for (let i = 0; i < effects.length; i++) this.#carryOut(effects[i]!);
    if (this.#life.state !== before) this.#tell();
  }

  #carryOut(effect: keyof typeof ARM_LIFE.effects): void {
    const { gate, link } = this;
    switch (effect) {
      case 'adopt':
        this.#scratch.gain.set(link.gain);
        gate.narrow(link.limits.lower, link.limits.upper);
        gate.adopt(link.remote ? link.readings.positions : link.adopted);
        this.#following.begin(link.readings.positions, this.now);
        this.#hold();
        // What was known of its last motion is over: it may have been moved while nobody looked.
        this.motion++;
        break;
      case 'drop':
        this.#end('disconnected');
        break;
      case 'slacken':
        this.#end('torque_off');
        break;
      case 'stop':
        this.#end('stopped');
        this.#hold();
        break;
    }
  }

  #tell(): void {
    this.#said = this.reason;
    this.onState();
  }
}

/** Memory of one cycle, made once. */
class Scratch {
  readonly targets: Float64Array;
  readonly reach: Float64Array;
  readonly wanted: Float64Array;
  /** Gains for which the goals have been made, and what they have changed by. */
  readonly gain: Float64Array;
  readonly ratio: Float64Array;

  constructor(joints: number) {
    this.targets = new Float64Array(joints);
    this.reach = new Float64Array(joints);
    this.wanted = new Float64Array(joints);
    this.gain = new Float64Array(joints);
    this.ratio = new Float64Array(joints);
  }
}
