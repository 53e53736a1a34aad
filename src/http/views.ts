import { z } from 'zod';
import { alarmTexts } from '../arm/alarms.ts';
import { ACTS, type Entry, OUTCOMES } from '../arm/journal.ts';
import { travelOf } from '../arm/model.ts';
import { ARM_STATES, type Arm } from '../arm/types.ts';
import { LONGEST_OWNER, MOST_JOINTS } from '../sizes.ts';
import { fitting } from './answer-size.ts';
import { ASK_STATES, type Ask } from './asks.ts';
import { components } from './fields.ts';
import type { HttpServices } from './services.ts';

/**
 * Views of the bridge's parts for routes and the live stream, each next to its schema. Units are SI, arrays are in the
 * order of the arm's joints, and null means unknown.
 */

const measured = z.array(z.number().nullable());
const triple = z.array(z.number()).length(3);

export const activity = z
  .object({
    kind: z.string().describe('trajectory, waypoints, chunks, mirror, stream, jog or float.'),
    progress: z.number().nullable().describe('Of its present leg, 0 to 1; null for a motion without an end.'),
  })
  .register(components, { id: 'Activity' });

/** Whether an arm's measured angles can be trusted. */
export const placement = {
  calibrated: z
    .boolean()
    .describe('A calibration, or the model of a simulated arm, says where its joints are at zero.'),
  outside_limits: z.array(z.string()).max(MOST_JOINTS).describe('Joints that are measured beyond their limits.'),
  doubt: z.string().describe('Why its angles may be wrong, so that motions need `uncalibrated=true`; empty otherwise.'),
};

/** Most characters of a text about an arm or a pair: other bridges accept no more. */
export const MOST_WORDS = 400;

export const placementView = (arm: Arm) => ({
  calibrated: arm.read().calibrated,
  outside_limits: arm.outside,
  doubt: arm.doubt.slice(0, MOST_WORDS),
});

/** Owner of an arm. */
export const holder = {
  owner: z.string().nullable().describe('Client that has the arm; null if the arm is free.'),
  owner_since: z
    .number()
    .nullable()
    .describe('Time since which that client has the arm, seconds since the epoch; null if the arm is free.'),
};

export const holderView = ({ held }: Arm) => ({
  owner: held?.owner.name.slice(0, LONGEST_OWNER) ?? null,
  owner_since: held?.since ?? null,
});

export const armState = z
  .object({
    id: z.int(),
    state: z.enum(ARM_STATES),
    ...holder,
    torque: z.boolean(),
    failed: z.boolean().describe('Whether its own servos have stopped it: it may be lowered before it is reset.'),
    initialised: z.boolean().describe('Whether /move/init has set the zero.'),
    ...placement,
    reason: z.string().describe('Why it is disconnected or stopped; empty otherwise.'),
    sampled: z.number().describe('Time of the bus read, seconds since the epoch; 0 before the first.'),
    joints: z.object({
      position: measured.describe('rad'),
      goal: measured.describe('Where the joints are asked to be, rad; null without torque.'),
      velocity: measured.describe('rad/s'),
      effort: measured.describe('Nm, estimated by the servo.'),
      external: measured.describe(
        'Torque that something outside puts on the joint, Nm, estimated; null without torque.',
      ),
      temperature: measured.describe('Degrees Celsius.'),
      voltage: measured.describe('V'),
      alarm: z.array(z.int()).describe('Alarm bits of the servo; 0 = healthy.'),
    }),
    tool: z
      .object({ position: triple.describe('x y z, m'), orientation: z.array(z.number()).length(4) })
      .nullable()
      .describe('In the base frame; orientation as a quaternion x y z w.'),
    wrench: z
      .object({ force: triple.describe('x y z, N'), moment: triple.describe('x y z, Nm') })
      .nullable()
      .describe('What the external torques mean at the tool, in axes of the base; null without torque.'),
    opening: z.number().nullable().describe('Opening of the gripper, 0 closed to 1 open.'),
    motion: activity.nullable().describe('What drives it; null: nothing.'),
  })
  .register(components, { id: 'ArmState' });
export type ArmState = z.input<typeof armState>;

/** Pose of a simulated object. */
export const objectPose = z
  .object({
    robot_id: z.int().describe('Id of the simulated arm in front of which the object stands.'),
    name: z.string(),
    position: triple.describe('x y z in the base frame of the arm, m'),
    orientation: z.array(z.number()).length(4).describe('As a quaternion x y z w.'),
  })
  .register(components, { id: 'ObjectPose' });

/** Inverse resolution of values: 1 µm, 1 µrad. */
const SCALE = 1e6;

