import { expect, test } from 'vitest';
import { sentence, withoutCommands, withoutRoutes } from '../../web/words.ts';

test.each([
  [
    'Arm follower is stopped (POST /stop by this page). Release it with POST /stop/reset?robot_id=1.',
    'Arm follower is stopped (by this page).',
  ],
  ['POST /stop by curl/7.88.1', 'by curl/7.88.1'],
  [
    'Init of follower was not done: follower is driven by ROS. Wait until it has ended, or take it with ?take_over=true.',
    'Init of follower was not done: follower is driven by ROS.',
  ],
  ['follower is limp: switch its torque on first, for example by /move/init', 'follower is limp'],
  [
    'follower has no calibration: calibrate it (arm-bridge calibrate), or move it at 0.3 rad/s with ?uncalibrated=true',
    'follower has no calibration',
  ],
  ['Mirroring runs. To stop it, call /move/leader/stop', 'Mirroring runs.'],
  ['follower replays: /recording/stop ends that', 'follower replays'],
  ['no servo answers on /dev/ttyUSB0: look at its cable', 'no servo answers on /dev/ttyUSB0: look at its cable'],
  [
    'not deleted: There is no "wave" in /var/lib/recordings.',
    'not deleted: There is no "wave" in /var/lib/recordings.',
  ],
  ['x: 3.5 is out of bounds', 'x: 3.5 is out of bounds'],
])('the page says of "%s" what a person needs, without routes', (told, said) => {
  expect(withoutRoutes(told)).toBe(said);
});

test.each([
  [
    'no answer from gripper (id 6, STS3215): check the cables into them, or set them up (arm-bridge setup servo).',
    'no answer from gripper (id 6, STS3215): check the cables into them, or set them up.',
  ],
  [
    "the servo has id 5, which somebody has given it, and not the factory's 1: check that it is that of gripper; --reassign gives it id 6 all the same.",
    "the servo has id 5, which somebody has given it, and not the factory's 1: check that it is that of gripper.",
  ],
  [
    'gripper (id 6, STS3215) does not answer as such: arm-bridge scan shows who does.',
    'gripper (id 6, STS3215) does not answer as such.',
  ],
  [
    'servo 6 measures 12.1 V, and is made for 4.5 to 8.0 V: switch its supply off',
    'servo 6 measures 12.1 V, and is made for 4.5 to 8.0 V: switch its supply off',
  ],
  [
    '/home/me/lab.yaml cannot be written (EACCES): let the user of this bridge write into its folder /home/me; or end this bridge, and run arm-bridge setup --config /home/me/lab.yaml as a user who may write it',
    '/home/me/lab.yaml cannot be written (EACCES): let the user of this bridge write into its folder /home/me',
  ],
])('the page says of "%s" what a person needs, without the commands of a terminal', (told, said) => {
  expect(withoutCommands(told)).toBe(said);
});

test.each([
  ['by curl/7.88.1', 'By curl/7.88.1.'],
  ['The supply is gone.', 'The supply is gone.'],
  ['', ''],
])('the page says "%s" as a sentence of its own', (clause, said) => {
  expect(sentence(clause)).toBe(said);
});
