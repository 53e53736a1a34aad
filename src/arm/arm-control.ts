import type { Clock } from '../clock.ts';
import type { Joints } from '../rt/joint/joint-groups.ts';
import type { EndReason } from '../rt/joint/motions.ts';
import type { Command, CommandResult } from '../rt/messages.ts';
import type { ArmSnapshot } from '../rt/snapshot/arm-fields.ts';
import { type SharedState, StopWord } from '../rt/snapshot/shared-snapshot.ts';
import { SnapshotReader } from '../rt/snapshot/snapshot-reader.ts';
import type { ChunkPath } from '../rt/sources/chunks.ts';
import type { ControlClient } from './control-client.ts';
import { nextCycle } from './next-cycle.ts';
import { type Activity, BridgeError } from './types.ts';

/** A command to one arm, without the arm's index in the control thread: ArmControl adds it. */
type ArmCommand<C = Exclude<Command, { kind: 'add' }>> = C extends { readonly arm: number } ? Omit<C, 'arm'> : never;

/** Why a motion ended. */
export interface MotionEnd {
  readonly reason: EndReason;
  /** Human-readable detail where the reason alone says too little; empty otherwise. */
  readonly text: string;
}

/** A running motion: how long it will take, and how it ends. */
export interface RunningMotion {
  readonly motion: number;
  /** s; 0 for a motion without an end. */
  readonly duration: number;
  readonly ended: Promise<MotionEnd>;
}

/** The main thread's handle on one arm in the control thread: snapshot, shared-memory words, commands, motion ends. */
export class ArmControl {
  readonly clock: Clock;
  readonly index: number;
  /** Throws a more accurate error, if one is known, before a refusal by the control thread is passed on. */
  explain: () => void = () => {};
  readonly #name: string;
  readonly #shared: SharedState;
  readonly #client: ControlClient;
  readonly #reader: SnapshotReader;
  readonly #ends = new Map<number, (end: MotionEnd) => void>();
  #lastEnd: { readonly motion: number; readonly end: MotionEnd } | null = null;
  /** By motion: what drives the arm, and what drives its gripper separately. */
  readonly #driven = new Map<
    number,
    { readonly joints: Joints; readonly kind: string; readonly began: number; readonly duration: number }
  >();

  /** @param index of the arm in the control thread */
  constructor(name: string, index: number, shared: SharedState, client: ControlClient, clock: Clock) {
    this.#name = name;
    this.index = index;
    this.#shared = shared;
    this.#client = client;
    this.clock = clock;
    this.#reader = new SnapshotReader(shared, index);
  }

  /** The newest complete snapshot; the next call reuses the returned object. */
  read(): ArmSnapshot {
    return this.#reader.read();
  }

  /** Cycles of the control loop so far. */
  get cycle(): number {
    return this.#shared.cycle;
  }

