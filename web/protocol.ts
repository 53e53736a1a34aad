/** What the live stream and the routes say, in the words of the page: names for what the TypeScript client has from the bridge's own description. SI units. */

import type { Schemas } from '../clients/typescript/src/bridge.ts';

export type ArmState = Schemas['ArmState']['state'];
export const ARM_STATES = [
  'disconnected',
  'connected',
  'ready',
  'moving',
  'mirroring',
  'floating',
  'stopped',
] as const satisfies readonly ArmState[];

export type JointInfo = Schemas['JointFacts'];
/** What does not change about an arm. */
export type ArmInfo = Schemas['ArmFacts'];
/** An arm at one moment; arrays are in the order of its joints. */
export type ArmFrame = Schemas['ArmState'];
export type Vector = NonNullable<ArmFrame['tool']>['position'];

export type Hello = Schemas['LiveHello'];
/** An object before a simulated arm, and where one was seen last. */
export type SimObject = Schemas['SimObject'];
export type ObjectPose = Schemas['ObjectPose'];
export type PairFrame = Schemas['PairState'];
export type LoopFrame = Schemas['LiveLoop'];
export type JournalEvent = Schemas['JournalEvent'];
export type LogLine = Schemas['LogLine'];
export type ServerMessage = Schemas['LiveFrame'] | Schemas['LiveRefusal'];

/** Answer of a step of a calibration. */
export type CalibrationAnswer = Schemas['CalibrateResponse'];
/** What a joint has been led over, from the middle pose. */
export type SweptJoint = Schemas['SweptJoint'];
/** A calibration that is under way. */
export type CalibrationState = Schemas['CalibrationState'];

/** What can be set up, and the set-up of an arm that is under way. */
export type SetupState = Schemas['SetupState'];
export type SetupSession = Schemas['SetupSession'];
export type SetupStep = Schemas['SetupStep'];

export type Jog = Required<Pick<Schemas['LiveJog'], 'joints'>> | Required<Pick<Schemas['LiveJog'], 'twist'>>;

export type BridgeStatus = Schemas['BridgeStatus'];
/** An episode that is being recorded. */
export type Episode = Schemas['RunningEpisode'];
export type EpisodeAnswer = Schemas['EpisodeResponse'];
export type Recording = Schemas['Recording'];
export type RecordingForeseen = Schemas['RecordingForeseen'];
export type RecordingSamples = Schemas['RecordingSamples'];
export type RecordingList = Schemas['RecordingList'];
