import type { Arm } from '../arm/arm.ts';
import type { ArmSession } from '../arm/arm-session.ts';
import { BridgeError } from '../arm/types.ts';
import { asked } from '../motion/goals.ts';
import { type Fit, type Piece, UnfitError } from './messages.ts';
import type { RecordingClient } from './recording-client.ts';

/** Part of the limit of speed that a replay uses; the cubic between two poses is quicker than its average. */
const SPEED_SHARE = 0.6;
/** So much of a recording is read and checked before the arm moves; of a longer one the rest goes on ahead of the arm, s. */
export const CHECKED_FIRST = 30;
/** How often it is looked how far ahead it is, s. */
const LOOK = 0.5;

/** How a recording is to be fitted to an arm where it stands. */
export function fitOf(arm: Arm, speed: number, source: string | null): Fit {
  const { model, chain, pace } = arm;
  const stands = asked(arm);
  const joints = model.joints.map(({ name: joint, lower, upper, move }, i) => ({
    name: joint,
    lower,
    upper,
    position: stands[i]!,
    velocity: move.velocity * SPEED_SHARE * pace,
  }));
  const { baseLink, toolLink } = model;
  const roles = model.joints.map(({ name: joint, role, roleFrame }) => ({ name: joint, role, roleFrame }));
  const mapped = { name: model.name, joints: roles, gripper: model.gripper };
  const { description } = chain;
  return { arm: arm.name, source, model: mapped, joints, speed, description, baseLink, toolLink };
}

/** An arm cannot do what was recorded. */
export function unfit(arm: Arm, name: string, { message }: UnfitError): BridgeError {
  return new BridgeError('bad_request', `Arm ${arm.name} cannot replay "${name}": ${message}. Nothing has moved.`);
}

/** A recording that is being read for an arm, ahead of where the arm is. */
export class Replaying {
  /** rad */
  readonly first: Float64Array;
  /** s */
  readonly duration: number;
  /** All of it has been read and checked. */
  whole: boolean;
  /** The last pose that has been read, rad. */
  last: Float64Array;
  readonly #client: RecordingClient;
  readonly #track: number;
  readonly #arm: Arm;
  /** What has been read and not been handed over yet. */
  readonly #ready: Piece[];

  private constructor(client: RecordingClient, arm: Arm, track: number, ready: Piece[], duration: number) {
    this.#client = client;
    this.#arm = arm;
    this.#track = track;
    this.#ready = ready;
    const { times, positions, last } = ready.at(-1)!;
    const joints = arm.model.joints.length;
    this.first = ready[0]!.positions.slice(0, joints);
    this.whole = last;
    this.last = positions.slice(-joints);
    this.duration = last ? times.at(-1)! : Math.max(duration, times.at(-1)!);
  }

  /**
   * Opens a recording, and checks its beginning.
   * @param speed 1 as recorded @param source the recorded arm that is followed; null: that of the same name, or the first
   * @throws {BridgeError} bad_request for a recording that there is not, or that the arm cannot replay
   */
  static async open(
    client: RecordingClient,
    arm: Arm,
    name: string,
    speed: number,
    source: string | null,
  ): Promise<Replaying> {
    const fit = fitOf(arm, speed, source);
    let opened: number | null = null;
    try {
      const { track, duration } = await client.command({ kind: 'open', name, fit });
      opened = track;
      const ready: Piece[] = [];
      do ready.push(await client.command({ kind: 'next', track }));
      while (!ready.at(-1)!.last && ready.at(-1)!.times.at(-1)! < CHECKED_FIRST);
      return new Replaying(client, arm, track, ready, duration);
    } catch (error) {
      if (opened !== null) client.command({ kind: 'close', track: opened }).catch(() => {});
      if (!(error instanceof UnfitError)) throw error;
      throw unfit(arm, name, error);
    }
  }

  /** Drives an arm that is at its first pose. @returns null when all has been replayed, else why not */
  async drive(session: ArmSession): Promise<string | null> {
    // One after the other: handing all of them over at once would take the control thread longer than a cycle.
    const { times, positions, last } = this.#ready.shift()!;
    let over = false;
    let fault: string | null = null;
    const feeding = (began: number): Promise<void> =>
      this.#feed(session, began, () => over).catch((error: unknown) => {
        fault = error instanceof Error ? error.message : String(error);
      });
    let fed: Promise<void> = Promise.resolve();
    const problem = await session.drive(
      { kind: 'waypoints', times, positions, velocities: null, ...(last ? {} : { duration: this.duration }) },
      {
        onBegun: () => {
          if (!last) fed = feeding(this.#arm.clock.now());
        },
      },
    );
    over = true;
    await fed;
    return fault ?? problem;
  }

  /** Reads on so that there is always enough ahead of the arm. What cannot be driven makes the arm brake before it. */
  async #feed(session: ArmSession, began: number, over: () => boolean): Promise<void> {
    const { clock } = this.#arm;
    try {
      for (let until = 0; !over(); ) {
        if (until - (clock.now() - began) > CHECKED_FIRST) {
          await clock.sleep(LOOK);
          continue;
        }
        const piece = this.#ready.shift() ?? (await this.#client.command({ kind: 'next', track: this.#track }));
        if (over()) return;
        await session.extend(piece);
        const { times, positions, last } = piece;
        this.last = positions.slice(-this.first.length);
        this.whole = last;
        if (last) return;
        until = times.at(-1)!;
      }
    } catch (error) {
      if (over() || session.lost !== null) return;
      session.brake().catch(() => {});
      throw error;
    }
  }

  close(): void {
    void this.#client.command({ kind: 'close', track: this.#track }).catch(() => {});
  }
}
