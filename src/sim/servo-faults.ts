import { type Random, seededRandom } from './random.ts';

/** A measurement that a servo may misreport. */
export type Reading = 'position' | 'temperature' | 'voltage';

/** How often a servo misreports a measurement, and by how much. */
export interface Misread {
  /** Share of readings that are wrong, 0..1. */
  readonly share: number;
  /** Offset of a wrong reading: rad, degrees Celsius or V. */
  readonly by: number;
  /** Number of wrong readings after which the fault ends; default: never. */
  readonly times?: number;
}

/** Changes to the faults of one servo; absent fields stay unchanged. */
export interface ServoFault {
  /** The servo acknowledges goals but discards them. */
  readonly ignoresGoals?: boolean;
  /** The reported position does not change any more. */
  readonly frozen?: boolean;
  /** Measurements that the servo misreports from now on; null: reports correctly again. */
  readonly misreads?: Readonly<Partial<Record<Reading, Misread | null>>>;
  /** Register values in counts, by name, as another program may have left them. EEPROM values persist. */
  readonly registers?: Readonly<Record<string, number>>;
  /** Raises the overload alarm. */
  readonly overload?: boolean;
  /** Sets the winding temperature, degrees Celsius; it then cools by itself. */
  readonly heat?: number;
  /** Full turns to add to the turn count, if the servo counts turns; its shaft does not move. */
  readonly turns?: number;
  /** Supply voltage, V; null: the nominal one. Below a minimum the servo stops and loses its RAM. */
  readonly volts?: number | null;
  /** Switches the servo off and on after all of the above, faster than any bus transaction. */
  readonly restart?: boolean;
}

interface RunningMisread {
  readonly share: number;
  readonly by: number;
  left: number;
}

/** The active faults of one servo: how it misbehaves and which readings are wrong. */
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

  /** The position that is reported instead of `steps`. @param stepsPerRadian of this servo's readings */
  position(steps: number, stepsPerRadian: number): number {
    if (this.#freezing) this.#frozenAt ??= steps;
    const told = this.#frozenAt ?? steps;
    return this.#misreads.size === 0 ? told : told + Math.round(this.#error('position') * stepsPerRadian);
  }

  /** The measurement that is reported instead of `value`, in the same unit. */
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
