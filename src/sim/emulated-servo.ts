import type { ServoFault } from './servo-faults.ts';

/** What the host receives if two servos answer at once: both mixed, only the first or second, or both in turn. */
export type Collision = 'mixed' | 'first' | 'second' | 'both';

/** Wire faults; they may change while the bus runs and combine freely. */
export interface BusFaults {
  /** Present ids of servos that neither obey nor answer. */
  readonly dead: Set<number>;
  /** Share of status packets that never arrive, 0..1. */
  loseRate: number;
  /** Share of status packets with one flipped bit, 0..1. */
  corruptRate: number;
  /** Share of status packets that arrive twice, 0..1. */
  doubleRate: number;
  /** Share of requests that a servo misses, drawn for each servo independently, 0..1. */
  missRate: number;
  /** Possible outcomes if servos share an id and answer together; all are equally likely. */
  collisions: readonly Collision[];
}

/** A faultless wire, on which servos that share an id answer one after the other. */
export function noBusFaults(): BusFaults {
  return { dead: new Set(), loseRate: 0, corruptRate: 0, doubleRate: 0, missRate: 0, collisions: ['both'] };
}

/** One emulated servo of any family, as the physics of an arm sees it. */
export interface EmulatedServo {
  /** Present id. */
  readonly id: number;
  /** Whether the motor is energised, according to the torque register. */
  readonly torqueOn: boolean;
  /** Whether the servo has enough supply and has started; otherwise it is limp and silent. */
  readonly awake: boolean;
  /** The accepted position goal, register counts. */
  readonly goal: number;
  /** Distance from the present position to the accepted goal, rad at the shaft; switching torque on moves this far. */
  readonly goalDistance: number;
  /** Proportional gain of the position loop, counts. */
  readonly positionGain: number;
  /** Whether a protection withholds torque that the position loop asks for. */
  readonly protects: boolean;
  /** Delay between a request and the servo's answer, s. */
  readonly returnDelay: number;
  /** Switches the supply off and on: RAM at its power-on values, torque off, alarms cleared. */
  powerCycle(): void;
  /** Raises the overload alarm, as a blocked shaft does. */
  raiseOverload(): void;
  /** Changes the servo's faults. @throws {Error} for a register that the servo lacks; nothing changes then */
  fault(fault: ServoFault): void;
  /**
   * Runs one cycle of the position loop.
   * @param dt s
   * @param angle of the shaft, rad, unwrapped; 0 is encoder step 0
   * @param velocity of the shaft, rad/s
   * @returns the motor's torque on the shaft, Nm; 0 if the motor is not driven
   */
  step(dt: number, angle: number, velocity: number): number;
}

/** The servo side of a bus of any family, as a byte port sees it. */
export interface EmulatedServoBus {
  readonly faults: BusFaults;
  /**
   * If set, receives each status packet separately, with the return delay of its servo (s), instead of the bus's reply
   * handler. The bytes are valid during the call only.
   */
  onStatus: ((bytes: Uint8Array, returnDelay: number) => void) | null;
  /**
   * Takes request bytes in chunks of any size.
   * @param now time of arrival on any monotonic clock, ms
   */
  feed(chunk: Uint8Array, now: number): void;
}
