import { type Clock, turn } from '../clock.ts';
import type { Disk } from '../disk.ts';
import { messageOf } from '../message-of.ts';
import type { FolderLock } from './folder-lock.ts';
import { foresee } from './foresee.ts';
import { BRIDGE_ENDED, Library } from './library.ts';
import {
  type BeginRecording,
  type EndRecording,
  type FromRecording,
  type Labels,
  type RecordingCommand,
  RecordingError,
  type RecordingResults,
  type RecordingSummary,
  type RefusedWhy,
  type ToRecording,
  UnfitError,
  UnknownRecordingError,
} from './messages.ts';
import { Recorder } from './recorder.ts';
import { samplesOf } from './samples.ts';
import { Track } from './track.ts';

/** Drain period, s: a hundredth of what an arm's history holds. */
const DRAIN = 0.05;
/** Interval at which the room that is left is checked, s. */
const LOOK = 5;

export interface RecordingSetup {
  readonly folder: string;
  /** Most bytes of all recordings together. */
  readonly quota: number;
}

type Of<K extends RecordingCommand['kind']> = Extract<RecordingCommand, { kind: K }>;

/**
 * All work on recording files, which takes too long for the main thread. Runs in a worker, or in the same thread in
 * virtual time.
 */
export class RecordingThread {
  /** Called after shutdown. */
  onClosed: () => void = () => {};
  readonly #clock: Clock;
  readonly #post: (message: FromRecording) => void;
  readonly #library: Library;
  readonly #lock: FolderLock;
  readonly #folder: string;
  /** Running recorders by name; null while the file is being created. */
  readonly #recorders = new Map<string, Recorder | null>();
  readonly #tracks = new Map<number, Track>();
  /** Recordings whose early end has been reported. */
  readonly #told = new Set<string>();
  #track = 0;
  #timer: { cancel(): void } | null = null;
  readonly #looking: { cancel(): void };
  /** Warning that was sent last. */
  #warning = '';

  constructor(
    { folder, quota }: RecordingSetup,
    clock: Clock,
    disk: Disk,
    lock: FolderLock,
    post: (message: FromRecording) => void,
  ) {
    this.#folder = folder;
    this.#clock = clock;
    this.#post = post;
    this.#lock = lock;
    this.#library = new Library(folder, quota, disk, lock);
    this.#looking = clock.every(LOOK, () => this.#look(), true);
  }

