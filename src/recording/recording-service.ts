import { existsSync } from 'node:fs';
import type { Arm } from '../arm/arm.ts';
import { BridgeError, type Caller, messageOf } from '../arm/types.ts';
import type { Clock } from '../clock.ts';
import { asked, type Goals } from '../motion/goals.ts';
import type { Planners } from '../motion/planners.ts';
import { EpisodeWatch } from './episode-watch.ts';
import {
  type BeginRecording,
  type Catalogue,
  type Foreseen,
  type Labels,
  type ListCommand,
  type RecordedArm,
  type RecordingFacts,
  type RecordingSummary,
  type Samples,
  type SamplesCommand,
  type TrimCommand,
  UnfitError,
} from './messages.ts';
import { type RecordingChannel, RecordingClient } from './recording-client.ts';
import type { RecordingSetup } from './recording-thread.ts';
import { fitOf, Replaying, unfit } from './replaying.ts';

export { RECORDING_NAME } from './library.ts';
export type { RecordingSummary } from './messages.ts';

const MEGABYTE = 1e6;
/** Time that a replay may take beyond its way and the approach to it, s. */
const TIME_RESERVE = 30;
const NOT_SAID: Labels = { task: '', operator: '', verdict: '' };

export interface RecordingSettings {
  readonly folder: string;
  /** What all recordings together may take, MB. */
  readonly quota: number;
}

export interface ReplayOutcome {
  /** Null when the arm has replayed all of it; else why not, for people. */
  readonly problem: string | null;
  /** s, the approach included. */
  readonly duration: number;
}

/** An episode as somebody wants it recorded. */
export interface EpisodeRequest extends Partial<Labels> {
  /** Null: one is chosen. */
  readonly name: string | null;
  readonly dataset: string | null;
  readonly arms: readonly Arm[];
}

/** The episode that is being recorded. */
export interface RunningEpisode extends Labels {
  readonly name: string;
  readonly dataset: string | null;
  readonly path: string;
  readonly arms: readonly string[];
  /** s since the epoch */
  readonly began: number;
}

export interface RecordingParts {
  readonly planners: Planners;
  readonly goals: Goals;
  readonly clock: Clock;
  /** Starts the thread that has the files. */
  readonly launch: (setup: RecordingSetup) => RecordingChannel;
  /** An arm as a recording needs it. */
  readonly describe: (arm: Arm) => RecordedArm;
  /** Memory of the control loop's figures. */
  readonly loop: SharedArrayBuffer;
  readonly version: string;
  /** The configuration as it is to stand in episodes: without secrets. */
  readonly configuration: () => object;
  readonly notice: (text: string) => void;
}

/** Records what arms do, and replays it. Files are read and written in a thread of their own. */
export class RecordingService {
  readonly #parts: RecordingParts;
  readonly #folder: string;
  readonly #client: RecordingClient;
  /** Names of the recordings of joints, by arm; null while the file is being made. */
  readonly #running = new Map<Arm, string | null>();
  #episode: { readonly facts: RunningEpisode; readonly watch: EpisodeWatch } | null = null;
  /** An episode is being begun or ended. */
  #busy = false;
  #recovering = false;

