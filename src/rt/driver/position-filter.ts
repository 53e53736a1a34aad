/**
 * A reading is held back if it differs from the last by more than JUMP + FASTEST * elapsed time, rad and rad/s, or by
 * MOST: a servo that counts turns may have lost one while it was silent, rad.
 */
const JUMP = 0.08;
const FASTEST = 25;
const MOST = 3;
/** Readings in a row that must agree to be believed, however far they are from the last position. */
const AGREEING = 3;
/** A jump counts as whole turns if it is off them by no more than this, turns: the joint moves meanwhile. */
const TURN_TOLERANCE = 0.02;
/** Window in which discarded readings are counted, s, and the count that is reported. */
const WINDOW = 2;
const MANY = 20;

/** Verdict on a reading; `turned` is `held`, and it is whole turns away, as if the servo had miscounted. */
export const Verdict = { believed: 0, held: 1, moved: 2, turned: 3 } as const;
export type Verdict = (typeof Verdict)[keyof typeof Verdict];

/**
 * Believes a position only if the joint can have reached it, so a single wrong reading moves nothing. If the joint
 * really is elsewhere, for example after a servo restart, its position is believed once several readings agree. Servos
 * are given by slot index.
 */
export class PositionFilter {
  /** Readings discarded since construction, by servo. */
  readonly discarded: Uint32Array;
  /** Steps per turn, and rad per step. */
  readonly #turn: Float64Array;
  readonly #radians: Float64Array;
  /** Last reading that was believed, steps; time of the last reading, believed or not, s. */
  readonly #last: Float64Array;
  readonly #time: Float64Array;
  readonly #pending: Float64Array;
  readonly #agreeing: Uint8Array;
  /** Readings discarded in each servo's present window, and when that window began, s. */
  readonly #thrown: Uint16Array;
  readonly #window: Float64Array;

  /** @param stepsPerTurn by servo */
  constructor(stepsPerTurn: readonly number[]) {
    const count = stepsPerTurn.length;
    this.discarded = new Uint32Array(count);
    this.#turn = Float64Array.from(stepsPerTurn);
    this.#radians = this.#turn.map((steps) => (2 * Math.PI) / steps);
    this.#last = new Float64Array(count);
    this.#time = new Float64Array(count);
    this.#pending = new Float64Array(count);
    this.#agreeing = new Uint8Array(count);
    this.#thrown = new Uint16Array(count);
    this.#window = new Float64Array(count);
  }

  /** Starts over from a known position, steps. */
  begin(index: number, steps: number, now: number): void {
    this.#last[index] = steps;
    this.#time[index] = now;
    this.#agreeing[index] = 0;
    this.#thrown[index] = 0;
    this.#window[index] = now;
  }

  /** Judges a reading, steps; unless it is `held` or `turned`, it is the new position. */
  judge(index: number, steps: number, now: number): Verdict {
    const allowed = Math.min(JUMP + FASTEST * (now - this.#time[index]!), MOST) / this.#radians[index]!;
    this.#time[index] = now;
    if (Math.abs(steps - this.#last[index]!) <= allowed) {
      this.#believe(index, steps);
      return Verdict.believed;
    }
    const near = JUMP / this.#radians[index]!;
    const agrees = this.#agreeing[index]! > 0 && Math.abs(steps - this.#pending[index]!) <= near;
    this.#agreeing[index] = agrees ? this.#agreeing[index]! + 1 : 1;
    this.#pending[index] = steps;
    this.#throw(index, now);
    if (this.#agreeing[index]! < AGREEING)
      return isWhole((steps - this.#last[index]!) / this.#turn[index]!) ? Verdict.turned : Verdict.held;
    this.#believe(index, steps);
    return Verdict.moved;
  }

  /** True once after many recent readings of a servo were discarded. */
  takesMany(index: number): boolean {
    if (this.#thrown[index] !== MANY) return false;
    this.#thrown[index] = MANY + 1;
    return true;
  }

  #believe(index: number, steps: number): void {
    this.#last[index] = steps;
    this.#agreeing[index] = 0;
  }

  #throw(index: number, now: number): void {
    this.discarded[index]!++;
    if (now - this.#window[index]! > WINDOW) {
      this.#window[index] = now;
      this.#thrown[index] = 0;
    }
    // `takesMany` counts one further, so that it reports once per window.
    if (this.#thrown[index]! < MANY) this.#thrown[index]!++;
  }
}

/** Whether a way is one or more whole turns, which no joint can go: a servo has counted them. @param turns of the way */
export function isWhole(turns: number): boolean {
  const nearest = Math.round(turns);
  return nearest !== 0 && Math.abs(turns - nearest) <= TURN_TOLERANCE;
}

/**
 * Filters slow measurements such as temperatures: a jump is believed once several readings agree. Servos are given by
 * slot index.
 */
export class SlowFilter {
  readonly values: Float64Array;
  readonly #band: number;
  readonly #pending: Float64Array;
  readonly #agreeing: Uint8Array;

  /** @param band readings that differ by no more than this agree */
  constructor(count: number, band: number) {
    this.values = new Float64Array(count);
    this.#band = band;
    this.#pending = new Float64Array(count);
    this.#agreeing = new Uint8Array(count);
  }

  /** Starts over from this value, without filtering it. */
  begin(index: number, value: number): void {
    this.values[index] = value;
    this.#agreeing[index] = 0;
  }

  /** Takes a reading. @returns the value that is believed */
  take(index: number, value: number): number {
    if (Math.abs(value - this.values[index]!) <= this.#band) {
      this.values[index] = value;
      this.#agreeing[index] = 0;
      return value;
    }
    const agrees = this.#agreeing[index]! > 0 && Math.abs(value - this.#pending[index]!) <= this.#band;
    this.#agreeing[index] = agrees ? this.#agreeing[index]! + 1 : 1;
    this.#pending[index] = value;
    if (this.#agreeing[index]! >= AGREEING) this.begin(index, value);
    return this.values[index]!;
  }
}
