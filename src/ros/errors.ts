import { BridgeError, type Remedy } from '../arm/types.ts';
import { messageOf } from '../message-of.ts';
import { NODE_NAME } from './arguments.ts';

/** Why a request failed: a code for programs, as in the HTTP interface, and a human-readable text. */
export interface Fault {
  readonly code: string;
  readonly message: string;
}

export const NO_FAULT: Fault = { code: '', message: '' };

/** Remedies in terms of ROS. @param node full name of the arm's node */
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

/** An error of the bridge with its remedy, for a ROS program. @param node full name of the arm's node */
export function inWords({ message, remedy }: BridgeError, node: string): string {
  if (remedy === null) return message;
  const step = REMEDY[remedy](node);
  return message.endsWith('.') ? `${message} ${step[0]!.toUpperCase()}${step.slice(1)}.` : `${message}: ${step}`;
}

/**
 * Response of a service or an action to an error.
 * @param node full name of the node that was called: the arm's, or that of the process
 */
export function faultOf(error: unknown, node: string): Fault {
  if (!(error instanceof BridgeError)) return { code: 'internal', message: messageOf(error) };
  return { code: error.code, message: inWords(error, error.arm === null ? node : armNode(error.arm.name, node)) };
}

/** Node of an arm, beside or below the node that was called. */
function armNode(arm: string, node: string): string {
  if (node.endsWith(`/${arm}/${NODE_NAME}`)) return node;
  return `${node.slice(0, -NODE_NAME.length)}${arm}/${NODE_NAME}`;
}
