import { pino } from 'pino';
import type { ArmModel } from '../../src/arm/model.ts';
import type { Ownership } from '../../src/arm/ownership.ts';
import type { ServoFacts, Servos } from '../../src/arm/servo-care.ts';
import {
  type Activity,
  type Arm,
  type ArmSnapshot,
  type ArmState,
  type Arms,
  BridgeError,
  type Caller,
  type Owner,
} from '../../src/arm/types.ts';
import type { CalibrationAnswer, Calibrations, CalibrationView } from '../../src/calibration/calibrating.ts';
import { systemClock } from '../../src/clock.ts';
import { configSchema, type HttpConfig } from '../../src/config/schema.ts';
import type { HttpServices, SimulationControl } from '../../src/http/app.ts';
import { LogTail } from '../../src/log.ts';
import type {
  Gravity,
  GravityPercentages,
  Mirror,
  MirrorRequest,
  MirrorStatus,
  Release,
} from '../../src/mirror/mirroring.ts';
import type { Jogging, JogVelocity } from '../../src/motion/jog-service.ts';
import type { Joints } from '../../src/motion/joint-goals.ts';
import type { AbsoluteMove, EndEffector, Motion, MoveOutcome, RelativeMove } from '../../src/motion/moves.ts';
import type { HandMessage, Teleoperation } from '../../src/motion/teleop-service.ts';
import type { Torque } from '../../src/motion/torque.ts';
import type { RecordingSummary, Recordings, ReplayOutcome } from '../../src/recording/recording-service.ts';
import type { Connections, WantedArm } from '../../src/roster.ts';
import type { CycleTiming } from '../../src/rt/loop/loop-timing.ts';
import { emptySnapshot } from '../../src/rt/snapshot/arm-fields.ts';

const JOINTS = ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll', 'gripper'];

