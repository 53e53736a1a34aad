import { Chain } from './chain.ts';
import { parseUrdf, type RobotDescription } from './urdf.ts';

/** The parts of an arm that define its kinematic chain. */
export interface ArmDescription {
  /** URDF text, or the parsed URDF. */
  readonly urdf: string | RobotDescription;
  readonly baseLink: string;
  readonly toolLink: string;
  /** The driven joints, in the order of every joint array of the arm. */
  readonly joints: readonly { readonly name: string }[];
}

/**
 * The kinematic chain of an arm from base to tool, with joints in the arm's order. A chain must stay in one thread.
 * @throws UrdfError for an unusable URDF, Error as `Chain` does
 */
export function armChain({ urdf, baseLink, toolLink, joints }: ArmDescription): Chain {
  const description = typeof urdf === 'string' ? parseUrdf(urdf) : urdf;
  return new Chain(description, { base: baseLink, tool: toolLink, joints: joints.map(({ name }) => name) });
}
