import { ARM_FIELDS, JOINT_FIELDS, type Published } from './arm-fields.ts';
import type { SharedState } from './shared-snapshot.ts';

const SCALARS = Object.values(ARM_FIELDS);
const PER_JOINT = Object.values(JOINT_FIELDS);

/** Writes an arm's block of the shared snapshot. */
export class SnapshotWriter {
  readonly #shared: SharedState;
  readonly #index: number;
  readonly #scalars: Float64Array;
  readonly #arrays: readonly Float64Array[];

  constructor(shared: SharedState, index: number) {
    this.#shared = shared;
    this.#index = index;
    const { scalars, arrays } = shared.arm(index);
    this.#scalars = scalars;
    this.#arrays = arrays;
  }

  write(arm: Published): void {
    this.#shared.beginWrite(this.#index);
    for (let i = 0; i < SCALARS.length; i++) SCALARS[i]!.from(arm, this.#scalars, i);
    for (let i = 0; i < PER_JOINT.length; i++) PER_JOINT[i]!.from(arm, this.#arrays[i]!);
    this.#shared.endWrite(this.#index);
    this.#shared.keep(this.#index);
  }
}
