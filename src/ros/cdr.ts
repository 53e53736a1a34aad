import { CdrReader, CdrWriter } from '@foxglove/cdr';
import type { Pose } from '../kinematics/frames.ts';
import { MOST_JOINTS } from '../sizes.ts';

/** Bytes of the encapsulation header; CDR counts alignment from its end. */
const ENCAPSULATION = 4;
const STAMP_AT = ENCAPSULATION;
const DOUBLE = 8;
/** Position and quaternion. */
export const NUMBERS_OF_POSE = 7;

/** Writes builtin_interfaces/Time (int32 sec, uint32 nanosec); default offset: a message that starts with a header. */
function writeStamp(view: DataView, seconds: number, at: number = STAMP_AT): void {
  let whole = Math.floor(seconds);
  let nanoseconds = Math.round((seconds - whole) * 1e9);
  if (nanoseconds === 1e9) {
    whole += 1;
    nanoseconds = 0;
  }
  view.setInt32(at, whole, true);
  view.setUint32(at + 4, nanoseconds, true);
}

/** A message with a fixed byte layout; only numbers change afterwards. */
interface Layout {
  readonly bytes: Buffer;
  readonly view: DataView;
}

function finish(writer: CdrWriter): Layout {
  const bytes = Buffer.from(writer.data);
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
}

interface JointStateLayout extends Layout {
  readonly positionsAt: number;
  readonly velocitiesAt: number;
  readonly effortsAt: number;
}

function writeDoubles(view: DataView, offset: number, values: Float64Array): void {
  for (let index = 0; index < values.length; index++) view.setFloat64(offset + index * DOUBLE, values[index]!, true);
}

/** Appends a sequence of doubles and returns the offset of its first element. */
function appendDoubles(writer: CdrWriter, count: number): number {
  writer.sequenceLength(count);
  writer.float64Array(new Float64Array(count));
  return writer.size - count * DOUBLE;
}

/** sensor_msgs/msg/JointState of a fixed set of joints as CDR bytes (little-endian), without allocation per message. */
export class JointStateEncoder {
  readonly #count: number;
  /** By known fields: 0 positions alone, 1 with velocities, 2 with efforts, 3 with both. */
  readonly #layouts: readonly JointStateLayout[];

  /** @param names joint names as in the URDF @param frame `header.frame_id` */
  constructor(names: readonly string[], frame = '') {
    this.#count = names.length;
    this.#layouts = [0, 1, 2, 3].map((known) => {
      const writer = new CdrWriter();
      writer.int32(0).uint32(0).string(frame).sequenceLength(names.length);
      for (const name of names) writer.string(name);
      const positionsAt = appendDoubles(writer, names.length);
      const velocitiesAt = appendDoubles(writer, known & 1 ? names.length : 0);
      const effortsAt = appendDoubles(writer, known & 2 ? names.length : 0);
      return { ...finish(writer), positionsAt, velocitiesAt, effortsAt };
    });
  }

  /**
   * @param stamp seconds since the epoch
   * @param positions rad, one per joint
   * @param velocities rad/s, one per joint; null: unknown, the field is left empty
   * @param efforts Nm, one per joint; null: unknown, the field is left empty
   * @returns bytes that the next call overwrites
   */
  encode(
    stamp: number,
    positions: Float64Array,
    velocities: Float64Array | null,
    efforts: Float64Array | null,
  ): Buffer {
    const layout = this.#layouts[(velocities === null ? 0 : 1) | (efforts === null ? 0 : 2)]!;
    if (positions.length !== this.#count)
      throw new RangeError(`${positions.length} positions of ${this.#count} joints`);
    writeStamp(layout.view, stamp);
    writeDoubles(layout.view, layout.positionsAt, positions);
    if (velocities !== null) writeDoubles(layout.view, layout.velocitiesAt, velocities);
    if (efforts !== null) writeDoubles(layout.view, layout.effortsAt, efforts);
    return layout.bytes;
  }
}

/** geometry_msgs/msg/PoseStamped in a fixed frame as CDR bytes (little-endian), without allocation per message. */
export class PoseStampedEncoder {
  readonly #layout: Layout;
  readonly #poseAt: number;

  constructor(frame: string) {
    const writer = new CdrWriter();
    writer.int32(0).uint32(0).string(frame).float64Array(new Float64Array(NUMBERS_OF_POSE));
    this.#layout = finish(writer);
    this.#poseAt = this.#layout.bytes.length - NUMBERS_OF_POSE * DOUBLE;
  }

