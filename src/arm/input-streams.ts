import type { Clock, Timer } from '../clock.ts';
import type { SourceSpec } from '../rt/messages.ts';
import type { ArmHandle, Claim } from './handle.ts';
import type { Caller } from './types.ts';

/** A stream of messages owns its arm until this long after its last message, s. */
const OWNERSHIP_TIME = 0.5;

interface Running {
  readonly claim: Claim;
  /** Null until the control loop has taken the source up. */
  motion: number | null;
  arrived: number;
}

/** Arms that streams of messages drive: the first message takes a ready arm, silence gives it back. */
export class InputStreams {
  readonly #running = new Map<ArmHandle, Running>();
  readonly #clock: Clock;
  readonly #timer: Pick<Timer, 'cancel'>;
  #open = true;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#timer = clock.every(OWNERSHIP_TIME / 5, () => this.#expire(), true);
  }

  /**
   * A message has come: it keeps the arm, or takes it when it is free and ready, and lets `source` drive it.
   * @returns why the message is refused, for people; null when the arm is its sender's
   */
  take(handle: ArmHandle, source: SourceSpec, caller: Caller): string | null {
    if (!this.#open) return 'the bridge is ending';
    const present = this.#running.get(handle);
    if (present !== undefined && present.claim.owner.key === caller.owner.key) {
      present.arrived = this.#clock.now();
      return null;
    }
    const { owner } = handle;
    const { state, holding } = handle.read();
    const mayTake = owner === null || owner.key === caller.owner.key || caller.takeOver;
    if (!mayTake) return `arm ${handle.name} is driven by ${owner.name}`;
    const driveable = owner === null ? state === 'ready' : holding && state !== 'stopped';
    if (!driveable) {
      return `arm ${handle.name} is ${state}, not ready: switch its torque on first, for example by /move/init`;
    }
    try {
      this.#begin(handle, source, caller);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    return null;
  }

  /** Whether this owner's messages drive the arm at this moment. */
  drives(handle: ArmHandle, ownerKey: string): boolean {
    return this.#running.get(handle)?.claim.owner.key === ownerKey;
  }

  /** Ends what an owner's messages drive: the arm decelerates and holds. */
  async stop(handle: ArmHandle, ownerKey: string): Promise<void> {
    const running = this.#running.get(handle);
    if (running === undefined || running.claim.owner.key !== ownerKey) return;
    this.#lost(handle, running);
    handle.release(running.claim);
  }

  /** Takes no further messages. */
  close(): void {
    this.#open = false;
    this.#timer.cancel();
  }

  #begin(handle: ArmHandle, source: SourceSpec, caller: Caller): void {
    const claim = handle.claim(caller, () => this.#lost(handle, running));
    const running: Running = { claim, motion: null, arrived: this.#clock.now() };
    this.#running.set(handle, running);
    handle.drive(source).then(
      ({ motion, ended }) => {
        running.motion = motion;
        if (this.#running.get(handle) !== running) this.#lost(handle, running);
        void ended.then(() => this.#end(handle, running));
      },
      () => this.#end(handle, running),
    );
  }

  /** The arm is somebody else's: what these messages still drive decelerates to a hold. */
  #lost(handle: ArmHandle, running: Running): void {
    if (this.#running.get(handle) === running) this.#running.delete(handle);
    if (running.motion !== null) handle.cancel(running.motion).catch(() => {});
  }

  #expire(): void {
    const before = this.#clock.now() - OWNERSHIP_TIME;
    for (const [handle, running] of this.#running) {
      if (running.arrived > before || running.motion === null) continue;
      handle.cancel(running.motion).catch(() => this.#end(handle, running));
    }
  }

  #end(handle: ArmHandle, running: Running): void {
    if (this.#running.get(handle) === running) this.#running.delete(handle);
    handle.release(running.claim);
  }
}
