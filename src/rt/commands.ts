import type { Outcome } from '../servo/bus-session.ts';
import type { ControlledArm, ControlThread } from './control-thread.ts';
import type { ArmController } from './joint/arm-controller.ts';
import type { Group, Joints } from './joint/joint-groups.ts';
import type { Command, CommandResult, SourceSpec } from './messages.ts';
import { StopWord } from './snapshot/shared-snapshot.ts';
import { Chunks } from './sources/chunks.ts';
import { Feedback } from './sources/feedback.ts';
import { Float } from './sources/float.ts';
import { Follow, PLAIN, type Sampler } from './sources/follow.ts';
import { Jog } from './sources/jog.ts';
import { mapPositions } from './sources/joint-map.ts';
import type { DriveModel } from './sources/lead.ts';
import type { SetpointSource } from './sources/setpoint-source.ts';
import { Trajectory } from './sources/trajectory.ts';
import { Waypoints, waypointFault } from './sources/waypoints.ts';

/** A joint that is slower rests, rad/s. */
const RESTING = 1e-3;

/** A gripper whose goal differs by less from where it is asked to be is asked for nothing new, rad. */
const SAME = 1e-3;

const OVER = 'what asked for it is over: the arm has been stopped, released or given to somebody else since';
const ELSEWHERE = 'its servos belong to another machine';

type Kind = Exclude<Command['kind'], 'add' | 'bench' | 'close'>;
type Of<K extends Kind> = Extract<Command, { kind: K }>;

/** Takes the result of a command, or the reason why it is refused. */
export type Settle = (result: CommandResult | string) => void;

/** How each command is carried out. One that takes transactions with servos, or torque, settles many cycles later. */
export const COMMANDS: { readonly [K in Kind]: (thread: ControlThread, command: Of<K>, settle: Settle) => void } = {
  connect: (thread, { arm }, settle) => {
    thread.arms[arm]!.controller.link.reopen();
    settle(done(thread, arm));
  },
  disconnect: (thread, { arm, reason }, settle) => {
    thread.arms[arm]!.controller.link.close(reason);
    settle(done(thread, arm));
  },
  torque: (thread, { arm, on, epoch, joints }, settle) => {
    const { controller } = thread.arms[arm]!;
    const refusal = on ? torqueRefusal(thread, arm, epoch, joints) : controller.link.reason;
    if (refusal !== '') {
      settle(refusal);
      return;
    }
    controller.setTorque(on, (problem) => settle(problem === '' ? done(thread, arm) : problem), joints);
  },
  gains: (thread, { arm, parts }, settle) => {
    const { controller } = thread.arms[arm]!;
    const { gains, up, reason } = controller.link;
    if (!up) {
      settle(reason);
      return;
    }
    if (gains === null) {
      settle(ELSEWHERE);
      return;
    }
    const plan = gains.plan(parts, controller.model.floatTorque);
    settle({ ...done(thread, arm), gains: { ...plan, restored: gains.restored } });
  },
  work_gains: (thread, { arm, parts }, settle) => {
    const { gains, up, reason } = thread.arms[arm]!.controller.link;
    if (!up) {
      settle(reason);
      return;
    }
    if (gains === null) {
      settle(ELSEWHERE);
      return;
    }
    gains.work(parts);
    settle(done(thread, arm));
  },
  recover: (thread, { arm }, settle) => {
    // Its torque gives way for a moment, which no motion bears.
    const { link } = thread.arms[arm]!.controller;
    const refusal = thread.shared.stopLatched(arm) ? link.recover(thread.clock.now()) : '';
    settle(refusal === '' ? done(thread, arm) : refusal);
  },
  give_up: (thread, { arm }, settle) => {
    thread.arms[arm]!.controller.link.giveUp();
    settle(done(thread, arm));
  },
  cancel: (thread, { arm, what }, settle) => {
    thread.arms[arm]!.controller.cancel(what, 'cancelled');
    settle(done(thread, arm));
  },
  drive: (thread, command, settle) => settle(drive(thread, command)),
  extend: (thread, command, settle) => settle(extend(thread, command)),
  chunk: (thread, { arm, motion, path }, settle) => {
    const source = thread.arms[arm]!.controller.motions.sourceOf(motion);
    settle(source instanceof Chunks ? (source.take(path) ?? done(thread, arm)) : OVER);
  },
  servos: (thread, { arm }, settle) =>
    talk(thread, arm, settle, (link, end) => link.servos((outcome) => end(outcome, (servos) => ({ servos })))),
  limit_temperatures: (thread, { arm, limits }, settle) =>
    talk(thread, arm, settle, (link, end) => link.limitTemperatures(limits, (outcome) => end(outcome, () => ({})))),
  calibrate: (thread, { arm, joints, calibrated }, settle) =>
    talk(thread, arm, settle, (link, end) =>
      link.calibrate(joints, (outcome) => {
        if (!('problem' in outcome)) thread.arms[arm]!.controller.calibrated = calibrated;
        end(outcome, () => ({}));
      }),
    ),
};

function done(thread: ControlThread, arm: number): CommandResult {
  return { motion: thread.arms[arm]!.controller.motion, duration: 0 };
}

function torqueRefusal({ arms, shared }: ControlThread, arm: number, epoch: number, joints: Joints): string {
  const { link } = arms[arm]!.controller;
  if (!link.up) return link.reason;
  if (shared.stopLatched(arm)) return 'it is stopped';
  if (shared.isOver(arm, epoch, joints)) return OVER;
  return link.torqueRefusal === '' ? '' : `no torque: ${link.torqueRefusal}`;
}

