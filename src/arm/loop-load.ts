import type { LoopStatistics } from './types.ts';

/** Time over which cycles are judged, and between two looks at them, s. */
const WINDOW = 10;
export const LOOK = 1;
/** Share of late cycles from which a computer is too busy. */
const MANY = 0.05;
/** A cycle that took this long has not run: the computer was paused, s. */
const PAUSE = 0.25;

interface Look {
  readonly cycles: number;
  readonly late: number;
  /** Longest period of the second before it, s. */
  readonly longest: number;
}

/**
 * Whether this computer keeps up with the control loop. Where it does not, that is why servos seem silent and motions end,
 * and people are to look there instead of at cables.
 */
export class LoopLoad {
  /** Looks of the last seconds, the oldest first. */
  readonly #looks: Look[] = [];

  /** Once every `LOOK`. */
  look({ cycles, late, longestPeriod: longest }: Pick<LoopStatistics, 'cycles' | 'late' | 'longestPeriod'>): void {
    this.#looks.push({ cycles, late, longest });
    if (this.#looks.length > WINDOW / LOOK + 1) this.#looks.shift();
  }

  /** What keeps it from keeping up, for people; empty when it does. */
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

/** A reason with its true cause before it, where somebody seems silent and this computer was too late to hear. */
export function withCause(reason: string, trouble: string): string {
  const silence = /answer|heard|silent/.test(reason);
  return trouble === '' || !silence ? reason : `${trouble}; ${reason}`;
}
