import { type Arm, type Arms, BridgeError, type Caller } from '../../arm/types.ts';
import type { Clock } from '../../clock.ts';
import type { JogService, JogVelocity } from '../../motion/jog-service.ts';
import { inWords } from '../errors.ts';
import type { JogMessage } from './protocol.ts';

/** A jogged arm decelerates to a hold when the next message does not come within this time, s. */
export const DEAD_MAN = 0.2;
/** So long after its last message a client keeps others from jogging the same arm, s. */
const TURN = 0.5;

interface Turn {
  readonly client: object;
  readonly caller: Caller;
  last: number;
}

/** Jogging by hand over live connections: one client an arm at a time, and none goes on without its client. */
export class JogSessions {
  readonly #arms: Arms;
  readonly #jogging: JogService;
  readonly #clock: Clock;
  readonly #turns = new Map<Arm, Turn>();

  constructor(arms: Arms, jogging: JogService, clock: Clock) {
    this.#arms = arms;
    this.#jogging = jogging;
    this.#clock = clock;
  }

  /**
   * A message of a client: the arm moves at these speeds for at most {@link DEAD_MAN} s.
   * @returns why it does not, for people; null when it does
   */
  take(client: object, message: JogMessage, caller: Caller): string | null {
    const arm = this.#arms.all.find(({ id }) => id === message.arm);
    if (arm === undefined) {
      return `Robot ID ${message.arm} is unknown. Known ids: ${this.#arms.all.map(({ id }) => id).join(', ')}.`;
    }
    const velocity = velocityOf(arm, message);
    if (typeof velocity === 'string') return velocity;
    const turn = this.#turns.get(arm);
    const now = this.#clock.now();
    if (turn !== undefined && turn.client !== client && now - turn.last < TURN) {
      return `arm ${arm.name} is jogged by another client`;
    }
    try {
      const refused = this.#jogging.feed(arm, velocity, caller, DEAD_MAN);
      if (refused !== null) return inWords(refused);
    } catch (error) {
      if (error instanceof BridgeError) return inWords(error);
      throw error;
    }
    this.#turns.set(arm, { client, caller, last: now });
    return null;
  }

  /** The client has gone: what it jogs decelerates and holds. */
  leave(client: object): void {
    for (const [arm, turn] of this.#turns) {
      if (turn.client !== client) continue;
      this.#turns.delete(arm);
      // An arm that does not answer any more holds by itself: the control loop has not been fed for long enough.
      this.#jogging.stop(arm, turn.caller).catch(() => {});
    }
  }
}

/** Speeds that a message asks for, or what is wrong with it. */
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
    if (index < 0) return `arm ${arm.name} has no joint "${name}", only ${names.join(', ')}`;
    velocities[index] = speed;
  }
  return { kind: 'joints', velocities };
}
