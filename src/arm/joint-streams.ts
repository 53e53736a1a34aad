import type { Arm } from './types.ts';

/** Where joint values that arrive from other programs enter the bridge. */
export interface JointStreams {
  /**
   * Setpoints for an arm whose bus this bridge owns. Nothing is kept of the arguments after the call.
   * @param names joints of the model that are to move, each once, in any order; the others keep their setpoints
   * @param positions rad, one per name, finite
   * @param stamp time of the message by its sender, seconds since the epoch; 0 when it carries none
   * @param topic below the arm's namespace, on which they come: each topic is an owner of its own
   */
  command(
    arm: Arm,
    names: readonly string[],
    positions: Float64Array,
    stamp: number,
    topic: string,
  ): 'accepted' | { readonly refused: string };
  /**
   * State of an arm whose bus another machine owns. Nothing is kept of the arguments after the call.
   * @param positions rad, one per joint in the order of the model, finite
   * @param velocities rad/s, likewise; null when the sender does not know them
   * @param stamp time of the bus read by the sender's clock, seconds since the epoch; 0 when it carries none
   */
  remoteState(arm: Arm, positions: Float64Array, velocities: Float64Array | null, stamp: number): void;
}
