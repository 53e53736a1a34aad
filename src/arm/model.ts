/** An arm as data: `robots/<name>/arm.yaml` and the URDF it names, read and checked into one immutable object. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';
import { PROJECT } from '../home.ts';
import { keeping } from '../kept.ts';
import { armChain } from '../kinematics/arm-chain.ts';
import type { Chain } from '../kinematics/chain.ts';
import { parseUrdf, type RobotDescription } from '../kinematics/urdf.ts';
import { withVelocityLimits } from '../kinematics/urdf-text.ts';
import { messageOf } from '../message-of.ts';
import { FAMILIES } from '../servo/families.ts';
import type { ServoModel as ServoTable } from '../servo/servo-model.ts';
import { modelByName } from '../servo/servo-models.ts';
import { LONGEST_NAME, MOST_JOINTS } from '../sizes.ts';
import { BASE_VARIANT, layVariant } from './variant.ts';

export { armChain };

/** Largest velocity (rad/s) and acceleration (rad/s²) of a joint. */
export interface MotionLimits {
  readonly velocity: number;
  readonly acceleration: number;
  /** Largest jerk, rad/s³; without it the acceleration may jump. */
  readonly jerk?: number | undefined;
}

/** What a joint is for, whatever an arm's maker calls it: joints of two arms are matched by role. */
export const JOINT_ROLES = [
  'shoulder_pan',
  'shoulder_lift',
  'elbow_flex',
  'forearm_roll',
  'wrist_flex',
  'wrist_roll',
  'gripper',
] as const;
export type JointRole = (typeof JOINT_ROLES)[number];

/** Poses that the bridge itself needs by name. */
export const REQUIRED_POSES = ['init', 'rest', 'park', 'hello'] as const;

/** One servo of a joint. Joint position = sign * (steps - zero) * 2 pi / stepsPerTurn. */
export interface ServoModel {
  readonly id: number;
  /** Trade name, e.g. STS3215: picks the register table. */
  readonly model: string;
  readonly stepsPerTurn: number;
  readonly sign: 1 | -1;
  /** Servo steps at which the URDF joint is at 0. */
  readonly zero: number;
  /** The servo follows the goals of the joint's first servo by itself, through a secondary id; it is sent no goals. */
  readonly shadow: boolean;
  /** Homing offset from the arm's calibration, in counts; undefined if unknown. */
  readonly homing?: number | undefined;
  /** Smallest and largest servo step over which the joint was led during calibration; undefined if it was not led. */
  readonly travel?: readonly [number, number] | undefined;
  /** Calibration found that it counts in the opposite direction to the arm's data. */
  readonly turned?: boolean;
}

/**
 * Maps a joint's position to the angle of its role, which means the same direction of the links on every arm
 * (robots/README.md): role angle = sign * (position - zero), rad.
 */
export interface RoleFrame {
  readonly sign: 1 | -1;
  readonly zero: number;
}

export interface JointModel {
  readonly name: string;
  /** Tells its servo from others of the same model, human-readable: the gear, or its label. */
  readonly part: string | null;
  readonly role: JointRole;
  /** Null where joints of other models cannot be mapped to this joint by angle; a gripper is mapped by its opening. */
  readonly roleFrame: RoleFrame | null;
  /** The first one is read; further ones share the load. */
  readonly servos: readonly ServoModel[];
  /** Position limits of the URDF, rad. */
  readonly lower: number;
  readonly upper: number;
  /** Largest velocity that the joint can reach, from the URDF, rad/s. */
  readonly velocity: number;
  /** Torque per radian of position error with the servo's standard gain, Nm/rad. */
  readonly stiffness: number;
  /** Viscous friction of the joint's drive, Nm s/rad. */
  readonly damping: number;
  /** Torque below which the joint does not move, Nm. */
  readonly friction: number;
  /** Moment of inertia about the joint, drive included, typical for everyday poses, kg m^2. */
  readonly inertia: number;
  /** Limits of planned motion. */
  readonly move: MotionLimits;
  /** Limits while following another arm. */
  readonly mirror: MotionLimits;
  /** Largest torque that the servo may exert, Nm. */
  readonly torqueLimit: number;
  /** Register values written to its servos at start, in counts, by register name. */
  readonly settings: Readonly<Record<string, number>>;
  /** Load (Nm) and time (s) from which a blocked joint is drawn back, and the torque (Nm) it then holds with. */
  readonly stall: { readonly torque: number; readonly time: number; readonly hold: number } | null;
}

