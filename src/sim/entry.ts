import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import loadMujoco, { type MainModule } from '@mujoco/mujoco';
import { setPriority } from '../thread.ts';
import type { SimCall, SimReply, SimRequest, SimWorkerData } from './sim-messages.ts';
import { type SimArmOptions, type SimTruth, SimulatedArm } from './simulated-arm.ts';

/**
 * Entry of the simulation thread. The arms live on this thread's own clock: gravity goes on while the rest of the
 * bridge is busy or stuck. Request bytes are answered as they arrive, with the arm brought up to that instant first.
 */

/** Period of the timer that keeps the arms going while nobody asks, ms. */
const TICK = 1;

const control = parentPort;
if (!control) throw new Error('src/sim/entry is a worker thread entry: start it through Simulation.start');

const arms = new Map<string, SimulatedArm>();
const ports = new Map<string, MessagePort>();

function now(): number {
  return performance.now() / 1000;
}

function tell(reply: SimReply): void {
  control!.postMessage(reply);
}

function attach(arm: SimulatedArm, port: MessagePort): void {
  ports.get(arm.name)?.close();
  ports.set(arm.name, port);
  port.on('message', (message: Uint8Array | number) => {
    // A number marks an opening of the far end (SimPort); it goes back as it came.
    if (typeof message === 'number') port.postMessage(message);
    else arm.feed(message, now());
  });
}

function build(options: SimArmOptions): void {
  const reply = (bytes: Uint8Array): void => {
    // A copy: posting a view would clone the whole buffer behind it.
    ports.get(options.name)?.postMessage(new Uint8Array(bytes));
  };
  const failure = (message: string): void => tell({ type: 'failure', message });
  arms.set(options.name, new SimulatedArm(mj, options, now(), reply, failure));
}

function find(name: string): SimulatedArm {
  const arm = arms.get(name);
  if (!arm) throw new Error(`no simulated arm "${name}"; there are ${[...arms.keys()].join(', ')}`);
  arm.advance(now());
  return arm;
}

/** @throws {Error} for people, when the call cannot be carried out. */
function carryOut(call: SimCall): SimTruth | null {
  switch (call.type) {
    case 'add':
      build(call.arm);
      return null;
    case 'attach':
      attach(find(call.arm), call.port);
      return null;
    case 'hand':
      find(call.arm).hand(call.joints, call.duration);
      return null;
    case 'truth':
      return find(call.arm).truth(performance.timeOrigin / 1000);
    case 'fault': {
      const arm = find(call.arm);
      const { dead, loseRate, corruptRate, powerCycle } = call.fault;
      const faults = arm.bus.faults;
      if (dead) {
        faults.dead.clear();
        for (const id of dead) faults.dead.add(id);
      }
      if (loseRate !== undefined) faults.loseRate = loseRate;
      if (corruptRate !== undefined) faults.corruptRate = corruptRate;
      if (powerCycle) arm.powerCycle();
      return null;
    }
    case 'stop':
      clearInterval(timer);
      for (const port of ports.values()) port.close();
      for (const arm of arms.values()) arm.dispose();
      arms.clear();
      control!.close();
      return null;
  }
}

control.on('message', ({ number, call }: SimRequest) => {
  try {
    const truth = carryOut(call);
    if (call.type !== 'stop') tell({ type: 'done', number, truth });
  } catch (error) {
    tell({ type: 'refused', number, message: error instanceof Error ? error.message : String(error) });
  }
});

let timer: NodeJS.Timeout | undefined;
let mj: MainModule;
try {
  mj = await loadMujoco();
  const { arms: described, priority } = workerData as SimWorkerData;
  for (const options of described) build(options);
  // A refusal is told by the control thread, which asks for the same.
  if (priority !== null) setPriority(priority);
  timer = setInterval(() => {
    const time = now();
    for (const arm of arms.values()) arm.advance(time);
  }, TICK);
  tell({ type: 'ready' });
} catch (error) {
  tell({ type: 'failure', message: error instanceof Error ? error.message : String(error) });
  control.close();
}
