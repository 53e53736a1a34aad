import type { ArmModel } from './model.ts';
import type { SceneObject } from './scene.ts';

/** How a simulated arm differs from its model: a mass at the tool (kg), and a factor on its servos' stiffness. */
export interface CounterpartOptions {
  readonly payload: number;
  readonly stiffness: number;
}

/**
 * The simulated counterpart of an arm at its rest pose, with servos already set up: plain data for the simulation.
 * @param name of the arm in the simulation
 * @param objects in front of the arm
 */
export function simulatedCounterpart(
  model: ArmModel,
  name: string = model.name,
  options: CounterpartOptions = { payload: 0, stiffness: 1 },
  objects: readonly SceneObject[] = [],
) {
  return {
    name,
    payload: options.payload,
    objects,
    urdf: model.urdf,
    toolLink: model.toolLink,
    joints: model.joints.map(({ name: joint, servos, stiffness, damping, friction, settings }) => ({
      name: joint,
      servos,
      stiffness: stiffness * options.stiffness,
      damping,
      frictionLoss: friction,
      settings,
    })),
    initial: [...model.poses.get('rest')!],
  };
}
