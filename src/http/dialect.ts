import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { Clock, Timer } from '../clock.ts';
import type { HttpConfig } from '../config/schema.ts';
import { CLIENT_HEADER } from './clients.ts';
import { plainBoolean } from './fields.ts';

/**
 * The `phosphobot` dialect serves clients of phosphobot 0.3: tolerances in metres and radians, `ry` is roll and `rz`
 * yaw, numbers and booleans may be text, and missing coordinates are 0. Both dialects protect arms and people alike.
 */
export type Dialect = HttpConfig['dialect'];

/** phosphobot's default tolerances: m and rad. */
export const PHOSPHOBOT_TOLERANCES = { position_tolerance: 0.03, orientation_tolerance: 0.2 };

const NUMBER = /^\s*[+-]?(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:e[+-]?\d+)?\s*$/i;
/** Text of an integer: 1.0 is one, 1e3 and 1.5 are not. */
const INTEGER = /^\s*[+-]?\d[\d_]*(?:\.0+)?\s*$/;
const NO_NUMBER = new Set(['float_type', 'float_parsing', 'int_type', 'int_parsing']);
const NO_BOOLEAN = new Set(['bool_type', 'bool_parsing']);

/** Converts text or a boolean to a number as this dialect does; undefined for anything else. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'string' && NUMBER.test(value) ? Number(value.replaceAll('_', '')) : undefined;
}

/** Replacement for a value that the schema refuses and this dialect accepts; undefined if it refuses it too. */
function softenedAt(issue: z.core.$ZodIssue, value: unknown): unknown {
  if (issue.code === 'too_small' || issue.code === 'too_big') {
    if (issue.path.at(-1) !== 'open') return undefined;
    return issue.code === 'too_small' ? issue.minimum : issue.maximum;
  }
  if (NO_BOOLEAN.has(issue.message)) {
    const plain = plainBoolean(value);
    return typeof plain === 'boolean' ? plain : undefined;
  }
  if (!NO_NUMBER.has(issue.message)) return undefined;
  return issue.message === 'int_parsing' && !INTEGER.test(String(value)) ? undefined : numberOf(value);
}

/** A body as phosphobot reads it: text becomes numbers and booleans, and `open` is clamped to 0..1. */
export function softened(schema: z.ZodType, body: unknown): unknown {
  if (schema.safeParse(body).success) return body;
  const copy: unknown = structuredClone(body);
  // First convert text, then check the bounds of the result.
  for (let round = 0; round < 2; round++) {
    const { error } = schema.safeParse(copy);
    for (const issue of error?.issues ?? []) {
      const key = issue.path.at(-1);
      let parent: unknown = copy;
      for (const step of issue.path.slice(0, -1)) parent = (parent as Record<PropertyKey, unknown> | undefined)?.[step];
      if (key === undefined || typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, key)) continue;
      const value = softenedAt(issue, Reflect.get(parent, key));
      if (value !== undefined) Reflect.set(parent, key, value);
    }
  }
  return copy;
}

type Fields = Readonly<Record<string, unknown>>;

/** Body of /move/absolute with phosphobot's values for missing fields. */
export function completedAbsolute(body: Fields): Fields {
  const lengths = ['x', 'y', 'z'];
  const given = [...lengths, 'rx', 'ry', 'rz'].some((name) => (body[name] ?? null) !== null);
  const zeros = given ? lengths.filter((name) => (body[name] ?? null) === null).map((name) => [name, 0]) : [];
  return { ...PHOSPHOBOT_TOLERANCES, ...body, ...Object.fromEntries(zeros) };
}

/** The same for /move/relative, where a missing coordinate means no movement. */
export function completedRelative(body: Fields): Fields {
  return { ...PHOSPHOBOT_TOLERANCES, ...body };
}

/** Answer within this time, s: phosphobot's own client hangs up after 5 s, and a disconnect ends the motion. */
const PATIENCE = 4.5;
/**
 * That client uses httpx with its default timeout. A client that sends its name was written for this bridge and waits.
 */
const HURRIED = /^python-httpx\//;

/**
 * Resolves to the outcome of a motion. In this dialect it resolves to `underWay` before an impatient client hangs up.
 * @param headers of the request
 */
export async function answeredInTime<T>(
  { clock, config: { dialect } }: { readonly clock: Clock; readonly config: Pick<HttpConfig, 'dialect'> },
  headers: IncomingHttpHeaders,
  motion: Promise<T>,
  underWay: T,
): Promise<T> {
  const hurried = HURRIED.test(headers['user-agent'] ?? '') && headers[CLIENT_HEADER] === undefined;
  if (dialect !== 'phosphobot' || !hurried) return motion;
  let timer: Timer | undefined;
  const late = new Promise<T>((resolve) => {
    timer = clock.after(PATIENCE, () => resolve(underWay));
  });
  // After an early answer, only the log tells how the motion ended.
  motion.catch(() => {});
  try {
    return await Promise.race([motion, late]);
  } finally {
    timer?.cancel();
  }
}
