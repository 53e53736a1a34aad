import type { Clock } from '../clock.ts';
import type { Chain } from '../kinematics/chain.ts';
import type { Pose } from '../kinematics/frames.ts';
import type { Ailment, JointHoming, ServoFacts } from '../rt/driver/arm-link.ts';
import type { GainPlan } from '../rt/driver/gains.ts';
import type { EndReason } from '../rt/joint/arm-controller.ts';
import type { SourceSpec } from '../rt/messages.ts';
import { StateCode } from '../rt/snapshot/arm-fields.ts';
import { type SharedState, StopWord } from '../rt/snapshot/shared-snapshot.ts';
import { SnapshotReader } from '../rt/snapshot/snapshot-reader.ts';
import type { ControlClient } from './control-client.ts';
import { type ArmModel, mounted } from './model.ts';
import {
  type Activity,
  ARM_STATES,
  type Arm,
  type ArmSnapshot,
  type ArmState,
  BridgeError,
  type Caller,
  type Owner,
} from './types.ts';

/** Longest wait for servos to confirm that torque is on, s. */
const TORQUE_TIMEOUT = 2;
/** Longest wait for servos that are being brought back, s. */
const RECOVERY_TIMEOUT = 3;

/** Why an owner no longer has its arm. */
export interface Loss {
  readonly reason: 'superseded' | 'taken_over' | 'stopped' | 'disconnected';
  /** For people, to follow "Motion of arm X ended: ". */
  readonly message: string;
}

/** An owner's hold on an arm. */
export class Claim {
  readonly owner: Owner;
  #loss: Loss | null = null;
  readonly #onLoss: (loss: Loss) => void;

  constructor(owner: Owner, onLoss: (loss: Loss) => void) {
    this.owner = owner;
    this.#onLoss = onLoss;
  }

  /** Why the arm is lost, for people; null while the claim holds. */
  lostBecause(): string | null {
    return this.#loss?.message ?? null;
  }

  lose(loss: Loss): void {
    if (this.#loss !== null) return;
    this.#loss = loss;
    this.#onLoss(loss);
  }
}

/** A motion that runs: how long it will take, and why it ended. */
export interface RunningMotion {
  readonly motion: number;
  /** s; 0 for one without an end. */
  readonly duration: number;
  readonly ended: Promise<EndReason>;
}

export interface HandleOptions {
  readonly id: number;
  readonly name: string;
  readonly model: ArmModel;
  readonly bus: string;
  /** Place of the arm in the control thread. */
  readonly index: number;
  readonly chain: Chain;
  readonly shared: SharedState;
  readonly control: ControlClient;
  readonly clock: Clock;
  /** Whether it has been taken off its bus on purpose. */
  readonly detached: () => boolean;
}

/** The handle of one arm on the main thread: reads its snapshot, keeps its owner, and asks the control loop to drive. */
export class ArmHandle implements Arm {
  readonly id: number;
  readonly name: string;
  readonly bus: string;
  readonly remote: boolean;
  readonly simulated: boolean;
  readonly index: number;
  readonly chain: Chain;
  readonly clock: Clock;
  initialised = false;
  /** Called with what people should know of the arm's servos. */
  onWarning: (text: string) => void = () => {};
  /** Called with the joint whose servo cannot go on carrying, and why: the arm is to be lowered. */
  onAiling: (joint: number, text: string, ailment: Ailment) => void = () => {};
  /** Why the arm has been taken from its owner, for people, until somebody drives it again. */
  notice = '';
  /** Why nothing can come from a remote arm in this process, for people; empty when something can. */
  unreachable = '';
  #model: ArmModel;
  #state: number = StateCode.disconnected;
  #reason = 'it has not been reached yet';
  #stopReason = '';
  /** Stops that have been asked for so far. */
  #stops = 0;
  #claim: Claim | null = null;
  /** Who has the arm between motions too. */
  #keeper: Owner | null = null;
  #reserved: Owner | null = null;
  #driven: {
    readonly motion: number;
    readonly kind: string;
    readonly began: number;
    readonly duration: number;
  } | null = null;
  readonly #shared: SharedState;
  readonly #control: ControlClient;
  readonly #detached: () => boolean;
  readonly #reader: SnapshotReader;
  readonly #ends = new Map<number, (reason: EndReason) => void>();
  #lastEnd: { motion: number; reason: EndReason } | null = null;
  readonly #stateListeners = new Set<(state: ArmState, reason: string) => void>();