export interface ArmModel {
  readonly name: string;
  /** Which build of the model: `follower` is the arm as its file describes it. */
  readonly variant: string;
  /** Human-readable name. */
  readonly title: string;
  /** Folder from which the model was read. */
  readonly directory: string;
  /**
   * URDF text for others (robot_description, HTTP). Its velocity limits are those of planned motion, which the gate
   * allows, so that no planner finds a motion that is refused here. The file itself has what the joints can reach.
   */
  readonly urdf: string;
  readonly baseLink: string;
  readonly toolLink: string;
  /** Name of the family whose protocol its servos speak (`servo/families.ts`). */
  readonly family: string;
  /** In the order of every joint array of the arm. */
  readonly joints: readonly JointModel[];
  /** Index of the gripper joint and its positions (rad) when closed and open. */
  readonly gripper: { readonly index: number; readonly closed: number; readonly open: number } | null;
  /** Fraction of their own position gain, 0..1, that the servos use while the arm floats. */
  readonly gravity: { readonly softGain: number };
  /**
   * Smallest fraction of their own position gain, 0..1, that its servos may use: below it the arm would sag too far.
   */
  readonly leastGain: number;
  /** Positions in rad per joint, in the order of `joints`. */
  readonly poses: ReadonlyMap<string, Float64Array>;
  readonly sources: readonly { readonly what: string; readonly origin: string; readonly licence: string }[];
}

/**
 * Default fraction of their own position gain that the servos of a floating arm use. Soft enough that the hand barely
 * feels a goal that comes a cycle late, and stiff enough that a servo step stays below the friction of the gears.
 */
export const SOFT_GAIN = 0.375;

/** Default smallest fraction for a moving arm: at half the stiffness the droop below its goals doubles. */
const LEAST_GAIN = 0.5;

/** The files of an arm are missing or wrong; the message names file, place, value and what is allowed. */
export class ArmModelError extends Error {
  override readonly name = 'ArmModelError';
}

/** Most servos of a joint, and named poses of an arm. */
const MOST_SERVOS = 4;
const MOST_POSES = 32;

const text = z.string().min(1).max(LONGEST_NAME, `at most ${LONGEST_NAME} characters`);
const name = text.regex(/^[a-z][a-z0-9_]*$/, 'a lower-case name of letters, digits and _');
const sign = z.union([z.literal(1), z.literal(-1)], '1 or -1');
const positive = z.number().positive();
const notNegative = z.number().min(0);
const motionLimits = z.strictObject({ velocity: positive, acceleration: positive });

const armFile = z.strictObject({
  model: name,
  title: text,
  urdf: z.string().regex(/^[\w-]+\.urdf$/, 'the name of a .urdf file in the same folder'),
  base_link: text,
  tool_link: text,
  servo_family: z.enum(FAMILIES.map(({ name: family }) => family)),
  joints: z
    .array(
      z.strictObject({
        name: text,
        part: text.nullable().default(null),
        role: z.enum(JOINT_ROLES),
        role_sign: sign.optional(),
        role_zero: z.number().optional(),
        servos: z
          .array(
            z.strictObject({
              id: z.int().min(0).max(252),
              model: z.string().min(1).max(LONGEST_NAME),
              sign,
              zero: z.int().min(0),
              shadow: z.boolean().default(false),
            }),
          )
          .min(1)
          .max(MOST_SERVOS, `at most ${MOST_SERVOS} servos`),
        stiffness: positive,
        damping: notNegative,
        friction: notNegative,
        inertia: notNegative,
        move: motionLimits.extend({ jerk: positive.optional() }),
        mirror: motionLimits,
        torque_limit: positive,
        settings: z.record(z.string(), z.int()).default({}),
        stall: z.strictObject({ torque: positive, time: positive, hold: positive }).nullable().default(null),
      }),
    )
    .min(1)
    .max(MOST_JOINTS, `at most ${MOST_JOINTS} joints`),
  gripper: z.strictObject({ joint: z.string(), closed: z.number(), open: z.number() }).nullable(),
  gravity: z.strictObject({ soft_gain: z.number().min(0.1).max(1).default(SOFT_GAIN) }).prefault({}),
  least_gain: z.number().min(0.1).max(1).default(LEAST_GAIN),
  poses: z
    .record(name, z.record(z.string(), z.number()))
    .refine((poses) => Object.keys(poses).length <= MOST_POSES, `at most ${MOST_POSES} poses`),
  sources: z.array(z.strictObject({ what: z.string(), origin: z.string(), licence: z.string() })).min(1),
  // Merged over the rest of the file before validation.
  variants: z.record(name, z.record(z.string(), z.unknown())).default({}),
});

