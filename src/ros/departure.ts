import { Worker } from 'node:worker_threads';
import { threadEntry } from '../thread.ts';

/** Leaving the graph takes well below a second; on a machine that is very busy, a few, ms. */
const LIMIT = 5000;

/** What the watching thread is given. */
export interface WatchData {
  /** One cell: 1 once the graph has been left. */
  readonly left: Int32Array;
  /** ms */
  readonly limit: number;
}

/**
 * Runs `leave`, which blocks this thread, in a turn of the event loop of its own, and ends the process with SIGKILL when
 * it does not return in time.
 *
 * Fast DDS as ROS 2 has it from PyPI waits for ever now and then for a discovery callback that it keeps from running
 * itself, when another participant leaves the graph in the same moment (https://github.com/eProsima/Fast-DDS/issues/6513).
 * No timer of this thread could end that.
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
  // To stop a node runs the event loop within itself, which frees what has been closed: not below a stream that is being read.
  await new Promise((resolve) => setImmediate(resolve));
  try {
    leave();
  } finally {
    Atomics.store(left, 0, 1);
    Atomics.notify(left, 0);
    await ended;
  }
}
