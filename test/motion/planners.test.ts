import { beforeEach, expect, test } from 'vitest';
import { VirtualHost } from '../../explore/virtual-host.ts';
import type { Arm } from '../../src/arm/arm.ts';
import type { Caller } from '../../src/arm/types.ts';
import type { FromPlanner, ToPlanner } from '../../src/motion/plan-messages.ts';
import { PlannerThread } from '../../src/motion/planner-thread.ts';
import { type PlannerChannel, Planners } from '../../src/motion/planners.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';

const person: Caller = { owner: { key: 'http', name: 'an HTTP client' }, takeOver: false };
/** How long the planner thread is kept from answering, s. */
const BUSY = 2;

let bridge: VirtualBridge;
let arm: Arm;
beforeEach(async () => {
  bridge = await VirtualBridge.start();
  arm = bridge.arm();
  await bridge.until(bridge.bridge.motion.init(arm, person));
});

test('a stop does not wait for 40 moves that are being planned, and ends them all', async () => {
  bridge.host.plannerLane.pause(BUSY);
  const before = await bridge.truth('arm');
  const moves = Array.from({ length: 40 }, (_, k) => bridge.post('/move/absolute', { x: k % 2, y: 3, z: 0 }));
  const asked = bridge.host.time.now;
  const { body } = await bridge.post('/stop');
  expect(body.status).toBe('ok');
  expect(bridge.host.time.now - asked).toBeLessThan(0.1);
  for (const { status, body: refused } of await Promise.all(moves)) {
    expect(status).toBe(409);
    expect(refused.detail).toMatch(/^Arm arm is stopped/);
  }
  expect(bridge.host.time.now - asked).toBeLessThan(BUSY);
  await bridge.post('/stop/reset');
  await bridge.pass(BUSY + 1);
  const after = await bridge.truth('arm');
  expect(Math.max(...after.map((angle, i) => Math.abs(angle - before[i]!)))).toBeLessThan(0.01);
});

test('what the planner thread works on when its arm is stopped is given up', async () => {
  const words: Int32Array[] = [];
  const sent: ToPlanner[] = [];
  const channel: PlannerChannel = {
    post: (message) => void sent.push(message),
    close: () => {},
    onMessage: () => {},
    onExit: () => {},
  };
  const planners = new Planners((givenUp) => {
    words.push(new Int32Array(givenUp));
    return channel;
  });
  const ask = arm.ask();
  const far = arm.model.poses.get('park')!;
  const route = planners.of(arm).route(arm.read().positions.slice(), far, () => arm.requireWanted(ask));
  const refused = expect(route).rejects.toThrow(/is stopped/);
  await bridge.until(arm.stop('test'));
  await refused;
  const replies: FromPlanner[] = [];
  const thread = new PlannerThread(words[0]!, (message) => replies.push(message));
  for (const message of sent) thread.receive(message);
  expect(replies).toEqual([{ request: 1, failure: expect.stringContaining('nobody wants it') }]);
});

test('relative moves that are asked at once begin where the ones before lead', async () => {
  const start = (await bridge.post('/end-effector/read', {})).body;
  const answers = await Promise.all([1, 2].map(() => bridge.post('/move/relative', { x: 0, y: 0, z: 1.5 })));
  expect(answers.at(-1)!.body.status).toBe('ok');
  const end = (await bridge.post('/end-effector/read', {})).body;
  expect(end.z - start.z).toBeGreaterThan(2.5);
});

test('another planner thread takes the place of one that has ended', async () => {
  const channels: PlannerChannel[] = [];
  const planners = new Planners((givenUp) => {
    const channel: PlannerChannel = {
      post: (message) => void (channels.length > 1 && thread.receive(message)),
      close: () => {},
      onMessage: () => {},
      onExit: () => {},
    };
    const thread = new PlannerThread(new Int32Array(givenUp), (message) => channel.onMessage(message));
    channels.push(channel);
    return channel;
  });
  const planning = planners.of(arm);
  const from = arm.read().positions.slice();
  const lost = planning.route(from, planning.pose('park'));
  channels[0]!.onExit(new Error('out of memory'));
  await expect(lost).rejects.toMatchObject({ code: 'unavailable', message: expect.stringMatching(/out of memory/) });
  expect(await planning.route(from, planning.pose('park'))).toBeInstanceOf(Array);
  expect(channels).toHaveLength(2);
});

/** A machine that remembers what the planner thread has been asked. */
class AskedHost extends VirtualHost {
  readonly questions: string[] = [];

