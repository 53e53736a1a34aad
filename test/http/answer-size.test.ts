import { expect, test } from 'vitest';
import { z } from 'zod';
import { longestWithin, type Schema } from '../../bench/worst-body.ts';
import type { Arm } from '../../src/arm/types.ts';
import type { Neighbour } from '../../src/fleet/neighbour.ts';
import { type BridgeOverview, bounded, MOST_BRIDGES } from '../../src/fleet/overview.ts';
import { MOST_ANSWER } from '../../src/http/answer-size.ts';
import { type Asks, MOST_ASKS } from '../../src/http/asks.ts';
import { Frames, NOTHING_SEEN } from '../../src/http/live/frames.ts';
import { querySchema, type Route } from '../../src/http/route.ts';
import { ROUTES } from '../../src/http/routes/index.ts';
import type { HttpServices } from '../../src/http/services.ts';
import { holderView } from '../../src/http/views.ts';
import type { RecordingFacts } from '../../src/recording/messages.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';
import { buildApp, fakeServices } from './fakes.ts';

/** No list is longer than an answer may be, and what one answer leaves out is in the next. */

/** Three bytes each, and six as JSON. */
const WIDE = '€';
const ESCAPED = '\u0001';

/** All entries of a list, page by page. */
async function paged<T>(ask: (sofar: readonly T[]) => Promise<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for (;;) {
    const page = await ask(all);
    if (page.length === 0) return all;
    all.push(...page);
  }
}

function asking(services: ReturnType<typeof fakeServices>) {
  const app = buildApp(services);
  return async (url: string) => {
    const reply = await app.inject(url);
    expect([url, reply.statusCode]).toEqual([url, 200]);
    expect(reply.rawPayload.length).toBeLessThanOrEqual(MOST_ANSWER);
    return reply.json();
  };
}

test.each([WIDE, ESCAPED, 'z'])('a log of a thousand long lines of %j is told in pages', async (letter) => {
  const services = fakeServices();
  for (let i = 0; i < 1200; i++) {
    const line = { level: 30, time: '2026-01-02T03:04:05.000Z', msg: `${i} ${letter.repeat(5 * (i % 500))}` };
    services.log.add(JSON.stringify(line));
  }
  const ask = asking(services);
  let before = '';
  const lines = await paged<{ message: string }>(async () => {
    const { lines: page, first, next } = await ask(`/api/v1/log?start=0${before}`);
    expect(next).toBe(1200);
    before = `&before=${first}`;
    return page.reverse();
  });
  // A thousand are kept.
  expect(lines.map(({ message }) => Number.parseInt(message, 10))).toEqual(
    Array.from({ length: 1000 }, (_, i) => 1199 - i),
  );
  expect(await ask('/api/v1/log?start=1198')).toMatchObject({ first: 1198, lines: [{}, {}] });
  expect(await ask('/api/v1/log?start=1200')).toEqual({ first: 1200, next: 1200, lines: [] });
});

test('an afternoon of events with the longest texts is told in pages', async () => {
  const services = fakeServices();
  const { journal } = services.arms;
  const long = WIDE.repeat(128);
  for (let i = 0; i < 1000; i++) {
    const origin = { who: `${i} ${long}`, from: long, what: long, request: 'z'.repeat(64) };
    journal.record(i % 3 === 0 ? 'stop' : 'motion', 'follower', origin, 'refused', WIDE.repeat(500));
  }
  const ask = asking(services);
  const all = await paged<{ id: number }>(async (sofar) => {
    const before = sofar.length === 0 ? '' : `&before=${sofar.at(-1)!.id}`;
    return (await ask(`/api/v1/events?act=motion&arm=follower${before}`)).events;
  });
  expect(all.map(({ id }) => id)).toEqual(journal.list({ act: 'motion', limit: 1000 }).map(({ id }) => id));
});

test('recordings with the longest names, labels and topics are told in pages', async () => {
  const services = fakeServices();
  const facts = (await services.recordings.facts('wave')) as RecordingFacts;
  const topic = { name: ESCAPED.repeat(500), type: WIDE.repeat(500), messages: 1 };
  const long = {
    ...facts,
    task: WIDE.repeat(500),
    operator: WIDE.repeat(100),
    problem: ESCAPED.repeat(500),
    arms: Array.from({ length: 40 }, () => WIDE.repeat(200)),
    topics: Array.from({ length: 200 }, () => topic),
  };
  services.recordings.facts = async () => long;
  services.recordings.list = async ({ offset, limit }) => ({
    folder: '/data',
    recordings: Array.from({ length: 60 }, (_, i) => ({ ...long, name: `wave-${i}` })).slice(offset, offset + limit),
    total: 60,
    datasets: Array.from({ length: 300 }, (_, i) => `${'d'.repeat(60)}${i}`),
    used: 1000,
    quota: 1e9,
    free: 1e10,
    warning: '',
  });
  const ask = asking(services);
  const all = await paged<{ name: string }>(
    async (sofar) => (await ask(`/api/v1/recordings?limit=32&offset=${sofar.length}`)).recordings,
  );
  expect(all.map(({ name }) => name)).toEqual(Array.from({ length: 60 }, (_, i) => `wave-${i}`));
  const one = await ask('/api/v1/recordings/wave');
  expect(one.topics.length).toBeGreaterThan(10);
});

