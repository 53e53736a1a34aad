import type { BridgeError, Caller } from '../arm/types.ts';
import type { Clock } from '../clock.ts';
import type { Quaternion, Vector3 } from '../kinematics/frames.ts';
import { messageOf } from '../message-of.ts';
import { NODE_NAME } from './arguments.ts';
import type { InputParts } from './arm-inputs.ts';
import { Senders } from './callers.ts';
import { inWords } from './errors.ts';
import { jointValuesFault, LimitLog, SpeedLog } from './joint-input.ts';
import { unlessTypeMissing } from './missing-types.ts';
import { RefusalLog } from './refusals.ts';
import { clockOf, type Stamp, secondsOf } from './time.ts';

interface Header {
  readonly stamp: Stamp;
  readonly frame_id: string;
}

/** The fields read from geometry_msgs/msg/PoseStamped. */
interface PoseMessage {
  readonly header: Header;
  readonly pose: { readonly position: Vector3; readonly orientation: Quaternion };
}

/** The fields read from geometry_msgs/msg/TwistStamped. */
interface TwistMessage {
  readonly header: Header;
  readonly twist: { readonly linear: Vector3; readonly angular: Vector3 };
}

/** The fields read from control_msgs/msg/JointJog. */
interface JogMessage {
  readonly header: Header;
  readonly joint_names: readonly string[];
  readonly displacements: Float64Array;
  readonly velocities: Float64Array;
}

/** A quaternion whose length differs from one by more than this is a mistake, not rounding. */
const UNIT_TOLERANCE = 0.01;

/** Fraction of the planner thread's time that inverse kinematics for a stream of poses may take. */
const SOLVING_SHARE = 0.25;

/** Uses a message, at once or later. Returns why not, or reports that later through `refuse`; null when it is used. */
type Take<Message> = (message: Message, caller: Caller, refuse: (text: string) => void) => string | null;

/**
 * Topics that drive an arm as long as messages arrive, with the names that ros2_control and MoveIt Servo use. Each
 * publisher of each topic is a separate owner.
 */
export class ServoInputs {
  readonly #parts: InputParts;

  constructor(parts: InputParts) {
    this.#parts = parts;
  }