/** The parts of an arm's model that HTTP reads. */
const MODEL = {
  name: 'so101',
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
    servos: [{ id: i + 1, model: 'STS3215', sign: i === 1 ? -1 : 1, zero: 2048 }],
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

/** An arm with a state, an owner and a latched stop, without servos. */
export class FakeArm implements Arm {
  readonly model = MODEL;
  readonly remote = false;
  detached = false;
  readonly bus: string;
  state: ArmState = 'ready';
  owner: Owner | null = null;
  speedScale = 1;
  accelerationScale = 1;
  initialised = false;
  reason = '';
  activity: Activity | null = null;
  /** Opening of the gripper and tool pose in the absolute frame, m and rad. */
  open = 0;
  readonly positions = new Float64Array(JOINTS.length);
  pose = { x: 0, y: 0, z: 0, pitch: 0, yaw: 0, roll: 0 };

  constructor(
    readonly id: number,
    readonly name: string,
    readonly simulated = true,
  ) {
    this.bus = simulated ? 'sim:so101' : 'ros';
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

  toolPose() {
    return identity;
  }

  gripperOpening(): number {
    return this.open;
  }

  get latched(): boolean {
    return this.state === 'stopped';
  }

  async stop(reason: string): Promise<void> {
    this.state = 'stopped';
    this.owner = null;
    this.reason = reason;
  }

  async reset(): Promise<void> {
    this.state = 'ready';
    this.reason = '';
  }

  /** What every start of a motion checks, in the order of the real one. */
  claim(caller: Caller): void {
    if (this.state === 'disconnected') throw new BridgeError('disconnected', `${this.name} is disconnected.`);
    if (this.state === 'stopped') {
      throw new BridgeError('stopped', `${this.name} is stopped: call /stop/reset?robot_id=${this.id} first.`);
    }
    if (this.owner !== null && this.owner.key !== caller.owner.key && !caller.takeOver) {
      throw new BridgeError('owned', `${this.name} is driven by ${this.owner.name}.`);
    }
    this.owner = caller.owner;
  }
}

export class FakeMotion implements Motion {
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

  init(arm: Arm, caller: Caller): Promise<MoveOutcome> {
    const fake = arm as FakeArm;
    return this.#run(fake, caller, () => {
      fake.initialised = true;
      fake.pose = { x: 0, y: 0, z: 0, pitch: 0, yaw: 0, roll: 0 };
    });
  }

  async moveAbsolute(arm: Arm, move: AbsoluteMove, caller: Caller): Promise<MoveOutcome> {
    const fake = arm as FakeArm;
    this.moves.push({ arm: arm.name, move, caller });
    if (!fake.initialised) throw new BridgeError('not_initialised', `${arm.name} is not initialised.`);
    return this.#run(fake, caller, () => {
      const { x, y, z, pitch, yaw, roll, open } = move;
      const asked = { x, y, z, pitch, yaw, roll };
      Object.assign(fake.pose, Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)));
      fake.open = open ?? fake.open;
    });
  }

  async moveRelative(arm: Arm, move: RelativeMove, caller: Caller): Promise<MoveOutcome> {
    const fake = arm as FakeArm;
    this.relativeMoves.push({ arm: arm.name, move });
    if (!fake.initialised) throw new BridgeError('not_initialised', `${arm.name} is not initialised.`);
    return this.#run(fake, caller, () => {});
  }

  async foresee(arm: Arm, move: AbsoluteMove) {
    if (!arm.initialised) throw new BridgeError('not_initialised', `${arm.name} is not initialised.`);
    return (move.x ?? 0) > 1
      ? { problem: 'x, y, z cannot be reached.', goal: null }
      : { problem: null, goal: new Float64Array(JOINTS.length) };
  }

  hello(arm: Arm, caller: Caller): Promise<MoveOutcome> {
    return this.#run(arm as FakeArm, caller, () => {});
  }

  sleep(arm: Arm, caller: Caller): Promise<MoveOutcome> {
    const fake = arm as FakeArm;
    return this.#run(fake, caller, () => {
      fake.state = 'connected';
    });
  }

  async readEndEffector(arm: Arm, options: { onlyGripper: boolean; sync: boolean }): Promise<EndEffector> {
    const fake = arm as FakeArm;
    if (fake.state === 'disconnected') throw new BridgeError('disconnected', `${arm.name} is disconnected.`);
    if (options.onlyGripper) return { pose: null, open: fake.open };
    if (!fake.initialised) throw new BridgeError('not_initialised', `${arm.name} is not initialised.`);
    return { pose: { ...fake.pose }, open: fake.open };
  }

  zero() {
    return identity;
  }
}

export class FakeGravity implements Gravity {
  readonly floating = new Map<number, GravityPercentages>();
  released: Release | undefined;

  async start(arm: Arm, percentages: GravityPercentages, caller: Caller): Promise<void> {
    (arm as FakeArm).claim(caller);
    this.floating.set(arm.id, percentages);
  }

  async stop(arm: Arm, release?: Release): Promise<boolean> {
    this.released = release;
    (arm as FakeArm).owner = null;
    return this.floating.delete(arm.id);
  }
}

export class FakeJoints implements Joints {
  readonly goals: { arm: string; wanted: number[]; caller: Caller }[] = [];

  async write(arm: Arm, wanted: Float64Array, caller: Caller): Promise<void> {
    (arm as FakeArm).claim(caller);
    (arm as FakeArm).owner = null;
    const beyond = arm.model.joints.find(({ lower, upper }, i) => wanted[i]! < lower || wanted[i]! > upper);
    if (beyond !== undefined) throw new BridgeError('bad_request', `Angles are out of bounds: ${beyond.name}.`);
    this.goals.push({ arm: arm.name, wanted: [...wanted], caller });
  }
}

export class FakeTorque implements Torque {
  readonly switched: { arm: string; on: boolean; force: boolean }[] = [];
  /** Set: why arms are not lowered. */
  refusal: string | null = null;

  async on(arm: Arm, caller: Caller): Promise<void> {
    (arm as FakeArm).claim(caller);
    (arm as FakeArm).owner = null;
    this.switched.push({ arm: arm.name, on: true, force: false });
  }

