import { z } from 'zod';
import { ALIGN, DEFAULT_GRAVITY, ON_MISMATCH } from '../mirror/mirroring.ts';
import { asList, asMap, asModel, boolean, components, integer, number } from './fields.ts';

/**
 * The bodies of the interface, each written once: its type, its validation and its OpenAPI come from here. The message
 * of an issue is the type of the field error (`float_type`, `int_from_float`, ...); validation.ts words it.
 */

const length = (description: string) => number().nullable().prefault(null).describe(description);
const angle = (name: string, sense: string) =>
  number()
    .nullable()
    .prefault(null)
    .describe(
      `Absolute ${name} in degrees: ${sense}. Null or left out: inverse kinematics takes the best value for it.`,
    );

export const DEFAULT_POSITION_TOLERANCE = 0.5;
export const DEFAULT_ORIENTATION_TOLERANCE = 3;
export const DEFAULT_MAX_TRIALS = 10;

export const absoluteMoveRequest = z
  .object(
    {
      x: length('Forward, in centimetres. Null or left out: keeps its present goal.'),
      y: length('To the left, in centimetres. Null or left out: keeps its present goal.'),
      z: length('Upwards, in centimetres. Null or left out: keeps its present goal.'),
      rx: angle('pitch', 'positive lifts the nose'),
      ry: angle('yaw', 'positive turns left'),
      rz: angle('roll', 'positive is clockwise seen from behind'),
      open: number({ min: 0, max: 1 })
        .nullable()
        .prefault(null)
        .describe('Gripper: 0 closed to 1 open. Null or left out: the gripper stays as it is.'),
      max_trials: integer({ min: 1 }).prefault(DEFAULT_MAX_TRIALS).describe('Most trials to come within tolerance.'),
      position_tolerance: number({ min: 0 })
        .prefault(DEFAULT_POSITION_TOLERANCE)
        .describe('Distance between asked and measured position that is near enough, in centimetres.'),
      orientation_tolerance: number({ min: 0 })
        .prefault(DEFAULT_ORIENTATION_TOLERANCE)
        .describe('Smallest rotation to the asked angles that is near enough, in degrees.'),
      path: z
        .enum(['joint', 'line'], { error: () => 'literal_error' })
        .prefault('joint')
        .describe('joint: straight for the joints, the quickest way. line: the tool goes on a straight line.'),
    },
    asModel,
  )
  .describe(
    'Lengths are centimetres and angles degrees, in the absolute frame: axes of the base (x forward, y left, z up), ' +
      'zero at the pose that /move/init reaches.',
  )
  .register(components, { id: 'AbsoluteMoveRequest' });

const change = (what: string) => number().nullable().prefault(null).describe(`${what} Null or left out: no change.`);

export const relativeMoveRequest = z
  .object(
    {
      x: change('Forward, in centimetres.'),
      y: change('To the left, in centimetres.'),
      z: change('Upwards, in centimetres.'),
      rx: change('Change of the pitch, in degrees.'),
      ry: change('Change of the yaw, in degrees.'),
      rz: change('Change of the roll, in degrees.'),
      open: absoluteMoveRequest.shape.open,
      max_trials: absoluteMoveRequest.shape.max_trials,
      position_tolerance: absoluteMoveRequest.shape.position_tolerance,
      orientation_tolerance: absoluteMoveRequest.shape.orientation_tolerance,
      path: absoluteMoveRequest.shape.path,
    },
    asModel,
  )
  .describe(
    'From the present goal, in axes of the base frame. Angles that are left out are kept as far as the arm has the ' +
      'joints for it: an arm of five gives up the yaw. With `open` alone only the gripper acts.',
  )
  .register(components, { id: 'RelativeMoveRequest' });

const hand = (description: string) => number().describe(description);
const stick = (description: string) => number({ min: -1, max: 1 }).prefault(0).describe(description);

export const teleopRequest = z
  .object(
    {
      x: hand('Of the hand, forward, in centimetres.'),
      y: hand('Of the hand, to the left, in centimetres.'),
      z: hand('Of the hand, upwards, in centimetres.'),
      rx: hand('Pitch of the hand in degrees: positive lifts the nose.'),
      ry: hand('Yaw of the hand in degrees: positive turns left.'),
      rz: hand('Roll of the hand in degrees: positive is clockwise seen from behind.'),
      open: number({ min: 0, max: 1 }).describe('Gripper: 0 closed to 1 open.'),
      source: z
        .enum(['left', 'right'], { error: () => 'literal_error' })
        .prefault('right')
        .describe('Which hand. Without robot_id the right one leads the first arm and the left one the second.'),
      timestamp: number()
        .nullable()
        .prefault(null)
        .describe('When the message was sent, in seconds by any clock: one that is late or out of order is dropped.'),
      direction_x: stick('Joystick; no arm has wheels, so it moves nothing.'),
      direction_y: stick('Joystick; no arm has wheels, so it moves nothing.'),
    },
    asModel,
  )
  .describe('Where a hand is, in axes of the base, from wherever the sender counts: its movements lead the tool.')
  .register(components, { id: 'TeleopRequest' });

