import { hostname } from 'node:os';
import { z } from 'zod';
import { ARM_STATES, type Arm } from '../../arm/types.ts';
import { MOST_JOINTS } from '../../sizes.ts';
import { components } from '../fields.ts';
import { metricsText } from '../metrics.ts';
import { route } from '../route.ts';
import { failed, ok, statusAnswer, statusResponse } from '../schemas.ts';
import {
  finite,
  holder,
  holderView,
  loopState,
  loopView,
  mirrorState,
  mirrorView,
  placement,
  placementView,
  reasonView,
  rosState,
} from '../views.ts';

const armStatus = z
  .object({
    id: z.int(),
    name: z.string(),
    model: z.string(),
    state: z.enum(ARM_STATES),
    ...holder,
    initialised: z.boolean().describe('Whether /move/init has set the zero.'),
    speed_scale: z.number().describe('Part of its largest speeds that it may use.'),
    torque: z.boolean(),
    ...placement,
    reason: z.string().describe('Why it is disconnected or stopped; empty otherwise.'),
    sample_age: z.number().nullable().describe('Age of the newest bus read, in seconds; null before the first.'),
    bus: z
      .object({
        discarded: z.int().describe('Bytes that belonged to no valid reply.'),
        round_trip: z.object({
          p50: z.number().describe('From request to last reply, median of the last seconds, in seconds; 0 before.'),
          p99: z
            .number()
            .describe('From request to last reply, 99th percentile of the last seconds, in seconds; 0 before.'),
        }),
      })
      .describe('The bus of the arm.'),
    servos: z
      .array(
        z
          .object({
            joint: z.string(),
            reply_age: z.number().nullable().describe('Time since its last reply, in seconds; null before the first.'),
            lost: z.int().describe('Replies that never came.'),
            alarms: z.int().describe('Alarm bits of the servo; 0 = healthy.'),
            temperature: z.number().nullable().describe('Degrees Celsius; null where it is not known.'),
            voltage: z.number().nullable().describe('Volts; null where it is not known.'),
          })
          .register(components, { id: 'ServoStatus' }),
      )
      .max(MOST_JOINTS)
      .describe('The servos of the arm, by joint.'),
  })
  .register(components, { id: 'ArmStatus' });

const robotStatus = z
  .object({
    name: z.string(),
    robot_type: z.literal('manipulator'),
    device_name: z.string().nullable(),
    temperature: z
      .array(z.object({ current: z.number(), max: z.number().nullable() }))
      .max(MOST_JOINTS)
      .nullable()
      .describe('Temperature of each servo, degrees Celsius; null for a simulated arm.'),
  })
  .register(components, { id: 'RobotStatus' });

const bridgeStatus = z
  .object({
    status: z.literal('ok'),
    name: z.string().describe('Name of this computer.'),
    robots: z.array(z.string()).describe('Models of the arms.'),
    robot_status: z.array(robotStatus),
    cameras: z
      .object({
        cameras_status: z.array(z.unknown()),
        is_stereo_camera_available: z.boolean(),
        realsense_available: z.boolean(),
        video_cameras_ids: z.array(z.int()),
      })
      .describe('Outside the scope of the bridge: none.'),
    version_id: z.string(),
    is_recording: z.boolean().describe('Whether some arm is being recorded.'),
    recording_warning: z
      .string()
      .describe('How little room is left for recordings, and what to do; empty while there is enough.'),
    ai_running_status: z.literal('stopped'),
    leader_follower_status: z.boolean().describe('Whether mirroring runs.'),
    server_ip: z.string(),
    server_port: z.int(),
    stop_port: z
      .int()
      .nullable()
      .describe('Port that hears POST /stop alone, whatever keeps this one busy; null: none.'),
    dialect: z.enum(['standard', 'phosphobot']),
    arms: z.array(armStatus),
    mirror: z.object({ reason: mirrorState.shape.reason, pairs: mirrorState.shape.pairs }),
    ros: rosState,
    loop: loopState,
  })
  .register(components, { id: 'BridgeStatus' });
