import type { ArmLink } from '../driver/arm-link.ts';
import { type Published, StateCode } from '../snapshot/arm-fields.ts';
import type { SharedState } from '../snapshot/shared-snapshot.ts';
import { SnapshotWriter } from '../snapshot/snapshot-writer.ts';
import { isFloating, type LimitSet, type SetpointSource, SourceStatus } from '../sources/setpoint-source.ts';
import { ContactRelief } from './contact-relief.ts';
import { Gate, type GateLimits } from './gate.ts';
import type { StallGuard } from './stall-guard.ts';

/** Gravity torques of an arm's model: `out[i]` Nm for joint positions `q` rad. */
export type GravityModel = (q: Float64Array, out: Float64Array) => void;

export interface RuntimeModel {
  readonly name: string;
  readonly limits: GateLimits;
  /** Stiffness of each joint's position spring at the reference gain, Nm/rad. */
  readonly stiffness: Float64Array;
  /** Largest torque that floating may ask of a joint, Nm. */
  readonly floatTorque: Float64Array;
  readonly gravity: GravityModel;
  /** Guards of the joints that have one, else null. */
  readonly stall: readonly (StallGuard | null)[];
  /** The same for an arm that follows or rests: it yields where something holds it back. */
  readonly yield: readonly (StallGuard | null)[];
}

/** Why a source no longer drives an arm. */
export type EndReason = 'done' | 'superseded' | 'cancelled' | 'stopped' | 'disconnected' | 'silent' | 'torque_off';

/** Cycles without new positions for so long steer no motion: the arm brakes and its motion ends, s. */
const STALE = 0.25;
/** Fixed-point steps by which the droop at a pose and the pose under a droop are told apart; each gains a factor 20. */
const DROOP_ITERATIONS = 6;

/** One arm inside the control loop: its link, its gate, what drives it, and its block of the shared snapshot. */
export class ArmController implements Published {
  readonly index: number;
  readonly model: RuntimeModel;
  readonly link: ArmLink;
  readonly gate: Gate;
  state: StateCode = StateCode.disconnected;
  source: SetpointSource | null = null;
  /** Number of the motion that drives or drove last. */
  motion = 0;
  /** Called when the source of `motion` has ended. */
  onEnd: (motion: number, reason: EndReason) => void = () => {};
  /** Called when `state` changes, and when the reason of a disconnected arm does. */
  onState: () => void = () => {};

  /** Called when a joint of an arm that rests gives way to what it presses on. */
  onContactRelief: (joint: number) => void = () => {};

  readonly #contactRelief: ContactRelief;
  readonly #shared: SharedState;
  readonly #writer: SnapshotWriter;
  readonly #setpoints: Float64Array;
  readonly #targets: Float64Array;
  readonly #droop: Float64Array;
  readonly #reach: Float64Array;
  /** Gains for which the goals have been made, and what they have changed by. */
  readonly #gain: Float64Array;
  readonly #ratio: Float64Array;
  readonly #wanted: Float64Array;
  #limits: LimitSet = 'move';
  #holding = false;
  /** Torque is wanted, so goals are sent: to a servo that is to be limp a goal could mean torque on. */
  #powered = false;
  /** Torque has been asked for and the servos have not confirmed it yet. */
  #torquePending = false;
  /** `now` of the step that sent goals last, s; 0 before. */
  goalTime = 0;
  now = 0;
  epochOffset = 0;
  cycle = 0;
  /** Time that its cycles have lasted, s. */
  #time = 0;
  /** By that time, when positions came last, and the stamp that they had. */
  #steered = 0;
  #steerTime = 0;
  /** Reason of the link when `onState` was called last. */
  #reason = '';

  constructor(index: number, model: RuntimeModel, link: ArmLink, shared: SharedState) {
    const joints = model.stiffness.length;
    this.index = index;
    this.model = model;
    this.link = link;
    this.#shared = shared;
    // Goes on where a control thread that has failed left off: equal numbers mean the same motion.
    this.motion = shared.lastMotion(index);
    this.gate = new Gate(model.limits);
    this.#contactRelief = new ContactRelief(model.stall.map((guard, i) => (guard ?? model.yield[i])?.limits ?? null));
    this.#setpoints = new Float64Array(joints);
    this.#writer = new SnapshotWriter(shared, index);
    this.#targets = new Float64Array(joints);
    this.#droop = new Float64Array(joints);
    this.#reach = new Float64Array(joints);
    this.#gain = link.gain.slice();
    this.#ratio = new Float64Array(joints);
    this.#wanted = new Float64Array(joints);
  }