  constructor(parts: RecordingParts, settings: RecordingSettings) {
    this.#parts = parts;
    this.#folder = settings.folder;
    const setup = { folder: this.#folder, quota: settings.quota * MEGABYTE };
    this.#client = new RecordingClient(() => parts.launch(setup));
    this.#client.onNotice = parts.notice;
    this.#client.onFailure = ({ message }) => {
      this.#running.clear();
      this.#episode?.watch.close();
      this.#episode = null;
      parts.notice(`the thread that records has failed (${message}): what was being recorded has ended`);
      // A thread that has failed over just that would fail over it again.
      if (this.#recovering) return;
      this.recover().catch((error: unknown) => parts.notice(`recordings were not recovered: ${messageOf(error)}`));
    };
  }

  /** Completes what a bridge that was killed has left. */
  async recover(): Promise<void> {
    if (!existsSync(this.#folder)) return;
    this.#recovering = true;
    try {
      for (const text of await this.#client.command({ kind: 'recover' })) this.#parts.notice(text);
    } finally {
      this.#recovering = false;
    }
  }

  /** Whether something is being recorded. */
  get active(): boolean {
    return this.#running.size > 0 || this.#episode !== null;
  }

  /** The episode that is being recorded; null when there is none. */
  get episode(): RunningEpisode | null {
    return this.#episode?.facts ?? null;
  }

  /**
   * Begins to record the measured joints of an arm, whoever drives it or holds it by hand.
   * @param rate samples per second
   * @returns the path of the file @throws {BridgeError} disconnected; bad_request when it is recorded already, the name is
   * taken, or the folder is full
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

  /** Ends the recording of an arm. @param drop it is not kept @returns null when there was none */
  async stop(arm: Arm, drop = false): Promise<RecordingSummary | null> {
    const name = this.#running.get(arm) ?? null;
    if (name === null) return null;
    this.#running.delete(arm);
    return this.#client.command({ kind: 'end', name, drop, labels: null });
  }

  /**
   * Begins an episode: all that its arms do, each cycle of the control loop, until it is stopped.
   * @throws {BridgeError} disconnected; bad_request when one is being recorded, the name is taken, or there is no room
   */
  async startEpisode({ name, dataset, arms, ...labels }: EpisodeRequest): Promise<RunningEpisode> {
    if (this.#episode !== null || this.#busy) {
      throw new BridgeError(
        'bad_request',
        `An episode is being recorded already: "${this.#episode?.facts.name ?? ''}".`,
      );
    }
    for (const arm of arms) arm.requireConnected();
    const { clock } = this.#parts;
    this.#busy = true;
    try {
      const began = clock.wall();
      const chosen = name ?? `${dataset ?? 'episode'}-${timeName(began)}`.slice(-64);
      const said = { ...NOT_SAID, ...labels };
      const { path } = await this.#begin({ name: chosen, dataset, content: 'episode', rate: null, labels: said }, arms);
      const facts = { name: chosen, dataset, path, began, arms: arms.map((arm) => arm.name), ...said };
      this.#episode = { facts, watch: new EpisodeWatch(chosen, arms, this.#client, clock) };
      return facts;
    } finally {
      this.#busy = false;
    }
  }

  /**
   * Ends the episode.
   * @param drop it is not kept @param labels what is to be said of it, in place of what was said at its beginning
   * @returns null when there is none
   */
  async stopEpisode(drop = false, labels: Partial<Labels> = {}): Promise<RecordingSummary | null> {
    if (this.#episode === null || this.#busy) return null;
    const { facts, watch } = this.#episode;
    this.#busy = true;
    watch.close();
    try {
      return await this.#client.command({ kind: 'end', name: facts.name, drop, labels });
    } finally {
      this.#episode = null;
      this.#busy = false;
    }
  }

  /** Puts a mark into the episode. @returns false when none is being recorded */
  mark(text: string): boolean {
    this.#episode?.watch.tell('info', '', 'mark', text);
    return this.#episode !== null;
  }

  /** Puts a message of a camera into the episode, if one is being recorded. @param data CDR; what has memory of its own is handed over */
  see(topic: string, data: Uint8Array): void {
    if (this.#episode === null) return;
    const { name } = this.#episode.facts;
    const instant = this.#parts.clock.now();
    // What is posted takes all of the memory that it lies in along.
    const own = data.byteLength === data.buffer.byteLength ? data : new Uint8Array(data);
    this.#client.tell({ kind: 'camera', recording: name, instant, topic, data: own });
  }

  /** What has been recorded, the newest first. */
  list(wanted: ListCommand): Promise<Catalogue> {
    return this.#client.command({ kind: 'list', ...wanted });
  }

  /** @throws {BridgeError} bad_request when there is none of this name */
  facts(name: string): Promise<RecordingFacts> {
    return this.#client.command({ kind: 'facts', name });
  }

  /** @throws {BridgeError} bad_request when there is none of this name, or it is no episode */
  label(name: string, labels: Partial<Labels>): Promise<RecordingFacts> {
    return this.#client.command({ kind: 'label', name, labels });
  }

  /** @throws {BridgeError} bad_request when there is none of this name, or the new one is taken */
  rename(name: string, to: string): Promise<RecordingFacts> {
    return this.#client.command({ kind: 'rename', name, to });
  }

  /** @throws {BridgeError} bad_request for a file that cannot be read, or has no such arm */
  samples(wanted: SamplesCommand): Promise<Samples> {
    return this.#client.command({ kind: 'samples', ...wanted });
  }

  /** Makes a part of a recording one of its own. @throws {BridgeError} bad_request */
  trim(wanted: TrimCommand): Promise<RecordingFacts> {
    return this.#client.command({ kind: 'trim', ...wanted });
  }

  /** @throws {BridgeError} bad_request when there is none of this name */
  async remove(name: string): Promise<void> {
    await this.#client.command({ kind: 'remove', name });
  }

  /** Where a file of so many bytes is to be put that is to become a recording. @throws {BridgeError} bad_request */
  async receive(name: string, bytes: number): Promise<string> {
    const { path } = await this.#client.command({ kind: 'receive', name, bytes });
    return path;
  }

  /** It is there; it is refused, and removed, if it is no recording. @throws {BridgeError} bad_request */
  accept(name: string): Promise<RecordingFacts> {
    return this.#client.command({ kind: 'accept', name });
  }

  /**
   * What an arm would do of a recording, at so many of its moments, and what of it the arm cannot reach. Nothing moves.
   * @param source the recorded arm that is followed; null: that of the same name, or the first
   * @returns with `refusal`, which a replay would be refused with; null: it would begin
   * @throws {BridgeError} disconnected; bad_request for a recording that there is not, or that has no such arm or joints
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

  /** Why a replay would not begin, as it would be told. */
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
   * Leads an arm to the first pose of a recording by a checked move, then replays it.
   * @param speed 1 as recorded; it becomes slower where the arm's limits ask for it
   * @param source the recorded arm that is followed; null: that of the same name, or the first
   * @throws {BridgeError} disconnected, stopped, owned; bad_request for a recording that this arm cannot replay
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
    const approach = await planners.of(arm).route(asked(arm), replay.first, () => arm.requireWanted(ask));
    if (typeof approach === 'string') {
      throw new BridgeError(
        'bad_request',
        `On the way to the first pose of "${name}" arm ${arm.name} would hit something: ${approach}. Nothing has moved.`,
        { arm },
      );
    }
    const began = clock.now();
    // A recording that the arm may not follow as fast as it was made takes longer than its length says.
    const timeLimit = replay.whole ? replay.duration + TIME_RESERVE * arm.slowdown : Number.POSITIVE_INFINITY;
    const session = arm.claim(caller, { timeLimit, ask });
    const aim = (): void => goals.set(session, { q: replay.last, position: arm.toolPose(replay.last).position });
    aim();
    try {
      let problem = await session.torqueOn();
      for (const goal of approach) problem ??= await session.drive({ kind: 'trajectory', goal, speed: null });
      problem ??= await replay.drive(session);
      if (problem === null) aim();
      return { problem, duration: clock.now() - began };
    } finally {
      goals.end(session, session.arrived);
      session.end();
    }
  }

  /** Ends every recording. */
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
    const { describe, loop, version, configuration } = this.#parts;
    return this.#client.command({
      kind: 'begin',
      ...what,
      loop,
      version,
      arms: arms.map(describe),
      configuration: JSON.stringify(configuration(), null, 2),
    });
  }
}

/** A name for what has none: the time (s since the epoch), as a name may be written. */
export function timeName(time: number): string {
  return new Date(1000 * time).toISOString().replace(/[:.]/g, '-');
}
