import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import type { Ask } from '../../src/arm/arm.ts';
import type { ServoFacts } from '../../src/arm/arm-servos.ts';
import type { Arms } from '../../src/arm/arms.ts';
import { Journal } from '../../src/arm/journal.ts';
import { type ArmModel, armBuilds } from '../../src/arm/model.ts';
import { loadScene, SceneObjects } from '../../src/arm/scene.ts';
import {
  type Activity,
  type ArmSnapshot,
  type ArmState,
  BridgeError,
  type Caller,
  type Owner,
} from '../../src/arm/types.ts';
import type { CalibrationAnswer, CalibrationView } from '../../src/calibration/calibrating.ts';
import { systemClock } from '../../src/clock.ts';
import { configSchema, type HttpConfig } from '../../src/config/schema.ts';
import type { Disk } from '../../src/disk.ts';
import { Fleet } from '../../src/fleet/fleet.ts';
import { buildApp as buildRealApp, type HttpServices } from '../../src/http/app.ts';
import type { SimulationControl } from '../../src/http/services.ts';
import { LogTail } from '../../src/log.ts';
import type { GravityPercentages, MirrorRequest, MirrorStatus, Release } from '../../src/mirror/mirroring.ts';
import type { Chunk, ChunkOutcome } from '../../src/motion/chunk-service.ts';
import type { JogVelocity } from '../../src/motion/jog-service.ts';
import type { AbsoluteMove, EndEffector, MoveOutcome, RelativeMove } from '../../src/motion/moves.ts';
import type { HandMessage } from '../../src/motion/teleop-service.ts';
import { NamedTokens } from '../../src/named-tokens.ts';
import type {
  Catalogue,
  ListCommand,
  RecordingFacts,
  RecordingSummary,
  Samples,
  SamplesCommand,
  TrimCommand,
} from '../../src/recording/messages.ts';
import type { ReplayOutcome, RunningEpisode } from '../../src/recording/recording-service.ts';
import type { GuestArm, WantedArm } from '../../src/roster.ts';
import type { CycleTiming } from '../../src/rt/loop/loop-timing.ts';
import { emptySnapshot } from '../../src/rt/snapshot/arm-fields.ts';
import { SetupService, type SetupView } from '../../src/setup/setup-service.ts';

const JOINTS = ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll', 'gripper'];

/** The parts of an arm's model that HTTP reads. */
const MODEL = {
  name: 'so101',
  variant: 'follower',
  family: 'feetech',
  title: 'SO-101',
  urdf: '<robot name="so101"></robot>',
  baseLink: 'base_link',
  toolLink: 'tool',
  joints: JOINTS.map((name, i) => ({
    name,
    role: name,
    move: { velocity: 1.5, acceleration: 6 },
    torqueLimit: 1.5,
    lower: -1.6,
    upper: 1.6,
    servos: [{ id: i + 1, model: 'STS3215', stepsPerTurn: 4096, sign: i === 1 ? -1 : 1, zero: 2048 }],
    stall: null,
  })),
  gripper: { index: 5, closed: 0, open: 1.5 },
  gravity: { softGain: 1 },
  poses: new Map([['init', new Float64Array(JOINTS.length)]]),
} as unknown as ArmModel;

function timing(p50: number): CycleTiming {
  const percentiles = { p50, p99: 2 * p50, longest: 3 * p50 };
  return { recent: percentiles, total: percentiles };
}

const identity = { position: { x: 0, y: 0, z: 0 }, orientation: { x: 0, y: 0, z: 0, w: 1 } };

export class FakeServos {
  limits: number[] = [];

  async read(): Promise<readonly ServoFacts[]> {
    return JOINTS.map((joint, i) => ({
      joint,
      id: i + 1,
      model: 'STS3215',
      stepsPerTurn: 4096,
      stallTorque: 2.94,
      highestTemperature: 70,
      gains: { p: 32, i: 0, d: 32 },
      homingOffset: 0,
      operatingMode: 0,
      positionLimits: { lowest: 0, highest: 4095 },
    }));
  }

  async limitTemperatures(limits: Float64Array): Promise<void> {
    this.limits = [...limits];
  }
}

