import type { RobotDescription } from '../kinematics/urdf.ts';
import type { MappedModel } from '../rt/sources/joint-map.ts';

/** What the main thread and the recording thread say to each other. Times are s since the epoch unless they are instants. */

/** An arm that takes part in a recording. */
export interface RecordedArm {
  readonly name: string;
  readonly model: { readonly urdf: string; readonly joints: readonly { readonly name: string }[] };
  readonly baseLink: string;
  readonly toolLink: string;
  /** `ros.joint_prefix` of the configuration. */
  readonly prefix: string | null;
  /** Pose of its root in the frame `world`: m; roll, pitch and yaw in rad. */
  readonly mount: { readonly xyz: [number, number, number]; readonly rpy: [number, number, number] };
  /** Of its snapshot, with its history. */
  readonly memory: SharedArrayBuffer;
  /** For people and programs, in the file's metadata. */
  readonly about: object;
}

/** What people say of an episode. */
export interface Labels {
  /** What is being done, as a training set names it. */
  readonly task: string;
  readonly operator: string;
  /** Empty until somebody has judged it. */
  readonly verdict: '' | 'good' | 'bad';
}

export interface BeginRecording {
  readonly kind: 'begin';
  readonly name: string;
  /** Folder of episodes that it belongs to; null: none. */
  readonly dataset: string | null;
  /** `joints`: one file with the joint states of one arm; `episode`: a folder with all that its arms do. */
  readonly content: 'joints' | 'episode';
  /** Samples per second; null: each cycle of the control loop. */
  readonly rate: number | null;
  readonly loop: SharedArrayBuffer;
  readonly arms: readonly RecordedArm[];
  readonly labels: Labels;
  /** Version of the software. */
  readonly version: string;
  /** The configuration as text. */
  readonly configuration: string;
}

export type EventLevel = 'info' | 'warn' | 'error';

/** Something that happened while an episode was recorded. */
export interface RecordedEvent {
  readonly kind: 'event';
  readonly recording: string;
  /** Monotonic, s. */
  readonly instant: number;
  readonly level: EventLevel;
  /** Arm, or empty. */
  readonly source: string;
  /** `start`, `stop`, `mark`, `state`, `owner`, ... */
  readonly what: string;
  readonly text: string;
}

/** A message of a camera, which goes into the episode as it is. */
export interface CameraMessage {
  readonly kind: 'camera';
  readonly recording: string;
  /** When it came: monotonic, s. */
  readonly instant: number;
  /** Its type goes by this name. */
  readonly topic: string;
  /** CDR, in memory of its own: that goes over to the other thread. */
  readonly data: Uint8Array;
}

export interface EndRecording {
  readonly kind: 'end';
  readonly name: string;
  /** It is not kept. */
  readonly drop: boolean;
  /** Null: as they were at the beginning. */
  readonly labels: Partial<Labels> | null;
}

/** How a recording is to be fitted to the arm that replays it. */
export interface Fit {
  /** Name of the arm: of a file with several arms its own joint states are taken. */
  readonly arm: string;
  /** The recorded arm whose joint states are taken instead; null: none is named. */
  readonly source: string | null;
  /** Of the arm: joints of another model are matched by what they are for. */
  readonly model: MappedModel;
  readonly joints: readonly {
    readonly name: string;
    readonly lower: number;
    readonly upper: number;
    /** Where it stands, rad: there it stays where the recorded arm has no such joint. */
    readonly position: number;
    /** Largest speed of a replay, rad/s. */
    readonly velocity: number;
  }[];
  /** 1 as recorded. */
  readonly speed: number;
  readonly description: RobotDescription;
  readonly baseLink: string;
  readonly toolLink: string;
}

/** A part of a replay: poses that follow the part before. */
export interface Piece {
  /** s since the first pose of the replay. */
  readonly times: Float64Array;
  /** rad, row by row. */
  readonly positions: Float64Array;
  /** There is nothing after it. */
  readonly last: boolean;
}

/** Which recordings are to be listed; a dataset that is null stands for all. */
export interface ListCommand {
  readonly dataset: string | null;
  readonly offset: number;
  readonly limit: number;
}

/** What a recorded arm's joints did, in so many points at most; times are s since the recording's first message. */
export interface SamplesCommand {
  readonly name: string;
  /** Name of the recorded arm; null: the one that comes first. */
  readonly source: string | null;
  readonly begin: number;
  /** Null: the end of the recording. */
  readonly end: number | null;
  readonly points: number;
}

/** Which part of a recording is to become one of its own; times are s since its first message. */
export interface TrimCommand {
  readonly name: string;
  /** Its name; null: one is chosen. */
  readonly to: string | null;
  readonly begin: number;
  readonly end: number;
}

