import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { Clock, Timer } from '../clock.ts';
import type { HttpConfig } from '../config/schema.ts';
import { CLIENT_HEADER } from './clients.ts';
import { plainBoolean } from './fields.ts';

/**
 * The interface as phosphobot 0.3 speaks it, for its clients: metres and radians for tolerances, `ry` roll and `rz` yaw,
 * numbers and booleans as text, coordinates that are left out are 0. What protects arms and people is the same in both dialects.
 */
export type Dialect = HttpConfig['dialect'];

/** Tolerances of phosphobot where none are given: m and rad. */
export const PHOSPHOBOT_TOLERANCES = { position_tolerance: 0.03, orientation_tolerance: 0.2 };

const NUMBER = /^\s*[+-]?(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:e[+-]?\d+)?\s*$/i;
/** What of it is an integer: 1.0 is, 1e3 and 1.5 are not. */
const INTEGER = /^\s*[+-]?\d[\d_]*(?:\.0+)?\s*$/;
const NO_NUMBER = new Set(['float_type', 'float_parsing', 'int_type', 'int_parsing']);
const NO_BOOLEAN = new Set(['bool_type', 'bool_parsing']);

/** The number that text or a boolean stands for in this dialect; undefined for anything else. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'string' && NUMBER.test(value) ? Number(value.replaceAll('_', '')) : undefined;
}

/** What a body says where a schema finds fault with it but this dialect does not. */
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

/** A body as phosphobot reads it: words become numbers and booleans, and an opening outside 0..1 becomes the nearest one. */
export function softened(schema: z.ZodType, body: unknown): unknown {
  if (schema.safeParse(body).success) return body;
  const copy: unknown = structuredClone(body);
  // Text first, then the bounds of what it stands for.
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

/** A body of /move/absolute with what phosphobot takes for the fields that are left out. */
export function completedAbsolute(body: Fields): Fields {
  const lengths = ['x', 'y', 'z'];
  const given = [...lengths, 'rx', 'ry', 'rz'].some((name) => (body[name] ?? null) !== null);
  const zeros = given ? lengths.filter((name) => (body[name] ?? null) === null).map((name) => [name, 0]) : [];
  return { ...PHOSPHOBOT_TOLERANCES, ...body, ...Object.fromEntries(zeros) };
}

/** The same for /move/relative, where nothing is moved that is not given. */
export function completedRelative(body: Fields): Fields {
  return { ...PHOSPHOBOT_TOLERANCES, ...body };
}

/** phosphobot's own client hangs up after 5 s, and an arm stops for one who has gone: it is answered before, s. */
const PATIENCE = 4.5;
/** It asks by httpx, whose limit that is, and does not say who it is: who does has been written for this bridge, and waits. */
const HURRIED = /^python-httpx\//;

/**
 * What a motion comes to, or what is told while it goes on: in this dialect when its client would wait no longer.
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
  // How one that has been answered ends is in the log.
  motion.catch(() => {});
  try {
    return await Promise.race([motion, late]);
  } finally {
    timer?.cancel();
  }
}
