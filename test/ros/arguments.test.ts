import { describe, expect, test } from 'vitest';
import { parseRosArguments, RosArgumentError, splitRosArguments } from '../../src/ros/arguments.ts';

describe('ROS arguments', () => {
  test('stand between --ros-args and --, any number of times', () => {
    const argv = ['--port', '1', '--ros-args', '-r', 'a:=b', '--', '--no-ros', '--ros-args', '-p', 'x:=1'];
    expect(splitRosArguments(argv)).toEqual({
      own: ['--port', '1', '--no-ros'],
      ros: ['--ros-args', '-r', 'a:=b', '--', '--ros-args', '-p', 'x:=1'],
    });
  });

  test('a global namespace becomes a prefix and does not reach rcl, where it would put all arms into one', () => {
    const argv = ['--ros-args', '-r', '__ns:=/lab', '--remap', 'joint_states:=states', '-p', 'use_sim_time:=false'];
    expect(parseRosArguments(argv)).toEqual({
      prefix: '/lab',
      argv: ['--ros-args', '--remap', 'joint_states:=states', '-p', 'use_sim_time:=false'],
    });
  });

  test.each([
    ['__ns:=lab', '/lab'],
    ['__ns:=/lab/left', '/lab/left'],
    ['arm_bridge:__ns:=/lab', '/lab'],
    ['__ns:=/', ''],
  ])('%s gives the prefix "%s"', (rule, prefix) => {
    expect(parseRosArguments(['--ros-args', '-r', rule])).toEqual({ prefix, argv: ['--ros-args'] });
  });

  test('of two namespaces the first wins, as in rcl', () => {
    expect(parseRosArguments(['--ros-args', '-r', '__ns:=/a', '-r', '__ns:=/b']).prefix).toBe('/a');
  });

  test('a namespace for nodes of another name is left to rcl', () => {
    const argv = ['--ros-args', '-r', 'camera:__ns:=/lab'];
    expect(parseRosArguments(argv)).toEqual({ prefix: '', argv });
  });

  test.each(['__node:=robot', '__name:=robot', 'arm_bridge:__node:=robot'])(
    'the global node name %s is refused with the reason and the way out',
    (rule) => {
      const parse = () => parseRosArguments(['--ros-args', '-r', rule]);
      expect(parse).toThrow(RosArgumentError);
      expect(parse).toThrow(/one node per arm.*__ns:=\/lab/s);
    },
  );

  test('the name the nodes have anyway is no fault: launch files often give it', () => {
    expect(parseRosArguments(['--ros-args', '-r', '__node:=arm_bridge']).argv).toEqual(['--ros-args']);
  });

  test.each(['__ns:=/1st', '__ns:=/a//b', '__ns:=/a/', '__ns:=/a b'])(
    '%s is refused by name, not left to fail node by node',
    (rule) => {
      expect(() => parseRosArguments(['--ros-args', '-r', rule])).toThrow(RosArgumentError);
    },
  );
});
