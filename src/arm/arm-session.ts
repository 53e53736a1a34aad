import type { Timer } from '../clock.ts';
import { messageOf } from '../message-of.ts';
import { type Joints, meet } from '../rt/joint/joint-groups.ts';
import type { EndReason } from '../rt/joint/motions.ts';
import type { SourceSpec } from '../rt/messages.ts';
import type { ChunkPath } from '../rt/sources/chunks.ts';
import type { Arm, ClaimOptions } from './arm.ts';
import type { ArmControl, MotionEnd, RunningMotion } from './arm-control.ts';
import type { Doing } from './journal.ts';
import type { Loss } from './ownership.ts';

import { type ArmSnapshot, BridgeError, type Caller, Cancelled, type Owner } from './types.ts';

/** Longest wait for servos to confirm torque on or off, s. */
const TORQUE_TIMEOUT = 2;
/** Criterion by which an arm counts as settled. */
export interface Settling {
  /** Every joint stays within this band, rad, */
  readonly band: number;
  /** for this long, s. */
  readonly window: number;
  /** After this long, s, a still swinging arm is measured as it is. */
  readonly limit: number;
}

/** Accurate to a few millimetres at the tool: one and a half servo steps. */
const SETTLED: Settling = { band: 0.0024, window: 0.08, limit: 1.5 };
/** Sticking joints creep to their final position by less than a servo step in this time. */
export const AT_REST: Settling = { band: 0.0024, window: 0.8, limit: 2.5 };

/** Why the wait for a motion is over. */
interface WaitEnd {
  readonly reason: EndReason | 'client_gone' | 'time_limit' | 'lost' | 'instead';
  readonly text?: string;
}

export interface DriveOptions {
  /** Called when the snapshot shows the motion. */
  readonly onBegun?: () => void;
  /** Resolves when another source is to replace this one, which runs until then. */
  readonly instead?: Promise<void>;
}

/**
 * One owner's hold on an arm, with the motions it runs one after the other, until it releases the arm. Sessions are the
 * only way to drive an arm. Each session is an epoch of the arm's intent: once it is over, none of its requests take
 * effect, however long they have been under way.
 */
export class ArmSession {
  readonly arm: Arm;
  readonly owner: Owner;
  /** Joints that the session may drive. */
  readonly joints: Joints;
  /** The session lowers the arm, even after the arm's own servos have stopped it. */
  readonly lowers: boolean;
  /** A person leads the arm, on another machine perhaps, where it may be limp and have another owner. */
  readonly led: boolean;
  /** Number of the motion begun last; null before the first. */
  motion: number | null = null;
  /** The last motion has reached its end. */
  arrived = false;
  /** The last motion has ended because a joint did not follow it. */
  straggled = false;
  /** What the session is about to do to the arm's torque; null when torque stays as it is. */
  headsFor: 'torque' | 'limp' | null = null;
  /** Called once, when the session loses the arm before releasing it. */
  onLost: (loss: Loss) => void = () => {};
  readonly #control: ArmControl;
  /** Number of the arm's epoch that began with this session. */
  readonly epoch: number;
  readonly #end: (session: ArmSession) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #doing: Doing;
  /** Why the session has not achieved its purpose so far, human-readable; null when nothing has gone wrong. */
  problem: string | null = null;
  #timeLimit: number;
  #deadline: number;
  #loss: Loss | null = null;
  #open = true;
  /** Ends the current wait. */
  #wake: (end: WaitEnd) => void = () => {};

  /**
   * Only the arm creates its sessions: see `Arm.claim`.
   * @param epoch that begins with the session
   * @param end releases the arm
   */
  constructor(
    arm: Arm,
    control: ArmControl,
    epoch: number,
    caller: Caller,
    {
      timeLimit,
      lowering,
      led,
      joints,
      doing,
    }: Required<Pick<ClaimOptions, 'timeLimit' | 'lowering' | 'led' | 'joints'>> & { readonly doing: Doing },
    end: (session: ArmSession) => void,
  ) {
    this.arm = arm;
    this.owner = caller.owner;
    this.#control = control;
    this.epoch = epoch;
    this.#signal = caller.signal;
    this.#timeLimit = timeLimit;
    this.#doing = doing;
    this.lowers = lowering;
    if (lowering) this.headsFor = 'limp';
    this.led = led;
    this.joints = joints;
    this.#deadline = arm.clock.now() + timeLimit;
    this.#end = end;
  }