  /**
   * @param stamp seconds since the epoch
   * @param pose m and unit quaternion, in the encoder's frame
   * @returns bytes that the next call overwrites
   */
  encode(stamp: number, { position, orientation }: Pose): Buffer {
    const { view, bytes } = this.#layout;
    const at = this.#poseAt;
    writeStamp(view, stamp);
    view.setFloat64(at, position.x, true);
    view.setFloat64(at + DOUBLE, position.y, true);
    view.setFloat64(at + 2 * DOUBLE, position.z, true);
    view.setFloat64(at + 3 * DOUBLE, orientation.x, true);
    view.setFloat64(at + 4 * DOUBLE, orientation.y, true);
    view.setFloat64(at + 5 * DOUBLE, orientation.z, true);
    view.setFloat64(at + 6 * DOUBLE, orientation.w, true);
    return bytes;
  }
}

/** Force and moment. */
const NUMBERS_OF_WRENCH = 6;

/** geometry_msgs/msg/WrenchStamped in a fixed frame as CDR bytes (little-endian), without allocation per message. */
export class WrenchStampedEncoder {
  readonly #layout: Layout;
  readonly #wrenchAt: number;

  constructor(frame: string) {
    const writer = new CdrWriter();
    writer.int32(0).uint32(0).string(frame).float64Array(new Float64Array(NUMBERS_OF_WRENCH));
    this.#layout = finish(writer);
    this.#wrenchAt = this.#layout.bytes.length - NUMBERS_OF_WRENCH * DOUBLE;
  }

  /**
   * @param stamp seconds since the epoch
   * @param wrench force x y z in N, then moment x y z in Nm, in axes of the encoder's frame
   * @returns bytes that the next call overwrites
   */
  encode(stamp: number, wrench: Float64Array): Buffer {
    const { view, bytes } = this.#layout;
    writeStamp(view, stamp);
    writeDoubles(view, this.#wrenchAt, wrench);
    return bytes;
  }
}

/** Parent and child of a transform, by frame name. */
export interface FramePair {
  readonly parent: string;
  readonly child: string;
}

/** tf2_msgs/msg/TFMessage of a fixed set of frames as CDR bytes (little-endian), without allocation per message. */
export class TransformsEncoder {
  readonly #layout: Layout;
  readonly #stamps: number[] = [];
  readonly #values: number[] = [];

  constructor(frames: readonly FramePair[]) {
    const writer = new CdrWriter();
    writer.sequenceLength(frames.length);
    for (const { parent, child } of frames) {
      writer.int32(0);
      this.#stamps.push(writer.size - 4);
      writer.uint32(0).string(parent).string(child).float64Array(new Float64Array(NUMBERS_OF_POSE));
      this.#values.push(writer.size - NUMBERS_OF_POSE * DOUBLE);
    }
    this.#layout = finish(writer);
  }

