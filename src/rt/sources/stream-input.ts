import type { Sampler } from './follow.ts';

/** Newest setpoints of a stream; joints that it has not named yet stay where they are. */
export class StreamInput implements Sampler {
  sampleTime = 0;
  readonly #positions: Float64Array;

  constructor(joints: number) {
    this.#positions = new Float64Array(joints).fill(Number.NaN);
  }

  /** @param positions rad; NaN for a joint that the message does not name @param now monotonic, s */
  arrived(positions: Float64Array, now: number): void {
    for (let i = 0; i < positions.length; i++) {
      if (!Number.isNaN(positions[i]!)) this.#positions[i] = positions[i]!;
    }
    this.sampleTime = now;
  }

  /** Discards all setpoints received so far. */
  restart(): void {
    this.#positions.fill(Number.NaN);
    this.sampleTime = 0;
  }

  sample(out: Float64Array): void {
    for (let i = 0; i < out.length; i++) if (!Number.isNaN(this.#positions[i]!)) out[i] = this.#positions[i]!;
  }
}
