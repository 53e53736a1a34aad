import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { FastifyRequest } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { VirtualTime } from '../../explore/virtual-clock.ts';
import { fileDisk } from '../../src/disk.ts';
import { reachedAt } from '../../src/http/addresses.ts';
import { originOf } from '../../src/http/callers.ts';
import { Clients, LEASE, pageCookie } from '../../src/http/clients.ts';
import type { Admission } from '../../src/http/guard.ts';
import { NamedTokens } from '../../src/named-tokens.ts';
import { type Answer, VirtualBridge } from '../support/virtual-bridge.ts';
import { memoryDisk } from './fakes.ts';

const ANYBODY: Admission = { scope: 'control', key: '', token: null, session: null };
const BENCH: Admission = { scope: 'control', key: 'token bench', token: 'bench', session: null };
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

function request(headers: Record<string, string>, remoteAddress = '127.0.0.1'): IncomingMessage {
  return { headers, socket: { remoteAddress } } as unknown as IncomingMessage;
}

test('a client is its token, its session, its name, its page, or its address and program', () => {
  const clients = new Clients('standard', new VirtualTime().lane('http'));
  const of = (...args: Parameters<typeof clients.of>) => clients.of(...args).owner;
  const page = { cookie: 'a=b; arm_bridge_client=0123456789abcdef', 'user-agent': FIREFOX };
  const session = { ...BENCH, session: '12ab34' };
  const curl = { 'user-agent': 'curl/8.5.0' };
  const owners = [
    of(request(curl), ANYBODY),
    of(request({ 'user-agent': 'python-requests/2.32.3' }), ANYBODY),
    of(request(curl, '192.168.7.4'), ANYBODY),
    of(request(page), ANYBODY),
    of(request({ ...page, cookie: 'arm_bridge_client=fedcba9876543210' }), ANYBODY),
    of(request(page), session),
    of(request(curl), BENCH),
    of(request({ ...curl, 'x-arm-bridge-client': 'notebook' }), ANYBODY),
    of(request({ ...curl, 'x-arm-bridge-client': 'notebook' }), BENCH),
    of(request(curl), { ...ANYBODY, key: 'control' }),
  ];
  expect(owners.map(({ name }) => name)).toEqual([
    'an HTTP client on this computer (curl/8.5.0)',
    'an HTTP client on this computer (python-requests/2.32.3)',
    'an HTTP client at 192.168.7.4 (curl/8.5.0)',
    'page 9f9f on this computer (Firefox/140)',
    expect.stringMatching(/^page (?!9f9f)\w{4} on this computer \(Firefox\/140\)$/),
    'page 12ab on this computer (Firefox/140) with token bench',
    'token bench',
    '"notebook" on this computer',
    '"notebook" with token bench',
    'an HTTP client on this computer (curl/8.5.0)',
  ]);
  expect(new Set(owners.map(({ key }) => key)).size).toBe(owners.length);
  // By IPv4 or IPv6, from here or, with a name, from anywhere: the same one.
  expect(of(request(curl, '::1'), ANYBODY).key).toBe(owners[0]!.key);
  expect(of(request({ 'x-arm-bridge-client': 'notebook' }, '192.168.7.4'), ANYBODY).key).toBe(owners[7]!.key);
  for (const name of ['', ' ', '<b>', 'x'.repeat(65), 'a"b', 'é', '-x']) {
    expect(() => of(request({ 'x-arm-bridge-client': name }), ANYBODY)).toThrow(
      'X-Arm-Bridge-Client is not a valid name',
    );
    // Whatever name it has, a stop is obeyed.
    expect(clients.ofStop(request({ ...curl, 'x-arm-bridge-client': name }), ANYBODY).owner).toEqual(owners[0]);
  }
});

/** What a page sends along. @param person as the person at it says to be called */
const pageOf = (id: string, person: string) => ({
  cookie: `arm_bridge_client=${id}; arm_bridge_person=${encodeURIComponent(person)}`,
  'user-agent': FIREFOX,
});

