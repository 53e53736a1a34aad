import type { Clock } from '../clock.ts';
import type { Chain } from '../kinematics/chain.ts';
import type { Pose } from '../kinematics/frames.ts';
import { toolWrench } from '../kinematics/tool-wrench.ts';
import { Running } from '../machine.ts';
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
import { withCause } from './loop-load.ts';
import { type ArmModel, mounted } from './model.ts';
import { type Holding, ownedBy } from './ownership.ts';
import { REPORTED_STATE } from './reported-state.ts';
import { type Activity, BridgeError, type Caller, messageOf, type Origin, type Owner } from './types.ts';

/** Longest wait for servos that are being brought back, s. */
const RECOVERY_TIMEOUT = 3;
/** A stopped arm whose joints still move after this time does not come to rest by itself, s: it brakes within 0.25 s, on a busy computer later. */
const REST_LIMIT = 0.8;
/** A stop of which this thread hears later than this has met it busy, with requests waiting that are older, s. */
const HEARD_LATE = 0.1;
/** For so long afterwards a reset may be one of those, s. */
const RESET_DOUBT = 0.5;
/** Longest wait for an arm to brake, s. */
const BRAKING_LIMIT = 0.4;

const UNATTENDED =
  'the bridge was busy for more than 0.25 s and would have heard no stop: every arm was made to hold, until it is asked again';
/** Why the control thread has ended a motion, for people, where it says too little. */
const ENDS: Readonly<Partial<Record<EndReason, string>>> = {
  silent: 'its servos have not answered for a while; the arm holds',
  unattended: UNATTENDED,
};

/** What somebody has asked an arm for, before it is known how, or whether, it can be done: see `Arm.ask`. */
export interface Ask {
  readonly number: number;
}

export interface ClaimOptions {
  /** s; a motion that has not ended by then decelerates to a hold; left out: there is no limit. */
  readonly timeLimit?: number;
  /** What the session is for, when that was asked before now. */
  readonly ask?: Ask;
  /** It lowers the arm, which may be done to one that its own servos have stopped, and whatever its angles are. */
  readonly lowering?: boolean;
  /** What it is to drive; left out: all joints. */
  readonly joints?: Joints;
  /** It moves nothing: torque, a halt, a hold. */
  readonly still?: boolean;
  /** What it is, for the journal; left out: a motion, or torque where it moves nothing. */
  readonly act?: Act;
}

/** What the first servo of a joint is to count from, and what is known of it from then on. */
export interface JointMount extends JointHoming {
  /** Steps between which the joint was led; undefined where nobody did. */
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
  /** See `Arm.kit`; left out: no. */
  readonly kit?: boolean;
  /** Whether it has been taken off its bus on purpose. */
  readonly detached: () => boolean;
  /** What keeps this computer from hearing its servos in time, for people; empty when nothing does. */
  readonly trouble: () => string;
}

/** Who stops an arm when nobody has asked for it. */
const BY_ITSELF: Origin = { who: 'its servos', from: 'the bridge', what: 'its servos', request: null };

/** Whoever calls from within the bridge. */
const UNSAID: Origin = { who: 'the bridge', from: 'the bridge', what: 'the bridge', request: null };

function actOf({ act, still = false }: ClaimOptions): Act {
  return act ?? (still ? 'torque' : 'motion');
}