/** An arm with a state, an owner and a latched stop, without servos. */
export class FakeArm {
  readonly model = MODEL;
  readonly remote = false;
  detached = false;
  readonly bus: string;
  state: ArmState = 'ready';
  owner: Owner | null = null;
  readonly keeper: Owner | null = null;
  speedScale = 1;
  accelerationScale = 1;
  initialised = false;
  readonly failed = false;
  movesUncalibrated = false;
  doubt = '';
  unplaced = '';
  outside: string[] = [];
  reason = '';
  halts = 0;
  readonly servos = new FakeServos();
  activity: Activity | null = null;
  /** Opening of the gripper and tool pose in the absolute frame, m and rad. */
  open = 0;
  readonly positions = new Float64Array(JOINTS.length);
  pose = { x: 0, y: 0, z: 0, pitch: 0, yaw: 0, roll: 0 };
  #stops = 0;

  constructor(
    readonly id: number,
    readonly name: string,
    readonly simulated = true,
  ) {
    this.bus = simulated ? 'sim:so101' : 'ros';
  }

  get held() {
    return this.owner === null ? null : { owner: this.owner, since: 1_767_323_044 };
  }

  limitSpeed(part: number): void {
    this.speedScale = part;
  }

  limitAcceleration(part: number): void {
    this.accelerationScale = part;
  }

  requireConnected(): void {
    if (this.state === 'disconnected') throw new BridgeError('disconnected', `${this.name} is disconnected.`);
  }

  read(): ArmSnapshot {
    const snapshot = emptySnapshot(JOINTS.length);
    snapshot.temperatures.fill(31);
    snapshot.temperatureLimits.fill(70);
    return {
      ...snapshot,
      calibrated: true,
      cycle: 1,
      state: this.state,
      torque: this.state !== 'connected' && this.state !== 'disconnected',
      holding: this.state !== 'connected' && this.state !== 'disconnected',
      sampleTime: Date.now() / 1000 - 0.01,
      sampleInstant: systemClock.now() - 0.01,
      positions: this.positions,
      detailTime: Date.now() / 1000,
    };
  }

  async readFresh(): Promise<ArmSnapshot> {
    return this.read();
  }

  toolWrench(): Float64Array {
    return new Float64Array(6);
  }

  toolPose() {
    return identity;
  }

  gripperOpening(): number {
    return this.open;
  }

  get latched(): boolean {
    return this.state === 'stopped';
  }

  async stopAtRest(reason: string): Promise<void> {
    this.#stops++;
    this.state = 'stopped';
    this.owner = null;
    this.reason = reason;
  }

  async reset(): Promise<void> {
    this.state = 'ready';
    this.reason = '';
  }

  async takeOver(caller: Caller): Promise<void> {
    this.claim({ ...caller, takeOver: true });
  }

  async release(caller: Caller): Promise<boolean> {
    if (this.owner === null) return false;
    this.claim(caller);
    this.owner = null;
    return true;
  }

  async halt(caller: Caller): Promise<boolean> {
    this.claim(caller);
    this.halts++;
    return this.activity !== null;
  }

  progressOf(): number | null {
    return this.activity?.progress ?? null;
  }

  async standing(): Promise<void> {}