type ArmFile = z.infer<typeof armFile>;

/** Calibration results for the first servo of each joint, by joint name. */
export type ServoMounts = Readonly<
  Record<
    string,
    {
      readonly sign: 1 | -1;
      readonly zero: number;
      readonly homing: number | undefined;
      readonly travel: readonly [number, number] | undefined;
    }
  >
>;

/** The model of one arm with the servo mounting that calibration found; joints not named stay as they are. */
export function mounted(model: ArmModel, mounts: ServoMounts): ArmModel {
  const joints = model.joints.map((joint) => {
    const mount = mounts[joint.name];
    if (mount === undefined) return joint;
    const [first, ...others] = joint.servos;
    // The model may have been mounted before, and may already be turned.
    const turned = (first!.turned ?? false) !== (mount.sign !== first!.sign);
    return { ...joint, servos: [{ ...first!, ...mount, turned }, ...others] };
  });
  return { ...model, joints };
}

/** Friction of one joint's drive: Nm, and Nm s/rad. */
export type DriveFriction = Pick<JointModel, 'friction' | 'damping'>;

/** The model of one arm with its measured friction, by joint; joints not named keep the model's. */
export function withFriction(model: ArmModel, measured: Readonly<Record<string, DriveFriction>>): ArmModel {
  return { ...model, joints: model.joints.map((joint) => ({ ...joint, ...measured[joint.name] })) };
}

/**
 * Range over which a joint was led during calibration, centred on the middle of its limits, rad: its angles at the
 * smallest and at the largest servo step. The first is the greater one where the servo counts against the joint. The
 * joint's limits if it was not calibrated. LeRobot scales between these angles.
 */
export function travelOf({ lower, upper, servos }: ArmModel['joints'][number]): readonly [number, number] {
  const { sign, stepsPerTurn, travel } = servos[0]!;
  const middle = (lower + upper) / 2;
  const half = travel === undefined ? (upper - lower) / 2 : ((travel[1] - travel[0]) * Math.PI) / stepsPerTurn;
  return [middle - sign * half, middle + sign * half];
}

/**
 * A joint with several servos, whose offsets must agree: only the maker's tool and the arm's data set their zeros, so
 * the arm cannot be calibrated here. Undefined when each joint has one servo.
 */
export function jointSetByMaker({ joints }: ArmModel): ArmModel['joints'][number] | undefined {
  return joints.find(({ servos }) => servos.length > 1);
}

/** Folder of the arm models shipped with the bridge. */
export const ROBOTS_DIRECTORY = fileURLToPath(new URL('robots', PROJECT));

/** Names of the arm models in a folder. */
export function armModels(directory = ROBOTS_DIRECTORY): readonly string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory).filter((entry) => existsSync(join(directory, entry, 'arm.yaml')));
}

/**
 * Builds of an arm model, the plain one first.
 * @param model as for `loadArmModel`
 * @throws ArmModelError when its file cannot be read
 */
export function armVariants(model: string): readonly string[] {
  const { name, folder } = folderOf(model);
  const path = join(folder, 'arm.yaml');
  const laid = layVariant(parseYaml(path, readText(path, name)), '');
  return Array.isArray(laid) ? laid : [BASE_VARIANT];
}

/** A build of an arm model, with its title. */
export interface ArmBuild {
  readonly value: string;
  readonly label: string;
}

/**
 * Builds of an arm model with their titles, the plain one first.
 * @param model as for `loadArmModel`
 * @throws ArmModelError as `loadArmModel`
 */
