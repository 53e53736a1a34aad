import type { Logger } from 'pino';
import { decodeJointState, type JointState } from './cdr.ts';
import { messageOf } from './rclnodejs.ts';
import { RefusalLog } from './refusals.ts';

/** After this silence the order of stamps begins anew, s: the time after which an arm holds for want of setpoints. */
const ORDER_MEMORY = 0.1;

/** Why a message is refused: `kind` groups equal faults for the log. */
export interface Refusal {
  readonly kind: string;
  readonly text: string;
}

/** The entrance for JointState messages of one topic: decodes, keeps their order, logs refusals. */
export class JointInput {
  readonly #accept: (message: JointState) => Refusal | null;
  readonly #refusals: RefusalLog;
  #stamp = 0;
  #arrival = Number.NEGATIVE_INFINITY;

  /**
   * @param topic for the log
   * @param accept uses a message, or says why not; keeps nothing of it
   */
  constructor(topic: string, log: Logger, accept: (message: JointState) => Refusal | null) {
    this.#refusals = new RefusalLog(log, `Message on ${topic} refused`);
    this.#accept = accept;
  }

  /** @param bytes CDR of a sensor_msgs/msg/JointState @param now monotonic time of arrival, s */
  receive(bytes: Uint8Array, now: number): void {
    try {
      const message = decodeJointState(bytes);
      const refusal = this.#outOfOrder(message.stamp, now) ?? this.#accept(message);
      if (refusal !== null) this.#refusals.refuse(refusal.kind, () => refusal.text, now);
    } catch (error) {
      this.#refusals.refuse('fault', () => messageOf(error), now);
    }
  }

  /** Stamps tell the order, not the age: clocks of two machines differ. Messages without a stamp come as they come. */
  #outOfOrder(stamp: number, now: number): Refusal | null {
    if (stamp === 0) return null;
    const fresh = now - this.#arrival > ORDER_MEMORY;
    if (!fresh && stamp <= this.#stamp) {
      return { kind: 'order', text: 'its stamp is not later than that of the message before' };
    }
    this.#stamp = stamp;
    this.#arrival = now;
    return null;
  }
}

/**
 * @param what the values are, for people
 * @returns the fault of a list of joint names with one value each, or null
 */
export function jointValuesFault(
  names: readonly string[],
  values: Float64Array,
  known: ReadonlyMap<string, number>,
  what: 'positions' | 'velocities' = 'positions',
): Refusal | null {
  if (names.length === 0) return { kind: 'empty', text: 'it names no joint' };
  if (values.length !== names.length) {
    return { kind: 'length', text: `it has ${names.length} names but ${values.length} ${what}` };
  }
  for (let index = 0; index < names.length; index++) {
    const name = names[index]!;
    if (!known.has(name)) {
      return {
        kind: 'unknown',
        text: `the arm has no joint ${JSON.stringify(name)}; it has ${[...known.keys()].join(', ')}`,
      };
    }
    if (names.indexOf(name) !== index) return { kind: 'twice', text: `it names the joint ${name} twice` };
    if (!Number.isFinite(values[index]!))
      return {
        kind: 'finite',
        text: `the ${what === 'positions' ? 'position' : 'velocity'} of ${name} is ${values[index]}`,
      };
  }
  return null;
}
