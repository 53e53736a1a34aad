import type { MessagePort } from 'node:worker_threads';
import type { RobotDescription } from '../kinematics/urdf.ts';
import type { BenchAnswer, BenchTask } from '../servo/bench.ts';
import type { BytePort } from '../servo/port/port.ts';
import type { Ailment, JointHoming, ServoFacts } from './driver/arm-link.ts';
import type { GainPlan } from './driver/gains.ts';
import type { Group, Joints } from './joint/joint-groups.ts';
import type { EndReason } from './joint/motions.ts';
import type { StallLimits } from './joint/stall-guard.ts';
import type { SharedBuffers } from './snapshot/shared-snapshot.ts';
import type { ChunkPath } from './sources/chunks.ts';

/** One servo of a joint. */
export interface ServoSetup {
  readonly id: number;
  /** Trade name. */
  readonly model: string;
  readonly sign: 1 | -1;
  /** Servo steps at joint angle zero. */
  readonly zero: number;
  /** Homing offset that its arm was calibrated with, in counts; undefined if unknown. */
  readonly homing?: number | undefined;
  /** It obeys the packets of the joint's first servo by itself. */
  readonly shadow: boolean;
}

/** Joint data for the control thread. Angles in rad, torques in Nm, stiffness in Nm/rad. */
export interface JointSetup {
  readonly name: string;
  /** The first one gives the position. */
  readonly servos: readonly ServoSetup[];
  /** Register values to write at start, in counts. */
  readonly settings: Readonly<Record<string, number>>;
  readonly stall: StallLimits | null;
  readonly torqueLimit: number;
  readonly stiffness: number;
  /** Nm s/rad */
  readonly damping: number;
  readonly friction: number;
  /** kg m^2 */
  readonly inertia: number;
  readonly lower: number;
  readonly upper: number;
  readonly moveVelocity: number;
  readonly moveAcceleration: number;
  /** Null: not limited. */
  readonly moveJerk: number | null;
  readonly mirrorVelocity: number;
  readonly mirrorAcceleration: number;
}

/** Arm data for the control thread. */
export interface ArmSetup {
  readonly name: string;
  /** Already parsed, because parsing takes longer than a cycle. */
  readonly urdf: RobotDescription;
  readonly baseLink: string;
  readonly toolLink: string;
  readonly joints: readonly JointSetup[];
  /** Index of the joint that may be driven separately; null: all are driven together. */
  readonly gripper: number | null;
  /** The zero positions of its joints are known, from a calibration or from the model of a simulated arm. */
  readonly calibrated: boolean;
  /** Gains that a bridge may have left in its servos because it did not end properly; null: none. */
  readonly leftGains: GainPlan | null;
  /** Why its bus stays closed until the command `connect`, for people; null: it is opened at once. */
  readonly detached: string | null;
  readonly bus: BusSetup;
}

/** Connection to a simulated bus: a message port to the simulation's thread, or a byte port if it runs in this one. */
export type SimulatedPort = MessagePort | BytePort;

/** Where the servos of an arm are: on a simulated bus, at a port, or on another machine. */
export type BusSetup =
  | { readonly kind: 'sim'; readonly url: string; readonly port: SimulatedPort }
  | { readonly kind: 'port'; readonly url: string }
  | { readonly kind: 'remote' };

export interface ControlSetup {
  readonly rate: number;
  /** SCHED_FIFO priority of the control thread, 1..99; null for none. */
  readonly priority: number | null;
  readonly shared: SharedBuffers;
  readonly arms: readonly ArmSetup[];
}

/** Wanted position of one follower joint: scale * leader's + offset, within lower..upper, rad. */
export interface JointMap {
  /** Index of the leader's joint; -1: it has no partner and holds. */
  readonly from: number;
  readonly scale: number;
  readonly offset: number;
  readonly lower: number;
  readonly upper: number;
}

/** Options of a pair for following. */
export interface FollowOptions {
  /** Corner frequency of a low-pass on the samples, Hz; 0: none. */
  readonly lowPass: number;
  /** The path moves only when a sample leaves this band around it, rad. */
  readonly deadBand: number;
  /** Largest speed of the path, rad/s; the gate's limits apply in any case. */
  readonly velocity: number;
  /** After a gap, samples further away than this in any joint are refused instead of approached, rad. */
  readonly mismatch: number;
  /** Samples that jump, such as those of a leader whose readings were frozen, are approached instead of followed. */
  readonly reapproach: boolean;
}

