import type { PositionGains } from '../arm/position-gains.ts';
import type { Arm, Owner } from '../arm/types.ts';
import { ROS_OWN } from '../config/load.ts';
import { shown } from '../config/parameters.ts';
import { armConfig, LEAST_SPEED_SCALE } from '../config/schema.ts';
import { CONFIGURATION } from '../mirror/autostart.ts';
import type { MirrorService } from '../mirror/mirror-service.ts';
import { RosArgumentError } from './arguments.ts';
import type { ParameterValue } from './parameter-arguments.ts';
import { declare, judge } from './parameters.ts';
import type { Rcl, RosNode } from './rclnodejs.ts';

/** A parameter of an arm that can be set at run time: a fraction of at most 1, or a boolean. */
interface ArmParameter {
  readonly name: string;
  readonly description: string;
  /** Minimum of a fraction; null: a boolean. */
  readonly least: number | null;
  get(): number | boolean;
  set(value: number | boolean): void;
  /** Why it cannot be set to a value now, human-readable; null when it can. */
  refusal(value: number | boolean): string | null;
}

/** Prefix of the names of the joint limits. */
const LIMITS = 'joint_limits.';
/** Ends of those names that do not follow the scales. */
const POSITION_LIMIT = /\.(?:min|max)_position$/;

/** Stores the force feedback from an arm to its leader. */
type Feedback = Pick<MirrorService, 'feedbackOf' | 'setFeedback' | 'starterOf'>;

/**
 * Why the feedback of a pair is not raised by a parameter; null if it may be. A push comes into a hand, so whoever has not
 * come by ROS 2 or with the configuration raises it where they started the pair. Anybody may lower it, as anybody may end the
 * pair.
 */
function pushedElsewhere(starter: Owner | null): string | null {
  if (starter === null || starter.key === CONFIGURATION.key || starter.key.startsWith('ros:')) return null;
  return `its leader is in the hand of ${starter.name}, who raises this by HTTP; lower it, or end that pair`;
}

function parametersOf(arm: Arm, gains: PositionGains, mirror: Feedback): ArmParameter[] {
  const { speed_scale: speed, acceleration_scale: acceleration, position_gains: gain, uncalibrated } = armConfig.shape;
  const limits: ArmParameter[] = [
    {
      name: 'speed_scale',
      description: speed.description ?? '',
      least: LEAST_SPEED_SCALE,
      get: () => arm.speedScale,
      set: (part) => arm.limitSpeed(part as number),
      refusal: () => null,
    },
    {
      name: 'acceleration_scale',
      description: acceleration.description ?? '',
      least: LEAST_SPEED_SCALE,
      get: () => arm.accelerationScale,
      set: (part) => arm.limitAcceleration(part as number),
      refusal: () => null,
    },
    {
      name: 'uncalibrated',
      description: uncalibrated.description ?? '',
      least: null,
      get: () => arm.movesUncalibrated,
      set: (may) => {
        arm.movesUncalibrated = may as boolean;
      },
      refusal: () => null,
    },
  ];
  const joints = arm.model.joints.map(
    ({ name }, index): ArmParameter => ({
      name: `position_gains.${name}`,
      description: gain.description ?? '',
      least: arm.model.leastGain,
      get: () => gains.parts(arm)[index]!,
      set: (part) => gains.set(arm, index, part as number),
      refusal: () => gains.refusal(arm),
    }),
  );
  const felt = (['arm', 'gripper'] as const).map(
    (part): ArmParameter => ({
      name: `force_feedback.${part}`,
      description: `How much of the torques that push ${part === 'arm' ? 'its joints' : 'its gripper'} a leader feels that floats.`,
      least: 0,
      get: () => mirror.feedbackOf(arm)[part],
      set: (share) => mirror.setFeedback(arm, { [part]: share as number }),
      refusal: (share) =>
        (share as number) <= mirror.feedbackOf(arm)[part] ? null : pushedElsewhere(mirror.starterOf(arm)),
    }),
  );
  return [...limits, ...felt, ...joints];
}

/**
 * Present limits of planned motion, by joint. Velocity and acceleration: the model's data times `speed_scale` and
 * `acceleration_scale`, and slower while the arm's angles may be wrong. Position: the narrower of the model's limits and
 * the servo's own. Read-only, with the names of joint_limits.yaml, so planners can use them unchanged.
 * @param joints names on the graph
 */
function jointLimits(
  arm: Arm,
  joints: readonly string[],
): { readonly name: string; readonly description: string; readonly value: number }[] {
  const { servoLower, servoUpper } = arm.read();
  const position = "the narrower of the arm's data and the servo's own.";
  return arm.model.joints.flatMap(({ move, lower, upper }, index) => [
    {
      name: `${LIMITS}${joints[index]}.min_position`,
      description: `Least position, rad: ${position}`,
      value: Math.max(lower, servoLower[index]!),
    },
    {
      name: `${LIMITS}${joints[index]}.max_position`,
      description: `Largest position, rad: ${position}`,
      value: Math.min(upper, servoUpper[index]!),
    },
    {
      name: `${LIMITS}${joints[index]}.max_velocity`,
      description: 'Largest velocity of planned motion at present, rad/s; follows speed_scale.',
      value: move.velocity * arm.pace,
    },
    {
      name: `${LIMITS}${joints[index]}.max_acceleration`,
      description: 'Largest acceleration of planned motion at present, rad/s^2; follows acceleration_scale.',
      value: move.acceleration * arm.accelerationScale,
    },
  ]);
}

