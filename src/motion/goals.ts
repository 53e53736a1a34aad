import type { Arm } from '../arm/arm.ts';
import type { ArmSession } from '../arm/arm-session.ts';
import type { Vector3 } from '../kinematics/frames.ts';
import { GROUPS, type Group, meet } from '../rt/joint/joint-groups.ts';

/** Present goal of an arm. */
export interface PresentGoal {
  /** Positions of all joints, rad; a copy. */
  readonly q: Float64Array;
  /** Tool position in the base frame, m: as requested, where known. */
  readonly position: Vector3;
}

/** A limp arm that lies further than this from where it lay has been moved, by a hand or its weight, rad. */
const MOVED = 0.05;

interface Entry {
  readonly session: ArmSession;
  readonly goal: PresentGoal;
  /** Intent number of the joint group at that time: it differs once the joints have been given to another session. */
  readonly intent: number;
  /** The session is over and has brought the arm to the goal. */
  arrived: boolean;
}

/** A copy of the arm's setpoints, or of its measured positions if it is limp, rad. */
export function asked(arm: Arm): Float64Array {
  const { holding, setpoints, positions } = arm.read();
  return (holding ? setpoints : positions).slice();
}

/** Where a limp arm lies, rad; null for one that holds. */
export function limpAt(arm: Arm): Float64Array | null {
  return arm.read().holding ? null : asked(arm);
}

/** Whether an arm that lay limp at `limp` (rad; null: it held) has been moved since, so that its way is not checked. */
export function wasMoved(arm: Arm, limp: Float64Array | null): boolean {
  return limp !== null && asked(arm).some((angle, i) => Math.abs(angle - limp[i]!) > MOVED);
}

/**
 * The last goal of each arm, kept while the arm is on its way there, and until something else drives it. Own joints and
 * gripper are kept separately, because they can be driven separately.
 */
export class Goals {
  readonly #entries: Readonly<Record<Group, Map<Arm, Entry>>> = { arm: new Map(), gripper: new Map() };

  /** A session moves to `goal` from now on, with the joints that it drives. */
  set(session: ArmSession, goal: PresentGoal): void {
    const { arm, joints } = session;
    for (const group of GROUPS) {
      if (!meet(group, joints)) continue;
      this.#entries[group].set(arm, { session, goal, intent: arm.intentOf(group), arrived: false });
    }
  }

  /** A session is over. @param arrived whether its motions have reached their end */
  end(session: ArmSession, arrived: boolean): void {
    for (const group of GROUPS) {
      const entry = this.#entries[group].get(session.arm);
      if (entry?.session !== session) continue;
      if (arrived) entry.arrived = true;
      else this.#entries[group].delete(session.arm);
    }
  }

  /** Goal of the arm's last motion or, if something else has driven it since, its setpoints. */
  present(arm: Arm): PresentGoal {
    const q = asked(arm);
    const goals = { arm: this.#kept(arm, 'arm'), gripper: this.#kept(arm, 'gripper') };
    for (let i = 0; i < q.length; i++) q[i] = goals[arm.groupOf(i)]?.q[i] ?? q[i]!;
    return { q, position: goals.arm?.position ?? arm.toolPose(q).position };
  }

  /** Goal still valid for a joint group; null when something else has driven it since. */
  #kept(arm: Arm, group: Group): PresentGoal | null {
    const entry = this.#entries[group].get(arm);
    if (entry === undefined) return null;
    const { session, goal, intent, arrived } = entry;
    if (!arrived) return session.lost === null ? goal : null;
    const { motion, holding } = arm.read();
    return holding && (session.motion === motion || arm.intentOf(group) === intent) ? goal : null;
  }
}
