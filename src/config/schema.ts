import { z } from 'zod';
import { CAMERA_TYPES, cameraAt } from '../cameras.ts';
import { LONGEST_NAME, MOST_JOINTS, MOST_PAIRS } from '../sizes.ts';

/** Most characters of paths, and of addresses on a network: a host name has 253 at most. */
const LONGEST_PATH = 1024;
const LONGEST_ADDRESS = 300;
/** Most origins and hosts that may call the bridge. */
const MOST_CALLERS = 64;

const port = z.int().min(0).max(65535);
const text = z.string().max(LONGEST_PATH);
const path = text.min(1);
const address = z.string().min(1).max(LONGEST_ADDRESS);
const name = z
  .string()
  .max(LONGEST_NAME)
  .regex(/^[a-z][a-z0-9_]*$/, {
    error: 'a ROS name: a lower-case letter, then lower-case letters, digits and underscores',
  });

/** Values by joint name, one for each joint at most. */
function byJoint<Value extends z.ZodType>(value: Value) {
  const entries = z.record(z.string().max(LONGEST_NAME), value);
  return entries.refine((sent) => Object.keys(sent).length <= MOST_JOINTS, `at most ${MOST_JOINTS} joints`);
}

const BAUD = 'baud=[1-9]\\d{0,6}';
const SERIAL_NUMBER = 'serial=[^\\s&]+';
const TCP_PORT = '(?:[1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])';
/** Bus URLs that `servo/port/url.ts` parses; a test checks that the two agree. */
const BUS = new RegExp(
  [
    'ros',
    'sim:[a-z][a-z0-9_]*',
    `serial:(?:/[^\\s?]+|COM\\d+)(?:\\?${BAUD})?`,
    `serial:\\?(?:${SERIAL_NUMBER}(?:&${BAUD})?|${BAUD}&${SERIAL_NUMBER})`,
    `tcp://(?:\\[[0-9A-Fa-f:.]+\\]|[^\\s:/?#@[\\]]+):${TCP_PORT}`,
  ]
    .map((form) => `^${form}$`)
    .join('|'),
);

const http = z.strictObject({
  host: address.default('127.0.0.1').describe('Address to listen on; any but loopback needs a token and `tls`.'),
  port: port.default(8020).describe('TCP port; 0 takes a free one, which the log names.'),
  stop_port: z
    .union([port, z.literal('off')])
    .nullable()
    .default(null)
    .describe(
      'TCP port that hears `POST /stop` alone, in a thread of its own; 0 takes a free one, off: none. null: the one after `port`, or a free one.',
    ),
  dialect: z
    .enum(['standard', 'phosphobot'])
    .default('standard')
    .describe('Meaning of units and defaults of the HTTP interface; phosphobot: as clients of that program know them.'),
  token_file: path
    .nullable()
    .default(null)
    .describe(
      'File whose first line is the bearer token that every request must carry. Off loopback one is made where there is ' +
        'none; null: `token` in the state folder.',
    ),
  read_token_file: path
    .nullable()
    .default(null)
    .describe('File with a second token, which may read and stop but not move.'),
  tls: z
    .union([z.literal('off'), z.strictObject({ certificate: path, key: path })], {
      error: 'off, or the PEM files {certificate, key}',
    })
    .nullable()
    .default(null)
    .describe('PEM files `certificate` and `key`; off: plain HTTP on purpose. null is plain HTTP on loopback alone.'),
  cors_origins: z
    .array(address.regex(/^https?:\/\/[^/\s]+$/, { error: 'origins, for example http://localhost:3000' }))
    .max(MOST_CALLERS)
    .default([])
    .describe('Origins of other web pages that may call the bridge and read its answers.'),
  rate_limit: z
    .number()
    .min(1)
    .max(1e6)
    .default(1000)
    .describe('Most requests per second of one other computer; `/stop` is always answered.'),
  allowed_hosts: z
    .array(address)
    .max(MOST_CALLERS)
    .default([])
    .describe('Further values of the Host header that are answered, without port.'),
});

