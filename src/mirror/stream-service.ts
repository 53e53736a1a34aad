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
   * Setpoints for an arm whose bus this bridge owns. The arguments are not kept after the call.
   * @param names joints of the model to move, each once, in any order; the others keep their setpoints
   * @param positions rad, one per name, finite
   * @param caller owner of the stream: each owner has one stream
   * @param stream how to follow, as set by the first message of a stream: after `timeout` s without a message the arm
   *   decelerates to a hold; after a jump it approaches slowly again if `reapproach` is set
   * @returns why the setpoints are refused; null when the arm follows
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

  /** A message has been refused without being handled: its stream must be silent before it can take the arm. */
  refuse(arm: Arm, caller: Caller): void {
    this.#inputs.refuse(arm, caller.owner.key);
  }

  /** Ends the caller's stream at once: the arm decelerates and holds. An arm of another owner is not affected. */
  async stop(arm: Arm, caller: Caller): Promise<void> {
    await this.#inputs.stop(arm, caller.owner.key);
  }

  /**
   * State of an arm whose bus another machine owns. The arguments are not kept after the call.
   * @param positions rad, one per joint in the order of the model, finite
   * @param velocities rad/s, likewise; null when the sender does not know them
   * @param efforts Nm, likewise
   */
  remoteState(arm: Arm, positions: Float64Array, velocities: Float64Array | null, efforts: Float64Array | null): void {
    const state = { kind: 'state', arm: arm.index, positions: positions.slice() } as const;
    this.#control.sample({ ...state, velocities: velocities?.slice() ?? null, efforts: efforts?.slice() ?? null });
  }

  /** External joint torques of a remote arm: Nm, one per joint in the order of the model, finite. */
  remoteTorques(arm: Arm, torques: Float64Array): void {
    this.#control.sample({ kind: 'external', arm: arm.index, torques: torques.slice() });
  }

  /**
   * State of a remote arm as reported by the machine that owns it.
   * @param holding all its servos have torque
   * @param blocked why the arm must not be driven from here, human-readable; empty when it may
   * @param other who else drives it there, human-readable; empty: nobody
   */
  remoteOwner(arm: Arm, holding: boolean, blocked: string, other: string): void {
    arm.toldByOwner(holding, blocked, other);
    this.#control.sample({ kind: 'owner', arm: arm.index, torque: holding, blocked });
  }

  /** Accepts no further setpoints. */
  close(): void {
    this.#inputs.close();
  }
}
