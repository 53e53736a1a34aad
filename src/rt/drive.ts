import type { ControlledArm, ControlThread } from './control-thread.ts';
import type { ArmController } from './joint/arm-controller.ts';
import type { Joints } from './joint/joint-groups.ts';
import { makeSource } from './make-source.ts';
import type { Command, CommandResult, SourceSpec } from './messages.ts';
import { StopWord } from './snapshot/shared-snapshot.ts';
import { chunkFault } from './sources/chunks.ts';
import { Trajectory } from './sources/trajectory.ts';
import { Waypoints, waypointFault } from './sources/waypoints.ts';

/** Slower than this, a joint rests, rad/s. */
const RESTING = 1e-3;

/** A gripper goal that differs by less from the setpoint does not ask for a new position, rad. */
const SAME = 1e-3;

/** Refusal of a request whose epoch of intent has ended. */
export const OVER = 'what asked for it is over: the arm has been stopped, released or given to somebody else since';

type Drive = Extract<Command, { kind: 'drive' }>;

/**
 * Starts the requested motion, unless something forbids it.
 * @returns the motion and its duration (s; 0 if unknown), or why it is refused
 */
export function drive(thread: ControlThread, command: Drive): CommandResult | string {
  const controlled = thread.arms[command.arm]!;
  const { controller } = controlled;
  const stop = thread.shared.stop(command.arm);
  if (!controller.link.up) return controller.link.reason;
  // An arm that its own servos have stopped may still be lowered.
  if (stop === StopWord.asked || (stop === StopWord.fault && !command.lowering)) return 'it is stopped';
  if (thread.shared.isOver(command.arm, command.epoch, command.joints)) return OVER;
  if (controller.link.blocked !== '') return controller.link.blocked;
  if (!controller.holding) return 'its torque is off';
  const part = speedPart(thread, command);
  const gain = accelerationPart(thread, command);
  const { velocity, acceleration } = controller.model.limits;
  const top = velocity.move.map((most) => most * part);
  const spec = alone(command, controller);
  const gripperTorque = gripperTorqueOf(spec, command.joints, controller);
  const refusal = refusalOf(thread, controlled, spec, top) || gripRefusal(controlled, gripperTorque);
  if (refusal !== '') return refusal;
  const gaining = acceleration.move.map((most) => most * gain);
  const input = controlled.inputs[command.joints === 'gripper' ? 'gripper' : 'arm'];
  const source = makeSource(thread, controlled, spec, input, { top, gaining });
  const lowers = command.lowering === true;
  const own = spec.kind === 'trajectory' && spec.speed !== null ? { top: spec.speed } : {};
  controller.drive(source, { joints: command.joints, speed: part, ...own, acceleration: gain, lowers, gripperTorque });
  const timed = source instanceof Trajectory || source instanceof Waypoints;
  return { motion: controller.motion, duration: timed ? source.duration : 0 };
}

/** Appends waypoints to a motion. @returns why they are refused; null if they are accepted */
export function extend(thread: ControlThread, command: Extract<Command, { kind: 'extend' }>): string | null {
  const { setup, controller } = thread.arms[command.arm]!;
  const source = controller.motions.sourceOf(command.motion);
  if (!(source instanceof Waypoints)) return OVER;
  const { lower, upper } = controller.gate;
  const names = setup.joints.map(({ name }) => name);
  const { velocity, acceleration } = controller.model.limits;
  const limits = { names, lower, upper, velocity: velocity.move, acceleration: acceleration.move };
  return source.extend(command, limits);
}

/** The source to drive, in which joints outside `joints` stay at their present setpoints. */
function alone({ source, joints }: Drive, { model, setpoints }: ArmController): SourceSpec {
  const mask = model.masks[joints];
  if (joints === 'all') return source;
  if (source.kind === 'trajectory')
    return { ...source, goal: source.goal.map((goal, i) => (mask[i] === 1 ? goal : setpoints[i]!)) };
  if (source.kind !== 'waypoints') return source;
  const { positions, velocities, accelerations } = source;
  const joint = (at: number): number => at % mask.length;
  const moved = (value: number, at: number): number => (mask[joint(at)] === 1 ? value : 0);
  return {
    ...source,
    positions: positions.map((position, at) => (mask[joint(at)] === 1 ? position : setpoints[joint(at)]!)),
    velocities: velocities?.map(moved) ?? null,
    accelerations: accelerations?.map(moved) ?? null,
  };
}