  accept(): void {
    const { arm, names: onGraph, joints, frames, trajectories, jogging, namespace, nodeName, log } = this.#parts;
    const refusedBy = (refused: BridgeError | null): string | null =>
      refused === null ? null : inWords(refused, nodeName);
    const names = arm.model.joints.map(({ name }) => name);
    const known = new Map(names.map((name, index) => [name, index]));
    // Without the gripper, which may have another owner meanwhile.
    const ofArm = (_: unknown, index: number): boolean => index !== arm.model.gripper?.index;
    const namesOfArm = names.filter(ofArm);

    const forward = 'forward_position_controller/commands';
    const limits = new LimitLog(arm.model.joints, `${namespace}/${forward}`, log);
    this.#subscribe<{ readonly data: Float64Array }>('std_msgs/msg/Float64MultiArray', forward, ({ data }, caller) => {
      const given = [names, namesOfArm].find(({ length }) => length === data.length);
      if (given === undefined) {
        return `it has ${data.length} positions; arm ${arm.name} has ${names.length} joints, the gripper may be left out: ${names.join(', ')}`;
      }
      const wrong = data.findIndex((value) => !Number.isFinite(value));
      if (wrong >= 0) return `the position of ${given[wrong]} is ${data[wrong]}`;
      const refused = refusedBy(joints.command(arm, given, data, caller));
      if (refused === null) limits.look(given, data, arm.clock.now());
      return refused;
    });

    const aim = async ({ header, pose }: PoseMessage, caller: Caller): Promise<string | null> => {
      const { position, orientation } = pose;
      const fault = this.#lateness(header) ?? frames.fault(header.frame_id, false) ?? poseFault(position, orientation);
      if (fault !== null) return fault;
      const goal = await trajectories.jointsFor(arm, frames.poseInBase(header.frame_id, { position, orientation }));
      return typeof goal === 'string' ? goal : refusedBy(joints.command(arm, namesOfArm, goal.filter(ofArm), caller));
    };
    this.#subscribe<PoseMessage>(
      'geometry_msgs/msg/PoseStamped',
      '~/pose_target',
      newestWithin(arm.clock, SOLVING_SHARE, aim),
    );

    this.#subscribe<TwistMessage>(
      'geometry_msgs/msg/TwistStamped',
      '~/delta_twist_cmds',
      ({ header, twist }, caller) => {
        const { frame_id } = header;
        const fault =
          this.#lateness(header) ??
          frames.fault(frame_id, true) ??
          finiteFault({ ...twist.linear }) ??
          finiteFault({ ...twist.angular });
        if (fault !== null) return fault;
        const linear = frames.vectorInBase(frame_id, twist.linear);
        const angular = frames.vectorInBase(frame_id, twist.angular);
        const values = Float64Array.of(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z);
        const frame = frame_id === frames.tool ? 'tool' : 'base';
        return refusedBy(jogging.feed(arm, { kind: 'twist', twist: values, frame }, caller));
      },
    );

    const speeds = new SpeedLog(arm, `${nodeName}/delta_joint_cmds`, log);
    this.#subscribe<JogMessage>('control_msgs/msg/JointJog', '~/delta_joint_cmds', (message, caller) => {
      if (message.displacements.length > 0) return 'displacements are not driven: send velocities';
      const late = this.#lateness(message.header);
      if (late !== null) return late;
      const named = onGraph.ofModel(message.joint_names);
      const fault = jointValuesFault(named, message.velocities, known, 'velocities');
      if (fault !== null) return fault;
      const velocities = new Float64Array(names.length);
      for (const [index, name] of named.entries()) velocities[known.get(name)!] = message.velocities[index]!;
      const refused = refusedBy(jogging.feed(arm, { kind: 'joints', velocities }, caller));
      if (refused === null) speeds.look(velocities, arm.clock.now());
      return refused;
    });
  }

  /** Why a message is too old by its stamp, human-readable; null when it is not, and for a message without a stamp. */
  #lateness({ stamp }: Header): string | null {
    const { oldest, node } = this.#parts;
    const sent = secondsOf(stamp);
    const age = clockOf(node) - sent;
    if (oldest === 0 || sent === 0 || age <= oldest) return null;
    return `its stamp is ${age.toFixed(3)} s old: check the clocks, or set ros.oldest_command`;
  }

  /** @param take uses a message, or reports through `refuse` why not */
  #subscribe<Message>(type: string, topic: string, take: Take<Message>): void {
    const { node, arm, namespace, qualities, log } = this.#parts;
    const below = topic.replace('~', NODE_NAME);
    const senders = new Senders(node, arm, namespace, below);
    const refusals = new RefusalLog(log, `Message on ${namespace}/${below} refused`);
    const receive: Parameters<typeof node.createSubscription<Message>>[3] = (message, { publisherGid }) => {
      const refuse = (text: string): void => refusals.refuse(text, arm.clock.now());
      try {
        const refused = take(message, senders.of(publisherGid), refuse);
        if (refused !== null) refuse(refused);
      } catch (error) {
        refuse(messageOf(error));
      }
    };
    unlessTypeMissing(log, `The topic ${namespace}/${below}`, () =>
      node.createSubscription<Message>(type, topic, { qos: qualities.stream }, receive),
    );
  }
}

/**
 * Processes one message at a time, for at most a share of the time: of messages that arrive too fast, only the newest
 * is processed when its turn comes.
 */
function newestWithin<Message>(
  clock: Clock,
  share: number,
  use: (message: Message, caller: Caller) => Promise<string | null>,
): Take<Message> {
  type Arrived = Parameters<Take<Message>>;
  let busy = false;
  let pending: Arrived | null = null;
  const work = async (...[message, caller, refuse]: Arrived): Promise<void> => {
    busy = true;
    const began = clock.now();
    try {
      const refused = await use(message, caller);
      if (refused !== null) refuse(refused);
    } catch (error) {
      refuse(messageOf(error));
    }
    clock.after((clock.now() - began) * (1 / share - 1), rest);
  };
  const rest = (): void => {
    busy = false;
    const next = pending;
    pending = null;
    if (next !== null) void work(...next);
  };
  return (...arrived) => {
    if (busy) pending = arrived;
    else void work(...arrived);
    return null;
  };
}

function finiteFault(values: Readonly<Record<string, number>>): string | null {
  const wrong = Object.entries(values).find(([, value]) => !Number.isFinite(value));
  return wrong === undefined ? null : `its ${wrong[0]} is ${wrong[1]}`;
}

function poseFault(position: Vector3, orientation: Quaternion): string | null {
  const fault = finiteFault({ ...position }) ?? finiteFault({ ...orientation });
  if (fault !== null) return fault;
  const length = Math.hypot(orientation.x, orientation.y, orientation.z, orientation.w);
  if (Math.abs(length - 1) <= UNIT_TOLERANCE) return null;
  return `its orientation has length ${length.toFixed(3)}: a unit quaternion is needed`;
}
