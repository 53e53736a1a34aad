import { z } from 'zod';
import { asModel, components } from './fields.ts';
import { bridgeStatus } from './schemas.ts';

/** The answers of /api/v1, in SI units; arrays are in the order of the arm's joints, null is what is not known. */

const measured = z.array(z.number().nullable());
const triple = z.array(z.number().nullable()).length(3);

const activity = z
  .object({
    kind: z.string().describe('trajectory, waypoints, mirror, stream, jog or float.'),
    progress: z.number().nullable().describe('Of its present leg, 0 to 1; null for a motion without an end.'),
  })
  .nullable();

export const armState = z
  .object({
    id: z.int(),
    state: z.enum(['disconnected', 'connected', 'ready', 'moving', 'mirroring', 'floating', 'stopped']),
    owner: z.string().nullable().describe('Who has the arm; null when it is free.'),
    torque: z.boolean(),
    initialised: z.boolean().describe('/move/init has set the zero.'),
    reason: z.string().describe('Why it is disconnected or stopped; empty otherwise.'),
    sampled: z.number().describe('Time of the bus read, seconds since the epoch; 0 before the first.'),
    joints: z.object({
      position: measured.describe('rad'),
      goal: measured.describe('Where the joints are asked to be, rad; null without torque.'),
      velocity: measured.describe('rad/s'),
      effort: measured.describe('Nm, estimated by the servo.'),
      temperature: measured.describe('Degrees Celsius.'),
      voltage: measured.describe('V'),
      alarm: z.array(z.int()).describe('Alarm bits of the servo; 0 = healthy.'),
    }),
    tool: z
      .object({ position: triple.describe('x y z, m'), orientation: z.array(z.number().nullable()).length(4) })
      .nullable()
      .describe('In the base frame; orientation as a quaternion x y z w.'),
    opening: z.number().nullable().describe('Of the gripper, 0 closed to 1 open.'),
    motion: activity.describe('What drives it; null: nothing.'),
  })
  .register(components, { id: 'ArmState' });
export type ArmState = z.output<typeof armState>;

export const armFacts = z
  .object({
    id: z.int(),
    name: z.string(),
    model: z.string().describe('Folder below robots/.'),
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
      z.object({
        name: z.string(),
        role: z.string(),
        lower: z.number(),
        upper: z.number(),
        velocity: z.number().describe('Largest speed of moves, rad/s.'),
        torque_limit: z.number().describe('Largest torque that its servo gives, Nm.'),
        unit: z.literal('rad'),
        servos: z.array(z.object({ id: z.int(), model: z.string() })),
      }),
    ),
    gripper: z
      .object({ index: z.int(), closed: z.number(), open: z.number() })
      .nullable()
      .describe('Index of its joint and its angles when closed and open.'),
    poses: z.record(z.string(), z.array(z.number())).describe('Named poses, rad.'),
    alarms: z.record(z.string(), z.string()).describe('What the alarm bits of its servos mean, by the bit.'),
  })
  .register(components, { id: 'ArmFacts' });
export type ArmFacts = z.output<typeof armFacts>;

export const armList = z
  .object({ arms: z.array(armFacts.extend({ now: armState })) })
  .register(components, { id: 'ArmList' });
export type ArmList = z.output<typeof armList>;

export const motionState = z
  .object({
    state: armState.shape.state,
    owner: armState.shape.owner,
    motion: activity.describe('What drives the arm; null: nothing.'),
  })
  .register(components, { id: 'MotionState' });
export type MotionState = z.output<typeof motionState>;

export const reachableAnswer = z
  .object({
    reachable: z.boolean().describe('The move would be accepted and could meet its tolerances.'),
    message: z.string().nullable().describe('Why not.'),
    joints: z.array(z.number()).nullable().describe('Where the joints would go, rad; null where they cannot.'),
  })
  .register(components, { id: 'ReachableAnswer' });

export const pairList = z
  .object({ active: z.boolean().describe('Mirroring runs.'), ...bridgeStatus.shape.mirror.shape })
  .register(components, { id: 'PairList' });

export const logAnswer = z
  .object({
    next: z.int().describe('Number of the line that comes next: ask for the lines after it with `from`.'),
    lines: z.array(
      z.object({
        time: z.number().describe('Seconds since the epoch.'),
        level: z.string(),
        message: z.string(),
      }),
    ),
  })
  .register(components, { id: 'LogAnswer' });

export const configAnswer = z
  .record(z.string(), z.unknown())
  .describe('The configuration in use, with its defaults; names of secret files are left out.')
  .register(components, { id: 'ConfigAnswer' });

export const sessionRequest = z
  .object(
    {
      token: z
        .string({ error: () => 'string_type' })
        .optional()
        .describe('As in http.token_file.'),
    },
    asModel,
  )
  .register(components, { id: 'SessionRequest' });

export const sessionAnswer = z
  .object({ scopes: z.array(z.enum(['read', 'control'])).describe('What the page may do from now on.') })
  .register(components, { id: 'SessionAnswer' });

export const scanDevicesResponse = z
  .object({
    devices: z.array(
      z.object({
        name: z.string().describe('What the device calls itself, or what it is taken for.'),
        device: z.string().describe('Device file.'),
        serial_number: z.string().nullable().describe('USB serial number.'),
        pid: z.int().nullable().describe('USB product id.'),
        interface: z.string().nullable().describe('Link that stays the same over replugging.'),
      }),
    ),
  })
  .register(components, { id: 'ScanDevicesResponse' });
