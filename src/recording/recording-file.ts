import { type FileHandle, open, readFile } from 'node:fs/promises';
import { CdrReader, CdrWriter } from '@foxglove/cdr';
import { McapIndexedReader, McapWriter } from '@mcap/core';
import type { Clock } from '../clock.ts';

/** The message definition as rosbag2 and Foxglove read it, with what it depends on. */
const SCHEMA = `std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
`;
const SCHEMA_NAME = 'sensor_msgs/msg/JointState';
const PROFILE = 'ros2';
const NANOSECONDS = 1e9;
/** Messages that are read before others are served, since a stop is heard in between only. */
const SLICE = 500;

/** Joints of one arm at one time. */
export interface JointSample {
  /** Of the bus read, seconds since the epoch by the system clock as it was at the first sample, however it is set since. */
  readonly time: number;
  /** The same by the system clock as it is. */
  readonly clock: number;
  /** rad */
  readonly positions: Float64Array;
  /** rad/s */
  readonly velocities: Float64Array;
  /** Nm */
  readonly efforts: Float64Array;
}

/** Joints of an arm over time. */
export interface JointTrack {
  readonly names: readonly string[];
  /** s since the first sample, strictly increasing. */
  readonly times: readonly number[];
  /** rad, one array per time, in the order of `names`. */
  readonly positions: readonly Float64Array[];
}

/** A file is no recording that can be replayed; the message says why. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError';
}

function encode(names: readonly string[], { time, positions, velocities, efforts }: JointSample): Uint8Array {
  const seconds = Math.floor(time);
  const writer = new CdrWriter();
  writer
    .int32(seconds)
    .uint32(Math.floor((time - seconds) * NANOSECONDS))
    .string('');
  writer.sequenceLength(names.length);
  for (const name of names) writer.string(name);
  for (const values of [positions, velocities, efforts]) writer.float64Array(values, true);
  return writer.data;
}

function decode(data: Uint8Array): { names: string[]; time: number; positions: Float64Array } {
  const reader = new CdrReader(data);
  const seconds = reader.int32();
  const time = seconds + reader.uint32() / NANOSECONDS;
  reader.string();
  const names = Array.from({ length: reader.sequenceLength() }, () => reader.string());
  return { names, time, positions: reader.float64Array() };
}

/** @param time s, taken in whole microseconds */
function nanoseconds(time: number): bigint {
  return BigInt(Math.floor(time * 1e6)) * 1000n;
}

/** A disk that is this much behind cannot keep up, bytes. */
const MOST_WAITING = 16e6;

/** An MCAP file of sensor_msgs/JointState messages of one arm, being written. */
export class JointFile {
  /** Bytes so far, those that are still on their way to the disk too. */
  size = 0;
  /** Why it cannot be written any further; null while it can. */
  failure: Error | null = null;
  #waiting = 0;
  #written: Promise<unknown> = Promise.resolve();
  samples = 0;
  readonly #file: FileHandle;
  readonly #writer: McapWriter;
  readonly #names: readonly string[];
  #channel = 0;

  private constructor(file: FileHandle, names: readonly string[]) {
    this.#file = file;
    this.#names = names;
    this.#writer = new McapWriter({
      writable: {
        position: () => BigInt(this.size),
        write: async (bytes) => this.#write(bytes.slice()),
      },
    });
  }

  /** Samples do not wait for the disk. */
  #write(bytes: Uint8Array): void {
    this.size += bytes.length;
    this.#waiting += bytes.length;
    if (this.#waiting > MOST_WAITING) this.failure ??= new Error('the disk does not keep up');
    this.#written = this.#written
      .then(() => (this.failure === null ? this.#file.write(bytes) : undefined))
      .catch((error: Error) => {
        this.failure ??= error;
      })
      .finally(() => {
        this.#waiting -= bytes.length;
      });
  }

  /** Creates the file, which must not exist. @param topic of its messages @throws {Error} of the file system */
  static async create(path: string, topic: string, names: readonly string[]): Promise<JointFile> {
    const made = new JointFile(await open(path, 'wx'), names);
    try {
      await made.#begin(topic);
      await made.#written;
      if (made.failure !== null) throw made.failure;
    } catch (error) {
      await made.#file.close();
      throw error;
    }
    return made;
  }

  async #begin(topic: string): Promise<void> {
    await this.#writer.start({ profile: PROFILE, library: 'arm-bridge' });
    const schemaId = await this.#writer.registerSchema({
      name: SCHEMA_NAME,
      encoding: 'ros2msg',
      data: new TextEncoder().encode(SCHEMA),
    });
    this.#channel = await this.#writer.registerChannel({
      topic,
      schemaId,
      messageEncoding: 'cdr',
      metadata: new Map([['offered_qos_profiles', '']]),
    });
  }

  /** Not to be called again before it has resolved. */
  async add(sample: JointSample): Promise<void> {
    await this.#writer.addMessage({
      channelId: this.#channel,
      sequence: this.samples,
      logTime: nanoseconds(sample.time),
      publishTime: nanoseconds(sample.clock),
      data: encode(this.#names, sample),
    });
    this.samples++;
  }

  /** Completes the file. @throws {Error} of the file system, also of what was written before */
  async end(): Promise<void> {
    try {
      await this.#writer.end();
      await this.#written;
      if (this.failure !== null) throw this.failure;
    } finally {
      await this.#file.close();
    }
  }
}

/**
 * Reads the joint states of an MCAP file, in the order of their times; messages of other topics than the first with joint
 * states are left alone. Others are served in between.
 * @throws {RecordingError} for a file that is none, or has no joint states
 */
export async function readTrack(path: string, clock: Clock): Promise<JointTrack> {
  const bytes = await readFile(path);
  try {
    const reader = await McapIndexedReader.Initialize({
      readable: {
        size: async () => BigInt(bytes.length),
        read: async (offset, size) => bytes.subarray(Number(offset), Number(offset + size)),
      },
    });
    const channel = [...reader.channelsById.values()].find(
      ({ schemaId, messageEncoding }) =>
        messageEncoding === 'cdr' && reader.schemasById.get(schemaId)?.name === SCHEMA_NAME,
    );
    if (channel === undefined) throw new RecordingError('it has no messages of type sensor_msgs/msg/JointState');
    return await collect(reader, channel.topic, channel.id, clock);
  } catch (error) {
    if (error instanceof RecordingError) throw error;
    throw new RecordingError(`it cannot be read as an MCAP file (${error instanceof Error ? error.message : error})`);
  }
}

async function collect(reader: McapIndexedReader, topic: string, channel: number, clock: Clock): Promise<JointTrack> {
  let names: readonly string[] = [];
  const times: number[] = [];
  const positions: Float64Array[] = [];
  let begun = 0;
  let read = 0;
  for await (const message of reader.readMessages({ topics: [topic] })) {
    if (++read % SLICE === 0) await new Promise<void>((resolve) => clock.soon(resolve));
    if (message.channelId !== channel) continue;
    const sample = decode(message.data);
    if (times.length === 0) {
      names = sample.names;
      begun = sample.time;
    }
    if (sample.names.join() !== names.join()) throw new RecordingError('its messages name different joints');
    if (sample.positions.length !== names.length || !sample.positions.every(Number.isFinite)) {
      throw new RecordingError(`message ${times.length + 1} has no position for each of its joints`);
    }
    const time = sample.time - begun;
    if (times.length > 0 && time <= times.at(-1)!) continue;
    times.push(time);
    positions.push(sample.positions);
  }
  if (times.length === 0) throw new RecordingError('it is empty');
  return { names, times, positions };
}