test('as many asks of people with the longest names as may be open fit into a frame of the live stream', () => {
  const services = fakeServices();
  const person = { key: 'http:page', name: WIDE.repeat(128) };
  const ask = { id: 'rwa1c0-1', arm: services.arms.all[0]!, asker: person, owner: person, state: 'open', ends: 1 };
  const all = Array.from({ length: MOST_ASKS }, () => ({ ...ask, message: WIDE.repeat(300) }));
  const frame = new Frames(services as unknown as HttpServices, { all, changes: 2 } as unknown as Asks).get('asks', {
    ...NOTHING_SEEN,
    asks: 1,
  });
  expect(frame!.length).toBeLessThanOrEqual(MOST_ANSWER);
  expect(JSON.parse(frame!.toString()).asks.length).toBeGreaterThan(20);
});

const LONG_ARM = {
  name: 'z'.repeat(64),
  model: 'z'.repeat(64),
  variant: 'z'.repeat(64),
  title: 'z'.repeat(64),
  simulated: true,
  remote: false,
  state: 'stopped',
  torque: true,
  owner: 'z'.repeat(128),
  owner_since: 1767323044.25,
  reason: 'z'.repeat(400),
  doubt: 'z'.repeat(400),
};
const OVERVIEW: BridgeOverview = {
  id: 'bench',
  name: 'bench',
  version: '0.1.0',
  stop_port: 8021,
  trouble: '',
  ros: { reason: '', graph: null },
  pairs: Array.from({ length: 32 }, () => ({
    leader: 'z'.repeat(64),
    follower: 'z'.repeat(64),
    state: 'idle',
    reason: 'z'.repeat(400),
  })),
  arms: Array.from({ length: 16 }, () => LONG_ARM),
};

test('the largest laboratory is told in pages, and a bridge that tells too much is none', async () => {
  const services = fakeServices();
  const neighbours = Array.from({ length: MOST_BRIDGES }, (_, i) => ({
    url: `http://bench-${i}:8020`,
    configured: true,
    state: 'answers',
    reason: '',
    seen: 1,
    overview: bounded(OVERVIEW),
  })) as unknown as Neighbour[];
  Object.defineProperty(services.fleet, 'neighbours', { value: neighbours });
  const ask = asking(services);
  const all = await paged<{ url: string }>(async (sofar) => {
    const { others, total, here } = await ask(`/api/v1/bridges?offset=${sofar.length}`);
    expect([total, here.name]).toEqual([MOST_BRIDGES, 'here']);
    return others;
  });
  expect(all.map(({ url }) => url)).toEqual(neighbours.map(({ url }) => url));
  // Names that no bridge has.
  const arms = OVERVIEW.arms.map((arm) => ({
    ...arm,
    name: ESCAPED.repeat(64),
    model: ESCAPED.repeat(64),
    owner: ESCAPED.repeat(128),
  }));
  expect(bounded({ ...OVERVIEW, pairs: [] })?.arms).toEqual(OVERVIEW.arms);
  expect(bounded({ ...OVERVIEW, arms, pairs: [] })).toBe(null);
});

/** Descriptions, files and measurements, whose size the bridge's own data decide. */
const isData = ({ answer }: Route): boolean => 'media' in answer;

test('texts and owners of arms are cut, and limits and poses are told in six digits that the arm accepts', async () => {
  const bridge = await VirtualBridge.startLight();
  const arm = bridge.arm();
  const { upper, lower, name } = arm.model.joints[0]!;
  const { http } = bridge.bridge;
  const as = (client: string) => ({ host: '127.0.0.1', 'x-arm-bridge-client': client });
  await bridge.until(arm.stop('r'.repeat(900)));
  const owner = { key: 'ros:x', name: 'o'.repeat(900) };
  const { arms } = (await bridge.until(http.inject({ url: '/api/v1/arms', headers: as('z') }))).json();
  expect(arms[0].now.reason).toBe('r'.repeat(400));
  expect(holderView({ held: { owner, since: 1 } } as Arm).owner).toHaveLength(128);
  const [told] = arms[0].joints;
  expect(told).toMatchObject({ name, lower: expect.closeTo(lower, 5), upper: expect.closeTo(upper, 5) });
  expect(told.lower).toBeGreaterThanOrEqual(lower);
  expect(told.upper).toBeLessThanOrEqual(upper);
  const digits = JSON.stringify([arms[0].joints, arms[0].poses]).match(/\.\d{7,}/g);
  expect(digits).toBeNull();
});

