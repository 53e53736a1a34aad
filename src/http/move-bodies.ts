import type { z } from 'zod';
import type { AbsoluteMove, RelativeMove, Tolerances } from '../motion/moves.ts';
import type { Dialect } from './dialect.ts';
import type { absoluteMoveRequest, relativeMoveRequest } from './schemas.ts';
import { metresFromCentimetres, radiansFromDegrees } from './units.ts';

type AbsoluteBody = z.output<typeof absoluteMoveRequest>;
type RelativeBody = z.output<typeof relativeMoveRequest>;

/** The fields that are given, with their values in the units of the inside. */
function given<Name extends string>(fields: Readonly<Record<Name, number | null>>): { [name in Name]?: number } {
  const entries = Object.entries<number | null>(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as { [name in Name]?: number };
}

const metres = (value: number | null) => (value === null ? null : metresFromCentimetres(value));
const radians = (value: number | null) => (value === null ? null : radiansFromDegrees(value));

/** Lengths, angles and opening of a body. */
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

/** The move that a body asks for, in the units of the inside. */
export function absoluteMoveOf(body: AbsoluteBody, dialect: Dialect): AbsoluteMove {
  return { ...coordinates(body, dialect), ...tolerances(body, dialect), path: body.path };
}

/** The same for a relative move. */
export function relativeMoveOf(body: RelativeBody, dialect: Dialect): RelativeMove {
  return { ...coordinates(body, dialect), ...tolerances(body, dialect), path: body.path };
}