test('requests of one connection are of those who they say they are, each by itself', () => {
  const clients = new Clients('standard', new VirtualTime().lane('http'));
  const socket = { remoteAddress: '127.0.0.1' };
  const of = (headers: Record<string, string>, admission = ANYBODY) =>
    clients.of({ headers, socket } as unknown as IncomingMessage, admission).owner;
  const curl = { 'user-agent': 'curl/8.5.0' };
  const notebook = { ...curl, 'x-arm-bridge-client': 'notebook' };
  const page = { ...curl, cookie: 'arm_bridge_client=0123456789abcdef' };
  const said: [Record<string, string>, Admission][] = [
    [curl, ANYBODY],
    [notebook, ANYBODY],
    [page, ANYBODY],
    [curl, BENCH],
    [page, { ...BENCH, session: '12ab34' }],
    [{ 'user-agent': 'curl/9' }, ANYBODY],
  ];
  const first = said.map((one) => of(...one).key);
  expect(new Set(first).size).toBe(said.length);
  for (const [i, one] of said.entries()) expect([of(...one).key, of(...one).key]).toEqual([first[i], first[i]]);
  expect(() => of({ 'x-arm-bridge-client': '<b>' })).toThrow('X-Arm-Bridge-Client is not a valid name');
});

test('a page is told by the name of its person, which makes it nobody else', () => {
  const clients = new Clients('standard', new VirtualTime().lane('http'));
  const of = (...args: Parameters<typeof clients.of>) => ({ ...clients.of(...args).owner });
  const [first, second] = ['0123456789abcdef', 'fedcba9876543210'];
  const ada = of(request(pageOf(first, 'Ada B. Lovelace')), ANYBODY);
  expect(ada.name).toBe('"Ada B. Lovelace" (page 9f9f on this computer)');
  const other = of(request(pageOf(second, 'Ada B. Lovelace')), ANYBODY);
  expect(other.name).toMatch(/^"Ada B\. Lovelace" \(page (?!9f9f)\w{4} on this computer\)$/);

  expect(other.key).not.toBe(ada.key);
  for (const name of ['Zoë', 'Łukasz Żak', '王小明', 'नेहा', 'b2']) {
    expect(of(request(pageOf(first, name)), ANYBODY).name).toBe(`"${name}" (page 9f9f on this computer)`);
  }
  for (const none of ['', ' ', '<b>', 'a"b', 'a\nb', '-x', 'x'.repeat(33), 'A (page 1f3a on this computer)']) {
    const page = of(request(pageOf(first, none)), ANYBODY);
    expect(page).toEqual({ key: ada.key, name: 'page 9f9f on this computer (Firefox/140)' });
  }
  const damaged = { cookie: `arm_bridge_client=${first}; arm_bridge_person=%zz`, 'user-agent': FIREFOX };
  expect(of(request(damaged), ANYBODY).name).toBe('page 9f9f on this computer (Firefox/140)');
  const session = { ...BENCH, session: '12ab34' };
  expect(of(request(pageOf(first, 'Ada')), session).name).toBe('"Ada" (page 12ab on this computer) with token bench');
  expect(of(request(pageOf(first, 'Ada')), BENCH)).toEqual({ key: 'http:token bench', name: 'token bench' });
  const notebook = { ...pageOf(first, 'Ada'), 'x-arm-bridge-client': 'notebook' };
  expect(of(request(notebook), ANYBODY).name).toBe('"notebook" on this computer');
});

test('whoever is called otherwise is told so on his streams, and nobody else on theirs', () => {
  const clients = new Clients('standard', new VirtualTime().lane('http'));
  const of = (id: string, person: string) => clients.of(request(pageOf(id, person)), ANYBODY);
  const ada = of('0123456789abcdef', 'Ada');
  const ben = of('fedcba9876543210', 'Ben');
  const told: string[] = [];
  const end = clients.onRenamed(ada, () => told.push(ada.owner.name));
  clients.onRenamed(ben, () => told.push(ben.owner.name));
  of('0123456789abcdef', 'Ada');
  of('0123456789abcdef', 'Eve');
  end();
  of('0123456789abcdef', 'Ada');
  expect(told).toEqual(['"Eve" (page 9f9f on this computer)']);
  expect(ada.owner.name).toBe('"Ada" (page 9f9f on this computer)');
  // A name in the header is the client: only its address can change, which needs no greeting.
  const named = { 'x-arm-bridge-client': 'notebook' };
  const notebook = clients.of(request(named), ANYBODY);
  clients.onRenamed(notebook, () => told.push('notebook'));
  clients.of(request(named, '192.0.2.7'), ANYBODY);
  expect([notebook.owner.name, told.length]).toEqual(['"notebook" at 192.0.2.7', 1]);
});