  /** Reports little room, and that there is enough again. Other programs may fill the disk too. */
  #look(): void {
    let warning: string;
    try {
      ({ warning } = this.#library);
    } catch {
      // The folder cannot be read now: the next command that needs it says so.
      return;
    }
    if (warning === this.#warning) return;
    this.#warning = warning;
    this.#post({ kind: 'room', warning });
  }

  receive(message: ToRecording): void {
    if ('event' in message) {
      const { event } = message;
      const recorder = this.#recorders.get(event.recording);
      if (event.kind === 'camera') recorder?.take(event);
      else recorder?.tell(event.instant, event.level, event.source, event.what, event.text);
      return;
    }
    const { request, command } = message;
    this.#carryOut(command)
      .then((result) => this.#post({ kind: 'reply', request, result }))
      .catch((error: unknown) => this.#post({ kind: 'refused', request, ...this.#wordsOf(error) }));
  }

  /** Describes an error; file system errors name the folder and its configuration key. */
  #wordsOf(error: unknown): { text: string; why: RefusedWhy } {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof UnknownRecordingError) return { text: error.message, why: 'unknown' };
    if (error instanceof RecordingError) return { text: error.message, why: 'request' };
    if (error instanceof UnfitError) return { text: error.message, why: 'unfit' };
    if (code === undefined) return { text: messageOf(error), why: 'internal' };
    return { text: `Nothing can be recorded in ${this.#folder} (recording.folder): ${code}.`, why: 'request' };
  }

  async #carryOut(command: RecordingCommand): Promise<unknown> {
    switch (command.kind) {
      case 'begin':
        return this.#begin(command);
      case 'end':
        return this.#end(command);
      case 'list':
        return this.#library.list(command);
      case 'facts':
        return this.#library.facts(command.name);
      case 'recover':
        return this.#library.recover(
          (name) => this.#recorders.has(name),
          () => this.#pause(),
        );
      case 'label':
        return this.#library.label(command.name, command.labels);
      case 'rename':
        return this.#library.rename(command.name, command.to);
      case 'samples':
        return this.#read(command.name, () =>
          samplesOf(this.#library.path(command.name), command, () => this.#pause()),
        );
      case 'trim':
        return this.#read(command.name, () => this.#library.trim(command, () => this.#pause()));
      case 'remove':
        if (this.#recorders.has(command.name))
          throw new RecordingError(`"${command.name}" is being recorded: end it first.`);
        await this.#library.remove(command.name);
        return null;
      case 'receive':
        return { path: this.#library.receive(command.name, command.bytes) };
      case 'accept':
        return this.#library.accept(command.name);
      case 'foresee':
        return this.#foresee(command);
      case 'open':
        return this.#open(command);
      case 'next':
        return this.#trackOf(command.track).next();
      case 'close':
        this.#tracks.get(command.track)?.close();
        this.#tracks.delete(command.track);
        return null;
      case 'shutdown':
        return this.#shutdown();
    }
  }

  async #begin(command: BeginRecording): Promise<RecordingResults['begin']> {
    const { name, dataset, content } = command;
    if (this.#recorders.has(name)) throw new RecordingError(`"${name}" is being recorded: choose another name.`);
    this.#recorders.set(name, null);
    try {
      const { writing, path, room } = this.#library.begin(name, dataset, content);
      this.#recorders.set(name, await Recorder.start(command, writing, room, () => this.#library.left, this.#clock));
      this.#timer ??= this.#clock.every(DRAIN, () => void this.#drain());
      return { path };
    } catch (error) {
      this.#recorders.delete(name);
      throw error;
    }
  }

  async #drain(): Promise<void> {
    for (const [name, recorder] of this.#recorders) {
      await recorder?.drain();
      const bytes = recorder?.takeSeen() ?? 0;
      if (bytes > 0) this.#post({ kind: 'seen', recording: name, bytes });
      if (!recorder?.problem || this.#told.has(name)) continue;
      this.#told.add(name);
      this.#post({ kind: 'ended', recording: name, problem: recorder.problem });
    }
  }

  /** @param early why it ends before anybody has ended it; empty if somebody has */
  async #end({ name, drop, labels }: EndRecording, early = ''): Promise<RecordingSummary | null> {
    const recorder = this.#recorders.get(name) ?? null;
    if (recorder === null) return null;
    const said: Labels = { ...recorder.labels, ...labels };
    recorder.labels = said;
    try {
      if (drop) {
        this.#recorders.set(name, null);
        const summary = await recorder.abandon();
        await this.#library.discard(name);
        return { name, path: '', ...summary };
      }
      const summary = await recorder.end().catch((error: unknown) => {
        throw new RecordingError(
          `"${name}" cannot be completed now (${messageOf(error)}): it is when the bridge starts next, once there is room. Or delete it.`,
        );
      });
      const { path } = await this.#library.finish(name, said, summary.problem ?? early);
      return { name, path, ...summary };
    } finally {
      this.#recorders.delete(name);
      this.#told.delete(name);
      if (this.#recorders.size === 0) {
        this.#timer?.cancel();
        this.#timer = null;
      }
    }
  }

  /** Runs work on a recording; errors in the file are reported with the recording's name. */
  async #read<T>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof UnfitError ? new RecordingError(`"${name}" cannot be used: ${error.message}.`) : error;
    }
  }

  async #foresee({ name, fit, points }: Of<'foresee'>): Promise<RecordingResults['foresee']> {
    return foresee(this.#library.path(name), fit, points, () => this.#pause());
  }

  async #open({ name, fit }: Of<'open'>): Promise<RecordingResults['open']> {
    const opened = await Track.open(this.#library.path(name), fit);
    const track = ++this.#track;
    this.#tracks.set(track, opened);
    return { track, duration: opened.duration };
  }

  #trackOf(track: number): Track {
    const opened = this.#tracks.get(track);
    if (opened === undefined) throw new Error(`there is no open track ${track}`);
    return opened;
  }

  /** Yields to other work, above all to running recordings. */
  #pause(): Promise<void> {
    return turn(this.#clock);
  }

  async #shutdown(): Promise<null> {
    await Promise.allSettled(
      [...this.#recorders.keys()].map((name) =>
        this.#end({ kind: 'end', name, drop: false, labels: null }, BRIDGE_ENDED),
      ),
    );
    for (const track of this.#tracks.values()) track.close();
    this.#looking.cancel();
    this.#lock.release();
    this.#clock.soon(() => this.onClosed());
    return null;
  }
}
