import type { FastifyInstance } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { BridgeError } from '../../src/arm/types.ts';
import { NeighbourRefusal } from '../../src/fleet/neighbour.ts';
import type { BridgeOverview } from '../../src/fleet/overview.ts';
import { buildApp, type FakeServices, fakeServices } from './fakes.ts';

const BENCH = 'https://bench:8020';
const GRAPH = { domain: 0, namespace: '/', commands: true, network: true };
const ROS = { enabled: true, reason: '', distro: 'jazzy', graph: GRAPH, preparing: null };

const FAR: BridgeOverview['arms'][number] = {
  name: 'far',
  model: 'so101',
  variant: 'follower',
  title: 'SO-101',
  simulated: true,
  remote: false,
  state: 'ready',
  torque: true,
  owner: null,
  owner_since: null,
  reason: '',
  doubt: '',
};

/** Another bridge, as this one knows it. */
class FakeNeighbour {
  readonly url = BENCH;
  state = 'answers';
  reason = '';
  readonly overview: BridgeOverview = {
    id: 'bench',
    name: 'bench',
    version: '0.1.0',
    stop_port: null,
    trouble: '',
    ros: { reason: '', graph: GRAPH },
    pairs: [],
    arms: [FAR],
  };
  readonly told: { path: string; order: object }[] = [];
  refusal: NeighbourRefusal | null = null;

  async look(): Promise<void> {}

  async command(path: string, order: object) {
    this.told.push({ path, order });
    if (this.refusal !== null) throw this.refusal;
    return { ok: true, message: 'The pair has ended: its follower holds.' };
  }
}

let app: FastifyInstance | undefined;
afterEach(() => app?.close());

function serve(ros = ROS): FakeServices & { readonly bench: FakeNeighbour } {
  const bench = new FakeNeighbour();
  const neighbours = [bench];
  const at = (url: string): FakeNeighbour | null => neighbours.find((each) => each.url === url) ?? null;
  const fleet = { id: 'desk', name: 'desk', neighbours, at } as unknown as FakeServices['fleet'];
  const services = { ...fakeServices(), fleet, ros: () => ros };
  app = buildApp(services);
  return { ...services, bench };
}

async function post(url: string, payload: object) {
  const reply = await app!.inject({ method: 'POST', url, payload, headers: { accept: 'application/problem+json' } });
  return { status: reply.statusCode, body: reply.json() };
}

const START = '/api/v1/bridges/pairs/start';
const HERE_TO_BENCH = { leader: { arm: 'leader' }, follower: { bridge: BENCH, arm: 'far' } };
const BENCH_TO_HERE = { leader: { bridge: BENCH, arm: 'far' }, follower: { arm: 'follower' } };

test('one pair of this bridge is started and ended by the names of its arms', async () => {
  const { mirror, connections } = serve();
  expect(await post('/api/v1/pairs/start', { leader: 'leader', follower: 'follower' })).toEqual({
    status: 200,
    body: { status: 'ok', message: 'leader leads follower.' },
  });
  expect(mirror.started).toEqual({ pairs: [{ leader: 0, follower: 1 }], gravity: null, invert: false });
  expect(connections.guests).toEqual([]);
  expect((await post('/api/v1/pairs/end', { follower: 'follower' })).body.status).toBe('ok');
  expect(mirror.started).toBeNull();
  expect((await post('/api/v1/pairs/end', { follower: 'follower' })).body.message).toBe('No such pair runs.');
  expect(await post('/api/v1/pairs/start', { leader: 'nobody', follower: 'follower' })).toMatchObject({
    status: 400,
    body: { code: 'unknown_arm' },
  });
});

test('a pair is started with what its leader feels, here and at the bridge of the leader', async () => {
  const { mirror, bench } = serve();
  const felt = { enable_gravity_compensation: true, force_feedback: { arm: 0.5 } };
  expect((await post('/api/v1/pairs/start', { leader: 'leader', follower: 'follower', ...felt })).status).toBe(200);
  expect(mirror.started).toMatchObject({ forceFeedback: { arm: 0.5, gripper: 0 } });
  await post('/api/v1/pairs/end', { follower: 'follower' });
  expect((await post(START, { ...HERE_TO_BENCH, ...felt })).status).toBe(200);
  expect(mirror.started).toMatchObject({ pairs: [{ follower: 2 }], forceFeedback: { arm: 0.5, gripper: 0 } });
  await post('/api/v1/pairs/end', { follower: 'far' });
  expect((await post(START, { ...BENCH_TO_HERE, ...felt })).status).toBe(200);
  expect(bench.told[0]!.order).toMatchObject({ force_feedback: { arm: 0.5, gripper: 0 } });
  expect((await post(START, { ...HERE_TO_BENCH, force_feedback: { arm: 2 } })).status).toBe(422);
});

test('the bridge of the leader invites the arm of another bridge, as that bridge describes it, and starts the pair', async () => {
  const { mirror, connections, bench } = serve();
  expect(await post(START, { ...HERE_TO_BENCH, enable_gravity_compensation: true })).toEqual({
    status: 200,
    body: { status: 'ok', message: 'leader of desk leads far of bench.' },
  });
  expect(connections.guests).toEqual([{ name: 'far', model: 'so101', variant: 'follower' }]);
  expect(mirror.started).toMatchObject({ pairs: [{ leader: 0, follower: 2 }], gravity: { shoulder: 100 } });
  expect(bench.told).toEqual([]);
});

