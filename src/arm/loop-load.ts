import type { LoopStatistics } from './types.ts';

/** Time over which cycles are judged, and interval between looks, s. */
const WINDOW = 10;
export const LOOK = 1;
/** Share of late cycles from which a computer is too busy. */
const MANY = 0.05;
/** A cycle this long means that the computer was paused, s. */
const PAUSE = 0.25;

interface Look {
  readonly cycles: number;
  readonly late: number;
  /** Longest period of the preceding second, s. */
  readonly longest: number;
}

/**
 * Whether this computer keeps up with the control loop. If it does not, that is why servos seem silent and motions end,
 * so people should look there instead of at cables.
 */
export class LoopLoad {
  /** Looks of the last seconds, oldest first. */
  readonly #looks: Look[] = [];

  /** Call once every `LOOK`. */
  look({ cycles, late, longestPeriod: longest }: Pick<LoopStatistics, 'cycles' | 'late' | 'longestPeriod'>): void {
    this.#looks.push({ cycles, late, longest });
    if (this.#looks.length > WINDOW / LOOK + 1) this.#looks.shift();
  }

  /** Why this computer does not keep up, human-readable; empty when it does. */
  get trouble(): string {
    const first = this.#looks[0];
    const last = this.#looks.at(-1);
    if (first === undefined || last === undefined) return '';
    const longest = Math.max(...this.#looks.map((look) => look.longest));
    const cycles = last.cycles - first.cycles;
    const share = cycles <= 0 ? 0 : (last.late - first.late) / cycles;
    if (share >= MANY) {
      const percent = (100 * share).toFixed(0);
      return `this computer is too busy: ${percent} % of cycles late in the last ${WINDOW} s, the longest by ${(1000 * longest).toFixed(0)} ms`;
    }
    return longest < PAUSE ? '' : `this computer was paused for ${longest.toFixed(1)} s`;
  }
}

/** Prefixes a reason with the true cause where something seems silent because this computer listened too late. */
export function withCause(reason: string, trouble: string): string {
  const silence = /answer|heard|silent/.test(reason);
  return trouble === '' || !silence ? reason : `${trouble}; ${reason}`;
}
