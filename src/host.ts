import { type TransferListItem, Worker } from 'node:worker_threads';
import type { ControlChannel } from './arm/control-client.ts';
import type { Clock } from './clock.ts';
import { type Disk, fileDisk } from './disk.ts';
import { type RosRoom, type RosServices, startRos } from './ros/room.ts';
import type { ArmSetup, ControlSetup, FromControl, SimulatedPort, ToControl } from './rt/messages.ts';
import { discoverPorts, type PortInfo } from './servo/port/discovery.ts';
import { Simulation, type SimulationOptions } from './sim/simulation.ts';
import { threadEntry } from './thread.ts';

/** What the simulation offers to the bridge. */
export interface SimulatedArms extends Pick<Simulation, 'add' | 'hand' | 'truth' | 'fault' | 'close'> {
  /** A new port to an arm's servo bus, for the control thread; the one before it closes. */
  portFor(name: string): SimulatedPort;
}

/**
 * What the bridge needs of whatever runs it: this machine, with threads, ports and sockets, or a virtual one, in which all
 * of it runs in one thread.
 */
export interface Host {
  readonly clock: Clock;
  readonly disk: Disk;
  /** Whether HTTP listens; otherwise its requests come by `inject`. */
  readonly listens: boolean;
  /** Starts the control thread. */
  startControl(setup: ControlSetup): ControlChannel;
  /** Starts the simulation; resolves when its arms answer. @throws {Error} naming the arm that cannot be built */
  startSimulation(
    arms: Parameters<typeof Simulation.start>[0],
    options: Pick<SimulationOptions, 'onFailure' | 'priority'>,
  ): Promise<SimulatedArms>;
  /** Serial ports of this machine. */
  scanPorts(): Promise<readonly PortInfo[]>;
  /** Puts the arms on the ROS 2 graph. @throws {RosUnavailable} with the reason when there is none */
  startRos(services: RosServices): Promise<RosRoom>;
}

/** This machine: the control loop and the simulation have a thread each. */
export function thisMachine(clock: Clock): Host {
  return {
    clock,
    disk: fileDisk,
    listens: true,
    startControl,
    startSimulation: (arms, options) => Simulation.start(arms, options),
    scanPorts: discoverPorts,
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

/** Ports of a message, which go over to the other thread. */
function portsIn(message: ToControl): TransferListItem[] {
  return 'command' in message && message.command.kind === 'add' ? portsOf(message.command.setup) : [];
}

function portsOf({ bus }: ArmSetup): TransferListItem[] {
  return bus.kind === 'sim' && 'postMessage' in bus.port ? [bus.port] : [];
}