  /** Why the session does not have the arm, human-readable; null while it does. */
  get lost(): string | null {
    if (this.#loss !== null) return this.#loss.message;
    return this.#open ? null : 'it has been given back';
  }

  /** The session loses the arm to a new owner or to nobody. What the session drives decelerates to a hold. */
  lose(loss: Loss): void {
    if (!this.#open) return;
    this.#open = false;
    this.#loss = loss;
    this.#doing.end('ended', loss.message);
    this.#brakeOwn();
    this.#wake({ reason: 'lost' });
    this.onLost(loss);
  }

  /** Releases the arm as it is: a running motion continues to its end. */
  end(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#doing.end(this.problem === null ? 'done' : 'failed', this.problem);
    this.#end(this);
  }

  /** Releases the arm at once; what this session drives decelerates to a hold. Resolves when the snapshot shows it. */
  async stop(): Promise<void> {
    if (!this.#open) return;
    const motion = this.motion;
    this.end();
    this.#wake({ reason: 'lost' });
    if (motion !== null) await this.#control.cancel(motion);
  }

  /** @throws {BridgeError} when the session no longer has the arm and so must not drive it */
  requireHeld(): void {
    const { lost } = this;
    if (lost === null) return;
    this.arm.requireDrivable();
    const code = this.#loss?.reason === 'unattended' ? 'unattended' : 'owned';
    throw new BridgeError(code, `Arm ${this.arm.name} was lost before it could be driven: ${lost}.`, {
      arm: this.arm,
    });
  }

  /** Restarts the time limit. @param timeLimit new limit, s; left out: the same */
  renew(timeLimit = this.#timeLimit): void {
    this.#timeLimit = timeLimit;
    this.#deadline = this.arm.clock.now() + timeLimit;
  }

  /**
   * Switches torque on at the arm's present pose; resolves when its servos confirm it.
   * @returns null, or why the session ended meanwhile @throws {BridgeError} when the servos do not confirm
   */
  async torqueOn(): Promise<string | null> {
    const { arm } = this;
    if (!arm.remote && !arm.read().holding && this.#over() === null) {
      const { headsFor } = this;
      this.headsFor = 'torque';
      try {
        await this.#control.command({ kind: 'torque', on: true, epoch: this.epoch, joints: this.joints });
      } catch (error) {
        this.problem = messageOf(error);
        if (this.lost === null) throw error;
        arm.requireDrivable();
      } finally {
        this.headsFor = headsFor;
      }
      await confirmTorque(arm, () => this.lost !== null || arm.read().holding, 'on', 'Check their power supply.');
    }
    return this.#over();
  }

  /**
   * Switches torque off; the arm is limp afterwards.
   * @throws {BridgeError} when the session is over, or the servos do not confirm
   */
  async torqueOff(): Promise<void> {
    this.requireHeld();
    await releaseTorque(this.arm, this.#control, this.epoch);
  }

  /**
   * Starts a source that drives the arm; torque must be on. Resolves when the snapshot shows it.
   * @throws {BridgeError} when it is refused, or the session is over
   */
  async begin(source: SourceSpec): Promise<RunningMotion> {
    this.requireHeld();
    try {
      return await this.#drive(source);
    } catch (error) {
      this.problem = messageOf(error);
      throw error;
    } finally {
      this.requireHeld();
    }
  }

  /**
   * Drives the arm with a source until its end.
   * @returns null when the source reached its end or must make way, else why it did not @throws {BridgeError}
   */
  async drive(source: SourceSpec, { onBegun = () => {}, instead }: DriveOptions = {}): Promise<string | null> {
    this.arrived = false;
    this.straggled = false;
    const before = this.#over();
    if (before !== null) return before;
    try {
      const { motion, ended } = await this.#drive(source);
      onBegun();
      const end = await this.#wait(ended, instead);
      const problem = end.reason === 'instead' ? this.lost : await this.#problem(motion, end);
      this.arrived = problem === null && end.reason === 'done';
      this.straggled = end.reason === 'not_following';
      this.problem = problem;
      return problem;
    } catch (error) {
      // Stopped or disconnected before the command reached the control loop: report the movement so far.
      this.problem = messageOf(error);
      const meanwhile = this.lost;
      if (meanwhile !== null) return meanwhile;
      throw error;
    }
  }

  /**
   * Appends poses to the motion begun last. A motion at its last pose waits for more.
   * @throws {BridgeError} when the motion is over, or the poses cannot be driven
   */
  async extend(more: { times: Float64Array; positions: Float64Array; last: boolean }): Promise<void> {
    this.requireHeld();
    await this.#control.extend({ kind: 'extend', motion: this.motion!, ...more });
  }

  /** Sends the next chunk of the motion begun last, which follows chunks. @throws {BridgeError} when it is over */
  async chunk(path: ChunkPath): Promise<void> {
    this.requireHeld();
    await this.#control.chunk(this.motion!, path);
  }

  /** Decelerates whatever drives its joints and waits for standstill. @returns null, or why the session ended */
  async brake(): Promise<string | null> {
    await this.#control.cancel(this.joints);
    await this.arm.standing(this.joints);
    return this.#over();
  }

  /** Holds the arm for `duration` (s). @returns null, or why the session ended */
  async wait(duration: number): Promise<string | null> {
    const deadline = this.arm.clock.now() + duration;
    if (this.#over() === null && duration > 0) {
      const { reason } = await this.#wait(new Promise(() => {}), undefined, Math.min(deadline, this.#deadline));
      if (reason === 'client_gone') return this.#goneBy;
      if (reason === 'time_limit' && this.#deadline < deadline) return `time limit of ${this.#timeLimit} s`;
    }
    return this.#over();
  }

  /** Waits until its joints rest, the time limit passes or the arm is lost; resolves with the newest snapshot. */
  async settle({ band, window, limit }: Settling = SETTLED): Promise<ArmSnapshot> {
    const { arm } = this;
    const deadline = arm.clock.now() + limit;
    const drives = (i: number): boolean => meet(arm.groupOf(i), this.joints);
    const anchor = arm.read().positions.slice();
    let since = arm.read().sampleInstant;
    while (arm.clock.now() < deadline && this.lost === null) {
      await arm.nextCycle();
      const { positions, sampleInstant } = arm.read();
      const left = positions.some((angle, i) => drives(i) && Math.abs(angle - anchor[i]!) > band);
      if (left) {
        anchor.set(positions);
        since = sampleInstant;
      } else if (sampleInstant - since >= window) {
        break;
      }
    }
    return arm.read();
  }

  #drive(source: SourceSpec): Promise<RunningMotion> {
    if (source.kind === 'float' && source.fade > 0) this.headsFor = 'limp';
    const command = { source, joints: this.joints, epoch: this.epoch, lowering: this.lowers };
    return this.#control.drive(command, (motion) => {
      this.motion = motion;
      // The session ended while the command was under way.
      if (!this.#open) this.#brakeOwn();
    });
  }

  /** Brakes this session's own motion: a new owner may not have driven the arm yet. If it has, this has no effect. */
  #brakeOwn(): void {
    if (this.motion !== null) this.#control.cancel(this.motion).catch(() => {});
  }

  /** Why the client no longer wants its motions, human-readable: the abort reason, or that the client has gone. */
  get #goneBy(): string {
    const reason: unknown = this.#signal?.reason;
    return reason instanceof Cancelled ? reason.message : 'the client has gone';
  }

  #over(): string | null {
    return this.lost ?? (this.#signal?.aborted ? this.#goneBy : null);
  }

  /** Waits for the end of a motion, or for an earlier reason to stop waiting. */
  async #wait(
    ended: Promise<MotionEnd>,
    instead: Promise<void> | undefined,
    deadline = this.#deadline,
  ): Promise<WaitEnd> {
    const { clock } = this.arm;
    let timer: Timer | undefined;
    let onAbort: () => void = () => {};
    // Do not race a promise that outlives this wait: it would retain every wait of a long session.
    const end = await new Promise<WaitEnd>((resolve) => {
      if (Number.isFinite(deadline)) {
        timer = clock.after(Math.max(0, deadline - clock.now()), () => resolve({ reason: 'time_limit' }));
      }
      onAbort = () => resolve({ reason: 'client_gone' });
      this.#wake = resolve;
      this.#signal?.addEventListener('abort', onAbort, { once: true });
      void ended.then(resolve);
      void instead?.then(() => resolve({ reason: 'instead' }));
      if (this.#signal?.aborted) onAbort();
      if (this.lost !== null) resolve({ reason: 'lost' });
    });
    timer?.cancel();
    this.#signal?.removeEventListener('abort', onAbort);
    this.#wake = () => {};
    return end;
  }

  /** The problem with the motion that a wait's end means, human-readable; null when the motion reached its end. */
  async #problem(motion: number, { reason, text = '' }: WaitEnd): Promise<string | null> {
    if (reason === 'client_gone' || reason === 'time_limit') await this.#control.cancel(motion);
    // The reason why the arm is stopped or disconnected arrives right after the end of its motion. A control thread that has
    // failed may not be back soon.
    if (reason === 'stopped' || reason === 'disconnected') await this.arm.nextCycle().catch(() => {});
    const { lost } = this;
    if (lost !== null) return lost;
    switch (reason) {
      case 'done':
        return null;
      case 'client_gone':
        return `${this.#goneBy}; the arm holds where it is`;
      case 'time_limit':
        return `time limit of ${this.#timeLimit} s`;
      default:
        return text === '' ? `ended by the control loop (${reason})` : text;
    }
  }
}

/** Switches torque off and waits until the servos confirm it. @throws {BridgeError} when they do not */
export async function releaseTorque(arm: Arm, control: ArmControl, epoch: number): Promise<void> {
  if (arm.remote) return;
  await control.command({ kind: 'torque', on: false, epoch, joints: 'all' });
  await confirmTorque(arm, () => !arm.read().torque, 'off', 'Hold the arm and switch its power off.');
}

async function confirmTorque(arm: Arm, done: () => boolean, what: 'on' | 'off', remedy: string): Promise<void> {
  const deadline = arm.clock.now() + TORQUE_TIMEOUT;
  while (!done()) {
    if (what === 'on') arm.requireDrivable();
    if (arm.clock.now() > deadline) {
      throw new BridgeError(
        'unavailable',
        `The servos of arm ${arm.name} have not switched torque ${what} within ${TORQUE_TIMEOUT} s. ${remedy}`,
        { arm },
      );
    }
    await arm.nextCycle();
  }
}
