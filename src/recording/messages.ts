import type { CameraType } from '../cameras.ts';
import type { RobotDescription } from '../kinematics/urdf.ts';
import type { MappedModel } from '../rt/sources/joint-map.ts';

/**
 * Messages between the main thread and the recording thread. Times are s since the epoch, except instants, which are
 * monotonic.
 */

/** An arm in a recording. */
export interface RecordedArm {
  readonly name: string;
  readonly model: { readonly urdf: string; readonly joints: readonly { readonly name: string }[] };
  readonly baseLink: string;
  readonly toolLink: string;
  /** `ros.joint_prefix` of the configuration. */
  readonly prefix: string | null;
  /** Pose of its root link in the frame `world`: m; roll, pitch and yaw in rad. */
  readonly mount: { readonly xyz: [number, number, number]; readonly rpy: [number, number, number] };
  /** Memory of its snapshot and history. */
  readonly memory: SharedArrayBuffer;
  /** Description for people and programs, in the file's metadata. */
  readonly about: object;
}

/** Labels that people give an episode. */
export interface Labels {
  /** The task, as training sets name it. */
  readonly task: string;
  readonly operator: string;
  /** Empty until a person has judged the episode. */
  readonly verdict: '' | 'good' | 'bad';
}

/** How the joints of a running pair belong together: the follower's angle is scale * the leader's + offset, rad. */
export interface RecordedPair {
  readonly leader: string;
  readonly follower: string;
  readonly joints: readonly {
    readonly leader: string;
    readonly follower: string;
    readonly scale: number;
    readonly offset: number;
  }[];
}

export interface BeginRecording {
  readonly kind: 'begin';
  readonly name: string;
  /** Dataset that the episode belongs to; null: none. */
  readonly dataset: string | null;
  /** `joints`: one file with the joint states of one arm; `episode`: a folder with everything that its arms do. */
  readonly content: 'joints' | 'episode';
  /** Samples per second; null: every cycle of the control loop. */
  readonly rate: number | null;
  readonly loop: SharedArrayBuffer;
  /** Cycles of the control loop per second. */
  readonly loopRate: number;
  readonly arms: readonly RecordedArm[];
  /** Pairs that run at the beginning. */
  readonly pairs: readonly RecordedPair[];
  readonly labels: Labels;
  /** Software version. */
  readonly version: string;
  /** The configuration as text. */
  readonly configuration: string;
}

export type EventLevel = 'info' | 'warn' | 'error';

/** An event during an episode. */
export interface RecordedEvent {
  readonly kind: 'event';
  readonly recording: string;
  /** Monotonic, s. */
  readonly instant: number;
  readonly level: EventLevel;
  /** Name of the arm, or empty. */
  readonly source: string;
  /** `start`, `stop`, `mark`, `state`, `owner`, ... */
  readonly what: string;
  readonly text: string;
}

/** A camera message; it goes into the episode unchanged. */
export interface CameraMessage {
  readonly kind: 'camera';
  readonly recording: string;
  /** Time of arrival, monotonic, s. */
  readonly instant: number;
  readonly topic: string;
  readonly type: CameraType;
  /** CDR in a buffer of its own, which is transferred to the other thread. */
  readonly data: Uint8Array;
}

export interface EndRecording {
  readonly kind: 'end';
  readonly name: string;
  /** Whether to delete the recording. */
  readonly drop: boolean;
  /** Null: as at the beginning. */
  readonly labels: Partial<Labels> | null;
}

/** How to fit a recording to the arm that replays it. */
export interface Fit {
  /** Name of the arm; in a file with several arms, the joint states of the arm with this name are replayed. */
  readonly arm: string;
  /** Recorded arm to replay instead; null: none. */
  readonly source: string | null;
  /** Model of the arm; joints of another model are matched by their roles. */
  readonly model: MappedModel;
  readonly joints: readonly {
    readonly name: string;
    readonly lower: number;
    readonly upper: number;
    /** Present position, rad; the joint stays there if the recorded arm has no counterpart. */
    readonly position: number;
    /** Largest speed of a replay, rad/s. */
    readonly velocity: number;
  }[];
  /** Speed factor; 1 as recorded. */
  readonly speed: number;
  readonly description: RobotDescription;
  readonly baseLink: string;
  readonly toolLink: string;
}

/** Consecutive poses of a replay. */
export interface Piece {
  /** s since the first pose of the replay. */
  readonly times: Float64Array;
  /** rad, row by row. */
  readonly positions: Float64Array;
  /** Whether this is the last piece. */
  readonly last: boolean;
}

/** Which recordings to list; a null dataset means all recordings. */
export interface ListCommand {
  readonly dataset: string | null;
  readonly offset: number;
  readonly limit: number;
}

/**
 * Requests the motion of a recorded arm in at most `points` samples; times are s since the recording's first message.
 */
export interface SamplesCommand {
  readonly name: string;
  /** Name of the recorded arm; null: the first. */
  readonly source: string | null;
  readonly begin: number;
  /** Null: the end of the recording. */
  readonly end: number | null;
  readonly points: number;
}

/** Which part of a recording to copy to a new recording; times are s since its first message. */
export interface TrimCommand {
  readonly name: string;
  /** Name of the new recording; null: a generated name. */
  readonly to: string | null;
  readonly begin: number;
  readonly end: number;
}

