import type { ArmHandle } from '../arm/handle.ts';
import type { Arm } from '../arm/types.ts';
import type { ArmPlanner } from './planner.ts';

/** The arms that can be moved, each with its planner. */
export class Planners {
  readonly #arms = new Map<Arm, { readonly handle: ArmHandle; readonly planner: ArmPlanner }>();

  constructor(arms: Iterable<readonly [ArmHandle, ArmPlanner]> = []) {
    for (const [handle, planner] of arms) this.add(handle, planner);
  }

  add(handle: ArmHandle, planner: ArmPlanner): void {
    this.#arms.set(handle, { handle, planner });
  }

  /** The handle behind an arm. */
  handle(arm: Arm): ArmHandle {
    return this.#arms.get(arm)!.handle;
  }

  of(arm: Arm): ArmPlanner {
    return this.#arms.get(arm)!.planner;
  }
}