const ros = z.strictObject({
  enabled: z
    .union([z.literal('auto'), z.boolean()], { error: 'auto, true or false' })
    .default('auto')
    .describe('auto: on where a ROS 2 can be loaded; true: refuse to start without; false: HTTP alone.'),
  joint_state_rate: z.number().min(1).max(1000).default(100).describe('Rate of joint_states, poses and goals, Hz.'),
  discovery: z
    .enum(['localhost', 'subnet', 'off'])
    .default('localhost')
    .describe('How far other ROS 2 nodes are found; the ROS environment variables win.'),
  accept_commands: z
    .union([z.literal('auto'), z.boolean()], { error: 'auto, true or false' })
    .default('auto')
    .describe('Whether ROS 2 may drive the arms. auto: only while discovery is limited to this machine.'),
  joint_prefix: z
    .string()
    .max(LONGEST_NAME)
    .regex(/^[a-z][a-z0-9_]*$/, {
      error: 'auto (the name of the arm and _) or a beginning of ROS names: lower-case letters, digits, underscores',
    })
    .nullable()
    .default(null)
    .describe('What joint and link names begin with on ROS 2: auto (name of the arm and _), a text, or null: nothing.'),
  publish_tf: z
    .boolean()
    .default(true)
    .describe(
      'Publish the frames of the links; false where another node does. Where the arms stand is told in any case.',
    ),
  oldest_command: z
    .number()
    .min(0)
    .default(0.5)
    .describe(
      'Speeds and poses in a stream whose stamp is older than this are refused, s; 0: stamps are not looked at.',
    ),
  diagnostics: z
    .strictObject({
      warn_temperature: z.number().min(20).max(100).default(55).describe('Warm servo, degrees Celsius.'),
      error_temperature: z.number().min(20).max(100).default(65).describe('Hot servo, degrees Celsius.'),
      warn_lost_replies: z
        .number()
        .min(0)
        .max(1)
        .default(0.01)
        .describe('Part of the replies of a servo that is lost.'),
      error_lost_replies: z
        .number()
        .min(0)
        .max(1)
        .default(0.2)
        .describe('Part of the replies of a servo that is lost.'),
      warn_late_cycles: z.number().min(0).max(1).default(0.02).describe('Part of the control cycles that begin late.'),
    })
    .prefault({})
    .describe('From where on /diagnostics warns.'),
});

const control = z.strictObject({
  rate: z.number().min(10).max(1000).default(200).describe('Rate of the control loop, Hz.'),
  priority: z
    .int()
    .min(1)
    .max(99)
    .nullable()
    .default(null)
    .describe(
      'Real-time priority (SCHED_FIFO) of the control thread, and less by one that of stops and of simulated arms; null: none. Needs chrt and CAP_SYS_NICE.',
    ),
});

const cameraTopic = text.regex(/^(\/[A-Za-z_][A-Za-z0-9_]*)+$/, {
  error: 'the whole name of a ROS topic, as /camera/image_raw/compressed',
});

const recording = z.strictObject({
  folder: text
    .startsWith('/', { error: 'an absolute path' })
    .nullable()
    .default(null)
    .describe('Where recordings of joints are kept; null: arm-bridge/recordings in the data folder of the user.'),
  quota: z.number().min(0).default(20_000).describe('What all recordings together may take, MB.'),
  images: z
    .array(
      z.union([cameraTopic.transform(cameraAt), z.strictObject({ topic: cameraTopic, type: z.enum(CAMERA_TYPES) })]),
    )
    .max(16)
    .default([])
    .describe(
      'ROS topics of cameras that episodes have too, of type CompressedImage where they end in /compressed, CameraInfo where they end in /camera_info, and Image otherwise; or each with its `topic` and its `type`.',
    ),
});

const BRIDGE_ADDRESSES = 'addresses of bridges, for example https://bench-2.lab:8020';

const fleet = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][\w .-]{0,47}$/, {
      error: '1 to 48 letters, digits, blanks and "_.-", a letter or digit first',
    })
    .nullable()
    .default(null)
    .describe('What other bridges call this one; null: the name of its computer.'),
  bridges: z
    .array(
      address
        .regex(/^https?:\/\/[^/\s?#@]+$/, { error: BRIDGE_ADDRESSES })
        .refine((url) => URL.canParse(url), { error: BRIDGE_ADDRESSES }),
    )
    .max(32)
    .default([])
    .describe('Addresses of the other bridges of the laboratory; this one may be among them.'),
  discovery: z
    .boolean()
    .default(false)
    .describe('Tell the network of this bridge and find others, by DNS-SD (multicast DNS).'),
  token_file: path
    .nullable()
    .default(null)
    .describe(
      'File whose first line is the token that the other bridges want: one that may read and stop, or control for pairs with their leaders. null: none.',
    ),
  authority: path
    .nullable()
    .default(null)
    .describe(
      'PEM file with the certificates of who has signed those of the other bridges, or with those themselves; null: a known authority has.',
    ),
});

const log = z.strictObject({
  level: z.enum(['trace', 'debug', 'info', 'warn', 'error']).default('info').describe('Least level that is logged.'),
});

const sim = z.strictObject({
  scene: text
    .regex(/^[a-z][a-z0-9_]*$|^\.{0,2}\/./, {
      error: 'the name of a file under scenes/, without .yaml, or the path of a file that begins with ./, ../ or /',
    })
    .nullable()
    .default(null)
    .describe(
      'What stands before each simulated arm but the leaders of `pairs`: a file under scenes/, or a path; null: nothing.',
    ),
});

