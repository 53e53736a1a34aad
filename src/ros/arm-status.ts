import type { Arm } from '../arm/types.ts';
import type { ArmNames } from './names.ts';
import type { Qualities } from './qos.ts';
import type { RosNode } from './rclnodejs.ts';
import { stampOf } from './time.ts';

/** `~/status` of an arm: published at start and after each change. */
export class ArmStatus {
  readonly #publish: () => void;
  #told = '';

  constructor(node: RosNode, arm: Arm, names: ArmNames, qualities: Qualities) {
    const publisher = node.createPublisher('arm_bridge/msg/ArmStatus', '~/status', { qos: qualities.latched });
    const frame_id = names.frame(arm.model.baseLink);
    const fixed = { name: arm.name, model: arm.model.name, bus: arm.bus, simulated: arm.simulated };
    this.#publish = () => {
      const { state, torque, holding, calibrated } = arm.read();
      const { initialised, outside, unplaced, reason } = arm;
      const { held } = arm;
      const owner = { owner: held?.owner.name ?? '', owner_since: stampOf(held?.since ?? 0) };
      const placed = { calibrated, outside_limits: outside, unplaced };
      const status = { ...fixed, state, torque, holding, initialised, ...placed, ...owner, reason };
      const text = JSON.stringify(status);
      if (text === this.#told) return;
      this.#told = text;
      publisher.publish({ header: { stamp: stampOf(arm.clock.wall()), frame_id }, ...status });
    };
  }

  /** Publishes the status if it has changed since the last call. */
  publish(): void {
    this.#publish();
  }

  /** The next call publishes the status in any case: who has heard another one of this name too cannot know whose was newer. */
  repeat(): void {
    this.#told = '';
  }
}
