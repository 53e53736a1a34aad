/**
 * For `node --import`, in the bridge's process: at SIGUSR2 prints how long its main thread has been kept from a timer of 1 ms since
 * the last time, in ms, and begins anew.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const RESOLUTION = 1;

if (isMainThread) {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION });
  delays.enable();
  process.on('SIGUSR2', () => {
    const [p99, longest] = [delays.percentile(99), delays.max].map((time) => Math.max(0, time / 1e6 - RESOLUTION));
    process.stderr.write(`main thread kept: ${JSON.stringify({ p99, longest })}\n`);
    delays.reset();
  });
}
