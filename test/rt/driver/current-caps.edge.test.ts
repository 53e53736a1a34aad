import { expect, test } from 'vitest';
import { loadArmModel } from '../../../src/arm/model.ts';
import { systemClock } from '../../../src/clock.ts';
import { holdingArm } from '../../mirror/support/fixture.ts';
import { floating } from '../../mirror/support/floating.ts';
import { registersOnBus, WITNESS_PYTHON } from '../../support/witness.ts';

/** Six XL330-M077, which keep to a largest current in mode 5. */
const model = loadArmModel('koch', 'leader');
/** A pose with little enough weight for its small servos, rad. */
const RAISED = [0.3, 0.2, -1.2, 0.3, -1.5, -0.5];
/** Registers of the e-manual's table. */
const OPERATING_MODE = 11;
const HARDWARE_ERROR = 70;
const POSITION_P_GAIN = 84;
const GOAL_CURRENT = 102;
/** What gives half of each servo's torque limit, mA. */
const HALF = [735, 735, 735, 735, 735, 366];

test.skipIf(!WITNESS_PYTHON)(
  'makers read the capped current, the soft gain and the mode of a floating arm',
  async () => {
    const arm = await holdingArm(model, RAISED);
    arm.runtime.drive(floating(model.joints.length));
    arm.run(0.5);
    const ids = model.joints.map(({ servos }) => servos[0]!.id);
    const registers = ids.flatMap((id) => [
      `${id}:${OPERATING_MODE}:1`,
      `${id}:${HARDWARE_ERROR}:1`,
      `${id}:${POSITION_P_GAIN}:2`,
      `${id}:${GOAL_CURRENT}:2`,
    ]);
    const { port, sim } = arm;
    const read = await registersOnBus('dynamixel', registers, (onReply) => {
      port.onBytes = onReply;
      return { feed: (bytes) => sim.feed(bytes, systemClock.now()) };
    });
    expect(read).toEqual(ids.flatMap((_, j) => [5, 0, 150, HALF[j]]));
  },
);
