import type { Arm } from '../arm/arm.ts';
import type { ArmSession } from '../arm/arm-session.ts';
import type { Vector3 } from '../kinematics/frames.ts';
import { GROUPS, type Group, meet } from '../rt/joint/joint-groups.ts';

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
  /** Intent of the group of joints at that time: another one when somebody has been given them since. */
  readonly intent: number;
  /** The session is over and has brought the arm there. */
  arrived: boolean;
}

/** A copy of where an arm is asked to be at this moment, or of where it lies when it is limp, rad. */
export function asked(arm: Arm): Float64Array {
  const { holding, setpoints, positions } = arm.read();
  return (holding ? setpoints : positions).slice();
}

/**
 * What each arm was last asked to go to, while it is on its way there or as long as nothing else has driven it since: its
 * own joints and its gripper each by itself, since they can be driven apart.
 */
export class Goals {
  readonly #entries: Readonly<Record<Group, Map<Arm, Entry>>> = { arm: new Map(), gripper: new Map() };

  /** A session goes to `goal` from now on, with the joints that it drives. */
  set(session: ArmSession, goal: PresentGoal): void {
    const { arm, joints } = session;
    for (const group of GROUPS) {
      if (!meet(group, joints)) continue;
      this.#entries[group].set(arm, { session, goal, intent: arm.intentOf(group), arrived: false });
    }
  }

  /** A session is over. @param arrived whether its motions have come to their end */
  end(session: ArmSession, arrived: boolean): void {
    for (const group of GROUPS) {
      const entry = this.#entries[group].get(session.arm);
      if (entry?.session !== session) continue;
      if (arrived) entry.arrived = true;
      else this.#entries[group].delete(session.arm);
    }
  }

  /** The goal of the arm's last motion or, where something else has driven it since, its setpoints. */
  present(arm: Arm): PresentGoal {
    const q = asked(arm);
    const goals = { arm: this.#kept(arm, 'arm'), gripper: this.#kept(arm, 'gripper') };
    for (let i = 0; i < q.length; i++) q[i] = goals[arm.groupOf(i)]?.q[i] ?? q[i]!;
    return { q, position: goals.arm?.position ?? arm.toolPose(q).position };
  }

  /** The goal that a group of joints still has; null where something else has driven it since. */
  #kept(arm: Arm, group: Group): PresentGoal | null {
    const entry = this.#entries[group].get(arm);
    if (entry === undefined) return null;
    const { session, goal, intent, arrived } = entry;
    if (!arrived) return session.lost === null ? goal : null;
    const { motion, holding } = arm.read();
    return holding && (session.motion === motion || arm.intentOf(group) === intent) ? goal : null;
  }
}
