import { Worker } from 'node:worker_threads';
import { type Clock, turn } from '../clock.ts';
import { threadEntry } from '../thread.ts';

/** Leaving the graph takes well below a second, and a few seconds on a very busy machine, s. */
const LIMIT = 5;

/** Input of the monitoring thread. */
export interface WatchData {
  /** s */
  readonly limit: number;
}

/**
 * Runs `leave`, which blocks this thread, in its own turn of the event loop, and ends the process with SIGKILL if it
 * does not return in time.
 *
 * The Fast DDS of ROS 2 from PyPI occasionally waits forever for a discovery callback that it blocks itself, when
 * another participant leaves the graph at the same moment (https://github.com/eProsima/Fast-DDS/issues/6513). No timer
 * of this thread could end that.
 * @param limit s
 */
export async function leaveGraph(clock: Clock, leave: () => void, limit = LIMIT): Promise<void> {
  const workerData: WatchData = { limit };
  const watch = new Worker(threadEntry('ros/departure-worker.js'), { workerData, name: 'departure' });
  await new Promise((resolve, reject) => {
    watch.once('online', resolve);
    watch.once('error', reject);
  });
  // Stopping a node runs the event loop inside itself, which frees closed resources: not while a stream is being read.
  await turn(clock);
  try {
    leave();
  } finally {
    await watch.terminate();
  }
}
