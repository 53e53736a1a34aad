import type { Logger } from 'pino';
import type { JointModel } from '../arm/model.ts';
import type { Arm } from '../arm/types.ts';
import { messageOf } from '../message-of.ts';
import { JOG_SHARE } from '../motion/jog-service.ts';
import { bridgeOf } from './bridge-identity.ts';
import { decodeJointState, type JointState } from './cdr.ts';
import { RefusalLog } from './refusals.ts';

/** After this silence the order of stamps starts anew, s: the time after which an arm without setpoints holds. */
const ORDER_MEMORY = 0.1;
/** A message whose latency exceeds the previous one's by more than this is late, s. */
const LATE = 0.1;
/** Messages that stay late for at least this time use a different clock, s. A backlog arrives at once. */
const BACKLOG = 0.1;
/** Late messages further apart than this are unrelated, s. */
const LATE_MEMORY = 5;

/** Most bridges whose messages on one topic are told apart. A further one replaces all: their order starts anew. */
const MOST_BRIDGES = 16;

/** A position further beyond its joint's limit than this is reported, rad; less is rounding. */
const BEYOND = 0.01;

/** Singular of each list name. */
const SINGULAR = { positions: 'position', velocities: 'velocity', efforts: 'effort' } as const;

/** Entry point for JointState messages of one topic: decodes them, checks their order, logs refusals. */
export class JointInput {
  readonly #accept: (message: JointState) => string | null;
  readonly #refusals: RefusalLog;
  /**
   * By bridge, since the clocks of two machines differ: the messages of one that is refused must not make those of another
   * look old. All other programs are one.
   */
  readonly #orders = new Map<string, Order>();

  /**
   * @param topic for the log
   * @param accept uses a message, or returns why not, human-readable; keeps no reference to it
   */
  constructor(topic: string, log: Logger, accept: (message: JointState) => string | null) {
    this.#refusals = new RefusalLog(log, `Message on ${topic} refused`);
    this.#accept = accept;
  }

  /** @param bytes CDR of a sensor_msgs/msg/JointState @param now monotonic time of arrival, s */
  receive(bytes: Uint8Array, now: number): void {
    try {
      const message = decodeJointState(bytes);
      const refusal = this.#orderOf(message.frame).fault(message.stamp, now) ?? this.#accept(message);
      if (refusal !== null) this.#refusals.refuse(refusal, now);
    } catch (error) {
      this.#refusals.refuse(messageOf(error), now);
    }
  }

  #orderOf(frame: string): Order {
    const sender = bridgeOf(frame)?.id ?? '';
    const known = this.#orders.get(sender);
    if (known !== undefined) return known;
    if (this.#orders.size > MOST_BRIDGES) this.#orders.clear();
    const order = new Order();
    this.#orders.set(sender, order);
    return order;
  }
}

/** Order of the messages of one sender. */
class Order {
  #stamp = 0;
  #arrival = Number.NEGATIVE_INFINITY;
  /** Arrival time minus stamp of the last message: clock offset plus latency. */
  #offset = Number.POSITIVE_INFINITY;
  #lateSince = Number.NEGATIVE_INFINITY;

  /**
   * Stamps give the order but no age, because clocks of two machines differ. Messages without a stamp are accepted as
   * they arrive. DDS redelivers messages that a broken network held back: after a silence, their latency reveals them.
   * @returns why a message is dropped; null if it is in order
   */
  fault(stamp: number, now: number): string | null {
    if (stamp === 0) return null;
    const fresh = now - this.#arrival > ORDER_MEMORY;
    if (!fresh && stamp <= this.#stamp) {
      return 'its stamp is not later than that of the message before';
    }
    if (fresh && now - stamp - this.#offset > LATE) {
      if (now - this.#lateSince > LATE_MEMORY) this.#lateSince = now;
      if (now - this.#lateSince < BACKLOG) {
        return 'it was kept back on its way, and what it asks for is past';
      }
    }
    this.#stamp = stamp;
    this.#arrival = now;
    this.#offset = now - stamp;
    this.#lateSince = Number.NEGATIVE_INFINITY;
    return null;
  }
}

/**
 * @param what kind of values, human-readable
 * @returns the fault of a list of joint names with one value each, or null
 */
export function jointValuesFault(
  names: readonly string[],
  values: Float64Array,
  known: ReadonlyMap<string, number>,
  what: keyof typeof SINGULAR = 'positions',
): string | null {
  if (names.length === 0) return 'it names no joint';
  if (values.length !== names.length) {
    return `it has ${names.length} names but ${values.length} ${what}`;
  }
  for (let index = 0; index < names.length; index++) {
    const name = names[index]!;
    if (!known.has(name)) {
      return `the arm has no joint ${JSON.stringify(name)}; it has ${[...known.keys()].join(', ')}`;
    }
    if (names.indexOf(name) !== index) return `it names the joint ${name} twice`;
    if (!Number.isFinite(values[index]!)) return `the ${SINGULAR[what]} of ${name} is ${values[index]}`;
  }
  return null;
}

/** Reports positions beyond the limits of their joints: the gate lets the arm follow only up to the limit. */
export class LimitLog {
  readonly #joints: ReadonlyMap<string, JointModel>;
  readonly #log: RefusalLog;

  constructor(joints: readonly JointModel[], topic: string, log: Logger) {
    this.#joints = new Map(joints.map((joint) => [joint.name, joint]));
    this.#log = new RefusalLog(log, `Message on ${topic} followed in part`);
  }

  /** @param positions rad, of known joints @param now monotonic, s */
  look(names: readonly string[], positions: Float64Array, now: number): void {
    for (let i = 0; i < names.length; i++) {
      const { name, lower, upper } = this.#joints.get(names[i]!)!;
      const position = positions[i]!;
      if (position >= lower - BEYOND && position <= upper + BEYOND) continue;
      const limit = position < lower ? lower : upper;
      const text = `${name} is asked to ${position.toFixed(3)} rad and stops at its limit, ${limit.toFixed(3)}`;
      this.#log.refuse(text, now);
    }
  }
}

/** Reports speeds beyond those at which a joint is jogged: it goes as fast as it may. */
export class SpeedLog {
  readonly #arm: Arm;
  readonly #log: RefusalLog;

  constructor(arm: Arm, topic: string, log: Logger) {
    this.#arm = arm;
    this.#log = new RefusalLog(log, `Message on ${topic} followed in part`);
  }

  /** @param velocities rad/s, one per joint of the model @param now monotonic, s */
  look(velocities: Float64Array, now: number): void {
    const { pace, model } = this.#arm;
    for (const [i, { name, move }] of model.joints.entries()) {
      const most = move.velocity * pace * JOG_SHARE;
      if (Math.abs(velocities[i]!) <= most) continue;
      const text = `${name} is asked to go at ${velocities[i]!.toFixed(3)} rad/s and goes at ${most.toFixed(3)}`;
      this.#log.refuse(text, now);
    }
  }
}
