/**
 * An arm as data: `robots/<name>/arm.yaml` and the URDF it names, read and checked into one immutable object.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';
import { armChain } from '../kinematics/arm-chain.ts';
import type { Chain } from '../kinematics/chain.ts';
import { withVelocityLimits } from '../kinematics/urdf-text.ts';
import { FAMILIES } from '../servo/families.ts';
import type { ServoModel as ServoTable } from '../servo/servo-model.ts';
import { modelByName } from '../servo/servo-models.ts';
import { BASE_VARIANT, layVariant } from './variant.ts';

export { armChain };

/** Largest velocity (rad/s) and acceleration (rad/s²) of a joint. */
export interface MotionLimits {
  readonly velocity: number;
  readonly acceleration: number;
  /** Largest change of the acceleration, rad/s³; without it the acceleration may change at once. */
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
  /** Servo steps where the joint of the URDF is at 0. */
  readonly zero: number;
  /** It obeys the goals of the joint's first servo by itself, by a secondary id, and is sent none. */
  readonly shadow: boolean;
  /** Homing offset that the arm has been calibrated with, in counts; undefined where nothing says so. */
  readonly homing?: number | undefined;
  /** Least and greatest of its steps between which the joint was led while it was calibrated; undefined where nobody did. */
  readonly travel?: readonly [number, number] | undefined;
  /** Calibrating has found that it counts the other way round than the arm's data say. */
  readonly turned?: boolean;
}

/**
 * How a joint's position becomes the angle of its role, which means the same direction of the links on every arm
 * (robots/README.md): role angle = sign * (position - zero), rad.
 */
export interface RoleFrame {
  readonly sign: 1 | -1;
  readonly zero: number;
}

export interface JointModel {
  readonly name: string;
  /** What tells its servo from others of the same model, for people: the gear, or what is printed on it. */
  readonly part: string | null;
  readonly role: JointRole;
  /** Null where arms of other models cannot be mapped to this joint by angle; a gripper goes by its opening. */
  readonly roleFrame: RoleFrame | null;
  /** The first one is read; further ones share the load. */
  readonly servos: readonly ServoModel[];
  /** Position limits of the URDF, rad. */
  readonly lower: number;
  readonly upper: number;
  /** Largest velocity the joint can do, from the URDF, rad/s. */
  readonly velocity: number;
  /** Torque per radian of position error with the servo's standard gain, Nm/rad. */
  readonly stiffness: number;
  /** Torque per velocity that the joint's drive takes, Nm s/rad. */
  readonly damping: number;
  /** Torque below which the joint does not move, Nm. */
  readonly friction: number;
  /** Moment of inertia about the joint, drive included, over the poses of daily work, kg m^2. */
  readonly inertia: number;
  /** Limits of planned motion. */
  readonly move: MotionLimits;
  /** Limits while following another arm. */
  readonly mirror: MotionLimits;
  /** Largest torque the servo shall exert, Nm. */
  readonly torqueLimit: number;
  /** Register contents that its servos are given at start, in counts, by register name. */
  readonly settings: Readonly<Record<string, number>>;
  /** Load (Nm) and time (s) from which a joint that does not move is drawn back, and what it then holds with (Nm). */
  readonly stall: { readonly torque: number; readonly time: number; readonly hold: number } | null;
}

export interface ArmModel {
  readonly name: string;
  /** Which build of it: `follower` is the arm as its file describes it. */
  readonly variant: string;
  /** Name for people. */
  readonly title: string;
  /** Folder the model was read from. */
  readonly directory: string;
  /**
   * Text of the URDF as others read it (robot_description, HTTP). Its velocity limits are those of planned motion, which is
   * what the gate allows, so that no planner finds a motion that is refused here; the file has what the joints can do.
   */
  readonly urdf: string;
  readonly baseLink: string;
  readonly toolLink: string;
  /** Name of the family whose protocol its servos speak (`servo/families.ts`). */
  readonly family: string;
  /** In the order of every joint array of the arm. */
  readonly joints: readonly JointModel[];
  /** Index of the gripper's joint and its positions (rad) when closed and open. */
  readonly gripper: { readonly index: number; readonly closed: number; readonly open: number } | null;
  /** While it floats: part of their own position gain with which its servos work, 0..1. */
  readonly gravity: { readonly softGain: number };
  /** Least part of their own position gain with which its servos may work, 0..1: softer ones would hang through too far. */
  readonly leastGain: number;
  /** Positions in rad per joint, in the order of `joints`. */
  readonly poses: ReadonlyMap<string, Float64Array>;
  readonly sources: readonly { readonly what: string; readonly origin: string; readonly licence: string }[];
}

/**
 * Part of their own position gain with which the servos of a floating arm work where its file says nothing: soft, so that
 * what the hand feels of a goal that comes a cycle late is small, and hard enough that a servo step is less than the gears'
 * friction.
 */
export const SOFT_GAIN = 0.375;

/** The same for an arm that moves: at half the stiffness its goals stand off by twice the droop. */
const LEAST_GAIN = 0.5;

/** The files of an arm are missing or wrong; the message names file, place, value and what is allowed. */
export class ArmModelError extends Error {
  override readonly name = 'ArmModelError';
}

