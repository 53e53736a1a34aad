import { type Random, seededRandom } from './random.ts';

/** A measurement that a servo may tell wrongly. */
export type Reading = 'position' | 'temperature' | 'voltage';

/** How often and by how much a servo tells one of its measurements wrongly. */
export interface Misread {
  /** Share of readings that are wrong, 0..1. */
  readonly share: number;
  /** What is added to a wrong reading: rad, degrees Celsius or V. */
  readonly by: number;
  /** Wrong readings after which it is over; left out: it goes on. */
  readonly times?: number;
}

/** Changes to what is wrong with one servo; what is left out stays as it is. */
export interface ServoFault {
  /** It acknowledges goals and forgets them. */
  readonly ignoresGoals?: boolean;
  /** The position that it tells stays as it is. */
  readonly frozen?: boolean;
  /** Measurements that it tells wrongly from now on; null: rightly again. */
  readonly misreads?: Readonly<Partial<Record<Reading, Misread | null>>>;
  /** Register contents in counts, by name, as another program may have left them. Those of the EEPROM persist. */
  readonly registers?: Readonly<Record<string, number>>;
  /** Raises the overload alarm. */
  readonly overload?: boolean;
  /** Heats its winding to this temperature, degrees Celsius, from which it cools by itself. */
  readonly heat?: number;
  /** It counts so many full turns more from now on, where it counts turns at all; its shaft does not move. */
  readonly turns?: number;
  /** Supply, V, below which it falls asleep and forgets its RAM; null: the nominal one. */
  readonly volts?: number | null;
  /** Off and on again, after all of the above, quicker than anything on the bus. */
  readonly restart?: boolean;
}

interface RunningMisread {
  readonly share: number;
  readonly by: number;
  left: number;
}

/** What a servo does wrongly, and what it tells wrongly. */
export class ServoFaults {
  ignoresGoals = false;
  #frozenAt: number | null = null;
  #freezing = false;
  readonly #misreads = new Map<Reading, RunningMisread>();
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  change({ ignoresGoals, frozen, misreads }: ServoFault): void {
    if (ignoresGoals !== undefined) this.ignoresGoals = ignoresGoals;
    if (frozen !== undefined) {
      this.#freezing = frozen;
      this.#frozenAt = null;
    }
    for (const [reading, misread] of Object.entries(misreads ?? {}) as [Reading, Misread | null][]) {
      if (misread === null) this.#misreads.delete(reading);
      else this.#misreads.set(reading, { ...misread, left: misread.times ?? Number.POSITIVE_INFINITY });
    }
  }

  /** The position that is told in place of `steps`. @param stepsPerRadian of this servo's readings */
  position(steps: number, stepsPerRadian: number): number {
    if (this.#freezing) this.#frozenAt ??= steps;
    const told = this.#frozenAt ?? steps;
    return this.#misreads.size === 0 ? told : told + Math.round(this.#error('position') * stepsPerRadian);
  }

  /** The measurement that is told in place of `value`, in its unit. */
  measured(reading: 'temperature' | 'voltage', value: number): number {
    return this.#misreads.size === 0 ? value : value + this.#error(reading);
  }

  #error(reading: Reading): number {
    const misread = this.#misreads.get(reading);
    if (misread === undefined || misread.left <= 0 || this.#random() >= misread.share) return 0;
    misread.left--;
    return misread.by;
  }
}