  async off(arm: Arm, force: boolean, caller: Caller): Promise<string | null> {
    (arm as FakeArm).claim(caller);
    (arm as FakeArm).owner = null;
    this.switched.push({ arm: arm.name, on: false, force });
    return this.refusal;
  }
}

export class FakeServos implements Servos {
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
    }));
  }

  async limitTemperatures(_arm: Arm, limits: Float64Array): Promise<void> {
    this.limits = [...limits];
  }
}

export class FakeRecordings implements Recordings {
  readonly played: { arm: string; name: string; speed: number }[] = [];
  readonly started: { arm: string; name: string; rate: number }[] = [];
  #running: string | null = null;

  get active(): boolean {
    return this.#running !== null;
  }

  async start(arm: Arm, name: string, rate: number): Promise<string> {
    if (this.#running !== null) throw new BridgeError('bad_request', `${arm.name} is being recorded already.`);
    this.#running = name;
    this.started.push({ arm: arm.name, name, rate });
    return `/data/${name}.mcap`;
  }

  async stop(): Promise<RecordingSummary | null> {
    const name = this.#running;
    this.#running = null;
    return name === null ? null : { name, path: `/data/${name}.mcap`, samples: 100, duration: 2, problem: null };
  }

  async play(arm: Arm, name: string, speed: number, caller: Caller): Promise<ReplayOutcome> {
    (arm as FakeArm).claim(caller);
    (arm as FakeArm).owner = null;
    this.played.push({ arm: arm.name, name, speed });
    return { problem: null, duration: 3 };
  }
}

export class FakeMirror implements Mirror {
  started: MirrorRequest | null = null;
  released: Release | undefined;

  async start(request: MirrorRequest): Promise<void> {
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

  status(): MirrorStatus {
    return { active: this.started !== null, pairs: [], reason: '' };
  }

  onChange(): () => void {
    return () => {};
  }
}

export class FakeSimulation implements SimulationControl {
  readonly hands: { arm: string; joints: Record<string, number> | null; duration: number }[] = [];

  async hand(arm: Arm, joints: Record<string, number> | null, duration: number): Promise<void> {
    this.hands.push({ arm: arm.name, joints, duration });
  }

  async truth() {
    return { joints: Object.fromEntries(JOINTS.map((name) => [name, 0.25])), tool: identity, time: 1700000000.5 };
  }
}

/** Notes who has which arm, on the fake arm itself. */
export class FakeOwnership implements Ownership {
  readonly halted: string[] = [];

  async takeOver(arm: Arm, caller: Caller): Promise<void> {
    (arm as FakeArm).claim({ ...caller, takeOver: true });
  }

  async release(arm: Arm, caller: Caller): Promise<boolean> {
    if (arm.owner === null) return false;
    (arm as FakeArm).claim(caller);
    (arm as FakeArm).owner = null;
    return true;
  }

  async halt(arm: Arm, caller: Caller): Promise<boolean> {
    (arm as FakeArm).claim(caller);
    this.halted.push(arm.name);
    return arm.activity !== null;
  }
}

export class FakeJogging implements Jogging {
  readonly fed: { arm: string; velocity: JogVelocity; timeout: number | undefined }[] = [];
  readonly stopped: string[] = [];

  feed(arm: Arm, velocity: JogVelocity, caller: Caller, timeout?: number) {
    const { owner } = arm;
    if (owner !== null && owner.key !== caller.owner.key)
      return { refused: `arm ${arm.name} is driven by ${owner.name}` };
    this.fed.push({ arm: arm.name, velocity, timeout });
    return 'accepted' as const;
  }

  async stop(arm: Arm): Promise<void> {
    this.stopped.push(arm.name);
  }
}

/** Takes an arm as a stream does; `problem` is what it answers. */
export class FakeTeleoperation implements Teleoperation {
  scaling = 1;
  readonly fed: { arm: string; sender: unknown; message: HandMessage }[] = [];
  readonly left: unknown[] = [];
  problem: string | null = null;

