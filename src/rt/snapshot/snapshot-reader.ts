import { type ArmSnapshot, readScalars, snapshotOf } from './arm-fields.ts';
import { type SharedState, TORN } from './shared-snapshot.ts';

/** Copies an arm's block of the shared snapshot into an object. */
export class SnapshotReader {
  readonly #snapshot: ArmSnapshot;
  readonly #block: Float64Array;
  readonly #shared: SharedState;
  readonly #index: number;
  /** Sequence of the block that was copied last. */
  #sequence = TORN;

  constructor(shared: SharedState, index: number) {
    this.#shared = shared;
    this.#index = index;
    this.#block = new Float64Array(shared.blockLength(index));
    this.#snapshot = snapshotOf(this.#block, shared.joints(index));
  }

  /** The newest complete snapshot; the object is reused by the next call. */
  read(): ArmSnapshot {
    // Many callers read within one cycle.
    if (this.#sequence !== TORN && this.#sequence === this.#shared.sequence(this.#index)) return this.#snapshot;
    this.#sequence = this.#shared.copy(this.#index, this.#block);
    readScalars(this.#block, this.#snapshot);
    return this.#snapshot;
  }
}
