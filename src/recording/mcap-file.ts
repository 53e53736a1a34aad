import { closeSync, fdatasyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { McapWriter } from '@mcap/core';
import { qosOf, ROS_SCHEMAS, type RosType } from './ros-schemas.ts';

/** What a file says first about what it is. */
export const PROFILE = 'ros2';
export const LIBRARY = 'arm-bridge';

/** Seconds as whole nanoseconds, exact to a microsecond. */
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
 * An MCAP file of ROS 2 messages, being written. Its calls wait for the disk: they belong into a thread that may. Whatever
 * ends the process, all but the chunk that was being filled can be read.
 */
export class McapFile {
  readonly path: string;
  /** Bytes so far, those of the present chunk left out. */
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
   * @param chunkSize bytes that are written together: what is lost at most when the process is killed
   * @throws {Error} of the file system
   */
  static async create(path: string, chunkSize = 1 << 20): Promise<McapFile> {
    const file = new McapFile(path, chunkSize);
    await file.#writer.start({ profile: PROFILE, library: LIBRARY });
    return file;
  }

  /** By its place: what a full disk has taken of a part is written over once there is room. */
  #write(bytes: Uint8Array): void {
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(this.#file, bytes, written, bytes.length - written, this.size + written);
    }
    this.size += bytes.length;
  }

  /** A topic of messages whose definition is known; that of the same name, where there is one. */
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
   * Adds a message. Not to be called again before it has resolved.
   * @param log time by which messages are in order, s since the epoch; `published`: the same by the system clock as it is
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

  /** Adds named texts under one name. */
  async describe(name: string, metadata: ReadonlyMap<string, string>): Promise<void> {
    await this.#writer.addMetadata({ name, metadata: new Map(metadata) });
  }

  /** Adds a file within the file. @param time s since the epoch */
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

  /** The writer itself, for what is copied from another file. */
  get writer(): McapWriter {
    return this.#writer;
  }

  /** What has been written so far is on the disk. @throws {Error} of the file system */
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

  /** Leaves the file as it is. */
  abandon(): void {
    closeSync(this.#file);
  }
}