/** Part of a follower's external torques that its floating leader feels, 0..1: at its own joints and at its gripper. */
export interface ForceFeedback {
  readonly arm: number;
  readonly gripper: number;
}

/** The next source of an arm. Arms are given by their index in the setup, joints in the order of the model. */
export type SourceSpec =
  | {
      readonly kind: 'trajectory';
      readonly goal: Float64Array;
      /** Largest joint speed, rad/s, if below the arm's own limits; null: those limits. */
      readonly speed: number | null;
      /** Largest gripper torque from then on, until the gripper is asked to move elsewhere, Nm; left out: its own. */
      readonly gripperTorque?: number | undefined;
    }
  | {
      readonly kind: 'mirror';
      readonly leader: number;
      readonly maps: readonly JointMap[];
      readonly options: FollowOptions;
      readonly feedback: ForceFeedback;
    }
  /**
   * Streamed setpoints; without a sample for `timeout` s the arm decelerates and holds. `reapproach`: setpoints that
   * jump are approached at the speed of the start ramp.
   */
  | { readonly kind: 'stream'; readonly timeout: number; readonly reapproach?: boolean }
  /** Poses to pass at times after the start: s, rad and rad/s, one row per pose and one column per joint. */
  | {
      readonly kind: 'waypoints';
      readonly times: Float64Array;
      readonly positions: Float64Array;
      readonly velocities: Float64Array | null;
      /** rad/s^2; null or left out: those of the cubics between the poses. */
      readonly accelerations?: Float64Array | null;
      /** Duration of the whole path, s, if more poses will come (`extend`); left out: these are all. */
      readonly duration?: number;
    }
  /** Time-stamped pieces of motion: the first one here, more by `chunk`; after the last one the arm rests. */
  | { readonly kind: 'chunks'; readonly first: ChunkPath }
  /** Streamed speeds; without a sample for `timeout` s the arm decelerates and holds. */
  | { readonly kind: 'jog'; readonly timeout: number }
  | {
      readonly kind: 'float';
      /** Part of each joint's weight that is supported, 0..1. */
      readonly support: Float64Array;
      /** Time over which the support falls to zero, s; 0: never. */
      readonly fade: number;
      /** Position gain of each servo meanwhile, relative to its own; null: unchanged. */
      readonly gains: Float64Array | null;
    };

export type Command =
  /** Appends an arm at index `arm`. */
  | { readonly kind: 'add'; readonly arm: number; readonly setup: ArmSetup; readonly shared: SharedArrayBuffer }
  /** Opens the bus of a disconnected arm again. */
  | { readonly kind: 'connect'; readonly arm: number }
  /** Closes the bus of an arm, which stays disconnected for this reason until `connect`. */
  | { readonly kind: 'disconnect'; readonly arm: number; readonly reason: string }
  /**
   * Drives `joints`, in the epoch of intent of the request (`SharedState.epoch`). `lowering` may drive an arm that its
   * own servos have stopped.
   */
  | {
      readonly kind: 'drive';
      readonly arm: number;
      readonly source: SourceSpec;
      readonly joints: Joints;
      readonly epoch: number;
      readonly lowering?: boolean;
    }
  /** Ends a motion, or whatever drives these joints. */
  | { readonly kind: 'cancel'; readonly arm: number; readonly what: number | Joints }
  /** Appends poses to a motion through waypoints, at times after its start; it ends after the last ones. */
  | {
      readonly kind: 'extend';
      readonly arm: number;
      readonly motion: number;
      readonly times: Float64Array;
      readonly positions: Float64Array;
      readonly last: boolean;
    }
  /** The next chunk of a motion that follows chunks. */
  | { readonly kind: 'chunk'; readonly arm: number; readonly motion: number; readonly path: ChunkPath }
  /** Tells that an arm with a limp or silent servo has been lowered by the other servos, or cannot be. */
  | { readonly kind: 'give_up'; readonly arm: number }
  | {
      readonly kind: 'torque';
      readonly arm: number;
      readonly on: boolean;
      readonly epoch: number;
      /** The joints whose epoch it is. */
      readonly joints: Joints;
    }
  /** Reports the servos' position gains; `parts`: gains to plan for, relative to the servos' own, 0..1. */
  | { readonly kind: 'gains'; readonly arm: number; readonly parts: Float64Array }
  /** From now on the servos use these parts of their own gains, 0..1 by joint, while the arm does not float. */
  | { readonly kind: 'work_gains'; readonly arm: number; readonly parts: Float64Array }
  /** Brings back servos that have cut or reduced their torque, while the stop of this mark is the last one. */
  | { readonly kind: 'recover'; readonly arm: number; readonly mark: number }
  /** Reads the servos' models and register settings. */
  | { readonly kind: 'servos'; readonly arm: number }
  /** Sets the temperatures at which the servos switch themselves off, degrees Celsius, one per joint. */
  | { readonly kind: 'limit_temperatures'; readonly arm: number; readonly limits: Float64Array }
  /** Sets the zero that the servos of these joints count from; the arm must be limp. */
  | {
      readonly kind: 'calibrate';
      readonly arm: number;
      readonly joints: readonly JointHoming[];
      /** From then on the joints are known to be where they are read. */
      readonly calibrated: boolean;
    }
  /** Runs a task on the servos of an arm that is being set up, on a bus that no arm has, beside the cycles. */
  | {
      readonly kind: 'bench';
      readonly bus: Exclude<BusSetup, { kind: 'remote' }>;
      /** Name of the servo family. */
      readonly family: string;
      /** Baud rate that they should have; null: the far end of the bus sets it. */
      readonly baudRate: number | null;
      readonly task: BenchTask;
    }
  | { readonly kind: 'close' };

