import type { ArmSet } from '../arm/arms.ts';
import type { ControlClient } from '../arm/control-client.ts';
import type { ArmHandle, Claim } from '../arm/handle.ts';
import type { JointStreams } from '../arm/streams.ts';
import type { Arm } from '../arm/types.ts';

/** A stream owns its arm until this long after its last message, s. */
const OWNERSHIP_TIME = 0.5;

interface Running {
  readonly claim: Claim;
  /** Null until the control loop has taken the stream up. */
  motion: number | null;
  arrived: number;
}

/** Joint values that arrive from other programs: setpoints that drive an arm, and the state of remote arms. */
export class StreamService implements JointStreams {
  readonly #arms: ArmSet;
  readonly #control: ControlClient;
  readonly #running = new Map<ArmHandle, Running>();
  readonly #timer: NodeJS.Timeout;
  #open = true;

  constructor(arms: ArmSet, control: ControlClient) {
    this.#arms = arms;
    this.#control = control;
    this.#timer = setInterval(() => this.#expire(), (OWNERSHIP_TIME * 1000) / 5);
    this.#timer.unref();
  }

  command(arm: Arm, names: readonly string[], positions: Float64Array): 'accepted' | { readonly refused: string } {
    if (!this.#open) return { refused: 'the bridge is ending' };
    const handle = this.#arms.byName(arm.name)!;
    let running = this.#running.get(handle);
    if (running === undefined) {
      const { owner } = handle;
      const { state } = handle.read();
      if (owner !== null) return { refused: `arm ${arm.name} is driven by ${owner.name}` };
      if (state !== 'ready') {
        return {
          refused: `arm ${arm.name} is ${state}, not ready: switch its torque on first, for example by /move/init`,
        };
      }
      running = this.#begin(handle);
    }
    running.arrived = performance.now();
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
    this.#open = false;
    clearInterval(this.#timer);
  }

  #begin(handle: ArmHandle): Running {
    const owner = { key: `ros:${handle.name}/joint_commands`, name: `the ROS topic /${handle.name}/joint_commands` };
    const claim = handle.claim({ owner, takeOver: false }, () => this.#lost(handle, running));
    const running: Running = { claim, motion: null, arrived: performance.now() };
    this.#running.set(handle, running);
    handle.drive({ kind: 'stream' }).then(
      ({ motion, ended }) => {
        running.motion = motion;
        if (this.#running.get(handle) !== running) this.#lost(handle, running);
        void ended.then(() => this.#end(handle, running));
      },
      () => this.#end(handle, running),
    );
    return running;
  }

  /** The arm is somebody else's: what this stream still drives decelerates to a hold. */
  #lost(handle: ArmHandle, running: Running): void {
    if (this.#running.get(handle) === running) this.#running.delete(handle);
    if (running.motion !== null) handle.cancel(running.motion).catch(() => {});
  }

  #expire(): void {
    const before = performance.now() - OWNERSHIP_TIME * 1000;
    for (const [handle, running] of this.#running) {
      if (running.arrived > before || running.motion === null) continue;
      handle.cancel(running.motion).catch(() => this.#end(handle, running));
    }
  }

  #end(handle: ArmHandle, running: Running): void {
    if (this.#running.get(handle) === running) this.#running.delete(handle);
    handle.release(running.claim);
  }
}
