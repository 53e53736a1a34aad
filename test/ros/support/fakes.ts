import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { Journal } from '../../../src/arm/journal.ts';
import type { ArmModel } from '../../../src/arm/model.ts';
import { type Arm, type ArmSnapshot, BridgeError, type LoopStatistics, type Owner } from '../../../src/arm/types.ts';
import { type Clock, systemClock } from '../../../src/clock.ts';
import { configSchema } from '../../../src/config/schema.ts';
import { LogTail } from '../../../src/log.ts';
import type { ForceFeedback, MirrorStatus } from '../../../src/mirror/mirroring.ts';
import type { RosServices } from '../../../src/ros/room.ts';
import { emptySnapshot, JOINT_FIELD_NAMES } from '../../../src/rt/snapshot/arm-fields.ts';

export const JOINTS = ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll', 'gripper'];

function unreadSnapshot(): ArmSnapshot {
  const snapshot = { ...emptySnapshot(JOINTS.length), state: 'connected' as const };
  for (const field of JOINT_FIELD_NAMES) snapshot[field].fill(Number.NaN);
  snapshot.servoLower.fill(Number.NEGATIVE_INFINITY);
  snapshot.servoUpper.fill(Number.POSITIVE_INFINITY);
  return snapshot;
}

const PERCENTILES = { p50: 0, p99: 0, longest: 0 };
const TIMING = { recent: PERCENTILES, total: PERCENTILES };

/** Figures of a control loop that has just begun. */
export const LOOP: LoopStatistics = {
  ...{ cycles: 0, rate: 200, late: 0, trouble: '', period: 0.005, longestPeriod: 0.005, priority: 0 },
  ...{ periods: TIMING, lateness: TIMING, latency: TIMING },
  histogram: { width: 0.00025, counts: [] },
};

export const fakeLog = pino({ enabled: false });

/** The clock of a bridge that does not wait to discover others: for tests in which there are none. */
export const IMPATIENT: Clock = { ...systemClock, sleep: async () => {} };
/** The sender of a goal. */
export const FROM_ROS = {
  client: { key: 'ros:client', name: 'a ROS client' },
  origin: { who: 'a ROS client', from: 'ROS 2', what: 'an action', request: 'ros-1' },
};

/** An arm whose snapshot the test sets, for parts that read no more of it. */
export function fakeArm(arm: FakeArm): Arm {
  return arm as unknown as Arm;
}

/** An arm whose snapshot the test sets. Its tool is where its first three joint values say. */
export class FakeArm {
  readonly detached = false;
  // The part of a model that the ROS room reads.
  readonly model = {
    name: 'so101',
    baseLink: 'base_link',
    leastGain: 0.5,
    urdf: '<robot name="bare"><link name="base_link"/></robot>',
    joints: JOINTS.map((name, index) => ({
      name,
      role: name,
      servos: [{ id: index + 1, model: 'STS3215' }],
      lower: -2,
      upper: 2,
      move: { velocity: 1.5, acceleration: 6 },
    })),
  } as unknown as ArmModel;
  readonly bus: string;
  speedScale = 1;
  accelerationScale = 1;
  get pace(): number {
    return this.doubt === '' ? this.speedScale : 0.2;
  }
  readonly simulated = true;
  readonly owner = null;
  readonly initialised = false;
  readonly activity = null;
  movesUncalibrated = false;
  doubt = '';
  unplaced = '';
  outside: string[] = [];
  readonly reason = '';
  snapshot = unreadSnapshot();
  readonly stops: string[] = [];
  resets = 0;
  fault: BridgeError | null = null;

  constructor(
    readonly id: number,
    readonly name: string,
    readonly remote = false,
  ) {
    this.bus = remote ? 'ros' : 'sim:so101';
  }

  readonly clock = systemClock;
  readonly journal = new Journal(systemClock, () => {});

  onState(): void {}

  letGoByOwner(): void {}

  /** As at start. */
  clear(): void {
    this.snapshot = unreadSnapshot();
    this.stops.length = 0;
    this.resets = 0;
    this.fault = null;
  }

  limitSpeed(part: number): void {
    this.speedScale = part;
  }

  limitAcceleration(part: number): void {
    this.accelerationScale = part;
  }

  requireConnected(): void {}

  read(): ArmSnapshot {
    return this.snapshot;
  }

  async readFresh(): Promise<ArmSnapshot> {
    return this.snapshot;
  }

  toolPose(q: Float64Array) {
    return { position: { x: q[0]!, y: q[1]!, z: q[2]! }, orientation: { x: 0, y: 0.6, z: 0, w: 0.8 } };
  }

  gripperOpening(): number {
    return 0;
  }

  get latched(): boolean {
    return this.snapshot.state === 'stopped';
  }

