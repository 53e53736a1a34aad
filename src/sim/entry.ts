import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import loadMujoco from '@mujoco/mujoco';
import { systemClock } from '../clock.ts';
import { messageOf } from '../message-of.ts';
import { setPriority } from '../thread.ts';
import { LocalSimulation } from './local-simulation.ts';
import type { SimCall, SimReply, SimRequest, SimResult, SimWorkerData } from './sim-messages.ts';

/**
 * Entry of the simulation thread. The arms run on this thread's own clock: physics continues while the rest of the
 * bridge is busy or blocked.
 */

/** Period at which arms advance without requests, s. */
const TICK = 1e-3;

const control = parentPort;
if (!control) throw new Error('src/sim/entry is a worker thread entry: start it through Simulation.start');

const ports = new Map<string, MessagePort>();

function tell(reply: SimReply): void {
  control!.postMessage(reply);
}

function attach(simulation: LocalSimulation, name: string, port: MessagePort): void {
  const line = simulation.get(name);
  ports.get(name)?.close();
  ports.set(name, port);
  // A copy: posting a view would clone the whole buffer behind it.
  line.onBytes = (bytes) => port.postMessage(new Uint8Array(bytes));
  port.on('message', (message: Uint8Array | number) => {
    // A number marks that the host end has opened the port (SimPort); echo it.
    if (typeof message === 'number') port.postMessage(message);
    else line.write(message);
  });
}

/** @throws {Error} with a message for the user if the call fails */
function carryOut(simulation: LocalSimulation, call: SimCall): SimResult {
  switch (call.type) {
    case 'add':
      simulation.build(call.arm);
      return null;
    case 'connect':
      simulation.get(call.arm).sim.connect(call.ids);
      return null;
    case 'attach':
      attach(simulation, call.arm, call.port);
      return null;
    case 'hand':
      simulation.get(call.arm).sim.hand(call.joints, call.duration, call.stiffness);
      return null;
    case 'truth':
      return simulation.truthNow(call.arm);
    case 'fault':
      simulation.get(call.arm).fault(call.fault);
      return null;
    case 'objects':
      return simulation.objectsNow(call.arm);
    case 'lead-object':
      simulation.leadObjectNow(call.arm, call.object, call.goal, call.duration);
      return null;
    case 'reset-objects':
      simulation.resetObjectsNow(call.arm);
      return null;
    case 'stop':
      for (const port of ports.values()) port.close();
      simulation.dispose();
      control!.close();
      return null;
  }
}

try {
  const simulation = new LocalSimulation({
    clock: systemClock,
    mujoco: await loadMujoco(),
    tick: TICK,
    onFailure: (message) => tell({ type: 'failure', message }),
  });
  simulation.onObjects((arm, poses) => tell({ type: 'objects', arm, poses }));
  control.on('message', ({ number, call }: SimRequest) => {
    try {
      const result = carryOut(simulation, call);
      if (call.type !== 'stop') tell({ type: 'done', number, result });
    } catch (error) {
      tell({ type: 'refused', number, message: messageOf(error) });
    }
  });
  const { arms, priority } = workerData as SimWorkerData;
  for (const options of arms) simulation.build(options);
  // The control thread asks for the same priority and reports a refusal.
  if (priority !== null) setPriority(priority);
  tell({ type: 'ready' });
} catch (error) {
  tell({ type: 'failure', message: messageOf(error) });
  control.close();
}