/** One arm on the main thread: what it is, how it is, who has it, and its stop. */
export class Arm implements ControlListener {
  readonly id: number;
  readonly name: string;
  /** Where its servos are, as configured: `sim:so101`, `ros`, ... */
  readonly bus: string;
  /** True when another machine owns its bus (`bus: ros`). */
  readonly remote: boolean;
  readonly simulated: boolean;
  /** It was set up as a person would who practises: its zeros are those of its calibration, as of any real arm. */
  readonly kit: boolean;
  /** Place of the arm in the control thread. */
  readonly index: number;
  readonly chain: Chain;
  readonly clock: Clock;
  /** What its servos are and how they are set. */
  readonly servos: ArmServos;
  /** True once a move to its pose `init` has set the zero of the absolute frame. */
  initialised = false;
  /** Called with what people should know of the arm's servos. */
  onWarning: (text: string) => void = () => {};
  /** Called with the joint whose servo cannot go on carrying, and why: the arm is to be lowered. */
  onAiling: (joint: number, text: string, ailment: Ailment) => void = () => {};
  /** Called when an epoch has begun: what was asked before it may not be wanted any more. */
  onEpoch: () => void = () => {};
  /** Motions need no word of their own while its angles may be wrong. */
  movesUncalibrated = false;
  /** Why somebody may not have the arm at all, for people; empty when he may. */
  barred: (caller: Caller) => string = () => '';
  /** Why the arm has been taken from its owner, for people, until somebody drives it again. */
  notice = '';
  /** Why nothing can come from a remote arm in this process, for people; empty when something can. */
  unreachable = '';
  /** Motions and stops that people and programs have asked for so far. */
  acts = 0;
  /** When something ended all that waited or streamed for this arm, monotonic, s: streams must pause before they take it again. */
  interrupted = Number.NEGATIVE_INFINITY;
  /** The same where the control thread did it by itself: what comes now may have been sent before. */
  severed = Number.NEGATIVE_INFINITY;
  #model: ArmModel;
  #state: number = StateCode.disconnected;
  #reason = 'it has not been reached yet';
  #stopReason = '';
  /** Mark of the newest stop that this thread knows of: other threads latch stops too. */
  #knownStop = 0;
  /** A reset that comes before this instant may have been sent before a stop of which this thread has heard late, s. */
  #resetsFrom = Number.NEGATIVE_INFINITY;
  /** Asks are numbered as they come. */
  #asks = 0;
  /** The newest ask that has begun an epoch of each group of joints: older ones are over. */
  readonly #begun: Record<Group, number> = { arm: 0, gripper: 0 };
  /** The epoch as this thread has begun it last. */
  #epoch: number;
  readonly #reported = new Running(REPORTED_STATE);
  readonly #control: ArmControl;
  readonly #records: ArmRecords;
  readonly journal: Journal;
  readonly #ownership: GroupOwners;
  readonly #detached: () => boolean;
  readonly #trouble: () => string;
  /** What the machine that owns a remote arm says of it; of an own arm, and until it says something, nothing is against it. */
  #remoteOwner = { holding: true, blocked: '' };
  readonly #stateListeners = new Set<(state: ArmState, reason: string) => void>();

