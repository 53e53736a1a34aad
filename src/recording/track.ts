import { Chain } from '../kinematics/chain.ts';
import { CollisionModel } from '../kinematics/collision.ts';
import { decodeJointState } from '../ros/cdr.ts';
import { type OpenMcap, openMcap, unreadable } from './mcap-read.ts';
import { type Fit, type Piece, UnfitError } from './messages.ts';
import { Fitter, type RecordedPose } from './replay.ts';
import { JOINT_STATE } from './ros-schemas.ts';

/** Poses of a piece: 2 s at 200 Hz. */
const PIECE = 400;

/** The joint states of a file, read, fitted to an arm and checked for contacts piece by piece. */
export class Track {
  /** Of the recording, at the wanted speed, s. */
  readonly duration: number;
  readonly #file: OpenMcap;
  readonly #poses: AsyncGenerator<RecordedPose, void>;
  readonly #collision: CollisionModel;
  /** The pose that comes next: a piece must know whether it is the last one. */
  #ahead: RecordedPose | null = null;
  #before: Float64Array | null = null;

  private constructor(file: OpenMcap, topic: string, channel: number, fit: Fit) {
    this.#file = file;
    const { description, baseLink, toolLink, joints } = fit;
    const names = joints.map(({ name }) => name);
    this.#collision = new CollisionModel(new Chain(description, { base: baseLink, tool: toolLink, joints: names }));
    this.#poses = fitted(file, topic, channel, fit);
    const { statistics } = file.reader;
    const length = Number((statistics?.messageEndTime ?? 0n) - (statistics?.messageStartTime ?? 0n)) / 1e9;
    this.duration = Math.max(length, 0) / fit.speed;
  }

  /** @throws {UnfitError} for a file that is none, or has no joint states */
  static async open(path: string, fit: Fit): Promise<Track> {
    const file = await openMcap(path);
    const { channelsById, schemasById } = file.reader;
    const states = [...channelsById.values()].filter(
      ({ schemaId, messageEncoding }) => messageEncoding === 'cdr' && schemasById.get(schemaId)?.name === JOINT_STATE,
    );
    // Of an episode the arm's own joints, or those of the arm that comes first.
    const channel =
      states.find(({ topic }) => topic === `/${fit.arm}/joint_states`) ??
      states.find(({ topic }) => topic.endsWith('/joint_states')) ??
      states[0];
    if (channel === undefined) {
      file.close();
      throw new UnfitError(`it has no messages of type ${JOINT_STATE}`);
    }
    return new Track(file, channel.topic, channel.id, fit);
  }

  /** @throws {UnfitError} for what the arm cannot follow */
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

async function* fitted(
  { reader }: OpenMcap,
  topic: string,
  channel: number,
  fit: Fit,
): AsyncGenerator<RecordedPose, void> {
  let fitter: Fitter | null = null;
  let names = '';
  let begun = 0;
  let last = 0;
  let count = 0;
  for await (const message of reader.readMessages({ topics: [topic] })) {
    if (message.channelId !== channel) continue;
    count++;
    const sample = decodeJointState(message.data);
    if (fitter === null) {
      fitter = new Fitter(fit, sample.names);
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
    fitter.push(time, sample.positions);
    for (let pose = fitter.take(false); pose !== null; pose = fitter.take(false)) yield pose;
  }
  if (fitter === null) return;
  for (let pose = fitter.take(true); pose !== null; pose = fitter.take(true)) yield pose;
}
