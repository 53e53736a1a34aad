import { Readable } from 'node:stream';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { buildApp, FakeArm, fakeServices } from './fakes.ts';

const arm = new FakeArm(0, 'arm');
const other = new FakeArm(1, 'other');
const services = fakeServices({ arms: [arm, other] });
const app = buildApp(services);
afterAll(() => app.close());
beforeEach(() => {
  arm.initialised = true;
  services.mirror.started = null;
  services.motion.moves.length = 0;
});

async function post(path: string, body: string) {
  const reply = await app.inject({
    method: 'POST',
    url: path,
    headers: { 'content-type': 'application/json' },
    payload: body,
  });
  return {
    status: reply.statusCode,
    answer: reply.json() as { detail: { loc: unknown; type: string; ctx?: unknown }[] },
  };
}

const PAIR = '"robot_pairs":[{"leader_id":0,"follower_id":1}]';

/** Path, body, and place and type of each fault, in order. */
const REFUSED: readonly (readonly [path: string, body: string, ...faults: string[]])[] = [
  ['/move/absolute', '{"x":"abc"}', 'x float_parsing'],
  ['/move/absolute', '{"x":"1"}', 'x float_parsing'],
  ['/move/absolute', '{"x":true}', 'x float_type'],
  ['/move/absolute', '{"x":[],"y":{}}', 'x float_type', 'y float_type'],
  ['/move/absolute', '{"x":NaN}', 'x finite_number'],
  ['/move/absolute', '{"rz":Infinity}', 'rz finite_number'],
  ['/move/absolute', '{"rx":-Infinity}', 'rx finite_number'],
  ['/move/absolute', '{"y":1e400}', 'y finite_number'],
  ['/move/absolute', '{"z":-1e400}', 'z finite_number'],
  ['/move/absolute', '{"ignored":{"deep":[1,NaN]}}', 'ignored.deep.1 finite_number'],
  ['/move/absolute', '{"open":-0.1}', 'open greater_than_equal'],
  ['/move/absolute', '{"open":1.1}', 'open less_than_equal'],
  ['/move/absolute', '{"open":false}', 'open float_type'],
  ['/move/absolute', '{"max_trials":0}', 'max_trials greater_than_equal'],
  ['/move/absolute', '{"max_trials":1.5}', 'max_trials int_from_float'],
  ['/move/absolute', '{"max_trials":-1.5}', 'max_trials int_from_float'],
  ['/move/absolute', '{"max_trials":"3"}', 'max_trials int_parsing'],
  ['/move/absolute', '{"max_trials":true}', 'max_trials int_type'],
  ['/move/absolute', '{"max_trials":NaN}', 'max_trials finite_number'],
  ['/move/absolute', '{"max_trials":1e20}', 'max_trials int_parsing_size'],
  ['/move/absolute', '{"position_tolerance":null}', 'position_tolerance float_type'],
  ['/move/absolute', '{"orientation_tolerance":-1e-9}', 'orientation_tolerance greater_than_equal'],
  [
    '/move/absolute',
    '{"orientation_tolerance":-1,"max_trials":"x","x":[]}',
    'x float_type',
    'max_trials int_parsing',
    'orientation_tolerance greater_than_equal',
  ],
  ['/move/absolute', '"text"', ' model_attributes_type'],
  ['/move/absolute', 'null', ' model_attributes_type'],
  ['/move/absolute', 'true', ' model_attributes_type'],
  ['/end-effector/read', '{"sync":"perhaps"}', 'sync bool_parsing'],
  ['/end-effector/read', '{"sync":2}', 'sync bool_parsing'],
  ['/end-effector/read', '{"sync":1,"only_gripper":"Yes"}', 'only_gripper bool_parsing', 'sync bool_parsing'],
  ['/torque/toggle', '{"torque_status":true,"force":0}', 'force bool_parsing'],
  ['/end-effector/read', '{"sync":0.5}', 'sync bool_type'],
  ['/end-effector/read', '{"sync":1e20,"only_gripper":null}', 'only_gripper bool_type', 'sync bool_type'],
  ['/end-effector/read', '{"sync":[true]}', 'sync bool_type'],
  ['/move/leader/start', '{"robot_pairs":null}', 'robot_pairs list_type'],
  ['/move/leader/start', '{"robot_pairs":""}', 'robot_pairs list_type'],
  ['/move/leader/start', '{"robot_pairs":[]}', 'robot_pairs too_short'],
  ['/move/leader/start', '{"robot_pairs":[1]}', 'robot_pairs.0 model_attributes_type'],
  [
    '/move/leader/start',
    '{"robot_pairs":[{}]}',
    'robot_pairs.0.leader_id missing',
    'robot_pairs.0.follower_id missing',
  ],
  [
    '/move/leader/start',
    '{"robot_pairs":[{"leader_id":0,"follower_id":1},{"leader_id":"a","follower_id":1.5}]}',
    'robot_pairs.1.leader_id int_parsing',
    'robot_pairs.1.follower_id int_from_float',
  ],
  ['/move/leader/start', `{${PAIR},"invert_controls":"x"}`, 'invert_controls bool_parsing'],
  ['/move/leader/start', `{${PAIR},"gravity_compensation_values":[]}`, 'gravity_compensation_values dict_type'],
  [
    '/move/leader/start',
    `{${PAIR},"gravity_compensation_values":{"shoulder":101,"elbow":-1,"wrist":1.5}}`,
    'gravity_compensation_values.shoulder less_than_equal',
    'gravity_compensation_values.elbow greater_than_equal',
    'gravity_compensation_values.wrist int_from_float',
  ],
  [
    '/move/leader/start',
    `{${PAIR},"gravity_compensation_values":{"hip":1}}`,
    'gravity_compensation_values.hip extra_forbidden',
  ],
  [
    '/move/leader/start',
    `{${PAIR},"gravity_compensation_values":{"shoulder":null}}`,
    'gravity_compensation_values.shoulder int_type',
  ],
  ['/sim/hand', '{}', 'joints missing'],
  ['/sim/hand', '{"joints":[]}', 'joints dict_type'],
  ['/sim/hand', '{"joints":null,"duration":61}', 'duration less_than_equal'],
  ['/sim/hand', '{"joints":null,"duration":-1}', 'duration greater_than_equal'],
  ['/sim/hand', '{"joints":{"shoulder_pan":"a"}}', 'joints.shoulder_pan float_parsing'],
  ['/sim/hand', '{"joints":{"knee":1}}', 'joints.knee extra_forbidden'],
  [
    '/sim/hand',
    '{"joints":{"shoulder_pan":9,"elbow_flex":-9}}',
    'joints.shoulder_pan less_than_equal',
    'joints.elbow_flex greater_than_equal',
  ],
];