type BridgeStatus = z.input<typeof bridgeStatus>;

/** Age of an event, s; null for time 0, which the control loop writes for "never". Both times are s since the epoch. */
function ageOf(time: number, now: number): number | null {
  return time === 0 ? null : Math.max(0, now - time);
}

function temperatureOf(arm: Arm): BridgeStatus['robot_status'][number]['temperature'] {
  if (arm.simulated || arm.remote) return null;
  const { detailTime, temperatures, temperatureLimits } = arm.read();
  if (detailTime === 0) return null;
  return Array.from(temperatures, (current, i) => ({ current: finite(current), max: temperatureLimits[i]! }));
}

function armStatusOf(arm: Arm, now: number): BridgeStatus['arms'][number] {
  const snapshot = arm.read();
  const { state, torque, sampleTime } = snapshot;
  const known = !arm.remote && snapshot.detailTime > 0;
  return {
    id: arm.id,
    name: arm.name,
    model: arm.model.name,
    state,
    ...holderView(arm),
    initialised: arm.initialised,
    torque,
    ...placementView(arm),
    speed_scale: arm.speedScale,
    reason: reasonView(arm),
    sample_age: ageOf(sampleTime, now),
    bus: {
      discarded: snapshot.discarded,
      round_trip: { p50: finite(snapshot.roundTripMedian), p99: finite(snapshot.roundTripLongest) },
    },
    servos: arm.model.joints.map(({ name }, i) => ({
      joint: name,
      reply_age: ageOf(snapshot.heardTimes[i]!, now),
      lost: snapshot.lostReplies[i]!,
      alarms: snapshot.alarms[i]!,
      temperature: known ? finite(snapshot.temperatures[i]!) : null,
      voltage: known ? finite(snapshot.voltages[i]!) : null,
    })),
  };
}

const percentilesExample = { p50: 0.005, p99: 0.0052, longest: 0.0061 };
const timingExample = { recent: percentilesExample, total: percentilesExample };
export const loopExample: z.input<typeof loopState> = {
  cycles: 12000,
  rate: 200,
  late: 3,
  trouble: '',
  period: 0.005,
  longest_period: 0.0052,
  priority: null,
  periods: timingExample,
  lateness: timingExample,
  latency: timingExample,
  period_histogram: { width: 0.00025, counts: [0, 1990, 10] },
};
export const rosExample = { enabled: true, reason: '', distro: 'jazzy', preparing: null };

const example: BridgeStatus = {
  status: 'ok',
  name: 'lab-pc',
  robots: ['so101'],
  robot_status: [{ name: 'so101', robot_type: 'manipulator', device_name: null, temperature: null }],
  cameras: {
    cameras_status: [],
    is_stereo_camera_available: false,
    realsense_available: false,
    video_cameras_ids: [],
  },
  version_id: '0.1.0',
  is_recording: false,
  recording_warning: '',
  ai_running_status: 'stopped',
  leader_follower_status: false,
  server_ip: '127.0.0.1',
  server_port: 8020,
  stop_port: 8021,
  dialect: 'standard',
  arms: [
    {
      id: 0,
      name: 'leader',
      model: 'so101',
      state: 'ready',
      owner: null,
      owner_since: null,
      initialised: true,
      torque: true,
      calibrated: true,
      outside_limits: [],
      doubt: '',
      speed_scale: 1,
      reason: '',
      sample_age: 0.004,
      bus: { discarded: 0, round_trip: { p50: 0.0008, p99: 0.0011 } },
      servos: [{ joint: 'shoulder_pan', reply_age: 0.004, lost: 0, alarms: 0, temperature: 31, voltage: 12 }],
    },
  ],
  mirror: { reason: '', pairs: [] },
  ros: rosExample,
  loop: loopExample,
};

const told = { tag: 'status', target: 'none', refusals: {} } as const;
const wrong = (description: string, message: string) => ({
  description,
  schema: statusResponse,
  example: failed(message),
});