const rounded = (value: number): number => Math.round(value * SCALE) / SCALE + 0;
/** A range that lies in `lower` to `upper`: what is beyond a limit by its last digit is refused. */
const within = ({ lower, upper }: { readonly lower: number; readonly upper: number }) => ({
  lower: Math.ceil(lower * SCALE) / SCALE + 0,
  upper: Math.floor(upper * SCALE) / SCALE + 0,
});
const known = (value: number): number | null => (Number.isFinite(value) ? rounded(value) : null);
const all = (values: Float64Array): (number | null)[] => Array.from(values, known);

/** Simulated objects with their last known poses. */
export function objectsView({ simulation, arms }: HttpServices): z.input<typeof objectPose>[] {
  if (simulation === null) return [];
  const { scene } = simulation;
  return [...scene.poses].flatMap(([name, poses]) => {
    const arm = arms.byName(name);
    if (arm === undefined) return [];
    return scene.of(name).map((object, i) => {
      const pose = Array.from(poses.subarray(7 * i, 7 * i + 7), rounded);
      return { robot_id: arm.id, name: object.name, position: pose.slice(0, 3), orientation: pose.slice(3) };
    });
  });
}

/** Current state of an arm. */
export function armView(arm: Arm): ArmState {
  const snapshot = arm.read();
  const { state, torque, positions } = snapshot;
  const isMeasured = positions.every(Number.isFinite);
  const detailed = snapshot.detailTime > 0;
  const unknown = Array.from(positions, () => null);
  const pose = isMeasured ? arm.toolPose(positions) : null;
  const opening = isMeasured ? arm.gripperOpening(positions) : null;
  const { position: at, orientation: turn } = pose ?? {};
  const wrench = isMeasured ? arm.toolWrench(snapshot, 'base') : null;
  return {
    id: arm.id,
    state,
    ...holderView(arm),
    torque,
    failed: arm.failed,
    initialised: arm.initialised,
    ...placementView(arm),
    sampled: snapshot.sampleTime,
    joints: {
      position: all(positions),
      goal: snapshot.holding ? all(snapshot.setpoints) : unknown,
      velocity: detailed ? all(snapshot.velocities) : unknown,
      effort: detailed ? all(snapshot.efforts) : unknown,
      external: wrench === null ? unknown : all(snapshot.external),
      temperature: detailed && !arm.remote ? all(snapshot.temperatures) : unknown,
      voltage: detailed && !arm.remote ? all(snapshot.voltages) : unknown,
      alarm: Array.from(snapshot.alarms),
    },
    tool:
      at === undefined || turn === undefined
        ? null
        : {
            position: [rounded(at.x), rounded(at.y), rounded(at.z)],
            orientation: [rounded(turn.x), rounded(turn.y), rounded(turn.z), rounded(turn.w)],
          },
    wrench:
      wrench === null
        ? null
        : {
            force: Array.from(wrench.subarray(0, 3), rounded),
            moment: Array.from(wrench.subarray(3), rounded),
          },
    opening: opening === null ? null : known(opening),
    motion: arm.activity,
    // Last, because it reads the arm again.
    reason: reasonView(arm),
  };
}

/** Why an arm is disconnected or stopped, with the next step if a route offers one; empty otherwise. */
export function reasonView(arm: Arm): string {
  const step = arm.detached ? ': /robot/add-connection connects it' : '';
  return `${arm.reason.slice(0, MOST_WORDS - step.length)}${step}`;
}

export const armFacts = z
  .object({
    id: z.int(),
    name: z.string(),
    model: z.string().describe('Folder below robots/.'),
    variant: z.string().describe('Build of the model.'),
    leader: z.string().nullable().describe('Name of the arm that leads it in the configuration; null: none.'),
    title: z.string(),
    bus: z.string(),
    simulated: z.boolean(),
    remote: z.boolean().describe('Another machine owns its bus.'),
    base_link: z.string(),
    tool_link: z.string(),
    mount: z
      .object({ xyz: z.array(z.number()).length(3), rpy: z.array(z.number()).length(3) })
      .describe('Pose of its base in the world: m and rad.'),
    joints: z.array(
      z
        .object({
          name: z.string(),
          role: z.string(),
          lower: z.number(),
          upper: z.number(),
          velocity: z.number().describe('Largest speed of moves, rad/s.'),
          torque_limit: z.number().describe('Largest torque that its servo gives, Nm.'),
          unit: z.literal('rad'),
          travel: z
            .array(z.number())
            .length(2)
            .describe(
              'What it was led over while it was calibrated, laid about the middle of its limits: its angles at the least and ' +
                'at the greatest servo step. Its limits, where it was not calibrated.',
            ),
          turned: z.boolean().describe('Calibrating found its servo the other way round than the data of the arm say.'),
          servos: z.array(z.object({ id: z.int(), model: z.string() })),
        })
        .register(components, { id: 'JointFacts' }),
    ),
    gripper: z
      .object({ index: z.int(), closed: z.number(), open: z.number() })
      .nullable()
      .describe('Index of its joint and its angles when closed and open.'),
    poses: z.record(z.string(), z.array(z.number())).describe('Named poses, rad.'),
    alarms: z.record(z.string(), z.string()).describe('What the alarm bits of its servos mean, by the bit.'),
  })
  .register(components, { id: 'ArmFacts' });