test.each(REFUSED)('%s %s is refused at its place', async (path, body, ...faults) => {
  const { status, answer } = await post(path, body);
  expect(status).toBe(422);
  const found = answer.detail.map(({ loc, type }) => `${(loc as (string | number)[]).slice(1).join('.')} ${type}`);
  expect(found).toEqual(faults);
  expect(services.motion.moves).toEqual([]);
  expect(services.mirror.started).toBeNull();
});

const ACCEPTED: readonly (readonly [path: string, body: string])[] = [
  ['/move/absolute', '{"x":123456789012345678901234567890}'],
  ['/move/absolute', '{"x":-0,"max_trials":123456789012345678901234567890,"position_tolerance":1e308}'],
  ['/move/absolute', '{"open":0}'],
  ['/move/absolute', '{"open":1.0,"max_trials":2.0}'],
  ['/move/absolute', '{"__proto__":1,"constructor":{},"toString":null}'],
  ['/end-effector/read', '{"sync":true,"only_gripper":false}'],
  ['/end-effector/read', ''],
  ['/move/leader/start', `{${PAIR},"gravity_compensation_values":null,"enable_gravity_compensation":true}`],
  ['/move/leader/start', `{${PAIR},"gravity_compensation_values":{},"unknown":1}`],
];

test.each(ACCEPTED)('%s %s is accepted', async (path, body) => {
  expect((await post(path, body)).status).toBe(200);
});

test('a bound that is missed is told with the bound', async () => {
  const { answer } = await post('/move/absolute', '{"open":2}');
  expect(answer.detail[0]).toEqual({
    type: 'less_than_equal',
    loc: ['body', 'open'],
    msg: 'Input should be less than or equal to 1',
    input: 2,
    ctx: { le: 1 },
  });
});

test('a NaN is told in a reply that is JSON', async () => {
  const { answer } = await post('/move/absolute', '{"x":NaN}');
  expect(answer.detail[0]).toMatchObject({ msg: 'Input should be a finite number', input: 'NaN' });
});

