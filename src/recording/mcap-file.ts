import { closeSync, fdatasyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { McapWriter } from '@mcap/core';
import { qosOf, ROS_SCHEMAS, type RosType } from './ros-schemas.ts';

/** Profile and library in the header of a file. */
export const PROFILE = 'ros2';
export const LIBRARY = 'arm-bridge';

/** Seconds in nanoseconds, rounded down to a microsecond. */
export function nanoseconds(time: number): bigint {
  return BigInt(Math.floor(time * 1e6)) * 1000n;
}

/** One topic of a file. */
export interface Topic {
  readonly channel: number;
  /** Messages so far. */
  count: number;
}

/**
 * An MCAP file of ROS 2 messages that is being written. Calls block on the disk, so use it only in a thread that may
 * block. Whatever ends the process, everything but the present chunk stays readable.
 */
export class McapFile {
  readonly path: string;
  /** Bytes written so far, without the present chunk. */
  size = 0;
  readonly #file: number;
  readonly #writer: McapWriter;
  readonly #schemas = new Map<string, number>();
  readonly #topics = new Map<string, Topic>();

  private constructor(path: string, chunkSize: number) {
    this.path = path;
    this.#file = openSync(path, 'wx');
    this.#writer = new McapWriter({
      chunkSize,
      writable: {
        position: () => BigInt(this.size),
        write: async (bytes) => this.#write(bytes),
      },
    });
  }

  /**
   * Creates the file, which must not exist.
   * @param chunkSize bytes that are written at once; the most that a killed process loses
   * @throws {Error} of the file system
   */
  static async create(path: string, chunkSize = 1 << 20): Promise<McapFile> {
    const file = new McapFile(path, chunkSize);
    await file.#writer.start({ profile: PROFILE, library: LIBRARY });
    return file;
  }

  /** Writes at an explicit offset, so that a part left by a full disk is overwritten once there is room. */
  #write(bytes: Uint8Array): void {
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(this.#file, bytes, written, bytes.length - written, this.size + written);
    }
    this.size += bytes.length;
  }

  /** Creates a topic of a known message type, or returns the existing topic of this name. */
  async topic(name: string, type: RosType): Promise<Topic> {
    const known = this.#topics.get(name);
    if (known !== undefined) return known;
    let schemaId = this.#schemas.get(type);
    if (schemaId === undefined) {
      const data = new TextEncoder().encode(ROS_SCHEMAS[type]);
      schemaId = await this.#writer.registerSchema({ name: type, encoding: 'ros2msg', data });
      this.#schemas.set(type, schemaId);
    }
    const metadata = new Map([['offered_qos_profiles', qosOf(name)]]);
    const channel = await this.#writer.registerChannel({ topic: name, schemaId, messageEncoding: 'cdr', metadata });
    const topic = { channel, count: 0 };
    this.#topics.set(name, topic);
    return topic;
  }

  /**
   * Adds a message. Wait for each call to resolve before the next one.
   * @param log time that orders the messages, s since the epoch
   * @param published the same time by the present system clock, s since the epoch
   */
  async add(topic: Topic, data: Uint8Array, log: number, published = log): Promise<void> {
    await this.#writer.addMessage({
      channelId: topic.channel,
      sequence: topic.count++,
      logTime: nanoseconds(log),
      publishTime: nanoseconds(published),
      data,
    });
  }

  /** Adds a metadata record. */
  async describe(name: string, metadata: ReadonlyMap<string, string>): Promise<void> {
    await this.#writer.addMetadata({ name, metadata: new Map(metadata) });
  }

  /** Adds an attachment. @param time s since the epoch */
  async attach(name: string, mediaType: string, text: string, time: number): Promise<void> {
    const data = new TextEncoder().encode(text);
    await this.#writer.addAttachment({
      name,
      mediaType,
      data,
      logTime: nanoseconds(time),
      createTime: nanoseconds(time),
    });
  }

  /** The underlying writer, for copying records from another file. */
  get writer(): McapWriter {
    return this.#writer;
  }

  /** Flushes everything written so far to the disk. @throws {Error} of the file system */
  sync(): void {
    fdatasyncSync(this.#file);
  }

  /** Completes the file. @throws {Error} of the file system */
  async end(): Promise<void> {
    try {
      await this.#writer.end();
      ftruncateSync(this.#file, this.size);
      this.sync();
    } finally {
      closeSync(this.#file);
    }
  }

  /** Closes the file without completing it. */
  abandon(): void {
    closeSync(this.#file);
  }
}
