/**
 * For `node --import`, in the bridge's process: at SIGUSR2 prints how much processor time its main thread has used between two calls of
 * a timer of 1 ms since the last time, in ms, and begins anew. So long others wait for it, but for what else the machine does.
 */
import { openSync, readSync } from 'node:fs';
import { createHistogram } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const INTERVAL = 1;

if (isMainThread) {
  // Its first number is the time on a processor, ns (Documentation/scheduler/sched-stats of Linux).
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const text = Buffer.alloc(64);
  const used = (): number => Number.parseInt(text.toString('latin1', 0, readSync(file, text, 0, text.length, 0)), 10);
  const work = createHistogram();
  let before = used();
  setInterval(() => {
    const now = used();
    work.record(Math.max(1, now - before));
    before = now;
  }, INTERVAL).unref();
  process.on('SIGUSR2', () => {
    const [p99, longest] = [work.percentile(99), work.max].map((time) => time / 1e6);
    process.stderr.write(`main thread kept: ${JSON.stringify({ p99, longest })}\n`);
    work.reset();
  });
}