  ask(): Ask {
    return { number: this.#stops };
  }

  requireWanted(ask: Ask): void {
    if (ask.number < this.#stops) throw new BridgeError('unsupported', `${this.name} has been stopped meanwhile.`);
  }

  /** What every start of a motion checks, in the order of the real one. */
  claim(caller: Caller): void {
    if (this.state === 'disconnected') throw new BridgeError('disconnected', `${this.name} is disconnected.`);
    if (this.state === 'stopped') {
      throw new BridgeError('stopped', `${this.name} is stopped.`, { arm: this, remedy: 'reset' });
    }
    if (this.owner !== null && this.owner.key !== caller.owner.key && !caller.takeOver) {
      throw new BridgeError('owned', `${this.name} is driven by ${this.owner.name}.`, {
        arm: this,
        remedy: 'take_over',
      });
    }
    this.owner = caller.owner;
    caller.onTaken?.({ motion: null, joints: 'all' });
  }
}

export class FakeMotion {
  readonly moves: { arm: string; move: AbsoluteMove; caller: Caller }[] = [];
  readonly relativeMoves: { arm: string; move: RelativeMove }[] = [];
  /** Set: the next moves end when it resolves, or when their caller goes. */
  hold: Promise<void> | null = null;
  /** Set: what the next moves answer instead of success. */
  outcome: MoveOutcome | null = null;
  /** Set: what the next moves throw. */
  failure: Error | null = null;
  readonly aborted: unknown[] = [];

  async #run(arm: FakeArm, caller: Caller, reach: () => void): Promise<MoveOutcome> {
    if (this.failure !== null) throw this.failure;
    arm.claim(caller);
    const done = { ok: true, message: null, positionError: 0.001, orientationError: 0.01, trials: 1, duration: 0.5 };
    try {
      if (this.hold !== null) {
        const gone = new Promise<'gone'>((resolve) =>
          caller.signal?.addEventListener('abort', () => resolve('gone'), { once: true }),
        );
        if ((await Promise.race([this.hold, gone])) === 'gone') {
          this.aborted.push(caller.signal?.reason);
          return { ...done, ok: false, message: 'the one who asked has gone' };
        }
      }
      if (this.outcome !== null) return this.outcome;
      reach();
      return done;
    } finally {
      arm.owner = null;
    }
  }

  toJoints(arm: FakeArm, _angles: Float64Array, caller: Caller): Promise<MoveOutcome> {
    return this.#run(arm, caller, () => {});
  }

  init(arm: FakeArm, caller: Caller): Promise<MoveOutcome> {
    return this.#run(arm, caller, () => {
      arm.initialised = true;
      arm.pose = { x: 0, y: 0, z: 0, pitch: 0, yaw: 0, roll: 0 };
    });
  }

  async moveAbsolute(arm: FakeArm, move: AbsoluteMove, caller: Caller): Promise<MoveOutcome> {
    this.moves.push({ arm: arm.name, move, caller });
    if (!arm.initialised)
      throw new BridgeError('not_initialised', `${arm.name} is not initialised.`, { arm, remedy: 'init' });
    return this.#run(arm, caller, () => {
      const { x, y, z, pitch, yaw, roll, open } = move;
      const asked = { x, y, z, pitch, yaw, roll };
      Object.assign(arm.pose, Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)));
      arm.open = open ?? arm.open;
    });
  }

  async moveRelative(arm: FakeArm, move: RelativeMove, caller: Caller): Promise<MoveOutcome> {
    this.relativeMoves.push({ arm: arm.name, move });
    if (!arm.initialised)
      throw new BridgeError('not_initialised', `${arm.name} is not initialised.`, { arm, remedy: 'init' });
    return this.#run(arm, caller, () => {});
  }

  async foresee(arm: FakeArm, move: AbsoluteMove) {
    if (!arm.initialised)
      throw new BridgeError('not_initialised', `${arm.name} is not initialised.`, { arm, remedy: 'init' });
    return (move.x ?? 0) > 1
      ? { problem: 'x, y, z cannot be reached.', goal: null }
      : { problem: null, goal: new Float64Array(JOINTS.length) };
  }

  hello(arm: FakeArm, caller: Caller): Promise<MoveOutcome> {
    return this.#run(arm, caller, () => {});
  }

  sleep(arm: FakeArm, caller: Caller): Promise<MoveOutcome> {
    return this.#run(arm, caller, () => {
      arm.state = 'connected';
    });
  }

  async readEndEffector(arm: FakeArm, options: { onlyGripper: boolean; sync: boolean }): Promise<EndEffector> {
    if (arm.state === 'disconnected') throw new BridgeError('disconnected', `${arm.name} is disconnected.`);
    if (options.onlyGripper) return { pose: null, open: arm.open };
    if (!arm.initialised)
      throw new BridgeError('not_initialised', `${arm.name} is not initialised.`, { arm, remedy: 'init' });
    return { pose: { ...arm.pose }, open: arm.open };
  }

  zero() {
    return identity;
  }
}

export class FakeGravity {
  readonly floating = new Map<number, GravityPercentages>();
  released: Release | undefined;