  constructor(options: HandleOptions) {
    this.id = options.id;
    this.name = options.name;
    this.#model = options.model;
    this.bus = options.bus;
    this.remote = options.bus === 'ros';
    this.simulated = options.bus.startsWith('sim:');
    this.index = options.index;
    this.chain = options.chain;
    this.clock = options.clock;
    this.#shared = options.shared;
    this.#control = options.control;
    this.#detached = options.detached;
    this.#reader = new SnapshotReader(options.shared, options.index);
    options.control.listen(this.index, {
      ended: (motion, reason) => this.#ended(motion, reason),
      state: (state, reason) => this.#changed(state, reason),
      warning: (text) => this.onWarning(text),
      ailing: (joint, text, ailment) => this.onAiling(joint, text, ailment),
    });
  }

  get detached(): boolean {
    return this.#detached();
  }

  get model(): ArmModel {
    return this.#model;
  }

  get owner(): Owner | null {
    return this.#claim?.owner ?? this.#keeper;
  }

  get activity(): Activity | null {
    const driven = this.#driven;
    if (driven === null) return null;
    const passed = this.clock.now() - driven.began;
    return { kind: driven.kind, progress: driven.duration > 0 ? Math.min(passed / driven.duration, 1) : null };
  }

  get reason(): string {
    const { state } = this.read();
    if (state === 'stopped') return this.#stopReason;
    if (state !== 'disconnected') return this.notice;
    // The snapshot may be ahead of the message that says why.
    const why = this.unreachable || this.#reason || 'its servos are being checked';
    return `${why}${this.notice === '' ? '' : `; ${this.notice}`}`;
  }

  get speedScale(): number {
    return this.#shared.speedPart(this.index);
  }

  limitSpeed(part: number): void {
    this.#shared.limitSpeed(this.index, part);
  }

  get accelerationScale(): number {
    return this.#shared.accelerationPart(this.index);
  }

  limitAcceleration(part: number): void {
    this.#shared.limitAcceleration(this.index, part);
  }

  /** By how much moves may take longer than at the limits of its data, at most: 1 or more. */
  get patience(): number {
    return 1 / Math.min(this.speedScale, this.accelerationScale);
  }

  read(): ArmSnapshot {
    return this.#reader.read();
  }

  /** What following does: its code (`FollowCode`) and the age of the sample that was followed last, s. */
  follow(): { code: number; latency: number } {
    const { followState, followLatency } = this.#reader.read();
    return { code: followState, latency: followLatency };
  }

  async readFresh(timeout: number): Promise<ArmSnapshot> {
    const deadline = this.clock.now() + timeout;
    // The read of the cycle that is under way may have begun before the call, the one after it cannot have.
    let cycle = this.#shared.cycle;
    await this.#shared.nextCycle(cycle, timeout);
    const { sampleInstant } = this.read();
    while (this.clock.now() < deadline) {
      cycle = this.#shared.cycle;
      const snapshot = this.read();
      if (snapshot.sampleInstant !== sampleInstant) return snapshot;
      await this.#shared.nextCycle(cycle, Math.max(0.001, deadline - this.clock.now()));
    }
    throw new BridgeError('no_sample', `Arm ${this.name} has given no sample within ${timeout} s. ${this.#reason}`);
  }

  toolPose(q: Float64Array): Pose {
    return this.chain.toolPose(q);
  }

  gripperOpening(q: Float64Array): number | null {
    const { gripper } = this.model;
    if (gripper === null) return null;
    const opening = (q[gripper.index]! - gripper.closed) / (gripper.open - gripper.closed);
    return Math.min(Math.max(opening, 0), 1);
  }

