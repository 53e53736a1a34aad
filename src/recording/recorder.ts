import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../clock.ts';
import { messageOf } from '../message-of.ts';
import { SharedState } from '../rt/snapshot/shared-snapshot.ts';
import { ArmRecorder, leastCycleBytes, type Take } from './arm-recorder.ts';
import { encodeEvent } from './event-message.ts';
import { McapFile, type Topic } from './mcap-file.ts';
import type { BeginRecording, CameraMessage, EventLevel, Labels, RecordedEvent, RecordingSummary } from './messages.ts';
import { EVENT } from './ros-schemas.ts';

/** Name of the metadata record that describes an episode. */
export const EPISODE = 'arm_bridge.episode';
/** A killed bridge loses at most about this much recording time, s. */
const FLUSH = 1;
/** Interval between flushes to the disk and checks of free room, s. */
const SYNC = 5;
/** Disk space left free for others, bytes. */
export const RESERVE = 200e6;

/** Free bytes on the disk of a folder, which need not exist yet. */
export function freeBytes(folder: string): number {
  let place = folder;
  while (!existsSync(place)) place = dirname(place);
  const { bavail, bsize } = statfsSync(place);
  return bavail * bsize;
}

/**
 * Bytes of a chunk, the unit in which a file is written: what the arms give in `FLUSH` when they are limp, which is
 * least. The writer cannot end a chunk by time. Arms with torque give up to four times as much, and fill it sooner.
 */
function chunkSize({ arms, content, rate, loopRate }: BeginRecording): number {
  const cyclesPerSample = rate === null ? 1 : Math.max(1, Math.ceil(loopRate / rate));
  const bytes = arms.reduce((sum, arm) => sum + leastCycleBytes(arm, content), 0);
  return Math.round((FLUSH * bytes * loopRate) / cyclesPerSample);
}

/** One running recording, in the recording thread. */
export class Recorder {
  readonly begin: BeginRecording;
  labels: Labels;
  /** Why writing has stopped; null while it goes on. */
  problem: string | null = null;
  readonly #file: McapFile;
  readonly #clock: Clock;
  readonly #arms: readonly ArmRecorder[];
  readonly #events: Topic | null;
  /** Bytes that this recording may take, and bytes that are left for all recordings now (others may be running too). */
  readonly #room: number;
  readonly #left: () => number;
  readonly #waiting: RecordedEvent[] = [];
  readonly #seen: CameraMessage[] = [];
  /** Bytes of camera messages written since `takeSeen`. */
  #seenBytes = 0;
  /** Offset from instants to message times, s: the system clock at the beginning, minus the monotonic clock. */
  readonly #offset: number;
  readonly #first: number;
  #synced: number;
  /** Serialises drains. */
  #turn: Promise<void> = Promise.resolve();

  private constructor(
    begin: BeginRecording,
    file: McapFile,
    clock: Clock,
    arms: readonly ArmRecorder[],
    events: Topic | null,
    room: number,
    left: () => number,
  ) {
    this.begin = begin;
    this.labels = begin.labels;
    this.#file = file;
    this.#clock = clock;
    this.#arms = arms;
    this.#events = events;
    this.#room = room;
    this.#left = left;
    this.#first = clock.now();
    this.#offset = clock.wall() - this.#first;
    this.#synced = this.#first;
  }

  /**
   * @param path of the file, which must not exist
   * @param room bytes that it may take
   * @param left bytes that are left for all recordings
   * @throws {Error} of the file system
   */
  static async start(
    begin: BeginRecording,
    path: string,
    room: number,
    left: () => number,
    clock: Clock,
  ): Promise<Recorder> {
    const file = await McapFile.create(path, chunkSize(begin));
    try {
      return await Recorder.#started(begin, file, room, left, clock);
    } catch (error) {
      file.abandon();
      throw error;
    }
  }

