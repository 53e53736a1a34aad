import type { Arm } from '../arm/arm.ts';
import { ArmPlanner } from './planner.ts';

/** The planner of each arm, made when it is wanted first. */
export class Planners {
  readonly #planners = new WeakMap<Arm, ArmPlanner>();

  of(arm: Arm): ArmPlanner {
    let planner = this.#planners.get(arm);
    if (planner === undefined) {
      planner = new ArmPlanner(arm.model, arm.chain);
      this.#planners.set(arm, planner);
    }
    return planner;
  }
}
