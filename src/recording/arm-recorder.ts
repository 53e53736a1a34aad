import { Chain } from '../kinematics/chain.ts';
import { toolWrench } from '../kinematics/tool-wrench.ts';
import { parseUrdf } from '../kinematics/urdf.ts';
import { JointStateEncoder, PoseStampedEncoder, WrenchStampedEncoder } from '../ros/cdr.ts';
import { ArmNames } from '../ros/names.ts';
import { TransformTree } from '../ros/transforms.ts';
import { type ArmSnapshot, readScalars, snapshotOf } from '../rt/snapshot/arm-fields.ts';
import { HISTORY, type SharedState } from '../rt/snapshot/shared-snapshot.ts';
import { encodeText } from './event-message.ts';
import type { McapFile, Topic } from './mcap-file.ts';
import type { BeginRecording, RecordedArm } from './messages.ts';
import { JOINT_STATE, POSE, TEXT, TRANSFORMS, WRENCH } from './ros-schemas.ts';

/** Rate of recorded frames, Hz; they are for viewing only. */
const FRAME_RATE = 30;
/**
 * Safety distance to the oldest kept cycle, in cycles: a reader that comes closer skips ahead to twice this distance.
 */
const MARGIN = 64;
/** Share of the sampling interval by which a sample may be early, so that loop jitter does not drop samples. */
const EARLY = 0.1;
/** Times closer than this count as equal, s, because they are derived from epoch times, which are coarser. */
const ROUNDING = 1e-4;

const NO_POSE = { position: { x: 0, y: 0, z: 0 }, orientation: { x: 0, y: 0, z: 0, w: 1 } };
/** Bytes that a message takes in a file besides its data. */
const MESSAGE_OVERHEAD = 31;

/**
 * Least bytes of a recorded cycle of an arm: its joint states, and in an episode its pose. A limp arm has no goals and
 * no external torques.
 */
export function leastCycleBytes(arm: RecordedArm, content: BeginRecording['content']): number {
  const names = new ArmNames(arm, arm.prefix);
  const messages: Uint8Array[] = [
    new JointStateEncoder(names.joints).encode(0, new Float64Array(names.joints.length), null, null),
  ];
  if (content === 'episode') messages.push(new PoseStampedEncoder(names.frame(arm.baseLink)).encode(0, NO_POSE));
  return messages.reduce((sum, { byteLength }) => sum + byteLength + MESSAGE_OVERHEAD, 0);
}

/** Context of a drain. */
export interface Take {
  readonly file: McapFile;
  /** Offset from instants to message times, s. */
  readonly offset: number;
  /** Called when the arm has changed its state. */
  state(instant: number, arm: string, text: string): void;
  lost(instant: number, arm: string, cycles: number): void;
}

/** Topics of an arm; those of episodes are null in a recording of joints only. */
interface Topics {
  readonly states: Topic;
  readonly goals: Topic | null;
  readonly setpoints: Topic | null;
  readonly external: Topic | null;
  readonly wrench: Topic | null;
  readonly pose: Topic | null;
  readonly frames: Topic | null;
  readonly fixedFrames: Topic | null;
  readonly description: Topic | null;
}

/** Reads every cycle of one arm from its history and writes what is new. */
export class ArmRecorder {
  /** Joint states so far, and cycles that were missed. */
  samples = 0;
  lost = 0;
  readonly #name: string;
  readonly #shared: SharedState;
  readonly #index: number;
  readonly #topics: Topics;
  readonly #file: McapFile;
  readonly #names: ArmNames;
  readonly #chain: Chain;
  readonly #tree: TransformTree;
  readonly #joints: JointStateEncoder;
  readonly #goals: JointStateEncoder;
  readonly #setpoints: JointStateEncoder;
  readonly #external: JointStateEncoder;
  readonly #wrench: WrenchStampedEncoder;
  readonly #pose: PoseStampedEncoder;
  readonly #block: Float64Array;
  readonly #snapshot: ArmSnapshot;
  /** Minimum time between two samples, s; 0: record every sample. */
  readonly #interval: number;
  #next: number;
  /** Times of the first and last sample, of the last goals and of the last frames, s. */
  #first = 0;
  #last = 0;
  #goalTime = 0;
  #frameTime = Number.NEGATIVE_INFINITY;
  #state = '';

  private constructor(
    arm: RecordedArm,
    shared: SharedState,
    index: number,
    file: McapFile,
    topics: Topics,
    rate: number | null,
  ) {
    this.#name = arm.name;
    this.#shared = shared;
    this.#index = index;
    this.#file = file;
    this.#topics = topics;
    this.#interval = rate === null ? 0 : (1 - EARLY) / rate;
    this.#names = new ArmNames(arm, arm.prefix);
    const joints = arm.model.joints.map(({ name }) => name);
    this.#chain = new Chain(parseUrdf(arm.model.urdf), { base: arm.baseLink, tool: arm.toolLink, joints });
    this.#tree = new TransformTree(arm, this.#names, arm.mount);
    this.#joints = new JointStateEncoder(this.#names.joints);
    this.#goals = new JointStateEncoder(this.#names.joints);
    this.#setpoints = new JointStateEncoder(this.#names.joints);
    this.#external = new JointStateEncoder(this.#names.joints);
    this.#wrench = new WrenchStampedEncoder(this.#names.frame(arm.toolLink));
    this.#pose = new PoseStampedEncoder(this.#names.frame(arm.baseLink));
    this.#block = new Float64Array(shared.blockLength(index));
    this.#snapshot = snapshotOf(this.#block, joints.length);
    this.#next = shared.kept(index);
  }

