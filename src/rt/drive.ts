import type { ControlledArm, ControlThread } from './control-thread.ts';
import type { ArmController } from './joint/arm-controller.ts';
import type { Joints } from './joint/joint-groups.ts';
import { makeSource } from './make-source.ts';
import type { Command, CommandResult, SourceSpec } from './messages.ts';
import { StopWord } from './snapshot/shared-snapshot.ts';
import { Trajectory } from './sources/trajectory.ts';
import { Waypoints, waypointFault } from './sources/waypoints.ts';

/** A joint that is slower rests, rad/s. */
const RESTING = 1e-3;

/** A gripper whose goal differs by less from where it is asked to be is asked for nothing new, rad. */
const SAME = 1e-3;

/** Why nothing comes of what was asked in an epoch of intent that has ended. */
export const OVER = 'what asked for it is over: the arm has been stopped, released or given to somebody else since';

type Drive = Extract<Command, { kind: 'drive' }>;

/**
 * Lets what was asked drive an arm, unless something speaks against it.
 * @returns the motion that has begun with its duration (s; 0 where nobody knows it), or why none has
 */
export function drive(thread: ControlThread, command: Drive): CommandResult | string {
  const controlled = thread.arms[command.arm]!;
  const { controller } = controlled;
  const stop = thread.shared.stop(command.arm);
  if (!controller.link.up) return controller.link.reason;
  // An arm that its own servos have stopped has a way down.
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

/** Adds to the waypoints of a motion. @returns why it does not go on with them; null when it does */
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

/** What is to be driven, with the joints that are not staying where they are asked to be now. */
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

/** Largest torque that a source leaves to the gripper, Nm; null: as before, since it is not asked to go anywhere else. */
function gripperTorqueOf(spec: SourceSpec, joints: Joints, { model, setpoints }: ArmController): number | null {
  const gripper = model.masks.gripper.indexOf(1);
  if (gripper < 0 || joints === 'arm') return null;
  if (spec.kind === 'trajectory' && spec.gripperTorque !== undefined) return spec.gripperTorque;
  const there = (position: number): boolean => Math.abs(position - setpoints[gripper]!) < SAME;
  const width = setpoints.length;
  const stays =
    (spec.kind === 'trajectory' && there(spec.goal[gripper]!)) ||
    // Of poses that are still to come nobody knows yet.
    (spec.kind === 'waypoints' &&
      spec.duration === undefined &&
      spec.positions.every((position, at) => at % width !== gripper || there(position)));
  return stays ? null : Number.POSITIVE_INFINITY;
}

/** Why the gripper cannot be kept to a torque; empty when it can. */
function gripRefusal({ setup, controller }: ControlledArm, torque: number | null): string {
  if (torque === null || torque === Number.POSITIVE_INFINITY) return '';
  const { link, model } = controller;
  const gripper = model.masks.gripper.indexOf(1);
  if (link.gains?.currents.caps(gripper)) return '';
  return `the servos of ${setup.joints[gripper]!.name} keep to no largest torque: ask for none`;
}

/** Part of its largest speeds at which an arm is moved. A motion that is slow by itself, as lowering is, keeps its own. */
function speedPart({ arms, shared }: ControlThread, { arm, source }: Drive): number {
  const slow = source.kind === 'trajectory' && source.speed !== null;
  return arms[arm]!.controller.pace('move', slow ? 1 : shared.speedPart(arm));
}

/**
 * The same of its accelerations. Poses with times of their own are not reached later than these say; and an arm that moves
 * keeps all, since it has to brake first.
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
  if (spec.kind !== 'waypoints') return '';
  const { gate, setpoints } = controller;
  // One that is beyond a limit may stay there and come back.
  const lower = gate.lower.map((limit, i) => Math.min(limit, setpoints[i]!));
  const upper = gate.upper.map((limit, i) => Math.max(limit, setpoints[i]!));
  const names = setup.joints.map((joint) => joint.name);
  const acceleration = controller.model.limits.acceleration.move;
  return waypointFault(spec, setpoints, { names, lower, upper, velocity, acceleration }) ?? '';
}
