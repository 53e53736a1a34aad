import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { longest, longestWithin, type Schema } from '../../bench/worst-body.ts';
import { LARGEST } from '../../src/http/datagrams.ts';
import type { HttpProblem } from '../../src/http/errors.ts';
import { MOST_LISTED } from '../../src/http/motions.ts';
import { querySchema, type Route } from '../../src/http/route.ts';
import { CHANNELS, ROUTES } from '../../src/http/routes/index.ts';
import { datagram } from '../../src/http/routes/teleop-datagrams.ts';
import { readMessage } from '../../src/http/validation.ts';
import { buildApp, FakeArm, type FakeServices, fakeServices } from './fakes.ts';

/** The worst that a client may send to every route, by its own declaration: how long it takes the thread, and what comes back. */

/** Longest time for which one request may keep the main thread, s. */
const MOST_STALL = 0.02;
const MOST_ANSWER = 64 * 1024;
const MOST_BODY = 64 * 1024;
/** Of a WebSocket. */
const MOST_MESSAGE = 64 * 1024;
/** Characters of a request that its answer may repeat. */
const MOST_ECHO = 200;
/** What all of them together may leave in memory, MB. */
const MOST_LEFT = 10;
/** Whatever else the machine does then hits all of so many rounds only seldom. */
const ROUNDS = 10;

const repeated = (part: string, size: number): string => part.repeat(Math.max(1, Math.floor(size / part.length)));

/** A body with as much besides as fits, in the forms that cost the most to read. */
function padded(body: string, room: number): string[] {
  const open = body.slice(0, -1);
  const comma = open === '{' ? '' : ',';
  const rest = room - body.length - 30;
  const fields = Array.from({ length: Math.floor(rest / 12) }, (_, i) => `"${String(i).padStart(6, 'Z')}":0`).join(',');
  const deep = 490;
  return [
    `${open}${comma}"more":"${repeated('Z', rest)}"}`,
    `${open}${comma}"more":"${repeated('\\u005a', rest)}"}`,
    `${open}${comma}${fields}}`,
    `${open}${comma}"more":[${repeated('0,', rest - 2)}0]}`,
    // Numbers that the built-in parser does not tell apart.
    `${open}${comma}"more":[${repeated('12345678901234567890,', rest - 30)}0]}`,
    `${open}${comma}"more":[${repeated(`${'['.repeat(deep)}${']'.repeat(deep)},`, rest - 2 * deep)}0]}`,
  ];
}

/** Bodies with as much wrong as fits. */
function broken(schema: Schema, body: string, room: number): string[] {
  const { properties = {} } = schema;
  const [name = 'x'] = Object.keys(properties);
  const wrongLists = Object.keys(properties).map((key) => `"${key}":[${repeated('"Z",', room / 2 - 100)}"Z"]`);
  const row = `[${repeated('"Z",', 120)}"Z"]`;
  const wrongTables = Object.keys(properties).map((key) => `"${key}":[${repeated(`${row},`, room - 300)}${row}]`);
  const keys = Array.from({ length: Math.floor(room / 14) }, (_, i) => `"${String(i).padStart(8, 'Z')}":0`).join(',');
  return [
    ...wrongLists.map((field) => `{${field}}`),
    ...wrongTables.map((field) => `{${field}}`),
    ...Object.keys(properties).map((key) => `{"${key}":{${keys.slice(0, room - 100).replace(/,[^,]*$/, '')}}}`),
    `{"${name}":"${repeated('Z', room - 60)}"}`,
    `{"${name}":"${repeated('é', room / 2 - 60)}","${repeated('é', 200)}":NaN}`,
    `{"${repeated('Z', room - 30)}":NaN}`,
    `{"more":[${repeated('0,', room - 40)}NaN]}`,
    `[${repeated('{},', room - 10)}{}]`,
    // The fault is at the very end.
    padded(body, room)[3]!.slice(0, -1),
    repeated('[', room),
    repeated('é', room / 2),
  ];
}

let services: FakeServices;
let app: FastifyInstance;
beforeAll(() => {
  // As many arms as there can be, a log that is full, and a journal.
  const arms = Array.from({ length: 16 }, (_, i) => new FakeArm(i, `${'Z'.repeat(60)}_${i}`));
  services = fakeServices({ arms });
  for (let i = 0; i < 1000; i++) {
    services.log.add(JSON.stringify({ level: 30, time: '2026-01-02T03:04:05.000Z', msg: 'z'.repeat(5000) }));
  }
  const long = 'z'.repeat(128);
  const origin = {
    who: `"${long}" with token`,
    from: 'z'.repeat(64),
    what: `service ${long}`,
    request: 'z'.repeat(64),
  };
  for (const arm of arms) {
    for (let i = 0; i < 60; i++) services.arms.journal.record('motion', arm.name, origin, 'refused', 'z'.repeat(5000));
  }
  app = buildApp(services);
});
afterAll(() => app.close());