/** Smallest scale: the moves of a slower arm would exceed the timeouts of its clients. */
export const LEAST_SPEED_SCALE = 0.1;

export const MOST_ARMS = 16;

export const armConfig = z.strictObject({
  name: name.describe('Name of the arm and its ROS namespace.'),
  id: z.int().min(0).optional().describe('robot_id of the HTTP interface; its place in the list when left out.'),
  model: text
    .regex(/^[a-z][a-z0-9_]*$|^\.{0,2}\/./, {
      error: 'the name of a folder under robots/, or the path of a folder that begins with ./, ../ or /',
    })
    .default('so101')
    .describe('Folder under robots/ that describes the arm, or a path to one of your own (from this file).'),
  variant: name
    .default('follower')
    .describe('Which build of the model: follower, or one of `variants` in its arm.yaml.'),
  bus: text
    .regex(BUS, {
      error:
        '"serial:<device file>" or "serial:?serial=<USB serial number>" (&baud=<rate>), "tcp://<host>:<port>", ' +
        '"sim:<model>" (a simulated arm) or "ros" (another machine owns its bus)',
    })
    .describe('Where its servos are: a serial port, a TCP server, a simulated arm, or another machine (ros).'),
  simulation: z
    .strictObject({
      payload: z.number().min(0).max(1).default(0).describe('Mass in the gripper that the model does not know of, kg.'),
      stiffness: z.number().min(0.2).max(5).default(1).describe('True stiffness of its servos over that of the model.'),
    })
    .prefault({})
    .describe('In what a simulated arm (bus sim:) differs from its model.'),
  uncalibrated: z
    .boolean()
    .default(false)
    .describe('Move it, at 0.3 rad/s, while it has no calibration or joints beyond their limits.'),
  speed_scale: z
    .number()
    .min(LEAST_SPEED_SCALE)
    .max(1)
    .default(1)
    .describe('Part of the largest speeds of its data that moves and following may use.'),
  acceleration_scale: z
    .number()
    .min(LEAST_SPEED_SCALE)
    .max(1)
    .default(1)
    .describe('Part of the largest accelerations of its data with which moves and following may gain speed.'),
  position_gains: byJoint(z.number().min(0.1).max(1))
    .default({})
    .describe(
      'Part of its own position gain with which a servo works, by joint; 1 where left out. Taken back at the end.',
    ),
  mount: z
    .strictObject({
      xyz: z.tuple([z.number(), z.number(), z.number()]).default([0, 0, 0]).describe('m'),
      rpy: z.tuple([z.number(), z.number(), z.number()]).default([0, 0, 0]).describe('Roll, pitch and yaw, rad.'),
    })
    .prefault({})
    .describe('Pose of its base in the frame `world`.'),
});

const weightShare = (fallback: number) => z.int().min(0).max(100).default(fallback);
/** Share of the weight that a floating leader holds, percent. */
export const gravityConfig = z.strictObject({
  shoulder: weightShare(100),
  elbow: weightShare(50),
  wrist: weightShare(10),
});

export const pairConfig = z.strictObject({
  leader: name,
  follower: name,
  autostart: z
    .boolean()
    .default(false)
    .describe('Start mirroring as soon as both arms answer; after a crash, once both have been reset.'),
  gravity_compensation: gravityConfig
    .nullable()
    .default(null)
    .describe('Share of its weight that a leader holds that autostart lets float, in percent; null: it is limp.'),
  on_mismatch: z
    .enum(['ramp', 'refuse'])
    .default('ramp')
    .describe('A follower away from its leader: it approaches slowly, or the start is refused.'),
  mismatch_threshold: z
    .number()
    .min(0.01)
    .max(6.3)
    .default(0.2)
    .describe('Difference of a joint from which on_mismatch: refuse refuses, rad.'),
  align: z
    .enum(['follower', 'leader'])
    .default('follower')
    .describe('Who goes to whom at the start; leader: it drives itself to its follower, then a hand takes it.'),
  low_pass: z.number().min(0.1).max(100).nullable().default(null).describe('Corner of a low-pass on the leader, Hz.'),
  dead_band: z.number().min(0).max(0.2).default(0).describe('Movements of the leader that are not followed, rad.'),
  velocity: z.number().min(0.05).max(10).nullable().default(null).describe('Largest speed of the follower, rad/s.'),
  force_feedback: z
    .strictObject({
      arm: z.number().min(0).max(1).default(0).describe('Of its own joints.'),
      gripper: z.number().min(0).max(1).default(0).describe('Of its gripper.'),
    })
    .prefault({})
    .describe('How much of the torques that push the follower its leader feels while it floats, 0 to 1.'),
  joints: byJoint(
    z.strictObject({
      scale: z.number().min(-2).max(2).default(1).describe('Follower angle per leader angle.'),
      offset: z.number().min(-3.15).max(3.15).default(0).describe('Added to the follower angle, rad.'),
      lower: z.number().min(-6.3).max(6.3).optional().describe('Least follower angle, rad.'),
      upper: z.number().min(-6.3).max(6.3).optional().describe('Largest follower angle, rad.'),
    }),
  )
    .default({})
    .describe('Joint maps that differ from one to one, by joint name.'),
});

