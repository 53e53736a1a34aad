import type { ArmSet } from '../arm/arms.ts';
import type { ControlClient } from '../arm/control-client.ts';
import { InputStreams } from '../arm/input-streams.ts';
import type { Arm, Caller } from '../arm/types.ts';
import type { Clock } from '../clock.ts';
import type { JogVelocity } from '../rt/messages.ts';
import { JOG_TIMEOUT } from '../rt/sources/jog.ts';

export type { JogVelocity };

/** Drives arms at speeds that come as a stream of messages. */
export interface Jogging {
  /**
   * A message of a stream. The first one takes the arm, which must be free and ready (or taken over); a while without
   * one makes it decelerate to a hold, 0.5 s without one gives it back.
   * @param timeout that while, s, as the first message of a stream says; left out: 0.1
   */
  feed(arm: Arm, velocity: JogVelocity, caller: Caller, timeout?: number): 'accepted' | { readonly refused: string };
  /** Ends the caller's stream at once: the arm decelerates and holds. Nothing happens to the arm of another owner. */
  stop(arm: Arm, caller: Caller): Promise<void>;
}

export class JogService implements Jogging {
  readonly #arms: ArmSet;
  readonly #control: ControlClient;
  readonly #inputs: InputStreams;

  constructor(arms: ArmSet, control: ControlClient, clock: Clock) {
    this.#arms = arms;
    this.#control = control;
    this.#inputs = new InputStreams(clock);
  }

  feed(
    arm: Arm,
    velocity: JogVelocity,
    caller: Caller,
    timeout = JOG_TIMEOUT,
  ): 'accepted' | { readonly refused: string } {
    const values = velocity.kind === 'joints' ? velocity.velocities : velocity.twist;
    const expected = velocity.kind === 'joints' ? arm.model.joints.length : 6;
    if (values.length !== expected) {
      return { refused: `arm ${arm.name} needs ${expected} speeds, not ${values.length}` };
    }
    if (!values.every(Number.isFinite)) return { refused: `a speed for arm ${arm.name} is no number` };
    const handle = this.#arms.byName(arm.name)!;
    const refused = this.#inputs.take(handle, { kind: 'jog', timeout }, caller);
    if (refused !== null) return { refused };
    this.#control.sample({ kind: 'jog', arm: handle.index, velocity });
    return 'accepted';
  }

  async stop(arm: Arm, caller: Caller): Promise<void> {
    await this.#inputs.stop(this.#arms.byName(arm.name)!, caller.owner.key);
  }

  /** Takes no further messages. */
  close(): void {
    this.#inputs.close();
  }
}
