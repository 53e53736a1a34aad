import type { Clock } from '../clock.ts';
import type { Chain } from '../kinematics/chain.ts';
import type { Pose } from '../kinematics/frames.ts';
import { toolWrench } from '../kinematics/tool-wrench.ts';
import { Running } from '../machine.ts';
import { messageOf } from '../message-of.ts';
import type { Ailment, JointHoming } from '../rt/driver/arm-link.ts';
import { crawlPart } from '../rt/joint/crawl.ts';
import { GROUPS, type Group, type Joints, meet } from '../rt/joint/joint-groups.ts';
import type { EndReason } from '../rt/joint/motions.ts';
import { ARM_STATES, type ArmSnapshot, type ArmState, StateCode } from '../rt/snapshot/arm-fields.ts';
import type { ArmControl } from './arm-control.ts';
import type { ArmRecords } from './arm-records.ts';
import { ArmServos } from './arm-servos.ts';
import { ArmSession, releaseTorque } from './arm-session.ts';
import type { ControlListener } from './control-client.ts';
import { GroupOwners } from './group-owners.ts';
import { type Act, type Journal, originOf } from './journal.ts';
import { Lag } from './lag.ts';
import { withCause } from './loop-load.ts';
import { type ArmModel, mounted } from './model.ts';
import { type Holding, ownedBy } from './ownership.ts';
import { REPORTED_STATE } from './reported-state.ts';
import { type Activity, BridgeError, type Caller, type Origin, type Owner } from './types.ts';
import { REST_LIMIT, UNRESTED } from './unrested.ts';

/** Longest wait for the recovery of servos, s. */
const RECOVERY_TIMEOUT = 3;
/** If this thread hears of a stop later than this, s, it was busy and older requests may still be queued. */
const HEARD_LATE = 0.1;
/** For this long after a stop heard late, s, a reset may be one of those older requests. */
const RESET_DOUBT = 0.5;
/** Longest wait for an arm to brake, s. */
const BRAKING_LIMIT = 0.4;
/** A goal beyond a servo's own position limit by no more than this is clamped, rad: two programs round differently. */
const SERVO_LIMIT_SLACK = 0.01;

/** Why there is no sample, where the arm has no reason of its own. */
const UNHEARD =
  'its servos have not answered since; if they stay silent, check their supply and cables (arm-bridge doctor)';
const UNATTENDED =
  'the bridge was busy for more than 0.25 s and would have heard no stop: every arm was made to hold, until it is asked again';
/** Human-readable reasons why the control thread ended a motion, where its own text says too little. */
const ENDS: Readonly<Partial<Record<EndReason, string>>> = {
  silent: 'its servos have not answered for a while; the arm holds',
  unattended: UNATTENDED,
};

/** A request to an arm, numbered before planning finds out how, or whether, it can be done: see `Arm.ask`. */
export interface Ask {
  readonly number: number;
}

export interface ClaimOptions {
  /** s; a motion still running then decelerates to a hold; left out: no limit. */
  readonly timeLimit?: number;
  /** The request that the session serves, if it was made earlier. */
  readonly ask?: Ask;
  /** The session lowers the arm: allowed after the arm's own servos have stopped it, and at any joint angles. */
  readonly lowering?: boolean;
  /** Joints to drive; left out: all joints. */
  readonly joints?: Joints;
  /** The session moves nothing: torque, a halt, a hold. */
  readonly still?: boolean;
  /** A person leads the arm: on another machine it may then be limp, or floated by somebody there. */
  readonly led?: boolean;
  /** Journal entry of the session; left out: a motion, or torque if it moves nothing. */
  readonly act?: Act;
}

/** New zero of a joint's first servo, and what calibration found out about the joint. */
export interface JointMount extends JointHoming {
  /** Steps between which the joint was led; undefined if nobody led it. */
  readonly travel: readonly [number, number] | undefined;
}

export interface ArmOptions {
  readonly id: number;
  readonly name: string;
  readonly model: ArmModel;
  readonly bus: string;
  readonly chain: Chain;
  readonly control: ArmControl;
  readonly records: ArmRecords;
  readonly journal: Journal;
  /** See `Arm.kit`; left out: false. */
  readonly kit?: boolean;
  /** Whether the arm has been taken off its bus on purpose. */
  readonly detached: () => boolean;
  /** Why this computer may hear its servos too late, human-readable; empty when nothing delays it. */
  readonly trouble: () => string;
}

/** Origin of a stop that nobody requested. */
const BY_ITSELF: Origin = { who: 'its servos', from: 'the bridge', what: 'its servos', request: null };

/** Origin of unlabelled calls from within the bridge. */
const UNSAID: Origin = { who: 'the bridge', from: 'the bridge', what: 'the bridge', request: null };

function actOf({ act, still = false }: ClaimOptions): Act {
  return act ?? (still ? 'torque' : 'motion');
}

/** Kinds of activity that go on while a joint lags: a move fails then. */
const FOLLOWING: ReadonlySet<string> = new Set(['mirror', 'stream', 'chunks', 'jog']);