/**
 * The whole configuration. Every key has a default, except the names and buses of the arms and the arms of the pairs.
 */
export const configSchema = z
  .strictObject({
    http: http.prefault({}),
    ros: ros.prefault({}),
    control: control.prefault({}),
    log: log.prefault({}),
    recording: recording.prefault({}),
    fleet: fleet.prefault({}),
    sim: sim.prefault({}),
    arms: z.array(armConfig).min(1).max(MOST_ARMS),
    pairs: z.array(pairConfig).max(MOST_PAIRS).default([]),
    calibration_folder: path
      .nullable()
      .default(null)
      .describe('Folder for the calibrations of the arms, a file for each; null: `calibration` in the state folder.'),
    state_folder: path
      .nullable()
      .default(null)
      .describe('Folder for what must outlive a crash; null: arm-bridge in $XDG_STATE_HOME or ~/.local/state.'),
  })
  .superRefine((config, context) => {
    const names = new Map<string, number>();
    const ids = new Map<number, number>();
    for (const [index, arm] of config.arms.entries()) {
      const other = names.get(arm.name);
      if (other !== undefined) {
        const message = `a name of its own: arms[${other}] is called "${arm.name}" too`;
        context.addIssue({ code: 'custom', path: ['arms', index, 'name'], input: arm.name, message });
      }
      names.set(arm.name, index);
      const id = arm.id ?? index;
      const sameId = ids.get(id);
      if (sameId !== undefined) {
        const message = `an id of its own: arms[${sameId}] has id ${id} too (the default id is the place in the list)`;
        context.addIssue({ code: 'custom', path: ['arms', index, 'id'], input: id, message });
      }
      ids.set(id, index);
    }
    const prefix = config.ros.joint_prefix;
    if (prefix !== null && prefix !== 'auto' && config.arms.length > 1) {
      const message = `auto where there are several arms: the joints and frames of all would begin with ${prefix}`;
      context.addIssue({ code: 'custom', path: ['ros', 'joint_prefix'], input: prefix, message });
    }
    for (const [index, pair] of config.pairs.entries()) {
      for (const role of ['leader', 'follower'] as const) {
        if (names.has(pair[role])) continue;
        const message = `the name of an arm of this file: ${[...names.keys()].join(', ')}`;
        context.addIssue({ code: 'custom', path: ['pairs', index, role], input: pair[role], message });
      }
      for (const [joint, { lower, upper }] of Object.entries(pair.joints)) {
        if (lower === undefined || upper === undefined || lower < upper) continue;
        const message = `more than lower, which is ${lower}`;
        context.addIssue({ code: 'custom', path: ['pairs', index, 'joints', joint, 'upper'], input: upper, message });
      }
      if (pair.leader === pair.follower) {
        const message = 'another arm than the leader: an arm cannot follow itself';
        context.addIssue({ code: 'custom', path: ['pairs', index, 'follower'], input: pair.follower, message });
      }
      const away = config.arms.find(({ name, bus }) => bus === 'ros' && name === pair.leader);
      const feedback = pair.force_feedback;
      if (away !== undefined && (feedback.arm > 0 || feedback.gripper > 0)) {
        const message = `0 or nothing: arm "${away.name}" belongs to another machine, whose bridge alone can let it feel`;
        context.addIssue({ code: 'custom', path: ['pairs', index, 'force_feedback'], input: feedback, message });
      } else if (pair.autostart && pair.gravity_compensation === null && (feedback.arm > 0 || feedback.gripper > 0)) {
        const message =
          `0 or nothing: autostart leaves the leader "${pair.leader}" limp, and a limp leader feels nothing; or let it float ` +
          'with `gravity_compensation: {}` for this pair';
        context.addIssue({ code: 'custom', path: ['pairs', index, 'force_feedback'], input: feedback, message });
      }
    }
  });

export type Config = z.output<typeof configSchema>;
export type ArmConfig = z.output<typeof armConfig>;
export type PairConfig = z.output<typeof pairConfig>;
export type HttpConfig = Config['http'];
export type RosConfig = Config['ros'];