export type ArmFacts = z.input<typeof armFacts>;

/** Constant properties of an arm: they do not change while the bridge runs. */
export function armFactsView(services: HttpServices, arm: Arm): ArmFacts {
  const { xyz, rpy } = services.mountOf(arm);
  const ranges = arm.model.joints.map(within);
  const inRange = (angle: number, i: number): number =>
    Math.min(Math.max(rounded(angle), ranges[i]!.lower), ranges[i]!.upper);
  return {
    id: arm.id,
    name: arm.name,
    model: arm.model.name,
    variant: arm.model.variant,
    leader: services.mirror.configuredLeader(arm),
    title: arm.model.title,
    bus: arm.bus,
    simulated: arm.simulated,
    remote: arm.remote,
    base_link: arm.model.baseLink,
    tool_link: arm.model.toolLink,
    mount: { xyz: [...xyz], rpy: [...rpy] },
    joints: arm.model.joints.map((joint) => ({
      name: joint.name,
      role: joint.role,
      ...within(joint),
      velocity: rounded(joint.move.velocity),
      torque_limit: rounded(joint.torqueLimit),
      unit: 'rad',
      travel: travelOf(joint).map(rounded),
      turned: joint.servos[0]!.turned ?? false,
      servos: joint.servos.map(({ id, model }) => ({ id, model })),
    })),
    gripper: arm.model.gripper,
    poses: Object.fromEntries([...arm.model.poses].map(([name, angles]) => [name, Array.from(angles, inRange)])),
    alarms: Object.fromEntries(alarmTexts(arm.model.family)),
  };
}

export const mirrorState = z
  .object({
    active: z.boolean().describe('Whether mirroring runs.'),
    reason: z.string().describe('Why mirroring last stopped.'),
    pairs: z.array(
      z
        .object({
          leader: z.string(),
          follower: z.string(),
          state: z.enum(['idle', 'starting', 'ramping', 'mirroring', 'holding']),
          owner: z.string().describe('Client that started the pair.'),
          owner_since: z.number().describe('Time since which that client has it, seconds since the epoch.'),
          rate: z.number().describe('Goals written per second.'),
          latency: z.number().nullable().describe('From sample to goal, in seconds; null before the first.'),
          force_feedback: z
            .object({ arm: z.number(), gripper: z.number() })
            .describe('How much of what pushes the follower its leader feels while it floats, 0 to 1.'),
          reason: z.string().describe('Why the pair last stopped or held, or why the follower stays behind.'),
        })
        .register(components, { id: 'PairState' }),
    ),
  })
  .register(components, { id: 'PairList' });

/** State of mirroring and its pairs, with the reason of the last stop. */
export function mirrorView({ mirror }: HttpServices): z.input<typeof mirrorState> {
  const { active, reason, pairs } = mirror.status();
  return {
    active,
    reason: reason.slice(0, MOST_WORDS),
    pairs: pairs.map((pair) => ({
      leader: pair.leader,
      follower: pair.follower,
      state: pair.state,
      owner: pair.owner.slice(0, LONGEST_OWNER),
      owner_since: pair.since,
      rate: finite(pair.rate),
      latency: Number.isFinite(pair.latency) ? pair.latency : null,
      force_feedback: pair.forceFeedback,
      reason: pair.reason.slice(0, MOST_WORDS),
    })),
  };
}

const percentiles = z
  .object({ p50: z.number(), p99: z.number(), longest: z.number() })
  .register(components, { id: 'Percentiles' });
const cycleTiming = z
  .object({
    recent: percentiles.describe('Over the last 10 s, in seconds.'),
    total: percentiles.describe('Since the start, in seconds.'),
  })
  .register(components, { id: 'CycleTiming' });

export const loopState = z
  .object({
    cycles: z.int(),
    rate: z.number().describe('Configured rate, Hz.'),
    late: z.int().describe('Cycles that began later than half a period.'),
    trouble: z.string().describe('What keeps this computer from keeping up; empty when it does.'),
    period: z.number().describe('Mean of the last second, s.'),
    longest_period: z.number().describe('Of the last second, s.'),
    priority: z.int().nullable().describe('Real-time priority of the control thread; null without one.'),
    periods: cycleTiming.describe('From the beginning of a cycle to that of the next.'),
    lateness: cycleTiming.describe('Time by which a cycle began too late.'),
    latency: cycleTiming.describe('From the beginning of a read until goals made of it had been written.'),
    period_histogram: z
      .object({
        width: z.number().describe('Width of a bin, in seconds; the first bin begins at 0.'),
        counts: z.array(z.int()).describe('Cycles of each bin; the last has all longer periods too.'),
      })
      .describe('Cycles of the last 10 s by their period.'),
  })
  .describe('The control loop.')
  .register(components, { id: 'LoopState' });

