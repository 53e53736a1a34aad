import type { ServoFamily } from '../../servo/servo-family.ts';

/** Shortest time between two recoveries of overloaded servos, s, because each recovery loads them again. */
const INTERVAL = 5;

/** Decides whether the next check restores servos that have cut or reduced their torque. */
export class OverloadRecovery {
  readonly #bits: number;
  #wanted: (() => boolean) | null = null;
  #last = Number.NEGATIVE_INFINITY;

  constructor(family: ServoFamily) {
    this.#bits = family.alarms.recoverable;
  }

  needed(alarms: number): boolean {
    return (alarms & this.#bits) !== 0;
  }

  /**
   * Requests a recovery.
   * @param goesOn whether it is still to give torque
   * @returns why it is refused now; empty if the next check does it
   */
  ask(now: number, goesOn: () => boolean): string {
    const wait = this.#last + INTERVAL - now;
    if (wait > 0)
      return `its servos have just been brought back: take the load off, and try again in ${Math.ceil(wait)} s`;
    this.#last = now;
    this.#wanted = goesOn;
    return '';
  }

  /** Once after a recovery has been requested: whether it is still to give torque; null otherwise. */
  takeWanted(): (() => boolean) | null {
    const wanted = this.#wanted;
    this.#wanted = null;
    return wanted;
  }
}