  static async start(
    arm: RecordedArm,
    shared: SharedState,
    index: number,
    file: McapFile,
    content: BeginRecording['content'],
    rate: number | null,
  ): Promise<ArmRecorder> {
    const whole = content === 'episode';
    const topic = (name: string, type: Parameters<McapFile['topic']>[1]) =>
      whole ? file.topic(name, type) : Promise.resolve(null);
    const topics: Topics = {
      states: await file.topic(`/${arm.name}/joint_states`, JOINT_STATE),
      goals: await topic(`/${arm.name}/joint_goals`, JOINT_STATE),
      setpoints: await topic(`/${arm.name}/joint_setpoints`, JOINT_STATE),
      external: await topic(`/${arm.name}/external_torques`, JOINT_STATE),
      wrench: await topic(`/${arm.name}/external_wrench`, WRENCH),
      pose: await topic(`/${arm.name}/end_effector/pose`, POSE),
      description: await topic(`/${arm.name}/robot_description`, TEXT),
      frames: await topic('/tf', TRANSFORMS),
      fixedFrames: await topic('/tf_static', TRANSFORMS),
    };
    return new ArmRecorder(arm, shared, index, file, topics, rate);
  }

  /** Time between the first and the last sample, s. */
  get duration(): number {
    return this.#last - this.#first;
  }

  /** Writes the constant messages. @param time s since the epoch */
  async describe(time: number): Promise<void> {
    const { description, fixedFrames } = this.#topics;
    if (description !== null) await this.#file.add(description, encodeText(this.#names.urdf()), time);
    if (fixedFrames !== null) await this.#file.add(fixedFrames, this.#tree.fixed, time);
  }

  /** Writes the new cycles. @throws {Error} of the file system */
  async drain(take: Take): Promise<void> {
    const kept = this.#shared.kept(this.#index);
    while (this.#next !== kept) {
      const number = this.#next;
      const behind = (kept - number) >>> 0;
      if (behind > HISTORY - MARGIN || !this.#shared.recall(this.#index, number, this.#block)) {
        const skipped = Math.max(1, behind - HISTORY + 2 * MARGIN);
        this.lost += skipped;
        this.#next = (number + skipped) >>> 0;
        take.lost(this.#snapshot.sampleInstant, this.#name, skipped);
        continue;
      }
      this.#next = (number + 1) >>> 0;
      readScalars(this.#block, this.#snapshot);
      await this.#write(take);
    }
  }

  async #write(take: Take): Promise<void> {
    const snapshot = this.#snapshot;
    const { state, sampleTime, sampleInstant, goalTime, torque, goals, setpoints } = snapshot;
    // Offset of the system clock, as the loop knew it in that cycle.
    const now = sampleTime - sampleInstant;
    if (state !== this.#state) {
      take.state(Math.max(sampleInstant, this.#last), this.#name, state);
      this.#state = state;
    }
    if (state === 'disconnected' || sampleInstant === 0) return;
    if (sampleInstant > this.#last && sampleInstant - this.#last >= this.#interval) await this.#sample(take);
    if (this.#topics.goals === null || goalTime === 0 || !torque) return;
    const sent = goalTime - now;
    // An arm that nobody drives may have been sent its last goals long before the recording began.
    const before = this.#first === 0 || sent < this.#first;
    if (before || sent - this.#goalTime < ROUNDING || !finite(goals) || !finite(setpoints)) return;
    this.#goalTime = sent;
    const stamp = sent + take.offset;
    await take.file.add(this.#topics.goals, this.#goals.encode(stamp, goals, null, null), stamp, goalTime);
    await take.file.add(this.#topics.setpoints!, this.#setpoints.encode(stamp, setpoints, null, null), stamp, goalTime);
  }

  /** Velocities and efforts are read less often than positions: only those of the same read are recorded under its stamp. */
  async #sample(take: Take): Promise<void> {
    const { sampleTime, sampleInstant, detailTime, positions, velocities, efforts, holding } = this.#snapshot;
    const { external: pushes } = this.#snapshot;
    if (!finite(positions)) return;
    if (this.#first === 0) this.#first = sampleInstant;
    this.#last = sampleInstant;
    this.samples++;
    const { file, offset } = take;
    const { states, external, wrench, pose, frames } = this.#topics;
    const stamp = sampleInstant + offset;
    const known = detailTime === sampleTime && finite(velocities) && finite(efforts);
    const message = this.#joints.encode(stamp, positions, known ? velocities : null, known ? efforts : null);
    await file.add(states, message, stamp, sampleTime);
    if (pose === null || frames === null || external === null || wrench === null) return;
    // A limp arm has no estimate (it is 0), and an arm of another machine may report none.
    if (holding && finite(pushes)) {
      await file.add(external, this.#external.encode(stamp, positions, null, pushes), stamp, sampleTime);
      const atTool = toolWrench(this.#chain, positions, pushes, 'tool');
      await file.add(wrench, this.#wrench.encode(stamp, atTool), stamp, sampleTime);
    }
    await file.add(pose, this.#pose.encode(stamp, this.#chain.toolPose(positions)), stamp, sampleTime);
    if (sampleInstant - this.#frameTime < (1 - EARLY) / FRAME_RATE) return;
    this.#frameTime = sampleInstant;
    await file.add(frames, this.#tree.encode(stamp, positions), stamp, sampleTime);
  }
}

function finite(values: Float64Array): boolean {
  for (let i = 0; i < values.length; i++) if (!Number.isFinite(values[i]!)) return false;
  return true;
}
