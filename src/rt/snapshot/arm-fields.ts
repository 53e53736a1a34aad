import type { ArmLink } from '../driver/arm-link.ts';
import type { Gate } from '../joint/gate.ts';
import type { SetpointSource } from '../sources/setpoint-source.ts';

/** States of an arm, in the order in which the loop numbers them. */
export const ARM_STATES = ['disconnected', 'connected', 'ready', 'moving', 'mirroring', 'floating', 'stopped'] as const;
export type ArmState = (typeof ARM_STATES)[number];

/** Number of each state. */
export const StateCode = {
  disconnected: 0,
  connected: 1,
  ready: 2,
  moving: 3,
  mirroring: 4,
  floating: 5,
  stopped: 6,
} as const satisfies Readonly<Record<ArmState, number>>;
export type StateCode = (typeof StateCode)[ArmState];

/** State of following a leader or a stream of setpoints; `refused`: samples came back too far away to approach. */
export const FollowCode = { idle: 0, ramping: 1, following: 2, holding: 3, refused: 4 } as const;
export type FollowCode = (typeof FollowCode)[keyof typeof FollowCode];

/** Source of an arm's snapshot fields. Instants are monotonic, s; 0 for never. */
export interface Published {
  readonly state: StateCode;
  readonly motion: number;
  readonly holding: boolean;
  readonly goalTime: number;
  readonly source: SetpointSource | null;
  readonly link: ArmLink;
  readonly goals: Float64Array;
  readonly gate: Pick<Gate, 'velocities'>;
  readonly setpoints: Float64Array;
  readonly deviations: Float64Array;
  readonly external: Float64Array;
  readonly resting: boolean;
  readonly calibrated: boolean;
  readonly outside: Uint8Array;
  /** This instant, and the offset from instants to time since 1970, s. */
  readonly now: number;
  readonly epochOffset: number;
  /** Cycles of the loop so far. */
  readonly cycle: number;
}

/** How a number of the snapshot is read: as a number, a boolean or the name of a state. */
type Reading = 'number' | 'flag' | 'state';

interface Scalar<R extends Reading> {
  readonly unit: string;
  readonly read: R;
  /** Writes the field's number to `to[at]`. It returns nothing, because a returned number may be allocated. */
  readonly from: (arm: Published, to: Float64Array, at: number) => void;
}

interface PerJoint {
  readonly unit: string;
  /** Writes one number for each joint to `to`. */
  readonly from: (arm: Published, to: Float64Array) => void;
}

const scalar = (unit: string, from: Scalar<'number'>['from']): Scalar<'number'> => ({ unit, read: 'number', from });
const flag = (from: Scalar<'flag'>['from']): Scalar<'flag'> => ({ unit: '', read: 'flag', from });
const perJoint = (unit: string, from: PerJoint['from']): PerJoint => ({ unit, from });

/** An instant as time since 1970, s; 0 for never. */
function stamp(arm: Published, instant: number): number {
  return instant === 0 ? 0 : instant + arm.epochOffset;
}

/** Scalar fields of an arm. Each is declared only here: writer, reader and types derive from this table. */
export const ARM_FIELDS = {
  /** Control cycles since start. */
  cycle: scalar('', (arm, to, at) => {
    to[at] = arm.cycle;
  }),
  state: {
    unit: '',
    read: 'state',
    from: (arm, to, at) => {
      to[at] = arm.state;
    },
  } as Scalar<'state'>,
  /** Some servo has torque. */
  torque: flag((arm, to, at) => {
    to[at] = arm.link.up && arm.link.anyTorque ? 1 : 0;
  }),
  /** All servos have torque and get goals: the arm can be driven. */
  holding: flag((arm, to, at) => {
    to[at] = arm.holding ? 1 : 0;
  }),
  /** The joints measurably rest since the last stop or end of a motion; an arm without torque rests. */
  resting: flag((arm, to, at) => {
    to[at] = arm.resting ? 1 : 0;
  }),
  /** The zero positions of the joints are known; otherwise the angles may be wrong. */
  calibrated: flag((arm, to, at) => {
    to[at] = arm.calibrated ? 1 : 0;
  }),
  /** Time of the bus read that gave `positions`, since 1970; 0 before the first. */
  sampleTime: scalar('s', (arm, to, at) => {
    to[at] = stamp(arm, arm.link.readings.sampleTime);
  }),
  /** The same on the monotonic clock of the process, for intervals between samples; 0 before the first. */
  sampleInstant: scalar('s', (arm, to, at) => {
    to[at] = arm.link.readings.sampleTime;
  }),
  /** Time of the last write of goals to the servos, since 1970; 0 before the first. */
  goalTime: scalar('s', (arm, to, at) => {
    to[at] = stamp(arm, arm.goalTime);
  }),
  /** Time of the bus read that gave velocities, efforts, temperatures, voltages and alarms, since 1970. */
  detailTime: scalar('s', (arm, to, at) => {
    to[at] = stamp(arm, arm.link.readings.detailTime);
  }),
  /**
   * Number of the present or last motion. It grows with each change of what drives the arm, so equal numbers mean that
   * nothing else drove it in between.
   */
  motion: scalar('', (arm, to, at) => {
    to[at] = arm.motion;
  }),
  /** State of following a leader or a stream: a `FollowCode`. */
  followState: scalar('', (arm, to, at) => {
    to[at] = arm.source?.follow?.code ?? FollowCode.idle;
  }),
  /** Age of the sample that was followed last. */
  followLatency: scalar('s', (arm, to, at) => {
    const follow = arm.source?.follow;
    to[at] = follow === undefined ? 0 : arm.now - follow.sampleTime;
  }),
  /** Bytes on the bus that belonged to no valid reply. */
  discarded: scalar('bytes', (arm, to, at) => {
    to[at] = arm.link.readings.discarded;
  }),
  /** Round trip from request to last reply, median of the last seconds; 0 until known. */
  roundTripMedian: scalar('s', (arm, to, at) => {
    to[at] = arm.link.readings.roundTripMedian;
  }),
  /** The same, 99th percentile. */
  roundTripLongest: scalar('s', (arm, to, at) => {
    to[at] = arm.link.readings.roundTripLongest;
  }),
} as const satisfies Readonly<Record<string, Scalar<Reading>>>;