export type RecordingCommand =
  | BeginRecording
  | EndRecording
  | ({ readonly kind: 'list' } & ListCommand)
  | { readonly kind: 'facts'; readonly name: string }
  /** Completes what a bridge that was killed has left. */
  | { readonly kind: 'recover' }
  | { readonly kind: 'label'; readonly name: string; readonly labels: Partial<Labels> }
  | { readonly kind: 'rename'; readonly name: string; readonly to: string }
  | ({ readonly kind: 'samples' } & SamplesCommand)
  | ({ readonly kind: 'trim' } & TrimCommand)
  | { readonly kind: 'remove'; readonly name: string }
  /** Where a file may be put that is to become a recording of this name. */
  | { readonly kind: 'receive'; readonly name: string; readonly bytes: number }
  /** It is there: it is checked, and takes its name. */
  | { readonly kind: 'accept'; readonly name: string }
  | { readonly kind: 'foresee'; readonly name: string; readonly fit: Fit; readonly points: number }
  | { readonly kind: 'open'; readonly name: string; readonly fit: Fit }
  /** The next part of what was opened. */
  | { readonly kind: 'next'; readonly track: number }
  | { readonly kind: 'close'; readonly track: number }
  | { readonly kind: 'shutdown' };

/** Facts of a recording that is complete. */
export interface RecordingFacts extends Labels {
  readonly name: string;
  readonly dataset: string | null;
  readonly content: 'joints' | 'episode';
  /** Of its MCAP file, absolute. */
  readonly path: string;
  readonly bytes: number;
  /** Of its first message; 0 when it has none. */
  readonly began: number;
  /** s */
  readonly duration: number;
  readonly messages: number;
  /** Arms whose joints it has. */
  readonly arms: readonly string[];
  readonly topics: readonly { readonly name: string; readonly type: string; readonly messages: number }[];
  /** Why it cannot be read; empty when it can. */
  readonly problem: string;
}

/** What a recorded arm's joints did. */
export interface Samples {
  readonly source: string;
  /** Names of its joints. */
  readonly joints: readonly string[];
  /** Of the whole recording, s. */
  readonly duration: number;
  /** s since its first message. */
  readonly times: readonly number[];
  /** As measured, rad: a row for each joint, a column for each time. */
  readonly positions: readonly (readonly number[])[];
  /** Where they were asked to be, rad; NaN at a time when nothing asked. */
  readonly goals: readonly (readonly number[])[];
  /** What something outside put on them, Nm; NaN where that is not known. */
  readonly external: readonly (readonly number[])[];
}

/** What of a recording an arm cannot reach, from when to when, s since its first message. */
export interface Unreached {
  readonly begin: number;
  readonly end: number;
  /** For people. */
  readonly text: string;
}

/** What an arm would do of a recording. */
export interface Foreseen {
  /** The recorded arm. */
  readonly source: string;
  /** Of the whole recording, s. */
  readonly duration: number;
  /** s since its first message. */
  readonly times: readonly number[];
  /** rad, within the limits: a row for each joint of the arm, a column for each time. */
  readonly positions: readonly (readonly number[])[];
  readonly unreached: readonly Unreached[];
}

/** Recordings that have been asked for, and how much room there is. */
export interface Catalogue {
  readonly folder: string;
  readonly recordings: readonly RecordingFacts[];
  /** How many there are, with those that are not listed. */
  readonly total: number;
  /** Names of all datasets. */
  readonly datasets: readonly string[];
  /** Bytes of all recordings, of what they may take together, and of what is left on the disk. */
  readonly used: number;
  readonly quota: number;
  readonly free: number;
  /** For people; empty while there is room. */
  readonly warning: string;
}

export interface RecordingSummary {
  readonly name: string;
  /** Absolute; empty for one that was not kept. */
  readonly path: string;
  /** Joint states of the arm, or of all arms together. */
  readonly samples: number;
  /** s */
  readonly duration: number;
  /** Cycles of the control loop that could not be caught. */
  readonly lost: number;
  /** Why it ended before it was stopped; null otherwise. */
  readonly problem: string | null;
}

/** What the answer to a command is. */
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

/** `request`: the text is a sentence for people; `unfit`: it says what is wrong with a file; `internal`: nobody expected it. */
export type RefusedWhy = 'request' | 'unfit' | 'internal';

export type FromRecording =
  | { readonly kind: 'reply'; readonly request: number; readonly result: unknown }
  | { readonly kind: 'refused'; readonly request: number; readonly text: string; readonly why: RefusedWhy }
  /** What people should know. */
  | { readonly kind: 'notice'; readonly text: string };

/** A request that cannot be carried out; the message is a sentence that says why. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError';
}

/** A file is no recording, or none that an arm can replay; the message says what is wrong with it. */
export class UnfitError extends Error {
  override readonly name = 'UnfitError';
}
