/** The planner thread's entry: runs `PlannerThread` in a worker. */
import { parentPort, workerData } from 'node:worker_threads';
import type { FromPlanner, ToPlanner } from './plan-messages.ts';
import { PlannerThread } from './planner-thread.ts';

const port = parentPort!;
const thread = new PlannerThread(new Int32Array(workerData as SharedArrayBuffer), (message: FromPlanner) =>
  port.postMessage(message),
);
port.on('message', (message: ToPlanner) => thread.receive(message));