export const teleopSettings = z
  .object(
    {
      vr_scaling: number({ above: 0, max: 10 }).describe(
        'How far the tool moves for the way of the hand; 1 at the start.',
      ),
    },
    asModel,
  )
  .describe('Of /move/teleop, for all arms, until the bridge ends.')
  .register(components, { id: 'TeleopSettings' });

export const endEffectorReadRequest = z
  .object(
    {
      only_gripper: boolean().prefault(false).describe('The gripper alone; the six others are null.'),
      sync: boolean().prefault(false).describe('First read the motors, at most 200 ms, then answer.'),
    },
    asModel,
  )
  .register(components, { id: 'EndEffectorReadRequest' });

export const endEffectorPosition = z
  .object({
    x: z.number().nullable().describe('Centimetres; null with only_gripper.'),
    y: z.number().nullable().describe('Centimetres; null with only_gripper.'),
    z: z.number().nullable().describe('Centimetres; null with only_gripper.'),
    rx: z.number().nullable().describe('Absolute pitch in degrees; null with only_gripper.'),
    ry: z.number().nullable().describe('Absolute yaw in degrees; null with only_gripper.'),
    rz: z.number().nullable().describe('Absolute roll in degrees; null with only_gripper.'),
    open: z.number().nullable().describe('Measured opening, 0 closed to 1 open; null for an arm without a gripper.'),
  })
  .register(components, { id: 'EndEffectorPosition' });

export const robotPairRequest = z
  .object(
    {
      leader_id: integer().nullable().nonoptional().describe('Id of the leader arm, as in the configuration.'),
      follower_id: integer().nullable().nonoptional().describe('Id of the follower arm, as in the configuration.'),
    },
    asModel,
  )
  .register(components, { id: 'RobotPairRequest' });

const gravityValues = () =>
  z
    .strictObject({ shoulder: percentage(), elbow: percentage(), wrist: percentage() }, asMap)
    .nullable()
    .prefault(DEFAULT_GRAVITY)
    .describe('Share of the weight that is held, in percent; a missing name has its default.');

const percentage = () => integer({ min: 0, max: 100 }).optional();

export const startLeaderArmControlRequest = z
  .object(
    {
      robot_pairs: z.array(robotPairRequest, asList).min(1).describe('Leaders and their followers.'),
      enable_gravity_compensation: boolean().prefault(false).describe('Hold the weight of the leader arms.'),
      gravity_compensation_values: gravityValues(),
      invert_controls: boolean().prefault(false).describe('Mirror left and right for the follower arms.'),
      on_mismatch: z
        .enum(ON_MISMATCH)
        .optional()
        .describe(
          'A follower away from its leader: it approaches slowly, or nothing is started. Default: as configured.',
        ),
      mismatch_threshold: number({ min: 0.5, max: 360 })
        .optional()
        .describe('Difference of a joint from which on_mismatch: refuse refuses, in degrees. Default: as configured.'),
      align: z
        .enum(ALIGN)
        .optional()
        .describe('Who goes to whom first; leader: by itself, by a checked way. Default: as configured.'),
    },
    asModel,
  )
  .register(components, { id: 'StartLeaderArmControlRequest' });

export const gravityStartRequest = z
  .object({ gravity_compensation_values: gravityValues() }, asModel)
  .register(components, { id: 'GravityStartRequest' });

export const statusResponse = z
  .looseObject({
    status: z.enum(['ok', 'error']).default('ok'),
    message: z.string().nullable().optional().describe('What went wrong, or what was done.'),
  })
  .register(components, { id: 'StatusResponse' });
export type StatusResponse = z.output<typeof statusResponse>;

export const MAX_HAND_DURATION = 60;

export const handRequest = z
  .object(
    {
      robot_id: integer().prefault(0).describe('Id of a simulated arm.'),
      joints: z
        .record(z.string(), number(), asMap)
        .nullable()
        .describe('Joint angles in radians that the hand leads to, by joint name; null lets go of all.'),
      duration: number({ min: 0, max: MAX_HAND_DURATION }).prefault(1).describe('Time the hand takes, in seconds.'),
    },
    asModel,
  )
  .register(components, { id: 'HandRequest' });

const vector = z.object({ x: z.number(), y: z.number(), z: z.number() });
export const simulationTruth = z
  .object({
    robot_id: z.int(),
    name: z.string(),
    joints: z.record(z.string(), z.number()).describe('Joint angles of the physics, in radians.'),
    tool: z
      .object({ position: vector, orientation: vector.extend({ w: z.number() }) })
      .describe('Tool in the base frame, metres and a unit quaternion.'),
    time: z.number().describe('Of the physics, seconds since the epoch.'),
  })
  .register(components, { id: 'SimulationTruth' });

