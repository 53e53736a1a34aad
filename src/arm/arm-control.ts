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

/** A command to one arm; its place in the control thread is added here. */
type ArmCommand<C = Exclude<Command, { kind: 'add' }>> = C extends { readonly arm: number } ? Omit<C, 'arm'> : never;

/** Why a motion has ended. */
export interface MotionEnd {
  readonly reason: EndReason;
  /** For people, where the reason says too little; empty otherwise. */
  readonly text: string;
}

/** A motion that runs: how long it will take, and why it ended. */
export interface RunningMotion {
  readonly motion: number;
  /** s; 0 for one without an end. */
  readonly duration: number;
  readonly ended: Promise<MotionEnd>;
}

/** One arm as the control thread has it: its snapshot, its words of shared memory, commands to it, ends of its motions. */
export class ArmControl {
  readonly clock: Clock;
  readonly index: number;
  /** Throws where a truer reason for a refusal is known than the control thread gives. */
  explain: () => void = () => {};
  readonly #name: string;
  readonly #shared: SharedState;
  readonly #client: ControlClient;
  readonly #reader: SnapshotReader;
  readonly #ends = new Map<number, (end: MotionEnd) => void>();
  #lastEnd: { readonly motion: number; readonly end: MotionEnd } | null = null;
  /** By motion: what drives the arm, and what its gripper apart from it. */
  readonly #driven = new Map<
    number,
    { readonly joints: Joints; readonly kind: string; readonly began: number; readonly duration: number }
  >();

  /** @param index its place in the control thread */
  constructor(name: string, index: number, shared: SharedState, client: ControlClient, clock: Clock) {
    this.#name = name;
    this.index = index;
    this.#shared = shared;
    this.#client = client;
    this.clock = clock;
    this.#reader = new SnapshotReader(shared, index);
  }

  /** The newest complete snapshot; the returned object is reused by the next call. */
  read(): ArmSnapshot {
    return this.#reader.read();
  }

  /** Cycles of the control loop so far. */
  get cycle(): number {
    return this.#shared.cycle;
  }

  /** What drives the arm or, where nothing does, its gripper; null while it holds or is limp. */
  get activity(): Activity | null {
    const all = [...this.#driven.values()];
    const driven = all.find(({ joints }) => joints !== 'gripper') ?? all[0];
    if (driven === undefined) return null;
    const passed = this.clock.now() - driven.began;
    return { kind: driven.kind, progress: driven.duration > 0 ? Math.min(passed / driven.duration, 1) : null };
  }

  /** Number of the arm's epoch of intent: what was asked in an earlier one is over. */
  get epoch(): number {
    return this.#shared.epoch(this.index);
  }

  /** Ends the epoch of these joints, and with it all that waits or streams in it. @returns the number of the new one */
  endEpoch(joints: Joints): number {
    return this.#shared.endEpoch(this.index, joints);
  }

  /** The stop has been latched by the arm's own servos, and by nobody else. */
  get failed(): boolean {
    return this.#shared.stop(this.index) === StopWord.fault;
  }

  get latched(): boolean {
    return this.#shared.stopLatched(this.index);
  }

  /** Mark of the stop that is latched, or was last: it changes with every stop that somebody asks for, in any thread. */
  get stopMark(): number {
    return this.#shared.stopMark(this.index);
  }

  /** @returns the mark of the stop */
  latchStop(): number {
    return this.#shared.latchStop(this.index, StopWord.asked);
  }

  /** @returns false when somebody has asked for another stop since the one with this mark */
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

  /** Resolves when the snapshot shows what the command has done. @throws {BridgeError} with the reason when it is refused */
  async command(command: ArmCommand): Promise<CommandResult> {
    const result = await this.#send(command);
    // Arms are stepped and published without a pause, so the first cycle to end after the answer shows it.
    await this.nextCycle();
    return result;
  }

  /**
   * Lets a source drive the arm; its torque must be on. Resolves when the snapshot shows it.
   * @param command source, joints that it drives, epoch in which it was asked, and whether it lowers the arm
   * @param onAccepted is given the number of the motion as soon as the control thread has begun it
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

  /** Adds poses to a motion that has some. @throws {BridgeError} with the reason when it is refused */
  async extend(command: Extract<ArmCommand, { kind: 'extend' }>): Promise<void> {
    await this.#send(command);
  }

  /** The next chunk of a motion that follows chunks. @throws {BridgeError} with the reason when it is refused */
  async chunk(motion: number, path: ChunkPath): Promise<void> {
    await this.#send({ kind: 'chunk', motion, path });
  }

  /** A motion, if it still goes on, or what drives these joints, decelerates to a hold. */
  async cancel(what: number | Joints): Promise<void> {
    await this.command({ kind: 'cancel', what });
  }

  /** The control thread tells that a motion has ended. */
  ended(motion: number, end: MotionEnd): void {
    this.#lastEnd = { motion, end };
    this.#driven.delete(motion);
    this.#ends.get(motion)?.(end);
    this.#ends.delete(motion);
  }

  /** Ends all motions: a control thread that has failed tells of no end. */
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
