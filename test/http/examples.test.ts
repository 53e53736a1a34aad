import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { HttpConfig } from '../../src/config/schema.ts';
import { buildApp, FakeArm, fakeServices } from './fakes.ts';

/**
 * Answers recorded from phosphobot 0.3.134 with one simulated SO-100, after /move/init unless the name begins with
 * `fresh_`. Clients in the field know them: the status, the keys and their JSON types, and for 422 the places and types
 * of the faults have to agree, except where this interface decides otherwise.
 */
interface Example {
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
  path: string;
  query: string;
  headers: Record<string, string>;
  body: string | null;
  status: number;
  response: unknown;
}

const examples = readFileSync(new URL('./examples.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Example);

/** Examples that deviate, our status, and the rule of the interface that they follow. */
const DEVIATIONS: Readonly<Record<string, { status: number; rule: string }>> = {
  move_init__cors_preflight: { status: 403, rule: 'Requests with a foreign Origin are refused.' },
  move_absolute__cors_preflight: { status: 403, rule: 'Requests with a foreign Origin are refused.' },
  torque_read__cors_preflight: { status: 403, rule: 'Requests with a foreign Origin are refused.' },
  joints_write__degrees_90: {
    status: 200,
    rule: 'Degrees are degrees: 90 of them are within the limits of the joint, which 90 rad are not.',
  },
  joints_write__beyond_joint_limit: {
    status: 400,
    rule: '/joints/write answers once the goal is accepted: one beyond the limits of a joint never is.',
  },
};

const NO_BOOLEANS = 'Numbers and booleans are those of JSON; the phosphobot dialect alone takes 0, 1 and words.';

/** The same, for the standard dialect alone. */
const STANDARD: Readonly<Record<string, { status: number; rule: string }>> = {
  move_relative__open_only_big: { status: 422, rule: '`open` outside 0..1: 422 (the phosphobot dialect clamps).' },
  torque_toggle__one: { status: 422, rule: NO_BOOLEANS },
  torque_toggle__one__robot_id0: { status: 422, rule: NO_BOOLEANS },
  torque_toggle__zero__robot_id0: { status: 422, rule: NO_BOOLEANS },
};

/** Answers of which the values have other types here, and the rule that they follow. */
const OTHER_VALUES: Readonly<Record<string, string>> = {
  'move_relative__nonfinite_-Infinity__joints_after':
    'NaN, Infinity and overflowing literals never pass: the arm is where it was, and its joints are still numbers.',
  'move_relative__nonfinite_-1e308__joints_after': 'The same: the position is refused, and nothing has moved.',
};

/** Keys that answers have in addition, with the rule that adds them. */
const ADDED: Readonly<Record<string, { keys: readonly string[]; rule: string }>> = {
  '/move/init': {
    keys: ['position_error', 'orientation_error', 'trials', 'duration'],
    rule: 'Additional fields of a move; /move/init is a move like any other.',
  },
  '/move/absolute': {
    keys: ['position_error', 'orientation_error', 'trials', 'duration'],
    rule: 'Additional fields of a move.',
  },
  '/move/relative': {
    keys: ['position_error', 'orientation_error', 'trials', 'duration'],
    rule: 'Additional fields of a move.',
  },
  '/status': {
    keys: ['stop_port', 'dialect', 'arms', 'mirror', 'ros', 'loop', 'recording_warning'],
    rule: 'Adds for each arm: id, name, state, owner, and the dialect, the ROS state and the room for recordings.',
  },
};

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The keys of an object and the JSON types of their values, through all levels. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shape);
  if (typeof value !== 'object' || value === null) return typeOf(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shape(item)]));
}

function faultsOf(answer: unknown): unknown {
  return (answer as { detail: { loc: unknown; type: string }[] }).detail.map(({ loc, type }) => ({ loc, type }));
}

async function check(example: Example, dialect: HttpConfig['dialect']): Promise<void> {
  const { name } = example;
  const arm = new FakeArm(0, 'arm');
  arm.initialised = !name.startsWith('fresh_');
  const services = fakeServices({ arms: [arm], config: { dialect } });
  // Recorded while a robot mirrored itself, which this interface refuses: here another client's pair stands for it.
  if (name === 'move_leader_start__self_pair_gravity__status_after') {
    services.mirror.started = { pairs: [{ leader: 0, follower: 1 }], gravity: null, invert: false };
  }
  const app = buildApp(services);
  const reply = await app.inject({
    method: example.method,
    url: example.path + (example.query === '' ? '' : `?${example.query}`),
    headers: example.headers,
    ...(example.body === null ? {} : { payload: example.body }),
  });
  await app.close();

  const deviation = dialect === 'standard' ? (STANDARD[name] ?? DEVIATIONS[name]) : DEVIATIONS[name];
  if (deviation !== undefined) {
    expect(deviation.status).not.toBe(example.status);
    expect(reply.statusCode).toBe(deviation.status);
    return;
  }
  expect(reply.statusCode).toBe(example.status);
  if (example.status === 405) {
    expect(reply.headers.allow).toBe(example.path === '/status' ? 'GET, HEAD' : 'POST');
  }
  if (example.method === 'HEAD') {
    expect(reply.body).toBe('');
    return;
  }
  const answer: unknown = reply.json();
  if (example.status === 422) {
    expect(faultsOf(answer)).toEqual(faultsOf(example.response));
    return;
  }
  const ours = shape(answer) as Record<string, unknown>;
  if (example.status >= 400 || (answer as { status?: unknown }).status === 'error') {
    expect(ours).toHaveProperty('request_id');
    delete ours.request_id;
  }
  if (example.status === 200) {
    for (const key of ADDED[example.path]?.keys ?? []) {
      expect(ours).toHaveProperty(key);
      delete ours[key];
    }
  }
  if (name in OTHER_VALUES) {
    expect(Object.keys(ours)).toEqual(Object.keys(example.response as object));
    expect(ours).not.toEqual(shape(example.response));
    return;
  }
  expect(ours).toEqual(shape(example.response));
}

const named = examples.map((example) => [example.name, example] as const);
test.each(named)('in the standard dialect: %s', (_, example) => check(example, 'standard'));
test.each(named)('in the dialect of phosphobot: %s', (_, example) => check(example, 'phosphobot'));

test('every deviation is an example of the file', () => {
  const names = new Set(examples.map((example) => example.name));
  expect([DEVIATIONS, STANDARD, OTHER_VALUES].flatMap(Object.keys).filter((name) => !names.has(name))).toEqual([]);
});