/** One arm on the main thread: its description, its state, its owner, and its stop. */
export class Arm implements ControlListener {
  readonly id: number;
  readonly name: string;
  /** Where its servos are, as configured: `sim:so101`, `ros`, ... */
  readonly bus: string;
  /** True when another machine owns its bus (`bus: ros`). */
  readonly remote: boolean;
  readonly simulated: boolean;
  /** A simulated kit set up for practice: like a real arm, it gets its zeros from its calibration. */
  readonly kit: boolean;
  /** Index of the arm in the control thread. */
  readonly index: number;
  readonly chain: Chain;
  readonly clock: Clock;
  /** Models and settings of its servos. */
  readonly servos: ArmServos;
  /** True once a move to its pose `init` has set the zero of the absolute frame. */
  initialised = false;
  /** Called with warnings about the arm's servos. */
  onWarning: (text: string) => void = () => {};
  /** Called with a joint whose servo can no longer carry its load, and why: the arm must be lowered. */
  onAiling: (joint: number, text: string, ailment: Ailment) => void = () => {};
  /** Called when an epoch has begun: earlier requests may be void. */
  onEpoch: () => void = () => {};
  /** Motions may omit `uncalibrated` even while the arm's angles may be wrong. */
  movesUncalibrated = false;
  /** Why the caller may not have the arm at all, human-readable; empty when it may. */
  barred: (caller: Caller) => string = () => '';
  /** Why the arm was taken from its owner, human-readable; kept until someone drives it again. */
  notice = '';
  /** Why a joint does not follow what leads the arm, human-readable; empty when all do, and while nothing leads it. */
  lagging = '';
  /** Why a remote arm cannot be reached from this process, human-readable; empty when it can. */
  unreachable = '';
  /** Number of motions and stops that people and programs have requested so far. */
  acts = 0;
  /**
   * When everything that waited or streamed for this arm was last ended, monotonic, s. Streams must pause before they
   * may take the arm again.
   */
  interrupted = Number.NEGATIVE_INFINITY;
  /** The same, where the control thread ended it by itself: a message that arrives now may have been sent before. */
  severed = Number.NEGATIVE_INFINITY;
  /** Servos had torque when the bridge started: an earlier process, or another program, has left the arm so. */
  foundHolding = false;
  /** Who took the arm, or a group of its joints, last, and when, monotonic, s. */
  #claimed = { key: '', at: Number.NEGATIVE_INFINITY };
  #model: ArmModel;
  #state: number = StateCode.disconnected;
  #reason = 'it has not been reached yet';
  #stopReason = '';
  /** Mark of the newest stop that this thread knows of: other threads latch stops too. */
  #knownStop = 0;
  /** A reset before this instant may have been sent before a stop that this thread heard of late, s. */
  #resetsFrom = Number.NEGATIVE_INFINITY;
  /** Number of the newest ask: asks are numbered as they arrive. */
  #asks = 0;
  /** Per group of joints, the newest ask that began an epoch: older asks are void. */
  readonly #begun: Record<Group, number> = { arm: 0, gripper: 0 };
  /** The epoch that this thread knows of. */
  #epoch: number;
  readonly #reported = new Running(REPORTED_STATE);
  readonly #control: ArmControl;
  readonly #records: ArmRecords;
  readonly journal: Journal;
  readonly #ownership: GroupOwners;
  readonly #detached: () => boolean;
  readonly #trouble: () => string;
  /**
   * State of a remote arm as reported by its machine; nothing blocks an own arm, or a remote one without a report yet.
   */
  #remoteOwner = { holding: true, blocked: '', other: '' };
  readonly #lag: Lag;
  readonly #stateListeners = new Set<(state: ArmState, reason: string) => void>();

  constructor(options: ArmOptions) {
    this.id = options.id;
    this.name = options.name;
    this.#model = options.model;
    this.#lag = new Lag(options.model.joints.length);
    this.bus = options.bus;
    this.remote = options.bus === 'ros';
    this.simulated = options.bus.startsWith('sim:');
    this.kit = options.kit ?? false;
    this.chain = options.chain;
    this.#control = options.control;
    this.index = options.control.index;
    this.clock = options.control.clock;
    this.#records = options.records;
    this.journal = options.journal;
    this.#detached = options.detached;
    this.#trouble = options.trouble;
    this.#ownership = new GroupOwners(this);
    this.#epoch = options.control.epoch;
    this.servos = new ArmServos(this, options.control);
    options.control.explain = () => this.requireDrivable();
  }

  /**
   * The bridge has found the arm holding, and nobody has driven or stopped it since: a stream that it has not heard before
   * may be one that drove the arm through an earlier process.
   */
  get inherited(): boolean {
    return this.foundHolding && this.acts === 0;
  }

  /** True while the arm has been taken off its bus on purpose. */
  get detached(): boolean {
    return this.#detached();
  }

  get model(): ArmModel {
    return this.#model;
  }

  /** Present owner of the arm or, if it has none, of its gripper; null when both are free. */
  get owner(): Owner | null {
    return this.#ownership.owner('all');
  }

  /** Owner of any of these joints; null when all are free. */
  ownerOf(joints: Joints): Owner | null {
    return this.#ownership.owner(joints);
  }

  /** Group of joints with which this joint of the model is driven. */
  groupOf(joint: number): Group {
    return joint === this.model.gripper?.index && !this.remote ? 'gripper' : 'arm';
  }

  /** Groups to drive for someone who moves model joints of these names. */
  jointsOf(names: readonly string[]): Joints {
    const groups = new Set(
      names.map((name) => this.groupOf(this.model.joints.findIndex((joint) => joint.name === name))),
    );
    return groups.size === 1 ? [...groups][0]! : 'all';
  }

