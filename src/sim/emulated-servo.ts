import type { ServoFault } from './servo-faults.ts';

/** How two servos that answer at one time are heard: both at once, one that is stronger, or one after the other. */
export type Collision = 'mixed' | 'first' | 'second' | 'both';

/** Wire faults, changeable while the bus runs; they combine freely. */
export interface BusFaults {
  /** Servos that neither obey nor answer, by their present id. */
  readonly dead: Set<number>;
  /** Share of status packets that never arrive, 0..1. */
  loseRate: number;
  /** Share of status packets in which one bit is flipped, 0..1. */
  corruptRate: number;
  /** Share of status packets that arrive twice, 0..1. */
  doubleRate: number;
  /** Share of requests that one servo by itself does not understand while others do, 0..1. */
  missRate: number;
  /** What may become of the status packets of servos with one id, each as likely. */
  collisions: readonly Collision[];
}

/** A wire with nothing wrong, on which servos with one id answer one after the other. */
export function noBusFaults(): BusFaults {
  return { dead: new Set(), loseRate: 0, corruptRate: 0, doubleRate: 0, missRate: 0, collisions: ['both'] };
}

/** One emulated servo of any family, as the physics of an arm sees it. */
export interface EmulatedServo {
  /** Present id. */
  readonly id: number;
  /** Whether the motor is energised, as the torque register says. */
  readonly torqueOn: boolean;
  /** Whether it has supply enough and has started; otherwise it is limp and silent. */
  readonly awake: boolean;
  /** The position goal that it has taken, counts of its registers. */
  readonly goal: number;
  /** How far the goal that it has taken is from where it is, rad of its shaft; what switching torque on would make it go. */
  readonly goalDistance: number;
  /** Proportional gain of its position loop, counts. */
  readonly positionGain: number;
  /** Whether its protection keeps back torque that its position loop asks for. */
  readonly protects: boolean;
  /** Time that the servo waits before it answers, s. */
  readonly returnDelay: number;
  /** Off and on again: RAM at its power-on values, torque off, alarms gone. */
  powerCycle(): void;
  /** Raises the overload alarm as a blocked shaft does. */
  raiseOverload(): void;
  /** Changes what is wrong with it. @throws {Error} on a register that it does not have; nothing is changed then */
  fault(fault: ServoFault): void;
  /**
   * One cycle of the position loop.
   * @param dt s
   * @param angle of the shaft, rad; 0 is step 0 of the encoder, unwrapped
   * @param velocity of the shaft, rad/s
   * @returns the motor's torque on the shaft, Nm; 0 when it is not driven
   */
  step(dt: number, angle: number, velocity: number): number;
}

/** The far end of a servo bus of any family, as a byte port sees it. */
export interface EmulatedServoBus {
  readonly faults: BusFaults;
  /**
   * Takes each status packet by itself, with the return delay of the servo that sends it (s), in place of the bus's
   * reply handler. The bytes are valid during the call only.
   */
  onStatus: ((bytes: Uint8Array, returnDelay: number) => void) | null;
  /**
   * Takes request bytes in any chunking.
   * @param now time of arrival on any monotonic clock, ms
   */
  feed(chunk: Uint8Array, now: number): void;
}