/** Fields with one number per joint, declared likewise. */
export const JOINT_FIELDS = {
  /** Measured joint positions; NaN before the first sample. */
  positions: perJoint('rad', (arm, to) => to.set(arm.link.readings.positions)),
  /** Goal positions as sent to the servos (before rounding to steps), droop of the model included. */
  goals: perJoint('rad', (arm, to) => to.set(arm.goals)),
  /** Goal positions without the droop: where the joints are asked to be. */
  setpoints: perJoint('rad', (arm, to) => to.set(arm.setpoints)),
  /** How fast the goals and setpoints move: 0 while nothing drives them. */
  goalVelocities: perJoint('rad/s', (arm, to) => to.set(arm.gate.velocities)),
  velocities: perJoint('rad/s', (arm, to) => to.set(arm.link.readings.velocities)),
  /** Estimated from the servos' load registers. */
  efforts: perJoint('Nm', (arm, to) => to.set(arm.link.readings.efforts)),
  temperatures: perJoint('degC', (arm, to) => to.set(arm.link.readings.temperatures)),
  /** Temperature at which each servo switches itself off; 0 where it is not known. */
  temperatureLimits: perJoint('degC', (arm, to) => to.set(arm.link.readings.temperatureLimits)),
  voltages: perJoint('V', (arm, to) => to.set(arm.link.readings.voltages)),
  /** Status bits of the servos (0 = healthy). */
  alarms: perJoint('', (arm, to) => to.set(arm.link.readings.alarms)),
  /** Time at which each joint was last heard, since 1970; 0 before. */
  heardTimes: perJoint('s', (arm, to) => {
    const { heard } = arm.link.readings;
    for (let i = 0; i < heard.length; i++) to[i] = stamp(arm, heard[i]!);
  }),
  /** Number of missing replies from each joint's first servo. */
  lostReplies: perJoint('', (arm, to) => to.set(arm.link.readings.lost)),
  /** Distance of each joint from the position that its goals, its drive and its droop explain. */
  deviations: perJoint('rad', (arm, to) => to.set(arm.deviations)),
  /**
   * Estimated external torque on each joint (`ExternalTorque`); 0 while the arm is limp, NaN if a remote arm's machine
   * reports none.
   */
  external: perJoint('Nm', (arm, to) => to.set(arm.external)),
  /** 1 where a joint is beyond its limits by more than its droop explains. */
  outside: perJoint('', (arm, to) => to.set(arm.outside)),
  /** Position limits that the joint's servos have of their own; infinite where they have none. */
  servoLower: perJoint('rad', (arm, to) => to.set(arm.link.limits.lower)),
  servoUpper: perJoint('rad', (arm, to) => to.set(arm.link.limits.upper)),
} as const satisfies Readonly<Record<string, PerJoint>>;

export type ArmField = keyof typeof ARM_FIELDS;
export type JointField = keyof typeof JOINT_FIELDS;
export const ARM_FIELD_NAMES = Object.keys(ARM_FIELDS) as ArmField[];
export const JOINT_FIELD_NAMES = Object.keys(JOINT_FIELDS) as JointField[];

interface Read {
  number: number;
  flag: boolean;
  state: ArmState;
}

/**
 * One arm at one control cycle. Arrays have one element for each joint, in the order of the model, and belong to the
 * reader that returned them: they are overwritten by its next read.
 */
export type ArmSnapshot = { [F in ArmField]: Read[(typeof ARM_FIELDS)[F]['read']] } & {
  readonly [F in JointField]: Float64Array;
};

/** Length of an arm's block, numbers: its scalar fields, then the joint fields, field by field. */
export function blockLength(joints: number): number {
  return ARM_FIELD_NAMES.length + JOINT_FIELD_NAMES.length * joints;
}

/** Where a joint field begins in that block. */
export function jointFieldAt(field: number, joints: number): number {
  return ARM_FIELD_NAMES.length + field * joints;
}

/** A snapshot of a block: joint fields are views into the block, and scalar fields are copied by `readScalars`. */
export function snapshotOf(block: Float64Array, joints: number): ArmSnapshot {
  const snapshot: Record<string, unknown> = {};
  for (const [place, name] of JOINT_FIELD_NAMES.entries()) {
    const at = jointFieldAt(place, joints);
    snapshot[name] = block.subarray(at, at + joints);
  }
  readScalars(block, snapshot);
  return snapshot as ArmSnapshot;
}

/** A snapshot of an arm with this number of joints before its first write: all zero, and disconnected. */
export function emptySnapshot(joints: number): ArmSnapshot {
  return snapshotOf(new Float64Array(blockLength(joints)), joints);
}

/** Copies the scalar fields from a block into a snapshot. */
export function readScalars(block: Float64Array, snapshot: Record<string, unknown>): void {
  for (let at = 0; at < ARM_FIELD_NAMES.length; at++) {
    const name = ARM_FIELD_NAMES[at]!;
    const value = block[at]!;
    const { read } = ARM_FIELDS[name] as Scalar<Reading>;
    snapshot[name] = read === 'number' ? value : read === 'flag' ? value === 1 : ARM_STATES[value]!;
  }
}
