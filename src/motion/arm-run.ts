import type { ArmHandle, Claim } from '../arm/handle.ts';
import type { ArmSnapshot, Caller } from '../arm/types.ts';
import type { Timer } from '../clock.ts';
import type { EndReason } from '../rt/joint/arm-controller.ts';
import type { SourceSpec } from '../rt/messages.ts';

/** The arm has settled when no joint has left this band for `SETTLE_WINDOW`, rad (one servo step and a half). */
const SETTLE_BAND = 0.0024;
const SETTLE_WINDOW = 0.08;
/** An arm that swings longer is measured as it is, s. */
const SETTLE_LIMIT = 1.5;
/** Longest wait for an arm to brake, s. */
const BRAKING_LIMIT = 0.4;

/** Why a motion is waited for no longer. */
type WaitEnd = EndReason | 'client_gone' | 'time_limit' | 'lost' | 'instead';

/** One claim on an arm, and the motions that are made under it one after the other until it is given back. */
export class ArmRun {
  readonly handle: ArmHandle;
  /** Number of the motion that was begun last; null before the first. */
  motion: number | null = null;
  /** That motion has come to its end. */
  arrived = false;
  readonly #claim: Claim;
  /** Called when the arm is lost; ends the wait for a motion, if there is one. */
  #onLost: () => void = () => {};
  readonly #signal: AbortSignal | undefined;
  readonly #timeLimit: number;
  #deadline: number;

  /**
   * @param timeLimit s; a motion that has not ended by then decelerates to a hold
   * @throws {BridgeError} disconnected, stopped, owned
   */
  constructor(handle: ArmHandle, caller: Caller, timeLimit: number) {
    this.handle = handle;
    this.#claim = handle.claim(caller, () => this.#onLost());
    this.#signal = caller.signal;
    this.#timeLimit = timeLimit;
    this.#deadline = handle.clock.now() + timeLimit;
  }

  /** Why the arm is lost, for people; null while it is not. */
  get lostBecause(): string | null {
    return this.#claim.lostBecause();
  }

  /** Gives the arm back. */
  end(): void {
    this.handle.release(this.#claim);
  }

  /** The time limit counts from now on again. */
  renew(): void {
    this.#deadline = this.handle.clock.now() + this.#timeLimit;
  }

  /**
   * Lets a source drive the arm until its end.
   * @param onBegun called when the control loop has taken the source up
   * @param instead resolves when another source is to take the place of this one, which goes on until then
   * @returns null when it has come to its end or is to make way, else why it has not
   */
  async drive(
    source: SourceSpec,
    onBegun: () => void = () => {},
    instead: Promise<void> | null = null,
  ): Promise<string | null> {
    this.arrived = false;
    const before = this.#over();
    if (before !== null) return before;
    try {
      const { motion, ended } = await this.handle.drive(source);
      this.motion = motion;
      onBegun();
      const reason = await this.#wait(ended, instead);
      const problem = reason === 'instead' ? this.lostBecause : await this.#problem(motion, reason);
      this.arrived = problem === null && reason === 'done';
      return problem;
    } catch (error) {
      // Stopped or disconnected on the way to the control loop: what has been moved so far is to be told.
      const meanwhile = this.lostBecause;
      if (meanwhile !== null) return meanwhile;
      throw error;
    }
  }

  /** Decelerates whatever drives the arm and waits until it stands. @returns null, or why the run is over meanwhile */
  async brake(): Promise<string | null> {
    await this.handle.cancel(this.handle.read().motion);
    await standing(this.handle);
    return this.#over();
  }

  /** Waits until the joints rest, or long enough, or the arm is lost; resolves with the newest snapshot. */
  async settle(): Promise<ArmSnapshot> {
    const { handle } = this;
    const limit = handle.clock.now() + SETTLE_LIMIT;
    const anchor = handle.read().positions.slice();
    let since = handle.read().sampleInstant;
    while (handle.clock.now() < limit && this.lostBecause === null) {
      await handle.nextCycle();
      const { positions, sampleInstant } = handle.read();
      const left = positions.some((angle, i) => Math.abs(angle - anchor[i]!) > SETTLE_BAND);
      if (left) {
        anchor.set(positions);
        since = sampleInstant;
      } else if (sampleInstant - since >= SETTLE_WINDOW) {
        break;
      }
    }
    return handle.read();
  }

  #over(): string | null {
    return this.lostBecause ?? (this.#signal?.aborted ? 'the client has gone' : null);
  }

  /** Waits for the end of a motion, or for what ends the wait before it. */
  async #wait(ended: Promise<EndReason>, instead: Promise<void> | null): Promise<WaitEnd> {
    const { clock } = this.handle;
    let onAbort: () => void = () => {};
    // No promise that outlives this wait is raced: it would keep every wait of a long run.
    let timer: Timer | undefined;
    const reason = await new Promise<WaitEnd>((resolve) => {
      timer = clock.after(Math.max(0, this.#deadline - clock.now()), () => resolve('time_limit'));
      onAbort = () => resolve('client_gone');
      this.#onLost = () => resolve('lost');
      this.#signal?.addEventListener('abort', onAbort, { once: true });
      void ended.then(resolve);
      void instead?.then(() => resolve('instead'));
      if (this.#signal?.aborted) onAbort();
      if (this.lostBecause !== null) resolve('lost');
    });
    timer?.cancel();
    this.#signal?.removeEventListener('abort', onAbort);
    this.#onLost = () => {};
    return reason;
  }

  /** What the end of a wait means for the motion, for people; null when it has come to its end. */
  async #problem(motion: number, reason: WaitEnd): Promise<string | null> {
    const { handle } = this;
    if (reason === 'client_gone' || reason === 'time_limit') await handle.cancel(motion);
    // Whoever has the arm need not have driven it yet; once he has, this cancels nothing.
    if (reason === 'lost') handle.cancel(motion).catch(() => {});
    const lost = this.lostBecause;
    if (lost !== null) return lost;
    switch (reason) {
      case 'done':
        return null;
      case 'client_gone':
        return 'the client has gone; the arm holds where it is';
      case 'time_limit':
        return `time limit of ${this.#timeLimit} s`;
      case 'silent':
        return 'its servos have not answered for a while; the arm holds';
      default:
        return `ended by the control loop (${reason})`;
    }
  }
}

/** Waits until the goals of an arm that decelerates stand still. */
export async function standing(handle: ArmHandle): Promise<void> {
  const limit = handle.clock.now() + BRAKING_LIMIT;
  for (let last = handle.read().goals.slice(); handle.clock.now() < limit; last = handle.read().goals.slice()) {
    await handle.nextCycle();
    if (handle.read().goals.every((goal, i) => goal === last[i])) return;
  }
}