  /** Owner of the arm, and since when; null when the arm is free. */
  get held(): Holding | null {
    return this.#ownership.held('all');
  }

  /** Who keeps the arm between motions; null when nobody does. */
  get keeper(): Owner | null {
    return this.#ownership.keeper;
  }

  /** Looks whether all joints follow what leads the arm; to be called a few times a second. */
  watchLag(): void {
    if (FOLLOWING.has(this.activity?.kind ?? '')) {
      this.lagging = this.#lag.look(this, this.clock.now());
    } else {
      this.lagging = '';
      this.#lag.forget();
    }
  }

  /** What drives the arm; null while it holds or is limp. */
  get activity(): Activity | null {
    return this.#control.activity;
  }

  /** Elapsed fraction of the time of a motion, 0..1; null for one that does not run, or has no end. */
  progressOf(motion: number): number | null {
    return this.#control.progressOf(motion);
  }

  /** What the running session is about to do to its torque; null when torque stays as it is. */
  get headsFor(): ArmSession['headsFor'] {
    return this.#ownership.headsFor;
  }

  /**
   * Why the arm is disconnected or stopped, or what else keeps it from being driven, human-readable; empty otherwise.
   */
  get reason(): string {
    const { state } = this.read();
    if (state === 'stopped') return this.#stopReason;
    if (state !== 'disconnected') return this.#remoteOwner.blocked || this.notice || this.lagging;
    // The snapshot may be ahead of the message with the reason.
    const why = this.unreachable || this.#reason || 'its servos are being checked';
    return `${why}${this.notice === '' ? '' : `; ${this.notice}`}`;
  }

  /** Fraction of the model's largest speeds that moves and following may use, above 0 and at most 1. */
  get speedScale(): number {
    return this.#control.speedScale;
  }

  /** Sets that fraction: following obeys at once, moves from the next one on because they are planned with it. */
  limitSpeed(part: number): void {
    this.#control.speedScale = part;
  }

  /**
   * Fraction of the model's largest accelerations for speeding up in moves and following; braking uses the full limits.
   */
  get accelerationScale(): number {
    return this.#control.accelerationScale;
  }

  /** Sets that fraction: following obeys at once, moves from the next motion that begins at rest. */
  limitAcceleration(part: number): void {
    this.#control.accelerationScale = part;
  }

  /** Speed fraction for moves planned now: less than `speedScale` while the arm's angles may be wrong. */
  get pace(): number {
    if (this.doubt === '') return this.speedScale;
    return Math.min(this.speedScale, crawlPart(this.model.joints.map(({ move }) => move.velocity)));
  }

  /** Why its joint angles may be wrong, human-readable; empty when they are trusted. */
  get doubt(): string {
    const { calibrated, outside, positions, state, servoLower, servoUpper } = this.read();
    if (state === 'disconnected') return '';
    if (!calibrated) return 'it has no calibration';
    const joint = outside.findIndex((beyond) => beyond !== 0);
    if (joint < 0) return '';
    const { name, lower, upper } = this.model.joints[joint]!;
    const [least, most] = [Math.max(lower, servoLower[joint]!), Math.min(upper, servoUpper[joint]!)];
    const own = positions[joint]! < least ? least > lower : most < upper;
    const whose = own ? "its servo's own limits" : 'its limits';
    const limits = own ? `${least.toFixed(2)} to ${most.toFixed(2)}` : `${lower.toFixed(2)} to ${upper.toFixed(2)}`;
    return `${name} is at ${positions[joint]!.toFixed(2)} rad, beyond ${whose} (${limits}): its calibration may be wrong`;
  }

  /** Why motions without `uncalibrated` are refused, human-readable; empty when they are not. */
  get unplaced(): string {
    return this.movesUncalibrated ? '' : this.doubt;
  }

  /** Names of the joints that are beyond their limits. */
  get outside(): string[] {
    const { outside } = this.read();
    return this.model.joints.filter((_, i) => outside[i] !== 0).map(({ name }) => name);
  }

  /**
   * Which servo accepts no goal at a pose (rad; NaN: no goal) because of its own position limits, human-readable; empty
   * if all do. A joint that stands beyond them may stay there. A gripper is left out: it goes as far as it can.
   */
  servoLimitAt(pose: Float64Array): string {
    const { servoLower, servoUpper, positions } = this.read();
    const joint = pose.findIndex((angle, i) => {
      if (i === this.model.gripper?.index) return false;
      const lower = Math.min(servoLower[i]!, positions[i]!) - SERVO_LIMIT_SLACK;
      return angle < lower || angle > Math.max(servoUpper[i]!, positions[i]!) + SERVO_LIMIT_SLACK;
    });
    if (joint < 0) return '';
    const range = `${servoLower[joint]!.toFixed(2)} to ${servoUpper[joint]!.toFixed(2)} rad`;
    return (
      `the servo of ${this.model.joints[joint]!.name} keeps to its own position limits, ${range}, and accepts no goal at ` +
      `${pose[joint]!.toFixed(2)} rad: ask for an angle within them, or calibrate the arm to set them anew (arm-bridge calibrate)`
    );
  }

  /** Factor by which moves may take longer than at the model's limits, at most: 1 or more. */
  get slowdown(): number {
    return 1 / Math.min(this.pace, this.accelerationScale);
  }

