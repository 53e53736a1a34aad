import { expect, test } from 'vitest';
import type { ControlClient } from '../../src/arm/control-client.ts';
import { ArmHandle } from '../../src/arm/handle.ts';
import { loadArmModel } from '../../src/arm/model.ts';
import { systemClock } from '../../src/clock.ts';
import type { Chain } from '../../src/kinematics/chain.ts';
import { ARM_FIELD_NAMES, StateCode } from '../../src/rt/snapshot/arm-fields.ts';
import { SharedState } from '../../src/rt/snapshot/shared-snapshot.ts';

test('a stop that comes while an earlier one is being released is not released with it', async () => {
  const model = loadArmModel('so101');
  const shared = new SharedState([model.joints.length], systemClock);
  const handle = new ArmHandle({
    ...{ id: 0, name: 'arm', bus: 'sim:so101', index: 0, detached: () => false },
    model,
    chain: {} as Chain,
    shared,
    clock: systemClock,
    control: { listen: () => {} } as unknown as ControlClient,
  });
  const { scalars } = shared.arm(0);
  const state = ARM_FIELD_NAMES.indexOf('state');
  const cycle = (): void => {
    const stopped = shared.stopLatched(0);
    scalars[state] = stopped ? StateCode.stopped : StateCode.ready;
    shared.finishCycle();
  };
  const stop = handle.stop('by the first');
  cycle();
  await stop;

  const reset = handle.reset();
  // The release waits for a cycle; the stop is confirmed at once.
  await handle.stop('by the second');
  cycle();
  await expect(reset).rejects.toThrow(/Arm arm is stopped \(by the second\)/);
  expect(shared.stopLatched(0)).toBe(true);

  const again = handle.reset();
  cycle();
  await expect.poll(() => shared.stopLatched(0)).toBe(false);
  cycle();
  await again;
});
