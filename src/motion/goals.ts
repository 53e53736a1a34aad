import type { Arm } from '../arm/arm.ts';
import type { ArmSession } from '../arm/arm-session.ts';
import type { Vector3 } from '../kinematics/frames.ts';

/** Where an arm is asked to be. */
export interface PresentGoal {
  /** Positions of all joints, rad; a copy. */
  readonly q: Float64Array;
  /** Of the tool in the base frame, m: as it was asked for, where that is known. */
  readonly position: Vector3;
}

interface Entry {
  readonly session: ArmSession;
  readonly goal: PresentGoal;
  /** The session is over and has brought the arm there. */
  arrived: boolean;
}

/** A copy of where an arm is asked to be at this moment, or of where it lies when it is limp, rad. */
export function asked(arm: Arm): Float64Array {
  const { holding, setpoints, positions } = arm.read();
  return (holding ? setpoints : positions).slice();
}

/** What each arm was last asked to go to, while it is on its way there or as long as nothing else has driven it since. */
export class Goals {
  readonly #entries = new Map<Arm, Entry>();

  /** A session goes to `goal` from now on. */
  set(session: ArmSession, goal: PresentGoal): void {
    this.#entries.set(session.arm, { session, goal, arrived: false });
  }

  /** A session is over. @param arrived whether its motions have come to their end */
  end(session: ArmSession, arrived: boolean): void {
    const entry = this.#entries.get(session.arm);
    if (entry?.session !== session) return;
    if (arrived) entry.arrived = true;
    else this.#entries.delete(session.arm);
  }

  /** The goal of the arm's last motion or, when something else has driven it since, its setpoints. */
  present(arm: Arm): PresentGoal {
    const snapshot = arm.read();
    const entry = this.#entries.get(arm);
    if (entry !== undefined) {
      const { session, goal, arrived } = entry;
      const kept = arrived ? session.motion === snapshot.motion && snapshot.holding : session.lost === null;
      if (kept) return { q: goal.q.slice(), position: goal.position };
    }
    const q = asked(arm);
    return { q, position: arm.toolPose(q).position };
  }
}
