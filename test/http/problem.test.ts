import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildApp, type FakeServices, fakeServices } from './fakes.ts';

let services: FakeServices;
let app: FastifyInstance;
beforeEach(() => {
  services = fakeServices();
  app = buildApp(services);
});
afterEach(() => app.close());

const PROBLEM = { accept: 'application/json, application/problem+json' };

test('who accepts problem+json is told code, remedy and request; others what clients in the field know', async () => {
  services.arms.all[0]!.state = 'stopped';
  const stopped = await app.inject({ method: 'POST', url: '/move/init?robot_id=0', headers: PROBLEM });
  expect(stopped.headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(stopped.json()).toEqual({
    type: 'urn:arm-bridge:problem:stopped',
    title: 'Conflict',
    status: 409,
    detail: expect.stringMatching(/stopped.*\/stop\/reset/),
    // Clients say the next step in words of their own.
    message: expect.not.stringContaining('/stop/reset'),
    code: 'stopped',
    remedy: 'reset',
    request_id: expect.any(String),
  });
  const invalid = await app.inject({ method: 'POST', url: '/move/absolute?robot_id=x', headers: PROBLEM });
  expect(invalid.json()).toMatchObject({ code: 'invalid', status: 422, errors: [{ loc: ['query', 'robot_id'] }, {}] });
  for (const [url, code] of [
    ['/move/init?robot_id=7', 'unknown_arm'],
    ['/nowhere', 'not_found'],
  ] as const) {
    expect((await app.inject({ method: 'POST', url, headers: PROBLEM })).json().code).toBe(code);
  }
  for (const accept of ['application/json', '*/*', 'application/problem+json;q=0, */*']) {
    const plain = await app.inject({ method: 'POST', url: '/move/init?robot_id=7', headers: { accept } });
    expect(plain.headers['content-type']).toMatch(/^application\/json/);
    expect(plain.json()).not.toHaveProperty('code');
  }
});

test.each(['/openapi.json', '/asyncapi.json', '/api/v1/arms/follower/urdf'])(
  '%s has an ETag, is not sent twice, and answers HEAD',
  async (url) => {
    const first = await app.inject(url);
    const { etag } = first.headers;
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    for (const tag of [etag!, `W/${etag}`, `"other", ${etag}`]) {
      const again = await app.inject({ url, headers: { 'if-none-match': String(tag) } });
      expect([again.statusCode, again.payload]).toEqual([304, '']);
    }
    expect((await app.inject({ url, headers: { 'if-none-match': '"other"' } })).statusCode).toBe(200);
    const head = await app.inject({ method: 'HEAD', url });
    expect([head.statusCode, head.payload, head.headers.etag]).toEqual([200, '', etag]);
  },
);

test('another computer is told how many requests it has left, and when to ask again', async () => {
  await app.close();
  services = fakeServices({ config: { rate_limit: 2 } });
  app = buildApp(services);
  const ask = () => app.inject({ url: '/status', remoteAddress: '192.168.7.2' });
  const answers = [await ask(), await ask(), await ask()];
  expect(answers.map(({ headers }) => headers['ratelimit-remaining'])).toEqual(['1', '0', '0']);
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 429]);
  expect(answers[2]!.headers).toMatchObject({ 'ratelimit-limit': '2', 'retry-after': '1' });
  expect((await app.inject('/status')).headers).not.toHaveProperty('ratelimit-limit');
});
