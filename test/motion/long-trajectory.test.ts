import { expect, test } from 'vitest';
import { type ArmHandle, Claim } from '../../src/arm/handle.ts';
import { BridgeError, type Caller } from '../../src/arm/types.ts';
import { systemClock } from '../../src/clock.ts';
import { ArmPlanner } from '../../src/motion/planner.ts';
import { Planners } from '../../src/motion/planners.ts';
import { type JointPath, type PathTolerances, TrajectoryService } from '../../src/motion/trajectory-service.ts';
import type { SourceSpec } from '../../src/rt/messages.ts';
import { chain, pose, so101 } from '../kinematics/so101.ts';

const caller: Caller = { owner: { key: 'ros:arm', name: 'ROS' }, takeOver: false };
const anything = Float64Array.from(so101.joints, () => Number.POSITIVE_INFINITY);
const tolerances: PathTolerances = { path: anything, goal: anything, goalVelocity: anything, goalTime: 0 };

/** The arm turns to and fro about its base, the other joints as they are unless `all` are named. */
function turning(rows: number, all = false): JointPath {
  const { names, q } = all
    ? { names: so101.joints.map(({ name }) => name), q: pose('init') }
    : { names: ['shoulder_pan'], q: new Float64Array(1) };
  const positions = new Float64Array(rows * names.length);
  for (let k = 0; k < rows; k++) {
    positions.set(q, k * names.length);
    positions[k * names.length] = 0.5 * Math.sin(k / 20);
  }
  return { names, times: Float64Array.from({ length: rows }, (_, k) => (k + 1) / 20), positions, velocities: null };
}

/** An arm that holds at `init`, and what has driven it. */
function holding() {
  const driven: SourceSpec[] = [];
  const snapshot = { holding: true, state: 'ready', sampleInstant: 1, motion: 0 };
  const at = { setpoints: pose('init'), positions: pose('init'), velocities: new Float64Array(6) };
  let stopped = false;
  const handle = {
    name: 'follower',
    model: so101,
    requireDrivable: () => {
      if (stopped) throw new BridgeError('stopped', 'Arm follower is stopped.');
    },
    read: () => ({ ...snapshot, ...at }),
    claim: ({ owner }: Caller) => new Claim(owner, () => {}),
    release: () => {},
    drive: async (source: SourceSpec) => {
      driven.push(source);
      return { motion: driven.length, duration: 0, ended: Promise.resolve('done') };
    },
    cancel: async () => {},
    nextCycle: async () => {},
    clock: systemClock,
  } as unknown as ArmHandle;
  const service = new TrajectoryService(new Planners([[handle, new ArmPlanner(so101, chain)]]));
  return { handle, service, driven, at, stop: () => (stopped = true) };
}

/** Long enough for the check to be in the midst of it, however quick the machine. */
const LONG = 50_000;
const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a stop is answered while a long trajectory is checked, and the trajectory never begins', async () => {
  const { handle, service, driven, stop } = holding();
  const following = service.follow(handle, turning(LONG), tolerances, caller);
  await soon();
  stop();
  await expect(following).rejects.toThrow('Arm follower is stopped.');
  expect(driven).toEqual([]);
});

test('a long trajectory that is cancelled while it is checked never begins', async () => {
  const { handle, service, driven } = holding();
  const gone = new AbortController();
  const following = service.follow(handle, turning(LONG), tolerances, { ...caller, signal: gone.signal });
  await soon();
  gone.abort();
  await expect(following).rejects.toThrow('Ended before it began, while it was checked: it was cancelled.');
  expect(driven).toEqual([]);
});

test('a trajectory that begins while an older one is still being checked keeps the arm', async () => {
  const { handle, service, driven } = holding();
  const older = service.follow(handle, turning(LONG), tolerances, caller);
  const newer = await service.follow(handle, turning(2), tolerances, caller);
  expect(newer.end).toBe('done');
  await expect(older).rejects.toThrow('Ended before it began, while it was checked: a newer trajectory has begun.');
  expect(driven).toHaveLength(1);
});

test('a joint that a trajectory does not name and that has moved meanwhile is not drawn back', async () => {
  const { handle, service, driven, at } = holding();
  const following = service.follow(handle, turning(LONG), tolerances, caller);
  await soon();
  at.setpoints[4] = at.setpoints[4]! + 0.2;
  await expect(following).rejects.toThrow('wrist_roll of arm follower has moved while the trajectory');
  expect(driven).toEqual([]);
  const named = service.follow(handle, turning(LONG, true), tolerances, caller);
  await soon();
  at.setpoints[4] = at.setpoints[4]! + 0.2;
  expect((await named).end).toBe('done');
  expect(driven).toHaveLength(1);
});