  override startPlanner(givenUp: SharedArrayBuffer): PlannerChannel {
    const channel = super.startPlanner(givenUp);
    const { post } = channel;
    channel.post = (message) => {
      if ('question' in message) this.questions.push(message.question.kind);
      post(message);
    };
    return channel;
  }
}

test('the way down of an arm waits for one of those who only ask what can be reached, and of them some are sent away', async () => {
  const host = new AskedHost(null);
  const asked = await VirtualBridge.start({}, undefined, host);
  await asked.post('/move/init');
  host.questions.length = 0;
  host.plannerLane.pause(BUSY);
  const answers = Array.from({ length: 40 }, () => asked.post('/api/v1/arms/arm/reachable', { x: 900 }));
  await asked.pass(0.1);
  const down = asked.bridge.motion.lower(asked.arm(), person);
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(16);
  expect(statuses.filter((status) => status === 503)).toHaveLength(24);
  expect(await asked.until(down)).toBeNull();
  expect(host.questions.slice(0, 3)).toEqual(['solve', 'route', 'solve']);
});

test('chunks, trajectories and greetings are prepared and checked in the planner thread, and a stop ends what waits there', async () => {
  const host = new AskedHost(null);
  const asked = await VirtualBridge.start({}, undefined, host);
  const driven = asked.arm();
  await asked.post('/move/init');
  const [joints, init] = [driven.model.joints.map(({ name }) => name), driven.model.poses.get('init')!];
  const questions = (): string[] => host.questions.splice(0);
  questions();

  const times = [0.5, 1, 1.5];
  const chunk = { joints: ['shoulder_pan'], times, positions: times.map((time) => [0.1 * time]) };
  expect((await asked.post('/api/v1/arms/arm/chunks', chunk)).body).toMatchObject({ kept: 3, message: null });
  expect(questions()).toEqual(['chunk', 'along']);
  await asked.pass(3);

  const none = Float64Array.from(joints, () => Number.POSITIVE_INFINITY);
  const tolerances = { path: none, pathVelocity: none, goal: none, goalVelocity: none, goalTime: 0 };
  const path = { names: joints, times: Float64Array.of(2), positions: init.slice(), velocities: null };
  expect(await asked.until(asked.bridge.trajectories.follow(driven, path, tolerances, person))).toMatchObject({
    end: 'done',
  });
  expect(questions()).toEqual(['waypoints', 'along']);

  await asked.post('/move/hello');
  expect(questions()).toEqual(['route', 'along', 'along']);
  const metrics = (await asked.bridge.http.inject({ url: '/metrics', headers: { host: '127.0.0.1' } })).payload;
  expect(metrics).toMatch(/^arm_bridge_planning_seconds_count{question="route"} 2$/m);
  expect(metrics).toMatch(/^arm_bridge_planning_seconds_sum{question="chunk"} \d/m);

  host.plannerLane.pause(BUSY);
  const began = host.time.now;
  const waiting = asked.post('/api/v1/arms/arm/chunks', chunk);
  await asked.pass(0.1);
  expect(questions()).toEqual(['chunk']);
  await asked.post('/stop');
  expect(await waiting).toMatchObject({ status: 409, body: { detail: expect.stringMatching(/^Arm arm is stopped/) } });
  expect(host.time.now - began).toBeLessThan(BUSY);
});

test('the model of an arm that is added is read in the planner thread, and a stop is answered meanwhile', async () => {
  const host = new AskedHost(null);
  const asked = await VirtualBridge.start({}, undefined, host);
  host.questions.length = 0;
  host.plannerLane.pause(BUSY);
  const wanted = { device: null, serialNumber: null, variant: null };
  const added = asked.bridge.connections.connect({ ...wanted, name: 'so100', bus: 'sim:so100' });
  const builds = asked.get('/api/v1/setup');
  const began = host.time.now;
  expect((await asked.post('/stop')).body.status).toBe('ok');
  expect(host.time.now - began).toBeLessThan(0.1);
  expect((await asked.until(added)).model.name).toBe('so100');
  expect((await builds).body.models.map(({ model }: { model: string }) => model)).toContain('koch');
  expect(new Set(host.questions)).toEqual(new Set(['model', 'builds']));
  const unknown = asked.bridge.connections.connect({ ...wanted, name: 'so100', variant: 'none', bus: 'sim:so100' });
  await expect(asked.until(unknown)).rejects.toMatchObject({
    code: 'bad_request',
    message: expect.stringMatching(/model: .*variant is "none"/),
  });
});
