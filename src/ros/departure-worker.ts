/** Entry of the thread that monitors the departure from the graph: see departure.ts. */
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { WatchData } from './departure.ts';

const { left, limit } = workerData as WatchData;
if (Atomics.wait(left, 0, 0, limit) === 'timed-out') {
  // Not through process.stderr: the main thread writes that stream, and it is blocked.
  writeSync(
    2,
    `arm-bridge: ROS 2 did not end within ${limit / 1000} s (Fast DDS issue 6513), so this process ends itself; ` +
      'the arms have been released or hold as told before\n',
  );
  process.kill(process.pid, 'SIGKILL');
}
