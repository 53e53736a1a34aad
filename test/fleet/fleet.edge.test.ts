import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createPlainServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../src/clock.ts';
import { configSchema } from '../../src/config/schema.ts';
import { Announcement } from '../../src/fleet/announcement.ts';
import { Authority } from '../../src/fleet/authority.ts';
import { Fleet } from '../../src/fleet/fleet.ts';
import { Neighbour, type NeighbourSource } from '../../src/fleet/neighbour.ts';
import { NEW_KEY, openssl, selfSigned } from '../support/certificate.ts';
import { hearsGroups } from '../support/multicast.ts';

const PATIENCE = { timeout: 20_000, interval: 50 };
const servers: Server[] = [];
const fleets: Fleet[] = [];

afterEach(async () => {
  await Promise.all(fleets.splice(0).map((fleet) => fleet.end()));
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Something at a port; `answer` says what, and after which delay, s; null: nothing at all. */
async function served(answer: (request: IncomingMessage) => [number, string, number?] | null): Promise<string> {
  const server = createServer(async (request, response) => {
    const told = answer(request);
    if (told === null) return;
    const [status, text, delay] = told;
    if (delay !== undefined) await systemClock.sleep(delay);
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const NOBODY = { stop_port: null, trouble: '', ros: { reason: 'off', graph: null }, pairs: [], arms: [] };
const overview = (fields: object = {}) =>
  JSON.stringify({ id: 'x', name: 'bench-2', version: '0.1.0', ...NOBODY, ...fields });

function fleetOf(bridges: readonly string[], fields: object = {}): Fleet {
  const fleet = new Fleet(configSchema.shape.fleet.parse({ name: 'here', bridges, ...fields }), systemClock, () => {});
  fleets.push(fleet);
  fleet.begin({ host: '127.0.0.1', port: 1, secure: false });
  return fleet;
}

const statesOf = (fleet: Fleet) => fleet.neighbours.map(({ state, reason }) => [state, reason]);

test('whatever claims to be a bridge keeps nobody waiting for the others, by no answer of its own', async () => {
  const server = createPlainServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: nothing\r\nConnection: Upgrade\r\n\r\n'),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const fleet = fleetOf([`http://127.0.0.1:${port}`]);
  expect(await fleet.stop()).toMatchObject([{ ok: false, message: expect.stringContaining('without an answer') }]);
  server.close();
});

test('a bridge that answers is told from one that refuses, one that is none, and one that is silent', async () => {
  const urls = [
    await served(() => [200, overview()]),
    await served(() => [401, '{"detail": "A token is needed."}']),
    await served(() => [200, '{"hello": "world"}']),
    await served(() => null),
  ];
  const fleet = fleetOf([...urls, 'http://127.0.0.1:1']);
  await expect
    .poll(() => statesOf(fleet), PATIENCE)
    .toEqual([
      ['answers', ''],
      ['refuses', 'A token is needed. (asked without a token: name one in fleet.token_file)'],
      ['refuses', 'it answers 200: it is no bridge, or one of another version'],
      ['silent', 'it has not answered within 1 s'],
      ['silent', 'nothing listens there: start its bridge'],
    ]);
});

test('this bridge is none of the others, although the list of addresses names it', async () => {
  let id = '';
  const url = await served(() => [200, overview({ id })]);
  const fleet = fleetOf([url]);
  id = fleet.id;
  await expect.poll(() => fleet.neighbours, PATIENCE).toEqual([]);
});

test('who waits for the configured bridges sees neither this one nor one that may answer yet', async () => {
  const ids: string[] = ['other', ''];
  const urls = await Promise.all(ids.map((_, i) => served(() => [200, overview({ id: ids[i] }), 0.3])));
  const silent = await served(() => null);
  const config = configSchema.shape.fleet.parse({ name: 'here', bridges: [...urls, silent] });
  const fleet = new Fleet(config, systemClock, () => {});
  fleets.push(fleet);
  ids[1] = fleet.id;
  // Asked before the bridge listens to its end, as a program may.
  const heard = fleet.heard();
  fleet.begin({ host: '127.0.0.1', port: 1, secure: false });
  await heard;
  expect(fleet.neighbours.map(({ url, state }) => [url, state])).toEqual([
    [urls[0], 'answers'],
    [silent, 'silent'],
  ]);
});

test('a stop says of each bridge whether it has confirmed it, and goes to its port for stops too', async () => {
  const stopped = '{"status": "ok", "message": "Stopped: arm (robot 0)."}';
  const alone = await served(({ method, url }) => [method === 'POST' && url === '/stop' ? 200 : 404, stopped]);
  const stopPort = Number(new URL(alone).port);
  const urls = [
    await served(({ method }) => (method === 'POST' ? null : [200, overview({ stop_port: stopPort })])),
    await served(({ method }) => [200, method === 'POST' ? '{"status": "error", "message": "It moves."}' : overview()]),
    'http://127.0.0.1:1',
  ];
  const fleet = fleetOf(urls);
  await expect
    .poll(() => fleet.neighbours.slice(0, 2).map(({ state }) => state), PATIENCE)
    .toEqual(['answers', 'answers']);
  const outcomes = (await fleet.stop()).map(({ ok, message }) => [ok, message]);
  expect(outcomes).toEqual([
    [true, 'Stopped: arm (robot 0).'],
    [false, 'It moves.'],
    [false, 'Not stopped: nothing listens there: start its bridge. Use its power switch.'],
  ]);
});

test('a port that does not confirm a stop loses against the other one that confirms later', async () => {
  const unconfirmed = '{"status": "error", "message": "The control loop has not confirmed it."}';
  const confirmed = '{"status": "ok", "message": "Stopped: arm (robot 0)."}';
  const stop_port = Number(new URL(await served(() => [200, unconfirmed])).port);
  const told: [number, string] = [200, overview({ stop_port })];
  const fleet = fleetOf([
    await served(({ method }) => (method === 'POST' ? [200, confirmed, 0.5] : told)),
    await served(({ method }) => (method === 'POST' ? null : told)),
  ]);
  const states = () => fleet.neighbours.map(({ state }) => state);
  await expect.poll(states, PATIENCE).toEqual(['answers', 'answers']);
  expect(await fleet.stop()).toMatchObject([
    { ok: true, message: 'Stopped: arm (robot 0).' },
    { ok: false, message: 'The control loop has not confirmed it.' },
  ]);
});

test('a bridge that is silent is sent a stop, and nobody waits for it once the others have answered', async () => {
  const heard: string[] = [];
  let quiet = false;
  const silent = await served(({ method, url }) => {
    if (method === 'POST') heard.push(url!);
    return quiet ? null : [200, overview()];
  });
  const fleet = fleetOf([
    silent,
    await served(({ method }) => [200, method === 'POST' ? '{"status": "ok", "message": "Stopped."}' : overview()]),
  ]);
  const states = () => fleet.neighbours.map(({ state }) => state);
  await expect.poll(states, PATIENCE).toEqual(['answers', 'answers']);
  quiet = true;
  await expect.poll(states, PATIENCE).toEqual(['silent', 'answers']);
  const unconfirmed = /^Not confirmed: silent for \d+ s \(it has not answered within 1 s\)\. Use its power switch\.$/;
  expect(await fleet.stop()).toMatchObject([
    { ok: false, message: expect.stringMatching(unconfirmed) },
    { ok: true, message: 'Stopped.' },
  ]);
  expect(heard).toEqual(['/api/v1/stop']);
});

test('a bridge that answers at a new address is no longer looked for at the old one, where it is silent', async () => {
  let gone = false;
  const old = await served(() => (gone ? null : [200, overview({ id: 'moved' })]));
  const others = [await served(() => [200, overview({ id: 'moved' })]), await served(() => [200, overview()])];
  const fleet = fleetOf(['http://127.0.0.1:1']);
  for (const url of [old, ...others]) fleet.found({ url, id: url === others[1] ? 'x' : 'moved' });
  const states = () => [old, ...others].map((url) => fleet.at(url)?.state);
  await expect.poll(states, PATIENCE).toEqual(['answers', 'answers', 'answers']);
  gone = true;
  await expect.poll(states, PATIENCE).toEqual([undefined, 'answers', 'answers']);
});

test('addresses at which nothing ever answers keep no bridge out', async () => {
  const fleet = fleetOf(['http://127.0.0.1:1']);
  const answers = await served(() => [200, overview({ id: 'early' })]);
  fleet.found({ url: answers, id: 'early' });
  await expect.poll(() => fleet.at(answers)?.state, PATIENCE).toBe('answers');
  const claimed = Array.from({ length: 30 }, (_, i) => `http://127.0.0.${i + 2}:1`);
  for (const url of claimed) fleet.found({ url, id: url });
  const late = await served(() => [200, overview({ id: 'late' })]);
  // They still have time to answer.
  fleet.found({ url: late, id: 'late' });
  expect(fleet.at(late)).toBeNull();
  await expect.poll(() => claimed.every((url) => fleet.at(url)?.state === 'silent'), PATIENCE).toBe(true);
  fleet.found({ url: late, id: 'late' });
  await expect.poll(() => fleet.at(late)?.state, PATIENCE).toBe('answers');
  const urls = fleet.neighbours.map(({ url }) => url);
  expect(urls).toEqual(['http://127.0.0.1:1', answers, ...claimed.slice(1), late]);
});

test('an answer that is too long, or that grows for ever, is given up', async () => {
  // Of the second the bytes are too many, not the characters.
  const names = ['x'.repeat(100_000), '\u00fc'.repeat(40_000)];
  const fleet = fleetOf(await Promise.all(names.map((name) => served(() => [200, overview({ name })]))));
  const tooLong = ['silent', 'its answer is too long for a bridge'];
  await expect.poll(() => statesOf(fleet), PATIENCE).toEqual([tooLong, tooLong]);
});

test('a file that cannot be read is named', () => {
  const config = configSchema.shape.fleet.parse({ token_file: '/nowhere/token' });
  expect(() => new Fleet(config, systemClock, () => {})).toThrow(
    'fleet.token_file: /nowhere/token cannot be read (ENOENT).',
  );
});

test('what a bridge is told to do goes to it with the token, and what it refuses comes back in its words', async () => {
  const heard: string[] = [];
  const url = await served(({ method, headers }) => {
    if (method === 'GET') return [200, overview()];
    heard.push(`${headers.authorization} ${headers['content-type']} ${headers['content-length']}`);
    return [409, '{"detail": "Arm far is driven by a notebook.", "code": "owned", "remedy": "take_over"}'];
  });
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-fleet-'));
  writeFileSync(join(folder, 'token'), 'secret-of-the-lab\n');
  const fleet = fleetOf([url], { token_file: join(folder, 'token') });
  rmSync(folder, { recursive: true });
  await expect.poll(() => statesOf(fleet), PATIENCE).toEqual([['answers', '']]);
  await expect(fleet.at(url)!.command('/api/v1/pairs/start', { leader: 'é' })).rejects.toMatchObject({
    message: 'bench-2: Arm far is driven by a notebook.',
    code: 'owned',
    remedy: 'take_over',
  });
  expect(heard).toEqual(['Bearer secret-of-the-lab application/json 15']);
  expect(fleet.at('http://127.0.0.1:1')).toBeNull();
});

const secrets = mkdtempSync(join(tmpdir(), 'arm-bridge-certificates-'));
afterAll(() => rmSync(secrets, { recursive: true }));

/** A certificate for a name that an authority has signed. @returns the files of it, its key and the authority's */
function signed(altName: string): { certificate: string; key: string; ca: string } {
  const ca = selfSigned(secrets, 'authority', 'DNS:authority.lab');
  const [key, request, certificate] = ['leaf.key', 'leaf.csr', 'leaf.pem'].map((name) => join(secrets, name)) as [
    string,
    string,
    string,
  ];
  openssl('req', ...NEW_KEY, '-subj', '/CN=leaf', '-keyout', key, '-out', request);
  const names = join(secrets, 'names');
  writeFileSync(names, `subjectAltName=${altName}\n`);
  const by = ['-CA', ca.certificate, '-CAkey', ca.key, '-CAcreateserial', '-days', '2'];
  openssl('x509', '-req', '-in', request, ...by, '-extfile', names, '-out', certificate);
  return { certificate, key, ca: ca.certificate };
}

/** The same as `served`, by HTTPS. */
async function servedSecurely(files: { certificate: string; key: string }, heard: string[]): Promise<string> {
  const [cert, key] = [readFileSync(files.certificate), readFileSync(files.key)];
  const server = createSecureServer({ cert, key }, ({ headers }, response) => {
    heard.push(headers.authorization ?? '');
    response.writeHead(200, { 'content-type': 'application/json' }).end(overview());
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a bridge that does not prove who it is is told nothing, and it is said what to do', async () => {
  const [named, elsewhere] = [
    selfSigned(secrets, 'named', 'IP:127.0.0.1'),
    selfSigned(secrets, 'elsewhere', 'DNS:bench.lab'),
  ];
  const token_file = join(secrets, 'token');
  writeFileSync(token_file, 'secret-of-the-lab\n');
  const heard: string[] = [];
  const [one, other] = [await servedSecurely(named, heard), await servedSecurely(elsewhere, heard)];
  const plain = (await served(() => [200, overview()])).replace('http:', 'https:');
  const looked = (bridges: string[], fields: object) => {
    const fleet = fleetOf(bridges, { token_file, ...fields });
    return expect.poll(() => statesOf(fleet), PATIENCE);
  };
  const unsigned = expect.stringMatching(/^nobody who is trusted has signed its certificate: .*fleet\.authority$/);
  await looked([one, other, plain], {}).toEqual([
    ['untrusted', unsigned],
    ['untrusted', unsigned],
    ['silent', expect.stringMatching(/^it does not speak HTTPS, and is not asked in plain text instead/)],
  ]);
  expect(heard).toEqual([]);
  await looked([one, other], { authority: named.certificate }).toEqual([
    ['answers', ''],
    ['untrusted', unsigned],
  ]);
  // Certificates that are named themselves are good under any name; several may stand in one file.
  const both = join(secrets, 'both.pem');
  writeFileSync(both, readFileSync(named.certificate, 'utf8') + readFileSync(elsewhere.certificate, 'utf8'));
  await looked([one, other], { authority: both }).toEqual([
    ['answers', ''],
    ['answers', ''],
  ]);
  expect(new Set(heard)).toEqual(new Set(['Bearer secret-of-the-lab']));
});

test('a certificate of the laboratory’s authority is good under the names that it tells, and no others', async () => {
  const { ca, ...leaf } = signed('DNS:localhost');
  const url = await servedSecurely(leaf, []);
  const fleet = fleetOf([url, url.replace('127.0.0.1', 'localhost')], { authority: ca });
  await expect
    .poll(() => statesOf(fleet), PATIENCE)
    .toEqual([
      ['untrusted', expect.stringMatching(/^its certificate is for another name: call it in fleet\.bridges as/)],
      ['answers', ''],
    ]);
});

test('of bridges that announce themselves those are vouched for that have proved who they are', async () => {
  const { ca, ...leaf } = signed('IP:127.0.0.1');
  const stranger = await served(() => [404, '']);
  const [proven, other] = [
    await servedSecurely(leaf, []),
    await servedSecurely(selfSigned(secrets, 'other', 'IP:127.0.0.1'), []),
  ];
  const authority = new Authority(readFileSync(ca, 'utf8'));
  const vouched = async (url: string, source: NeighbourSource, anyAuthority: boolean): Promise<boolean> => {
    const neighbour = new Neighbour(systemClock, url, source, () => ({
      token: null,
      authority,
      anyAuthority,
      client: 'desk',
    }));
    await neighbour.look();
    return neighbour.vouchedFor;
  };
  expect(await vouched(proven, 'announced', false)).toBe(true);
  expect(await vouched(other, 'announced', false)).toBe(false);
  expect(await vouched(stranger, 'announced', true)).toBe(false);
  expect(await vouched(stranger, 'configured', true)).toBe(true);
});

test('a renewed token and a renewed authority count from the next look on, and what cannot be used is told and left', async () => {
  const [before, after] = [selfSigned(secrets, 'before', 'IP:127.0.0.1'), selfSigned(secrets, 'after', 'IP:127.0.0.1')];
  const [token_file, authority] = [join(secrets, 'renewed-token'), join(secrets, 'renewed.pem')];
  writeFileSync(token_file, 'former-secret\n');
  copyFileSync(before.certificate, authority);
  const heard: string[] = [];
  const [former, latter] = [await servedSecurely(before, heard), await servedSecurely(after, [])];
  const told: string[] = [];
  const config = configSchema.shape.fleet.parse({ name: 'here', bridges: [former, latter], token_file, authority });
  const fleet = new Fleet(config, systemClock, (text) => told.push(text));
  fleets.push(fleet);
  fleet.begin({ host: '127.0.0.1', port: 1, secure: false });
  const states = () => fleet.neighbours.map(({ state }) => state);
  await expect.poll(states, PATIENCE).toEqual(['answers', 'untrusted']);

  writeFileSync(token_file, 'latter-secret-of-the-lab\n');
  await expect.poll(() => heard.at(-1), PATIENCE).toBe('Bearer latter-secret-of-the-lab');
  writeFileSync(authority, 'nothing');
  await expect.poll(() => told.length, PATIENCE).toBe(1);
  expect(told[0]).toBe(
    `fleet.authority: ${authority} holds no certificate in PEM form (-----BEGIN CERTIFICATE-----). ` +
      'Its former content stays in use until it is corrected.',
  );
  expect(states()).toEqual(['answers', 'untrusted']);
  copyFileSync(after.certificate, authority);
  await expect.poll(states, PATIENCE).toEqual(['untrusted', 'answers']);
  expect(told).toHaveLength(1);
});

test('a bridge that is to be found and listens to its own computer alone says so', async () => {
  const told: string[] = [];
  for (const discovery of [false, true]) {
    const config = configSchema.shape.fleet.parse({ name: 'here', discovery });
    const fleet = new Fleet(config, systemClock, (text) => told.push(text));
    fleets.push(fleet);
    fleet.begin({ host: '127.0.0.1', port: 1, secure: false });
    const notices = told.filter((text) => text.includes('listens on 127.0.0.1'));
    expect(notices).toHaveLength(discovery ? 1 : 0);
  }
});

test('a token that would go over a network in plain text is told of', () => {
  const told: string[] = [];
  const token_file = join(secrets, 'token-in-plain-text');
  writeFileSync(token_file, 'secret-of-the-lab\n');
  const begun = (bridges: string[]): Fleet =>
    new Fleet(configSchema.shape.fleet.parse({ token_file, bridges }), systemClock, (text) => told.push(text));
  begun(['http://127.0.0.1:8020', 'http://localhost:8020', 'http://[::1]:8020', 'https://bench-1.lab:8020']);
  expect(told).toEqual([]);
  begun(['http://bench-1.lab:8020', 'http://bench-2.lab:8020']);
  expect(told).toEqual([
    expect.stringMatching(/^http:\/\/bench-1\.lab:8020, http:\/\/bench-2\.lab:8020: the token .* in plain text/),
  ]);
});

test('a file without a certificate is named', () => {
  const authority = join(secrets, 'empty.pem');
  writeFileSync(authority, 'nothing');
  const config = configSchema.shape.fleet.parse({ authority });
  expect(() => new Fleet(config, systemClock, () => {})).toThrow(
    `fleet.authority: ${authority} holds no certificate in PEM form (-----BEGIN CERTIFICATE-----).`,
  );
});

const HEARS_GROUPS = await hearsGroups();
if (!HEARS_GROUPS)
  console.warn('SKIPPED: a bridge that is found again. The loopback network carries no multicast here.');

test.skipIf(!HEARS_GROUPS)(
  'a bridge is found again each time the network is asked, for it may have been away',
  async () => {
    const ids = ['here', 'there'].map((name) => `${name}-${process.pid}`);
    const found: string[] = [];
    const announcements = ids.map(
      (id) =>
        new Announcement({
          id,
          name: id,
          port: 8020,
          secure: false,
          address: '127.0.0.1',
          onFound: (bridge) => id === ids[0] && found.push(bridge.id),
          onWithdrawn: () => {},
          onFailure: () => {},
        }),
    );
    const times = (): number => found.filter((id) => id === ids[1]).length;
    for (const least of [1, 2, 3]) {
      // A question that gets lost is put again.
      const asked = async (): Promise<number> => {
        announcements[0]!.look();
        await new Promise((resolve) => setTimeout(resolve, 500));
        return times();
      };
      await expect.poll(asked, PATIENCE).toBeGreaterThanOrEqual(least);
    }
    expect(found).not.toContain(ids[0]);
    await Promise.all(announcements.map((announcement) => announcement.end()));
  },
);

/** Announces a bridge at a URL of this machine. */
function announce(url: string, id: string): Announcement {
  return new Announcement({
    id,
    name: 'bench',
    port: Number(new URL(url).port),
    secure: url.startsWith('https:'),
    address: '127.0.0.1',
    onFound: () => {},
    onWithdrawn: () => {},
    onFailure: () => {},
  });
}

test.skipIf(!HEARS_GROUPS)(
  'a bridge that is found at another address than it is configured at counts once, by its name, while it answers there',
  async () => {
    const { ca, ...leaf } = signed('DNS:localhost');
    const [found, other] = [await servedSecurely(leaf, []), await served(() => [200, overview({ id: 'other' })])];
    const named = found.replace('127.0.0.1', 'localhost');
    const announcements = [announce(found, 'x'), announce(other, 'other')];
    const fleet = fleetOf([named], { authority: ca, discovery: true });
    const urls = () => fleet.neighbours.map(({ url }) => url).filter((url) => [named, found, other].includes(url));
    await expect.poll(urls, PATIENCE).toContain(other);
    // Long enough for the first one to be heard too.
    await systemClock.sleep(1.5);
    expect(urls()).toEqual([named, other]);

    // Without its name it has only the address, by which it is asked for a stop.
    for (const server of servers) server.closeAllConnections();
    servers.shift()!.close();
    await expect.poll(() => fleet.at(named)?.state, PATIENCE).toBe('silent');
    await expect.poll(urls, PATIENCE).toContain(found);
    await Promise.all(announcements.map((announcement) => announcement.end()));
  },
);

test.skipIf(!HEARS_GROUPS)(
  'a bridge that dies stays among those that a stop names, and one that ends by itself is forgotten',
  async () => {
    let later = 0;
    const clock: Clock = { ...systemClock, now: () => systemClock.now() + later };
    const urls = await Promise.all([served(() => [200, overview()]), served(() => [200, overview()])]);
    const announcements = urls.map((url) => announce(url, `${new URL(url).port}-${process.pid}`));
    const config = configSchema.shape.fleet.parse({ name: 'here', discovery: true });
    const fleet = new Fleet(config, clock, () => {});
    fleets.push(fleet);
    fleet.begin({ host: '127.0.0.1', port: 1, secure: false });
    const states = () => urls.map((url) => fleet.at(url)?.state);
    await expect.poll(states, PATIENCE).toEqual(['answers', 'answers']);

    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
    await announcements[1]!.end();
    await expect.poll(states, PATIENCE).toEqual(['silent', undefined]);
    later = 12 * 3600;
    // Long enough for it to be forgotten, if it were.
    await systemClock.sleep(2.5);
    expect(states()).toEqual(['silent', undefined]);
    const stopped = (await fleet.stop()).filter(({ neighbour }) => neighbour.url === urls[0]);
    expect(stopped).toMatchObject([{ ok: false, message: expect.stringMatching(/^Not stopped: .*power switch\.$/) }]);
    later = 25 * 3600;
    await expect.poll(states, PATIENCE).toEqual([undefined, undefined]);
    await announcements[0]!.end();
  },
);
