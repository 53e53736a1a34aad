import { Chain } from './chain.ts';

/** An arm as far as its chain goes. */
export interface ArmDescription {
  /** Text of the URDF. */
  readonly urdf: string;
  readonly baseLink: string;
  readonly toolLink: string;
  /** The driven joints, in the order of every joint array of the arm. */
  readonly joints: readonly { readonly name: string }[];
}

/**
 * A kinematic chain of the arm from base to tool, its joints in the arm's order. One chain serves one thread.
 * @throws Error as `Chain.fromUrdf` does
 */
export function armChain({ urdf, baseLink, toolLink, joints }: ArmDescription): Chain {
  return Chain.fromUrdf(urdf, { base: baseLink, tool: toolLink, joints: joints.map(({ name }) => name) });
}
