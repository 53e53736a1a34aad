// A pool for vitest whose one thread outlives a run, with all modules that it has loaded. Stryker runs the tests thousands of
// times in one process, and nothing but the number of the active mutant differs: starting a thread and loading the sources
// would take longer than the tests.

import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

const NAME = 'kept';
/** What vitest says to its worker and hears from it, in `startRunner` and `stopRunner` of its pool. */
const answer = (type) => ({ type, __vitest_worker_response__: true });

/** @type {Worker | undefined} */
let thread;

/** @param {import('vitest/node').PoolOptions} options @returns {import('vitest/node').PoolWorker} */
function createPoolWorker({ distPath, env, execArgv }) {
  const fresh = thread === undefined;
  thread ??= new Worker(join(distPath, 'workers', 'threads.js'), { env, execArgv });
  const kept = thread;
  /** What the tests of this run are to do, which the thread has been told of the first one. */
  let config;
  const listeners = new Map();
  const tell = (type) =>
    setImmediate(() => {
      for (const hear of listeners.get('message') ?? []) hear(answer(type));
    });
  const lost = () => {
    thread = undefined;
  };
  if (fresh) kept.once('exit', lost).once('error', lost).setMaxListeners(0);
  return {
    name: NAME,
    on(event, callback) {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(callback));
      kept.on(event, callback);
    },
    off(event, callback) {
      listeners.get(event)?.delete(callback);
      kept.off(event, callback);
    },
    send(message) {
      if (message.type === 'start') {
        config = message.context.config;
        if (!fresh) return tell('started');
      }
      if (message.type === 'stop') return tell('stopped');
      if (message.type === 'run') message.context.config = config;
      kept.postMessage(message);
    },
    deserialize: (data) => data,
    async start() {},
    async stop() {
      for (const [event, callbacks] of listeners) for (const callback of callbacks) kept.off(event, callback);
      listeners.clear();
    },
  };
}

/** A plugin that has the tests of a project run in that thread, whatever pool the caller asks for. */
export const keptWorker = {
  name: 'kept-worker',
  configureVitest({ project, vitest }) {
    project.config.pool = NAME;
    project.config.poolRunner = { name: NAME, createPoolWorker };
    project.config.isolate = false;
    vitest.onClose(async () => {
      await thread?.terminate();
    });
  },
};