  async stopAtRest(reason: string): Promise<void> {
    if (this.fault !== null) throw this.fault;
    this.stops.push(reason);
    this.snapshot.state = 'stopped';
  }

  async reset(): Promise<void> {
    if (this.fault !== null) throw this.fault;
    this.resets++;
    this.snapshot.state = 'ready';
  }
}

export class FakeMirror {
  #status: MirrorStatus = { active: false, pairs: [], reason: '' };
  readonly listeners = new Set<() => void>();

  async start(): Promise<void> {}

  async stop(): Promise<boolean> {
    return false;
  }

  /** What leaders are to feel, by follower. */
  readonly feedback = new Map<string, ForceFeedback>();

  feedbackOf({ name }: { readonly name: string }): ForceFeedback {
    return this.feedback.get(name) ?? { arm: 0, gripper: 0 };
  }

  setFeedback({ name }: { readonly name: string }, parts: Partial<ForceFeedback>): void {
    this.feedback.set(name, { arm: 0, gripper: 0, ...this.feedback.get(name), ...parts });
  }

  starter: Owner | null = null;

  starterOf(): Owner | null {
    return this.starter;
  }

  status(): MirrorStatus {
    return this.#status;
  }

  set(status: MirrorStatus): void {
    this.#status = status;
    for (const listener of this.listeners) listener();
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

export interface Command {
  readonly arm: string;
  readonly names: string[];
  readonly positions: number[];
}

export interface RemoteState {
  readonly arm: string;
  readonly positions: number[];
  readonly velocities: number[] | null;
}

/** What arrived by the streams; refuses commands while `refusal` is set. */
export class FakeStreams {
  readonly commands: Command[] = [];
  readonly states: RemoteState[] = [];
  refusal: string | null = null;

  /** As at start. */
  clear(): void {
    this.commands.length = 0;
    this.states.length = 0;
    this.refusal = null;
  }

  command(arm: Arm, names: readonly string[], positions: Float64Array): BridgeError | null {
    if (this.refusal !== null) return new BridgeError('owned', this.refusal);
    this.commands.push({ arm: arm.name, names: [...names], positions: [...positions] });
    return null;
  }

  remoteOwner(): void {}

  remoteTorques(): void {}

  remoteState(arm: Arm, positions: Float64Array, velocities: Float64Array | null): void {
    this.states.push({
      arm: arm.name,
      positions: [...positions],
      velocities: velocities === null ? null : [...velocities],
    });
  }
}

/** Everything the ROS room is given, with control cycles that the test makes. */
export class FakeBridge {
  readonly mirror = new FakeMirror();
  readonly joints = new FakeStreams();
  readonly lines: string[] = [];
  readonly log = new LogTail();
  readonly listeners = new Set<() => void>();
  readonly services: RosServices;

  constructor(
    readonly arms: readonly FakeArm[],
    rosArgs: readonly string[] = [],
    discovery: 'localhost' | 'subnet' | 'off' = 'localhost',
    clock = IMPATIENT,
  ) {
    const byName = new Map(arms.map((arm) => [arm.name, arm]));
    const all = {
      all: arms,
      byId: (id: number) => {
        const arm = arms.find((candidate) => candidate.id === id);
        if (arm === undefined) throw new BridgeError('unknown_arm', `no arm ${id}`);
        return arm;
      },
      byName: (name: string) => byName.get(name),
      journal: new Journal(systemClock, () => {}),
    };
    const write = (line: string) => {
      this.lines.push(line);
      this.log.add(line);
    };
    this.services = {
      clock,
      config: configSchema.parse({
        ros: { enabled: true, discovery },
        arms: arms.map(({ name, bus }) => ({ name, bus })),
      }),
      mountOf: () => ({ xyz: [0, 0, 0], rpy: [0, 0, 0] }),
      loop: () => LOOP,
      arms: all,
      mirror: this.mirror,
      joints: this.joints,
      gains: { parts: () => JOINTS.map(() => 1), refusal: () => null, set: () => {} },
      logger: pino({ level: 'debug', timestamp: pino.stdTimeFunctions.isoTime }, { write }),
      bridge: { id: randomUUID(), name: 'lab' },
      rosArgs,
      log: this.log,
      onSnapshot: (listener: () => void) => {
        this.listeners.add(listener);
        return () => this.listeners.delete(listener);
      },
    } as unknown as RosServices;
  }

  /** Ends a control cycle. */
  cycle(): void {
    for (const listener of this.listeners) listener();
  }

  /** Messages of the log that contain `text`. */
  logged(text: string): string[] {
    return this.lines.map((line) => (JSON.parse(line) as { msg: string }).msg).filter((line) => line.includes(text));
  }
}