  /** The newest complete snapshot; the next call on the same arm reuses the returned object. */
  read(): ArmSnapshot {
    return this.#control.read();
  }

  /** Resolves with a snapshot whose bus read began after the call. @throws {BridgeError} no_sample after `timeout` s */
  async readFresh(timeout: number): Promise<ArmSnapshot> {
    const control = this.#control;
    const deadline = this.clock.now() + timeout;
    // The bus read of the current cycle may have begun before the call; that of the next cycle cannot have.
    let { cycle } = control;
    await control.cycleAfter(cycle, timeout);
    const { sampleInstant } = this.read();
    while (this.clock.now() < deadline) {
      cycle = control.cycle;
      const snapshot = this.read();
      if (snapshot.sampleInstant !== sampleInstant) return snapshot;
      await control.cycleAfter(cycle, Math.max(0.001, deadline - this.clock.now()));
    }
    const why = this.#reason || withCause(UNHEARD, this.#trouble());
    throw new BridgeError('no_sample', `Arm ${this.name} has given no sample within ${timeout} s: ${why}.`, {
      arm: this,
    });
  }

  /** Resolves after the next control cycle. @throws {BridgeError} unavailable when none comes within a second */
  nextCycle(): Promise<void> {
    return this.#control.nextCycle();
  }

  /** Waits until the goals of decelerating joints stand still. */
  async standing(joints: Joints = 'all'): Promise<void> {
    const limit = this.clock.now() + BRAKING_LIMIT;
    for (let last = this.read().goals.slice(); this.clock.now() < limit; last = this.read().goals.slice()) {
      await this.nextCycle();
      if (this.read().goals.every((goal, i) => !meet(this.groupOf(i), joints) || goal === last[i])) return;
    }
  }

  /** Tool pose in the arm's base frame for joint positions `q` (rad, one per joint). */
  toolPose(q: Float64Array): Pose {
    return this.chain.toolPose(q);
  }

  /**
   * External force (N) and moment (Nm) at the tool, x y z each, in base or tool axes, from the external torques of a
   * snapshot. Null where they are unknown: the arm is limp, or belongs to another machine that does not report them.
   */
  toolWrench({ positions, external, holding }: ArmSnapshot, axes: 'base' | 'tool'): Float64Array | null {
    return holding && Number.isFinite(external[0]!) ? toolWrench(this.chain, positions, external, axes) : null;
  }

  /** Gripper opening, 0 closed .. 1 open, for joint positions `q`; null for an arm without a gripper. */
  gripperOpening(q: Float64Array): number | null {
    const { gripper } = this.model;
    if (gripper === null) return null;
    const opening = (q[gripper.index]! - gripper.closed) / (gripper.open - gripper.closed);
    return Math.min(Math.max(opening, 0), 1);
  }

  /** Calls `listener` with each new state of the arm and its reason, if any. @returns a function that unsubscribes */
  onState(listener: (state: ArmState, reason: string) => void): () => void {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  }

  /** @throws {BridgeError} disconnected, with the reason and the time of the last good sample */
  requireConnected(): void {
    const { state, sampleTime } = this.read();
    if (state !== 'disconnected') return;
    const last = sampleTime === 0 ? 'none yet' : new Date(sampleTime * 1000).toISOString();
    throw new BridgeError(
      'disconnected',
      `Arm ${this.name} is disconnected: ${this.reason}. Last good sample: ${last}.`,
      { arm: this, remedy: this.detached ? 'connect' : null },
    );
  }

  /** @throws {BridgeError} disconnected or stopped, with the reason and the remedy; unsupported when its machine has it limp */
  requireDrivable(): void {
    this.#requireAlive();
    if (this.#remoteOwner.holding) return;
    throw new BridgeError(
      'unsupported',
      `Arm ${this.name} is limp: switch its torque on at the machine that owns its bus.`,
      { arm: this },
    );
  }

  /** For an arm that a person is to lead, which may be limp. @throws {BridgeError} disconnected or stopped */
  requireLeadable(): void {
    this.#requireAlive();
  }

  #requireAlive(): void {
    this.requireConnected();
    if (this.read().state === 'stopped' || this.latched) {
      throw new BridgeError('stopped', `Arm ${this.name} is stopped (${this.#stopReason}).`, {
        arm: this,
        remedy: 'reset',
      });
    }
    const { blocked } = this.#remoteOwner;
    if (blocked !== '')
      throw new BridgeError('stopped', `Arm ${this.name} cannot be driven: ${blocked}.`, { arm: this });
  }

  /** @throws {BridgeError} uncalibrated, when the arm's angles may be wrong and the caller has not acknowledged that */
  requirePlaced({ uncalibrated = false }: Pick<Caller, 'uncalibrated'>): void {
    const { unplaced } = this;
    if (uncalibrated || unplaced === '') return;
    throw new BridgeError('uncalibrated', `Arm ${this.name} is not moved: ${unplaced}.`, {
      arm: this,
      remedy: 'calibrate',
    });
  }