test('in the phosphobot dialect all are one client, and are still told by their names', () => {
  const clients = new Clients('phosphobot', new VirtualTime().lane('http'));
  const [a, b] = ['a', 'b'].map((name) => clients.of(request({ 'x-arm-bridge-client': name }), ANYBODY).owner);
  expect(a!.key).toBe(b!.key);
  expect([a!.name, b!.name]).toEqual(['"a" on this computer', '"b" on this computer']);
});

test('a client is there while it has a stream open or waits for an answer, and for a while after its last request', async () => {
  const time = new VirtualTime();
  const clients = new Clients('standard', time.lane('http'));
  const client = clients.of(request({ 'user-agent': 'curl/8.5.0' }), ANYBODY);
  const pass = (duration: number) => time.run(time.now + duration);
  const leave = clients.stays(client, ANYBODY, () => {});
  await pass(10 * LEASE);
  expect(clients.hasGone(client.owner)).toBe(false);
  leave();
  await pass(LEASE - 1);
  const answered = clients.waits(client);
  await pass(10 * LEASE);
  expect(clients.hasGone(client.owner)).toBe(false);
  answered();
  await pass(LEASE - 1);
  clients.heard(client);
  await pass(LEASE - 1);
  clients.of(request({ 'user-agent': 'curl/8.5.0' }), ANYBODY);
  await pass(LEASE - 1);
  expect(clients.hasGone(client.owner)).toBe(false);
  await pass(2);
  expect(clients.hasGone(client.owner)).toBe(true);
  expect(clients.hasGone({ key: 'mirror', name: 'leader-follower control' })).toBe(false);
});

test('a client that is heard now and then is there, however many others come and go', async () => {
  const time = new VirtualTime();
  const clients = new Clients('standard', time.lane('http'));
  const hear = (name: string) => clients.of(request({ 'x-arm-bridge-client': name }), ANYBODY).owner;
  const anna = hear('anna');
  for (let k = 0; k < 10_000; k++) {
    hear(`other ${k}`);
    if (k % 1000 === 0) hear('anna');
    expect(clients.hasGone(anna)).toBe(false);
  }
});

test('a page is given a cookie once', () => {
  const cookie = pageCookie(request({}), true)!;
  expect(cookie).toMatch(/^arm_bridge_client=[\w-]{22}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+; Secure$/);
  expect(pageCookie(request({ cookie: cookie.split(';')[0]! }), true)).toBeNull();
});

test('named tokens are kept as digests, and a damaged file lets nobody in', () => {
  const disk = memoryDisk();
  const [cli, bridge] = [new NamedTokens(disk, '/state'), new NamedTokens(disk, '/state')];
  const token = cli.add('bench-2', 'read', 1000);
  expect(token).toMatch(/^[0-9a-f]{64}$/);
  expect(disk.read(cli.path)).not.toContain(token.slice(0, 8));
  expect(bridge.refresh()).toBe(true);
  expect(bridge.refresh()).toBe(false);
  expect(bridge.all).toMatchObject([{ name: 'bench-2', scope: 'read', made: 1000 }]);
  expect(() => cli.add('bench-2', 'control', 0)).toThrow('there is a token bench-2 already');
  for (const name of ['', '-x', 'a b', 'x'.repeat(65)]) expect(() => cli.add(name, 'read', 0)).toThrow('is no name');
  expect(() => cli.revoke('bench-3')).toThrow('there is no token bench-3');
  cli.revoke('bench-2');
  bridge.refresh();
  expect(bridge.all).toEqual([]);
  cli.add('bench-2', 'read', 1000);
  disk.write(cli.path, '{"tokens": [');
  expect(() => bridge.refresh()).toThrow('damaged');
  expect(bridge.all).toEqual([]);
});

