import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Arm } from '../arm/arm.ts';
import { BridgeError, type Caller } from '../arm/types.ts';
import type { Clock, Timer } from '../clock.ts';
import { asked, type Goals } from '../motion/goals.ts';
import type { Planners } from '../motion/planners.ts';
import { JointFile, RecordingError, readTrack } from './recording-file.ts';
import { fitTo, type Replay } from './replay.ts';

/** Names of recordings, which are names of files. */
export const RECORDING_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const MEGABYTE = 1e6;
/** Time that a replay may take beyond its way and the approach to it, s. */
const TIME_RESERVE = 30;
/** A file that is being written. */
const UNFINISHED = '.part';

export interface RecordingSettings {
  /** Null: arm-bridge/recordings in the user's data folder (XDG_DATA_HOME, or ~/.local/share). */
  readonly folder: string | null;
  /** What all recordings together may take, MB. */
  readonly quota: number;
}

export interface RecordingSummary {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly samples: number;
  /** s */
  readonly duration: number;
  /** Why it ended before it was stopped; null otherwise. */
  readonly problem: string | null;
}

export interface ReplayOutcome {
  /** Null when the arm has replayed all of it; else why not, for people. */
  readonly problem: string | null;
  /** s, the approach included. */
  readonly duration: number;
}

interface Running {
  readonly name: string;
  readonly file: JointFile;
  readonly timer: Pick<Timer, 'cancel'>;
  /** Of the first sample: seconds since the epoch, and s by the clock that nobody sets. */
  begun: number;
  first: number;
  /** Of the newest one, s by that clock. */
  last: number;
  /** The sample that is being written. */
  pending: Promise<void> | null;
  problem: string | null;
}

/** Records the joints of arms as MCAP files in one folder, and replays them. */
export class RecordingService {
  readonly #planners: Planners;
  readonly #goals: Goals;
  readonly #folder: string;
  readonly #quota: number;
  readonly #clock: Clock;
  /** Names that are being written. */
  readonly #names = new Set<string>();
  /** Null while the file of a recording is being made. */
  readonly #running = new Map<Arm, Running | null>();

  constructor(planners: Planners, goals: Goals, settings: RecordingSettings, clock: Clock) {
    this.#clock = clock;
    this.#planners = planners;
    this.#goals = goals;
    this.#folder = settings.folder ?? defaultFolder();
    this.#quota = settings.quota * MEGABYTE;
  }

  /** Whether some arm is being recorded. */
  get active(): boolean {
    return this.#running.size > 0;
  }