/** Largest gripper torque under a source, Nm; null: unchanged, because the gripper is not asked to move. */
function gripperTorqueOf(spec: SourceSpec, joints: Joints, { model, setpoints }: ArmController): number | null {
  const gripper = model.masks.gripper.indexOf(1);
  if (gripper < 0 || joints === 'arm') return null;
  if (spec.kind === 'trajectory' && spec.gripperTorque !== undefined) return spec.gripperTorque;
  const there = (position: number): boolean => Math.abs(position - setpoints[gripper]!) < SAME;
  const width = setpoints.length;
  const stays =
    (spec.kind === 'trajectory' && there(spec.goal[gripper]!)) ||
    // Poses that are still to come may move it.
    (spec.kind === 'waypoints' &&
      spec.duration === undefined &&
      spec.positions.every((position, at) => at % width !== gripper || there(position)));
  return stays ? null : Number.POSITIVE_INFINITY;
}

/** Why the gripper cannot be limited to a torque; empty if it can. */
function gripRefusal({ setup, controller }: ControlledArm, torque: number | null): string {
  if (torque === null || torque === Number.POSITIVE_INFINITY) return '';
  const { link, model } = controller;
  const gripper = model.masks.gripper.indexOf(1);
  if (link.gains?.currents.caps(gripper)) return '';
  return `the servos of ${setup.joints[gripper]!.name} keep to no largest torque: ask for none`;
}

/** Speed scale of a motion. The arm's speed setting does not slow a motion with its own speed, such as lowering. */
function speedPart({ arms, shared }: ControlThread, { arm, source }: Drive): number {
  const slow = source.kind === 'trajectory' && source.speed !== null;
  return arms[arm]!.controller.pace('move', slow ? 1 : shared.speedPart(arm));
}

/**
 * Acceleration scale of a motion. It is 1 for poses with times of their own, which must not be reached late, for a
 * motion with its own speed, and for an arm in motion, which has to brake first.
 */
function accelerationPart({ arms, shared }: ControlThread, { arm, source, joints }: Drive): number {
  if (source.kind === 'waypoints' || (source.kind === 'trajectory' && source.speed !== null)) return 1;
  const { gate, model } = arms[arm]!.controller;
  const moves = gate.velocities.some((speed, i) => model.masks[joints][i] === 1 && Math.abs(speed) > RESTING);
  return moves ? 1 : shared.accelerationPart(arm);
}

/** Why a source cannot drive an arm at speeds up to `velocity` (rad/s); empty when it can. */
function refusalOf(
  { arms }: ControlThread,
  { setup, controller }: ControlledArm,
  spec: SourceSpec,
  velocity: Float64Array,
): string {
  const wrong = spec.kind === 'mirror' ? arms[spec.leader]!.controller.link.miscalibrated : '';
  if (controller.link.miscalibrated !== '') return controller.link.miscalibrated;
  if (wrong !== '') return `its leader: ${wrong}`;
  if (spec.kind === 'trajectory') return spec.goal.every(Number.isFinite) ? '' : 'a goal position is no number';
  if (spec.kind === 'chunks') return chunkFault(spec.first, controller.setpoints.length) ?? '';
  if (spec.kind !== 'waypoints') return '';
  const { gate, setpoints } = controller;
  // A joint beyond a limit may stay where it is, by its setpoint or as measured, and come back.
  const { positions } = controller.link.readings;
  const lower = gate.lower.map((limit, i) => Math.min(limit, setpoints[i]!, positions[i]!));
  const upper = gate.upper.map((limit, i) => Math.max(limit, setpoints[i]!, positions[i]!));
  const names = setup.joints.map((joint) => joint.name);
  const acceleration = controller.model.limits.acceleration.move;
  return waypointFault(spec, setpoints, { names, lower, upper, velocity, acceleration }) ?? '';
}
