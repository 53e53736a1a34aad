import { Chain } from '../kinematics/chain.ts';
import { CollisionModel } from '../kinematics/collision.ts';
import { decodeJointState } from '../ros/cdr.ts';
import type { JointMap } from '../rt/messages.ts';
import { jointMaps, type MappedModel } from '../rt/sources/joint-map.ts';
import { type OpenMcap, openMcap, unreadable } from './mcap-read.ts';
import { type Fit, type Piece, UnfitError } from './messages.ts';
import { type RecordedJoints, recordedJoints, recordedModel } from './recorded-joints.ts';
import { Fitter, type RecordedPose } from './replay.ts';

/** Poses per piece: 2 s at 200 Hz. */
const PIECE = 400;

/** Setpoints this much older or newer than a sample do not belong to it, s: the arm had no torque. */
const FRESH = 0.1;

type JointSample = ReturnType<typeof decodeJointState>;

/** The joint states of a file: read, fitted to an arm and checked for collisions piece by piece. */
export class Track {
  /** Duration of the recording at the wanted speed, s. */
  readonly duration: number;
  readonly #file: OpenMcap;
  readonly #poses: AsyncGenerator<RecordedPose, void>;
  readonly #collision: CollisionModel;
  /** The next pose, read ahead to know whether a piece is the last one. */
  #ahead: RecordedPose | null = null;
  #before: Float64Array | null = null;

  private constructor(file: OpenMcap, recorded: RecordedJoints, model: MappedModel | null, fit: Fit) {
    this.#file = file;
    this.#collision = collisionsOf(fit);
    this.#poses = fitted(file, recorded, model, fit);
    const { statistics } = file.reader;
    const length = Number((statistics?.messageEndTime ?? 0n) - (statistics?.messageStartTime ?? 0n)) / 1e9;
    this.duration = Math.max(length, 0) / fit.speed;
  }

  /** @throws {UnfitError} if the file is not an MCAP file or has no joint states */
  static async open(path: string, fit: Fit): Promise<Track> {
    const file = await openMcap(path);
    try {
      const recorded = recordedJoints(file, fit.source, fit.arm);
      return new Track(file, recorded, await recordedModel(file, recorded.arm), fit);
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /** @throws {UnfitError} if the arm cannot follow the recording */
  async next(): Promise<Piece> {
    this.#ahead ??= await this.#read();
    if (this.#ahead === null) throw new UnfitError('it is empty');
    const poses: RecordedPose[] = [];
    while (poses.length < PIECE && this.#ahead !== null) {
      this.#check(this.#ahead);
      poses.push(this.#ahead);
      this.#ahead = await this.#read();
    }
    const joints = poses[0]!.positions.length;
    const positions = new Float64Array(poses.length * joints);
    for (const [k, pose] of poses.entries()) positions.set(pose.positions, k * joints);
    return { times: Float64Array.from(poses, ({ time }) => time), positions, last: this.#ahead === null };
  }

  close(): void {
    this.#file.close();
  }

  async #read(): Promise<RecordedPose | null> {
    try {
      const { value } = await this.#poses.next();
      return value ?? null;
    } catch (error) {
      throw unreadable(error);
    }
  }

  #check({ time, positions }: RecordedPose): void {
    const contact = this.#collision.checkPath(this.#before ?? positions, positions);
    this.#before = positions;
    if (contact === null) return;
    throw new UnfitError(`after ${time.toFixed(2)} s ${contact.a} and ${contact.b} would touch`);
  }
}

/** Collision model of the arm. */
export function collisionsOf({ description, baseLink, toolLink, joints }: Fit): CollisionModel {
  const names = joints.map(({ name }) => name);
  return new CollisionModel(new Chain(description, { base: baseLink, tool: toolLink, joints: names }));
}

/** Maps recorded joints to joints of the arm by role; null if the file gives no roles, so that names must match. */
export function mapsOf(model: MappedModel | null, names: readonly string[], fit: Fit): readonly JointMap[] | null {
  if (model === null || model.joints.length !== names.length) return null;
  const maps = jointMaps(model, fit.model, {}, false);
  if (typeof maps === 'string') throw new UnfitError(maps);
  if (maps.every(({ from }) => from < 0)) throw new UnfitError(`a ${model.name} has no joint that it has`);
  return maps;
}

async function* fitted(
  { reader }: OpenMcap,
  { topic, channel, setpoints }: RecordedJoints,
  model: MappedModel | null,
  fit: Fit,
): AsyncGenerator<RecordedPose, void> {
  const gripper = fit.model.gripper?.index ?? -1;
  const topics = setpoints === null || gripper < 0 ? [topic] : [topic, setpoints.topic];
  let fitter: Fitter | null = null;
  let names = '';
  let begun = 0;
  let last = 0;
  let count = 0;
  /** The newest sample waits for the setpoints of its cycle, which were sent after it. */
  let waiting: JointSample | null = null;
  let asked: JointSample | null = null;
  const push = (into: Fitter, { stamp, positions }: JointSample): void => {
    const fresh = asked !== null && asked.names.join() === names && Math.abs(asked.stamp - stamp) <= FRESH;
    into.push(stamp - begun, positions, fresh ? asked!.positions : null);
  };
  for await (const message of reader.readMessages({ topics })) {
    if (message.channelId === setpoints?.channel) asked = decodeJointState(message.data);
    if (message.channelId !== channel) continue;
    count++;
    const sample = decodeJointState(message.data);
    if (fitter === null) {
      fitter = new Fitter({ ...fit, gripper }, sample.names, mapsOf(model, sample.names, fit));
      names = sample.names.join();
      begun = sample.stamp;
    }
    if (sample.names.join() !== names) throw new UnfitError('its messages name different joints');
    if (sample.positions.length !== sample.names.length || !sample.positions.every(Number.isFinite)) {
      throw new UnfitError(`message ${count} has no position for each of its joints`);
    }
    const time = sample.stamp - begun;
    if (count > 1 && time <= last) continue;
    last = time;
    if (waiting !== null) push(fitter, waiting);
    waiting = sample;
    for (let pose = fitter.take(false); pose !== null; pose = fitter.take(false)) yield pose;
  }
  if (fitter === null || waiting === null) return;
  push(fitter, waiting);
  for (let pose = fitter.take(true); pose !== null; pose = fitter.take(true)) yield pose;
}