test('query and body faults are told together, query first', async () => {
  const { status, answer } = await post('/move/absolute?robot_id=x&take_over=maybe', '{"x":[]}');
  expect(status).toBe(422);
  expect(answer.detail.map(({ loc }) => loc)).toEqual([
    ['query', 'robot_id'],
    ['query', 'take_over'],
    ['body', 'x'],
  ]);
});

test('a body that is missing where it is required is told as such', async () => {
  for (const url of ['/move/absolute', '/move/leader/start', '/sim/hand']) {
    for (const headers of [{}, { 'content-type': 'application/json' }]) {
      const reply = await app.inject({ method: 'POST', url, headers });
      expect(reply.statusCode).toBe(422);
      expect(reply.json()).toMatchObject({
        detail: [{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }],
      });
    }
  }
});

test('content types that are no JSON make a body no object, whatever it holds', async () => {
  for (const type of [
    'text/plain',
    'json',
    'application/jsonx',
    'text/json',
    'application/json, text/plain',
    'a/b; c',
  ]) {
    const reply = await app.inject({
      method: 'POST',
      url: '/move/absolute',
      headers: { 'content-type': type },
      payload: '{"x":1}',
    });
    expect([type, reply.statusCode]).toEqual([type, 422]);
    expect(reply.json().detail[0]).toMatchObject({ type: 'model_attributes_type', loc: ['body'] });
  }
  for (const type of ['application/json', 'Application/JSON ; charset="utf-8"', 'application/problem+json']) {
    const reply = await app.inject({
      method: 'POST',
      url: '/move/absolute',
      headers: { 'content-type': type },
      payload: '{"x":1}',
    });
    expect([type, reply.statusCode]).toEqual([type, 200]);
  }
});

test('routes without a body do not look at one', async () => {
  for (const url of ['/move/init', '/move/leader/stop', '/stop/reset']) {
    expect((await post(url, '{broken')).status).toBe(200);
  }
});

test('a body that is no UTF-8 or nested beyond reason is refused, not a crash', async () => {
  for (const payload of [Buffer.from([0x7b, 0xff, 0x7d]), Buffer.from('['.repeat(60_000))]) {
    const reply = await app.inject({
      method: 'POST',
      url: '/move/absolute',
      headers: { 'content-type': 'application/json' },
      payload,
    });
    expect(reply.statusCode).toBe(400);
    expect(reply.json().detail).toContain('There was an error parsing the body');
  }
  const { status } = await post('/move/absolute', `{"x":${'['.repeat(300)}${']'.repeat(300)}}`);
  expect(status).toBe(422);
});

test('a large input is echoed shortened', async () => {
  const reply = await app.inject({
    method: 'POST',
    url: '/move/absolute',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ x: 'y'.repeat(30_000), z: Array(5000).fill([1]) }),
  });
  expect(reply.statusCode).toBe(422);
  expect(reply.body.length).toBeLessThan(700);
  expect(reply.body.match(/y{5,}/g)!.join('').length).toBeLessThanOrEqual(200);
});

test('a body over 64 KiB is refused with 413, one of 64 KiB is read', async () => {
  const body = (size: number) => `{"x":1${' '.repeat(size - 7)}}`;
  expect((await post('/move/absolute', body(64 * 1024))).status).toBe(200);
  const { status, answer } = await post('/move/absolute', body(64 * 1024 + 1));
  expect(status).toBe(413);
  expect(answer).toMatchObject({ detail: 'The request body is larger than 64 KiB.' });
  const chunked = await app.inject({
    method: 'POST',
    url: '/move/absolute',
    headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
    payload: Readable.from([body(64 * 1024), ' ']),
  });
  expect(chunked.statusCode).toBe(413);
});

test.each([
  ['%201', 200],
  ['%2B1', 200],
  ['01', 200],
  ['1.0', 200],
  ['x&robot_id=1', 200],
  ['-1', 400],
  ['5', 400],
  ['9'.repeat(400), 400],
  ['1&robot_id=5', 400],
  ['', 422],
  ['1.', 422],
  ['--1', 422],
  ['1__0', 422],
  ['%EF%BC%91', 422],
  ['true', 422],
  ['9'.repeat(4301), 422],
])('robot_id=%s answers %i', async (text, expected) => {
  other.initialised = true;
  expect((await post(`/end-effector/read?robot_id=${text}`, '')).status).toBe(expected);
});
