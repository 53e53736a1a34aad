import { expect, test } from 'vitest';
import type { Qualities } from '../../src/ros/qos.ts';
import type { RosNode } from '../../src/ros/rclnodejs.ts';
import { Rosout } from '../../src/ros/rosout.ts';

interface Line {
  readonly level: number;
  readonly name: string;
  readonly msg: string;
}

function rosout() {
  const lines: Line[] = [];
  // The edge to rclnodejs: what is handed to it.
  const node = { createPublisher: () => ({ publish: (line: Line) => lines.push(line) }) } as unknown as RosNode;
  const made = new Rosout(node, '/arm_bridge', {} as Qualities);
  made.add(node, 'follower', '/lab/follower/arm_bridge');
  made.add(node, 'leader', '/lab/leader/arm_bridge');
  const told = () => lines.splice(0).map(({ level, name, msg }) => [level, name, msg]);
  return { made, told };
}

test('ten goals that are refused for one reason are two warnings of the node of their arm, again after a pause', () => {
  const { made, told } = rosout();
  const refused = 'motion of follower by the ROS node /mover (action /x, ROS 2): refused: no joint "thumb"';
  const refuse = (time: number) => made.publish({ time, level: 'warn', message: refused });
  for (let i = 0; i < 10; i++) refuse(2 * i);
  const name = 'lab.follower.arm_bridge';
  expect(told()).toEqual([
    [30, name, refused],
    [30, name, `${refused} (10 times)`],
  ]);
  refuse(30);
  expect(told()).toEqual([[30, name, refused]]);
});

test('what was said before anybody heard it is said again in its order, but for information', () => {
  const { made, told } = rosout();
  const lines = [
    { time: 1, level: 'warn', message: 'follower is stopped until somebody resets it' },
    { time: 2, level: 'info', message: 'follower is connected' },
    { time: 3, level: 'error', message: 'leader does not answer yet' },
  ];
  made.catchUp(lines.reverse());
  expect(told()).toEqual([
    [30, 'lab.follower.arm_bridge', 'follower is stopped until somebody resets it'],
    [40, 'lab.leader.arm_bridge', 'leader does not answer yet'],
  ]);
});

test('other reasons, other arms and information are not held back', () => {
  const { made, told } = rosout();
  for (const message of ['it is stopped', 'it is limp']) {
    for (const arm of ['leader', 'follower']) made.publish({ time: 0, level: 'warn', message, arm });
  }
  expect(told().map(([, name, msg]) => [name, msg])).toEqual([
    ['lab.leader.arm_bridge', 'it is stopped'],
    ['lab.follower.arm_bridge', 'it is stopped'],
    ['lab.leader.arm_bridge', 'it is limp'],
    ['lab.follower.arm_bridge', 'it is limp'],
  ]);
  for (let i = 0; i < 3; i++) made.publish({ time: i, level: 'info', message: 'follower is ready' });
  made.publish({ time: 4, level: 'debug', message: 'for developers' });
  made.publish({ time: 5, level: 'error', message: 'of the process' });
  expect(told()).toEqual([
    ...Array(3).fill([20, 'lab.follower.arm_bridge', 'follower is ready']),
    [40, 'arm_bridge', 'of the process'],
  ]);
});

test('however many lines the log has, a node publishes ten in a second that are no warnings, and then how many it has not', () => {
  const { made, told } = rosout();
  const refused = (client: number) =>
    `motion of follower by an HTTP client at 10.0.0.${client} (move): refused: it is limp`;
  for (let i = 0; i < 200; i++) made.publish({ time: 5 + i / 250, level: 'info', message: refused(i) });
  const name = 'lab.follower.arm_bridge';
  expect(told()).toEqual(Array.from({ length: 10 }, (_, i) => [20, name, refused(i)]));
  // Other levels and other nodes have their own.
  made.publish({ time: 5.9, level: 'warn', message: 'follower is limp' });
  made.publish({ time: 5.9, level: 'info', message: 'leader is ready' });
  expect(told()).toHaveLength(2);
  made.publish({ time: 6, level: 'info', message: refused(200) });
  expect(told()).toEqual([
    [20, name, '190 more lines within one second are in the log of the bridge alone'],
    [20, name, refused(200)],
  ]);
});
