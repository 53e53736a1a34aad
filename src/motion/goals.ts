import type { ArmHandle } from '../arm/handle.ts';
import type { Arm } from '../arm/types.ts';
import type { Vector3 } from '../kinematics/frames.ts';
import type { ArmRun } from './arm-run.ts';

/** Where an arm is asked to be. */
export interface PresentGoal {
  /** Positions of all joints, rad; a copy. */
  readonly q: Float64Array;
  /** Of the tool in the base frame, m: as it was asked for, where that is known. */
  readonly position: Vector3;
}

interface Entry {
  readonly run: ArmRun;
  readonly goal: PresentGoal;
  /** The run is over and has brought the arm there. */
  arrived: boolean;
}

/** A copy of where an arm is asked to be at this moment, or of where it lies when it is limp, rad. */
export function asked(arm: Arm): Float64Array {
  const { holding, setpoints, positions } = arm.read();
  return (holding ? setpoints : positions).slice();
}

/** What each arm was last asked to go to, while it is on its way there or as long as nothing else has driven it since. */
export class Goals {
  readonly #entries = new Map<ArmHandle, Entry>();

  /** A run goes to `goal` from now on. */
  set(run: ArmRun, goal: PresentGoal): void {
    this.#entries.set(run.handle, { run, goal, arrived: false });
  }

  /** A run is over. @param arrived whether its motions have come to their end */
  end(run: ArmRun, arrived: boolean): void {
    const entry = this.#entries.get(run.handle);
    if (entry?.run !== run) return;
    if (arrived) entry.arrived = true;
    else this.#entries.delete(run.handle);
  }

  /** The goal of the arm's last motion or, when something else has driven it since, its setpoints. */
  present(handle: ArmHandle): PresentGoal {
    const snapshot = handle.read();
    const entry = this.#entries.get(handle);
    if (entry !== undefined) {
      const { run, goal, arrived } = entry;
      const kept = arrived ? run.motion === snapshot.motion && snapshot.holding : run.lostBecause === null;
      if (kept) return { q: goal.q.slice(), position: goal.position };
    }
    const q = asked(handle);
    return { q, position: handle.toolPose(q).position };
  }
}