/** What a request comes to: its answer, and the longest time for which nothing else could happen, s. */
async function tried(route: Route, query: string, payload: string | null, headers: Record<string, string> = {}) {
  for (const arm of services.arms.all) Object.assign(arm, { initialised: true, state: 'ready', detached: false });
  const url = route.path.replace('{name}', services.arms.all[0]!.name) + query;
  let stall = 0;
  let running = true;
  let before = performance.now();
  let used = process.cpuUsage();
  const watch = (): void => {
    // What other programs take of the processor is no stall of ours.
    const { user, system } = process.cpuUsage(used);
    stall = Math.max(stall, Math.min(performance.now() - before, (user + system) / 1000));
    before = performance.now();
    used = process.cpuUsage();
    if (running) setImmediate(watch);
  };
  const json = payload === null ? {} : { 'content-type': 'application/json' };
  const request = {
    method: route.method,
    url,
    headers: { ...json, ...headers },
    ...(payload === null ? {} : { payload }),
  };
  watch();
  const reply = await app.inject(request);
  running = false;
  watch();
  return { reply, stall: stall / 1000 };
}

/** Answers that grow with the arms and their names alone. */
const DATA: ReadonlySet<string> = new Set(['/api/v1/arms/{name}/urdf', '/metrics']);

/** Answers that tell what earlier requests were, a little of each. */
const HISTORY: ReadonlySet<string> = new Set(['/api/v1/events', '/api/v1/log']);

function worstOf(route: Route): (readonly [query: string, payload: string | null])[] {
  const query = z.toJSONSchema(querySchema(route), { io: 'input' }) as Schema;
  const parameters = Object.entries(query.properties ?? {}).map(([name, field]) => {
    const value = longest(field);
    return `${name}=${Array.isArray(value) ? value.join(',') : value}`;
  });
  const asked = parameters.length === 0 ? '' : `?${parameters.join('&')}`;
  const none: (readonly [string, string | null])[] = [
    ['', null],
    [asked, null],
    [`?robot_id=${'9'.repeat(4000)}`, null],
    [`?robot_id=${'Z'.repeat(8000)}&take_over=${'Z'.repeat(4000)}`, null],
    [`?${repeated('Z=Z&', 12_000)}`, null],
  ];
  if (route.body === undefined) return none;
  const schema = z.toJSONSchema(route.body.schema, { io: 'input' }) as Schema;
  const body = longestWithin(MOST_BODY, schema);
  const payloads = [body, ...padded(body, MOST_BODY), ...broken(schema, body, MOST_BODY)];
  return [...none, ...payloads.map((payload) => [asked, payload] as const), ['', JSON.stringify(route.body.example)]];
}

const routes = ROUTES.filter(({ answer }) => !('media' in answer && answer.media === 'text/event-stream'));

test.each(['standard', 'phosphobot'] as const)(
  'the worst request of each route takes the thread 20 ms at most, and its answer is bounded, in the dialect %s',
  async (dialect) => {
    await app.close();
    services = { ...services, config: { ...services.config, dialect } };
    app = buildApp(services);
    const faults: string[] = [];
    for (const route of routes) {
      for (const [query, payload] of worstOf(route)) {
        const what = `${route.path}${query.slice(0, 40)} ${payload?.slice(0, 60)}`;
        expect([what, payload?.length ?? 0]).toEqual([what, expect.toSatisfy((size: number) => size <= MOST_BODY)]);
        let { stall, reply } = await tried(route, query, payload);
        for (let round = 1; round < ROUNDS && stall > MOST_STALL; round++) {
          stall = Math.min(stall, (await tried(route, query, payload)).stall);
        }
        if (stall > MOST_STALL) faults.push(`${what}: ${(1000 * stall).toFixed(0)} ms`);
        if (reply.statusCode >= 500) faults.push(`${what}: ${reply.statusCode}`);
        if (DATA.has(route.path) && reply.statusCode === 200) continue;
        if (reply.rawPayload.length > MOST_ANSWER) faults.push(`${what}: ${reply.rawPayload.length} bytes`);
        if (HISTORY.has(route.path) && reply.statusCode === 200) continue;
        // Names of arms are no echo.
        const text = reply.body.replaceAll(/Z{60}_\d+/g, '');
        const echo = (text.match(/Z{3,}|é+/g) ?? []).join('');
        const isAsked = query.includes('ZZZ') || payload?.includes('ZZZ') === true || payload?.includes('é') === true;
        if (isAsked && Buffer.byteLength(echo) > MOST_ECHO) faults.push(`${what}: repeats ${echo.length}`);
      }
    }
    expect(faults).toEqual([]);
  },
  300_000,
);