  async start(arm: FakeArm, percentages: GravityPercentages, caller: Caller): Promise<void> {
    arm.claim(caller);
    this.floating.set(arm.id, percentages);
  }

  async stop(arm: FakeArm, _caller: Caller, release?: Release): Promise<boolean> {
    this.released = release;
    arm.owner = null;
    return this.floating.delete(arm.id);
  }
}

export class FakeJoints {
  readonly goals: { arm: string; wanted: number[]; caller: Caller }[] = [];

  async write(arm: FakeArm, wanted: Float64Array, caller: Caller): Promise<void> {
    arm.claim(caller);
    arm.owner = null;
    const beyond = arm.model.joints.find(({ lower, upper }, i) => wanted[i]! < lower || wanted[i]! > upper);
    if (beyond !== undefined) throw new BridgeError('bad_request', `Angles are out of bounds: ${beyond.name}.`);
    this.goals.push({ arm: arm.name, wanted: [...wanted], caller });
  }
}

export class FakeTorque {
  readonly switched: { arm: string; on: boolean; force: boolean }[] = [];
  /** Set: why arms are not lowered. */
  refusal: string | null = null;

  async on(arm: FakeArm, caller: Caller): Promise<void> {
    arm.claim(caller);
    arm.owner = null;
    this.switched.push({ arm: arm.name, on: true, force: false });
  }

  async off(arm: FakeArm, force: boolean, caller: Caller): Promise<string | null> {
    arm.claim(caller);
    arm.owner = null;
    this.switched.push({ arm: arm.name, on: false, force });
    return this.refusal;
  }
}

interface FakeEpisode {
  readonly name: string | null;
  readonly dataset: string | null;
  readonly arms: readonly { readonly name: string }[];
  readonly task?: string;
  readonly operator?: string;
}

/** Facts as long as they can be. */
function recordingFacts(name: string): RecordingFacts {
  return {
    name,
    dataset: 'd'.repeat(64),
    content: 'episode',
    // Some file.
    path: fileURLToPath(import.meta.url),
    bytes: 1000,
    began: 1_700_000_000,
    duration: 2,
    messages: 100,
    arms: Array.from({ length: 16 }, (_, i) => `${'a'.repeat(60)}${i}`),
    topics: [{ name: '/leader/joint_states', type: 'sensor_msgs/msg/JointState', messages: 100 }],
    task: 't'.repeat(200),
    operator: 'o'.repeat(64),
    verdict: 'good',
    endedEarly: 'e'.repeat(200),
    problem: '',
  };
}

export class FakeRecordings {
  readonly played: { arm: string; name: string; speed: number }[] = [];
  readonly started: { arm: string; name: string; rate: number }[] = [];
  #running: string | null = null;
  #received = '';
  readonly #removed = new Set<string>();

  readonly roomWarning = '';

  get active(): boolean {
    return this.#running !== null;
  }

