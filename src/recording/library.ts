import {
  closeSync,
  existsSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import type { Disk } from '../disk.ts';
import { messageOf } from '../message-of.ts';
import { BAG_METADATA, bagMetadata, labelsIn, relabelled } from './bag-metadata.ts';
import type { FolderLock } from './folder-lock.ts';
import { openMcap, rescue } from './mcap-read.ts';
import {
  type Catalogue,
  type Labels,
  type ListCommand,
  RecordingError,
  type RecordingFacts,
  type TrimCommand,
  UnknownRecordingError,
} from './messages.ts';
import { EPISODE, freeBytes, RESERVE } from './recorder.ts';
import { JOINT_STATE } from './ros-schemas.ts';
import { trim } from './trim.ts';

/** Valid names of recordings and datasets, which are also file names. */
export const RECORDING_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const MCAP = '.mcap';
/** File suffixes: being written; being rescued from that; nothing could be rescued; being received or trimmed. */
const UNFINISHED = '.part';
const RESCUED = '.rescued';
const BROKEN = '.broken';
const RECEIVED = '.received';
/** Index of a dataset, in its folder. */
const INDEX = 'dataset.json';
const MEGABYTE = 1e6;
/** Unit of the blocks of a file's status, bytes. */
const BLOCK = 512;
/** Tolerance for times in a recording, s. */
const MILLISECOND = 1e-3;
/** Characters of a name that are kept in a derived name. */
const LONGEST_STEM = 50;
/** What is told of a file at most: topics, arms, and characters of a name, since another program may have written it. */
const MOST_TOPICS = 1000;
const MOST_ARMS = 64;
const LONGEST_WORD = 200;
/** A warning begins once less room than this is left, bytes, or than this part of the quota. */
const LITTLE = 1e9;
const LITTLE_OF_QUOTA = 0.1;
/** It ends once there is this much more room than where it began, so that it does not come and go. */
const ENOUGH = 1.2;

/** Location of a recording. */
interface Place {
  readonly name: string;
  readonly dataset: string | null;
  /** Folder of an episode; null for a single file. */
  readonly folder: string | null;
  /** Path of the completed MCAP file; of a broken recording, of the file that could not be completed. */
  readonly path: string;
  /** unfinished: not completed yet; broken: nothing of it could be saved. */
  readonly state: 'whole' | 'unfinished' | 'broken';
}

/** Why an episode was broken off that nobody has ended. */
export const BRIDGE_ENDED = 'the bridge ended while it was being recorded';

/** What is wrong with a broken recording. */
const NOT_SAVED = `could not be saved: ${BRIDGE_ENDED}, and nothing in its file can be read`;

const NOT_SAID: Labels = { task: '', operator: '', verdict: '' };

/**
 * The recordings in one folder: files of joint states, folders of one episode each, and datasets, which are folders of
 * episodes. Calls block on the disk. A name is unique in the whole folder tree.
 */
export class Library {
  readonly folder: string;
  readonly #quota: number;
  readonly #disk: Disk;
  readonly #lock: FolderLock;
  /** Facts by path, with the size and time of the file at which they were read. */
  readonly #known = new Map<string, { readonly stamp: string; readonly facts: RecordingFacts }>();
  /** The same of metadata files. */
  readonly #labels = new Map<string, { readonly stamp: string; readonly labels: ReturnType<typeof labelsIn> }>();

  /** Little room is left. */
  #low = false;

  /** @param quota most bytes of all recordings together @param lock of this process on the folder */
  constructor(folder: string, quota: number, disk: Disk, lock: FolderLock) {
    this.folder = folder;
    this.#quota = quota;
    this.#disk = disk;
    this.#lock = lock;
  }

  /**
   * Prepares a new recording.
   * @returns the path to write to, the path of the completed file, and the bytes that it may take
   * @throws {RecordingError} if the name is taken or there is no room
   * @throws {Error} of the file system
   */
  begin(
    name: string,
    dataset: string | null,
    content: 'joints' | 'episode',
  ): { readonly writing: string; readonly path: string; readonly room: number } {
    requireName(name);
    if (dataset !== null) requireName(dataset);
    mkdirSync(this.folder, { recursive: true });
    this.#share();
    if (this.#taken(name)) throw new RecordingError(`There is a recording "${name}" already: choose another name.`);
    // Its folder would take the dataset's place.
    if (name === dataset) {
      throw new RecordingError(`"${name}" is the name of its dataset: choose another name for the recording.`);
    }
    const room = this.#room();
    if (content === 'joints') return { writing: this.#fileOf(name) + UNFINISHED, path: this.#fileOf(name), room };
    if (dataset !== null && this.#find(dataset) !== undefined) {
      throw new RecordingError(`"${dataset}" is a recording: choose another name for the dataset.`);
    }
    const folder = dataset === null ? join(this.folder, name) : join(this.folder, dataset, name);
    mkdirSync(folder, { recursive: true });
    const path = join(folder, name + MCAP);
    return { writing: path + UNFINISHED, path, room };
  }

  /**
   * Completes a recording: gives the file its final name.
   * @param endedEarly why it was broken off; empty if it was not
   * @returns its facts
   */
  async finish(name: string, labels: Labels, endedEarly: string): Promise<RecordingFacts> {
    const found = this.#find(name)!;
    const place: Place = { ...found, state: 'whole' };
    // Whenever the bridge is killed from here on, the labels are kept.
    if (place.folder !== null) {
      const facts = await read({ ...place, path: place.path + UNFINISHED });
      this.#write(place, { ...facts, endedEarly }, labels);
    }
    renameSync(place.path + UNFINISHED, place.path);
    if (place.dataset !== null) await this.#index(place.dataset);
    return this.#facts(place);
  }

  /** Deletes a recording that has just ended. */
  async discard(name: string): Promise<void> {
    const place = this.#find(name);
    if (place !== undefined) await this.#remove(place);
  }

  /** Lists completed recordings, newest first, those that could not be saved among them, and the remaining room. */
  async list({ dataset, offset, limit }: ListCommand): Promise<Catalogue> {
    const all: { readonly time: number; readonly facts: RecordingFacts }[] = [];
    const datasets = new Set<string>();
    for (const place of this.#places()) {
      if (place.state === 'unfinished') continue;
      if (place.dataset !== null) datasets.add(place.dataset);
      if (dataset !== null && place.dataset !== dataset) continue;
      const facts = await this.#facts(place);
      // One that has just failed would be the last of all if its unknown time counted as 0.
      all.push({ time: facts.problem === '' ? facts.began : statSync(place.path).mtimeMs / 1e3, facts });
    }
    all.sort((a, b) => b.time - a.time || (a.facts.name < b.facts.name ? -1 : 1));
    const recordings = all.slice(offset, offset + limit).map(({ facts }) => facts);
    const used = this.#used();
    const free = freeBytes(this.folder);
    const warning = this.#warning(used, free);
    const total = all.length;
    return {
      folder: this.folder,
      recordings,
      total,
      datasets: [...datasets].sort(),
      used,
      quota: this.#quota,
      free,
      warning,
    };
  }

  /** @throws {UnknownRecordingError} if there is no recording of this name */
  async facts(name: string): Promise<RecordingFacts> {
    return this.#facts(this.#listed(name));
  }

  /** Path of a recording that is to be read. @throws {RecordingError} if there is none of this name, or it is broken */
  path(name: string): string {
    return this.#require(name).path;
  }

  /** @throws {RecordingError} if there is no recording of this name, it is broken, or it is not an episode */
  async label(name: string, labels: Partial<Labels>): Promise<RecordingFacts> {
    const place = this.#require(name);
    if (place.folder === null)
      throw new RecordingError(`"${name}" is no episode: there is no place for this beside its file.`);
    return this.#describe(place, { ...(await this.#facts(place)), ...labels });
  }

  /** @throws {RecordingError} if there is no recording of this name, it is broken, or the new name is taken */
  async rename(name: string, to: string): Promise<RecordingFacts> {
    const place = this.#require(name);
    requireName(to);
    if (this.#taken(to)) throw new RecordingError(`There is a recording "${to}" already: choose another name.`);
    const labels = await this.#facts(place);
    if (place.folder === null) {
      renameSync(place.path, this.#fileOf(to));
      return this.#facts(this.#require(to));
    }
    const folder = join(place.folder, '..', to);
    renameSync(place.folder, folder);
    renameSync(join(folder, basename(place.path)), join(folder, to + MCAP));
    return this.#describe(this.#require(to), labels);
  }

  /** Deletes a recording, also one that was not completed or could not be. @throws {RecordingError} if there is none of this name */
  async remove(name: string): Promise<void> {
    requireName(name);
    await this.#remove(this.#find(name) ?? this.#listed(name));
  }

  /**
   * Copies a part of a recording to a new recording next to it; the original stays unchanged.
   * @param pause yields to other work in this thread
   * @throws {RecordingError} if the part is not within the recording, the name is taken, or there is no room
   * @throws {UnfitError} if the file is unreadable
   */
  async trim(wanted: TrimCommand, pause: () => Promise<void>): Promise<RecordingFacts> {
    const { name, begin, end } = wanted;
    const place = this.#require(name);
    const facts = await this.#facts(place);
    if (!(begin >= 0 && begin < end && end <= facts.duration + MILLISECOND)) {
      throw new RecordingError(
        `"${name}" lasts ${facts.duration.toFixed(3)} s: a part of it begins and ends within that, and begins before it ends.`,
      );
    }
    const to = wanted.to ?? this.#free(`${name.slice(0, LONGEST_STEM)}-trimmed`);
    requireName(to);
    this.#share();
    if (this.#taken(to)) throw new RecordingError(`There is a recording "${to}" already: choose another name.`);
    this.#requireRoom((facts.bytes * (end - begin)) / facts.duration);
    const made = this.#fileOf(to) + RECEIVED;
    if (existsSync(made)) throw new RecordingError(`"${to}" is being made already.`);
    try {
      if ((await trim(place.path, made, wanted, to, pause)) === 0) {
        throw new RecordingError(`"${name}" has no joint states between ${begin} and ${end} s.`);
      }
      if (this.#taken(to)) throw new RecordingError(`There is a recording "${to}" already: choose another name.`);
      if (place.folder === null) {
        renameSync(made, this.#fileOf(to));
      } else {
        const folder = join(place.folder, '..', to);
        mkdirSync(folder);
        renameSync(made, join(folder, to + MCAP));
      }
    } catch (error) {
      rmSync(made, { force: true });
      throw error;
    }
    return this.#describe(this.#require(to), facts);
  }

  /** A name that is not taken yet. */
  #free(stem: string): string {
    for (let count = 2, name = stem; ; name = `${stem}-${count++}`) if (!this.#taken(name)) return name;
  }

  /**
   * Reserves a file of this size and returns its path. The file is created at full length at once, so that its bytes
   * count against the quota.
   * @throws {RecordingError} if the name is taken or there is no room
   */
  receive(name: string, bytes: number): string {
    this.begin(name, null, 'joints');
    this.#requireRoom(bytes);
    const path = this.#fileOf(name) + RECEIVED;
    if (existsSync(path)) throw new RecordingError(`"${name}" is being received or made already.`);
    const file = openSync(path, 'wx');
    try {
      ftruncateSync(file, bytes);
    } finally {
      closeSync(file);
    }
    return path;
  }

  /**
   * Gives a received file its final name if it can be read, and an episode its folder; deletes it otherwise.
   * @throws {RecordingError}
   */
  async accept(name: string): Promise<RecordingFacts> {
    const received = this.#fileOf(name) + RECEIVED;
    try {
      const facts = await read({ ...this.#placeOf(name), path: received });
      if (facts.problem !== '') throw new RecordingError(`"${name}" is refused: ${facts.problem}.`);
      if (facts.arms.length === 0) {
        throw new RecordingError(`"${name}" is refused: it has no messages of type ${JOINT_STATE}.`);
      }
      if (this.#taken(name)) throw new RecordingError(`There is a recording "${name}" already.`);
      if (await isEpisode(received)) {
        mkdirSync(join(this.folder, name));
        renameSync(received, join(this.folder, name, name + MCAP));
      } else {
        renameSync(received, this.#fileOf(name));
      }
    } catch (error) {
      rmSync(received, { force: true });
      throw error;
    }
    return this.#describe(this.#require(name), null);
  }

  /**
   * Completes recordings that a killed bridge left unfinished, and deletes partly received files. Does nothing while
   * another bridge uses the folder, because unfinished files may be those that it is writing.
   * @param writing whether a recording is being written now
   * @param pause yields to other work in this thread
   * @returns one message for the user per unfinished recording
   */
  async recover(writing: (name: string) => boolean, pause: () => Promise<void>): Promise<string[]> {
    const outcome = this.#lock.takeAlone(this.folder);
    if (outcome !== 'held') return this.#unrecovered(outcome, writing);
    try {
      return await this.#recover(writing, pause);
    } finally {
      this.#lock.letShare();
    }
  }

  /** Keeps other bridges from taking what this one writes for leftovers. @throws {RecordingError} if one is at it */
  #share(): void {
    // On a machine that cannot lock, no bridge recovers anything.
    if (this.#lock.share(this.folder) !== 'taken') return;
    throw new RecordingError(`Another bridge is completing recordings in ${this.folder}: try again in a few seconds.`);
  }

  /** Says which recordings stay as they are, if there are any. */
  #unrecovered(outcome: 'taken' | 'unknown', writing: (name: string) => boolean): string[] {
    const left = [...this.#places()].filter(({ name, state }) => state === 'unfinished' && !writing(name));
    if (left.length === 0) return [];
    const names = left.map(({ name }) => `"${name}"`).join(', ');
    const why =
      outcome === 'taken'
        ? 'another bridge uses that folder and may be writing them. What is broken off is completed when a bridge starts there alone'
        : 'this machine cannot tell whether another bridge is writing them. Install flock (util-linux)';
    return [`unfinished recordings in ${this.folder} stay as they are (${names}): ${why}`];
  }

  async #recover(writing: (name: string) => boolean, pause: () => Promise<void>): Promise<string[]> {
    const told: string[] = [];
    for (const { name } of entries(this.folder)) {
      if (name.endsWith(MCAP + RECEIVED)) rmSync(join(this.folder, name), { force: true });
    }
    for (const place of [...this.#places()]) {
      if (writing(place.name)) continue;
      try {
        if (place.state === 'unfinished') told.push(...(await this.#rescue(place, pause)));
        else if (place.state === 'whole' && place.folder !== null && !existsSync(join(place.folder, BAG_METADATA)))
          await this.#describe(place, null);
      } catch (error) {
        // One that is being rescued has its final name before it is described.
        const what = existsSync(place.path)
          ? `is complete, but its description (${BAG_METADATA}) could not be written`
          : 'was not completed, and stays as it is';
        told.push(`the recording "${place.name}" ${what}: ${messageOf(error)}`);
      }
    }
    for (const { name, file } of entries(this.folder)) if (!file) await this.#mend(name);
    return told;
  }

  /** Rewrites the index of a dataset if it does not match the episodes. */
  async #mend(dataset: string): Promise<void> {
    const index = this.#disk.read(join(this.folder, dataset, INDEX));
    const names = [...this.#places()].flatMap((place) =>
      place.dataset === dataset && place.state === 'whole' ? [place.name] : [],
    );
    if (index === null && names.length === 0) return;
    if (namesIn(index).sort().join() !== names.sort().join()) await this.#index(dataset);
  }

  /** @returns the message for the user; none if the recording was deleted meanwhile */
  async #rescue(place: Place, pause: () => Promise<void>): Promise<string[]> {
    const { name, path } = place;
    const left = path + UNFINISHED;
    const made = path + RESCUED;
    rmSync(made, { force: true });
    const { ino, size } = statSync(left);
    const room = freeBytes(this.folder) - RESERVE;
    if (size > room) {
      throw new RecordingError(
        `there is room for ${Math.max(0, Math.floor(room / MEGABYTE))} MB, and it needs ${Math.ceil(size / MEGABYTE)} MB: make room, and start the bridge again`,
      );
    }
    const count = await rescue(left, made, pause).catch((error: unknown) => {
      rmSync(made, { force: true });
      throw error;
    });
    // It may have been deleted during a pause, and another recording of its name may have begun.
    if (statSync(left, { throwIfNoEntry: false })?.ino !== ino) {
      rmSync(made, { force: true });
      return [];
    }
    if (count === 0) {
      rmSync(made, { force: true });
      renameSync(left, path + BROKEN);
      return [`the recording "${name}" was broken off before anything could be saved: ${path + BROKEN}`];
    }
    renameSync(made, path);
    rmSync(left, { force: true });
    const { duration } = await this.#describe({ ...place, state: 'whole' }, null, BRIDGE_ENDED);
    return [`the recording "${name}" was broken off: ${duration.toFixed(1)} s of it have been saved`];
  }

  /**
   * Says in the folder of an episode, and of its dataset, what it is.
   * @param labels null: those that it has
   * @param endedEarly why it was broken off, unless its metadata file says what it is already
   */
  async #describe(place: Place, labels: Labels | null, endedEarly = ''): Promise<RecordingFacts> {
    this.#known.delete(place.path);
    const read = await this.#facts(place);
    if (place.folder === null) return read;
    const told = existsSync(join(place.folder, BAG_METADATA));
    const facts = this.#write(place, told ? read : { ...read, endedEarly }, labels ?? read);
    if (place.dataset !== null) await this.#index(place.dataset);
    return facts;
  }

  /** Writes the metadata file of an episode, or the labels and the file's name into the one that is there. */
  #write(place: Place, facts: RecordingFacts, { task, operator, verdict }: Labels): RecordingFacts {
    const path = join(place.folder!, BAG_METADATA);
    const labelled = { ...facts, task, operator, verdict };
    const file = basename(place.path);
    const there = this.#disk.read(path);
    this.#disk.write(path, (there === null ? null : relabelled(there, labelled, file)) ?? bagMetadata(labelled, file));
    return labelled;
  }

  /** Writes the index of a dataset, or deletes the folder of an empty one. */
  async #index(dataset: string): Promise<void> {
    const folder = join(this.folder, dataset);
    const episodes: object[] = [];
    for (const place of this.#places()) {
      if (place.dataset !== dataset || place.state !== 'whole') continue;
      const { problem, endedEarly, ...facts } = await this.#facts(place);
      // Who takes the dataset's episodes from here cannot read it either.
      if (problem !== '') continue;
      const { name, task, operator, verdict, began, duration, messages, arms } = facts;
      const [file, ended_early] = [basename(place.path), endedEarly];
      episodes.push({
        name,
        task,
        operator,
        verdict,
        began,
        duration,
        messages,
        arms,
        folder: name,
        file,
        ended_early,
      });
    }
    if (episodes.length > 0) {
      this.#disk.write(join(folder, INDEX), `${JSON.stringify({ dataset, episodes }, null, 2)}\n`);
      return;
    }
    rmSync(join(folder, INDEX), { force: true });
    try {
      rmdirSync(folder);
    } catch {
      // The folder holds other files.
    }
  }

  async #remove(place: Place): Promise<void> {
    this.#known.delete(place.path);
    if (place.folder === null) {
      rmSync(place.path, { force: true });
      for (const suffix of [UNFINISHED, RESCUED]) rmSync(place.path + suffix, { force: true });
    } else {
      removeEpisode(place.folder, place);
    }
    if (place.dataset !== null) await this.#index(place.dataset);
  }

  async #facts(place: Place): Promise<RecordingFacts> {
    const { mtimeMs, size } = statSync(place.path);
    const stamp = `${mtimeMs} ${size}`;
    const known = this.#known.get(place.path);
    const facts = known?.stamp === stamp ? known.facts : await read(place);
    this.#known.set(place.path, { stamp, facts });
    if (place.folder === null) return facts;
    return { ...facts, ...this.#labelsAt(join(place.folder, BAG_METADATA)) };
  }

  /** What the metadata file of an episode says. Parsing it takes a millisecond, in which a running recording waits. */
  #labelsAt(path: string): ReturnType<typeof labelsIn> {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return {};
    // Each change is a new file.
    const stamp = `${found.ino} ${found.mtimeMs} ${found.size}`;
    const known = this.#labels.get(path);
    if (known?.stamp === stamp) return known.labels;
    const text = this.#disk.read(path);
    const labels = text === null ? {} : labelsIn(text);
    this.#labels.set(path, { stamp, labels });
    return labels;
  }

  /**
   * All recordings. A broken one is hidden by another one of its name, which somebody may have put there by hand: a
   * request that names them means the other.
   */
  *#places(): Generator<Place> {
    const names = new Set<string>();
    const broken: Place[] = [];
    for (const place of this.#located()) {
      if (place.state === 'broken') {
        broken.push(place);
      } else {
        names.add(place.name);
        yield place;
      }
    }
    yield* broken.filter(({ name }) => !names.has(name));
  }

  /** The recordings that the folder tree has; symbolic links are not followed. */
  *#located(): Generator<Place> {
    for (const entry of entries(this.folder)) {
      if (entry.file) {
        const place = this.#fileAt(this.folder, entry.name, null, null);
        if (place !== null) yield place;
        continue;
      }
      const inner = join(this.folder, entry.name);
      const own = this.#episodeIn(inner, entry.name, null);
      if (own !== null) yield own;
      // The folder of a broken episode may have become a dataset.
      if (own !== null && own.state !== 'broken') continue;
      for (const { name, file } of entries(inner)) {
        const place = file ? null : this.#episodeIn(join(inner, name), name, entry.name);
        if (place !== null) yield place;
      }
    }
  }

  #episodeIn(folder: string, name: string, dataset: string | null): Place | null {
    const named = (suffix: string): Place | null =>
      existsSync(join(folder, name + suffix)) ? this.#fileAt(folder, name + suffix, folder, dataset) : null;
    return named(MCAP) ?? named(MCAP + UNFINISHED) ?? this.#bagIn(folder, name, dataset) ?? named(MCAP + BROKEN);
  }

  /**
   * A bag is named after its folder. Its only file may have another name, as in bags of `ros2 bag record`, or if the
   * bridge was killed while renaming it.
   */
  #bagIn(folder: string, name: string, dataset: string | null): Place | null {
    if (!RECORDING_NAME.test(name) || !existsSync(join(folder, BAG_METADATA))) return null;
    const [file, ...more] = entries(folder).filter((entry) => entry.file && entry.name.endsWith(MCAP));
    if (file === undefined || more.length > 0) return null;
    return { name, dataset, folder, path: join(folder, file.name), state: 'whole' };
  }

  /** The recording in a file; null if the file is not a recording, or is the leftover part of a completed one. */
  #fileAt(at: string, file: string, folder: string | null, dataset: string | null): Place | null {
    const suffix = [UNFINISHED, BROKEN].find((each) => file.endsWith(MCAP + each)) ?? '';
    const whole = file.slice(0, file.length - suffix.length);
    if (!whole.endsWith(MCAP)) return null;
    const name = whole.slice(0, -MCAP.length);
    if (!RECORDING_NAME.test(name)) return null;
    const path = join(at, whole);
    if (suffix === BROKEN) return { name, dataset, folder, path: path + BROKEN, state: 'broken' };
    if (suffix === UNFINISHED && existsSync(path)) return null;
    return { name, dataset, folder, path, state: suffix === '' ? 'whole' : 'unfinished' };
  }

  #find(name: string): Place | undefined {
    for (const place of this.#places()) if (place.name === name) return place;
    return undefined;
  }

  /** @throws {UnknownRecordingError} if there is no recording of this name */
  #listed(name: string): Place {
    requireName(name);
    const place = this.#find(name);
    if (place === undefined || place.state === 'unfinished') {
      throw new UnknownRecordingError(`There is no recording "${name}" in ${this.folder}.`);
    }
    return place;
  }

  /** @throws {RecordingError} if there is no recording of this name, or it is broken */
  #require(name: string): Place {
    const place = this.#listed(name);
    if (place.state !== 'broken') return place;
    throw new RecordingError(`"${name}" ${NOT_SAVED}. Delete it, or download its file to rescue it by other means.`);
  }

  /** Whether a name is taken, by a recording or by any other folder. */
  #taken(name: string): boolean {
    return this.#find(name) !== undefined || existsSync(join(this.folder, name));
  }

  #placeOf(name: string): Place {
    return { name, dataset: null, folder: null, path: this.#fileOf(name), state: 'whole' };
  }

  #fileOf(name: string): string {
    return join(this.folder, name + MCAP);
  }

  /** What people should know before room runs out; empty while there is enough. */
  get warning(): string {
    return this.#warning(this.#used(), freeBytes(this.folder));
  }

  #warning(used: number, free: number): string {
    const left = Math.max(0, Math.min(this.#quota - used, free - RESERVE));
    const little = Math.min(LITTLE, this.#quota * LITTLE_OF_QUOTA);
    this.#low = left < (this.#low ? ENOUGH * little : little);
    return this.#low ? `${this.#lack(left, free)}: delete recordings that are not needed` : '';
  }

  /** Bytes that all recordings together may still take; 0 or less once the quota is used up. */
  get left(): number {
    return this.#quota - this.#used();
  }

  /** Bytes that a new recording may take. @throws {RecordingError} if there is no room */
  #room(): number {
    const free = freeBytes(this.folder) - this.#awaited();
    const room = Math.min(this.left, free - RESERVE);
    if (room > 0) return room;
    throw new RecordingError(`${this.#lack(room, free)}: remove some.`);
  }

  /** @throws {RecordingError} if there is no room for this many bytes */
  #requireRoom(bytes: number): void {
    const room = this.#room();
    if (bytes <= room) return;
    throw new RecordingError(
      `There is room for ${Math.floor(room / MEGABYTE)} MB, and it has ${Math.ceil(bytes / MEGABYTE)} MB.`,
    );
  }

  #lack(left: number, free: number): string {
    if (free - RESERVE <= left) {
      return `The disk of ${this.folder} has ${Math.floor(free / MEGABYTE)} MB left, of which ${RESERVE / MEGABYTE} MB are not for recordings`;
    }
    const most = `${this.#quota / MEGABYTE} MB (recording.quota)`;
    if (left <= 0) return `The recordings in ${this.folder} take more than ${most}`;
    return `The recordings in ${this.folder} may take ${Math.floor(left / MEGABYTE)} MB more, of ${most}`;
  }

  /** Bytes of files being received that are still to come: they count as used, but the disk has not given them yet. */
  #awaited(): number {
    let sum = 0;
    for (const { name } of entries(this.folder)) {
      if (!name.endsWith(RECEIVED)) continue;
      const file = lstatSync(join(this.folder, name), { throwIfNoEntry: false });
      if (file !== undefined) sum += Math.max(0, file.size - BLOCK * file.blocks);
    }
    return sum;
  }

  /** Total size of all files in the folder, bytes. */
  #used(): number {
    const sizeOf = (folder: string, depth: number): number => {
      let sum = 0;
      for (const { name, file } of entries(folder)) {
        const path = join(folder, name);
        if (file) sum += lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
        else if (depth > 0) sum += sizeOf(path, depth - 1);
      }
      return sum;
    };
    return sizeOf(this.folder, 2);
  }
}

