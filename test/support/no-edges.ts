/**
 * Set-up of unit tests: whatever would leave this process is refused, so that `npm run check` needs nothing but Node and a
 * test that needs more is named so.
 */
import childProcess, { ChildProcess } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { Server, Socket } from 'node:net';
import workerThreads from 'node:worker_threads';
import { expect } from 'vitest';

function refuse(what: string): () => never {
  return () => {
    const file = expect.getState().testPath ?? 'this file';
    throw new Error(`a unit test ${what}: name it ${file.replace(/\.test\.ts$/, '.edge.test.ts')} (CONTRIBUTING.md)`);
  };
}

const starts = refuse('starts a program');
Object.assign(ChildProcess.prototype, { spawn: starts });
Object.assign(childProcess, { spawnSync: starts, execFileSync: starts, execSync: starts });
Object.assign(Server.prototype, { listen: refuse('listens on a socket') });
Object.assign(Socket.prototype, { connect: refuse('connects to a socket') });
Object.assign(workerThreads, {
  // A function, since it is called with `new`.
  Worker: function Worker(): never {
    return refuse('starts a thread')();
  },
});
// Named imports of these modules see the same.
syncBuiltinESMExports();
