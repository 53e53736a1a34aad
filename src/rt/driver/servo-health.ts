import type { ServoFamily } from '../../servo/servo-family.ts';
import type { FoundServo } from '../../servo/start-up.ts';
import { SlowFilter } from './position-filter.ts';

/** A servo as messages name it. */
export interface WatchedServo {
  readonly id: number;
  /** Joint that it turns. */
  readonly joint: string;
}

/** A servo this close to its temperature limit is reported (warm) or stops the arm (hot), K. */
const WARM_MARGIN = 15;
/** Bits of warnings that have been given. */
const WARM = 1;
const UNFIT = 2;
const HOT_MARGIN = 3;
/** If a servo is this close to its limit, the arm must be lowered while its motors still carry it, K. */
const LOWER_MARGIN = 6;
/** A servo closer to its temperature limit than this gets no torque: its arm would soon have to be lowered, K. */
const COOL_MARGIN = 2 * LOWER_MARGIN;
/** Servos of one joint that are further apart than this would work against each other, rad. */
const APART = 0.08;

/** A reading this close to the last one is believed at once, others only when several agree, K and V. */
const SAME_TEMPERATURE = 3;
const SAME_VOLTAGE = 1;

/** Judges the health of an arm's servos: temperature, supply, alarms. Servos are given by slot index. */
export class ServoHealth {
  /** Why the arm must be stopped; empty if it need not be. */
  fault = '';
  /** Alarm bits of each servo. */
  readonly alarms: Uint8Array;
  /** By servo: last temperature, degC, and voltage, V; distance from the first servo of its joint, rad. */
  readonly temperatures: Float64Array;
  readonly voltages: Float64Array;
  readonly apart: Float64Array;
  readonly #temperature: SlowFilter;
  readonly #voltage: SlowFilter;
  /** Temperature at which each servo switches itself off, degC. */
  readonly limits: Float64Array;
  readonly #servos: readonly WatchedServo[];
  readonly #family: ServoFamily;
  readonly #warn: (text: string) => void;
  readonly #ailing: (index: number, text: string) => void;
  readonly #low: Float64Array;
  readonly #high: Float64Array;
  /** `WARM` and `UNFIT`, by servo. */
  readonly #warned: Uint8Array;
  readonly #hot: Uint8Array;
  /** Slot index of the servo that caused `fault`; -1 for none. */
  #faulty = -1;

  /** @param ailing called for a servo that is overloaded or nearly too hot: its arm must be lowered */
  constructor(
    servos: readonly WatchedServo[],
    family: ServoFamily,
    warn: (text: string) => void,
    ailing: (index: number, text: string) => void,
  ) {
    const count = servos.length;
    this.#servos = servos;
    this.#family = family;
    this.#warn = warn;
    this.#ailing = ailing;
    this.alarms = new Uint8Array(count);
    this.#temperature = new SlowFilter(count, SAME_TEMPERATURE);
    this.#voltage = new SlowFilter(count, SAME_VOLTAGE);
    this.temperatures = this.#temperature.values;
    this.voltages = this.#voltage.values;
    this.apart = new Float64Array(count);
    this.limits = new Float64Array(count);
    this.#low = new Float64Array(count);
    this.#high = new Float64Array(count);
    this.#warned = new Uint8Array(count);
    this.#hot = new Uint8Array(count);
  }

  /** Starts over with the servos that the check on connecting found. */
  begin(found: readonly FoundServo[]): void {
    for (const [i, servo] of found.entries()) {
      this.limits[i] = servo.maxTemperature;
      this.#low[i] = servo.minVoltage;
      this.#high[i] = servo.maxVoltage;
      this.#temperature.begin(i, servo.temperature);
      this.#voltage.begin(i, servo.voltage);
    }
    this.apart.fill(0);
    this.fault = '';
    this.#faulty = -1;
    this.#warned.fill(0);
    this.#hot.fill(0);
  }

