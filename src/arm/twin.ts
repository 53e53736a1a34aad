import type { ArmModel } from './model.ts';

/**
 * The simulated twin of an arm, at its rest pose, with servos that have been set up: what the simulation takes, as plain
 * data.
 * @param name of the arm in the simulation
 */
export function simulatedTwin(model: ArmModel, name: string = model.name) {
  return {
    name,
    urdf: model.urdf,
    toolLink: model.toolLink,
    joints: model.joints.map(({ name: joint, servos, stiffness, settings }) => ({
      name: joint,
      servos,
      stiffness,
      settings,
    })),
    initial: [...model.poses.get('rest')!],
  };
}