const name = z.string().regex(/^[a-z][a-z0-9_]*$/, 'a lower-case name of letters, digits and _');
const sign = z.union([z.literal(1), z.literal(-1)], '1 or -1');
const positive = z.number().positive();
const notNegative = z.number().min(0);
const motionLimits = z.strictObject({ velocity: positive, acceleration: positive });

const armFile = z.strictObject({
  model: name,
  title: z.string().min(1),
  urdf: z.string().regex(/^[\w-]+\.urdf$/, 'the name of a .urdf file in the same folder'),
  base_link: z.string().min(1),
  tool_link: z.string().min(1),
  servo_family: z.enum(FAMILIES.map(({ name: family }) => family)),
  joints: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        part: z.string().min(1).nullable().default(null),
        role: z.enum(JOINT_ROLES),
        role_sign: sign.optional(),
        role_zero: z.number().optional(),
        servos: z
          .array(
            z.strictObject({
              id: z.int().min(0).max(252),
              model: z.string().min(1),
              sign,
              zero: z.int().min(0),
              shadow: z.boolean().default(false),
            }),
          )
          .min(1),
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
    .min(1),
  gripper: z.strictObject({ joint: z.string(), closed: z.number(), open: z.number() }).nullable(),
  gravity: z.strictObject({ soft_gain: z.number().min(0.1).max(1).default(SOFT_GAIN) }).prefault({}),
  least_gain: z.number().min(0.1).max(1).default(LEAST_GAIN),
  poses: z.record(name, z.record(z.string(), z.number())),
  sources: z.array(z.strictObject({ what: z.string(), origin: z.string(), licence: z.string() })).min(1),
  // Laid over the rest of the file before that is checked.
  variants: z.record(name, z.record(z.string(), z.unknown())).default({}),
});

type ArmFile = z.infer<typeof armFile>;

/** What calibrating one arm has found out about the first servo of each joint, by the joint's name. */
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

/** The model of one arm, with its servos mounted as calibrating it has found; joints that are not named stay as they are. */
export function mounted(model: ArmModel, mounts: ServoMounts): ArmModel {
  const joints = model.joints.map((joint) => {
    const mount = mounts[joint.name];
    if (mount === undefined) return joint;
    const [first, ...others] = joint.servos;
    // The model may have been mounted before, and then the other way round already.
    const turned = (first!.turned ?? false) !== (mount.sign !== first!.sign);
    return { ...joint, servos: [{ ...first!, ...mount, turned }, ...others] };
  });
  return { ...model, joints };
}

/** What the drive of one arm's joint takes: Nm, and Nm s/rad. */
export type DriveFriction = Pick<JointModel, 'friction' | 'damping'>;

/** The model of one arm, with the friction that was measured on it, by joint; joints that are not named keep the model's. */
export function withFriction(model: ArmModel, measured: Readonly<Record<string, DriveFriction>>): ArmModel {
  return { ...model, joints: model.joints.map((joint) => ({ ...joint, ...measured[joint.name] })) };
}

/**
 * What a joint was led over while it was calibrated, laid about the middle of its limits, rad: its angles at the least and at the
 * greatest servo step, so that the first is the greater one where the servo counts against the joint. Its limits, where it was not
 * calibrated. LeRobot counts between these.
 */
export function travelOf({ lower, upper, servos }: ArmModel['joints'][number]): readonly [number, number] {
  const { sign, stepsPerTurn, travel } = servos[0]!;
  const middle = (lower + upper) / 2;
  const half = travel === undefined ? (upper - lower) / 2 : ((travel[1] - travel[0]) * Math.PI) / stepsPerTurn;
  return [middle - sign * half, middle + sign * half];
}

/**
 * A joint whose servos count from where they do by their maker's tool and the arm's data alone, since their offsets must agree:
 * its arm cannot be calibrated here. Undefined when each joint has one servo.
 */
export function jointSetByMaker({ joints }: ArmModel): ArmModel['joints'][number] | undefined {
  return joints.find(({ servos }) => servos.length > 1);
}

/** Folder of the arms that come with the bridge. */
export const ROBOTS_DIRECTORY = fileURLToPath(new URL('../../robots', import.meta.url));

/** Names of the arm models in a folder. */
export function armModels(directory = ROBOTS_DIRECTORY): readonly string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory).filter((entry) => existsSync(join(directory, entry, 'arm.yaml')));
}

/**
 * Builds that there are of an arm, its plain one first.
 * @param model as for `loadArmModel`
 * @throws ArmModelError when its file cannot be read
 */
export function armVariants(model: string): readonly string[] {
  const { name, folder } = folderOf(model);
  const path = join(folder, 'arm.yaml');
  const laid = layVariant(parseYaml(path, readText(path, name)), '');
  return Array.isArray(laid) ? laid : [BASE_VARIANT];
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
 * @param model name of a folder of `robots/`, e.g. `so101`, or the absolute path of any folder
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
    const reason = error instanceof Error ? error.message : String(error);
    throw new ArmModelError(`arm model "${arm}": cannot read ${path} (${reason})`);
  }
}

function parseYaml(file: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new ArmModelError(`${file} is not YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** @param variant whose part of `variants` is laid over the rest */
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
    const reason = error instanceof Error ? error.message : String(error);
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
