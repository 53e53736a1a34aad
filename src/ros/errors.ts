import { BridgeError, type Remedy } from '../arm/types.ts';
import { NODE_NAME } from './arguments.ts';
import { messageOf } from './rclnodejs.ts';

/** Why something was not done: a kind for programs, as of the HTTP interface, and a text for people. */
export interface Fault {
  readonly code: string;
  readonly message: string;
}

export const NO_FAULT: Fault = { code: '', message: '' };

/** What a ROS program does about an error. @param node full name of the arm's node */
const REMEDY: Readonly<Record<Remedy, (node: string) => string>> = {
  init: (node) => `call ${node}/init`,
  reset: (node) => `release it with ${node}/reset`,
  torque_on: (node) => `switch its torque on first, for example with ${node}/init`,
  take_over: (node) => `wait until it has ended, or take it from there with ${node}/stop and ${node}/reset`,
  stop_mirroring: (node) => `stop it with ${node}/stop_mirroring`,
  stop_recording: () => 'end that by HTTP',
  connect: () => 'connect it by HTTP',
  calibrate: (node) => `calibrate it, or set ${node}:uncalibrated to true, which moves it at 0.3 rad/s`,
  list_ports: () => 'list the ports with arm-bridge ports',
};

/** An error of the bridge with what to do about it, for a program that speaks ROS. @param node full name of the arm's node */
export function inWords({ message, remedy }: BridgeError, node: string): string {
  if (remedy === null) return message;
  const step = REMEDY[remedy](node);
  return message.endsWith('.') ? `${message} ${step[0]!.toUpperCase()}${step.slice(1)}.` : `${message}: ${step}`;
}

/**
 * What a service or an action answers to an error.
 * @param node full name of the node that was asked: the arm's, or that of the process
 */
export function faultOf(error: unknown, node: string): Fault {
  if (!(error instanceof BridgeError)) return { code: 'internal', message: messageOf(error) };
  return { code: error.code, message: inWords(error, error.arm === null ? node : armNode(error.arm.name, node)) };
}

/** Node of an arm, beside or below the one that was asked. */
function armNode(arm: string, node: string): string {
  if (node.endsWith(`/${arm}/${NODE_NAME}`)) return node;
  return `${node.slice(0, -NODE_NAME.length)}${arm}/${NODE_NAME}`;
}
