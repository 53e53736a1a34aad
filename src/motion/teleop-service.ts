import type { Arm } from '../arm/arm.ts';
import type { ControlClient } from '../arm/control-client.ts';
import { InputStreams } from '../arm/input-streams.ts';
import { BridgeError, type Caller } from '../arm/types.ts';
import type { Clock } from '../clock.ts';
import { rotationFromQuaternion } from '../kinematics/frames.ts';
import { asked } from './goals.ts';
import type { Planners } from './planners.ts';
import { type Hand, ToolLead } from './tool-lead.ts';

/** A led arm decelerates to a hold when the next message does not come within this time, s. */
export const DEAD_MAN = 0.2;
/** A hand has exclusive use of its arm for this long after its last message, s. */
const TURN = 0.5;
/** A message this much slower than the fastest one is stale, s. */
const STALE = 0.2;
/** How much the clocks of sender and bridge may drift apart, s/s. */
const DRIFT = 0.001;
/** After this time without an accepted message, a sender's clock is learned anew, s. */
const CLOCK_MEMORY = 2;

/** A message of a hand that leads an arm. */
export interface HandMessage {
  readonly hand: Hand;
  /** Gripper: 0 closed to 1 open. */
  readonly open: number;
  /** Send time, s by the sender's clock; null when not given. */
  readonly timestamp: number | null;
}

/** The hand that leads an arm. */
interface Leading {
  readonly sender: unknown;
  readonly caller: Caller;
  /** Of the last accepted message: arrival and send time, s. */
  arrived: number;
  sent: number | null;
  /** Least difference of arrival and send time by the two clocks, s. */
  lag: number;
}

/** Leads tools by hands whose movements arrive as a stream of messages. */
export class TeleopService {
  /** Tool movement per hand movement. When it changes, a leading hand latches again. */
  scaling = 1;
  readonly #planners: Planners;
  /** Created when an arm is led for the first time. */
  readonly #leads = new Map<Arm, ToolLead>();
  readonly #control: ControlClient;
  readonly #clock: Clock;
  readonly #inputs: InputStreams;
  readonly #leading = new Map<Arm, Leading>();

  /** @param planners of all arms */
  constructor(planners: Planners, control: ControlClient, clock: Clock) {
    this.#planners = planners;
    this.#control = control;
    this.#clock = clock;
    this.#inputs = new InputStreams(clock);
  }

  /**
   * Handles a message of a stream. The first one, and the first after a pause, latches: from then on the tool moves
   * relative to its present pose as the hand does relative to its own. The first message takes the arm, which must be
   * free and ready (or taken over). After a pause the arm decelerates to a hold; after 0.5 s it is released.
   * @param sender identifies the hand; only one hand at a time leads an arm
   * @returns null when the arm follows, else why it does not, or not all the way
   * @throws {BridgeError} disconnected, stopped, owned; unsupported for an arm whose torque is off
   */
  feed(arm: Arm, sender: unknown, message: HandMessage, caller: Caller): string | null {
    const lead = this.#leadOf(arm);
    const now = this.#clock.now();
    const before = this.#leading.get(arm);
    if (before !== undefined && before.sender !== sender && now - before.arrived < TURN) {
      this.#inputs.refuse(arm, caller.owner.key);
      return `arm ${arm.name} is led by another hand`;
    }
    const same = before?.sender === sender ? before : undefined;
    const late = same === undefined ? null : lateness(same, message.timestamp, now);
    if (late !== null) return late;
    const running = this.#inputs.drives(arm, caller.owner.key);
    try {
      if (!running) requireFree(arm, caller);
    } catch (error) {
      this.#inputs.refuse(arm, caller.owner.key);
      throw error;
    }
    const group = this.#inputs.take(arm, { kind: 'stream', timeout: DEAD_MAN }, caller);
    if (group instanceof BridgeError) throw group;
    const { gripper } = arm.model;
    const engaged = running && same !== undefined && now - same.arrived <= DEAD_MAN && lead.scaling === this.scaling;
    if (!engaged) lead.latch(message.hand, asked(arm), this.scaling);
    this.#note(arm, sender, same, message.timestamp, caller, now);
    const position = gripper === null ? 0 : gripper.closed + message.open * (gripper.open - gripper.closed);
    const problem = lead.follow(message.hand, asked(arm), gripper === null ? null : { index: gripper.index, position });
    // Sent even when the arm does not follow: the hand is present, and the arm holds its last goal.
    this.#control.sample({ kind: 'setpoints', arm: arm.index, group, positions: lead.goal.slice() });
    return problem === null ? null : `arm ${arm.name} does not follow: ${problem}`;
  }

  /** The sender has gone: the arm that it leads decelerates and holds. */
  leave(sender: unknown): void {
    for (const [arm, leading] of this.#leading) {
      if (leading.sender !== sender) continue;
      this.#leading.delete(arm);
      // An arm that no longer answers holds by itself, because the control loop gets no more messages.
      this.#inputs.stop(arm, leading.caller.owner.key).catch(() => {});
    }
  }

  /** Accepts no further messages. */
  close(): void {
    this.#inputs.close();
  }

  #leadOf(arm: Arm): ToolLead {
    let lead = this.#leads.get(arm);
    if (lead === undefined) {
      const planning = this.#planners.of(arm);
      const zero = rotationFromQuaternion(planning.zero.orientation);
      lead = new ToolLead({ chain: arm.chain, zero, touches: (from, to) => planning.touchesNow(from, to) });
      this.#leads.set(arm, lead);
    }
    return lead;
  }

  #note(
    arm: Arm,
    sender: unknown,
    same: Leading | undefined,
    sent: number | null,
    caller: Caller,
    arrived: number,
  ): void {
    const known = same !== undefined && sent !== null && arrived - same.arrived <= CLOCK_MEMORY;
    const way = sent === null ? 0 : arrived - sent;
    const lag = known && same.sent !== null ? Math.min(way, same.lag + DRIFT * (arrived - same.arrived)) : way;
    this.#leading.set(arm, { sender, caller, arrived, sent, lag });
  }
}

/** Why a message is too late, judged by its send time; null when it is not. */
function lateness({ sent, lag, arrived }: Leading, timestamp: number | null, now: number): string | null {
  if (timestamp === null || sent === null || now - arrived > CLOCK_MEMORY) return null;
  if (timestamp <= sent) return 'the message is dropped: one that was sent later has come before it';
  return now - timestamp > lag + STALE ? 'the message is dropped: it has been under way for too long' : null;
}

/** @throws {BridgeError} disconnected, stopped, owned */
function requireFree(arm: Arm, caller: Caller): void {
  arm.requireDrivable();
  const refused = arm.refusalFor(caller);
  if (refused !== null) throw refused;
}
