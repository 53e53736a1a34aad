import { existsSync } from 'node:fs';
import type { Arm } from '../arm/arm.ts';
import type { Arms } from '../arm/arms.ts';
import { BridgeError, type Caller } from '../arm/types.ts';
import type { Camera } from '../cameras.ts';
import type { Clock } from '../clock.ts';
import { messageOf } from '../message-of.ts';
import { asked, type Goals, limpAt, wasMoved } from '../motion/goals.ts';
import type { Planners } from '../motion/planners.ts';
import { EpisodeWatch } from './episode-watch.ts';
import {
  type BeginRecording,
  type Catalogue,
  type Foreseen,
  type Labels,
  type ListCommand,
  type RecordedArm,
  type RecordedPair,
  type RecordingFacts,
  type RecordingSummary,
  type Samples,
  type SamplesCommand,
  type TrimCommand,
  UnfitError,
} from './messages.ts';
import { type RecordingChannel, RecordingClient } from './recording-client.ts';
import type { RecordingSetup } from './recording-thread.ts';
import { withoutPrefix } from './replay.ts';
import { fitOf, Replaying, unfit } from './replaying.ts';

export { RECORDING_NAME } from './library.ts';
export type { RecordingSummary } from './messages.ts';

const MEGABYTE = 1e6;
/** Extra time for a replay, beyond its length and approach, s. */
const TIME_RESERVE = 30;
const NOT_SAID: Labels = { task: '', operator: '', verdict: '' };

export interface RecordingSettings {
  readonly folder: string;
  /** Most space of all recordings together, MB. */
  readonly quota: number;
  /** Cameras that episodes have too. */
  readonly cameras: readonly Camera[];
}

export interface ReplayOutcome {
  /** Null if the arm has replayed everything; otherwise the reason, for the user. */
  readonly problem: string | null;
  /** s, including the approach. */
  readonly duration: number;
}

/** A request to record an episode. */
export interface EpisodeRequest extends Partial<Labels> {
  /** Null: a generated name. */
  readonly name: string | null;
  readonly dataset: string | null;
  readonly arms: readonly Arm[];
}

/** The running episode. */
export interface RunningEpisode extends Labels {
  readonly name: string;
  readonly dataset: string | null;
  readonly path: string;
  readonly arms: readonly string[];
  /** s since the epoch */
  readonly began: number;
  /** When it ended early, s since the epoch, and why; null while it is being recorded. */
  readonly early: { readonly ended: number; readonly problem: string } | null;
  /** Topics of cameras of which nothing comes. */
  readonly silent: readonly string[];
}

export interface RecordingParts {
  readonly arms: Arms;
  readonly planners: Planners;
  readonly goals: Goals;
  readonly clock: Clock;
  /** Starts the recording thread. */
  readonly launch: (setup: RecordingSetup) => RecordingChannel;
  /** Describes an arm for a recording. */
  readonly describe: (arm: Arm) => RecordedArm;
  /** Pairs that run now. */
  readonly pairs: () => readonly RecordedPair[];
  /** Shared memory of the control loop. */
  readonly loop: SharedArrayBuffer;
  /** Cycles of the control loop per second. */
  readonly loopRate: number;
  readonly version: string;
  /** Configuration to store in episodes, without secrets. */
  readonly configuration: () => object;
  readonly notice: (text: string) => void;
}

/** Records arms and replays recordings. A separate thread reads and writes the files. */
export class RecordingService {
  readonly #parts: RecordingParts;
  readonly #folder: string;
  readonly #cameras: readonly Camera[];
  readonly #client: RecordingClient;
  /** Names of running joint recordings, by arm; null while the file is being created. */
  readonly #running = new Map<Arm, string | null>();
  #episode: { readonly facts: RunningEpisode; readonly watch: EpisodeWatch; readonly ending: boolean } | null = null;
  /** Settles when all episodes that are being begun or completed have been. */
  #changes: Promise<unknown> = Promise.resolve();
  #recovering = false;
  /** Warning about the room that is left for recordings; empty while there is enough. */
  #roomWarning = '';

