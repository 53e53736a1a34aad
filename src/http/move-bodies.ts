import { z } from 'zod';
import type { AbsoluteMove, RelativeMove, Tolerances } from '../motion/moves.ts';
import { PATHS } from '../motion/moves.ts';
import type { Dialect } from './dialect.ts';
import { asModel, components, integer, number, oneOf } from './fields.ts';
import { metresFromCentimetres, radiansFromDegrees } from './units.ts';

/** Bodies of move requests, and their conversion to metres and radians. */

const length = (description: string) => number().nullable().prefault(null).describe(description);
const angle = (name: string, sense: string) =>
  number()
    .nullable()
    .prefault(null)
    .describe(
      `Absolute ${name} in degrees: ${sense}. Null or left out: inverse kinematics takes the best value for it.`,
    );

const DEFAULT_POSITION_TOLERANCE = 0.5;
const DEFAULT_ORIENTATION_TOLERANCE = 3;
const DEFAULT_MAX_TRIALS = 10;

/** Fields for the gripper, the tolerances and the path of a move. */
const ending = {
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
  path: oneOf(PATHS)
    .prefault('joint')
    .describe('joint: straight for the joints, the quickest way. line: the tool goes on a straight line.'),
};

export const absoluteMoveRequest = z
  .object(
    {
      x: length('Forward, in centimetres. Null or left out: keeps its present goal.'),
      y: length('To the left, in centimetres. Null or left out: keeps its present goal.'),
      z: length('Upwards, in centimetres. Null or left out: keeps its present goal.'),
      rx: angle('pitch', 'positive lifts the nose'),
      ry: angle('yaw', 'positive turns left'),
      rz: angle('roll', 'positive is clockwise seen from behind'),
      ...ending,
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
      ...ending,
    },
    asModel,
  )
  .describe(
    'From the present goal, in axes of the base frame. Angles that are left out are kept as far as the arm has the ' +
      'joints for it: an arm of five gives up the yaw. With `open` alone only the gripper acts.',
  )
  .register(components, { id: 'RelativeMoveRequest' });

type AbsoluteBody = z.output<typeof absoluteMoveRequest>;
type RelativeBody = z.output<typeof relativeMoveRequest>;

/** Drops the null fields. */
function given<Name extends string>(fields: Readonly<Record<Name, number | null>>): { [name in Name]?: number } {
  const entries = Object.entries<number | null>(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as { [name in Name]?: number };
}

const metres = (value: number | null) => (value === null ? null : metresFromCentimetres(value));
const radians = (value: number | null) => (value === null ? null : radiansFromDegrees(value));

/** Lengths (m), angles (rad) and opening of a body. */
function coordinates({ x, y, z, rx, ry, rz, open }: AbsoluteBody | RelativeBody, dialect: Dialect) {
  const [yaw, roll] = dialect === 'phosphobot' ? [rz, ry] : [ry, rz];
  const lengths = { x: metres(x), y: metres(y), z: metres(z) };
  return given({ ...lengths, pitch: radians(rx), yaw: radians(yaw), roll: radians(roll), open });
}

function tolerances(body: AbsoluteBody | RelativeBody, dialect: Dialect): Tolerances {
  const { position_tolerance: position, orientation_tolerance: orientation } = body;
  const inside = dialect === 'phosphobot';
  return {
    maxTrials: Math.min(body.max_trials, Number.MAX_SAFE_INTEGER),
    positionTolerance: inside ? position : metresFromCentimetres(position),
    orientationTolerance: inside ? orientation : radiansFromDegrees(orientation),
  };
}

/** Converts a body to a move in metres and radians. */
export function absoluteMoveOf(body: AbsoluteBody, dialect: Dialect): AbsoluteMove {
  return { ...coordinates(body, dialect), ...tolerances(body, dialect), path: body.path };
}

/** The same for a relative move. */
export function relativeMoveOf(body: RelativeBody, dialect: Dialect): RelativeMove {
  return { ...coordinates(body, dialect), ...tolerances(body, dialect), path: body.path };
}