  static async #started(
    begin: BeginRecording,
    file: McapFile,
    room: number,
    left: () => number,
    clock: Clock,
  ): Promise<Recorder> {
    const { arms: recorded, loop, content, rate } = begin;
    const shared = new SharedState(
      recorded.map(({ model }) => model.joints.length),
      clock,
      { loop, arms: recorded.map(({ memory }) => memory) },
    );
    const arms: ArmRecorder[] = [];
    for (const [index, arm] of recorded.entries()) {
      arms.push(await ArmRecorder.start(arm, shared, index, file, content, rate));
    }
    // rosbag2 of Jazzy and later reads the QoS of topics in the format of its own day unless the file has this record.
    await file.describe('rosbag2', new Map([['serialized_metadata', '']]));
    const events = content === 'episode' ? await file.topic('/events', EVENT) : null;
    const made = new Recorder(begin, file, clock, arms, events, room, left);
    if (content === 'episode') {
      const began = clock.wall();
      await file.describe(EPISODE, made.#about());
      await file.attach('configuration.json', 'application/json', begin.configuration, began);
      for (const arm of arms) await arm.describe(began);
      made.tell(clock.now(), 'info', '', 'start', begin.labels.task);
    }
    return made;
  }

  /** Bytes written to the disk. */
  get size(): number {
    return this.#file.size;
  }

  /** Queues an event for the next drain. */
  tell(instant: number, level: EventLevel, source: string, what: string, text: string): void {
    this.#waiting.push({ kind: 'event', recording: this.begin.name, instant, level, source, what, text });
  }

  /** Queues a camera message for the next drain. */
  take(message: CameraMessage): void {
    if (this.problem === null) this.#seen.push(message);
  }

  /** Bytes of camera messages that were written since the last call. */
  takeSeen(): number {
    const bytes = this.#seenBytes;
    this.#seenBytes = 0;
    return bytes;
  }

  /** Writes everything since the last drain. Never rejects: an error ends the recording. */
  drain(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#drain());
    return this.#turn;
  }

  async #drain(): Promise<void> {
    if (this.problem !== null) return;
    const take: Take = {
      file: this.#file,
      offset: this.#offset,
      state: (instant, arm, text) => this.tell(instant, 'info', arm, 'state', text),
      lost: (instant, arm, cycles) => this.tell(instant, 'warn', arm, 'lost', `${cycles} cycles were not recorded`),
    };
    try {
      for (const arm of this.#arms) await arm.drain(take);
      await this.#writeEvents();
      await this.#writeSeen();
      this.#look();
    } catch (error) {
      this.problem = `it could not be written (${messageOf(error)})`;
    }
  }

  async #writeEvents(): Promise<void> {
    for (const event of this.#waiting.splice(0)) {
      if (this.#events === null) continue;
      const time = event.instant + this.#offset;
      await this.#file.add(this.#events, encodeEvent(event, time), time);
    }
  }

  async #writeSeen(): Promise<void> {
    for (const { topic, type, instant, data } of this.#seen.splice(0)) {
      await this.#file.add(await this.#file.topic(topic, type), data, instant + this.#offset);
      this.#seenBytes += data.byteLength;
    }
  }

  /** Checks the quota on every drain; flushes and checks the disk less often. */
  #look(): void {
    const full = 'the quota (recording.quota) is used up';
    if (this.#file.size >= this.#room) this.problem = full;
    const now = this.#clock.now();
    if (now - this.#synced < SYNC) return;
    this.#synced = now;
    this.#file.sync();
    if (this.#left() <= 0) this.problem = full;
    if (freeBytes(dirname(this.#file.path)) < RESERVE) this.problem = 'the disk is full';
  }

  /** Completes the file. @throws {Error} of the file system */
  async end(): Promise<Omit<RecordingSummary, 'name' | 'path'>> {
    await this.drain();
    if (this.begin.content === 'episode' && this.problem === null) {
      this.tell(this.#clock.now(), 'info', '', 'stop', this.labels.verdict);
      await this.#writeEvents();
    }
    await this.#file.end();
    return this.#summary();
  }

  /** Closes the file without completing it, whatever the disk says: it is to be deleted. */
  async abandon(): Promise<Omit<RecordingSummary, 'name' | 'path'>> {
    await this.#turn;
    this.#file.abandon();
    return this.#summary();
  }

  #summary(): Omit<RecordingSummary, 'name' | 'path'> {
    const [samples, lost] = [this.#sum((arm) => arm.samples), this.#sum((arm) => arm.lost)];
    const duration = Math.max(0, ...this.#arms.map((arm) => arm.duration));
    return { samples, duration, lost, problem: this.problem };
  }

  #sum(of: (arm: ArmRecorder) => number): number {
    return this.#arms.reduce((sum, arm) => sum + of(arm), 0);
  }

  #about(): Map<string, string> {
    const { name, dataset, labels, version, arms, pairs } = this.begin;
    return new Map([
      ['name', name],
      ['dataset', dataset ?? ''],
      ['task', labels.task],
      ['operator', labels.operator],
      ['arm_bridge_version', version],
      ['arms', JSON.stringify(arms.map((arm) => ({ name: arm.name, ...arm.about })))],
      ['pairs', JSON.stringify(pairs)],
    ]);
  }
}