test('a leader of another bridge is led by that bridge, which is told what the follower is', async () => {
  const { bench, mirror } = serve();
  expect((await post(`${START}?take_over=true`, BENCH_TO_HERE)).body).toEqual({
    status: 'ok',
    message: 'far of bench leads follower of desk.',
  });
  expect(bench.told).toEqual([
    {
      path: '/api/v1/pairs/start?take_over=true',
      order: {
        leader: 'far',
        follower: 'follower',
        guest: { model: 'so101', variant: 'follower' },
        enable_gravity_compensation: false,
      },
    },
  ]);
  expect(mirror.started).toBeNull();
  const end = { bridge: BENCH, follower: 'follower' };
  expect((await post('/api/v1/bridges/pairs/end', end)).body).toEqual({
    status: 'ok',
    message: 'The pair has ended: its follower holds.',
  });
  expect(bench.told[1]).toEqual({ path: '/api/v1/pairs/end', order: { follower: 'follower' } });
});

test('a pair of two arms of one other bridge needs no ROS 2', async () => {
  const { bench } = serve({ ...ROS, enabled: false, graph: null as never });
  bench.overview.arms = [FAR, { ...FAR, name: 'near' }];
  const body = { leader: { bridge: BENCH, arm: 'far' }, follower: { bridge: BENCH, arm: 'near' } };
  expect((await post(START, body)).status).toBe(200);
  expect(bench.told[0]!.order).toMatchObject({ leader: 'far', follower: 'near', guest: null });
});

test('nothing is begun where a bridge says what is against it', async () => {
  const { bench, mirror, arms } = serve();
  const refused = async (body: object) => {
    const { status, body: answer } = await post(START, body);
    return [status, answer.detail];
  };
  bench.overview.arms = [{ ...FAR, state: 'stopped', reason: 'by a person' }];
  expect(await refused(HERE_TO_BENCH)).toEqual([400, 'Arm far of bench is stopped (by a person): reset it there.']);
  arms.all[1]!.owner = { key: 'x', name: 'a notebook' };
  expect((await refused(BENCH_TO_HERE))[1]).toMatch(/^Arm follower of desk is driven by a notebook/);
  bench.overview.ros = { reason: '', graph: { ...GRAPH, domain: 3 } };
  expect((await refused(HERE_TO_BENCH))[1]).toMatch(/desk is on domain 0 in \/, bench is on domain 3/);
  bench.state = 'silent';
  bench.reason = 'nothing listens there: start its bridge';
  expect(await refused(HERE_TO_BENCH)).toEqual([
    503,
    'bench does not report the state of its arms: nothing listens there: start its bridge.',
  ]);
  const stranger = { ...HERE_TO_BENCH, follower: { bridge: 'https://attic:8020', arm: 'far' } };
  expect((await refused(stranger))[1]).toMatch(/^No bridge of this laboratory is at https:\/\/attic:8020/);
  expect(bench.told).toEqual([]);
  expect(mirror.started).toBeNull();
});

test('what another bridge refuses is told in its words, and can be insisted on where somebody else has an arm there', async () => {
  const { bench } = serve();
  bench.refusal = new NeighbourRefusal('bench: Arm far is driven by a notebook.', 'owned', 'take_over');
  expect(await post(START, BENCH_TO_HERE)).toMatchObject({
    status: 400,
    body: { detail: 'bench: Arm far is driven by a notebook.', remedy: 'take_over' },
  });
  // Its other next steps are for its own page.
  bench.refusal = new NeighbourRefusal('bench: Mirroring runs.', 'already_mirroring', 'stop_mirroring');
  expect((await post(START, BENCH_TO_HERE)).body.remedy).toBeNull();
});

test('what was asked before a stop is not begun after a reset, whichever bridge has the leader', async () => {
  const { bench, mirror, arms } = serve();
  const [leader, follower] = arms.all;
  for (const [body, own] of [
    [HERE_TO_BENCH, leader!],
    [BENCH_TO_HERE, follower!],
  ] as const) {
    bench.look = async () => {
      await null;
      await own.stopAtRest('by a person');
      await own.reset();
    };
    expect(await post(START, body)).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/has been stopped meanwhile/) },
    });
    expect(mirror.started).toBeNull();
    expect(bench.told).toEqual([]);
  }
});

test('an arm of which nothing is heard is told with what may be the cause', async () => {
  const services = serve({ ...ROS, graph: { ...GRAPH, network: false } });
  const words = 'Arm far does not answer: nothing comes on the ROS topic /far/joint_states.';
  services.connections.withGuest = async () => {
    throw new BridgeError('disconnected', words);
  };
  const cause = ' On ROS 2 desk can be found by its own computer alone (ros.discovery).';
  expect((await post(START, HERE_TO_BENCH)).body.detail).toBe(`${words}${cause}`);
  services.bench.refusal = new NeighbourRefusal(`bench: ${words}`, 'disconnected');
  expect((await post(START, BENCH_TO_HERE)).body.detail).toBe(`bench: ${words}${cause}`);
});

test('what other bridges are told of this one names its graph, its pairs, and whose its arms are', async () => {
  serve();
  const told = (await app!.inject('/api/v1/bridge')).json();
  expect(told).toMatchObject({ name: 'desk', ros: { reason: '', graph: GRAPH }, pairs: [] });
  expect(told.arms[0]).toMatchObject({ name: 'leader', model: 'so101', variant: 'follower', remote: false });
});
