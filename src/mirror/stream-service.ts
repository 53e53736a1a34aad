import type { ArmSet } from '../arm/arms.ts';
import type { ControlClient } from '../arm/control-client.ts';
import { InputStreams } from '../arm/input-streams.ts';
import type { JointStreams } from '../arm/joint-streams.ts';
import type { Arm } from '../arm/types.ts';
import type { Clock } from '../clock.ts';
import { STALE } from '../rt/sources/follow.ts';

/** Joint values that arrive from other programs: setpoints that drive an arm, and the state of remote arms. */
export class StreamService implements JointStreams {
  readonly #arms: ArmSet;
  readonly #control: ControlClient;
  readonly #inputs: InputStreams;

  constructor(arms: ArmSet, control: ControlClient, clock: Clock) {
    this.#arms = arms;
    this.#control = control;
    this.#inputs = new InputStreams(clock);
  }

  command(
    arm: Arm,
    names: readonly string[],
    positions: Float64Array,
    _stamp: number,
    topic: string,
  ): 'accepted' | { readonly refused: string } {
    const handle = this.#arms.byName(arm.name)!;
    const owner = { key: `ros:${arm.name}/${topic}`, name: `the ROS topic /${arm.name}/${topic}` };
    const refused = this.#inputs.take(handle, { kind: 'stream', timeout: STALE }, { owner, takeOver: false });
    if (refused !== null) return { refused };
    const setpoints = new Float64Array(arm.model.joints.length).fill(Number.NaN);
    for (const [i, name] of names.entries()) {
      const index = arm.model.joints.findIndex((joint) => joint.name === name);
      if (index >= 0) setpoints[index] = positions[i]!;
    }
    this.#control.sample({ kind: 'setpoints', arm: handle.index, positions: setpoints });
    return 'accepted';
  }

  remoteState(arm: Arm, positions: Float64Array, velocities: Float64Array | null): void {
    const { index } = this.#arms.byName(arm.name)!;
    const state = { kind: 'state', arm: index, positions: positions.slice() } as const;
    this.#control.sample({ ...state, velocities: velocities?.slice() ?? null });
  }

  /** Takes no further setpoints. */
  close(): void {
    this.#inputs.close();
  }
}
