import { type Arm, BridgeError } from '../arm/types.ts';
import { messageOf } from './rclnodejs.ts';

/** Why something was not done: a kind for programs, as of the HTTP interface, and a text for people. */
export interface Fault {
  readonly code: string;
  readonly message: string;
}

export const NO_FAULT: Fault = { code: '', message: '' };

/**
 * What a service or an action answers to an error. The next step that it names is one that a ROS program can take.
 * @param arm the arm that was asked; null for the whole process
 * @param node full name of the arm's node
 */
export function faultOf(error: unknown, arm: Arm | null, node: string): Fault {
  if (!(error instanceof BridgeError)) return { code: 'internal', message: messageOf(error) };
  const { code, message, details } = error;
  if (arm === null) return { code, message };
  switch (code) {
    case 'stopped':
      if (arm.read().state !== 'stopped') return { code, message };
      return { code, message: `Arm ${arm.name} is stopped (${arm.reason}). Release it with ${node}/reset.` };
    case 'owned':
      if (typeof details.owner !== 'string') return { code, message };
      return {
        code,
        message: `Arm ${arm.name} is driven by ${details.owner}. Wait until it has ended, or take it from there with ${node}/stop and ${node}/reset.`,
      };
    case 'not_initialised':
      return { code, message: `Arm ${arm.name} has no zero yet: call ${node}/init.` };
    default:
      return { code, message };
  }
}