/** Requests of clients with names. */
function people(bridge: VirtualBridge) {
  const as = (name: string) => ({
    post: (url: string, body?: object): Promise<Answer> =>
      bridge.ask('POST', url, body, { 'x-arm-bridge-client': name }),
    get: (url: string): Promise<Answer> => bridge.ask('GET', url, undefined, { 'x-arm-bridge-client': name }),
  });
  return { anna: as('anna'), ben: as('ben'), notebook: as('notebook') };
}

test('two browsers and a notebook on one arm: each hears who has it, and who has taken it', async () => {
  const bridge = await VirtualBridge.start();
  const { anna, ben, notebook } = people(bridge);
  await anna.post('/move/init');
  const move = anna.post('/move/absolute', { x: -3, y: 10, z: 4 });
  await bridge.pass(0.3);
  const refused = await ben.post('/move/init');
  expect([refused.status, refused.body.detail]).toEqual([
    409,
    expect.stringMatching(/^Arm arm is driven by "anna" on this computer, since \d\d:\d\d:\d\d UTC\. .*take_over=true/),
  ]);
  expect(refused.body.request_id).toMatch(/^\w+-\w+$/);
  expect(await bridge.status(0)).toMatchObject({ owner: '"anna" on this computer', owner_since: expect.any(Number) });
  const taken = notebook.post('/move/relative?take_over=true', { z: -1 });
  expect((await move).body).toMatchObject({
    status: 'error',
    message: expect.stringContaining('taken over by "notebook" on this computer'),
  });
  expect((await anna.post('/move/init')).status).toBe(409);
  // A stop is everybody's.
  expect((await ben.post('/stop')).body).toMatchObject({ status: 'ok' });
  expect((await taken).body.message).toContain('stopped (POST /stop by "ben" on this computer)');
  expect(await bridge.status(0)).toMatchObject({ state: 'stopped', owner: null, owner_since: null });
});

test('an arm that was taken is free again when its client has not been heard for a while', async () => {
  const bridge = await VirtualBridge.start();
  const { anna, ben } = people(bridge);
  await anna.post('/api/v1/arms/arm/take-over');
  const { owner_since: since } = await bridge.status(0);
  await bridge.pass(2);
  expect((await ben.post('/move/init')).status).toBe(409);
  expect(await bridge.status(0)).toMatchObject({ owner: '"anna" on this computer', owner_since: since });
  await bridge.pass(LEASE + 2);
  expect((await bridge.status(0)).owner).toBeNull();
  expect(bridge.lines.map(({ msg }) => msg).join('\n')).toContain(
    'belongs to nobody any more, since "anna" on this computer, who had taken it, has not been heard for 30 s',
  );
  const { events } = (await ben.get('/api/v1/events?arm=arm&act=release')).body;
  expect(events[0]).toMatchObject({ who: '"anna" on this computer', message: 'it has not been heard for 30 s' });
  expect((await ben.post('/move/init')).body.status).toBe('ok');
});

test('two people of one name stay two, and a person who is called otherwise keeps his arm', async () => {
  const bridge = await VirtualBridge.startLight();
  const ask = (id: string, person: string, method: 'GET' | 'POST', url: string): Promise<Answer> =>
    bridge.ask(method, url, undefined, pageOf(id, person));
  const [ada, other] = ['0123456789abcdef', 'fedcba9876543210'];
  expect((await ask(ada, 'Ada', 'POST', '/api/v1/arms/arm/take-over')).status).toBe(200);
  for (const url of ['/api/v1/arms/arm/release', '/move/init']) {
    const refused = await ask(other, 'Ada', 'POST', url);
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      expect.stringMatching(/^Arm arm is driven by "Ada" \(page 9f9f on this computer\), since/),
    ]);
  }
  await ask(ada, 'Ada Lovelace', 'GET', '/status');
  expect((await bridge.status(0)).owner).toBe('"Ada Lovelace" (page 9f9f on this computer)');
  const { events } = (await bridge.get('/api/v1/events?act=take_over')).body;
  expect(events).toMatchObject([{ who: '"Ada" (page 9f9f on this computer)', outcome: 'done' }]);
  expect((await ask(ada, '', 'POST', '/api/v1/arms/arm/release')).status).toBe(200);
  expect((await bridge.status(0)).owner).toBeNull();
});

