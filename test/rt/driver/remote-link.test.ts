import { expect, test } from 'vitest';
import { RemoteLink } from '../../../src/rt/driver/remote-link.ts';
import { RemotePresence } from '../../../src/rt/driver/remote-presence.ts';

const ELSEWHERE = 'its servos belong to the bridge of another machine: ask that one';
const SILENT = 'nothing comes on the ROS topic /follower/joint_states: start the bridge that owns its bus';
const at = (...angles: readonly number[]): Float64Array => Float64Array.from(angles);

/** Cycles for so long, s. @returns the time at their end */
function cycles(link: RemoteLink, from: number, seconds: number): number {
  let now = from;
  for (; now < from + seconds; now += 0.005) expect(link.begin(now)).toBe(false);
  return now;
}

test('a remote arm is up while its state arrives, and gone half a second after that ends', () => {
  const link = new RemoteLink(2, 'follower');
  expect([link.up, link.reason]).toEqual([false, SILENT]);
  let now = cycles(link, 10, 1);
  expect([link.up, link.reason]).toEqual([false, SILENT]);
  link.arrived(at(0.1, 0.2), null, null, now);
  expect([link.up, link.reason, [...link.readings.positions]]).toEqual([true, '', [0.1, 0.2]]);
  expect([link.readings.sampleTime, link.readings.steerTime, link.readings.heard[1]]).toEqual([now, now, now]);
  expect(link.readings.detailTime).toBe(0);
  now = cycles(link, now, 0.49);
  expect(link.up).toBe(true);
  link.arrived(at(0.3, 0.4), at(1, 2), at(3, 4), now);
  expect([[...link.readings.velocities], link.readings.detailTime]).toEqual([[1, 2], now]);
  expect([...link.readings.efforts]).toEqual([3, 4]);
  // What it held when it came up is what it is taken over with.
  expect([...link.adopted]).toEqual([0.1, 0.2]);
  now = cycles(link, now, 0.49);
  expect(link.up).toBe(true);
  now = cycles(link, now, 0.03);
  expect([link.up, link.reason]).toEqual([false, SILENT]);
  link.arrived(at(0.5, 0.6), null, null, now);
  expect([link.up, [...link.adopted]]).toEqual([true, [0.5, 0.6]]);
});

test('a pause of this host is not the silence of another machine', () => {
  const link = new RemoteLink(1, 'follower');
  const now = cycles(link, 10, 0.1);
  link.arrived(at(0), null, null, now);
  cycles(link, now + 0.9, 0.1);
  expect(link.up).toBe(true);
});

test('what pushes a remote arm is known for a tenth of a second after its machine has told it', () => {
  const link = new RemoteLink(2, 'follower');
  const { external } = link.readings;
  let now = cycles(link, 10, 0.1);
  expect([...external]).toEqual([Number.NaN, Number.NaN]);
  link.pushed(at(0.3, -0.4), now);
  now = cycles(link, now, 0.09);
  expect([...external]).toEqual([0.3, -0.4]);
  link.pushed(at(0.5, 0.6), now);
  now = cycles(link, now, 0.09);
  expect([...external]).toEqual([0.5, 0.6]);
  now = cycles(link, now, 0.03);
  expect([...external]).toEqual([Number.NaN, Number.NaN]);
  link.close('disconnected by a person');
  link.pushed(at(0.1, 0.2), now);
  expect([...external]).toEqual([Number.NaN, Number.NaN]);
});

test('what the owner says of torque and of who may drive it holds here', () => {
  const link = new RemoteLink(2, 'follower');
  expect([link.power, link.anyTorque, [...link.held], link.trouble, link.blocked]).toEqual([
    'holding',
    true,
    [1, 1],
    '',
    '',
  ]);
  link.told(false, 'it is stopped there');
  expect([link.power, link.anyTorque, [...link.held], link.trouble, link.blocked]).toEqual([
    'limp',
    false,
    [0, 0],
    'it is stopped there',
    'it is stopped there',
  ]);
  link.told(true, '');
  expect([link.power, [...link.held]]).toEqual(['holding', [1, 1]]);
});

test('an arm that has been taken away stays away until it is wanted again, whatever arrives', () => {
  const link = new RemoteLink(1, 'follower');
  link.reopen();
  expect(link.reason).toBe(SILENT);
  link.arrived(at(0.1), null, null, 10);
  let done = 0;
  link.close('disconnected by a person', () => done++);
  expect([link.up, link.reason, done]).toEqual([false, 'disconnected by a person', 1]);
  link.close('disconnected by a person');
  link.arrived(at(0.2), null, null, 11);
  expect([link.up, link.readings.positions[0]]).toEqual([false, 0.1]);
  link.reopen();
  expect([link.up, link.reason]).toEqual([false, SILENT]);
  link.arrived(at(0.2), null, null, 12);
  expect(link.up).toBe(true);
  link.reopen();
  expect([link.up, link.reason]).toEqual([true, '']);
});

test('what only the owner of the bus can do is refused, and what it keeps to does not narrow the arm here', () => {
  const link = new RemoteLink(1, 'follower');
  const problems: string[] = [];
  const note = (outcome: object): void => void problems.push((outcome as { problem: string }).problem);
  link.setTorque(true, (problem) => problems.push(problem));
  link.servos(note);
  link.limitTemperatures(at(60), note);
  link.calibrate([], note);
  expect(problems).toEqual([ELSEWHERE, ELSEWHERE, ELSEWHERE, ELSEWHERE]);
  expect(link.recover()).toBe('');
  expect(link.takesGoals()).toBe(true);
  expect([link.limits.lower[0], link.limits.upper[0]]).toEqual([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]);
  expect([link.gain[0], link.withheld[0], link.arming, link.frozen, link.settling]).toEqual([
    1,
    0,
    false,
    false,
    false,
  ]);
  expect([link.remote, link.late]).toEqual([true, false]);
});

test('a closed remote arm is not there by a state that arrives, and keeps its reason', () => {
  const presence = new RemotePresence(SILENT);
  expect(presence.heard()).toBe(true);
  presence.close('disconnected by a person');
  expect(presence.heard()).toBe(false);
  expect([presence.present, presence.closed, presence.reason]).toEqual([false, true, 'disconnected by a person']);
  presence.reopen();
  expect([presence.present, presence.closed, presence.reason]).toEqual([false, false, SILENT]);
});