/** @returns the motion that has begun, or why none has */
function drive(thread: ControlThread, command: Of<'drive'>): CommandResult | string {
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
  controller.drive(source, { joints: command.joints, speed: part, acceleration: gain, lowers, gripperTorque });
  const timed = source instanceof Trajectory || source instanceof Waypoints;
  return { motion: controller.motion, duration: timed ? source.duration : 0 };
}

/** @returns the motion that goes on, or why it does not */
function extend(thread: ControlThread, command: Of<'extend'>): CommandResult | string {
  const { setup, controller } = thread.arms[command.arm]!;
  const source = controller.motions.sourceOf(command.motion);
  if (!(source instanceof Waypoints)) return OVER;
  const { lower, upper } = controller.gate;
  const names = setup.joints.map(({ name }) => name);
  const { velocity, acceleration } = controller.model.limits;
  const limits = { names, lower, upper, velocity: velocity.move, acceleration: acceleration.move };
  const fault = source.extend(command, limits);
  return fault ?? done(thread, command.arm);
}

/** What is to be driven, with the joints that are not staying where they are asked to be now. */
function alone({ source, joints }: Of<'drive'>, { model, setpoints }: ArmController): SourceSpec {
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

/** Carries out what takes transactions with single servos. */
function talk(
  thread: ControlThread,
  arm: number,
  settle: Settle,
  work: (
    link: ArmController['link'],
    end: <T>(outcome: Outcome<T>, result: (value: T) => Partial<CommandResult>) => void,
  ) => void,
): void {
  const { link } = thread.arms[arm]!.controller;
  if (!link.up) {
    settle(link.reason);
    return;
  }
  work(link, (outcome, result) => {
    if ('problem' in outcome) settle(outcome.problem);
    else settle({ ...done(thread, arm), ...result(outcome.result) });
  });
}

/** What an arm's goals must lead by. A remote one's go out as they are: smoothed by both bridges they would be late twice. */
function driveModel({ setup, controller }: ControlledArm): DriveModel {
  const { joints } = setup;
  const over = (pick: (joint: (typeof joints)[number]) => number): Float64Array =>
    Float64Array.from(joints, (joint, i) => pick(joint) / (joint.stiffness * controller.link.gain[i]!));
  return {
    damping: over((joint) => joint.damping),
    inertia: over((joint) => joint.inertia),
    friction: over((joint) => joint.friction),
    smooth: !controller.link.remote,
  };
}

/** Largest speeds for moves (rad/s), and accelerations with which they gain speed (rad/s^2). */
interface Pace {
  readonly top: Float64Array;
  readonly gaining: Float64Array;
}

function makeSource(
  thread: ControlThread,
  arm: ControlledArm,
  spec: SourceSpec,
  { stream, jog }: ControlledArm['inputs'][Group],
  { top, gaining }: Pace,
): SetpointSource {
  const { arms, clock } = thread;
  const now = (): number => clock.now();
  const { gate, model } = arm.controller;
  switch (spec.kind) {
    case 'trajectory': {
      const { speed } = spec;
      const velocity = speed === null ? top : top.map((most) => Math.min(most, speed));
      const jerk = Float64Array.from(arm.setup.joints, ({ moveJerk }) => moveJerk ?? Number.POSITIVE_INFINITY);
      return new Trajectory(spec.goal, { velocity, acceleration: gaining, jerk });
    }
    case 'mirror': {
      const { link } = arms[spec.leader]!.controller;
      const { maps } = spec;
      const sampler: Sampler = {
        get sampleTime() {
          return link.up ? link.readings.sampleTime : 0;
        },
        sample(out) {
          mapPositions(maps, link.readings.positions, out);
        },
      };
      const follow = new Follow(sampler, driveModel(arm), 'mirroring', now, spec.options);
      arm.feel.begin(arms[spec.leader]!.controller, spec.leader, maps, follow, spec.feedback);
      return follow;
    }
    case 'stream':
      stream.restart();
      return new Follow(
        stream,
        driveModel(arm),
        'moving',
        now,
        { ...PLAIN, reapproach: spec.reapproach ?? false },
        spec.timeout,
      );
    case 'waypoints':
      return new Waypoints(spec, top);
    case 'chunks': {
      const chunks = new Chunks({ velocity: top, acceleration: gaining }, now);
      chunks.take(spec.first);
      return chunks;
    }
    case 'jog': {
      jog.sampleTime = 0;
      const { lower, upper } = gate;
      const move = { lower, upper, velocity: top, acceleration: model.limits.acceleration.move, gaining };
      return new Jog(jog, move, arm.chain, arm.collision, now, spec.timeout);
    }
    case 'float': {
      // A leader that is let go within seconds has no springs to feel with.
      if (spec.gains === null) return new Float(spec.support, spec.fade, null);
      const { controller } = arm;
      const feedback = new Feedback(controller, controller.index, arms);
      feedback.onGuarded = (joint) => thread.tellGuarded(controller.index, joint);
      return new Float(spec.support, spec.fade, spec.gains, feedback);
    }
  }
}

/** Part of its largest speeds at which an arm is moved. A motion that is slow by itself, as lowering is, keeps its own. */
function speedPart({ arms, shared }: ControlThread, { arm, source }: Of<'drive'>): number {
  const slow = source.kind === 'trajectory' && source.speed !== null;
  return arms[arm]!.controller.pace('move', slow ? 1 : shared.speedPart(arm));
}

/**
 * The same of its accelerations. Poses with times of their own are not reached later than these say; and an arm that moves
 * keeps all, since it has to brake first.
 */
function accelerationPart({ arms, shared }: ControlThread, { arm, source, joints }: Of<'drive'>): number {
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
  const { lower, upper } = controller.gate;
  const names = setup.joints.map((joint) => joint.name);
  const acceleration = controller.model.limits.acceleration.move;
  return waypointFault(spec, controller.setpoints, { names, lower, upper, velocity, acceleration }) ?? '';
}