  /** True while goals are sent and all servos have torque, so that the arm can be driven. */
  get powered(): boolean {
    return this.#powered && this.link.torque;
  }

  /** True once it holds with the torque that was asked for. */
  get holding(): boolean {
    return this.powered && !this.#torquePending;
  }

  /** Goal positions that were sent last, rad. */
  get goals(): Float64Array {
    return this.gate.goals;
  }

  /** Where the joints are asked to be, rad: where a source begins. */
  get setpoints(): Float64Array {
    return this.link.remote && this.source === null ? this.link.positions : this.#setpoints;
  }

  /**
   * Hands the arm to a source. The caller has checked that the arm may be driven.
   * @param speed part of the speeds for moves that is allowed until the next source: one that is planned is timed for it
   * @param acceleration the same of the accelerations
   */
  drive(source: SetpointSource, speed = 1, acceleration = 1): void {
    this.#end('superseded');
    this.gate.limitSpeeds('move', speed);
    this.gate.limitAccelerations('move', acceleration);
    if (this.link.remote && this.state === StateCode.ready) this.gate.adopt(this.link.positions);
    this.#poseUnderDroop();
    source.begin(this.#setpoints, this.gate.velocities, this.#time, this.gate.accelerations);
    this.#wanted.set(this.#setpoints);
    this.gate.rearm(source.continues);
    this.#contactRelief.reset();
    this.#limits = source.limits;
    this.#holding = false;
    this.source = source;
    if (isFloating(source) && source.gains !== null) this.link.gains?.soften(source.gains, this.model.floatTorque);
    this.motion++;
    this.#enter(StateCode[source.state]);
  }

  /** Ends the motion if it still is the present one: the arm decelerates and holds. */
  cancel(motion: number, reason: EndReason): void {
    if (this.motion !== motion || this.source === null) return;
    this.#end(reason);
    this.#hold();
    this.#enter(StateCode.ready);
  }

  /** Torque on at the measured pose plus its droop, without a jump; or off. */
  setTorque(on: boolean): void {
    if (this.link.remote || !this.link.up) return;
    // The link has come up since the last cycle.
    if (this.state === StateCode.disconnected) this.#connect();
    if (on) {
      if (!this.#powered || !this.link.torque) {
        this.#adoptLimp();
        this.motion++;
      }
      this.#powered = true;
      this.#torquePending = true;
    } else {
      this.#end('torque_off');
      this.#powered = false;
      this.#torquePending = false;
    }
    this.link.setTorque(on);
  }

  /**
   * One cycle after the read has settled: decides the state, asks the source, passes the gate and sends the goals.
   * @param now monotonic time, s
   * @param dt time since the last cycle, at most two periods, so that a late cycle never makes a large step, s
   * @param epoch seconds to add to monotonic times for time since the epoch
   */
  step(now: number, dt: number, epoch: number): void {
    this.#time += dt;
    const { link } = this;
    if (link.steerTime !== this.#steerTime) {
      this.#steerTime = link.steerTime;
      this.#steered = this.#time;
    }
    // What follows has no plan that a lower speed would bend.
    this.gate.limitSpeeds('mirror', this.#shared.speedPart(this.index));
    this.gate.limitAccelerations('mirror', this.#shared.accelerationPart(this.index));
    if (!link.up) {
      if (this.state !== StateCode.disconnected) {
        this.#end('disconnected');
        this.#powered = false;
        this.#torquePending = false;
        this.#enter(StateCode.disconnected);
      } else if (link.reason !== this.#reason) {
        this.#reason = link.reason;
        this.onState();
      }
    } else {
      if (this.state === StateCode.disconnected) this.#connect();
      this.#latch();
      this.#watchTorque();
      if (this.#powered) {
        this.#followGains();
        this.#command(now, dt);
      } else {
        this.#gain.set(link.gain);
      }
    }
    this.now = now;
    this.epochOffset = epoch;
    this.cycle = this.#shared.cycle;
    this.#writer.write(this);
  }

  /** A servo that holds goes on holding what it holds; a limp one is to hold where it is. */
  #adoptLimp(): void {
    const { held, positions } = this.link;
    this.#droopAt(positions);
    for (let i = 0; i < this.#targets.length; i++) {
      this.#targets[i] = held[i] === 1 ? this.gate.goals[i]! : positions[i]! + this.#droop[i]!;
    }
    this.gate.adopt(this.#targets);
    this.#hold();
  }

  #watchTorque(): void {
    const { torque } = this.link;
    if (torque) {
      this.#torquePending = false;
    } else if (this.#powered && !this.#torquePending) {
      this.#end('torque_off');
      this.#powered = false;
    }
    if (this.#powered && this.state === StateCode.connected) this.#enter(StateCode.ready);
    else if (!this.#powered && !this.link.anyTorque && this.state !== StateCode.stopped)
      this.#enter(StateCode.connected);
  }

  #connect(): void {
    const { link } = this;
    this.#powered = link.torque;
    this.#gain.set(link.gain);
    this.gate.adopt(link.remote ? link.positions : link.adopted);
    this.#hold();
    // What was known of its last motion is over: it may have been moved while nobody looked.
    this.motion++;
    this.#enter(link.torque ? StateCode.ready : StateCode.connected);
  }

  #latch(): void {
    if (this.link.fault !== '') this.#shared.latchStop(this.index, true);
    const latched = this.#shared.stopLatched(this.index);
    if (latched && this.state !== StateCode.stopped) {
      this.#end('stopped');
      this.#hold();
      this.#enter(StateCode.stopped);
    } else if (!latched && this.state === StateCode.stopped) {
      this.#enter(this.#powered ? StateCode.ready : StateCode.connected);
    }
  }

  #command(now: number, dt: number): void {
    const { source, gate, link } = this;
    // Until its torque is on a limp joint falls, or a hand moves it: it is to hold where it is then.
    if (this.#torquePending && !link.torque) this.#adoptLimp();
    const fresh = link.remote || this.#time - this.#steered <= STALE;
    if (source !== null && fresh && isFloating(source)) {
      const status = source.next(this.#time, dt, this.#wanted);
      this.#floatStep(source.support, dt);
      if (status === SourceStatus.done) {
        // Its weight has been given to the hand: the arm is limp from here on.
        this.#end('done');
        this.setTorque(false);
        return;
      }
    } else if (source !== null && fresh) {
      const status = source.next(this.#time, dt, this.#wanted);
      if (status === SourceStatus.hold) {
        this.#brake(dt);
        this.#wanted.set(this.#setpoints);
      } else {
        if (this.#holding) {
          this.#holding = false;
          gate.rearm();
        }
        this.#setpoints.set(this.#wanted);
        this.#throughGate(now, dt);
        if (status === SourceStatus.done && this.#arrived()) {
          this.#end('done');
          this.#enter(StateCode.ready);
        }
      }
    } else if (source !== null) {
      this.#end('silent');
      this.#hold();
      this.#enter(StateCode.ready);
      this.#brake(dt);
    } else if (link.remote) {
      return;
    } else {
      this.#rest(now, dt);
    }
    link.write(gate.goals);
    gate.sent(link.withheld);
    this.goalTime = now;
  }

  /** True when the gate has let the final setpoints through. */
  #arrived(): boolean {
    for (let i = 0; i < this.#targets.length; i++) {
      if (Math.abs(this.gate.velocities[i]!) > 1e-6) return false;
    }
    return true;
  }

  #throughGate(now: number, dt: number): void {
    this.#droopAt(this.#setpoints);
    for (let i = 0; i < this.#targets.length; i++) this.#targets[i] = this.#setpoints[i]! + this.#droop[i]!;
    this.#relieve(now);
    this.gate.step(this.#targets, this.#limits, dt);
  }

  /** Draws back the goals of joints that press on something without moving, by the time in which servos overheat: the real one. */
  #relieve(now: number): void {
    const { link, model } = this;
    // A person who moves by hand does not choose what a follower presses on, and its arm would sag once overloaded.
    const following = this.source?.state === 'mirroring';
    for (let i = 0; i < this.#targets.length; i++) {
      const guard = model.stall[i] ?? (following ? model.yield[i]! : null);
      if (guard === null) continue;
      const stiffness = model.stiffness[i]! * link.gain[i]!;
      const position = link.positions[i]!;
      const target = this.#targets[i]!;
      this.#targets[i] = guard.step(target, position, link.velocities[i]!, link.efforts[i]!, stiffness, now);
    }
  }

  /** Nothing drives the arm: it comes to rest, holds, and gives way where it presses on something. */
  #rest(now: number, dt: number): void {
    const { gate, link, model } = this;
    const contactRelief = this.#contactRelief;
    if (this.#holding && contactRelief.active) {
      gate.step(contactRelief.targets, 'move', dt, contactRelief.joints);
      this.#readSetpoints();
    } else if (this.#holding) this.#brake(dt);
    else this.#throughGate(now, dt);
    if (!contactRelief.mayPress(link.efforts)) return;
    this.#droopAt(link.positions);
    const joint = contactRelief.look(gate, link, this.#droop, model.stiffness, now);
    this.#droopAt(this.#setpoints);
    if (joint < 0) return;
    // The other goals stay as they are.
    this.#holding = true;
    gate.rearm();
    this.onContactRelief(joint);
  }

  #brake(dt: number): void {
    this.#holding = true;
    this.gate.brake(this.#limits, dt);
    this.#readSetpoints();
  }

  /** The setpoints follow the goals; the droop of the last ones is near enough, since they change little in a cycle. */
  #readSetpoints(): void {
    for (let i = 0; i < this.#setpoints.length; i++) this.#setpoints[i] = this.gate.goals[i]! - this.#droop[i]!;
    this.#droopAt(this.#setpoints);
  }

  #floatStep(support: Float64Array, dt: number): void {
    const { stiffness, floatTorque } = this.model;
    const positions = this.link.positions;
    this.#droopAt(positions);
    for (let i = 0; i < this.#targets.length; i++) {
      this.#targets[i] = this.#droop[i]! * support[i]!;
      this.#reach[i] = floatTorque[i]! / (stiffness[i]! * this.link.gain[i]!);
    }
    this.gate.float(positions, this.#targets, this.#reach, dt);
    this.#setpoints.set(positions);
  }

  #hold(): void {
    this.#holding = true;
    this.#contactRelief.reset();
    this.#poseUnderDroop();
  }

  /** Servos that have become harder or softer are sent goals with which they go on pulling as they did. */
  #followGains(): void {
    const { gain, positions } = this.link;
    let changed = false;
    for (let i = 0; i < gain.length; i++) {
      this.#ratio[i] = this.#gain[i]! / gain[i]!;
      if (this.#ratio[i] !== 1) changed = true;
      this.#gain[i] = gain[i]!;
    }
    if (!changed) return;
    this.#contactRelief.reset();
    this.gate.regain(positions, this.#ratio);
    this.#poseUnderDroop();
  }

  #end(reason: EndReason): void {
    if (this.source === null) return;
    if (isFloating(this.source)) {
      this.link.gains?.restore();
      this.#followGains();
    }
    this.source = null;
    this.onEnd(this.motion, reason);
  }

  #enter(state: StateCode): void {
    if (this.state === state) return;
    this.state = state;
    this.#reason = this.link.reason;
    this.onState();
  }

  /** Droop of the position springs at pose `q`: gravity torque over stiffness, rad. A remote arm's owner adds it. */
  #droopAt(q: Float64Array): void {
    if (this.link.remote) {
      this.#droop.fill(0);
      return;
    }
    this.model.gravity(q, this.#droop);
    for (let i = 0; i < this.#droop.length; i++) {
      this.#droop[i] = this.#droop[i]! / (this.model.stiffness[i]! * this.link.gain[i]!);
    }
  }

  /** Setpoints whose droop leads to the goals that are being held. */
  #poseUnderDroop(): void {
    this.#setpoints.set(this.gate.goals);
    for (let k = 0; k < DROOP_ITERATIONS; k++) {
      this.#droopAt(this.#setpoints);
      for (let i = 0; i < this.#setpoints.length; i++) this.#setpoints[i] = this.gate.goals[i]! - this.#droop[i]!;
    }
  }
}
