import type { ServoBus } from '../../servo/servo-bus.ts';
import { Histogram } from '../loop/histogram.ts';
import type { ArmReadings } from './arm-readings.ts';

/** Interval at which the round-trip figures are updated, s. */
const INTERVAL = 5;

/** Records when the servos of an arm were heard, and how long their answers took. */
export class BusStatistics {
  readonly #readings: ArmReadings;
  readonly #bus: ServoBus;
  readonly #jointOf: readonly number[];
  /** When each servo was last heard, s. */
  readonly #servos: Float64Array;
  readonly #roundTrips = new Histogram();
  #told = 0;

  /** @param jointOf joint of each servo, the first servos of the joints first */
  constructor(readings: ArmReadings, bus: ServoBus, jointOf: readonly number[]) {
    this.#readings = readings;
    this.#bus = bus;
    this.#jointOf = jointOf;
    this.#servos = new Float64Array(jointOf.length);
  }

  /** All servos have answered in a check whose first request left at `began`. */
  checked(began: number, now: number): void {
    this.#servos.fill(now);
    this.#readings.heard.fill(now);
    this.#readings.sampleTime = began;
    this.#readings.steerTime = began;
    this.#readings.detailTime = 0;
  }

  /**
   * A read has settled.
   * @param duration from request to last reply, s; NaN if a reply is missing
   */
  settled(answered: Uint8Array, duration: number, now: number): void {
    const { heard, lost } = this.#readings;
    for (let i = 0; i < answered.length; i++) {
      if (answered[i] === 1) this.#servos[i] = now;
      const joint = this.#jointOf[i]!;
      heard[joint] = i < heard.length ? this.#servos[i]! : Math.min(heard[joint]!, this.#servos[i]!);
      if (i < lost.length) lost[i] = this.#bus.lost[i]!;
    }
    this.#readings.discarded = this.#bus.discarded;
    if (!Number.isNaN(duration)) this.#roundTrips.add(duration);
    if (now - this.#told <= INTERVAL) return;
    this.#told = now;
    this.#readings.roundTripMedian = this.#roundTrips.percentile(0.5);
    this.#readings.roundTripLongest = this.#roundTrips.percentile(0.99);
    this.#roundTrips.clear();
  }
}