export const statusRoutes = [
  route({
    ...told,
    method: 'GET',
    path: '/status',
    access: 'read',
    id: 'status',
    summary: 'State of the bridge and its arms',
    description: 'Arms, pairs, ROS 2 and the control loop; some fields are there for clients of phosphobot alone.',
    answer: { description: 'The state at this moment.', schema: bridgeStatus, example },
    handler: ({ services, address }): BridgeStatus => {
      const arms = services.arms.all;
      const { host, port } = address();
      const now = services.clock.wall();
      return {
        status: 'ok',
        name: hostname(),
        robots: arms.map((arm) => arm.model.name),
        robot_status: arms.map((arm) => ({
          name: arm.model.name,
          robot_type: 'manipulator',
          device_name: arm.simulated ? null : arm.bus,
          temperature: temperatureOf(arm),
        })),
        // The bridge has no cameras; the fields exist for clients that read them.
        cameras: {
          cameras_status: [],
          is_stereo_camera_available: false,
          realsense_available: false,
          video_cameras_ids: [],
        },
        version_id: services.version,
        is_recording: services.recordings.active,
        recording_warning: services.recordings.roomWarning,
        ai_running_status: 'stopped',
        leader_follower_status: services.mirror.status().active,
        server_ip: host,
        server_port: port,
        stop_port: services.stopPort(),
        dialect: services.config.dialect,
        arms: arms.map((arm) => armStatusOf(arm, now)),
        mirror: mirrorView(services),
        ros: services.ros(),
        loop: loopView(services),
      };
    },
  }),
  // Open, because probes have no token; the answer reveals nothing that needs one.
  route({
    ...told,
    method: 'GET',
    path: '/healthz',
    access: 'open',
    id: 'healthz',
    summary: 'Whether the bridge works',
    description: 'Needs no token.',
    answer: { ...statusAnswer(), description: 'The control loop runs.' },
    failure: wrong('The control loop does not run.', 'The control loop does not run.'),
    handler: async ({ services }, _input, reply) => {
      if (await services.alive()) return ok();
      reply.code(503);
      return failed('The control loop does not run.');
    },
  }),
  route({
    ...told,
    method: 'GET',
    path: '/readyz',
    access: 'open',
    id: 'readyz',
    summary: 'Whether all arms are connected, and ROS 2 is on where it is demanded',
    description: 'Needs no token.',
    answer: { ...statusAnswer(), description: 'All arms are connected; the message says whether ROS 2 is off.' },
    failure: wrong('Some arm is disconnected, or ROS 2 is demanded and off.', '1 of 2 arms are disconnected.'),
    handler: ({ services }, _input, reply) => {
      const { all } = services.arms;
      const missing = all.filter((arm) => !arm.detached && arm.read().state === 'disconnected').length;
      const { enabled: wished } = services.configuration().ros;
      const rosOff = wished !== false && !services.ros().enabled;
      const lacks = [
        ...(missing === 0 ? [] : [`${missing} of ${all.length} arms are disconnected.`]),
        ...(wished === true && rosOff ? ['ROS 2 is off, and ros.enabled demands it.'] : []),
      ];
      if (lacks.length === 0) return ok(rosOff ? 'ROS 2 is off: HTTP alone is served.' : null);
      reply.code(503);
      return failed(lacks.join(' '));
    },
  }),
  route({
    ...told,
    method: 'GET',
    path: '/metrics',
    access: 'read',
    id: 'metrics',
    summary: 'Figures for Prometheus',
    description: 'Of loop, arms, buses, servos, pairs, HTTP and ROS 2; their names begin with `arm_bridge_`.',
    answer: {
      description: 'Text format 0.0.4.',
      media: 'text/plain',
      example:
        '# HELP arm_bridge_loop_cycles_total Cycles of the control loop.\n# TYPE arm_bridge_loop_cycles_total counter\n' +
        'arm_bridge_loop_cycles_total 12000\n',
    },
    handler: ({ services, requests, hub }, _input, reply) =>
      reply.type('text/plain; version=0.0.4; charset=utf-8').send(metricsText(services, requests, hub.size)),
  }),
];