export const validationError = z
  .looseObject({
    loc: z.array(z.union([z.string(), z.int()])),
    msg: z.string(),
    type: z.string(),
  })
  .register(components, { id: 'ValidationError' });

export const httpValidationError = z
  .object({ detail: z.array(validationError) })
  .register(components, { id: 'HTTPValidationError' });

export const httpError = z
  .object({ detail: z.string().describe('What is wrong and what to do next.') })
  .register(components, { id: 'HTTPError' });

const armStatus = z
  .object({
    id: z.int(),
    name: z.string(),
    model: z.string(),
    state: z.enum(['disconnected', 'connected', 'ready', 'moving', 'mirroring', 'floating', 'stopped']),
    owner: z.string().nullable().describe('Who drives the arm; null when it is free.'),
    initialised: z.boolean().describe('/move/init has set the zero.'),
    speed_scale: z.number().describe('Part of its largest speeds that it may use.'),
    torque: z.boolean(),
    reason: z.string().describe('Why it is disconnected or stopped; empty otherwise.'),
    sample_age: z.number().nullable().describe('Age of the newest bus read, in seconds; null before the first.'),
    bus: z
      .object({
        discarded: z.int().describe('Bytes that belonged to no valid reply.'),
        round_trip: z.object({
          p50: z.number().describe('From request to last reply, median of the last seconds, in seconds; 0 before.'),
          p99: z.number().describe('The same, 99th percentile.'),
        }),
      })
      .describe('The bus of the arm.'),
    servos: z
      .array(
        z.object({
          joint: z.string(),
          reply_age: z.number().nullable().describe('Time since its last reply, in seconds; null before the first.'),
          lost: z.int().describe('Replies that never came.'),
          alarms: z.int().describe('Alarm bits of the servo; 0 = healthy.'),
          temperature: z.number().nullable().describe('Degrees Celsius; null where it is not known.'),
          voltage: z.number().nullable().describe('Volts; null where it is not known.'),
        }),
      )
      .describe('The servos of the arm, by joint.'),
  })
  .register(components, { id: 'ArmStatus' });

const percentiles = z.object({ p50: z.number(), p99: z.number(), longest: z.number() });
const cycleTiming = z.object({
  recent: percentiles.describe('Of the last 10 s, in seconds.'),
  total: percentiles.describe('Since the start, in seconds.'),
});

export const bridgeStatus = z
  .object({
    status: z.literal('ok'),
    name: z.string().describe('Name of this computer.'),
    robots: z.array(z.string()).describe('Models of the arms.'),
    robot_status: z.array(
      z.object({
        name: z.string(),
        robot_type: z.literal('manipulator'),
        device_name: z.string().nullable(),
        temperature: z
          .array(z.object({ current: z.number(), max: z.number().nullable() }))
          .nullable()
          .describe('Of each servo, degrees Celsius; null for a simulated arm.'),
      }),
    ),
    cameras: z.object({
      cameras_status: z.array(z.unknown()),
      is_stereo_camera_available: z.boolean(),
      realsense_available: z.boolean(),
      video_cameras_ids: z.array(z.int()),
    }),
    version_id: z.string(),
    is_recording: z.boolean(),
    ai_running_status: z.literal('stopped'),
    leader_follower_status: z.boolean().describe('Mirroring runs.'),
    server_ip: z.string(),
    server_port: z.int(),
    dialect: z.enum(['standard', 'phosphobot']),
    arms: z.array(armStatus),
    mirror: z.object({
      reason: z.string().describe('Of the last stop.'),
      pairs: z.array(
        z.object({
          leader: z.string(),
          follower: z.string(),
          state: z.enum(['idle', 'starting', 'ramping', 'mirroring', 'holding']),
          owner: z.string(),
          rate: z.number().describe('Goals written per second.'),
          latency: z.number().nullable().describe('From sample to goal, in seconds; null before the first.'),
          reason: z.string(),
        }),
      ),
    }),
    ros: z.object({
      enabled: z.boolean(),
      reason: z.string().describe('Why ROS is off; empty otherwise.'),
      distro: z.string().nullable(),
      preparing: z
        .object({ step: z.string(), left: z.number().describe('About how long until ROS is on, s.') })
        .nullable()
        .describe('While ROS is off for now: what is being done so that it can be on.'),
    }),
    loop: z
      .object({
        cycles: z.int(),
        rate: z.number().describe('Configured, Hz.'),
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
            width: z.number().describe('Of a bin, in seconds; the first begins at 0.'),
            counts: z.array(z.int()).describe('Cycles of each bin; the last has all longer periods too.'),
          })
          .describe('Cycles of the last 10 s by their period.'),
      })
      .describe('The control loop.'),
  })
  .register(components, { id: 'BridgeStatus' });
export type BridgeStatus = z.output<typeof bridgeStatus>;
