/** Entry of the stop thread: it hears stops even while all other threads are busy. */
import { parentPort, workerData } from 'node:worker_threads';
import { ArmRecords } from '../arm/arm-records.ts';
import { systemClock } from '../clock.ts';
import { fileDisk } from '../disk.ts';
import { SharedState } from '../rt/snapshot/shared-snapshot.ts';
import { setPriority } from '../thread.ts';
import type { FromStop, StopSetup, ToStop } from './messages.ts';
import { StopDesk } from './stop-desk.ts';
import { StopServer } from './stop-server.ts';

const setup = workerData as StopSetup;
const port = parentPort!;
const post = (message: FromStop): void => port.postMessage(message);

const shared = new SharedState([], systemClock, { loop: setup.loop, arms: [] });
const records = new ArmRecords(fileDisk, setup.state, (text) => post({ kind: 'trouble', text }));
const desk = new StopDesk(shared, systemClock, records, (arms, by, at, origin) =>
  post({ kind: 'stopped', arms, by, at, origin }),
);
for (const arm of setup.arms) desk.add(arm);
const server = new StopServer(setup, desk, systemClock);
port.on('message', (message: ToStop) => {
  if ('arm' in message) desk.add(message.arm);
  else server.takeSession(message.key, message.session);
});
// A failure is not reported here: the control thread asks for real-time priority too, and reports it.
if (setup.priority !== null) setPriority(setup.priority);
server.listen().then(
  (bound) => post({ kind: 'listening', port: bound }),
  (error: NodeJS.ErrnoException) => post({ kind: 'failed', code: error.code ?? error.message }),
);
