import type { Clock, Timer } from '../clock.ts';
import { type Group, includes, type Joints } from '../rt/joint/joint-groups.ts';
import type { SourceSpec } from '../rt/messages.ts';
import type { Arm } from './arm.ts';
import type { ArmSession } from './arm-session.ts';
import { BridgeError, type Caller } from './types.ts';

/**
 * A stream of messages owns its arm until this long after its last message, s. A stream that lost its arm, or did not
 * get it, must be silent for as long before it can take the arm.
 */
const SILENCE = 0.5;
/** A stream that has been silent for this long is a new one, s. */
const FORGOTTEN = 10;

/** One stream of messages for one arm. */
interface Stream {
  /** When its last message came, accepted or not, monotonic, s. */
  heard: number;
  session: ArmSession | null;
}

/**
 * Arms driven by streams of messages: the first message after a silence takes a ready arm, further messages keep it,
 * silence releases it. A stream that continues across a stop, a reset, a disconnection, the loss of its arm or a restart of
 * the bridge does not take the arm again by itself, because nobody asked for that.
 */
export class InputStreams {
  readonly #clock: Clock;
  readonly #streams = new Map<Arm, Map<string, Stream>>();
  readonly #timer: Pick<Timer, 'cancel'>;
  #open = true;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#timer = clock.every(SILENCE / 5, () => this.#expire(), true);
  }

  /**
   * Handles a message: it keeps the arm, or takes it if it is free and ready, and lets `source` drive it.
   * @param joints that the message addresses: a stream drives only these until a message addresses others too
   * @returns why the message is refused, or the joint group whose input receives it
   */
  take(arm: Arm, source: SourceSpec, caller: Caller, joints: Joints = 'all'): BridgeError | Group {
    if (!this.#open) return new BridgeError('unavailable', 'the bridge is ending', { arm });
    const now = this.#clock.now();
    const streams = this.#streams.get(arm) ?? new Map<string, Stream>();
    this.#streams.set(arm, streams);
    const before = streams.get(caller.owner.key);
    const stream = before ?? { heard: arm.inherited ? now : Number.NEGATIVE_INFINITY, session: null };
    streams.set(caller.owner.key, stream);
    const heard = stream.heard;
    stream.heard = now;
    const { session } = stream;
    if (session !== null && includes(session.joints, joints)) return groupOf(session);
    const refused = refusalOf(arm, caller, joints) ?? (session === null ? pauseOf(arm, heard, now) : null);
    if (refused !== null) {
      arm.recordRefusal(caller, refused);
      return refused;
    }
    try {
      const next = arm.claim(caller, { joints: session === null ? joints : 'all' });
      this.#begin(stream, next, source);
      return groupOf(next);
    } catch (error) {
      if (error instanceof BridgeError) return error;
      throw error;
    }
  }

  /**
   * Handles a message that asks for no motion: it keeps the arm if its stream drives it.
   * @returns the joint group whose input receives it; null when the stream does not drive the arm
   */
  keep(arm: Arm, ownerKey: string): Group | null {
    const stream = this.#streams.get(arm)?.get(ownerKey);
    if (stream === undefined || stream.session === null) return null;
    stream.heard = this.#clock.now();
    return groupOf(stream.session);
  }

  /** A message has been refused without being handled: its stream must be silent before it can take the arm. */
  refuse(arm: Arm, ownerKey: string): void {
    const streams = this.#streams.get(arm) ?? new Map<string, Stream>();
    this.#streams.set(arm, streams);
    const session = streams.get(ownerKey)?.session ?? null;
    if (session === null) streams.set(ownerKey, { heard: this.#clock.now(), session });
  }

  /** Whether this owner's messages drive the arm now. */
  drives(arm: Arm, ownerKey: string): boolean {
    return (this.#streams.get(arm)?.get(ownerKey)?.session ?? null) !== null;
  }

  /** The owner ends its stream: the arm decelerates and holds, and the next message begins a new stream. */
  async stop(arm: Arm, ownerKey: string): Promise<void> {
    const session = this.#streams.get(arm)?.get(ownerKey)?.session;
    this.#streams.get(arm)?.delete(ownerKey);
    await session?.stop();
  }

  /** Accepts no further messages. */
  close(): void {
    this.#open = false;
    this.#timer.cancel();
  }

  #begin(stream: Stream, session: ArmSession, source: SourceSpec): void {
    const over = (): void => {
      if (stream.session === session) stream.session = null;
      session.end();
    };
    stream.session = session;
    session.onLost = over;
    session.begin(source).then(({ ended }) => void ended.then(over), over);
  }

  #expire(): void {
    const now = this.#clock.now();
    for (const [arm, streams] of this.#streams) {
      for (const [key, { heard, session }] of streams) {
        const silence = now - heard;
        if (silence > SILENCE && session !== null && session.motion !== null) session.stop().catch(() => {});
        if (silence > FORGOTTEN) streams.delete(key);
      }
      if (streams.size === 0) this.#streams.delete(arm);
    }
  }
}

/** Joint group whose input feeds a session's source. */
function groupOf({ joints }: ArmSession): Group {
  return joints === 'gripper' ? 'gripper' : 'arm';
}

/** Why a stream cannot take joints of the arm in its present state; null when it can. */
function refusalOf(arm: Arm, caller: Caller, joints: Joints): BridgeError | null {
  const { state, holding } = arm.read();
  const refused = arm.refusalFor(caller, joints);
  if (refused !== null) return refused;
  // An owner of the arm's other joints does not block these.
  const drivable = arm.owner === null ? state === 'ready' : holding && state !== 'stopped';
  if (drivable) return null;
  return new BridgeError('unsupported', `arm ${arm.name} is ${state}, not ready`, {
    arm,
    remedy: state === 'stopped' ? 'reset' : 'torque_on',
  });
}

/** Why a stream last heard at `heard` must fall silent first; null when it need not. */
function pauseOf(arm: Arm, heard: number, now: number): BridgeError | null {
  arm.followEpoch();
  const silent = now - Math.max(heard, arm.severed, now - heard < FORGOTTEN ? arm.interrupted : heard);
  if (silent >= SILENCE) return null;
  return new BridgeError(
    'unsupported',
    `arm ${arm.name} does not take up a stream that went on while it was stopped, released, limp, driven by somebody ` +
      `else or left holding by an earlier bridge: pause the stream for ${SILENCE} s first`,
    { arm },
  );
}