  constructor(parts: RecordingParts, settings: RecordingSettings) {
    this.#parts = parts;
    this.#folder = settings.folder;
    this.#cameras = settings.cameras;
    const setup = { folder: this.#folder, quota: settings.quota * MEGABYTE };
    this.#client = new RecordingClient(() => parts.launch(setup));
    this.#client.onNotice = parts.notice;
    this.#client.onEnded = (recording, problem) => {
      parts.notice(`the recording "${recording}" has ended early: ${problem}`);
      if (this.#episode?.facts.name !== recording) return;
      const { facts } = this.#episode;
      this.#episode = { ...this.#episode, facts: { ...facts, early: { ended: parts.clock.wall(), problem } } };
    };
    this.#client.onRoom = (warning) => {
      // Once, although the numbers in it change.
      if (this.#roomWarning === '') parts.notice(warning);
      this.#roomWarning = warning;
    };
    this.#client.onSeen = (recording, bytes) => {
      if (this.#episode?.facts.name === recording) this.#episode.watch.written(bytes);
    };
    this.#client.onFailure = ({ message }) => {
      this.#running.clear();
      this.#roomWarning = '';
      this.#episode?.watch.close();
      this.#episode = null;
      parts.notice(`the thread that records has failed (${message}): what was being recorded has ended`);
      // If recovery itself made the thread fail, it would fail again.
      if (this.#recovering) return;
      this.recover().catch((error: unknown) => parts.notice(`recordings were not recovered: ${messageOf(error)}`));
    };
  }

  /** Completes recordings that a killed bridge left unfinished. */
  async recover(): Promise<void> {
    if (!existsSync(this.#folder)) return;
    this.#recovering = true;
    try {
      for (const text of await this.#client.command({ kind: 'recover' })) this.#parts.notice(text);
    } finally {
      this.#recovering = false;
    }
  }

  /** What people should know before the room for recordings runs out; empty while there is enough. */
  get roomWarning(): string {
    return this.#roomWarning;
  }

  /** Whether any recording is running. */
  get active(): boolean {
    return this.#running.size > 0 || this.#episode !== null;
  }

  /** The episode that has been started and not been stopped; null if there is none. */
  get episode(): RunningEpisode | null {
    if (this.#episode === null) return null;
    const { facts, watch } = this.#episode;
    return { ...facts, silent: watch.silent };
  }

  /**
   * Starts to record the measured joints of an arm, whoever drives it or moves it by hand.
   * @param rate samples per second
   * @returns the path of the file
   * @throws {BridgeError} disconnected; bad_request if the arm is being recorded already, the name is taken, or the
   *   folder is full
   */
  async start(arm: Arm, name: string, rate: number): Promise<string> {
    arm.requireConnected();
    if (this.#running.has(arm)) {
      throw new BridgeError('bad_request', `Arm ${arm.name} is being recorded already.`, {
        arm,
        remedy: 'stop_recording',
      });
    }
    this.#running.set(arm, null);
    try {
      const { path } = await this.#begin({ name, dataset: null, content: 'joints', rate, labels: NOT_SAID }, [arm]);
      this.#running.set(arm, name);
      return path;
    } catch (error) {
      this.#running.delete(arm);
      throw error;
    }
  }

  /**
   * Ends the recording of an arm.
   * @param drop whether to delete it
   * @returns null if there was none
   */
  async stop(arm: Arm, drop = false): Promise<RecordingSummary | null> {
    const name = this.#running.get(arm) ?? null;
    if (name === null) return null;
    this.#running.delete(arm);
    return this.#client.command({ kind: 'end', name, drop, labels: null });
  }

  /**
   * Starts an episode, which records everything that its arms do in every cycle of the control loop until it is
   * stopped.
   * @throws {BridgeError} disconnected; bad_request if an episode is running, the name is taken, or there is no room
   */
  startEpisode({ name, dataset, arms, ...labels }: EpisodeRequest): Promise<RunningEpisode> {
    return this.#inTurn(async () => {
      if (this.#episode !== null)
        throw new BridgeError('bad_request', `An episode is being recorded already: "${this.#episode.facts.name}".`);
      if (arms.length === 0)
        throw new BridgeError('disconnected', 'No arm is connected: connect one, then record the episode.');
      for (const arm of arms) arm.requireConnected();
      const { clock } = this.#parts;
      const began = clock.wall();
      const chosen = name ?? `${dataset ?? 'episode'}-${timeName(began)}`.slice(-64);
      const said = { ...NOT_SAID, ...labels };
      const { path } = await this.#begin({ name: chosen, dataset, content: 'episode', rate: null, labels: said }, arms);
      const about = { name: chosen, dataset, path, began, early: null, silent: [] };
      const facts = { ...about, arms: arms.map((arm) => arm.name), ...said };
      const watch = new EpisodeWatch(chosen, arms, this.#cameras, this.#client, clock, this.#parts.notice);
      this.#episode = { facts, watch, ending: false };
      return facts;
    });
  }

  /**
   * Ends the episode.
   * @param drop whether to delete it
   * @param labels replace the labels given at the start
   * @returns null if no episode is running
   */
  stopEpisode(drop = false, labels: Partial<Labels> = {}): Promise<RecordingSummary | null> {
    return this.#inTurn(async () => {
      if (this.#episode === null) return null;
      const { facts, watch } = this.#episode;
      this.#episode = { facts, watch, ending: true };
      watch.close();
      try {
        return await this.#client.command({ kind: 'end', name: facts.name, drop, labels });
      } finally {
        this.#episode = null;
      }
    });
  }

  /** An episode is begun or completed once those before it have been. */
  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const result = this.#changes.then(change);
    this.#changes = result.catch(() => {});
    return result;
  }

  /** Adds a mark to the episode. @returns false if no episode is running, or it has ended early */
  mark(text: string): boolean {
    if (this.#episode === null || this.#episode.ending || this.#episode.facts.early !== null) return false;
    this.#episode.watch.tell('info', '', 'mark', text);
    return true;
  }

  /**
   * Adds a camera message to the episode, if one is running.
   * @param data CDR; if it fills its buffer, that buffer is transferred
   */
  see(topic: string, data: Uint8Array): void {
    this.#episode?.watch.see(topic, data);
  }

  /** Lists recordings, newest first. */
  list(wanted: ListCommand): Promise<Catalogue> {
    return this.#client.command({ kind: 'list', ...wanted });
  }

  /** @throws {BridgeError} unknown_recording */
  facts(name: string): Promise<RecordingFacts> {
    return this.#client.command({ kind: 'facts', name });
  }

  /** @throws {BridgeError} unknown_recording; bad_request if it is not an episode */
  label(name: string, labels: Partial<Labels>): Promise<RecordingFacts> {
    return this.#client.command({ kind: 'label', name, labels });
  }

  /** @throws {BridgeError} unknown_recording; bad_request if the new name is taken */
  rename(name: string, to: string): Promise<RecordingFacts> {
    return this.#client.command({ kind: 'rename', name, to });
  }

  /**
   * Joint motion of a recorded arm. If this bridge has an arm of its name, joints are named as in that arm's model,
   * whatever `ros.joint_prefix` was when they were recorded.
   * @throws {BridgeError} bad_request if the file is unreadable or has no such arm
   */
  async samples(wanted: SamplesCommand): Promise<Samples> {
    const samples = await this.#client.command({ kind: 'samples', ...wanted });
    const arm = this.#parts.arms.all.find(({ name }) => name === samples.source);
    return arm === undefined ? samples : { ...samples, joints: withoutPrefix(arm.model.joints, samples.joints) };
  }

  /** Copies a part of a recording to a new recording. @throws {BridgeError} bad_request */
  trim(wanted: TrimCommand): Promise<RecordingFacts> {
    return this.#client.command({ kind: 'trim', ...wanted });
  }

  /** @throws {BridgeError} unknown_recording */
  async remove(name: string): Promise<void> {
    await this.#client.command({ kind: 'remove', name });
  }

  /** Reserves a path for a file of this size that is to become a recording. @throws {BridgeError} bad_request */
  async receive(name: string, bytes: number): Promise<string> {
    const { path } = await this.#client.command({ kind: 'receive', name, bytes });
    return path;
  }

  /** Accepts the received file; refuses and deletes it if it is not a recording. @throws {BridgeError} bad_request */
  accept(name: string): Promise<RecordingFacts> {
    return this.#client.command({ kind: 'accept', name });
  }

  /**
   * The motion that an arm would make for a recording, at `points` times, and the parts that it cannot reach. Nothing
   * moves.
   * @param source recorded arm to follow; null: the arm of the same name, or else the first
   * @returns also `refusal`, the message with which a replay would be refused; null if it would start
   * @throws {BridgeError} disconnected, unknown_recording; bad_request if there is no such arm or joint
   */
  async foresee(
    arm: Arm,
    name: string,
    source: string | null,
    points: number,
  ): Promise<Foreseen & { readonly refusal: string | null }> {
    arm.requireConnected();
    try {
      const foreseen = await this.#client.command({ kind: 'foresee', name, fit: fitOf(arm, 1, source), points });
      return { ...foreseen, refusal: await this.#refusal(arm, name, source) };
    } catch (error) {
      throw error instanceof UnfitError ? unfit(arm, name, error) : error;
    }
  }

  /** The message with which a replay would be refused; null if it would start. */
  async #refusal(arm: Arm, name: string, source: string | null): Promise<string | null> {
    try {
      const replay = await Replaying.open(this.#client, arm, name, 1, source);
      replay.close();
      return null;
    } catch (error) {
      if (error instanceof BridgeError) return error.message;
      throw error;
    }
  }

  /**
   * Moves an arm to the first pose of a recording by a collision-checked move, then replays it.
   * @param speed factor, 1 as recorded; the replay is slower where the arm's limits require it
   * @param source recorded arm to follow; null: the arm of the same name, or else the first
   * @throws {BridgeError} disconnected, stopped, owned, unknown_recording; bad_request if this arm cannot replay the recording
   */
  async play(
    arm: Arm,
    name: string,
    speed: number,
    caller: Caller,
    source: string | null = null,
  ): Promise<ReplayOutcome> {
    arm.requireDrivable();
    const ask = arm.ask();
    const replay = await Replaying.open(this.#client, arm, name, speed, source);
    try {
      return await this.#play(arm, name, replay, caller, ask);
    } finally {
      replay.close();
    }
  }

  async #play(
    arm: Arm,
    name: string,
    replay: Replaying,
    caller: Caller,
    ask: ReturnType<Arm['ask']>,
  ): Promise<ReplayOutcome> {
    const { planners, goals, clock } = this.#parts;
    const wayTo = async (): Promise<readonly Float64Array[]> => {
      const way = await planners.of(arm).route(asked(arm), replay.first, () => arm.requireWanted(ask));
      if (typeof way !== 'string') return way;
      throw new BridgeError(
        'bad_request',
        `On the way to the first pose of "${name}" arm ${arm.name} would hit something: ${way}. Nothing has moved.`,
        { arm },
      );
    };
    const limp = limpAt(arm);
    let approach = await wayTo();
    const began = clock.now();
    // A replay takes longer than the recording if the arm's limits slow it down.
    const timeLimit = replay.whole ? replay.duration + TIME_RESERVE * arm.slowdown : Number.POSITIVE_INFINITY;
    const session = arm.claim(caller, { timeLimit, ask });
    const aim = (): void => goals.set(session, { q: replay.last, position: arm.toolPose(replay.last).position });
    aim();
    try {
      let problem = await session.torqueOn();
      if (problem === null && wasMoved(arm, limp)) approach = await wayTo();
      for (const goal of approach) problem ??= await session.drive({ kind: 'trajectory', goal, speed: null });
      problem ??= await replay.drive(session);
      if (problem === null) aim();
      return { problem, duration: clock.now() - began };
    } finally {
      goals.end(session, session.arrived);
      session.end();
    }
  }

  /** Ends all recordings. */
  async close(): Promise<void> {
    this.#episode?.watch.close();
    await this.#client.close();
    this.#running.clear();
    this.#episode = null;
  }

  #begin(
    what: Pick<BeginRecording, 'name' | 'dataset' | 'content' | 'rate' | 'labels'>,
    arms: readonly Arm[],
  ): Promise<{ readonly path: string }> {
    const { describe, pairs, loop, loopRate, version, configuration } = this.#parts;
    return this.#client.command({
      kind: 'begin',
      ...what,
      loop,
      loopRate,
      version,
      arms: arms.map(describe),
      pairs: pairs(),
      configuration: JSON.stringify(configuration(), null, 2),
    });
  }
}

/** A default name: the time (s since the epoch) in characters that names allow. */
export function timeName(time: number): string {
  return new Date(1000 * time).toISOString().replace(/[:.]/g, '-');
}
