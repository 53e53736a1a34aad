/** Entry point of the control thread: runs a `ControlThread` in a worker of its own. */
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../clock.ts';
import { fineTimers, setPriority } from '../thread.ts';
import { ControlThread } from './control-thread.ts';
import type { ControlSetup, FromControl, ToControl } from './messages.ts';
import { openLink, runBench } from './open-link.ts';
import { LoopField } from './snapshot/shared-snapshot.ts';

const setup = workerData as ControlSetup;
const port = parentPort!;
const post = (message: FromControl): void => port.postMessage(message);

const thread = new ControlThread(setup, systemClock, openLink, post);
thread.runBench = runBench;
thread.onClosed = () => port.close();
port.on('message', (message: ToControl) => thread.receive(message));

if (setup.priority !== null) {
  const refusal = setPriority(setup.priority);
  thread.shared.loop[LoopField.priority] = refusal === '' ? setup.priority : 0;
  if (refusal !== '') {
    post({ kind: 'notice', text: `the control thread runs without control.priority ${setup.priority}: ${refusal}` });
  }
}
fineTimers();
thread.start();
