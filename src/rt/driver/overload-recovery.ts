import type { ServoFamily } from '../../servo/servo-family.ts';

/** Overloaded servos are brought back no more often than this, s: each time they are loaded again. */
const INTERVAL = 5;

/** When servos that have cut or reduced their torque are brought back: by the check that follows. */
export class OverloadRecovery {
  readonly #bits: number;
  #wanted = false;
  #last = Number.NEGATIVE_INFINITY;

  constructor(family: ServoFamily) {
    this.#bits = family.alarms.recoverable;
  }

  needed(alarms: number): boolean {
    return (alarms & this.#bits) !== 0;
  }

  /** @returns why it is not done now; empty when the next check does it */
  ask(now: number): string {
    const wait = this.#last + INTERVAL - now;
    if (wait > 0)
      return `its servos have just been brought back: take the load off, and try again in ${Math.ceil(wait)} s`;
    this.#last = now;
    this.#wanted = true;
    return '';
  }

  /** True once after it has been asked for. */
  takeWanted(): boolean {
    const wanted = this.#wanted;
    this.#wanted = false;
    return wanted;
  }
}
