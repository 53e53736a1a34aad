import { Chain } from './chain.ts';
import { parseUrdf, type RobotDescription } from './urdf.ts';

/** An arm as far as its chain goes. */
export interface ArmDescription {
  /** Text of the URDF, or what has been parsed of it. */
  readonly urdf: string | RobotDescription;
  readonly baseLink: string;
  readonly toolLink: string;
  /** The driven joints, in the order of every joint array of the arm. */
  readonly joints: readonly { readonly name: string }[];
}

/**
 * A kinematic chain of the arm from base to tool, its joints in the arm's order. One chain serves one thread.
 * @throws UrdfError for an unusable URDF, Error as `Chain` does
 */
export function armChain({ urdf, baseLink, toolLink, joints }: ArmDescription): Chain {
  const description = typeof urdf === 'string' ? parseUrdf(urdf) : urdf;
  return new Chain(description, { base: baseLink, tool: toolLink, joints: joints.map(({ name }) => name) });
}