  async start(arm: FakeArm, name: string, rate: number): Promise<string> {
    if (this.#running !== null) throw new BridgeError('bad_request', `${arm.name} is being recorded already.`);
    this.#running = name;
    this.started.push({ arm: arm.name, name, rate });
    return `/data/${name}.mcap`;
  }

  async stop(_arm: FakeArm, drop = false): Promise<RecordingSummary | null> {
    const name = this.#running;
    this.#running = null;
    if (name === null) return null;
    return { name, path: drop ? '' : `/data/${name}.mcap`, samples: 100, duration: 2, lost: 0, problem: null };
  }

  episode: RunningEpisode | null = null;

  async startEpisode({ name, dataset, arms, task = '', operator = '' }: FakeEpisode): Promise<RunningEpisode> {
    const began = 1_700_000_000;
    const chosen = name ?? 'episode-1';
    const made = {
      name: chosen,
      dataset,
      path: '/data',
      arms: arms.map((arm) => arm.name),
      task,
      operator,
      verdict: '' as const,
      began,
      early: null,
      silent: [],
    };
    this.episode = made;
    return made;
  }

  async stopEpisode(drop = false): Promise<RecordingSummary | null> {
    if (this.episode === null) return null;
    const { name, path } = this.episode;
    this.episode = null;
    return { name, path: drop ? '' : path, samples: 100, duration: 2, lost: 0, problem: null };
  }

  mark(): boolean {
    return this.episode !== null;
  }

  async list({ limit }: ListCommand): Promise<Catalogue> {
    const recordings = Array.from({ length: limit }, (_, i) => recordingFacts(`wave-${i}`));
    return {
      folder: '/data',
      recordings,
      total: 60,
      datasets: ['pick'],
      used: 1000,
      quota: 1e9,
      free: 1e10,
      warning: '',
    };
  }

  async facts(name: string): Promise<RecordingFacts> {
    if (this.#removed.has(name)) throw new BridgeError('bad_request', `There is no recording "${name}".`);
    return recordingFacts(name);
  }

  async label(name: string, labels: Partial<RecordingFacts>): Promise<RecordingFacts> {
    return { ...(await this.facts(name)), ...labels };
  }

  async rename(_name: string, to: string): Promise<RecordingFacts> {
    return recordingFacts(to);
  }

  async samples({ name, source }: SamplesCommand): Promise<Samples> {
    await this.facts(name);
    return {
      source: source ?? 'arm',
      joints: ['a'],
      duration: 2,
      times: [0, 2],
      positions: [[0, 1]],
      goals: [[NaN, 1]],
      external: [[NaN, 0.1]],
    };
  }

  async foresee(_arm: unknown, name: string) {
    await this.facts(name);
    const unreached = [{ begin: 1, end: 2, text: 'a would go to 3.00 rad, beyond its limits of -1.00 to 1.00 rad' }];
    return { source: 'arm', duration: 2, times: [0, 2], positions: [[0, 1]], unreached, refusal: null };
  }

  async trim({ name, to }: TrimCommand): Promise<RecordingFacts> {
    await this.facts(name);
    return recordingFacts(to ?? `${name}-trimmed`);
  }

  async remove(name: string): Promise<void> {
    await this.facts(name);
    this.#removed.add(name);
  }

  async receive(): Promise<string> {
    this.#received = join(tmpdir(), `arm-bridge-received-${randomUUID()}`);
    writeFileSync(this.#received, '');
    return this.#received;
  }

  async accept(name: string): Promise<RecordingFacts> {
    rmSync(this.#received, { force: true });
    this.#removed.delete(name);
    return recordingFacts(name);
  }

  async play(arm: FakeArm, name: string, speed: number, caller: Caller): Promise<ReplayOutcome> {
    arm.claim(caller);
    arm.owner = null;
    this.played.push({ arm: arm.name, name, speed });
    return { problem: null, duration: 3 };
  }
}

export class FakeMirror {
  readonly configuredLeader = (): string | null => null;
  started: MirrorRequest | null = null;
  released: Release | undefined;

  async start(request: MirrorRequest, _caller: Caller, asks: ReadonlyMap<FakeArm, Ask> = new Map()): Promise<void> {
    for (const [arm, ask] of asks) arm.requireWanted(ask);
    if (this.started !== null) throw new BridgeError('already_mirroring', 'leader mirrors already.');
    for (const [index, { leader, follower }] of request.pairs.entries()) {
      if (leader === follower)
        throw new BridgeError('bad_pair', `Pair ${index}: robot ${leader} cannot follow itself.`);
    }
    this.started = request;
  }

  async stop(_caller: Caller, release?: Release): Promise<boolean> {
    this.released = release;
    const wasRunning = this.started !== null;
    this.started = null;
    return wasRunning;
  }

  starterOf(): null {
    return null;
  }

  feel(): boolean {
    return this.started !== null;
  }

  status(): MirrorStatus {
    return { active: this.started !== null, pairs: [], reason: '' };
  }

  onChange(): () => void {
    return () => {};
  }
}

export class FakeSimulation {
  readonly hands: { arm: string; joints: Record<string, number> | null; duration: number }[] = [];

  async hand(arm: FakeArm, joints: Record<string, number> | null, duration: number): Promise<void> {
    this.hands.push({ arm: arm.name, joints, duration });
  }

  async truth() {
    return { joints: Object.fromEntries(JOINTS.map((name) => [name, 0.25])), tool: identity, time: 1700000000.5 };
  }
  readonly scene = new SceneObjects(loadScene('pick'), ['leader']);

  async objects(arm: { readonly name: string }): ReturnType<SimulationControl['objects']> {
    return this.scene.of(arm.name).map((object) => {
      const [x, y, z] = object.at;
      return { ...object, position: { x, y, z }, orientation: { x: 0, y: 0, z: 0, w: 1 }, touches: [] };
    });
  }

  async leadObject(): Promise<void> {}

  async resetObjects(): Promise<void> {}
}

export class FakeChunks {
  readonly taken: { readonly arm: string; readonly chunk: Chunk; readonly sender: unknown }[] = [];
  readonly left: unknown[] = [];

  async take(arm: FakeArm, chunk: Chunk, caller: Caller, sender: unknown): Promise<ChunkOutcome> {
    const { owner } = arm;
    if (owner !== null && owner.key !== caller.owner.key)
      throw new BridgeError('owned', `Arm ${arm.name} is driven by ${owner.name}.`);
    this.taken.push({ arm: arm.name, chunk, sender });
    const { times } = chunk;
    const whole = { kept: times.length, skipped: 0, begins: times[0]!, ends: times.at(-1)! };
    return { motion: 'rwa1c0-1', age: 0, ...whole, slowed: [], message: null };
  }

  leave(sender: unknown): void {
    this.left.push(sender);
  }
}

export class FakeJogging {
  readonly fed: { arm: string; velocity: JogVelocity; timeout: number | undefined }[] = [];
  readonly stopped: string[] = [];

  feed(arm: FakeArm, velocity: JogVelocity, caller: Caller, timeout?: number): BridgeError | null {
    const { owner } = arm;
    if (owner !== null && owner.key !== caller.owner.key)
      return new BridgeError('owned', `arm ${arm.name} is driven by ${owner.name}`);
    this.fed.push({ arm: arm.name, velocity, timeout });
    return null;
  }

  drives(arm: FakeArm): boolean {
    return this.fed.some((message) => message.arm === arm.name);
  }

  refuse(): void {}

  async stop(arm: FakeArm): Promise<void> {
    this.stopped.push(arm.name);
  }
}

export class FakeStreams {
  readonly fed: { arm: string; goals: object; stream: object | undefined }[] = [];
  readonly stopped: string[] = [];

  command(arm: FakeArm, names: readonly string[], positions: Float64Array, _caller: Caller, stream?: object): null {
    const goals = Object.fromEntries(names.map((name, i) => [name, positions[i]]));
    this.fed.push({ arm: arm.name, goals, stream });
    return null;
  }

  refuse(): void {}

  async stop(arm: FakeArm): Promise<void> {
    this.stopped.push(arm.name);
  }
}

/** Takes an arm as a stream does; `problem` is what it answers. */
export class FakeTeleoperation {
  scaling = 1;
  readonly fed: { arm: string; sender: unknown; message: HandMessage; owner: string }[] = [];
  readonly left: unknown[] = [];
  problem: string | null = null;

  feed(arm: FakeArm, sender: unknown, message: HandMessage, caller: Caller): string | null {
    arm.claim(caller);
    this.fed.push({ arm: arm.name, sender, message, owner: caller.owner.name });
    return this.problem;
  }

  leave(sender: unknown): void {
    this.left.push(sender);
  }
}

/** Knows the arms by their names alone, and adds one of the model so101. */
export class FakeConnections {
  readonly wanted: WantedArm[] = [];
  readonly guests: GuestArm[] = [];
  /** Set: why arms are not disconnected. */
  refusal: string | null = null;
  readonly #arms: FakeArm[];
  readonly #listeners = new Set<(arm: FakeArm) => void>();

  constructor(arms: FakeArm[]) {
    this.#arms = arms;
  }

  async connect(wanted: WantedArm): Promise<FakeArm> {
    this.wanted.push(wanted);
    const known = this.#arms.find(({ name }) => name === wanted.name);
    if (known !== undefined) {
      if (known.state === 'disconnected') known.state = 'ready';
      known.detached = false;
      return known;
    }
    if (wanted.name !== 'so101') throw new BridgeError('bad_request', `"${wanted.name}" is no arm of this bridge.`);
    const arm = new FakeArm(this.#arms.length, `so101_${this.#arms.length}`);
    this.#arms.push(arm);
    for (const listener of this.#listeners) listener(arm);
    return arm;
  }

  async withGuest(guest: GuestArm, begin: (arm: FakeArm) => Promise<void>): Promise<void> {
    this.guests.push(guest);
    const arm = new FakeArm(this.#arms.length, guest.name);
    this.#arms.push(arm);
    await begin(arm);
  }

  async disconnect(arm: FakeArm, caller: Caller): Promise<string | null> {
    arm.claim(caller);
    arm.owner = null;
    if (this.refusal !== null) return this.refusal;
    arm.state = 'disconnected';
    arm.detached = true;
    return null;
  }

  onAdded(listener: (arm: FakeArm) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

export class FakeCalibrations {
  step = 0;
  /** Thrown by the next call. */
  refusal: BridgeError | null = null;
  reversed: readonly string[] = [];

  async next(_arm: FakeArm, _caller: Caller, reversed: readonly string[]): Promise<CalibrationAnswer> {
    const { refusal } = this;
    this.refusal = null;
    if (refusal !== null) throw refusal;
    this.reversed = reversed;
    this.step = (this.step % 5) + 1;
    return this.#answer();
  }

  view(): CalibrationView | null {
    if (this.step === 0) return null;
    const joint = { position: Number.NaN, least: -1, most: 1, range: 3, done: true };
    return { ...this.#answer(), joints: JOINTS.map((name) => ({ ...joint, name })) };
  }

  ended: string | null = null;

  lastEnd(): string | null {
    return this.ended;
  }

  endForsaken(): void {}

  async cancel(): Promise<boolean> {
    const open = this.step > 0;
    if (open) this.ended = 'its last calibration was cancelled';
    this.step = 0;
    return open;
  }

  #answer(): CalibrationAnswer {
    return { status: 'in_progress', message: `Step ${this.step}`, step: this.step, steps: 5 };
  }
}

interface Fakes {
  readonly arms: {
    readonly all: readonly FakeArm[];
    byId(id: number): FakeArm;
    byName(name: string): FakeArm | undefined;
    readonly journal: Journal;
  };
  readonly motion: FakeMotion;
  readonly streamedMoves: FakeMotion;
  readonly joints: FakeJoints;
  readonly torque: FakeTorque;
  readonly recordings: FakeRecordings;
  readonly calibration: FakeCalibrations;
  readonly mirror: FakeMirror;
  readonly gravity: FakeGravity;
  readonly simulation: FakeSimulation;
  readonly jogging: FakeJogging;
  readonly chunks: FakeChunks;
  readonly streams: FakeStreams;
  readonly teleoperation: FakeTeleoperation;
  readonly connections: FakeConnections;
}

export type FakeServices = Omit<HttpServices, keyof Fakes> & Fakes;

const SETUP_VIEW: SetupView = {
  name: 'practice_leader',
  model: 'so101',
  variant: 'leader',
  role: 'leader',
  bus: 'sim:so101',
  practice: true,
  step: 'missing',
  servos: [],
  instruction: 'Connect all servos.',
  said: '',
  fault: '',
  given: false,
  busy: false,
  counterparts: [],
  by: 'somebody',
};

/** A set-up on which everything works. */
class FakeSetup extends SetupService {
  constructor() {
    const none = async (): Promise<never> => {
      throw new Error('nothing is set up here');
    };
    super({
      clock: systemClock,
      arms: { all: [], byName: () => undefined } as unknown as Arms,
      reader: { readModel: none, builds: async (model) => armBuilds(model) },
      ports: async () => [],
      hold: none,
      bench: () => ({ presence: none, assign: none, differences: none, restore: none }),
      kit: null,
      join: none,
      pairs: () => [],
      setPairs: () => {},
      file: '/home/me/my.yaml',
    });
  }

  override async begin(): Promise<SetupView> {
    return SETUP_VIEW;
  }

  override async act(): Promise<SetupView> {
    return SETUP_VIEW;
  }

  override async hand(): Promise<string> {
    return 'The hand is there.';
  }

  override confirm(): void {}

  override swap(): void {}
}

/** A disk that holds what is written to it for as long as it lives. */
export function memoryDisk(): Disk {
  const texts = new Map<string, string>();
  return {
    read: (path) => texts.get(path) ?? null,
    write: (path, text) => void texts.set(path, text),
    remove: (path) => void texts.delete(path),
  };
}

/** The HTTP service over fakes. */
export function buildApp(services: Partial<FakeServices>): ReturnType<typeof buildRealApp> {
  return buildRealApp(services as unknown as HttpServices);
}

/** Services over two arms, `leader` (0) and `follower` (1), unless others are given. */
export function fakeServices(
  options: { arms?: readonly FakeArm[]; config?: Partial<HttpConfig>; token?: string; readToken?: string } = {},
): FakeServices {
  const motion = new FakeMotion();
  const all = [...(options.arms ?? [new FakeArm(0, 'leader'), new FakeArm(1, 'follower')])];
  return {
    clock: systemClock,
    fleet: new Fleet(configSchema.shape.fleet.parse({ name: 'here' }), systemClock, () => {}),
    config: {
      host: '127.0.0.1',
      port: 0,
      stop_port: null,
      dialect: 'standard',
      token_file: null,
      read_token_file: null,
      tls: null,
      cors_origins: [],
      rate_limit: 1000,
      allowed_hosts: [],
      ...options.config,
    },
    arms: {
      all,
      byId(id) {
        const arm = all.find((candidate) => candidate.id === id);
        if (arm === undefined) throw new BridgeError('unknown_arm', `no arm ${id}`);
        return arm;
      },
      byName: (name) => all.find((candidate) => candidate.name === name),
      journal: new Journal(systemClock, () => {}),
    },
    motion,
    streamedMoves: motion,
    joints: new FakeJoints(),
    torque: new FakeTorque(),
    recordings: new FakeRecordings(),
    calibration: new FakeCalibrations(),
    setup: new FakeSetup(),
    mirror: new FakeMirror(),
    gravity: new FakeGravity(),
    simulation: new FakeSimulation(),
    jogging: new FakeJogging(),
    chunks: new FakeChunks(),
    streams: new FakeStreams(),
    teleoperation: new FakeTeleoperation(),
    connections: new FakeConnections(all),
    configuration: () =>
      configSchema.parse({ http: { token_file: '/run/secrets/token' }, arms: [{ name: 'leader', bus: 'sim:so101' }] }),
    mountOf: () => ({ xyz: [0, 0, 0], rpy: [0, 0, 0] }),
    log: new LogTail(),
    alive: async () => true,
    devices: async () => [
      {
        path: '/dev/ttyACM0',
        byId: '/dev/serial/by-id/usb-1a86_USB_Single_Serial_58FA1234-if00',
        productId: '55d3',
        vendor: null,
        product: 'USB Single Serial',
        serialNumber: '58FA1234',
        adapter: { name: 'WCH CH343' },
      },
      {
        path: '/dev/ttyS0',
        byId: null,
        productId: null,
        vendor: null,
        product: null,
        serialNumber: null,
        adapter: null,
      },
    ],
    stopPort: () => 8021,
    onSession: () => {},
    planning: () => new Map([['route', { count: 2, time: 0.25 }]]),
    loop: () => ({
      cycles: 12,
      rate: 200,
      late: 0,
      trouble: '',
      period: 0.005,
      longestPeriod: 0.0052,
      priority: 0,
      periods: timing(0.005),
      lateness: timing(0.0001),
      latency: timing(0.0012),
      histogram: { width: 0.00025, counts: [0, 3, 1] },
    }),
    ros: () => ({ enabled: false, reason: 'switched off with --no-ros', distro: null, graph: null, preparing: null }),
    logger: pino({ level: 'silent' }),
    version: '0.1.0',
    tokens: options.token === undefined ? null : { control: options.token, read: options.readToken ?? null },
    named: new NamedTokens(memoryDisk(), '/state'),
    certificate: null,
  };
}