  /** All reasons against switching torque on, by the last measurements; empty if there are none. */
  refusal(): string {
    const reasons: string[] = [];
    for (const [i, { joint }] of this.#servos.entries()) {
      const volts = this.voltages[i]!;
      const low = this.#low[i]!;
      const high = this.#high[i]!;
      if (volts < low || volts > high) {
        reasons.push(
          `${this.label(i)} measures ${volts.toFixed(1)} V, but its limits are ${low.toFixed(1)} to ` +
            `${high.toFixed(1)} V: connect the supply that its type needs`,
        );
      }
      const degrees = this.temperatures[i]!;
      const hot = this.limits[i]!;
      if (degrees > hot - COOL_MARGIN) {
        reasons.push(
          `${this.label(i)} has ${degrees.toFixed(0)} degC and switches off at ${hot.toFixed(0)}: let it cool`,
        );
      }
      // Such a servo refuses torque until it is restarted.
      if (this.#family.alarms.refuseTorque && this.alarms[i] !== 0) {
        reasons.push(`${this.shutDown(i)}: stop the arm and reset it, which restarts the servo`);
      }
      const apart = this.apart[i]!;
      if (Math.abs(apart) > APART) {
        reasons.push(
          `${this.label(i)} stands ${apart.toFixed(2)} rad from the other servo of ${joint}, against which it would ` +
            'work: correct its zero in the data of the arm, a shadow by its homing offset',
        );
      }
    }
    return reasons.join('; ');
  }

  /** Message for people: an alarm has made this servo limp. */
  shutDown(index: number): string {
    return `${this.label(index)} has shut itself down (${this.#alarmText(this.alarms[index]!)})`;
  }

  /** Message for people: this servo is limp, though it should have torque. */
  limpText(index: number): string {
    if (this.alarms[index] !== 0) return this.shutDown(index);
    return `${this.label(index)} has lost its torque by itself: check its supply and its cable`;
  }

  /** Takes a servo's alarm bits, and reports new ones. */
  alarm(index: number, bits: number): void {
    const before = this.alarms[index]!;
    this.alarms[index] = bits;
    if (bits === before || bits === 0) return;
    this.#warn(`${this.label(index)}: ${this.#alarmText(bits)}`);
    if ((bits & ~before & this.#family.alarms.overload) !== 0)
      this.#ailing(index, `${this.label(index)} is overloaded`);
  }

  /**
   * Takes new measurements. Warns if the servo is warm or its supply is wrong; sets `fault` if it is about to switch
   * off.
   */
  measured(index: number, measuredTemperature: number, measuredVoltage: number): void {
    const temperature = this.#temperature.take(index, measuredTemperature);
    const voltage = this.#voltage.take(index, measuredVoltage);
    const limit = this.limits[index]!;
    const low = this.#low[index]!;
    const high = this.#high[index]!;
    const warm = temperature > limit - WARM_MARGIN;
    const unfit = voltage < low || voltage > high;
    if (index === this.#faulty && temperature < limit - 2 * HOT_MARGIN) {
      this.fault = '';
      this.#faulty = -1;
    }
    if (temperature <= limit - COOL_MARGIN) this.#hot[index] = 0;
    const told = this.#hot[index] === 1;
    if (!told && temperature > limit - LOWER_MARGIN) {
      this.#hot[index] = 1;
      this.#ailing(index, `${this.label(index)} has ${temperature} degC and switches off at ${limit}`);
    }
    if (!warm && !unfit) {
      if (temperature < limit - 1.5 * WARM_MARGIN) this.#warned[index] = 0;
      return;
    }
    if (this.fault === '' && temperature > limit - HOT_MARGIN) {
      this.#faulty = index;
      this.fault = `${this.label(index)} has ${temperature} degC and switches off at ${limit}: let it cool, then reset the arm`;
      // A person may have stopped the lowering that began before.
      if (told) this.failAgain();
    }
    const news = (warm ? WARM : 0) | (unfit ? UNFIT : 0);
    if ((news & ~this.#warned[index]!) === 0) return;
    const hotter = warm && (this.#warned[index]! & WARM) === 0;
    this.#warned[index]! |= hotter ? WARM : UNFIT;
    this.#warn(
      hotter
        ? `${this.label(index)} is warm: ${temperature} degC of at most ${limit}`
        : `${this.label(index)} measures ${voltage.toFixed(1)} V, its limits are ${low.toFixed(1)} to ${high.toFixed(1)} V`,
    );
  }

  /** Reports the servo that caused `fault` once more. */
  failAgain(): void {
    if (this.#faulty >= 0) this.#ailing(this.#faulty, this.fault);
  }

  /** Name of a servo in messages. */
  label(index: number): string {
    const { id, joint } = this.#servos[index]!;
    return `servo ${id} (${joint})`;
  }

  #alarmText(bits: number): string {
    const set = this.#family.alarms.texts.filter(([bit]) => (bits & bit) !== 0).map(([, text]) => text);
    return set.length > 0 ? set.join(', ') : `alarm bits ${bits}`;
  }
}
