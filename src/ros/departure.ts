import { Worker } from 'node:worker_threads';
import { threadEntry } from '../thread.ts';

/** Leaving the graph takes well below a second, and a few seconds on a very busy machine, ms. */
const LIMIT = 5000;

/** Input of the monitoring thread. */
export interface WatchData {
  /** One cell: 1 once the graph has been left. */
  readonly left: Int32Array;
  /** ms */
  readonly limit: number;
}

/**
 * Runs `leave`, which blocks this thread, in its own turn of the event loop, and ends the process with SIGKILL if it
 * does not return in time.
 *
 * The Fast DDS of ROS 2 from PyPI occasionally waits forever for a discovery callback that it blocks itself, when
 * another participant leaves the graph at the same moment (https://github.com/eProsima/Fast-DDS/issues/6513). No timer
 * of this thread could end that.
 * @param limit ms
 */
export async function leaveGraph(leave: () => void, limit = LIMIT): Promise<void> {
  const left = new Int32Array(new SharedArrayBuffer(4));
  const workerData: WatchData = { left, limit };
  const watch = new Worker(threadEntry('ros/departure-worker.js'), { workerData, name: 'departure' });
  await new Promise((resolve, reject) => {
    watch.once('online', resolve);
    watch.once('error', reject);
  });
  const ended = new Promise((resolve) => watch.once('exit', resolve));
  // Stopping a node runs the event loop inside itself, which frees closed resources: not while a stream is being read.
  await new Promise((resolve) => setImmediate(resolve));
  try {
    leave();
  } finally {
    Atomics.store(left, 0, 1);
    Atomics.notify(left, 0);
    await ended;
  }
}