  /**
   * The machine that owns the arm reports its state. A motion from here that is no longer allowed ends; an arm that is led
   * may be limp.
   * @param blocked why the arm must not be driven from here; empty when it may
   * @param other who else drives it there, human-readable; empty: nobody
   */
  toldByOwner(holding: boolean, blocked: string, other: string): void {
    this.#remoteOwner = { holding, blocked, other };
    if (blocked === '' && (holding || this.#ownership.led)) return;
    const message = blocked === '' ? 'the machine that owns its bus has switched its torque off' : blocked;
    this.#interrupt();
    this.#ownership.lose({ reason: 'stopped', message });
  }

  /** The machine that owns the arm no longer follows: whatever drives the arm from here ends. @param message why */
  letGoByOwner(message: string): void {
    if (this.#ownership.led) return;
    this.#interrupt();
    this.#ownership.lose({ reason: 'taken_over', message });
  }

  /** @throws {BridgeError} as `requireDrivable`; also unsupported unless all servos of the arm hold */
  requireHolding(): void {
    this.requireDrivable();
    const { holding, state } = this.read();
    if (holding) return;
    throw new BridgeError('unsupported', `Arm ${this.name} is ${state}, not ready.`, {
      arm: this,
      remedy: 'torque_on',
    });
  }

  /** Takes over an epoch that the control thread began: earlier requests are void. */
  followEpoch(): void {
    const { epoch } = this.#control;
    if (epoch === this.#epoch) return;
    this.#epoch = epoch;
    const ask = ++this.#asks;
    for (const group of GROUPS) this.#begun[group] = ask;
    this.interrupted = this.clock.now();
    this.severed = this.interrupted;
    this.onEpoch();
  }

  /**
   * When what this caller had begun with the arm was last ended, monotonic, s: by an interruption or, unless the caller
   * takes over, by another owner.
   */
  intentEnded({ owner, takeOver }: Caller): number {
    this.followEpoch();
    const own = takeOver || this.#claimed.key === owner.key;
    return own ? this.interrupted : Math.max(this.interrupted, this.#claimed.at);
  }

  /**
   * Numbers a request that takes a while to plan. A session claimed for it is refused if the arm's epoch has ended
   * meanwhile: by a stop, a reset, a disconnection, or a later request.
   */
  ask(): Ask {
    // From here on the request is newer than anything the control thread has done.
    this.followEpoch();
    return { number: ++this.#asks };
  }

  /** Number of the newest ask that began an epoch of any of these joints; constant until another session gets them. */
  intentOf(joints: Joints): number {
    return Math.max(...GROUPS.filter((group) => meet(group, joints)).map((group) => this.#begun[group]));
  }

  /** @throws {BridgeError} when this request for these joints is void */
  requireWanted(ask: Ask, joints: Joints = 'all'): void {
    this.followEpoch();
    if (ask.number >= this.intentOf(joints)) return;
    this.requireDrivable();
    throw new BridgeError(
      'unsupported',
      `Arm ${this.name} has been asked for something newer, or has been stopped or released, or the bridge was too busy to ` +
        'hear a stop, while this was being planned. Nothing has moved.',
      { arm: this },
    );
  }

  /**
   * Takes the arm for an owner and begins an epoch of its intent. The previous owner is notified.
   * @throws {BridgeError} disconnected, stopped, uncalibrated, owned; unsupported when the request is void
   */
  claim(caller: Caller, options: ClaimOptions = {}): ArmSession {
    try {
      return this.#claim(caller, options);
    } catch (error) {
      if (error instanceof BridgeError) this.recordRefusal(caller, error, actOf(options));
      throw error;
    }
  }

  /** Records a refusal in the journal; that of an HTTP request is recorded with its response instead. */
  recordRefusal(caller: Caller, { message }: BridgeError, act: Act = 'motion'): void {
    if (caller.origin?.request == null) this.journal.record(act, this.name, originOf(caller), 'refused', message);
  }

  /** @throws {BridgeError} owned, if another bridge drives an arm of this name for such callers */
  requireUnbarred(caller: Caller): void {
    const barred = this.barred(caller);
    if (barred !== '') throw new BridgeError('owned', `Arm ${this.name} is not driven: ${barred}.`, { arm: this });
  }

  /**
   * For a caller that is about to claim several arms, of which it needs all.
   * @param led a person leads the arm: who floats it on its own machine does not matter
   * @throws {BridgeError} uncalibrated, owned; stopped when reserved: if a claim for a motion would
   */
  requireClaimable(caller: Caller, led: boolean): void {
    try {
      this.requirePlaced(caller);
      this.#ownership.requireClaimable(caller, 'all');
      if (!led) this.#requireRemoteFree(caller);
    } catch (error) {
      if (error instanceof BridgeError) this.recordRefusal(caller, error);
      throw error;
    }
  }

  /** What its machine has told may be past: take-over tries, and ends soon if it is not. @throws {BridgeError} owned */
  #requireRemoteFree({ takeOver }: Caller): void {
    const { other } = this.#remoteOwner;
    if (other === '' || takeOver) return;
    throw new BridgeError(
      'owned',
      `Arm ${this.name} is driven by ${other} on its own machine: release it there, or end that motion.`,
      { arm: this },
    );
  }

  #claim(caller: Caller, claimed: ClaimOptions): ArmSession {
    const {
      timeLimit = Number.POSITIVE_INFINITY,
      ask = this.ask(),
      lowering = false,
      still = false,
      led = false,
      joints: wanted = 'all',
    } = claimed;
    if (led) this.requireLeadable();
    else if (!lowering || !this.failed) this.requireDrivable();
    if (!lowering && !still) this.requirePlaced(caller);
    this.requireUnbarred(caller);
    const joints = this.#apart ? wanted : 'all';
    this.requireWanted(ask, joints);
    const takenFrom = this.#ownership.held(joints, caller.owner.key)?.owner.name ?? null;
    const make = (): ArmSession => {
      if (caller.automatic !== true) this.acts++;
      this.#beginEpoch(ask, joints);
      this.#claimed = { key: caller.owner.key, at: this.clock.now() };
      const doing = this.journal.begin(actOf(claimed), this.name, originOf(caller), takenFrom);
      const options = { timeLimit, lowering, led, joints, doing };
      return new ArmSession(this, this.#control, this.#epoch, caller, options, (session) => this.#release(session));
    };
    const session = this.#ownership.claim(caller, joints, make);
    this.notice = '';
    caller.onTaken?.(session);
    return session;
  }

  /**
   * Takes the arm from its owner and keeps it between sessions too, until it is released, taken over, stopped or
   * disconnected. Whatever drives it decelerates to a hold. @throws {BridgeError} disconnected, stopped
   */
  takeOver(caller: Caller): Promise<void> {
    return this.#halt({ ...caller, takeOver: true }, 'take_over', () => this.#ownership.keep());
  }

  /** Like `takeOver`, but only where the arm is free. @throws {BridgeError} disconnected, stopped, owned */
  keepFor(caller: Caller): Promise<void> {
    return this.#halt(caller, 'take_over', () => this.#ownership.keep());
  }

  /**
   * Releases the arm; the caller's motion decelerates to a hold. Resolves to false if the arm had no owner.
   * @throws {BridgeError} owned, disconnected, stopped
   */
  async release(caller: Caller): Promise<boolean> {
    const { owner } = this;
    if (owner === null) return false;
    // Whoever started what drives it may also end that.
    const takeOver = caller.takeOver || owner.client?.key === caller.owner.key;
    await this.#halt({ ...caller, takeOver }, 'release', () => this.letGo());
    return true;
  }

  /**
   * The keeper has gone: nobody keeps the arm now. A running motion continues to its end.
   * @param why follows the keeper's name
   */
  lapse(why: string): void {
    const { keeper } = this;
    if (keeper === null) return;
    this.#ownership.letGo();
    this.journal.record('release', this.name, originOf({ owner: keeper, takeOver: false }), 'done', `it ${why}`);
    this.onWarning(`it belongs to nobody any more, since ${keeper.name}, who had taken it, ${why}`);
  }

  /**
   * @returns why the caller may not have the arm: it has another owner, and the caller does not take over; else null
   */
  refusalFor({ owner, takeOver }: Caller, joints: Joints = 'all'): BridgeError | null {
    const held = takeOver ? null : this.#ownership.held(joints, owner.key);
    if (held === null) return null;
    return ownedBy(this, held);
  }

  /** Nobody keeps the arm between sessions any more. */
  letGo(): void {
    this.#ownership.letGo();
    this.#interrupt();
  }

  /**
   * Decelerates whatever drives the arm to a hold; its keeper keeps it. Resolves to false when nothing drove the arm.
   * @param onTaken called as soon as no other owner has the arm
   * @param joints to halt
   * @throws {BridgeError} owned, disconnected, stopped
   */
  async halt(caller: Caller, onTaken: () => void = () => {}, joints: Joints = 'all'): Promise<boolean> {
    const driven = this.activity !== null;
    await this.#halt(caller, 'halt', onTaken, joints);
    return driven;
  }

  /** From now on nobody else can take the arm, not even by take-over. */
  reserve(owner: Owner): void {
    this.#ownership.reserve(owner);
  }

  /** Others can take the arm again, unless it is now reserved for a different owner. */
  unreserve(owner: Owner): void {
    this.#ownership.unreserve(owner);
  }

  /** Switches torque off at once, even while the arm is stopped and has no owner. @throws {BridgeError} */
  async dropTorque(caller: Caller): Promise<void> {
    this.#interrupt();
    await this.journal.during('torque', this.name, originOf(caller), () =>
      releaseTorque(this, this.#control, this.#epoch),
    );
  }

  /** Ends the lowering of an arm with a limp or silent servo, finished or not. The arm is checked anew. */
  async giveUp(): Promise<void> {
    await this.#control.command({ kind: 'give_up' });
  }

  /**
   * Writes the homing of the first servo of each joint, in model order, while the arm is limp. Joint positions use it
   * from then on.
   * @param placed whether these angles are to be relied on
   * @throws {BridgeError}
   */
  async calibrate(joints: readonly JointMount[], placed = joints.every(({ expected }) => expected)): Promise<void> {
    const calibrated = (this.simulated && !this.kit) || placed;
    await this.#control.command({ kind: 'calibrate', joints, calibrated });
    const mounts = this.#model.joints.map(({ name }, i) => {
      const { sign, zero, offset, expected, travel } = joints[i]!;
      return [name, { sign, zero, homing: expected ? offset : undefined, travel }] as const;
    });
    this.#model = mounted(this.#model, Object.fromEntries(mounts));
  }

  /** The homing that was written has been tried: from now on the angles are relied on. @throws {BridgeError} */
  async place(): Promise<void> {
    await this.#control.command({ kind: 'calibrate', joints: [], calibrated: true });
  }

  /** A stop is latched. An arm that disconnects meanwhile is stopped when it comes back. */
  get latched(): boolean {
    return this.#control.latched;
  }

  /** Only its own servos stopped it, so it can be lowered. */
  get failed(): boolean {
    return this.#control.failed;
  }

  /**
   * Latches the stop before the arm is connected: an earlier process left it stopped, or a person must check it first.
   */
  latch(reason: string): void {
    this.#stopReason = reason;
    this.#knownStop = this.#control.latchStop();
  }

  /**
   * Latched stop: the arm decelerates within 0.25 s, holds, and refuses every motion until reset, even after a restart.
   * Ends everything that waits or streams. Needs no ownership.
   */
  async stop(reason: string, origin: Origin = UNSAID): Promise<void> {
    await this.journal.during('stop', this.name, origin, () => this.#stop(reason));
  }

  async #stop(reason: string): Promise<void> {
    const before = this.latched;
    this.#knownStop = this.#control.latchStop();
    this.#stopped(reason);
    // A stop of several arms latches all of them before it waits for a disk.
    await null;
    if (before) this.#records.stopOnce(this, reason);
    else this.#records.stop(this, reason);
    await this.#taken();
  }

  /** Waits until the control loop has carried out the stop. */
  async #taken(): Promise<void> {
    while (this.latched) {
      if (['stopped', 'disconnected'].includes(this.read().state)) return;
      await this.nextCycle();
    }
  }

  /**
   * Another thread has latched a requested stop and saved it to disk.
   * @param at when, monotonic, s
   */
  toldOfStop(reason: string, at: number, origin: Origin = UNSAID): void {
    const held = this.#seenHolding;
    const rested = async (): Promise<void> => {
      await this.#taken();
      await this.#requireRest(held);
    };
    const now = this.clock.now();
    // That thread answers the requester.
    this.journal.during('stop', this.name, origin, rested, now - at).catch(() => {});
    if (now - at > HEARD_LATE) this.#resetsFrom = now + RESET_DOUBT;
    this.#knownStop = this.#control.stopMark;
    this.#stopped(reason);
  }

  #stopped(reason: string): void {
    this.acts++;
    this.#stopReason = reason;
    this.#interrupt();
    this.#ownership.lose({ reason: 'stopped', message: `stopped (${reason})` });
  }

  /**
   * Stops the arm and waits until its joints are measured at rest. Does not wait for a remote arm, whose own machine
   * measures it.
   * @throws {BridgeError} unavailable when its joints keep moving although it is stopped
   */
  stopAtRest(reason: string, origin: Origin = UNSAID): Promise<void> {
    return this.journal.during('stop', this.name, origin, () => this.#stopAtRest(reason));
  }

  async #stopAtRest(reason: string): Promise<void> {
    const held = this.#seenHolding;
    await this.#stop(reason);
    await this.#requireRest(held);
  }

  get #seenHolding(): boolean {
    const { state, torque } = this.read();
    return !this.remote && state !== 'disconnected' && torque;
  }

  /**
   * @param held some servo had torque when it was stopped
   * @throws {BridgeError} unavailable when the joints of a stopped arm keep moving, or are not heard any more
   */
  async #requireRest(held: boolean): Promise<void> {
    const rests = await this.atRest();
    const silent = held && !this.detached && this.latched && this.read().state === 'disconnected';
    if (rests && !silent) return;
    throw new BridgeError('unavailable', silent ? UNRESTED.silent : UNRESTED.moves, { arm: this });
  }

  /**
   * Waits until the joints of an arm rest that is stopped, or for which a stop is latched. Does not wait for a remote arm.
   * @returns false when they keep moving
   */
  async atRest(): Promise<boolean> {
    const limit = this.clock.now() + REST_LIMIT;
    const rests = (): boolean => {
      const { state, resting } = this.read();
      if (state === 'stopped') return resting;
      // A latched stop that the control loop has still to carry out leaves the arm in motion.
      return !this.latched || state === 'disconnected';
    };
    while (!this.remote && !rests()) {
      if (this.clock.now() > limit) return false;
      await this.nextCycle();
    }
    return true;
  }

  /**
   * Leaves `stopped`. Afterwards the arm has no owner and holds, or is limp as before; earlier requests are void. No
   * effect on the motion of an arm that is not stopped.
   * @throws {BridgeError} stopped when it is stopped again at once, with that reason
   */
  reset(origin: Origin = UNSAID): Promise<void> {
    return this.journal.during('reset', this.name, origin, () => this.#reset());
  }

  async #reset(): Promise<void> {
    if (!this.latched) {
      this.#forgetStop();
      return;
    }
    const mark = this.#control.stopMark;
    // A stop latched just before counts as seen only once the loop has processed it.
    await this.nextCycle();
    const { state } = this.read();
    if (!this.remote && state !== 'disconnected' && this.read().alarms.some((bits) => bits !== 0))
      await this.#recover(mark);
    // Whoever stopped it meanwhile has been told that it is stopped.
    if (this.#control.stopMark !== mark) this.requireDrivable();
    if (!this.failed && (mark !== this.#knownStop || this.clock.now() < this.#resetsFrom)) {
      throw new BridgeError(
        'stopped',
        `Arm ${this.name} stays stopped: the bridge was too busy to hear that stop at once, and this reset may be older: reset it again.`,
        { arm: this },
      );
    }
    const { failed } = this;
    if (!failed) this.#voidForReset();
    if (!this.#control.releaseStop(mark)) this.requireDrivable();
    if (!failed) this.#forgetStop();
    while (this.read().state === 'stopped') {
      await this.nextCycle();
      if (this.latched) this.requireDrivable();
    }
    // One whose servos fail still has been stopped again, and what lowers it has gone on.
    if (!failed) return;
    this.#voidForReset();
    this.#forgetStop();
  }

  #voidForReset(): void {
    this.#interrupt();
    this.#ownership.lose({ reason: 'stopped', message: 'its stop has been reset' });
  }

  #forgetStop(): void {
    this.#records.release(this);
    // Another thread may have latched a stop just before, and saved it.
    if (this.latched) this.#records.stopOnce(this, this.#stopReason);
  }

  /** The control thread reports that a motion has ended. */
  ended(motion: number, reason: EndReason, told: string): void {
    const text = withCause(told || (ENDS[reason] ?? ''), this.#trouble());
    this.#control.ended(motion, { reason, text });
  }

  abandoned(epoch: number, driven: boolean): void {
    this.followEpoch();
    const lost = this.#ownership.loseBefore(epoch, { reason: 'unattended', message: UNATTENDED });
    // The owner may have released it already, having heard from its other arm; the present owner has asked since.
    if (lost || (driven && this.owner === null)) this.notice = UNATTENDED;
  }

  warning(text: string): void {
    this.onWarning(text);
  }

  ailing(joint: number, text: string, ailment: Ailment): void {
    this.onAiling(joint, text, ailment);
  }

  /** The control thread reports the arm's state, and its reason. */
  state(state: number, told: string): void {
    const reason = withCause(told, this.#trouble());
    this.#reason = reason;
    if (state === this.#state) return;
    this.#state = state;
    const byItself = state === StateCode.stopped && this.failed;
    const input =
      state === StateCode.disconnected
        ? 'gone'
        : byItself
          ? 'failed'
          : state === StateCode.stopped
            ? 'stopped'
            : 'there';
    for (const effect of this.#reported.put(input, this.clock.now())) this.#carryOut(effect, reason);
  }

  #carryOut(effect: keyof typeof REPORTED_STATE.effects, reason: string): void {
    switch (effect) {
      case 'endMotions':
        this.#control.endAll('disconnected');
        break;
      case 'loseDisconnected':
        this.#interrupt();
        this.#ownership.lose({ reason: 'disconnected', message: `the arm is disconnected (${reason})` });
        break;
      case 'keepStop':
        // Kept before the arm was disconnected: what its servos say now is not why they stopped it.
        if (this.#records.isStopped(this)) break;
        this.journal.record('stop', this.name, BY_ITSELF, 'done', reason);
        // After its reset nothing is to move by itself, as after a person's stop.
        if (this.failed) this.acts++;
        this.#stopReason = reason;
        this.#records.stop(this, reason);
        break;
      case 'loseStopped':
        // A failing servo does not end the lowering.
        if (this.failed && this.#ownership.lowers) break;
        this.#interrupt();
        this.#ownership.lose({ reason: 'stopped', message: `stopped (${this.#stopReason})` });
        break;
      case 'tell': {
        const state = ARM_STATES[this.#state]!;
        const why = state === 'stopped' ? this.#stopReason : state === 'disconnected' ? reason : '';
        for (const listener of this.#stateListeners) listener(state, why);
        break;
      }
    }
  }

  /** Claims the arm for a moment, so that whatever drives it decelerates to a hold. @param onTaken called at once */
  async #halt(caller: Caller, act: Act, onTaken: () => void, joints: Joints = 'all'): Promise<void> {
    const driven = this.activity !== null;
    const session = this.claim(caller, { still: true, act, joints });
    onTaken();
    try {
      if (driven) await this.#control.cancel(session.joints);
    } finally {
      session.end();
    }
  }

  #release(session: ArmSession): void {
    if (!this.#ownership.has(session)) return;
    this.#ownership.end(session);
    this.followEpoch();
    this.#beginEpoch({ number: this.intentOf(session.joints) }, session.joints);
  }

  /** Ends everything that waits or streams for this arm, whoever requested it. */
  #interrupt(): void {
    this.interrupted = this.clock.now();
    this.#beginEpoch(this.ask());
  }

  #beginEpoch(ask: Ask, joints: Joints = 'all'): void {
    this.#epoch = this.#control.endEpoch(joints);
    for (const group of GROUPS) if (meet(group, joints)) this.#begun[group] = ask.number;
    this.onEpoch();
  }

  /** The gripper can be driven separately from the other joints. */
  get #apart(): boolean {
    return !this.remote && this.model.gripper !== null;
  }

  /**
   * Recovers servos cut off by an overload, while the arm is stopped.
   * @param mark of that stop
   * @throws {BridgeError} stopped
   */
  async #recover(mark: number): Promise<void> {
    try {
      await this.#control.command({ kind: 'recover', mark });
    } catch (error) {
      throw new BridgeError('stopped', `Arm ${this.name} stays stopped: ${messageOf(error)}.`, { arm: this });
    }
    const deadline = this.clock.now() + RECOVERY_TIMEOUT;
    do await this.nextCycle();
    while (this.read().state === 'disconnected' && this.clock.now() < deadline);
  }
}