test('tokens with names are added and revoked while the bridge runs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-tokens-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'token'), '0123456789abcdef0123456789abcdef\n');
  const bridge = await VirtualBridge.start({ http: { token_file: join(folder, 'token') } }, folder);
  const named = new NamedTokens(fileDisk, folder);
  const ask = (token: string, url: string, headers = {}): Promise<Answer> =>
    bridge.ask('POST', url, undefined, { authorization: `Bearer ${token}`, ...headers });
  const bench = named.add('bench-2', 'control', 0);
  const wall = named.add('wall', 'read', 0);
  await bridge.pass(1.5);
  expect((await ask(bench, '/api/v1/arms/arm/take-over')).status).toBe(200);
  const refused = await ask(wall, '/move/init');
  expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining('may only read and stop')]);
  expect((await ask('0123456789abcdef0123456789abcdef', '/move/init')).body.detail).toContain(
    'driven by token bench-2',
  );
  const session = await bridge.until(
    bridge.bridge.http.inject({ method: 'POST', url: '/api/v1/session', payload: { token: bench } }),
  );
  const cookie = String(session.headers['set-cookie']).split(';')[0]!;
  const look = () => bridge.ask('GET', '/status', undefined, { cookie });
  expect((await look()).status).toBe(200);
  named.revoke('bench-2');
  await bridge.pass(1.5);
  expect((await ask(bench, '/move/init')).status).toBe(401);
  expect((await look()).status).toBe(401);
  expect((await ask(wall, '/stop')).status).toBe(200);
  // Another token of the same name lets in nobody who had the one before.
  named.add('bench-2', 'read', 0);
  await bridge.pass(1.5);
  expect((await look()).status).toBe(401);
});

test('how others look on is told to whoever may control: by the token that reads, never by the other', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-tokens-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [control, read] = ['0123456789abcdef0123456789abcdef', 'fedcba9876543210fedcba9876543210'];
  writeFileSync(join(folder, 'token'), `${control}\n`);
  writeFileSync(join(folder, 'read'), `${read}\n`);
  const token_file = join(folder, 'token');
  const invitation = async (token: string, http: object): Promise<Answer> => {
    const bridge = await VirtualBridge.startLight({ http: { token_file, port: 8020, tls: 'off', ...http } });
    return bridge.ask('GET', '/api/v1/invitation', undefined, { authorization: `Bearer ${token}` });
  };
  const reached = { host: '192.168.7.2', read_token_file: join(folder, 'read') };
  expect((await invitation(control, reached)).body).toEqual({ origin: 'http://192.168.7.2:8020', token: read });
  expect((await invitation(read, reached)).status).toBe(403);
  expect((await invitation(control, {})).body).toEqual({ origin: null, token: null });
  expect(reachedAt({ host: '2001:db8::7', port: 8020 })).toBe('[2001:db8::7]:8020');
  for (const host of ['127.0.0.1', '::1', 'localhost']) expect(reachedAt({ host, port: 8020 })).toBeNull();
});

test('the id of a request is in its answer and in every error, and is that of the client where it sends one', async () => {
  const bridge = await VirtualBridge.start();
  const inject = (url: string, headers: Record<string, string> = {}) =>
    bridge.until(bridge.bridge.http.inject({ url, headers: { host: '127.0.0.1', ...headers } }));
  const ids = new Set<string>();
  for (const url of ['/status', '/nowhere', '/', '/openapi.json', '/api/v1/arms/nobody/motion', '/%zz', '/move/init']) {
    const reply = await inject(url);
    const id = String(reply.headers['x-request-id']);
    ids.add(id);
    if (reply.statusCode >= 400 && url !== '/') expect(reply.json()).toMatchObject({ request_id: id });
  }
  expect(ids.size).toBe(7);
  expect((await inject('/nowhere', { 'x-request-id': 'mine-7' })).json().request_id).toBe('mine-7');
  expect((await inject('/nowhere', { 'x-request-id': 'x y' })).json().request_id).not.toBe('x y');
});

