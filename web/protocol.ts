/** What the live stream and the routes say, in the words of the page: names for what interface.ts has from the bridge's own description. SI units. */

import type * as bridge from './interface.ts';

export type ArmState = bridge.ArmState['state'];
export const ARM_STATES = [
  'disconnected',
  'connected',
  'ready',
  'moving',
  'mirroring',
  'floating',
  'stopped',
] as const satisfies readonly ArmState[];

export type JointInfo = bridge.JointFacts;
/** What does not change about an arm. */
export type ArmInfo = bridge.ArmFacts;
/** An arm at one moment; arrays are in the order of its joints. */
export type ArmFrame = bridge.ArmState;
export type Vector = NonNullable<ArmFrame['tool']>['position'];

export type Hello = bridge.LiveHello;
export type PairFrame = bridge.PairState;
export type LoopFrame = bridge.LiveLoop;
export type JournalEvent = bridge.JournalEvent;
export type LogLine = bridge.LogLine;
export type ServerMessage = bridge.LiveFrame | bridge.LiveRefusal;

/** Answer of a step of a calibration. */
export type CalibrationAnswer = bridge.CalibrateResponse;
/** What a joint has been led over, from the middle pose. */
export type SweptJoint = bridge.SweptJoint;
/** A calibration that is under way. */
export type CalibrationState = bridge.CalibrationState;

export type Jog = Required<Pick<bridge.LiveJog, 'joints'>> | Required<Pick<bridge.LiveJog, 'twist'>>;