  /** Calls `listener` with each new state of the arm and its reason, if it has one; returns how to stop listening. */
  onState(listener: (state: ArmState, reason: string) => void): () => void {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  }

  /**
   * Takes the arm for an owner. The one who had it is told.
   * @param onLoss called once, when the arm is lost before it is released
   * @throws {BridgeError} disconnected, stopped, owned
   */
  claim(caller: Caller, onLoss: (loss: Loss) => void): Claim {
    this.requireDrivable();
    if (this.#reserved !== null && this.#reserved.key !== caller.owner.key) {
      throw new BridgeError(
        'stopped',
        `Arm ${this.name} takes no more motions: it is kept for ${this.#reserved.name}.`,
      );
    }
    const { owner } = this;
    const same = owner?.key === caller.owner.key;
    if (owner !== null && !same && !caller.takeOver) {
      throw new BridgeError(
        'owned',
        `Arm ${this.name} is driven by ${owner.name}. Wait until it has ended, or take it with ?take_over=true.`,
        { owner: owner.name },
      );
    }
    if (!same) this.#keeper = null;
    this.notice = '';
    const present = this.#claim;
    const claim = new Claim(caller.owner, onLoss);
    this.#claim = claim;
    present?.lose(
      same
        ? { reason: 'superseded', message: 'superseded by a newer request of the same client' }
        : { reason: 'taken_over', message: `taken over by ${caller.owner.name}` },
    );
    return claim;
  }

