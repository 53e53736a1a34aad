import { type TransferListItem, Worker } from 'node:worker_threads';
import type { ControlChannel } from './arm/control-client.ts';
import type { Clock } from './clock.ts';
import { type Disk, fileDisk } from './disk.ts';
import type { FromPlanner } from './motion/plan-messages.ts';
import type { PlannerChannel } from './motion/planners.ts';
import type { FromRecording, ToRecording } from './recording/messages.ts';
import type { RecordingChannel } from './recording/recording-client.ts';
import type { RecordingSetup } from './recording/recording-thread.ts';
import { loadRclnodejs } from './ros/rclnodejs.ts';
import { type RosRoom, type RosServices, startRos } from './ros/room.ts';
import type { ArmSetup, ControlSetup, FromControl, ToControl } from './rt/messages.ts';
import { discoverPorts, type PortInfo } from './servo/port/discovery.ts';
import type { SimArmOptions } from './sim/simulated-arm.ts';
import { type SimulatedArms, Simulation, type SimulationOptions } from './sim/simulation.ts';
import type { FromStop, StopChannel, StopSetup } from './stop/messages.ts';
import { FRUGAL, threadEntry } from './thread.ts';

export { type KitHand, kitJoints, makeKit } from './sim/kit.ts';
export type { SimulatedArms };

/**
 * What the bridge needs from its environment: either this machine with threads, ports and sockets, or a virtual one
 * that runs everything in one thread.
 */
export interface Host {
  readonly clock: Clock;
  readonly disk: Disk;
  /** Whether HTTP listens; otherwise its requests come by `inject`. */
  readonly listens: boolean;
  /** Starts the control thread. */
  startControl(setup: ControlSetup): ControlChannel;
  /** Starts the thread that reads and writes recordings. */
  startRecording(setup: RecordingSetup): RecordingChannel;
  /** Starts the planner thread. @param givenUp one word: the request that was given up */
  startPlanner(givenUp: SharedArrayBuffer): PlannerChannel;
  /** Starts the thread that accepts only stops, on its own port. */
  startStop(setup: StopSetup): StopChannel;
  /** Starts the simulation; resolves when its arms answer. @throws {Error} naming the arm that cannot be built */
  startSimulation(
    arms: readonly SimArmOptions[],
    options: Pick<SimulationOptions, 'onFailure' | 'priority'>,
  ): Promise<SimulatedArms>;
  /** Serial ports of this machine. */
  scanPorts(): Promise<readonly PortInfo[]>;
  /** Loads what `startRos` needs, which can keep the calling thread for half a second. Never rejects: `startRos` tells what is missing. */
  loadRos(): Promise<unknown>;
  /** Puts the arms on the ROS 2 graph. @throws {RosUnavailable} with the reason when ROS 2 is unavailable */
  startRos(services: RosServices): Promise<RosRoom>;
}

/** This machine: the control loop, recording, planning, stops and the simulation run in their own threads. */
export function thisMachine(clock: Clock): Host {
  return {
    clock,
    disk: fileDisk,
    listens: true,
    startControl,
    startRecording,
    startPlanner,
    startStop,
    startSimulation: (arms, options) => Simulation.start(arms, { clock, ...options }),
    scanPorts: discoverPorts,
    loadRos: loadRclnodejs,
    startRos,
  };
}

function startControl(setup: ControlSetup): ControlChannel {
  const options = { workerData: setup, transferList: setup.arms.flatMap(portsOf), name: 'control' };
  const worker = new Worker(threadEntry('rt/entry.js'), options);
  const channel: ControlChannel = {
    onMessage: () => {},
    onExit: () => {},
    post: (message) => worker.postMessage(message, portsIn(message)),
  };
  let failure = new Error('it has ended');
  worker.on('message', (message: FromControl) => channel.onMessage(message));
  worker.on('error', (error) => {
    failure = error;
  });
  worker.on('exit', () => channel.onExit(failure));
  return channel;
}

function startRecording(setup: RecordingSetup): RecordingChannel {
  const worker = new Worker(threadEntry('recording/entry.js'), {
    workerData: setup,
    name: 'recording',
    resourceLimits: FRUGAL,
  });
  // The process tells it to complete its files before ending, so the thread need not keep the process alive.
  worker.unref();
  const channel: RecordingChannel = {
    onMessage: () => {},
    onExit: () => {},
    // Images are transferred, because copying would block the main thread.
    post: (message) => worker.postMessage(message, imagesIn(message)),
  };
  let failure = new Error('it has ended');
  worker.on('message', (message: FromRecording) => channel.onMessage(message));
  worker.on('error', (error) => {
    failure = error;
  });
  worker.on('exit', () => channel.onExit(failure));
  return channel;
}

function startPlanner(givenUp: SharedArrayBuffer): PlannerChannel {
  const worker = new Worker(threadEntry('motion/planner-entry.js'), {
    workerData: givenUp,
    name: 'planner',
    resourceLimits: FRUGAL,
  });
  const channel: PlannerChannel = {
    onMessage: () => {},
    onExit: () => {},
    post: (message) => worker.postMessage(message),
    close: () => void worker.terminate(),
  };
  let failure = new Error('it has been closed');
  worker.on('message', (message: FromPlanner) => channel.onMessage(message));
  worker.on('error', (error) => {
    failure = error;
  });
  worker.on('exit', () => channel.onExit(failure));
  return channel;
}

function startStop(setup: StopSetup): StopChannel {
  const worker = new Worker(threadEntry('stop/entry.js'), { workerData: setup, name: 'stop', resourceLimits: FRUGAL });
  const channel: StopChannel = {
    onMessage: () => {},
    onExit: () => {},
    post: (message) => worker.postMessage(message),
    close: () => void worker.terminate(),
  };
  let failure = new Error('it has been closed');
  worker.on('message', (message: FromStop) => channel.onMessage(message));
  worker.on('error', (error) => {
    failure = error;
  });
  worker.on('exit', () => channel.onExit(failure));
  return channel;
}

/** The image of a message, which is transferred to the other thread. */
function imagesIn(message: ToRecording): TransferListItem[] {
  return 'event' in message && message.event.kind === 'camera' ? [message.event.data.buffer as ArrayBuffer] : [];
}

/** Ports of a message, which are transferred to the other thread. */
function portsIn(message: ToControl): TransferListItem[] {
  if (!('command' in message)) return [];
  const { command } = message;
  if (command.kind === 'add') return portsOf(command.setup);
  return command.kind === 'bench' ? portsOf(command) : [];
}

function portsOf({ bus }: Pick<ArmSetup, 'bus'>): TransferListItem[] {
  return bus.kind === 'sim' && 'postMessage' in bus.port ? [bus.port] : [];
}
