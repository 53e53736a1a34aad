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
/** A hand keeps others from leading the same arm for this long after its last message, s. */
const TURN = 0.5;
/** A message that has been under way for longer than the quickest one, by this, is stale, s. */
const STALE = 0.2;
/** How much the clocks of sender and bridge may drift apart, s/s. */
const DRIFT = 0.001;
/** The clock of a sender is learnt anew after this time without a message that counts, s. */
const CLOCK_MEMORY = 2;

/** A message of a hand that leads an arm. */
export interface HandMessage {
  readonly hand: Hand;
  /** Gripper: 0 closed to 1 open. */
  readonly open: number;
  /** When it was sent, s by the sender's clock; null when it does not say. */
  readonly timestamp: number | null;
}

/** The hand that leads an arm. */
interface Leading {
  readonly sender: unknown;
  readonly caller: Caller;
  /** Of the last message that counted: when it came and when it was sent, s. */
  arrived: number;
  sent: number | null;
  /** Least time from sending to arrival by the two clocks, s. */
  lag: number;
}

/** Leads the tools of arms by hands whose movements come as a stream of messages. */
export class TeleopService {
  /** How far the tool moves for the way of a hand; a hand that leads is latched anew when it changes. */
  scaling = 1;
  readonly #planners: Planners;
  /** Made for each arm as it is led for the first time. */
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
   * A message of a stream. The first, and the first after a while without one, latches: the tool moves from where it is
   * as the hand does from where it is. The first takes the arm, which must be free and ready (or taken over); a
   * while without one makes the arm decelerate to a hold, 0.5 s without one gives it back.
   * @param sender tells the hands apart that may lead an arm; one of them at a time does
   * @returns null when the arm follows, else why it does not, or not all the way
   * @throws {BridgeError} disconnected, stopped, owned; unsupported for an arm whose torque is off
   */
  feed(arm: Arm, sender: unknown, message: HandMessage, caller: Caller): string | null {
    const lead = this.#leadOf(arm);
    const now = this.#clock.now();
    const before = this.#leading.get(arm);
    if (before !== undefined && before.sender !== sender && now - before.arrived < TURN) {
      return `arm ${arm.name} is led by another hand`;
    }
    const same = before?.sender === sender ? before : undefined;
    const late = same === undefined ? null : lateness(same, message.timestamp, now);
    if (late !== null) return late;
    const running = this.#inputs.drives(arm, caller.owner.key);
    if (!running) requireFree(arm, caller);
    const group = this.#inputs.take(arm, { kind: 'stream', timeout: DEAD_MAN }, caller);
    if (group instanceof BridgeError) throw group;
    const { gripper } = arm.model;
    const engaged = running && same !== undefined && now - same.arrived <= DEAD_MAN && lead.scaling === this.scaling;
    if (!engaged) lead.latch(message.hand, asked(arm), this.scaling);
    this.#note(arm, sender, same, message.timestamp, caller, now);
    const position = gripper === null ? 0 : gripper.closed + message.open * (gripper.open - gripper.closed);
    const problem = lead.follow(message.hand, asked(arm), gripper === null ? null : { index: gripper.index, position });
    // Also when it does not follow: the hand is there, and the arm holds its last goal for it.
    this.#control.sample({ kind: 'setpoints', arm: arm.index, group, positions: lead.goal.slice() });
    return problem === null ? null : `arm ${arm.name} does not follow: ${problem}`;
  }

  /** The sender has gone: what it leads decelerates and holds. */
  leave(sender: unknown): void {
    for (const [arm, leading] of this.#leading) {
      if (leading.sender !== sender) continue;
      this.#leading.delete(arm);
      // An arm that does not answer any more holds by itself: the control loop has not been fed for long enough.
      this.#inputs.stop(arm, leading.caller.owner.key).catch(() => {});
    }
  }

  /** Takes no further messages. */
  close(): void {
    this.#inputs.close();
  }

  #leadOf(arm: Arm): ToolLead {
    let lead = this.#leads.get(arm);
    if (lead === undefined) {
      const planning = this.#planners.of(arm);
      const zero = rotationFromQuaternion(planning.zero.orientation);
      lead = new ToolLead({ chain: arm.chain, zero, touches: (from, to) => planning.touches(from, to) });
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

/** Why a message comes too late to count, by its time of sending; null when it does not. */
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