  /**
   * @param stamp seconds since the epoch
   * @param values x y z (m) and quaternion x y z w of each transform, one after the other in the order of the frames
   * @returns bytes that the next call overwrites
   */
  encode(stamp: number, values: Float64Array): Buffer {
    const { view, bytes } = this.#layout;
    for (let frame = 0; frame < this.#stamps.length; frame++) {
      writeStamp(view, stamp, this.#stamps[frame]!);
      const at = this.#values[frame]!;
      for (let index = 0; index < NUMBERS_OF_POSE; index++) {
        view.setFloat64(at + index * DOUBLE, values[frame * NUMBERS_OF_POSE + index]!, true);
      }
    }
    return bytes;
  }
}

/** diagnostic_msgs/msg/DiagnosticStatus */
export interface DiagnosticStatus {
  readonly level: number;
  /** `node: subcomponent` (REP-107). */
  readonly name: string;
  readonly message: string;
  readonly hardware_id: string;
  readonly values: readonly { readonly key: string; readonly value: string }[];
}

/**
 * diagnostic_msgs/msg/DiagnosticArray as CDR bytes (little-endian). rclnodejs would take 5 ms to serialise an object.
 * @param stamp seconds since the epoch
 */
export function encodeDiagnostics(stamp: number, statuses: readonly DiagnosticStatus[]): Buffer {
  const writer = new CdrWriter();
  writer.int32(0).uint32(0).string('').sequenceLength(statuses.length);
  for (const { level, name, message, hardware_id, values } of statuses) {
    writer.uint8(level).string(name).string(message).string(hardware_id).sequenceLength(values.length);
    for (const { key, value } of values) writer.string(key).string(value);
  }
  const { bytes, view } = finish(writer);
  writeStamp(view, stamp);
  return bytes;
}

/** The fields of sensor_msgs/msg/JointState that the bridge reads. Array lengths are as sent. */
export interface JointState {
  /** Seconds since the epoch; 0 when the sender left it out. */
  readonly stamp: number;
  /** `header.frame_id`: of setpoints, the bridge that has sent them (bridge-identity.ts). */
  readonly frame: string;
  readonly names: readonly string[];
  readonly positions: Float64Array;
  readonly velocities: Float64Array;
  readonly efforts: Float64Array;
}

/**
 * @param bytes CDR of either byte order
 * @throws {RangeError} when the bytes are no such message
 */
export function decodeJointState(bytes: Uint8Array): JointState {
  return decoded(bytes, (reader) => {
    const stamp = reader.int32() + reader.uint32() * 1e-9;
    const frame = readString(reader);
    const names = readStrings(reader);
    const positions = readDoubles(reader);
    const velocities = readDoubles(reader);
    return { stamp, frame, names, positions, velocities, efforts: readDoubles(reader) };
  });
}

/** A time of a message: builtin_interfaces/Time or Duration. */
interface SentTime {
  readonly sec: number;
  readonly nanosec: number;
}

/** trajectory_msgs/msg/JointTrajectory. Array lengths are as sent. */
export interface JointTrajectory {
  readonly header: { readonly stamp: SentTime };
  readonly joint_names: readonly string[];
  readonly points: readonly {
    readonly positions: Float64Array;
    readonly velocities: Float64Array;
    readonly accelerations: Float64Array;
    readonly effort: Float64Array;
    readonly time_from_start: SentTime;
  }[];
}

/**
 * Most points of a trajectory. Planners give tens to hundreds, and the control thread looks at all of them within a
 * cycle.
 */
export const MOST_POINTS = 10_000;

/** Why a trajectory with so many joint names and points is refused unread, human-readable; null if it is not. */
export function trajectorySizeFault(names: number, points: number): string | null {
  if (names > MOST_JOINTS) return `the trajectory names ${names} joints, and an arm has ${MOST_JOINTS} at most`;
  if (points <= MOST_POINTS) return null;
  return `the trajectory has ${points} points, more than ${MOST_POINTS}: give fewer, or send it in parts`;
}

/** Least bytes of a point: the lengths of its four arrays, and its time. */
const LEAST_POINT = 24;

/**
 * Takes 1 us per point, where rclnodejs takes 70 us to make an object of the message.
 * @param bytes CDR of either byte order
 * @throws {RangeError} when the bytes are no such message
 * @throws {Error} when the trajectory is too large
 */
export function decodeJointTrajectory(bytes: Uint8Array): JointTrajectory {
  return decoded(bytes, (reader) => {
    const stamp = readTime(reader);
    readString(reader);
    const nameCount = checkedLength(reader, LEAST_STRING);
    refuseSize(nameCount, 0);
    const names = readStrings(reader, nameCount);
    const pointCount = checkedLength(reader, LEAST_POINT);
    refuseSize(nameCount, pointCount);
    const points = Array.from({ length: pointCount }, () => ({
      positions: readDoubles(reader),
      velocities: readDoubles(reader),
      accelerations: readDoubles(reader),
      effort: readDoubles(reader),
      time_from_start: readTime(reader),
    }));
    return { header: { stamp }, joint_names: names, points };
  });
}

/** @throws {Error} when the trajectory is too large */
function refuseSize(names: number, points: number): void {
  const fault = trajectorySizeFault(names, points);
  if (fault !== null) throw new Error(fault);
}

/** @throws {RangeError} when the bytes are no CDR, or end before the message does */
function decoded<T>(bytes: Uint8Array, read: (reader: CdrReader) => T): T {
  // Higher kinds are parameter lists and CDR 2, which ROS 2 does not use for its messages.
  if (bytes.length < ENCAPSULATION || bytes[0] !== 0 || bytes[1]! > 1) throw new RangeError('not a CDR message');
  const reader = new CdrReader(bytes);
  try {
    const message = read(reader);
    if (reader.offset <= reader.byteLength) return message;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new RangeError('truncated message');
}

function readTime(reader: CdrReader): SentTime {
  return { sec: reader.int32(), nanosec: reader.uint32() };
}

function readDoubles(reader: CdrReader): Float64Array {
  return reader.float64Array(checkedLength(reader, DOUBLE));
}

/** Least bytes of a string: its length field. The check keeps a damaged count from creating a huge array. */
const LEAST_STRING = 4;

function readStrings(reader: CdrReader, count = checkedLength(reader, LEAST_STRING)): string[] {
  return Array.from({ length: count }, () => readString(reader));
}

function checkedLength(reader: CdrReader, elementSize: number): number {
  const length = reader.sequenceLength();
  if (length * elementSize > reader.byteLength - reader.offset) throw new RangeError('truncated message');
  return length;
}

function readString(reader: CdrReader): string {
  return reader.string(checkedLength(reader, 1));
}