  constructor(options: ArmOptions) {
    this.id = options.id;
    this.name = options.name;
    this.#model = options.model;
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

  /** True while it has been taken off its bus on purpose. */
  get detached(): boolean {
    return this.#detached();
  }

  get model(): ArmModel {
    return this.#model;
  }

  /** Present owner of the arm or, where it has none, of its gripper; null when all is free. */
  get owner(): Owner | null {
    return this.#ownership.owner('all');
  }

  /** Who has some of these joints; null when they are free. */
  ownerOf(joints: Joints): Owner | null {
    return this.#ownership.owner(joints);
  }

  /** With which others a joint of the model is driven. */
  groupOf(joint: number): Group {
    return joint === this.model.gripper?.index && !this.remote ? 'gripper' : 'arm';
  }

  /** What is to be driven by somebody who moves joints of these names, of the model. */
  jointsOf(names: readonly string[]): Joints {
    const groups = new Set(
      names.map((name) => this.groupOf(this.model.joints.findIndex((joint) => joint.name === name))),
    );
    return groups.size === 1 ? [...groups][0]! : 'all';
  }

  /** Who has it and since when; null when the arm is free. */
  get held(): Holding | null {
    return this.#ownership.held('all');
  }

  /** Who keeps it between motions; null: nobody does. */
  get keeper(): Owner | null {
    return this.#ownership.keeper;
  }

  /** What drives it; null while it holds or is limp. */
  get activity(): Activity | null {
    return this.#control.activity;
  }

  /** What becomes of its torque by what is being done with it now; null: that stays as it is. */
  get headsFor(): ArmSession['headsFor'] {
    return this.#ownership.headsFor;
  }

  /** Why the arm is disconnected or stopped, for people; empty otherwise. */
  get reason(): string {
    const { state } = this.read();
    if (state === 'stopped') return this.#stopReason;
    if (state !== 'disconnected') return this.#remoteOwner.blocked || this.notice;
    // The snapshot may be ahead of the message that says why.
    const why = this.unreachable || this.#reason || 'its servos are being checked';
    return `${why}${this.notice === '' ? '' : `; ${this.notice}`}`;
  }

  /** Part of the largest speeds of its data that moves and following may use, above 0 and at most 1. */
  get speedScale(): number {
    return this.#control.speedScale;
  }

  /** Sets that part: at once for following, from the next motion on for moves, which are planned for it. */
  limitSpeed(part: number): void {
    this.#control.speedScale = part;
  }

  /** Part of the largest accelerations of its data with which moves and following may gain speed; braking keeps all. */
  get accelerationScale(): number {
    return this.#control.accelerationScale;
  }

  /** Sets that part: at once for following, from the next motion on that begins at rest for moves. */
  limitAcceleration(part: number): void {
    this.#control.accelerationScale = part;
  }

  /** Part of the largest speeds for moves that plans may use now: less than `speedScale` while its angles may be wrong. */
  get pace(): number {
    if (this.doubt === '') return this.speedScale;
    return Math.min(this.speedScale, crawlPart(this.model.joints.map(({ move }) => move.velocity)));
  }

  /** Why its joint angles may be wrong, for people; empty when they are not. */
  get doubt(): string {
    const { calibrated, outside, positions, state } = this.read();
    if (state === 'disconnected') return '';
    if (!calibrated) return 'it has no calibration';
    const joint = outside.findIndex((beyond) => beyond !== 0);
    if (joint < 0) return '';
    const { name, lower, upper } = this.model.joints[joint]!;
    const limits = `${lower.toFixed(2)} to ${upper.toFixed(2)}`;
    return `${name} is at ${positions[joint]!.toFixed(2)} rad, beyond its limits (${limits}): its calibration may be wrong`;
  }

  /** Why motions are refused that do not say `uncalibrated`, for people; empty when they are not. */
  get unplaced(): string {
    return this.movesUncalibrated ? '' : this.doubt;
  }

  /** Names of the joints that are beyond their limits. */
  get outside(): string[] {
    const { outside } = this.read();
    return this.model.joints.filter((_, i) => outside[i] !== 0).map(({ name }) => name);
  }

  /** By how much moves may take longer than at the limits of its data, at most: 1 or more. */
  get slowdown(): number {
    return 1 / Math.min(this.pace, this.accelerationScale);
  }

  /** The newest complete snapshot; the returned object is reused by the next call on the same arm. */
  read(): ArmSnapshot {
    return this.#control.read();
  }

  /** Resolves with a snapshot whose bus read began after the call. @throws {BridgeError} no_sample after `timeout` s */
  async readFresh(timeout: number): Promise<ArmSnapshot> {
    const control = this.#control;
    const deadline = this.clock.now() + timeout;
    // The read of the cycle that is under way may have begun before the call, the one after it cannot have.
    let { cycle } = control;
    await control.cycleAfter(cycle, timeout);
    const { sampleInstant } = this.read();
    while (this.clock.now() < deadline) {
      cycle = control.cycle;
      const snapshot = this.read();
      if (snapshot.sampleInstant !== sampleInstant) return snapshot;
      await control.cycleAfter(cycle, Math.max(0.001, deadline - this.clock.now()));
    }
    throw new BridgeError('no_sample', `Arm ${this.name} has given no sample within ${timeout} s. ${this.#reason}`, {
      arm: this,
    });
  }

  /** Resolves after the next control cycle. @throws {BridgeError} unavailable when none comes within a second */
  nextCycle(): Promise<void> {
    return this.#control.nextCycle();
  }

  /** Waits until the goals of joints that decelerate stand still. */
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
   * Force (N) and moment (Nm) at the tool, in axes of its base or of the tool, by the external torques of a snapshot; x y z each. Null
   * where nothing is known: the arm is limp, or another machine's that does not tell.
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

  /** Calls `listener` with each new state of the arm and its reason, if it has one; returns how to stop listening. */
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

  /** @throws {BridgeError} disconnected or stopped, with the reason and what to do */
  requireDrivable(): void {
    this.requireConnected();
    if (this.read().state === 'stopped' || this.latched) {
      throw new BridgeError('stopped', `Arm ${this.name} is stopped (${this.#stopReason}).`, {
        arm: this,
        remedy: 'reset',
      });
    }
    const { blocked, holding } = this.#remoteOwner;
    if (blocked !== '')
      throw new BridgeError('stopped', `Arm ${this.name} cannot be driven: ${blocked}.`, { arm: this });
    if (holding) return;
    throw new BridgeError(
      'unsupported',
      `Arm ${this.name} is limp: switch its torque on at the machine that owns its bus.`,
      { arm: this },
    );
  }

  /** @throws {BridgeError} uncalibrated, when its angles may be wrong and the caller does not say that he knows */
  requirePlaced({ uncalibrated = false }: Pick<Caller, 'uncalibrated'>): void {
    const { unplaced } = this;
    if (uncalibrated || unplaced === '') return;
    throw new BridgeError('uncalibrated', `Arm ${this.name} is not moved: ${unplaced}.`, {
      arm: this,
      remedy: 'calibrate',
    });
  }

  /**
   * The machine that owns the arm has said what it does with it. What drives the arm from here, and must not any more, ends.
   * @param blocked why it must not be driven from here; empty when it may
   */
  toldByOwner(holding: boolean, blocked: string): void {
    this.#remoteOwner = { holding, blocked };
    if (blocked === '' && holding) return;
    const message = blocked === '' ? 'the machine that owns its bus has switched its torque off' : blocked;
    this.#interrupt();
    this.#ownership.lose({ reason: 'stopped', message });
  }

  /** The machine that owns the arm does not follow any more: what drives the arm from here ends. @param message why */
  letGoByOwner(message: string): void {
    this.#interrupt();
    this.#ownership.lose({ reason: 'taken_over', message });
  }

  /** @throws {BridgeError} as `requireDrivable`, and unsupported for an arm that does not hold with all its servos */
  requireHolding(): void {
    this.requireDrivable();
    const { holding, state } = this.read();
    if (holding) return;
    throw new BridgeError('unsupported', `Arm ${this.name} is ${state}, not ready.`, {
      arm: this,
      remedy: 'torque_on',
    });
  }

  /** The control thread ends epochs too: what was asked before that is over. */
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
   * Something is asked of the arm that takes a while to plan. A session that is claimed for it is refused when the arm's
   * epoch has ended meanwhile: by a stop, a reset, a disconnection, or by something that was asked later.
   */
  ask(): Ask {
    // What is asked from here on is newer than whatever the control thread has done.
    this.followEpoch();
    return { number: ++this.#asks };
  }

  /** Number of the newest ask that has begun an epoch of some of these joints: the same one while nobody else has been given them. */
  intentOf(joints: Joints): number {
    return Math.max(...GROUPS.filter((group) => meet(group, joints)).map((group) => this.#begun[group]));
  }

  /** @throws {BridgeError} when what was asked of these joints is over */
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
   * Takes the arm for an owner and begins an epoch of its intent. The one who had it is told.
   * @throws {BridgeError} disconnected, stopped, uncalibrated, owned; unsupported when what it is for is over
   */
  claim(caller: Caller, options: ClaimOptions = {}): ArmSession {
    try {
      return this.#claim(caller, options);
    } catch (error) {
      // What is refused to a client of HTTP is written down with its answer, whoever has refused it.
      if (caller.origin?.request == null && error instanceof BridgeError) {
        this.journal.record(actOf(options), this.name, originOf(caller), 'refused', error.message);
      }
      throw error;
    }
  }

  #claim(caller: Caller, claimed: ClaimOptions): ArmSession {
    const {
      timeLimit = Number.POSITIVE_INFINITY,
      ask = this.ask(),
      lowering = false,
      still = false,
      joints: wanted = 'all',
    } = claimed;
    if (!lowering || !this.failed) this.requireDrivable();
    if (!lowering && !still) this.requirePlaced(caller);
    const barred = this.barred(caller);
    if (barred !== '') throw new BridgeError('owned', `Arm ${this.name} is not driven: ${barred}.`, { arm: this });
    const joints = this.#apart ? wanted : 'all';
    this.requireWanted(ask, joints);
    const takenFrom = this.#ownership.held(joints, caller.owner.key)?.owner.name ?? null;
    const make = (): ArmSession => {
      if (caller.automatic !== true) this.acts++;
      this.#beginEpoch(ask, joints);
      const doing = this.journal.begin(actOf(claimed), this.name, originOf(caller), takenFrom);
      const options = { timeLimit, lowering, joints, doing };
      return new ArmSession(this, this.#control, this.#epoch, caller, options, (session) => this.#release(session));
    };
    const session = this.#ownership.claim(caller, joints, make);
    this.notice = '';
    caller.onTaken?.();
    return session;
  }

  /**
   * Takes the arm from whoever has it and keeps it between sessions too, until it is released, taken over, stopped or
   * disconnected. What drives it decelerates to a hold. @throws {BridgeError} disconnected, stopped
   */
  takeOver(caller: Caller): Promise<void> {
    return this.#halt({ ...caller, takeOver: true }, 'take_over', () => this.#ownership.keep());
  }

  /** Keeps the arm for the caller, like `takeOver`, where it is free. @throws {BridgeError} disconnected, stopped, owned */
  keepFor(caller: Caller): Promise<void> {
    return this.#halt(caller, 'take_over', () => this.#ownership.keep());
  }

  /**
   * Gives the arm back; what the caller drives it with decelerates to a hold. Resolves to false when it was nobody's.
   * @throws {BridgeError} owned, disconnected, stopped
   */
  async release(caller: Caller): Promise<boolean> {
    if (this.owner === null) return false;
    await this.#halt(caller, 'release', () => this.letGo());
    return true;
  }

  /** Who keeps the arm has gone: nobody keeps it any more. What drives it goes on to its end. @param why after the name */
  lapse(why: string): void {
    const { keeper } = this;
    if (keeper === null) return;
    this.#ownership.letGo();
    this.journal.record('release', this.name, originOf({ owner: keeper, takeOver: false }), 'done', `it ${why}`);
    this.onWarning(`it belongs to nobody any more, since ${keeper.name}, who had taken it, ${why}`);
  }

  /** @returns why somebody may not have the arm now: it is another's, whom he does not want to take it from; null: he may */
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
   * Makes what drives the arm decelerate to a hold; the arm stays with whoever keeps it. Resolves to false when nothing did.
   * @param onTaken called as soon as nobody else has it
   * @param joints what is to halt
   * @throws {BridgeError} owned, disconnected, stopped
   */
  async halt(caller: Caller, onTaken: () => void = () => {}, joints: Joints = 'all'): Promise<boolean> {
    const driven = this.activity !== null;
    await this.#halt(caller, 'halt', onTaken, joints);
    return driven;
  }

  /** From now on nobody else can take the arm, by take-over neither. */
  reserve(owner: Owner): void {
    this.#ownership.reserve(owner);
  }

  /** Others can take the arm again, unless it is kept for somebody else meanwhile. */
  unreserve(owner: Owner): void {
    this.#ownership.unreserve(owner);
  }

  /** Torque off at once, also while the arm is stopped and belongs to nobody. @throws {BridgeError} */
  async dropTorque(caller: Caller): Promise<void> {
    this.#interrupt();
    await this.journal.during('torque', this.name, originOf(caller), () =>
      releaseTorque(this, this.#control, this.#epoch),
    );
  }

  /** An arm with a limp or silent servo has been lowered by the others, or cannot be: it is checked anew. */
  async giveUp(): Promise<void> {
    await this.#control.command({ kind: 'give_up' });
  }

  /**
   * Writes what the first servos of its joints count from, in the order of the model, while the arm is limp; its joints are
   * read so from then on. @throws {BridgeError}
   */
  async calibrate(joints: readonly JointMount[]): Promise<void> {
    const calibrated = (this.simulated && !this.kit) || joints.every(({ expected }) => expected);
    await this.#control.command({ kind: 'calibrate', joints, calibrated });
    const mounts = this.#model.joints.map(({ name }, i) => {
      const { sign, zero, offset, expected, travel } = joints[i]!;
      return [name, { sign, zero, homing: expected ? offset : undefined, travel }] as const;
    });
    this.#model = mounted(this.#model, Object.fromEntries(mounts));
  }

  /** A stop is latched; an arm that is disconnected meanwhile is stopped when it comes back. */
  get latched(): boolean {
    return this.#control.latched;
  }

  /** It is stopped by its own servos alone: it can be lowered. */
  get failed(): boolean {
    return this.#control.failed;
  }

  /** Latches the stop before the arm is reached: an earlier process had it stopped, or a person is to look at it first. */
  latch(reason: string): void {
    this.#stopReason = reason;
    this.#knownStop = this.#control.latchStop();
  }

  /**
   * Latched stop: decelerates within 0.25 s, holds, and refuses every motion until reset, after a restart too. Ends all
   * that waits or streams. Needs no ownership.
   */
  async stop(reason: string, origin: Origin = UNSAID): Promise<void> {
    await this.journal.during('stop', this.name, origin, () => this.#stop(reason));
  }

  async #stop(reason: string): Promise<void> {
    this.#knownStop = this.#control.latchStop();
    this.#stopped(reason);
    // A stop of several arms latches all of them before it waits for a disk.
    await null;
    this.#records.stop(this, reason);
    await this.#taken();
  }

  /** Waits until the control loop has taken up the stop. */
  async #taken(): Promise<void> {
    while (this.latched) {
      if (['stopped', 'disconnected'].includes(this.read().state)) return;
      await this.nextCycle();
    }
  }

  /**
   * Another thread has latched a stop that somebody has asked for, and has kept it on disk.
   * @param at when, monotonic, s
   */
  toldOfStop(reason: string, at: number, origin: Origin = UNSAID): void {
    const rested = async (): Promise<void> => {
      await this.#taken();
      await this.#requireRest();
    };
    // Whoever has asked is answered by that thread.
    this.journal.during('stop', this.name, origin, rested).catch(() => {});
    const now = this.clock.now();
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
   * Stops the arm and waits until its joints rest, as measured. What another machine drives is known there alone.
   * @throws {BridgeError} unavailable, when they go on moving although it is stopped
   */
  stopAtRest(reason: string, origin: Origin = UNSAID): Promise<void> {
    return this.journal.during('stop', this.name, origin, () => this.#stopAtRest(reason));
  }

  async #stopAtRest(reason: string): Promise<void> {
    await this.#stop(reason);
    await this.#requireRest();
  }

  /** @throws {BridgeError} unavailable, when the joints of an arm that is stopped go on moving */
  async #requireRest(): Promise<void> {
    if (await this.atRest()) return;
    throw new BridgeError(
      'unavailable',
      `it is stopped, and its joints still move ${REST_LIMIT} s later: hold it, and switch its power off`,
      { arm: this },
    );
  }

  /** Waits until the joints of an arm that is stopped rest. @returns false when they go on moving */
  async atRest(): Promise<boolean> {
    const limit = this.clock.now() + REST_LIMIT;
    while (!this.remote && this.read().state === 'stopped' && !this.read().resting) {
      if (this.clock.now() > limit) return false;
      await this.nextCycle();
    }
    return true;
  }

  /**
   * Leaves `stopped`. The arm belongs to nobody afterwards and holds, or is limp as it was; nothing that was asked before
   * goes on. An arm that is not stopped goes on as it does.
   * @throws {BridgeError} stopped when it is stopped again at once, for the reason that it says
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
    // A stop that was latched just before counts as seen only once the loop has taken it.
    await this.nextCycle();
    const { state } = this.read();
    if (!this.remote && state !== 'disconnected' && this.read().alarms.some((bits) => bits !== 0))
      await this.#recover();
    // Whoever has stopped it meanwhile has been told that it is stopped.
    if (this.#control.stopMark !== mark) this.requireDrivable();
    if (!this.failed && (mark !== this.#knownStop || this.clock.now() < this.#resetsFrom)) {
      throw new BridgeError(
        'stopped',
        `Arm ${this.name} stays stopped: the bridge was too busy to hear that stop at once, and this reset may be older: reset it again.`,
        { arm: this },
      );
    }
    this.#interrupt();
    if (!this.#control.releaseStop(mark)) this.requireDrivable();
    this.#forgetStop();
    while (this.read().state === 'stopped') {
      await this.nextCycle();
      if (this.latched) this.requireDrivable();
    }
  }

  #forgetStop(): void {
    this.#records.release(this);
    // Another thread may have latched a stop just before, and written it down.
    if (this.latched) this.#records.stopOnce(this, this.#stopReason);
  }

  /** The control thread tells that a motion has ended. */
  ended(motion: number, reason: EndReason, told: string): void {
    const text = withCause(told || (ENDS[reason] ?? ''), this.#trouble());
    this.#control.ended(motion, { reason, text });
  }

  abandoned(epoch: number, driven: boolean): void {
    this.followEpoch();
    const lost = this.#ownership.loseBefore(epoch, { reason: 'unattended', message: UNATTENDED });
    // Who had it may have given it back already, having heard of his other arm; who has it now has asked since.
    if (lost || (driven && this.owner === null)) this.notice = UNATTENDED;
  }

  warning(text: string): void {
    this.onWarning(text);
  }

  ailing(joint: number, text: string, ailment: Ailment): void {
    this.onAiling(joint, text, ailment);
  }

  /** The control thread tells the arm's state, and why it has it. */
  state(state: number, told: string): void {
    const reason = withCause(told, this.#trouble());
    this.#reason = reason;
    if (state === this.#state) return;
    this.#state = state;
    const byItself = state === StateCode.stopped && reason !== '';
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
        this.journal.record('stop', this.name, BY_ITSELF, 'done', reason);
        this.#stopReason = reason;
        this.#records.stop(this, reason);
        break;
      case 'loseStopped':
        // A servo that fails does not end the way down.
        if (this.failed && this.#ownership.lowers) break;
        this.#interrupt();
        this.#ownership.lose({ reason: 'stopped', message: `stopped (${reason})` });
        break;
      case 'tell': {
        const state = ARM_STATES[this.#state]!;
        const why = state === 'stopped' ? this.#stopReason : state === 'disconnected' ? reason : '';
        for (const listener of this.#stateListeners) listener(state, why);
        break;
      }
    }
  }

  /** Takes the arm for a moment, so that whatever drives it decelerates to a hold. @param onTaken called at once */
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

  /** Ends all that waits or streams for this arm, whoever has asked for it. */
  #interrupt(): void {
    this.interrupted = this.clock.now();
    this.#beginEpoch(this.ask());
  }

  #beginEpoch(ask: Ask, joints: Joints = 'all'): void {
    this.#epoch = this.#control.endEpoch(joints);
    for (const group of GROUPS) if (meet(group, joints)) this.#begun[group] = ask.number;
    this.onEpoch();
  }

  /** Its gripper can be driven apart from its other joints. */
  get #apart(): boolean {
    return !this.remote && this.model.gripper !== null;
  }

  /** Brings back servos that an overload has cut off, while the arm is stopped. @throws {BridgeError} stopped */
  async #recover(): Promise<void> {
    try {
      await this.#control.command({ kind: 'recover' });
    } catch (error) {
      throw new BridgeError('stopped', `Arm ${this.name} stays stopped: ${messageOf(error)}.`, { arm: this });
    }
    const deadline = this.clock.now() + RECOVERY_TIMEOUT;
    do await this.nextCycle();
    while (this.read().state === 'disconnected' && this.clock.now() < deadline);
  }
}