  /**
   * Takes the arm for a moment, so that whatever drives it decelerates to a hold.
   * @param onClaimed called as soon as the arm is taken
   * @throws {BridgeError} disconnected, stopped, owned
   */
  async halt(caller: Caller, onClaimed: () => void = () => {}): Promise<void> {
    const claim = this.claim(caller, () => {});
    onClaimed();
    try {
      if (this.#driven !== null) await this.cancel(this.read().motion);
    } finally {
      this.release(claim);
    }
  }

  /** Between motions too the arm is this owner's, until somebody takes it over; null: it is nobody's. */
  keepFor(owner: Owner | null): void {
    this.#keeper = owner;
  }

  /** From now on nobody else can take the arm, by take-over neither. */
  reserve(owner: Owner): void {
    this.#reserved = owner;
  }

  /** @throws {BridgeError} owned, when the claim does not hold the arm any more: what it was for must not drive it */
  requireHeld(claim: Claim): void {
    if (this.#claim === claim) return;
    const why = claim.lostBecause() ?? 'it has been given back meanwhile';
    throw new BridgeError('owned', `Arm ${this.name} was lost before it could be driven: ${why}.`);
  }

  /** Others can take the arm again, unless it is kept for somebody else meanwhile. */
  unreserve(owner: Owner): void {
    if (this.#reserved?.key === owner.key) this.#reserved = null;
  }

  /** An arm with a limp or silent servo has been lowered by the others, or cannot be: it is checked anew. */
  async giveUp(): Promise<void> {
    await this.#command({ kind: 'give_up', arm: this.index });
  }

  /** Gives the arm back, if the claim still holds it. */
  release(claim: Claim): void {
    if (this.#claim === claim) this.#claim = null;
  }

  /** @throws {BridgeError} disconnected, with the reason and the time of the last good sample */
  requireConnected(): void {
    const { state, sampleTime } = this.read();
    if (state !== 'disconnected') return;
    const last = sampleTime === 0 ? 'none yet' : new Date(sampleTime * 1000).toISOString();
    throw new BridgeError(
      'disconnected',
      `Arm ${this.name} is disconnected: ${this.reason}. Last good sample: ${last}.`,
    );
  }

  /** @throws {BridgeError} disconnected or stopped, with the reason and what to do */
  requireDrivable(): void {
    this.requireConnected();
    const { state } = this.read();
    if (state === 'stopped' || this.#shared.stopLatched(this.index)) {
      throw new BridgeError(
        'stopped',
        `Arm ${this.name} is stopped (${this.#stopReason}). Release it with POST /stop/reset?robot_id=${this.id}.`,
      );
    }
  }

  /** Torque on where the arm is, goals written first; resolves when its servos have it. @throws {BridgeError} */
  async torqueOn(): Promise<void> {
    if (this.remote || this.read().holding) return;
    await this.#command({ kind: 'torque', arm: this.index, on: true, epoch: this.#shared.epoch(this.index) });
    const deadline = this.clock.now() + TORQUE_TIMEOUT;
    while (!this.read().holding) {
      this.requireDrivable();
      if (this.clock.now() > deadline) {
        throw new BridgeError(
          'unavailable',
          `The servos of arm ${this.name} have not switched torque on within ${TORQUE_TIMEOUT} s. Check their power supply.`,
        );
      }
      await this.nextCycle();
    }
  }

  /** Torque off; the arm is limp afterwards. @throws {BridgeError} when its servos do not confirm it */
  async torqueOff(): Promise<void> {
    if (this.remote) return;
    await this.#command({ kind: 'torque', arm: this.index, on: false, epoch: this.#shared.epoch(this.index) });
    const deadline = this.clock.now() + TORQUE_TIMEOUT;
    while (this.read().torque) {
      if (this.clock.now() > deadline) {
        throw new BridgeError(
          'unavailable',
          `The servos of arm ${this.name} have not switched torque off within ${TORQUE_TIMEOUT} s. Hold the arm and switch its power off.`,
        );
      }
      await this.nextCycle();
    }
  }

  /** What its servos are and how they are set, read now. @throws {BridgeError} */
  async servos(): Promise<readonly ServoFacts[]> {
    const { servos } = await this.#command({ kind: 'servos', arm: this.index });
    return servos ?? [];
  }

  /** Writes the temperatures at which its servos switch themselves off, degrees Celsius. @throws {BridgeError} */
  async limitTemperatures(limits: Float64Array): Promise<void> {
    await this.#command({ kind: 'limit_temperatures', arm: this.index, limits });
    // The snapshot tells of it from the next cycle on.
    await this.nextCycle();
  }

  /**
   * Writes what the first servos of its joints count from, in the order of the model, while the arm is limp; its joints are
   * read so from then on. @throws {BridgeError}
   */
  async calibrate(joints: readonly JointHoming[]): Promise<void> {
    await this.#command({ kind: 'calibrate', arm: this.index, joints });
    const mounts = this.#model.joints.map(({ name }, i) => {
      const { sign, zero, offset, expected } = joints[i]!;
      return [name, { sign, zero, homing: expected ? offset : undefined }] as const;
    });
    this.#model = mounted(this.#model, Object.fromEntries(mounts));
    // The snapshot tells of it from the next cycle on.
    await this.nextCycle();
  }

  /** Lets a source drive the arm; its torque must be on. @throws {BridgeError} */
  async drive(source: SourceSpec): Promise<RunningMotion> {
    const { motion, duration } = await this.#command({
      kind: 'drive',
      arm: this.index,
      source,
      epoch: this.#shared.epoch(this.index),
    });
    const over = this.#lastEnd;
    if (over?.motion !== motion) this.#driven = { motion, kind: source.kind, began: this.clock.now(), duration };
    const ended =
      over?.motion === motion
        ? Promise.resolve(over.reason)
        : new Promise<EndReason>((resolve) => this.#ends.set(motion, resolve));
    return { motion, duration, ended };
  }

  /**
   * What the servos would be given for parts of their own position gains, 0..1, and whether they have their own ones.
   * @throws {BridgeError} disconnected, unsupported
   */
  async gains(parts: Float64Array): Promise<GainPlan & { readonly restored: boolean }> {
    return (await this.#command({ kind: 'gains', arm: this.index, parts })).gains!;
  }

  /**
   * From now on the servos work with these parts of their own position gains, 0..1 by joint, when the arm does not float;
   * what connects anew has its own ones.
   * @throws {BridgeError} disconnected, unsupported
   */
  async workWith(parts: Float64Array): Promise<void> {
    await this.#command({ kind: 'work_gains', arm: this.index, parts });
  }

  /** The motion, if it is still the present one, decelerates to a hold. */
  async cancel(motion: number): Promise<void> {
    await this.#command({ kind: 'cancel', arm: this.index, motion });
    // The snapshot tells of it from the next cycle on.
    await this.nextCycle();
  }

  async stop(reason: string): Promise<void> {
    this.#stopReason = reason;
    this.#stops++;
    this.#shared.latchStop(this.index, StopWord.asked);
    this.#lose({ reason: 'stopped', message: `stopped (${reason})` });
    while (this.#shared.stopLatched(this.index)) {
      if (['stopped', 'disconnected'].includes(this.read().state)) return;
      await this.nextCycle();
    }
  }

  get latched(): boolean {
    return this.#shared.stopLatched(this.index);
  }

  async reset(): Promise<void> {
    const stops = this.#stops;
    // A stop that was latched just before counts as seen only once the loop has taken it.
    await this.nextCycle();
    const { state } = this.read();
    if (!this.remote && state !== 'disconnected' && this.read().alarms.some((bits) => bits !== 0))
      await this.#recover();
    // Whoever has stopped it meanwhile has been told that it is stopped.
    if (this.#stops !== stops) this.requireDrivable();
    this.#shared.latchStop(this.index, StopWord.none);
    while (this.read().state === 'stopped') {
      await this.nextCycle();
      if (this.#shared.stopLatched(this.index)) this.requireDrivable();
    }
  }

  /** Brings back servos that an overload has cut off, while the arm is stopped. @throws {BridgeError} stopped */
  async #recover(): Promise<void> {
    try {
      await this.#control.command({ kind: 'recover', arm: this.index });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new BridgeError('stopped', `Arm ${this.name} stays stopped: ${why}.`);
    }
    const deadline = this.clock.now() + RECOVERY_TIMEOUT;
    do await this.nextCycle();
    while (this.read().state === 'disconnected' && this.clock.now() < deadline);
  }

  /** Resolves after the next control cycle; rejects when none comes within a second. */
  async nextCycle(): Promise<void> {
    const { cycle } = this.#shared;
    await this.#shared.nextCycle(cycle, 1);
    if (this.#shared.cycle === cycle) {
      throw new BridgeError('unavailable', 'The control loop has not run for a second. Restart the bridge.');
    }
  }

  async #command(command: Parameters<ControlClient['command']>[0]): ReturnType<ControlClient['command']> {
    try {
      return await this.#control.command(command);
    } catch (error) {
      this.requireDrivable();
      if (!(error instanceof BridgeError) || error.code === 'unavailable') throw error;
      throw new BridgeError(error.code, `Arm ${this.name} cannot do this: ${error.message}.`);
    }
  }

  #lose(loss: Loss): void {
    const claim = this.#claim;
    this.#claim = null;
    this.#keeper = null;
    claim?.lose(loss);
  }

  #ended(motion: number, reason: EndReason): void {
    this.#lastEnd = { motion, reason };
    if (this.#driven?.motion === motion) this.#driven = null;
    this.#ends.get(motion)?.(reason);
    this.#ends.delete(motion);
  }

  #changed(state: number, reason: string): void {
    this.#reason = reason;
    if (state === this.#state) return;
    this.#state = state;
    if (state === StateCode.disconnected) {
      // A control thread that has failed tells of no end.
      for (const motion of [...this.#ends.keys()]) this.#ended(motion, 'disconnected');
      this.#lose({ reason: 'disconnected', message: `the arm is disconnected (${reason})` });
    } else if (state === StateCode.stopped && reason !== '') {
      // The control loop has stopped it by itself.
      this.#stopReason = reason;
      this.#lose({ reason: 'stopped', message: `stopped (${reason})` });
    }
    const why = state === StateCode.stopped ? this.#stopReason : state === StateCode.disconnected ? reason : '';
    for (const listener of this.#stateListeners) listener(ARM_STATES[state]!, why);
  }
}