test('sixteen arms fit into every answer', async () => {
  const arms = Array.from({ length: 16 }, (_, i) => ({
    name: `arm_${'z'.repeat(58)}${i + 10}`,
    model: 'wx250s',
    bus: 'sim:wx250s',
  }));
  const bridge = await VirtualBridge.startLight({ arms });
  await bridge.pass(0.5);
  // Each arm has the longest owner and reason.
  const { http } = bridge.bridge;
  const headers = { host: '127.0.0.1', 'x-arm-bridge-client': 'Z'.repeat(64) };
  for (const { name } of arms) {
    await bridge.until(http.inject({ method: 'POST', url: `/api/v1/arms/${name}/take-over`, headers }));
  }
  await bridge.until(http.inject({ method: 'POST', url: '/stop', headers }));
  const sizes: [string, number][] = [];
  for (const route of ROUTES.filter((one) => one.method === 'GET' && !isData(one))) {
    const name = route.target === 'named' ? arms[0]!.name : 'wave';
    const reply = await bridge.until(http.inject({ url: route.path.replace('{name}', name), headers }));
    sizes.push([route.path, reply.rawPayload.length]);
  }
  expect(sizes.filter(([, size]) => size > MOST_ANSWER)).toEqual([]);
  expect(Math.max(...sizes.map(([, size]) => size))).toBeGreaterThan(30_000);
});

/** Bytes of a request that its answer may repeat. */
const MOST_ECHO = 200;

/** The longest distinct texts of a request that an answer repeats, bytes. */
function repeated(answer: string, letters: RegExp): number {
  const texts = new Set(answer.match(letters) ?? []);
  return [...texts].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

test('the whole bridge repeats little of the longest legal request of each route, and every answer names its request', async () => {
  const bridge = await VirtualBridge.startLight({
    arms: [
      { name: 'leader', id: 0, bus: 'sim:so101' },
      { name: 'follower', id: 1, bus: 'sim:so101' },
    ],
  });
  const { http } = bridge.bridge;
  await bridge.post('/move/init');
  const faults: string[] = [];
  let ok = 0;
  const ask = async (route: Route, url: string, payload: string | null): Promise<void> => {
    const reply = await bridge.until(
      http.inject({
        method: route.method,
        url,
        headers: { host: '127.0.0.1', ...(payload === null ? {} : { 'content-type': 'application/json' }) },
        ...(payload === null ? {} : { payload }),
      }),
    );
    const what = `${route.method} ${url.slice(0, 60)} ${payload?.slice(0, 60)}: ${reply.statusCode}`;
    if (reply.statusCode < 400) ok++;
    const { headers, body, statusCode } = reply;
    if (statusCode >= 500) faults.push(`${what} ${body.slice(0, 200)}`);
    if (typeof headers['x-request-id'] !== 'string') faults.push(`${what}: no request id`);
    if (headers['x-content-type-options'] !== 'nosniff') faults.push(`${what}: no nosniff`);
    if (isData(route) && statusCode < 400) return;
    const told = JSON.parse(body);
    const isError = statusCode >= 400 || told?.status === 'error' || told?.calibration_status === 'error';
    if (isError && told.request_id !== headers['x-request-id']) faults.push(`${what}: ${body.slice(0, 200)} has no id`);
    if (reply.rawPayload.length > MOST_ANSWER) faults.push(`${what}: ${reply.rawPayload.length} bytes`);
    const isAsked = /Z{3}|é{3}/.test(url + (payload ?? ''));
    if (isAsked && repeated(body, /Z{3,}\d*|é{3,}/g) > MOST_ECHO) faults.push(`${what} repeats ${body.slice(0, 900)}`);
  };
  for (const route of ROUTES) {
    if ('media' in route.answer && route.answer.media === 'text/event-stream') continue;
    const path = route.path.replace(/\{(\w+)\}/g, (_, field) =>
      field === 'name' && route.target === 'named' ? 'leader' : 'Z'.repeat(64),
    );
    const { properties = {} } = z.toJSONSchema(querySchema(route), { io: 'input' }) as Schema;
    const texts = Object.entries(properties).filter(([, field]) => JSON.stringify(field).includes('string'));
    const query = texts.map(([name]) => `${name}=${'Z'.repeat(64)}`).join('&');
    if (route.body === undefined) {
      await ask(route, path, null);
      await ask(route, `${path}?${query}`, null);
      continue;
    }
    const schema = z.toJSONSchema(route.body.schema, { io: 'input' }) as Schema;
    const body = longestWithin(MOST_ANSWER, schema);
    await ask(route, path, body);
    // Each text in letters of two bytes, and an unknown name for everything that has one.
    await ask(
      route,
      path,
      body.replace(/Z{65,}/g, (text) => 'é'.repeat(text.length)),
    );
    await ask(route, path, JSON.stringify(route.body.example));
  }
  expect(faults).toEqual([]);
  expect(ok).toBeGreaterThan(60);
}, 120_000);
