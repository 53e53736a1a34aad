import type { Arm } from '../arm/arm.ts';
import type { ControlClient } from '../arm/control-client.ts';
import { InputStreams } from '../arm/input-streams.ts';
import { BridgeError, type Caller } from '../arm/types.ts';
import type { Clock } from '../clock.ts';
import { STALE } from '../rt/sources/follow.ts';

/** Joint values that arrive from other programs: setpoints that drive an arm, and the state of remote arms. */
export class StreamService {
  readonly #control: ControlClient;
  readonly #inputs: InputStreams;

  constructor(control: ControlClient, clock: Clock) {
    this.#control = control;
    this.#inputs = new InputStreams(clock);
  }

  /**
   * Setpoints for an arm whose bus this bridge owns. Nothing is kept of the arguments after the call.
   * @param names joints of the model that are to move, each once, in any order; the others keep their setpoints
   * @param positions rad, one per name, finite
   * @param caller whose stream it is: each owner has one of its own
   * @param stream how the first message of a stream says that it is followed: the arm decelerates to a hold without a message for
   *   `timeout` s, and approaches slowly again after a jump where it is to `reapproach`
   * @returns why they are refused; null when the arm follows
   */
  command(
    arm: Arm,
    names: readonly string[],
    positions: Float64Array,
    caller: Caller,
    stream: { readonly timeout: number; readonly reapproach?: boolean } = { timeout: STALE },
  ): BridgeError | null {
    const group = this.#inputs.take(arm, { kind: 'stream', ...stream }, caller, arm.jointsOf(names));
    if (group instanceof BridgeError) return group;
    const setpoints = new Float64Array(arm.model.joints.length).fill(Number.NaN);
    for (const [i, name] of names.entries()) {
      const index = arm.model.joints.findIndex((joint) => joint.name === name);
      if (index >= 0) setpoints[index] = positions[i]!;
    }
    this.#control.sample({ kind: 'setpoints', arm: arm.index, group, positions: setpoints });
    return null;
  }

  /** Ends the caller's stream at once: the arm decelerates and holds. Nothing happens to the arm of another owner. */
  async stop(arm: Arm, caller: Caller): Promise<void> {
    await this.#inputs.stop(arm, caller.owner.key);
  }

  /**
   * State of an arm whose bus another machine owns. Nothing is kept of the arguments after the call.
   * @param positions rad, one per joint in the order of the model, finite
   * @param velocities rad/s, likewise; null when the sender does not know them
   * @param efforts Nm, likewise
   */
  remoteState(arm: Arm, positions: Float64Array, velocities: Float64Array | null, efforts: Float64Array | null): void {
    const state = { kind: 'state', arm: arm.index, positions: positions.slice() } as const;
    this.#control.sample({ ...state, velocities: velocities?.slice() ?? null, efforts: efforts?.slice() ?? null });
  }

  /** What pushes the joints of an arm whose bus another machine owns: Nm, one per joint in the order of the model, finite. */
  remoteTorques(arm: Arm, torques: Float64Array): void {
    this.#control.sample({ kind: 'external', arm: arm.index, torques: torques.slice() });
  }

  /**
   * What the machine that owns a remote arm says of it.
   * @param holding all its servos have torque
   * @param blocked why it must not be driven from here, for people; empty when it may
   */
  remoteOwner(arm: Arm, holding: boolean, blocked: string): void {
    arm.toldByOwner(holding, blocked);
    this.#control.sample({ kind: 'owner', arm: arm.index, torque: holding, blocked });
  }

  /** Takes no further setpoints. */
  close(): void {
    this.#inputs.close();
  }
}
