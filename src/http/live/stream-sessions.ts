import { type Arm, type Arms, BridgeError, type Caller } from '../../arm/types.ts';
import type { Clock } from '../../clock.ts';
import type { StreamService } from '../../mirror/stream-service.ts';
import type { JogService, JogVelocity } from '../../motion/jog-service.ts';
import { inWords } from '../errors.ts';
import type { JogMessage, JointsMessage } from './protocol.ts';

/** A jogged or streamed arm decelerates to a hold if no message comes within this time, s. */
export const DEAD_MAN = 0.2;
/** A client has an arm exclusively for this long after its last message, s. */
const TURN = 0.5;
/** How goals are followed: a goal that jumps, as after a program restart, is approached slowly. */
const FOLLOWED = { timeout: DEAD_MAN, reapproach: true } as const;

interface Turn {
  readonly client: object;
  readonly caller: Caller;
  /** Service that drives the arm for this client. */
  readonly by: JogService | StreamService;
  last: number;
}

/**
 * Arms driven by messages of live connections. One client at a time drives an arm; when it leaves, the arm decelerates
 * and holds.
 */
export class StreamSessions {
  readonly #arms: Arms;
  readonly #jogging: JogService;
  readonly #goals: StreamService;
  readonly #clock: Clock;
  readonly #turns = new Map<Arm, Turn>();

  constructor(arms: Arms, jogging: JogService, goals: StreamService, clock: Clock) {
    this.#arms = arms;
    this.#jogging = jogging;
    this.#goals = goals;
    this.#clock = clock;
  }

  /**
   * Carries out a message: the arm moves at these speeds, or towards these goals, for at most {@link DEAD_MAN} s.
   * @returns human-readable reason for a refusal; null if it moves
   */
  take(client: object, message: JogMessage | JointsMessage, caller: Caller): string | null {
    const arm = this.#arms.all.find(({ id }) => id === message.arm);
    if (arm === undefined) {
      return `Robot ID ${message.arm} is unknown. Known ids: ${this.#arms.all.map(({ id }) => id).join(', ')}.`;
    }
    const turn = this.#turns.get(arm);
    const now = this.#clock.now();
    const by = message.type === 'jog' ? this.#jogging : this.#goals;
    if (turn !== undefined && turn.client !== client && now - turn.last < TURN) {
      by.refuse(arm, caller);
      return `arm ${arm.name} is driven by another client`;
    }
    try {
      const refused = message.type === 'jog' ? this.#jog(arm, message, caller) : this.#follow(arm, message, caller);
      if (refused !== null) return typeof refused === 'string' ? refused : inWords(refused);
    } catch (error) {
      if (error instanceof BridgeError) return inWords(error);
      throw error;
    }
    // A stick at rest drives nothing.
    if (message.type === 'joints' || this.#jogging.drives(arm, caller))
      this.#turns.set(arm, { client, caller, by, last: now });
    return null;
  }

  /** The client has gone: its arms decelerate and hold. */
  leave(client: object): void {
    for (const [arm, turn] of this.#turns) {
      if (turn.client !== client) continue;
      this.#turns.delete(arm);
      // A failed stop may be ignored: without new messages the control loop makes the arm hold by itself.
      turn.by.stop(arm, turn.caller).catch(() => {});
    }
  }

  #jog(arm: Arm, message: JogMessage, caller: Caller): BridgeError | string | null {
    const velocity = velocityOf(arm, message);
    return typeof velocity === 'string' ? velocity : this.#jogging.feed(arm, velocity, caller, DEAD_MAN);
  }

  #follow(arm: Arm, { positions }: JointsMessage, caller: Caller): BridgeError | string | null {
    const names = Object.keys(positions);
    if (names.length === 0) return '"positions" names no joint';
    const goals = new Float64Array(names.length);
    for (const [i, name] of names.entries()) {
      const joint = arm.model.joints.find((known) => known.name === name);
      if (joint === undefined) return noJoint(arm, name);
      // Clamped: a goal beyond a limit would have to travel all the way back before the joint moves.
      goals[i] = Math.min(Math.max(positions[name]!, joint.lower), joint.upper);
    }
    return this.#goals.command(arm, names, goals, caller, FOLLOWED);
  }
}

function noJoint({ name, model }: Arm, unknown: string): string {
  return `arm ${name} has no joint "${unknown}", only ${model.joints.map((joint) => joint.name).join(', ')}`;
}

/** Speeds of a message, or a human-readable fault. */
function velocityOf(arm: Arm, { joints, twist }: JogMessage): JogVelocity | string {
  if ((joints === undefined) === (twist === undefined)) return 'a jog has either "joints" or a "twist"';
  if (twist !== undefined) {
    const { linear, angular, frame } = twist;
    return { kind: 'twist', twist: Float64Array.of(...linear, ...angular), frame };
  }
  const names = arm.model.joints.map(({ name }) => name);
  const velocities = new Float64Array(names.length);
  for (const [name, speed] of Object.entries(joints!)) {
    const index = names.indexOf(name);
    if (index < 0) return noJoint(arm, name);
    velocities[index] = speed;
  }
  return { kind: 'joints', velocities };
}
