/** Entry of the thread that monitors the departure from the graph: see departure.ts. */
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { systemClock } from '../clock.ts';
import type { WatchData } from './departure.ts';

const { limit } = workerData as WatchData;
// The main thread ends this one once the graph has been left.
systemClock.after(limit, () => {
  // Not through process.stderr: the main thread writes that stream, and it is blocked.
  writeSync(
    2,
    `arm-bridge: ROS 2 did not end within ${limit} s (Fast DDS issue 6513), so this process ends itself; ` +
      'the arms have been released or hold as told before\n',
  );
  process.kill(process.pid, 'SIGKILL');
});