  /**
   * Begins to record the measured joints of an arm, whoever drives it or holds it by hand.
   * @param rate samples per second
   * @returns the path of the file @throws {BridgeError} disconnected; bad_request when it is recorded already, the name is
   * taken, or the folder is full
   */
  async start(arm: Arm, name: string, rate: number): Promise<string> {
    arm.requireConnected();
    const path = this.#path(name);
    if (this.#running.has(arm)) {
      throw new BridgeError('bad_request', `Arm ${arm.name} is being recorded already.`, {
        arm,
        remedy: 'stop_recording',
      });
    }
    if (this.#names.has(name)) {
      throw new BridgeError('bad_request', `"${name}" is being recorded by another arm: choose another name.`);
    }
    this.#names.add(name);
    this.#running.set(arm, null);
    try {
      await mkdir(this.#folder, { recursive: true });
      if (await exists(path)) {
        throw new BridgeError('bad_request', `There is a recording "${name}" already: choose another name.`);
      }
      const left = this.#quota - (await this.#used());
      if (left <= 0) {
        throw new BridgeError(
          'bad_request',
          `The recordings in ${this.#folder} take more than ${this.#quota / MEGABYTE} MB (recording.quota): remove some.`,
        );
      }
      // What a bridge that was killed has left has no index, so that nobody can read it.
      await rm(path + UNFINISHED, { force: true });
      const names = arm.model.joints.map((joint) => joint.name);
      const file = await JointFile.create(path + UNFINISHED, `/${arm.name}/joint_states`, names);
      const running: Running = {
        name,
        file,
        timer: this.#clock.every(1 / rate, () => this.#sample(arm, running, left)),
        begun: 0,
        first: 0,
        last: 0,
        pending: null,
        problem: null,
      };
      this.#running.set(arm, running);
      return path;
    } catch (error) {
      this.#names.delete(name);
      this.#running.delete(arm);
      throw asBridgeError(error, this.#folder);
    }
  }

  /** Ends the recording of an arm. @returns null when there was none */
  async stop(arm: Arm): Promise<RecordingSummary | null> {
    const running = this.#running.get(arm) ?? null;
    if (running === null) return null;
    this.#running.delete(arm);
    running.timer.cancel();
    const { file, name, first, last } = running;
    const path = this.#path(name);
    try {
      await running.pending;
      await file.end();
      await rename(path + UNFINISHED, path);
    } catch (error) {
      throw asBridgeError(error, this.#folder);
    } finally {
      this.#names.delete(name);
    }
    return { name, path, samples: file.samples, duration: last - first, problem: running.problem };
  }

  /**
   * Leads an arm to the first pose of a recording by a checked move, then replays it.
   * @param speed 1 as recorded; it becomes slower where the arm's limits ask for it
   * @throws {BridgeError} disconnected, stopped, owned; bad_request for a recording that this arm cannot replay
   */
  async play(arm: Arm, name: string, speed: number, caller: Caller): Promise<ReplayOutcome> {
    arm.requireDrivable();
    const ask = arm.ask();
    const replay = await this.#load(arm, name, speed);
    const approach = this.#planners.of(arm).route(asked(arm), replay.first);
    if (typeof approach === 'string') {
      throw new BridgeError(
        'bad_request',
        `On the way to the first pose of "${name}" arm ${arm.name} would hit something: ${approach}. Nothing has moved.`,
        { arm },
      );
    }
    const began = this.#clock.now();
    const { path, poses } = replay;
    const session = arm.claim(caller, { timeLimit: path.times.at(-1)! + TIME_RESERVE * arm.slowdown, ask });
    const last = poses.at(-1)!;
    this.#goals.set(session, { q: last, position: arm.toolPose(last).position });
    try {
      let problem = await session.torqueOn();
      for (const goal of approach) problem ??= await session.drive({ kind: 'trajectory', goal, speed: null });
      problem ??= await session.drive({ kind: 'waypoints', ...path });
      return { problem, duration: this.#clock.now() - began };
    } finally {
      this.#goals.end(session, session.arrived);
      session.end();
    }
  }

  /** Ends every recording. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#running.keys()].map((arm) => this.stop(arm)));
  }

  #path(name: string): string {
    if (!RECORDING_NAME.test(name)) {
      throw new BridgeError(
        'bad_request',
        `"${name}" is no name of a recording: 1 to 64 letters, digits, "_" and "-".`,
      );
    }
    return join(this.#folder, `${name}.mcap`);
  }

  /** Bytes of all files in the folder. */
  async #used(): Promise<number> {
    const files = await readdir(this.#folder, { withFileTypes: true });
    const sizes = await Promise.all(
      files.filter((file) => file.isFile()).map(async (file) => (await stat(join(this.#folder, file.name))).size),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  /** Takes the newest sample, unless it is taken already or the one before is still being written. */
  #sample(arm: Arm, running: Running, room: number): void {
    if (running.pending !== null || running.problem !== null) return;
    if (running.file.size >= room) {
      running.problem = `the quota of ${this.#quota / MEGABYTE} MB (recording.quota) is used up`;
      return;
    }
    if (running.file.failure !== null) {
      running.problem = `it could not be written (${running.file.failure.message})`;
      return;
    }
    const { sampleTime, sampleInstant, positions, velocities, efforts, state } = arm.read();
    if (state === 'disconnected' || sampleInstant <= running.last || !positions.every(Number.isFinite)) return;
    if (running.first === 0) {
      running.begun = sampleTime;
      running.first = sampleInstant;
    }
    running.last = sampleInstant;
    const sample = {
      time: running.begun + sampleInstant - running.first,
      clock: sampleTime,
      positions: positions.slice(),
      velocities: velocities.slice(),
      efforts: efforts.slice(),
    };
    running.pending = running.file.add(sample).then(
      () => {
        running.pending = null;
      },
      (error: unknown) => {
        running.pending = null;
        running.problem = `it could not be written (${error instanceof Error ? error.message : error})`;
      },
    );
  }

  /** @throws {BridgeError} bad_request for a recording that there is not, or that the arm cannot replay */
  async #load(arm: Arm, name: string, speed: number): Promise<Replay> {
    const path = this.#path(name);
    if (!(await exists(path))) {
      throw new BridgeError('bad_request', `There is no recording "${name}" in ${this.#folder}.`);
    }
    try {
      const replay = fitTo(arm.model, await readTrack(path, this.#clock), speed, arm.pace);
      await this.#check(arm, replay);
      return replay;
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      throw new BridgeError(
        'bad_request',
        `Arm ${arm.name} cannot replay "${name}": ${error.message}. Nothing has moved.`,
      );
    }
  }

  /** @throws {RecordingError} where links would touch */
  async #check(arm: Arm, { first, poses, path }: Replay): Promise<void> {
    const touched = await this.#planners.of(arm).touchesAlong(first, poses, this.#clock);
    if (touched === null) return;
    throw new RecordingError(`after ${path.times[touched.index]!.toFixed(2)} s ${touched.contact}`);
  }
}

function defaultFolder(): string {
  const { XDG_DATA_HOME: data } = process.env;
  // By the XDG specification a relative path counts as unset.
  const base = data?.startsWith('/') ? data : join(homedir(), '.local', 'share');
  return join(base, 'arm-bridge', 'recordings');
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** What the file system refuses is told with the folder and the key that names it. */
function asBridgeError(error: unknown, folder: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof BridgeError || code === undefined) return error;
  return new BridgeError('bad_request', `Nothing can be recorded in ${folder} (recording.folder): ${code}.`);
}
