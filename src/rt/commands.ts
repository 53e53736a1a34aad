import type { ControlledArm, ControlThread } from './control-thread.ts';
import type { ArmController } from './joint/arm-controller.ts';
import type { Command, CommandResult, SourceSpec } from './messages.ts';
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
/** Torque goes on at the measured pose, which must be no older than this, s. */
const OLDEST_START = 0.1;

const OVER = 'what asked for it is over: the arm has been stopped, released or given to somebody else since';
const ELSEWHERE = 'its servos belong to another machine';

type Kind = Exclude<Command['kind'], 'add' | 'close'>;
type Of<K extends Kind> = Extract<Command, { kind: K }>;

/** What carrying a command out comes to: its result, or why it is refused. */
export type Carried = CommandResult | string | Promise<CommandResult | string>;

/** How each command is carried out. A command that takes transactions with single servos takes many cycles. */
export const COMMANDS: { readonly [K in Kind]: (thread: ControlThread, command: Of<K>) => Carried } = {
  connect: (thread, { arm }) => {
    thread.arms[arm]!.controller.link.reopen();
    return done(thread, arm);
  },
  disconnect: (thread, { arm, reason }) => {
    void thread.arms[arm]!.controller.link.close(reason);
    return done(thread, arm);
  },
  torque: (thread, { arm, on, epoch }) => {
    const { controller } = thread.arms[arm]!;
    const { link } = controller;
    if (!link.up) return link.reason;
    if (on) {
      if (thread.shared.stopLatched(arm)) return 'it is stopped';
      if (epoch !== thread.shared.epoch(arm)) return OVER;
      if (link.torqueRefusal !== '') return `no torque: ${link.torqueRefusal}`;
      if (thread.clock.now() - link.sampleTime > OLDEST_START) return 'its servos do not answer just now';
    }
    controller.setTorque(on);
    return done(thread, arm);
  },
  gains: (thread, { arm, parts }) => {
    const { controller } = thread.arms[arm]!;
    const { gains, up, reason } = controller.link;
    if (!up) return reason;
    if (gains === null) return ELSEWHERE;
    const plan = gains.plan(parts, controller.model.floatTorque);
    return { motion: controller.motion, duration: 0, gains: { ...plan, restored: gains.restored } };
  },
  work_gains: (thread, { arm, parts }) => {
    const { gains, up, reason } = thread.arms[arm]!.controller.link;
    if (!up) return reason;
    if (gains === null) return ELSEWHERE;
    gains.work(parts);
    return done(thread, arm);
  },
  recover: (thread, { arm }) => {
    // Its torque gives way for a moment, which no motion bears.
    if (!thread.shared.stopLatched(arm)) return done(thread, arm);
    const refusal = thread.arms[arm]!.controller.link.recover(thread.clock.now());
    return refusal === '' ? done(thread, arm) : refusal;
  },
  give_up: (thread, { arm }) => {
    thread.arms[arm]!.controller.link.giveUp();
    return done(thread, arm);
  },
  cancel: (thread, { arm, motion }) => {
    thread.arms[arm]!.controller.cancel(motion, 'cancelled');
    return done(thread, arm);
  },
  drive: (thread, command) => {
    const controlled = thread.arms[command.arm]!;
    const { controller } = controlled;
    if (!controller.link.up) return controller.link.reason;
    if (thread.shared.stopLatched(command.arm)) return 'it is stopped';
    if (command.epoch !== thread.shared.epoch(command.arm)) return OVER;
    if (!controller.powered) return 'its torque is off';
    const part = speedPart(thread, command);
    const gain = accelerationPart(thread, command);
    const { velocity, acceleration } = controller.model.limits;
    const top = velocity.move.map((most) => most * part);
    const refusal = refusalOf(thread, controlled, command.source, top);
    if (refusal !== '') return refusal;
    const source = makeSource(thread, controlled, command.source, {
      top,
      gaining: acceleration.move.map((most) => most * gain),
    });
    controller.drive(source, part, gain);
    const timed = source instanceof Trajectory || source instanceof Waypoints;
    return { motion: controller.motion, duration: timed ? source.duration : 0 };
  },
  servos: (thread, command) => talk(thread, command, async (link) => ({ servos: await link.servos() })),
  limit_temperatures: (thread, command) =>
    talk(thread, command, async (link) => {
      await link.limitTemperatures(command.limits);
      return {};
    }),
  calibrate: (thread, command) =>
    talk(thread, command, async (link) => {
      await link.calibrate(command.joints);
      return {};
    }),
};

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function done(thread: ControlThread, arm: number): CommandResult {
  return { motion: thread.arms[arm]!.controller.motion, duration: 0 };
}

/** Carries out what takes transactions with single servos. */
async function talk(
  thread: ControlThread,
  { arm }: { readonly arm: number },
  work: (link: ArmController['link']) => Promise<Partial<CommandResult>>,
): Promise<CommandResult | string> {
  const { link } = thread.arms[arm]!.controller;
  if (!link.up) return link.reason;
  try {
    return { ...done(thread, arm), ...(await work(link)) };
  } catch (error) {
    return messageOf(error);
  }
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
  { arms, clock }: ControlThread,
  arm: ControlledArm,
  spec: SourceSpec,
  { top, gaining }: Pace,
): SetpointSource {
  const now = (): number => clock.now();
  const { limits } = arm.controller.model;
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
          return link.up ? link.sampleTime : 0;
        },
        sample(out) {
          mapPositions(maps, link.positions, out);
        },
      };
      return new Follow(sampler, driveModel(arm), 'mirroring', now, spec.options);
    }
    case 'stream':
      arm.stream.restart();
      return new Follow(arm.stream, driveModel(arm), 'moving', now, PLAIN, spec.timeout);
    case 'waypoints':
      return new Waypoints(spec, top);
    case 'jog': {
      arm.jog.sampleTime = 0;
      const { lower, upper, acceleration } = limits;
      const move = { lower, upper, velocity: top, acceleration: acceleration.move, gaining };
      return new Jog(arm.jog, move, arm.chain, arm.collision, now, spec.timeout);
    }
    case 'float':
      return new Float(spec.support, spec.fade, spec.gains);
  }
}

/** Part of its largest speeds at which an arm is moved. A motion that is slow by itself, as lowering is, keeps its own. */
function speedPart({ shared }: ControlThread, { arm, source }: Of<'drive'>): number {
  return source.kind === 'trajectory' && source.speed !== null ? 1 : shared.speedPart(arm);
}

/**
 * The same of its accelerations. Poses with times of their own are not reached later than these say; and an arm that moves
 * keeps all, since it has to brake first.
 */
function accelerationPart({ arms, shared }: ControlThread, { arm, source }: Of<'drive'>): number {
  if (source.kind === 'waypoints' || (source.kind === 'trajectory' && source.speed !== null)) return 1;
  const moves = arms[arm]!.controller.gate.velocities.some((speed) => Math.abs(speed) > RESTING);
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
  const { lower, upper } = controller.model.limits;
  const names = setup.joints.map((joint) => joint.name);
  return waypointFault(spec, controller.setpoints, { names, lower, upper, velocity }) ?? '';
}
