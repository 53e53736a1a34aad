import { expect, test } from 'vitest';
import { withoutRoutes } from '../../web/words.ts';

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
  ['x: 3.5 is out of bounds', 'x: 3.5 is out of bounds'],
])('the page says of "%s" what a person needs, without routes', (told, said) => {
  expect(withoutRoutes(told)).toBe(said);
});