export function armBuilds(model: string): readonly ArmBuild[] {
  return armVariants(model).map((variant) => ({ value: variant, label: loadArmModel(model, variant).title }));
}

/** A model and its parsed URDF: plain data, which can be read in one thread and used in another. */
export interface ReadModel {
  readonly model: ArmModel;
  readonly description: RobotDescription;
}

/** Reads an arm's data and parses its URDF. @throws ArmModelError as `loadArmModel` */
export function readArmModel(name: string, variant: string): ReadModel {
  const model = loadArmModel(name, variant);
  return { model, description: parseUrdf(model.urdf) };
}

/** Name and folder of an arm's data. @throws ArmModelError for a name that no folder can have */
function folderOf(model: string): { readonly name: string; readonly directory: string; readonly folder: string } {
  const directory = isAbsolute(model) ? dirname(model) : ROBOTS_DIRECTORY;
  const name = isAbsolute(model) ? basename(model) : model;
  if (!/^[\w-]+$/.test(name)) {
    throw new ArmModelError(`arm model "${model}": a model is the name of a folder in ${directory}`);
  }
  return { name, directory, folder: join(directory, name) };
}

/**
 * Reads an arm's data.
 *
 * @param model name of a folder in `robots/`, e.g. `so101`, or the absolute path of any folder
 * @param variant `follower`, or one of `variants` in its file
 * @throws ArmModelError when a file is missing or its content is not allowed
 */
export function loadArmModel(model: string, variant: string = BASE_VARIANT): ArmModel {
  const { name, directory, folder } = folderOf(model);
  const path = join(folder, 'arm.yaml');
  if (!existsSync(folder)) {
    const known = armModels(directory);
    const others = known.length === 0 ? '' : `, only ${known.join(', ')}`;
    throw new ArmModelError(`there is no arm model "${name}" in ${directory}${others}`);
  }
  const file = checkFile(path, variant, readText(path, name));
  if (file.model !== name) fail(path, 'model', file.model, `the name of its folder, ${name}`);
  const urdfPath = join(folder, file.urdf);
  const urdf = readText(urdfPath, name);
  const chain = readChain(urdf, urdfPath, path, file);

  const names = file.joints.map((joint) => joint.name);
  const ids = new Set<number>();
  const joints = file.joints.map((joint, index): JointModel => {
    const servos = joint.servos.map((servo, at): ServoModel => {
      const place = `joints[${index}].servos[${at}]`;
      if (ids.has(servo.id)) fail(path, `${place}.id`, servo.id, 'an id no other servo has');
      ids.add(servo.id);
      const { stepsPerTurn } = servoTable(path, `${place}.model`, servo.model, file.servo_family);
      if (servo.zero >= stepsPerTurn) fail(path, `${place}.zero`, servo.zero, `0 .. ${stepsPerTurn - 1}`);
      return { ...servo, stepsPerTurn };
    });
    const { lower, upper, velocity } = chain.limits[index]!;
    for (const mode of ['move', 'mirror'] as const) {
      if (joint[mode].velocity > velocity) {
        fail(
          path,
          `joints[${index}].${mode}.velocity`,
          joint[mode].velocity,
          `at most ${velocity}, as ${file.urdf} says`,
        );
      }
    }
    if (joint.servos[0]!.shadow) {
      fail(
        path,
        `joints[${index}].servos[0].shadow`,
        true,
        'false: the first servo of a joint is read and sent its goals',
      );
    }
    const { torque_limit: torqueLimit, role_sign: roleSign, role_zero: roleZero, ...rest } = joint;
    if ((roleSign === undefined) !== (roleZero === undefined)) {
      const missing = roleSign === undefined ? 'role_sign' : 'role_zero';
      fail(path, `joints[${index}].${missing}`, undefined, 'role_sign and role_zero together, or neither');
    }
    const roleFrame = roleSign === undefined || roleZero === undefined ? null : { sign: roleSign, zero: roleZero };
    return { ...rest, servos, roleFrame, torqueLimit, lower, upper, velocity };
  });

  const poses = new Map<string, Float64Array>();
  for (const pose of REQUIRED_POSES) {
    if (!file.poses[pose]) fail(path, `poses.${pose}`, undefined, 'a position in rad for each joint');
  }
  for (const [pose, positions] of Object.entries(file.poses)) {
    for (const joint of Object.keys(positions)) {
      if (!names.includes(joint)) fail(path, `poses.${pose}`, joint, `joints ${names.join(', ')}`);
    }
    poses.set(
      pose,
      Float64Array.from(joints, (joint) =>
        checkPosition(path, `poses.${pose}.${joint.name}`, positions[joint.name], joint),
      ),
    );
  }

  return {
    name,
    variant,
    title: file.title,
    directory: folder,
    urdf: withVelocityLimits(urdf, new Map(joints.map(({ name, move }) => [name, move.velocity]))),
    baseLink: file.base_link,
    toolLink: file.tool_link,
    family: file.servo_family,
    joints,
    gripper: readGripper(path, file, joints),
    gravity: { softGain: file.gravity.soft_gain },
    leastGain: file.least_gain,
    poses,
    sources: file.sources,
  };
}

