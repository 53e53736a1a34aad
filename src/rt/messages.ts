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
  /** Homing offset that its arm has been calibrated with, in counts; undefined where nothing says so. */
  readonly homing?: number | undefined;
  /** It obeys the joint's first servo by itself. */
  readonly shadow: boolean;
}

/** A joint, as the control thread needs it. Angles rad, torques Nm, stiffness Nm/rad. */
export interface JointSetup {
  readonly name: string;
  /** The first one gives the position. */
  readonly servos: readonly ServoSetup[];
  /** Register contents to be set at start, in counts. */
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

/** An arm, as the control thread needs it. */
export interface ArmSetup {
  readonly name: string;
  /** Parsed, which takes longer than a cycle. */
  readonly urdf: RobotDescription;
  readonly baseLink: string;
  readonly toolLink: string;
  readonly joints: readonly JointSetup[];
  /** Place of the joint that may be driven apart from the others; null: all are driven together. */
  readonly gripper: number | null;
  /** A calibration, or the model of a simulated arm, says where its joints are at zero. */
  readonly calibrated: boolean;
  /** Gains that a bridge that did not end properly may have left to its servos; null: none. */
  readonly leftGains: GainPlan | null;
  /** Why its bus stays closed until the command `connect`, for people; null: it is opened at once. */
  readonly detached: string | null;
  readonly bus: BusSetup;
}

/** The way to a simulated bus: a message port to the simulation's thread, or a byte port where it runs in this one. */
export type SimulatedPort = MessagePort | BytePort;

/** Where the servos of an arm are: at the far end of a simulated bus, at a port, or with another machine. */
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

/** Where one joint of a follower is wanted: scale * leader's + offset, within lower..upper, rad. */
export interface JointMap {
  /** Index of the leader's joint; -1: it has no partner and holds. */
  readonly from: number;
  readonly scale: number;
  readonly offset: number;
  readonly lower: number;
  readonly upper: number;
}

/** What a pair asks for beyond following. */
export interface FollowOptions {
  /** Corner of a low-pass on the samples, Hz; 0: none. */
  readonly lowPass: number;
  /** The path moves only when a sample leaves this band about it, rad. */
  readonly deadBand: number;
  /** Largest speed of the path, rad/s; the gate's limits hold in any case. */
  readonly velocity: number;
  /** After a gap, samples further away than this in some joint are not approached but refused, rad. */
  readonly mismatch: number;
  /** Samples that jump, as those of a leader whose readings were frozen, are approached anew instead of followed. */
  readonly reapproach: boolean;
}

/** How much of a follower's external torques its floating leader feels, each 0..1: at its own joints, and at its gripper. */
export interface ForceFeedback {
  readonly arm: number;
  readonly gripper: number;
}

/** What drives an arm next. Arms are given by their place in the setup, joints in the order of the model. */
export type SourceSpec =
  | {
      readonly kind: 'trajectory';
      readonly goal: Float64Array;
      /** Largest joint speed, rad/s, where it is below the arm's own limits. */
      readonly speed: number | null;
      /** Largest torque of the gripper from then on, until it is asked to go elsewhere, Nm; left out: its own. */
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
   * Setpoints as they come in samples; without one for `timeout` s the arm decelerates and holds. `reapproach`: setpoints
   * that jump are approached at the start ramp's speed.
   */
  | { readonly kind: 'stream'; readonly timeout: number; readonly reapproach?: boolean }
  /** Poses to be passed at times after the start: s, rad and rad/s, one row per pose and one column per joint. */
  | {
      readonly kind: 'waypoints';
      readonly times: Float64Array;
      readonly positions: Float64Array;
      readonly velocities: Float64Array | null;
      /** rad/s^2; null or left out: those of the cubics between the poses. */
      readonly accelerations?: Float64Array | null;
      /** Time of the whole way, s, when more poses are to come (`extend`); left out: these are all. */
      readonly duration?: number;
    }
  /** Pieces of motion with time stamps, of which this is the first (`chunk` brings more); after the last one the arm rests. */
  | { readonly kind: 'chunks'; readonly first: ChunkPath }
  /** Speeds as they come in samples; without one for `timeout` s the arm decelerates and holds. */
  | { readonly kind: 'jog'; readonly timeout: number }
  | {
      readonly kind: 'float';
      /** Part of each joint's weight that is supported, 0..1. */
      readonly support: Float64Array;
      /** Time over which the support falls to nothing, s; 0: never. */
      readonly fade: number;
      /** Part of its own position gain with which each servo works meanwhile; null: as it is. */
      readonly gains: Float64Array | null;
    };

export type Command =
  /** An arm that comes after those that there are, at the place `arm`. */
  | { readonly kind: 'add'; readonly arm: number; readonly setup: ArmSetup; readonly shared: SharedArrayBuffer }
  /** Opens the bus of an arm that has been taken off it. */
  | { readonly kind: 'connect'; readonly arm: number }
  /** Closes the bus of an arm, which stays disconnected for this reason until it is to be connected. */
  | { readonly kind: 'disconnect'; readonly arm: number; readonly reason: string }
  /** Which joints it drives, and in which epoch of intent it was asked (`SharedState.epoch`). What lowers an arm may drive one that its own servos have stopped. */
  | {
      readonly kind: 'drive';
      readonly arm: number;
      readonly source: SourceSpec;
      readonly joints: Joints;
      readonly epoch: number;
      readonly lowering?: boolean;
    }
  /** Ends a motion, or what drives these joints. */
  | { readonly kind: 'cancel'; readonly arm: number; readonly what: number | Joints }
  /** Poses that follow those of a motion that has some already, at times after its start; after the last ones it ends. */
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
  /** An arm with a limp or silent servo has been lowered by the others, or cannot be. */
  | { readonly kind: 'give_up'; readonly arm: number }
  | {
      readonly kind: 'torque';
      readonly arm: number;
      readonly on: boolean;
      readonly epoch: number;
      /** In whose epoch. */
      readonly joints: Joints;
    }
  /** Tells the servos' position gains; `parts`: the parts of their own ones, 0..1, that are to be planned for. */
  | { readonly kind: 'gains'; readonly arm: number; readonly parts: Float64Array }
  /** From now on the servos work with these parts of their own gains, 0..1 by joint, when the arm does not float. */
  | { readonly kind: 'work_gains'; readonly arm: number; readonly parts: Float64Array }
  /** Brings back servos that have cut or reduced their torque. */
  | { readonly kind: 'recover'; readonly arm: number }
  /** Asks the servos what they are and how they are set. */
  | { readonly kind: 'servos'; readonly arm: number }
  /** Temperatures at which the servos switch themselves off, degrees Celsius, one per joint. */
  | { readonly kind: 'limit_temperatures'; readonly arm: number; readonly limits: Float64Array }
  /** What the servos of the joints are to count from; the arm must be limp. */
  | {
      readonly kind: 'calibrate';
      readonly arm: number;
      readonly joints: readonly JointHoming[];
      /** The joints are known to be where they are read from then on. */
      readonly calibrated: boolean;
    }
  /** Does something with the servos of an arm that is set up, on a bus that no arm has, beside the cycles. */
  | {
      readonly kind: 'bench';
      readonly bus: Exclude<BusSetup, { kind: 'remote' }>;
      /** Name of the family of its servos. */
      readonly family: string;
      /** Rate that they are to have, baud; null: the far end of the bus sets it. */
      readonly baudRate: number | null;
      readonly task: BenchTask;
    }
  | { readonly kind: 'close' };

/** What a jogged arm is to do: speeds of its joints, or of its tool. */
export type JogVelocity =
  /** rad/s, one per joint of the model. */
  | { readonly kind: 'joints'; readonly velocities: Float64Array }
  /** Linear x y z in m/s, then angular x y z in rad/s, in axes of the base or of the tool; about the tool. */
  | { readonly kind: 'twist'; readonly twist: Float64Array; readonly frame: 'base' | 'tool' };

/** One-way messages: the next one replaces the last, so none is answered. What drives all joints takes those of the group `arm`. */
export type Sample =
  /** Setpoints for an arm that a stream drives; NaN leaves a joint alone. */
  | { readonly kind: 'setpoints'; readonly arm: number; readonly group: Group; readonly positions: Float64Array }
  | { readonly kind: 'jog'; readonly arm: number; readonly group: Group; readonly velocity: JogVelocity }
  /** What the leader of a follower is to feel of it from now on. */
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
  /** What the machine that owns a remote arm says of it: whether it holds, and why it must not be driven, empty when it may. */
  | { readonly kind: 'owner'; readonly arm: number; readonly torque: boolean; readonly blocked: string };

export type ToControl = { readonly request: number; readonly command: Command } | { readonly sample: Sample };

/** Answer to a command: the motion that began, where one did, and how long it takes, s. */
export interface CommandResult {
  readonly motion: number;
  readonly duration: number;
  /** Answer to `servos`. */
  readonly servos?: readonly ServoFacts[];
  readonly bench?: BenchAnswer;
  /** Of the command `gains`: what the servos would be given, and whether they all have their own gains now. */
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
   * The main thread had not run: the control thread has begun this epoch of the arm, and what was asked before is over.
   * `driven`: something drove it.
   */
  | { readonly kind: 'abandoned'; readonly arm: number; readonly epoch: number; readonly driven: boolean }
  | { readonly kind: 'state'; readonly arm: number; readonly state: number; readonly reason: string }
  | { readonly kind: 'warning'; readonly arm: number; readonly text: string }
  /** A servo cannot go on carrying: the arm is to be lowered. */
  | {
      readonly kind: 'ailing';
      readonly arm: number;
      readonly joint: number;
      readonly text: string;
      readonly ailment: Ailment;
    }
  /** What people should know of the thread itself. */
  | { readonly kind: 'notice'; readonly text: string };
