import type { Arm } from '../arm/arm.ts';
import type { ArmSession } from '../arm/arm-session.ts';
import { BridgeError } from '../arm/types.ts';
import { messageOf } from '../message-of.ts';
import { asked } from '../motion/goals.ts';
import { type Fit, type Piece, UnfitError } from './messages.ts';
import type { RecordingClient } from './recording-client.ts';

/** Share of the speed limit that a replay uses, because the cubic between two poses is faster than its average. */
const SPEED_SHARE = 0.6;
/** Length of the recording that is read and checked before the arm moves, s; the rest is read ahead of the arm. */
export const CHECKED_FIRST = 30;
/** Period at which the read-ahead is checked, s. */
const LOOK = 0.5;

/** How to fit a recording to an arm at its present setpoint. */
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

/** The error for a recording that an arm cannot replay. */
export function unfit(arm: Arm, name: string, { message }: UnfitError): BridgeError {
  return new BridgeError('bad_request', `Arm ${arm.name} cannot replay "${name}": ${message}. Nothing has moved.`);
}

/** A recording that is read ahead of the arm that replays it. */
export class Replaying {
  /** rad */
  readonly first: Float64Array;
  /** s */
  readonly duration: number;
  /** Whether all of it has been read and checked. */
  whole: boolean;
  /** The last pose that has been read, rad. */
  last: Float64Array;
  readonly #client: RecordingClient;
  readonly #track: number;
  readonly #arm: Arm;
  /** Pieces that have been read but not handed over yet. */
  readonly #ready: Piece[];
  readonly #fit: Fit;

  private constructor(client: RecordingClient, arm: Arm, fit: Fit, track: number, ready: Piece[], duration: number) {
    this.#client = client;
    this.#arm = arm;
    this.#fit = fit;
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
   * Opens a recording and checks its beginning.
   * @param speed factor, 1 as recorded
   * @param source recorded arm to follow; null: the arm of the same name, or else the first
   * @throws {BridgeError} unknown_recording; bad_request if the arm cannot replay it
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
      return new Replaying(client, arm, fit, track, ready, duration);
    } catch (error) {
      if (opened !== null) client.command({ kind: 'close', track: opened }).catch(() => {});
      if (!(error instanceof UnfitError)) throw error;
      throw unfit(arm, name, error);
    }
  }

  /**
   * Lets the gripper come to the recording from where it is, no faster than a replay moves: an object in its jaws may
   * have kept it from the first pose.
   */
  #joinGripper(): void {
    const { gripper } = this.#fit.model;
    if (gripper === null) return;
    const { velocity } = this.#fit.joints[gripper.index]!;
    const joints = this.first.length;
    let [before, at] = [0, asked(this.#arm)[gripper.index]!];
    for (const { times, positions } of this.#ready) {
      for (const [k, time] of times.entries()) {
        const reach = velocity * (time - before);
        const i = k * joints + gripper.index;
        at = Math.min(Math.max(positions[i]!, at - reach), at + reach);
        positions[i] = at;
        before = time;
      }
    }
  }

  /** Replays; the arm must be at the first pose, except for its gripper. @returns null if everything has been replayed, else the reason */
  async drive(session: ArmSession): Promise<string | null> {
    this.#joinGripper();
    // Pieces are handed over one by one: all at once would take the control thread longer than a cycle.
    const { times, positions, last } = this.#ready.shift()!;
    let over = false;
    let fault: string | null = null;
    const feeding = (began: number): Promise<void> =>
      this.#feed(session, began, () => over).catch((error: unknown) => {
        fault = messageOf(error);
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

  /** Keeps enough of the recording read ahead of the arm. The arm brakes before a part that it cannot replay. */
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