  /** What drives the arm or, if nothing does, its gripper; null while it holds or is limp. */
  get activity(): Activity | null {
    const all = [...this.#driven];
    const driven = all.find(([, { joints }]) => joints !== 'gripper') ?? all[0];
    if (driven === undefined) return null;
    const [motion, { kind }] = driven;
    return { kind, progress: this.progressOf(motion) };
  }

  /** Elapsed fraction of the time of a motion, 0..1; null for one that does not run, or has no end. */
  progressOf(motion: number): number | null {
    const driven = this.#driven.get(motion);
    if (driven === undefined || driven.duration <= 0) return null;
    return Math.min((this.clock.now() - driven.began) / driven.duration, 1);
  }

  /** Number of the arm's epoch of intent. Requests from earlier epochs are void. */
  get epoch(): number {
    return this.#shared.epoch(this.index);
  }

  /** Ends the epoch of these joints, and with it everything that waits or streams in it. @returns the new number */
  endEpoch(joints: Joints): number {
    return this.#shared.endEpoch(this.index, joints);
  }

  /** Only the arm's own servos have latched the stop; nobody else has. */
  get failed(): boolean {
    return this.#shared.stop(this.index) === StopWord.fault;
  }

  get latched(): boolean {
    return this.#shared.stopLatched(this.index);
  }

  /** Mark of the stop that is latched, or was latched last. It changes with every requested stop, in any thread. */
  get stopMark(): number {
    return this.#shared.stopMark(this.index);
  }

  /** @returns the mark of the stop */
  latchStop(): number {
    return this.#shared.latchStop(this.index, StopWord.asked);
  }

  /** @returns false when another stop has been requested since the one with this mark */
  releaseStop(mark: number): boolean {
    return this.#shared.releaseStop(this.index, mark);
  }

  get speedScale(): number {
    return this.#shared.speedPart(this.index);
  }

  set speedScale(part: number) {
    this.#shared.limitSpeed(this.index, part);
  }

  get accelerationScale(): number {
    return this.#shared.accelerationPart(this.index);
  }

  set accelerationScale(part: number) {
    this.#shared.limitAcceleration(this.index, part);
  }

  /** Resolves after the next control cycle. @throws {BridgeError} unavailable when none comes within a second */
  async nextCycle(): Promise<void> {
    const { cycle } = this.#shared;
    await nextCycle(this.#shared, this.clock, cycle, 1);
    if (this.#shared.cycle === cycle) {
      throw new BridgeError('unavailable', 'The control loop has not run for a second. Restart the bridge.');
    }
  }

  /** Resolves when a cycle after `seen` has been published, or after `timeout` s. */
  cycleAfter(seen: number, timeout: number): Promise<void> {
    return nextCycle(this.#shared, this.clock, seen, timeout);
  }

  /** Resolves when the snapshot shows the command's effect. @throws {BridgeError} with the reason when it is refused */
  async command(command: ArmCommand): Promise<CommandResult> {
    const result = await this.#send(command);
    // The loop steps and publishes arms without a pause, so the first cycle to end after the reply shows the effect.
    await this.nextCycle();
    return result;
  }

  /**
   * Lets a source drive the arm; torque must be on. Resolves when the snapshot shows it.
   * @param command source, the joints it drives, the epoch of the request, and whether it lowers the arm
   * @param onAccepted called with the motion's number as soon as the control thread has begun it
   * @throws {BridgeError}
   */
  async drive(
    command: Pick<Extract<Command, { kind: 'drive' }>, 'source' | 'joints' | 'epoch' | 'lowering'>,
    onAccepted: (motion: number) => void,
  ): Promise<RunningMotion> {
    const { source, joints } = command;
    const { motion, duration } = await this.#send({ kind: 'drive', ...command });
    onAccepted(motion);
    const over = this.#lastEnd;
    if (over?.motion !== motion)
      this.#driven.set(motion, { joints, kind: source.kind, began: this.clock.now(), duration });
    const ended =
      over?.motion === motion
        ? Promise.resolve(over.end)
        : new Promise<MotionEnd>((resolve) => this.#ends.set(motion, resolve));
    await this.nextCycle();
    return { motion, duration, ended };
  }

  /** Appends poses to a motion that has poses. @throws {BridgeError} with the reason when it is refused */
  async extend(command: Extract<ArmCommand, { kind: 'extend' }>): Promise<void> {
    await this.#send(command);
  }

  /** Sends the next chunk of a motion that follows chunks. @throws {BridgeError} with the reason when it is refused */
  async chunk(motion: number, path: ChunkPath): Promise<void> {
    await this.#send({ kind: 'chunk', motion, path });
  }

  /** Decelerates to a hold: one motion if it still runs, or whatever drives these joints. */
  async cancel(what: number | Joints): Promise<void> {
    await this.command({ kind: 'cancel', what });
  }

  /** The control thread reports that a motion has ended. */
  ended(motion: number, end: MotionEnd): void {
    this.#lastEnd = { motion, end };
    this.#driven.delete(motion);
    this.#ends.get(motion)?.(end);
    this.#ends.delete(motion);
  }

  /** Ends all motions, because a failed control thread reports no ends. */
  endAll(reason: EndReason): void {
    for (const motion of [...this.#ends.keys()]) this.ended(motion, { reason, text: '' });
  }

  async #send(command: ArmCommand): Promise<CommandResult> {
    try {
      return await this.#client.command({ ...command, arm: this.index } as Command);
    } catch (error) {
      this.explain();
      if (!(error instanceof BridgeError) || error.code === 'unavailable') throw error;
      throw new BridgeError(error.code, `Arm ${this.#name} cannot do this: ${error.message}.`);
    }
  }
}