/**
 * Declares the live parameters of an arm's node: gains, scales that only lower limits, and the resulting joint limits.
 * @param nodeName full name of the node
 * @param joints names of the arm's joints on the graph
 * @param given values of ROS arguments for this node, which override the configuration; unknown names given through a
 *   wildcard are ignored
 * @param accepts whether ROS 2 may change them
 * @returns updates the parameters that have changed otherwise, as by HTTP; to be called regularly
 * @throws {RosArgumentError} for an unknown name, and for a value that its parameter does not allow
 */
export function declareArmParameters(
  rcl: Rcl,
  node: RosNode,
  nodeName: string,
  arm: Arm,
  joints: readonly string[],
  gains: PositionGains,
  mirror: Feedback,
  given: readonly ParameterValue[],
  accepts: boolean,
): () => void {
  const known = new Map(parametersOf(arm, gains, mirror).map((parameter) => [parameter.name, parameter]));
  const fault = ({ name, least }: ArmParameter, value: unknown): string | null => {
    if (least === null ? typeof value === 'boolean' : typeof value === 'number' && value >= least && value <= 1)
      return null;
    const needed = least === null ? 'true or false' : `a number from ${least} to 1`;
    return `${name} of arm ${arm.name} cannot be ${shown(value)}: ${needed} is needed`;
  };
  for (const { name, value, exact } of given) {
    const parameter = known.get(name);
    if (parameter === undefined) {
      // `ros2 param dump` writes the limits too.
      if (!exact || ROS_OWN.has(name) || name.startsWith(LIMITS)) continue;
      const names = [...known.keys()].join(', ');
      throw new RosArgumentError(`ROS parameter ${name} of arm ${arm.name} is unknown. Known here: ${names}`);
    }
    const reason = fault(parameter, value);
    if (reason !== null) throw new RosArgumentError(`ROS parameter ${reason}`);
    parameter.set(value as number | boolean);
  }
  for (const { name, description, least, get } of known.values()) {
    const range = { minimum: least, maximum: least === null ? null : 1 };
    const kind = least === null ? 'boolean' : 'double';
    declare(rcl, node, { name, kind, description, ...range, live: accepts }, get());
  }
  for (const { name, description, value } of jointLimits(arm, joints)) {
    declare(rcl, node, { name, kind: 'double', description, minimum: null, maximum: null, live: false }, value);
  }
  const write = node.setParametersAtomically.bind(node);
  const present = (): { readonly name: string; readonly value: number | boolean }[] => [
    ...[...known.values()].map(({ name, get }) => ({ name, value: get() })),
    ...jointLimits(arm, joints),
  ];
  const told = new Map(present().map(({ name, value }) => [name, value]));
  const tell = (): void => {
    const changed = present().filter(({ name, value }) => told.get(name) !== value);
    if (changed.length === 0) return;
    const { Parameter, ParameterType } = rcl;
    const { PARAMETER_BOOL, PARAMETER_DOUBLE } = ParameterType;
    write(
      changed.map(
        ({ name, value }) => new Parameter(name, typeof value === 'boolean' ? PARAMETER_BOOL : PARAMETER_DOUBLE, value),
      ),
    );
    for (const { name, value } of changed) told.set(name, value);
  };
  const kinds = new Map<string, 'boolean' | 'double'>([
    ...[...known.values()].map(({ name, least }) => [name, least === null ? 'boolean' : 'double'] as const),
    ...jointLimits(arm, joints).map(({ name }) => [name, 'double'] as const),
  ]);
  judge(
    rcl,
    node,
    { nodeName, arm: arm.name, journal: arm.journal },
    kinds,
    (name, value) => {
      if (name.startsWith(LIMITS)) {
        if (POSITION_LIMIT.test(name)) return `${name} follows from the arm's data and its servos: calibrate the arm`;
        return `${name} follows from the arm's data: set speed_scale or acceleration_scale`;
      }
      const parameter = known.get(name);
      if (parameter === undefined) return null;
      if (accepts) return fault(parameter, value) ?? parameter.refusal(value as number | boolean);
      return `${name} is changed by those who may drive the arm: ROS 2 may only read and stop it (ros.accept_commands)`;
    },
    (name, value) => {
      const parameter = known.get(name);
      if (parameter === undefined) return;
      parameter.set(value as number | boolean);
      told.set(name, parameter.get());
      tell();
    },
  );
  return tell;
}