/** Statistics of the control loop. */
export function loopView(services: HttpServices): z.input<typeof loopState> {
  const loop = services.loop();
  return {
    cycles: loop.cycles,
    rate: loop.rate,
    late: loop.late,
    trouble: loop.trouble,
    period: finite(loop.period),
    longest_period: finite(loop.longestPeriod),
    priority: loop.priority === 0 ? null : loop.priority,
    periods: loop.periods,
    lateness: loop.lateness,
    latency: loop.latency,
    period_histogram: { width: finite(loop.histogram.width), counts: [...loop.histogram.counts] },
  };
}

export const rosState = z
  .object({
    enabled: z.boolean(),
    reason: z.string().describe('Why ROS is off; empty otherwise.'),
    distro: z.string().nullable(),
    preparing: z
      .object({ step: z.string(), left: z.number().describe('About how long until ROS is on, s.') })
      .nullable()
      .describe('While ROS is off for now: what is being done so that it can be on.'),
  })
  .register(components, { id: 'RosState' });

export const logLine = z
  .object({
    time: z.number().describe('Seconds since the epoch.'),
    level: z.string().describe('trace, debug, info, warn, error or fatal.'),
    message: z.string(),
  })
  .register(components, { id: 'LogLine' });

/** Most characters of one log message. */
const LONGEST_MESSAGE = 1000;

/** Log lines from number `from` on and before number `before`: the newest `most`, fewer if they are too long for one answer. */
export function logView({ log }: HttpServices, from: number, most: number, before?: number): z.input<typeof logLine>[] {
  const newest = function* (): Generator<z.input<typeof logLine>> {
    let count = 0;
    for (const { time, level, message } of log.newest(from, before)) {
      if (count++ === most) return;
      yield {
        time,
        level,
        message: message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}...` : message,
      };
    }
  };
  return fitting(newest()).reverse();
}

/** 0 for a non-finite (unknown) number, which JSON cannot represent. */
export function finite(value: number): number {
  return Number.isFinite(value) ? value : 0;
}

/** A request of one client to another for an arm. */
export const armAsk = z
  .object({
    id: z.string(),
    arm: z.string().describe('Name of the arm.'),
    asker: z.string().describe('Client that asks for the arm.'),
    owner: z.string().describe('Client that is asked: the owner of the arm, or whoever started the pair that uses it.'),
    state: z
      .enum(ASK_STATES)
      .describe(
        'State of the request. `refused`: the owner said no. `over`: nobody answered, or the owner no longer has the arm.',
      ),
    message: z.string().describe('State of the request as a sentence.'),
    ends: z.number().describe('Time until which the request can be answered, seconds since the epoch.'),
  })
  .register(components, { id: 'ArmAsk' });

export const askView = ({ arm, asker, owner, id, state, message, ends }: Ask): z.input<typeof armAsk> => ({
  id,
  arm: arm.name,
  asker: asker.name,
  owner: owner.name,
  state,
  message,
  ends,
});

/** A journal entry. */
export const journalEvent = z
  .object({
    id: z.int().describe('Number of the entry; newer entries have larger numbers.'),
    time: z.number().describe('When the action began, seconds since the epoch.'),
    act: z.enum(ACTS).describe('What was done.'),
    arm: z.string().nullable().describe('Name of the arm; null if the action concerns several arms or none.'),
    who: z.string().describe('Client that requested it.'),
    origin: z.string().describe('Where the request came from: an address, this computer, ROS 2, or the bridge itself.'),
    what: z.string().describe('Method and path of the request, or the ROS 2 service, action or topic.'),
    request_id: z
      .string()
      .nullable()
      .describe('Id of the HTTP request, as in X-Request-Id, or of the ROS 2 request; null if it was neither.'),
    taken_from: z.string().nullable().describe('Client that lost the arm to this one; null if the arm was free.'),
    outcome: z.enum(OUTCOMES).describe('Result of the action. `ended`: somebody or something else ended it.'),
    message: z.string().nullable().describe('Why the action failed, was refused or was ended; null otherwise.'),
    ended: z
      .number()
      .nullable()
      .describe('When the action was over, seconds since the epoch; null while it is under way.'),
    count: z.int().describe('Number of repetitions that this entry stands for, such as the messages of a stream.'),
  })
  .register(components, { id: 'JournalEvent' });

export const eventView = ({ request, takenFrom, from, ...entry }: Entry): z.input<typeof journalEvent> => ({
  ...entry,
  request_id: request,
  taken_from: takenFrom,
  origin: from,
});
