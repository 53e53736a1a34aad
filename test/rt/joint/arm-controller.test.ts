import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { RemoteLink } from '../../../src/rt/driver/remote-link.ts';
import { ArmController } from '../../../src/rt/joint/arm-controller.ts';
import { jointMasks } from '../../../src/rt/joint/joint-groups.ts';
import { StateCode } from '../../../src/rt/snapshot/arm-fields.ts';
import { SharedState } from '../../../src/rt/snapshot/shared-snapshot.ts';

test('an arm that was away counts as driven by something else, since it may have been moved meanwhile', () => {
  const one = Float64Array.of(1);
  const limits = {
    lower: Float64Array.of(-1),
    upper: one,
    velocity: { move: one, mirror: one },
    acceleration: { move: one, mirror: one },
  };
  const link = new RemoteLink(1, 'follower');
  const arm = new ArmController(
    0,
    {
      ...{
        name: 'follower',
        joints: ['pan'],
        masks: jointMasks(1, null),
        limits,
        gravity: () => {},
        stall: [null],
        yield: [null],
      },
      ...{ stiffness: one, damping: one, friction: one, inertia: one, torqueLimit: one, floatTorque: one },
    },
    link,
    new SharedState([1], systemClock),
  );
  let now = 10;
  const cycle = (): void => {
    now += 0.005;
    link.begin(now);
    arm.step(now, 0.005, 0);
  };
  link.arrived(Float64Array.of(0.1), null, null, now);
  cycle();
  expect(arm.state).toBe(StateCode.ready);
  const before = arm.motion;
  cycle();
  expect(arm.motion).toBe(before);
  now += 1;
  cycle();
  expect(arm.state).toBe(StateCode.disconnected);
  link.arrived(Float64Array.of(0.4), null, null, now);
  cycle();
  expect(arm.state).toBe(StateCode.ready);
  expect(arm.motion).not.toBe(before);
});