test('the worst message of each WebSocket, and the worst datagram, take the thread 20 ms at most, and refusals are bounded', () => {
  const faults: string[] = [];
  const sockets = CHANNELS.map(({ id, received }) => ({ id, received, most: MOST_MESSAGE }));
  for (const { id, received, most } of [...sockets, { id: 'udp', received: { datagram }, most: LARGEST }]) {
    for (const [name, message] of Object.entries(received)) {
      const schema = z.toJSONSchema(message, { io: 'input' }) as Schema;
      const body = longestWithin(most, schema);
      for (const text of [body, ...padded(body, most), ...broken(schema, body, most)]) {
        let told = '';
        let stall = Number.POSITIVE_INFINITY;
        for (let round = 0; round < ROUNDS && stall > 1000 * MOST_STALL; round++) {
          const began = performance.now();
          const { user, system } = process.cpuUsage();
          try {
            readMessage(text, message, 'standard');
          } catch (error) {
            told = JSON.stringify((error as HttpProblem).detail);
          }
          const used = process.cpuUsage();
          // What other programs take of the processor is no stall of ours.
          stall = Math.min(performance.now() - began, (used.user + used.system - user - system) / 1000);
        }
        if (stall > 1000 * MOST_STALL) faults.push(`${id} ${name} ${text.slice(0, 60)}: ${stall.toFixed(0)} ms`);
        if (told.length > MOST_MESSAGE) faults.push(`${id} ${name} ${text.slice(0, 60)}: ${told.length} bytes`);
      }
    }
  }
  expect(faults).toEqual([]);
});

test('a full list of motions, each with the longest reason why it failed, is bounded too', async () => {
  const { name } = services.arms.all[0]!;
  const move = ROUTES.find(({ path }) => path === '/move/absolute')!;
  const list = ROUTES.find(({ path, method }) => method === 'GET' && path === '/api/v1/arms/{name}/motions')!;
  // Characters of three bytes.
  const message = '€'.repeat(5000);
  services.motion.outcome = { ok: false, message, positionError: 1, orientationError: 1, trials: 1, duration: 1 };
  for (let i = 0; i < 2 * MOST_LISTED; i++) await tried(move, `?arm=${name}`, JSON.stringify({ x: 1 }));
  let worst = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && worst > MOST_STALL; round++) {
    const { reply, stall } = await tried(list, `?limit=${MOST_LISTED}`, null);
    expect(reply.json().motions).toHaveLength(MOST_LISTED);
    expect(reply.rawPayload.length).toBeLessThan(MOST_ANSWER);
    worst = stall;
  }
  services.motion.outcome = null;
  expect(worst).toBeLessThan(MOST_STALL);
});

test('headers are told back shortened, and names that are none too', async () => {
  const status = ROUTES.find(({ path }) => path === '/status')!;
  for (const headers of [{ host: 'Z'.repeat(8000) }, { origin: `http://${'Z'.repeat(8000)}` }]) {
    const { reply } = await tried(status, '', null, headers);
    expect(reply.statusCode).toBe(403);
    expect((reply.body.match(/Z+/g) ?? []).join('').length).toBeLessThanOrEqual(MOST_ECHO);
  }
  for (const path of [`/${'Z'.repeat(8000)}`, `/api/v1/arms/${'Z'.repeat(90)}/motion`]) {
    const reply = await app.inject(path);
    expect(reply.statusCode).toBe(404);
    expect((reply.body.replaceAll(/Z{60}_\d+/g, '').match(/Z+/g) ?? []).join('').length).toBeLessThanOrEqual(MOST_ECHO);
  }
});

test('a thousand of the worst requests leave nothing in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const route = ROUTES.find(({ path }) => path === '/joints/read')!;
  const bodies = worstOf(route).filter(([, payload]) => payload !== null);
  const ask = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await tried(route, '', bodies[i % bodies.length]![1]);
  };
  const held = (): number => {
    collect();
    return process.memoryUsage().heapUsed / 1e6;
  };
  await ask(100);
  const before = held();
  await ask(1000);
  expect(held() - before).toBeLessThan(MOST_LEFT);
}, 300_000);