/** The table of a servo. @throws {ArmModelError} for a name that its family does not have */
function servoTable(path: string, place: string, name: string, family: string): ServoTable {
  const table = modelByName(name);
  if (table?.family.name === family) return table;
  const known = FAMILIES.find((other) => other.name === family)!.models.map(({ model }) => model);
  return fail(path, place, name, `a ${family} servo: ${known.join(', ')}`);
}

function readText(path: string, arm: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const reason = messageOf(error);
    throw new ArmModelError(`arm model "${arm}": cannot read ${path} (${reason})`);
  }
}

const readYaml = keeping((text): unknown => parse(text));

function parseYaml(file: string, text: string): unknown {
  try {
    return readYaml(text);
  } catch (error) {
    throw new ArmModelError(`${file} is not YAML: ${messageOf(error)}`);
  }
}

/** @param variant entry of `variants` to merge over the rest */
function checkFile(file: string, variant: string, text: string): ArmFile {
  let content = parseYaml(file, text);
  let path = file;
  if (variant !== BASE_VARIANT) {
    const laid = layVariant(content, variant);
    if (Array.isArray(laid)) fail(file, 'variant', variant, laid.join(', '));
    content = laid;
    path = `${file}, variant ${variant}`;
  }
  const result = armFile.safeParse(content);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => {
    const at = issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
    return `${at.replace(/^\./, '') || 'file'} is ${shown(valueAt(content, issue.path))}; ${issue.message}`;
  });
  throw new ArmModelError(`${path}: ${lines.join('\n')}`);
}

function readChain(urdf: string, urdfPath: string, path: string, file: ArmFile): Chain {
  try {
    return armChain({ urdf, baseLink: file.base_link, toolLink: file.tool_link, joints: file.joints });
  } catch (error) {
    const reason = messageOf(error);
    throw new ArmModelError(`${path} and ${urdfPath}: ${reason}`);
  }
}

function readGripper(path: string, file: ArmFile, joints: readonly JointModel[]): ArmModel['gripper'] {
  if (file.gripper === null) return null;
  const { joint: wanted, closed, open } = file.gripper;
  const index = joints.findIndex((joint) => joint.name === wanted);
  const joint = joints[index];
  if (!joint) fail(path, 'gripper.joint', wanted, joints.map((other) => other.name).join(', '));
  if (closed === open) fail(path, 'gripper.open', open, 'a position other than gripper.closed');
  return {
    index,
    closed: checkPosition(path, 'gripper.closed', closed, joint),
    open: checkPosition(path, 'gripper.open', open, joint),
  };
}

function checkPosition(path: string, place: string, value: number | undefined, joint: JointModel): number {
  if (value === undefined || value < joint.lower || value > joint.upper) {
    fail(path, place, value, `${joint.lower} .. ${joint.upper} rad, the limits of joint ${joint.name}`);
  }
  return value;
}

function fail(path: string, place: string, value: unknown, allowed: string): never {
  throw new ArmModelError(`${path}: ${place} is ${shown(value)}; allowed: ${allowed}`);
}

function shown(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value);
}

function valueAt(content: unknown, path: readonly PropertyKey[]): unknown {
  let value = content;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
