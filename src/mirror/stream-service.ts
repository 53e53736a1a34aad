import type { Arm } from '../arm/arm.ts';
import type { ControlClient } from '../arm/control-client.ts';
import { InputStreams } from '../arm/input-streams.ts';
import { BridgeError } from '../arm/types.ts';
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
   * @param topic below the arm's namespace, on which they come: each topic is an owner of its own
   * @returns why they are refused; null when the arm follows
   */
  command(arm: Arm, names: readonly string[], positions: Float64Array, topic: string): BridgeError | null {
    const owner = { key: `ros:${arm.name}/${topic}`, name: `the ROS topic /${arm.name}/${topic}` };
    const source = { kind: 'stream', timeout: STALE } as const;
    const group = this.#inputs.take(arm, source, { owner, takeOver: false }, arm.jointsOf(names));
    if (group instanceof BridgeError) return group;
    const setpoints = new Float64Array(arm.model.joints.length).fill(Number.NaN);
    for (const [i, name] of names.entries()) {
      const index = arm.model.joints.findIndex((joint) => joint.name === name);
      if (index >= 0) setpoints[index] = positions[i]!;
    }
    this.#control.sample({ kind: 'setpoints', arm: arm.index, group, positions: setpoints });
    return null;
  }

  /**
   * State of an arm whose bus another machine owns. Nothing is kept of the arguments after the call.
   * @param positions rad, one per joint in the order of the model, finite
   * @param velocities rad/s, likewise; null when the sender does not know them
   */
  remoteState(arm: Arm, positions: Float64Array, velocities: Float64Array | null): void {
    const state = { kind: 'state', arm: arm.index, positions: positions.slice() } as const;
    this.#control.sample({ ...state, velocities: velocities?.slice() ?? null });
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