/** @throws {RecordingError} if the name is not valid */
export function requireName(name: string): void {
  if (RECORDING_NAME.test(name)) return;
  throw new RecordingError(`"${name.slice(0, 64)}" is no name of a recording: 1 to 64 letters, digits, "_" and "-".`);
}

/** Files and folders in a folder; empty if it does not exist. */
function entries(folder: string): readonly { readonly name: string; readonly file: boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() || entry.isDirectory())
      .map((entry) => ({ name: entry.name, file: entry.isFile() }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Deletes an episode with its folder, but spares what belongs to another recording of its name. */
function removeEpisode(folder: string, { name, path, state }: Place): void {
  const broken = name + MCAP + BROKEN;
  const names = readdirSync(folder);
  if (state === 'broken') {
    const alone = names.every((each) => each === broken || each === BAG_METADATA);
    rmSync(alone ? folder : path, { recursive: true, force: true });
  } else if (names.includes(broken)) {
    for (const each of names) if (each !== broken) rmSync(join(folder, each), { recursive: true, force: true });
  } else {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Names of the episodes in the index of a dataset; empty if the index is missing or invalid. */
function namesIn(index: string | null): string[] {
  try {
    const { episodes } = JSON.parse(index ?? '{}') as { episodes?: readonly { name: string }[] };
    return (episodes ?? []).map(({ name }) => name);
  } catch {
    return [];
  }
}

/** Whether a readable file says that it is an episode. */
async function isEpisode(path: string): Promise<boolean> {
  const { reader, close } = await openMcap(path);
  try {
    for await (const _ of reader.readMetadata({ name: EPISODE })) return true;
    return false;
  } finally {
    close();
  }
}

/** Reads the facts of a recording from its file. */
async function read(place: Place): Promise<RecordingFacts> {
  const { name, dataset, folder, path, state } = place;
  const none = { began: 0, duration: 0, messages: 0, arms: [], topics: [], endedEarly: '', ...NOT_SAID };
  const own = {
    name,
    dataset,
    content: folder === null ? 'joints' : 'episode',
    path,
    bytes: statSync(path).size,
  } as const;
  if (state === 'broken') return { ...own, ...none, problem: NOT_SAVED };
  try {
    const { reader, close } = await openMcap(path);
    try {
      const labels: Partial<Record<keyof Labels, string>> = {};
      for await (const { metadata } of reader.readMetadata({ name: EPISODE })) {
        for (const label of ['task', 'operator'] as const) labels[label] = metadata.get(label) ?? '';
      }
      const { statistics } = reader;
      const counts = statistics?.channelMessageCounts;
      const channels = [...reader.channelsById.values()];
      const typeOf = (schemaId: number): string => reader.schemasById.get(schemaId)?.name ?? '';
      const topics = channels.slice(0, MOST_TOPICS).map(({ id, topic, schemaId }) => ({
        name: topic.slice(0, LONGEST_WORD),
        type: typeOf(schemaId).slice(0, LONGEST_WORD),
        messages: Number(counts?.get(id) ?? 0n),
      }));
      const states = channels.filter(({ schemaId }) => typeOf(schemaId) === JOINT_STATE).map(({ topic }) => topic);
      const joints = states.filter((topic) => topic.endsWith('/joint_states'));
      const others = joints.length > 0 ? joints : states;
      const begun = Number((statistics?.messageStartTime ?? 0n) / 1000n) / 1e6;
      const ended = Number((statistics?.messageEndTime ?? 0n) / 1000n) / 1e6;
      return {
        ...own,
        ...NOT_SAID,
        ...labels,
        began: begun,
        duration: ended - begun,
        messages: Number(statistics?.messageCount ?? 0n),
        arms: others.slice(0, MOST_ARMS).map((topic) => (topic.split('/').at(-2) || topic).slice(0, LONGEST_WORD)),
        topics,
        endedEarly: '',
        problem: '',
      } as RecordingFacts;
    } finally {
      close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { ...own, ...none, problem: code ?? (error as Error).message.slice(0, LONGEST_WORD) };
  }
}