export type RecordingCommand =
  | BeginRecording
  | EndRecording
  | ({ readonly kind: 'list' } & ListCommand)
  | { readonly kind: 'facts'; readonly name: string }
  /** Completes recordings that a killed bridge left unfinished. */
  | { readonly kind: 'recover' }
  | { readonly kind: 'label'; readonly name: string; readonly labels: Partial<Labels> }
  | { readonly kind: 'rename'; readonly name: string; readonly to: string }
  | ({ readonly kind: 'samples' } & SamplesCommand)
  | ({ readonly kind: 'trim' } & TrimCommand)
  | { readonly kind: 'remove'; readonly name: string }
  /** Reserves a path for a file that is to become a recording of this name. */
  | { readonly kind: 'receive'; readonly name: string; readonly bytes: number }
  /** The file has arrived: checks it and gives it its final name. */
  | { readonly kind: 'accept'; readonly name: string }
  | { readonly kind: 'foresee'; readonly name: string; readonly fit: Fit; readonly points: number }
  | { readonly kind: 'open'; readonly name: string; readonly fit: Fit }
  /** Returns the next piece of an opened track. */
  | { readonly kind: 'next'; readonly track: number }
  | { readonly kind: 'close'; readonly track: number }
  | { readonly kind: 'shutdown' };

/** Facts of a recording that is completed, or that could not be: then nothing of it is known but its place and size. */
export interface RecordingFacts extends Labels {
  readonly name: string;
  readonly dataset: string | null;
  readonly content: 'joints' | 'episode';
  /** Absolute path of its MCAP file. */
  readonly path: string;
  readonly bytes: number;
  /** Time of its first message; 0 if it has none. */
  readonly began: number;
  /** s */
  readonly duration: number;
  readonly messages: number;
  /** Arms with recorded joint states. */
  readonly arms: readonly string[];
  readonly topics: readonly { readonly name: string; readonly type: string; readonly messages: number }[];
  /** Why an episode was broken off before anybody ended it; empty if it was not. */
  readonly endedEarly: string;
  /** Why the recording cannot be read; empty if it can. */
  readonly problem: string;
}

/** Joint motion of a recorded arm. */
export interface Samples {
  readonly source: string;
  /** Names of its joints. */
  readonly joints: readonly string[];
  /** Duration of the whole recording, s. */
  readonly duration: number;
  /** s since the first message of the recording. */
  readonly times: readonly number[];
  /** Measured positions, rad: a row for each joint, a column for each time. */
  readonly positions: readonly (readonly number[])[];
  /** Commanded positions, rad; NaN where there was no command. */
  readonly goals: readonly (readonly number[])[];
  /** External torques, Nm; NaN where unknown. */
  readonly external: readonly (readonly number[])[];
}

/** A part of a recording that an arm cannot reach; begin and end are s since its first message. */
export interface Unreached {
  readonly begin: number;
  readonly end: number;
  /** Text for the user. */
  readonly text: string;
}

/** The motion that an arm would make for a recording. */
export interface Foreseen {
  /** Name of the recorded arm. */
  readonly source: string;
  /** Duration of the whole recording, s. */
  readonly duration: number;
  /** s since the first message of the recording. */
  readonly times: readonly number[];
  /** Positions within the limits, rad: a row for each joint of the arm, a column for each time. */
  readonly positions: readonly (readonly number[])[];
  readonly unreached: readonly Unreached[];
}

/** The requested recordings, and the remaining room. */
export interface Catalogue {
  readonly folder: string;
  readonly recordings: readonly RecordingFacts[];
  /** Number of all matching recordings, including those not listed. */
  readonly total: number;
  /** Names of all datasets. */
  readonly datasets: readonly string[];
  /** Bytes of all recordings, bytes that they may take together, and bytes free on the disk. */
  readonly used: number;
  readonly quota: number;
  readonly free: number;
  /** Text for the user; empty while there is room. */
  readonly warning: string;
}

export interface RecordingSummary {
  readonly name: string;
  /** Absolute path; empty if the recording was deleted. */
  readonly path: string;
  /** Number of joint states, of all arms together. */
  readonly samples: number;
  /** s */
  readonly duration: number;
  /** Number of missed control-loop cycles. */
  readonly lost: number;
  /** Why the recording ended early; null if it did not. */
  readonly problem: string | null;
}

/** Result type of each command. */
export interface RecordingResults {
  begin: { readonly path: string };
  end: RecordingSummary | null;
  list: Catalogue;
  facts: RecordingFacts;
  recover: readonly string[];
  label: RecordingFacts;
  rename: RecordingFacts;
  samples: Samples;
  trim: RecordingFacts;
  remove: null;
  receive: { readonly path: string };
  accept: RecordingFacts;
  foresee: Foreseen;
  open: { readonly track: number; readonly duration: number };
  next: Piece;
  close: null;
  shutdown: null;
}

export type ToRecording =
  | { readonly request: number; readonly command: RecordingCommand }
  | { readonly event: RecordedEvent | CameraMessage };

/**
 * `request` and `unknown` (there is no such recording): the text is a sentence for the user; `unfit`: it says what is
 * wrong with a file; `internal`: unexpected.
 */
export type RefusedWhy = 'request' | 'unknown' | 'unfit' | 'internal';

export type FromRecording =
  | { readonly kind: 'reply'; readonly request: number; readonly result: unknown }
  | { readonly kind: 'refused'; readonly request: number; readonly text: string; readonly why: RefusedWhy }
  /** A recording has ended early, and why. */
  | { readonly kind: 'ended'; readonly recording: string; readonly problem: string }
  /** Bytes of camera messages that the recording has written since the last time. */
  | { readonly kind: 'seen'; readonly recording: string; readonly bytes: number }
  /** Room for recordings: a warning for the user; empty while there is enough. Sent when it changes. */
  | { readonly kind: 'room'; readonly warning: string };

/** A request that cannot be carried out; the message is a sentence with the reason. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError';
}

/** There is no recording of the name; the message is a sentence that says so. */
export class UnknownRecordingError extends RecordingError {}

/** A file is not a recording, or the arm cannot replay it; the message says what is wrong with it. */
export class UnfitError extends Error {
  override readonly name = 'UnfitError';
}