test('two requests that chose the same id are both recorded', async () => {
  const bridge = await VirtualBridge.start();
  const headers = (name: string) => ({ host: '127.0.0.1', 'x-arm-bridge-client': name, 'x-request-id': 'same' });
  const init = (name: string) =>
    bridge.bridge.http.inject({ method: 'POST', url: '/move/init?robot_id=0', headers: headers(name) });
  const replies = await bridge.until(Promise.all([init('anna'), init('ben')]));
  expect(replies.map(({ statusCode }) => statusCode)).toEqual([200, 409]);
  const { events } = (await bridge.get('/api/v1/events?act=motion')).body;
  const told = events.map(({ who, request_id, outcome }: Record<string, unknown>) => [who, request_id, outcome]);
  expect(told).toEqual([
    [expect.stringContaining('ben'), 'same', 'refused'],
    [expect.stringContaining('anna'), 'same', 'done'],
  ]);
});

test('errors of every kind have the id of their request', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-tokens-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'token'), '0123456789abcdef0123456789abcdef\n');
  const bridge = await VirtualBridge.start({ http: { token_file: join(folder, 'token'), rate_limit: 1 } }, folder);
  const authorised = { authorization: 'Bearer 0123456789abcdef0123456789abcdef' };
  const ask = async (method: 'GET' | 'POST', url: string, status: number, more: object = {}): Promise<void> => {
    const headers = { host: '127.0.0.1', ...authorised };
    const reply = await bridge.until(bridge.bridge.http.inject({ method, url, headers, ...more }));
    expect([url, reply.statusCode]).toEqual([url, status]);
    expect(reply.json().request_id).toMatch(/^\w+-\w+$/);
    expect(reply.headers['x-request-id']).toBe(reply.json().request_id);
  };
  const json = { ...authorised, host: '127.0.0.1', 'content-type': 'application/json' };
  await ask('GET', '/status', 401, { headers: { host: '127.0.0.1' } });
  await ask('GET', '/status', 403, { headers: { host: 'evil.example' } });
  await ask('GET', '/nowhere', 404);
  await ask('GET', '/stop', 405);
  await ask('POST', '/joints/write', 413, { headers: json, payload: 'x'.repeat(65 * 1024) });
  await ask('POST', '/joints/write', 415, { headers: { ...json, 'content-encoding': 'gzip' }, payload: 'x' });
  await ask('POST', '/joints/write', 422, { headers: json, payload: '{' });
  const elsewhere = { remoteAddress: '192.168.7.9' };
  await bridge.until(bridge.bridge.http.inject({ url: '/status', headers: json, ...elsewhere }));
  await ask('GET', '/status', 429, elsewhere);
});

test('nothing of long requests is kept with the names of their clients and acts', () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const clients = new Clients('standard', new VirtualTime().lane('http'));
  const long = 'x'.repeat(15_000);
  const kept: unknown[] = [];
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 1000; i++) {
    // Made as Node makes them: each from the bytes of its own request.
    const text = (start: string): string => Buffer.from(`${start}${long}${i}`).toString('latin1');
    const client = clients.of(
      request({ 'user-agent': text('program-with-a-long-name/') }, `192.0.2.${i % 200}`),
      ANYBODY,
    );
    const raw = { url: text('/api/v1/arms/follower/motions?') };
    kept.push(originOf({ client, method: 'POST', id: String(i), raw, named: '' } as FastifyRequest));
  }
  collect();
  const grown = process.memoryUsage().heapUsed - before;
  expect(kept).toContainEqual(expect.objectContaining({ what: 'POST /api/v1/arms/follower/motions' }));
  // Each URL or header alone would be 15 MB.
  expect(grown).toBeLessThan(6e6);
});