/** Wanted speeds of a jogged arm's joints, or of its tool. */
export type JogVelocity =
  /** rad/s, one per joint of the model. */
  | { readonly kind: 'joints'; readonly velocities: Float64Array }
  /** Twist of the tool's origin in axes of the base or of the tool: linear x y z in m/s, angular x y z in rad/s. */
  | { readonly kind: 'twist'; readonly twist: Float64Array; readonly frame: 'base' | 'tool' };

/** One-way messages: each replaces the last; none is answered. A source of all joints uses those of group `arm`. */
export type Sample =
  /** Setpoints for an arm that a stream drives; NaN leaves a joint alone. */
  | { readonly kind: 'setpoints'; readonly arm: number; readonly group: Group; readonly positions: Float64Array }
  | { readonly kind: 'jog'; readonly arm: number; readonly group: Group; readonly velocity: JogVelocity }
  /** How much of a follower its leader feels from now on. */
  | { readonly kind: 'feedback'; readonly arm: number; readonly feedback: ForceFeedback }
  | {
      readonly kind: 'state';
      readonly arm: number;
      readonly positions: Float64Array;
      readonly velocities: Float64Array | null;
      /** Nm */
      readonly efforts: Float64Array | null;
    }
  /** External torques of a remote arm, Nm by joint. */
  | { readonly kind: 'external'; readonly arm: number; readonly torques: Float64Array }
  /** Report of a remote arm's owner: whether the arm holds, and why it must not be driven; empty if it may. */
  | { readonly kind: 'owner'; readonly arm: number; readonly torque: boolean; readonly blocked: string };

export type ToControl = { readonly request: number; readonly command: Command } | { readonly sample: Sample };

/** Answer to a command: the arm's newest motion and, if it has just begun, its duration, s; 0 if unknown. */
export interface CommandResult {
  readonly motion: number;
  readonly duration: number;
  /** Answer to `servos`. */
  readonly servos?: readonly ServoFacts[];
  readonly bench?: BenchAnswer;
  /** Answer to `gains`: the planned gains, and whether all servos have their own gains now. */
  readonly gains?: GainPlan & { readonly restored: boolean };
}

export type FromControl =
  | { readonly kind: 'reply'; readonly request: number; readonly result: CommandResult }
  | { readonly kind: 'refused'; readonly request: number; readonly reason: string }
  | {
      readonly kind: 'ended';
      readonly arm: number;
      readonly motion: number;
      readonly reason: EndReason;
      readonly text: string;
    }
  /**
   * The main thread had not run: the control thread has begun this epoch of the arm, and earlier requests are void.
   * `driven`: something was driving the arm.
   */
  | { readonly kind: 'abandoned'; readonly arm: number; readonly epoch: number; readonly driven: boolean }
  | { readonly kind: 'state'; readonly arm: number; readonly state: number; readonly reason: string }
  | { readonly kind: 'warning'; readonly arm: number; readonly text: string }
  /** A servo cannot keep carrying its load: the arm must be lowered. */
  | {
      readonly kind: 'ailing';
      readonly arm: number;
      readonly joint: number;
      readonly text: string;
      readonly ailment: Ailment;
    }
  /** A notice for people about the thread itself. */
  | { readonly kind: 'notice'; readonly text: string };
