import type { Arm } from '../arm/arm.ts';
import type { ControlClient } from '../arm/control-client.ts';
import { InputStreams } from '../arm/input-streams.ts';
import { BridgeError, type Caller } from '../arm/types.ts';
import type { Clock } from '../clock.ts';
import type { Joints } from '../rt/joint/joint-groups.ts';
import type { JogVelocity } from '../rt/messages.ts';
import { JOG_TIMEOUT } from '../rt/sources/jog.ts';
import { HEADROOM } from '../rt/sources/trajectory.ts';

export type { JogVelocity };

/** Part of a joint's largest speed at which it is jogged at most: the rest lets it catch up with its setpoint. */
export const JOG_SHARE = HEADROOM;

/** Drives arms at speeds that arrive as a stream of messages. */
export class JogService {
  readonly #control: ControlClient;
  readonly #inputs: InputStreams;

  constructor(control: ControlClient, clock: Clock) {
    this.#control = control;
    this.#inputs = new InputStreams(clock);
  }

  /**
   * Handles a message of a stream. The first one takes the arm, which must be free and ready (or taken over); speeds of 0
   * keep it, but take none, because joysticks at rest go on sending them. After `timeout` without a message the arm
   * decelerates to a hold; after 0.5 s without one it is released.
   * @param timeout s, as set by the first message of a stream
   * @returns why the message is refused; null when the arm moves
   */
  feed(arm: Arm, velocity: JogVelocity, caller: Caller, timeout = JOG_TIMEOUT): BridgeError | null {
    const values = velocity.kind === 'joints' ? velocity.velocities : velocity.twist;
    const expected = velocity.kind === 'joints' ? arm.model.joints.length : 6;
    if (values.length !== expected) {
      return new BridgeError('bad_request', `arm ${arm.name} needs ${expected} speeds, not ${values.length}`, { arm });
    }
    if (!values.every(Number.isFinite)) {
      return new BridgeError('bad_request', `a speed for arm ${arm.name} is no number`, { arm });
    }
    const group = values.every((value) => value === 0)
      ? this.#inputs.keep(arm, caller.owner.key)
      : this.#inputs.take(arm, { kind: 'jog', timeout }, caller, movedBy(arm, velocity));
    if (group === null || group instanceof BridgeError) return group;
    this.#control.sample({ kind: 'jog', arm: arm.index, group, velocity });
    return null;
  }

  /** Whether the caller's stream drives the arm now. */
  drives(arm: Arm, caller: Caller): boolean {
    return this.#inputs.drives(arm, caller.owner.key);
  }

  /** A message has been refused without being handled: its stream must be silent before it can take the arm. */
  refuse(arm: Arm, caller: Caller): void {
    this.#inputs.refuse(arm, caller.owner.key);
  }

  /** Ends the caller's stream at once: the arm decelerates and holds. An arm of another owner is not affected. */
  async stop(arm: Arm, caller: Caller): Promise<void> {
    await this.#inputs.stop(arm, caller.owner.key);
  }

  /** Accepts no further messages. */
  close(): void {
    this.#inputs.close();
  }
}

/** Joints moved by a jog message: a gripper that it leaves alone may have another owner. */
function movedBy(arm: Arm, velocity: JogVelocity): Joints {
  if (velocity.kind === 'twist') return 'arm';
  const moved = arm.model.joints.filter((_, i) => velocity.velocities[i] !== 0);
  return arm.jointsOf(moved.map(({ name }) => name));
}
