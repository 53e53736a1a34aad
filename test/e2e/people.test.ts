import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { BridgeProcess, HAS_ROS } from './support/bridge.ts';
import { Peer } from './support/peer.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const TOKEN = 'a-token-of-twenty-two';
/** What a machine that is busy with other things may take for anything, ms. */
const PATIENCE = { timeout: 30_000 };
const SINCE = /, since \d\d:\d\d:\d\d UTC\./;
const ARM = '?robot_id=1';

interface Told {
  readonly status: number;
  /** The request's id, as the answer tells it. */
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are checked field by field
  readonly body: any;
}

let folder: string;
let bridge: BridgeProcess;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-people-'));
  writeFileSync(join(folder, 'token'), `${TOKEN}\n`);
  const environment = { ARM_BRIDGE_HTTP_TOKEN_FILE: join(folder, 'token'), XDG_STATE_HOME: folder };
  bridge = await BridgeProcess.startWith(environment, ...(HAS_ROS ? [] : ['--no-ros']));
});
afterAll(async () => {
  await bridge?.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Somebody's way to ask, by the headers that tell who it is. Each answer has the id of its request, each error twice. */
class Person {
  readonly #headers: Readonly<Record<string, string>>;

  constructor(headers: Readonly<Record<string, string>>) {
    this.#headers = headers;
  }

  async ask(method: string, path: string, body?: object): Promise<Told> {
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { ...this.#headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    const answer = await fetch(bridge.url + path, { method, headers, ...json });
    const told: Told = {
      status: answer.status,
      id: answer.headers.get('x-request-id') ?? '',
      body: await answer.json(),
    };
    expect(told.id).toMatch(/^\w+-\w+$/);
    if (told.status >= 400) expect(told.body.request_id).toBe(told.id);
    return told;
  }

  post(path: string, body?: object): Promise<Told> {
    return this.ask('POST', path, body);
  }

  /** As everybody sees it. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  async arm(): Promise<any> {
    return (await this.ask('GET', '/status')).body.arms[1];
  }
}

/** A browser that has exchanged the token for the cookie of a session. */
async function browser(agent: string): Promise<Person> {
  const headers = { origin: bridge.url, 'user-agent': `Mozilla/5.0 ${agent}` };
  const answer = await fetch(`${bridge.url}/api/v1/session`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ token: TOKEN }),
  });
  expect(answer.status).toBe(200);
  return new Person({ ...headers, cookie: answer.headers.get('set-cookie')!.split(';')[0]! });
}

test('two browsers, a named token and ROS 2 on one arm: who has it is told to all, and the audit agrees', async () => {
  const added = spawnSync(process.execPath, [MAIN, 'token', 'add', 'bench-2', '--scope', 'control'], {
    encoding: 'utf8',
    env: { ...process.env, XDG_STATE_HOME: folder },
  });
  const token = /[0-9a-f]{64}/.exec(added.stdout)![0];
  const bench = new Person({ authorization: `Bearer ${token}` });
  // A running bridge takes it up.
  const known = async (): Promise<number> =>
    (await fetch(`${bridge.url}/status`, { headers: { authorization: `Bearer ${token}` } })).status;
  await expect.poll(known, PATIENCE).toBe(200);
  const anna = await browser('Firefox/140.0');
  const ben = await browser('Chrome/141.0');

  // A page has the arm: everybody is told, and nobody else moves it.
  expect((await anna.post('/api/v1/arms/follower/take-over')).body.status).toBe('ok');
  const { owner: page, owner_since: since } = await ben.arm();
  expect(page).toMatch(/^page \w{4} on this computer \(Firefox\/140\)$/);
  expect(Math.abs(since - Date.now() / 1000)).toBeLessThan(60);
  const refused = await ben.post(`/move/init${ARM}`);
  expect(refused).toMatchObject({ status: 409, body: { detail: expect.stringContaining(`driven by ${page}`) } });
  expect(refused.body.detail).toMatch(SINCE);
  expect((await bench.post(`/move/init${ARM}`)).status).toBe(409);
  // What it does meanwhile leaves it the arm, since the same moment.
  const init = async (): Promise<string> => (await anna.post(`/move/init${ARM}`)).body.status;
  await expect.poll(init, PATIENCE).toBe('ok');
  expect(await ben.arm()).toMatchObject({ owner: page, owner_since: since });

  // Who takes it over is told to whoever had it. Again, should a motion have ended before.
  let move = refused;
  let taken = refused;
  let side = 1.8;
  const handedOver = async (): Promise<string> => {
    side = -side;
    const there = { joints: { shoulder_pan: side } };
    move = await anna.post('/api/v1/arms/follower/motions?take_over=true', there);
    taken = await bench.post('/api/v1/arms/follower/take-over');
    return String((await anna.ask('GET', `/api/v1/arms/follower/motions/${move.body.id}`)).body.message);
  };
  await expect.poll(handedOver, { timeout: 120_000, interval: 500 }).toMatch(/taken over by token bench-2/);
  expect(move).toMatchObject({ status: 202, body: { who: page, state: 'moving' } });

  // The audit: entries, and lines of the log by the ids of the requests.
  const events = async (act: string) =>
    (await ben.ask('GET', `/api/v1/events?arm=follower&act=${act}&limit=50`)).body.events;
  const told = [...(await events('motion')), ...(await events('take_over'))];
  const of = (id: string) => told.find((entry: { request_id: string | null }) => entry.request_id === id);
  expect(of(refused.id)).toMatchObject({
    outcome: 'refused',
    who: expect.stringMatching(/^page \w{4} on this computer \(Chrome\/141\)$/),
    origin: 'this computer',
    what: 'POST /move/init',
    message: expect.stringMatching(SINCE),
  });
  expect(of(move.id)).toMatchObject({ who: page, outcome: 'ended' });
  expect(of(taken.id)).toMatchObject({ who: 'token bench-2', taken_from: page });
  for (const id of [refused.id, move.id, taken.id]) {
    const isOf = (text: string): boolean =>
      text.includes(`"request_id":"${id}"`) && text.includes('"event"') && !text.includes('"under_way"');
    await expect.poll(() => bridge.log.split('\n').some(isOf), PATIENCE).toBe(true);
    const { event } = JSON.parse(bridge.log.split('\n').find(isOf)!);
    expect(event).toMatchObject({ who: of(id).who, outcome: of(id).outcome, arm: 'follower' });
  }

  // What the bridge drives for somebody is that person's too; anybody may end it.
  await bench.post('/api/v1/arms/follower/release');
  const pairs = { robot_pairs: [{ leader_id: 0, follower_id: 1 }] };
  const mirrors = async () => (await anna.post('/move/leader/start', pairs)).body.status;
  await expect.poll(mirrors, PATIENCE).toBe('ok');
  const others = await ben.post('/move/leader/start', pairs);
  expect(others).toMatchObject({ status: 400, body: { detail: expect.stringContaining(`started by ${page}, since`) } });
  expect((await bench.post(`/gravity/start${ARM}`)).body.detail).toContain(`control, started by ${page}, since`);
  expect((await ben.ask('GET', '/api/v1/pairs')).body.pairs).toMatchObject([{ owner: page }]);
  expect((await bench.post('/move/leader/stop?release=hold')).body.status).toBe('ok');
  const floats = async () => (await anna.post(`/gravity/start${ARM}`)).body.status;
  await expect.poll(floats, PATIENCE).toBe('ok');
  const floating = `gravity compensation, started by ${page}`;
  expect(await ben.arm()).toMatchObject({ state: 'floating', owner: floating });
  const unasked = await bench.post(`/gravity/start${ARM}`);
  expect(unasked).toMatchObject({ status: 409, body: { detail: expect.stringContaining(`${floating}, since`) } });
  const over = await bench.post(`/gravity/start${ARM}&take_over=true`);
  expect(over.body.status).toBe('ok');
  expect((await events('motion')).find((entry: { request_id: string }) => entry.request_id === over.id)).toMatchObject({
    who: 'token bench-2',
    taken_from: floating,
  });
  const ending = await ben.post(`/gravity/stop${ARM}`);
  expect(ending.body.status).toBe('ok');
  expect((await events('halt'))[0]).toMatchObject({ request_id: ending.id, what: 'POST /gravity/stop' });

  if (HAS_ROS) {
    const peer = await Peer.start();
    try {
      await anna.post('/api/v1/arms/follower/take-over');
      const answer = await peer.call('/follower/arm_bridge/init');
      expect(answer).toMatchObject({ success: false, message: expect.stringContaining(`driven by ${page}`) });
      expect(answer.message).toMatch(SINCE);
      // By name once the graph has told which node the peer is, which may come after its first call.
      const called = async () => {
        await peer.call('/follower/arm_bridge/init');
        return (await events('motion'))[0];
      };
      const refusal = { who: 'the ROS node /test_peer', origin: 'ROS 2', outcome: 'refused' };
      await expect.poll(called, PATIENCE).toMatchObject(refusal);
      await anna.post('/api/v1/arms/follower/release');
      await peer.advertise('/follower/joint_commands');
      const stream = peer.publish('/follower/joint_commands', Array(500).fill({ shoulder_pan: 0.3 }), 0.02);
      await expect.poll(async () => (await ben.arm()).owner, PATIENCE).toContain('the ROS topic');
      const busy = await ben.post(`/move/init${ARM}`);
      expect(busy).toMatchObject({
        status: 409,
        body: { detail: expect.stringContaining('/follower/joint_commands') },
      });
      expect(busy.body.detail).toMatch(SINCE);
      await stream;
      await expect.poll(async () => (await ben.arm()).owner, PATIENCE).toBe(null);
    } finally {
      await peer.close();
    }
  }
});