  feed(arm: Arm, sender: unknown, message: HandMessage, caller: Caller): string | null {
    (arm as FakeArm).claim(caller);
    this.fed.push({ arm: arm.name, sender, message });
    return this.problem;
  }

  leave(sender: unknown): void {
    this.left.push(sender);
  }
}

/** Knows the arms by their names alone, and adds one of the model so101. */
export class FakeConnections implements Connections {
  readonly wanted: WantedArm[] = [];
  /** Set: why arms are not disconnected. */
  refusal: string | null = null;
  readonly #arms: FakeArm[];
  readonly #listeners = new Set<(arm: Arm) => void>();

  constructor(arms: FakeArm[]) {
    this.#arms = arms;
  }

  async connect(wanted: WantedArm): Promise<Arm> {
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

  async disconnect(arm: Arm, caller: Caller): Promise<string | null> {
    const fake = arm as FakeArm;
    fake.claim(caller);
    fake.owner = null;
    if (this.refusal !== null) return this.refusal;
    fake.state = 'disconnected';
    fake.detached = true;
    return null;
  }

  onAdded(listener: (arm: Arm) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

export class FakeCalibrations implements Calibrations {
  step = 0;
  /** Thrown by the next call. */
  refusal: BridgeError | null = null;
  reversed: readonly string[] = [];

  async next(_arm: Arm, _caller: Caller, reversed: readonly string[]): Promise<CalibrationAnswer> {
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

  async cancel(): Promise<boolean> {
    const open = this.step > 0;
    this.step = 0;
    return open;
  }

  #answer(): CalibrationAnswer {
    return { status: 'in_progress', message: `Step ${this.step}`, step: this.step, steps: 5 };
  }
}

export interface FakeServices extends HttpServices {
  readonly arms: Arms & { readonly all: readonly FakeArm[] };
  readonly motion: FakeMotion;
  readonly joints: FakeJoints;
  readonly torque: FakeTorque;
  readonly servos: FakeServos;
  readonly recordings: FakeRecordings;
  readonly calibration: FakeCalibrations;
  readonly mirror: FakeMirror;
  readonly gravity: FakeGravity;
  readonly simulation: FakeSimulation;
  readonly jogging: FakeJogging;
  readonly teleoperation: FakeTeleoperation;
  readonly ownership: FakeOwnership;
  readonly connections: FakeConnections;
}

/** Services over two arms, `leader` (0) and `follower` (1), unless others are given. */
export function fakeServices(
  options: { arms?: readonly FakeArm[]; config?: Partial<HttpConfig>; token?: string; readToken?: string } = {},
): FakeServices {
  const all = [...(options.arms ?? [new FakeArm(0, 'leader'), new FakeArm(1, 'follower')])];
  return {
    clock: systemClock,
    config: {
      host: '127.0.0.1',
      port: 0,
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
    },
    motion: new FakeMotion(),
    joints: new FakeJoints(),
    torque: new FakeTorque(),
    servos: new FakeServos(),
    recordings: new FakeRecordings(),
    calibration: new FakeCalibrations(),
    mirror: new FakeMirror(),
    gravity: new FakeGravity(),
    simulation: new FakeSimulation(),
    jogging: new FakeJogging(),
    teleoperation: new FakeTeleoperation(),
    ownership: new FakeOwnership(),
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
    loop: () => ({
      cycles: 12,
      rate: 200,
      late: 0,
      period: 0.005,
      longestPeriod: 0.0052,
      priority: 0,
      periods: timing(0.005),
      lateness: timing(0.0001),
      latency: timing(0.0012),
      histogram: { width: 0.00025, counts: [0, 3, 1] },
    }),
    ros: () => ({ enabled: false, reason: 'switched off with --no-ros', distro: null }),
    logger: pino({ level: 'silent' }),
    version: '0.1.0',
    tokens: options.token === undefined ? null : { control: options.token, read: options.readToken ?? null },
    certificate: null,
  };
}
