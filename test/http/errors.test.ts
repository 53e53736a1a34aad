import { expect, test } from 'vitest';
import { BridgeError, REMEDIES } from '../../src/arm/types.ts';
import { inWords } from '../../src/http/errors.ts';
import { inWords as inRosWords } from '../../src/ros/errors.ts';

const arm = { id: 1, name: 'follower' };
const NODE = '/lab/follower/arm_bridge';

test.each(REMEDIES)('what to do by "%s" is said in words of HTTP and of ROS 2, each in its own', (remedy) => {
  const sentence = new BridgeError('stopped', 'Something is so.', { arm, remedy });
  const part = new BridgeError('stopped', 'arm follower is so', { arm, remedy });
  expect(inWords(sentence)).toMatch(/^Something is so\. [A-Z/].*\.$/);
  expect(inWords(part)).toMatch(/^arm follower is so: [a-z/]/);
  const ros = inRosWords(sentence, NODE);
  expect(ros).toMatch(/^Something is so\. [A-Z].*\.$/);
  expect(ros).not.toMatch(/\/(move|stop|torque|recording|robot|local)\/|POST|take_over/);
});

test('an error without a remedy is told as it is', () => {
  const error = new BridgeError('bad_request', 'Nothing has moved.', { arm });
  expect(inWords(error)).toBe('Nothing has moved.');
  expect(inRosWords(error, NODE)).toBe('Nothing has moved.');
});

test('a stopped arm is released by the id, or by the node, of that arm', () => {
  const error = new BridgeError('stopped', 'Arm follower is stopped (test).', { arm, remedy: 'reset' });
  expect(inWords(error)).toBe('Arm follower is stopped (test). Release it with POST /stop/reset?robot_id=1.');
  expect(inRosWords(error, NODE)).toBe(`Arm follower is stopped (test). Release it with ${NODE}/reset.`);
});
