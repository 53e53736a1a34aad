import { expect, test } from 'vitest';
import { type ArmHandle, Claim, type Loss } from '../../src/arm/handle.ts';
import type { Caller } from '../../src/arm/types.ts';
import { systemClock } from '../../src/clock.ts';
import type { ArmPlanner } from '../../src/motion/planner.ts';
import { Planners } from '../../src/motion/planners.ts';
import { TrajectoryService } from '../../src/motion/trajectory-service.ts';

test('a gripper command ends when its arm is lost while the gripper is still short of its goal', async () => {
  let lose: (loss: Loss) => void = () => {};
  let cycles = 0;
  const arm = {
    name: 'follower',
    model: { gripper: { index: 0 }, joints: [{ name: 'gripper', lower: 0, upper: 1 }] },
    requireDrivable: () => {},
    // The last sample there is: nothing comes any more.
    read: () => ({ holding: true, state: 'ready', sampleInstant: 7, setpoints: [0.5], positions: [0.5] }),
    claim: ({ owner }: Caller, onLoss: (loss: Loss) => void) => {
      const claim = new Claim(owner, onLoss);
      lose = (loss) => claim.lose(loss);
      return claim;
    },
    release: () => {},
    drive: async () => ({ motion: 1, duration: 0, ended: Promise.resolve('done') }),
    cancel: async () => {},
    nextCycle: async () => {
      if (++cycles === 10) lose({ reason: 'disconnected', message: 'the arm is disconnected (unplugged)' });
      if (cycles > 1000) throw new Error('it waits for ever');
    },
    clock: systemClock,
  } as unknown as ArmHandle;
  const service = new TrajectoryService(new Planners([[arm, {} as ArmPlanner]]));
  const outcome = await service.gripper(arm, 0.9, 0.01, { owner: { key: 'ros', name: 'ROS' }, takeOver: false });
  expect(outcome).toEqual({ reached: false, stalled: false, message: 'the arm is disconnected (unplugged)' });
});

test('a system clock that is set ahead does not make a gripper on its way stand', async () => {
  let cycles = 0;
  const arm = {
    name: 'follower',
    model: { gripper: { index: 0 }, joints: [{ name: 'gripper', lower: 0, upper: 1 }] },
    requireDrivable: () => {},
    // It lags behind its setpoint by more than the tolerance, and creeps there in steps below the band that counts as moving.
    read: () => {
      const at = Math.min(0.9, 0.7 + 0.001 * cycles);
      const set = cycles < 3 ? 0 : 3600;
      const sampleInstant = 7 + 0.005 * cycles;
      return {
        holding: true,
        state: 'ready',
        sampleTime: 1e9 + set + sampleInstant,
        sampleInstant,
        setpoints: [0.9],
        positions: [at],
      };
    },
    claim: ({ owner }: Caller, onLoss: (loss: Loss) => void) => new Claim(owner, onLoss),
    release: () => {},
    drive: async () => ({ motion: 1, duration: 0, ended: Promise.resolve('done') }),
    cancel: async () => {},
    nextCycle: async () => {
      if (++cycles > 1000) throw new Error('it waits for ever');
    },
    clock: systemClock,
  } as unknown as ArmHandle;
  const service = new TrajectoryService(new Planners([[arm, {} as ArmPlanner]]));
  const outcome = await service.gripper(arm, 0.9, 0.01, { owner: { key: 'ros', name: 'ROS' }, takeOver: false });
  expect(outcome).toEqual({ reached: true, stalled: false, message: '' });
});
