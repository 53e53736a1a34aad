import { systemClock } from '../src/clock.ts';
import { ServoLink } from '../src/rt/driver/servo-link.ts';

/** Longest series that is kept: a minute of the quickest cycles. */
const CAPACITY = 2_000_000;

/** Durations, s, in memory made once. */
export class Series {
  readonly #values = new Float64Array(CAPACITY);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(value: number): void {
    if (this.#count < CAPACITY) this.#values[this.#count++] = value;
  }

  clear(): void {
    this.#count = 0;
  }

  ascending(): number[] {
    return [...this.#values.subarray(0, this.#count).sort()];
  }
}

/** Sees the cycles of a control loop go by; while `on` it keeps their times. */
export class Probe {
  readonly periods = new Series();
  readonly ages = new Series();
  on = false;
  cycles = 0;
  skipped = 0;
  /** Goal frames sent in all. */
  sent = 0;
  #began = 0;
  #written = true;

  /** A cycle begins at `now`, s. */
  cycle(now: number): void {
    if (this.on && this.#began > 0) {
      this.cycles++;
      this.periods.add(now - this.#began);
      if (!this.#written) this.skipped++;
    }
    this.#began = this.on ? now : 0;
    this.#written = false;
  }

  /** Goals made from a sample taken at `sampleTime`, s, have been written. */
  written(sampleTime: number): void {
    this.sent++;
    this.#written = true;
    if (this.on) this.ages.add(systemClock.now() - sampleTime);
  }
}

/** The link of the arm that leads: its reads begin a cycle. */
export class LeaderLink extends ServoLink {
  meter: Probe | null = null;

  override begin(now: number): boolean {
    this.meter?.cycle(now);
    return super.begin(now);
  }
}

/** The link of the arm that follows: its writes end a cycle. */
export class FollowerLink extends LeaderLink {
  /** Where the goals come from. */
  leader: ServoLink = this;
  goals: Probe | null = null;

  override write(goals: Float64Array): void {
    super.write(goals);
    // Goals count once servos have torque: at both ends of the line.
    if (this.up && this.torque) this.goals?.written(this.leader.readings.sampleTime);
  }
}
