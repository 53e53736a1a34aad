import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CdrReader } from '@foxglove/cdr';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { bashBlocks, commands } from '../docs/support/blocks.ts';
import { PAIR, VirtualBridge } from '../support/virtual-bridge.ts';
import { indexed, jointStates, messagesOf } from './mcap.ts';

const CYCLE = 1 / 200;
const MEGABYTE = 1e6;

/** Text and kind of a rcl_interfaces/msg/Log. */
function eventOf(data: Uint8Array): { name: string; msg: string; what: string } {
  const reader = new CdrReader(data);
  reader.int32();
  reader.uint32();
  reader.uint8();
  const [name, msg] = [reader.string(), reader.string()];
  reader.string();
  return { name, msg, what: reader.string() };
}

test('an episode has each cycle of all its arms, whatever the main thread does meanwhile', async () => {
  const bridge = await VirtualBridge.start(PAIR);
  await bridge.post('/move/init?robot_id=0');
  await bridge.post('/move/init?robot_id=1');
  await bridge.post('/move/leader/start', { robot_pairs: [{ leader_id: 0, follower_id: 1 }] });
  const started = await bridge.post('/api/v1/episode/start', { dataset: 'pick', task: 'pick it up', operator: 'ada' });
  expect(started.body).toMatchObject({ status: 'ok', episode: { dataset: 'pick', arms: ['leader', 'follower'] } });
  await bridge.lead('leader', { shoulder_pan: 0.5 }, 2);
  await bridge.lead('follower', { shoulder_pan: 0 });
  await bridge.pass(1);
  const follower = bridge.arm('follower');
  const pushed = { at: follower.read().sampleTime, wrench: follower.toolWrench(follower.read(), 'tool')! };
  await bridge.lead('follower', null);
  bridge.host.clock.pause(0.2);
  await bridge.pass(1);
  expect((await bridge.post('/api/v1/episode/mark', { text: 'grasped' })).body.status).toBe('ok');
  await bridge.post('/stop?robot_id=1');
  await bridge.pass(0.5);
  const stopped = await bridge.post('/api/v1/episode/stop', { verdict: 'bad' });
  expect(stopped.body).toMatchObject({ status: 'ok', lost: 0 });
  const { path, duration, name } = stopped.body;
  expect(duration).toBeGreaterThan(2.5);

  const reader = await indexed(path);
  const states = await jointStates(path, '/follower/joint_states');
  for (const [k, { stamp }] of states.slice(1).entries()) {
    expect(Math.abs(stamp - states[k]!.stamp - CYCLE)).toBeLessThan(0.002);
  }
  // Velocities stand where they were read, and there alone.
  const detailed = states.filter(({ velocities }) => velocities.length > 0);
  expect(detailed.length / duration).toBeGreaterThan(15);
  expect(detailed.length / duration).toBeLessThan(25);
  for (const topic of ['/follower/joint_goals', '/follower/joint_setpoints', '/leader/joint_states']) {
    const messages = await jointStates(path, topic);
    expect([topic, messages.length / states.length]).toEqual([topic, expect.closeTo(1, 1)]);
  }
  const messages = await messagesOf(path);
  // What pushes the tool, where it was read.
  const wrenches = messages.filter(({ topic }) => topic === '/follower/external_wrench');
  expect(wrenches).toHaveLength((await jointStates(path, '/follower/external_torques')).length);
  const [recorded] = wrenches.filter(({ published }) => Math.abs(published - pushed.at) < CYCLE / 2);
  const read = new CdrReader(recorded!.data);
  expect([read.int32(), read.uint32(), read.string()].at(-1)).toBe(`follower/${follower.model.toolLink}`);
  const wrench = [...pushed.wrench].map(() => read.float64());
  for (const [i, value] of wrench.entries()) expect(value).toBeCloseTo(pushed.wrench[i]!, 9);
  expect(Math.hypot(...wrench.slice(0, 3))).toBeGreaterThan(1);
  const events = messages.filter(({ topic }) => topic === '/events').map(({ data }) => eventOf(data));
  expect(events[0]).toMatchObject({ what: 'start', msg: 'pick it up' });
  expect(events).toContainEqual({ name: '', what: 'mark', msg: 'grasped' });
  expect(events).toContainEqual({ name: 'follower', what: 'state', msg: 'mirroring' });
  expect(events).toContainEqual({ name: 'follower', what: 'state', msg: 'stopped' });
  expect(events).toContainEqual({
    name: 'follower',
    what: 'fault',
    msg: expect.stringMatching(/^stopped: POST \/stop/),
  });
  expect(events).toContainEqual({
    name: 'follower',
    what: 'owner',
    msg: expect.stringMatching(/^leader-follower control, started by /),
  });
  expect(events.at(-1)).toMatchObject({ what: 'stop' });
  for (const arm of ['leader', 'follower']) {
    const [description] = messages.filter(({ topic }) => topic === `/${arm}/robot_description`);
    expect(new CdrReader(description!.data).string()).toMatch(/<robot/);
  }
  for await (const { metadata } of reader.readMetadata({ name: 'arm_bridge.episode' })) {
    expect(metadata.get('operator')).toBe('ada');
    expect(JSON.parse(metadata.get('arms')!)).toMatchObject([
      { name: 'leader', model: 'so101' },
      { name: 'follower', calibration: expect.stringMatching(/^[\da-f]{16}$/) },
    ]);
    const [pair] = JSON.parse(metadata.get('pairs')!);
    expect(pair).toMatchObject({ leader: 'leader', follower: 'follower' });
    expect(pair.joints).toContainEqual({ leader: 'wrist_flex', follower: 'wrist_flex', scale: 1, offset: 0 });
  }

  const folder = join(bridge.folder, 'recordings', 'pick');
  const bag = parse(readFileSync(join(folder, name, 'metadata.yaml'), 'utf8')).rosbag2_bagfile_information;
  expect(bag.message_count).toBe(messages.length);
  expect(bag.custom_data).toEqual({ task: 'pick it up', operator: 'ada', verdict: 'bad' });
  const index = () => JSON.parse(readFileSync(join(folder, 'dataset.json'), 'utf8')).episodes;
  expect(index()).toMatchObject([{ name, verdict: 'bad' }]);

  // People change their minds.
  const changed = await bridge.post(`/api/v1/recordings/${name}`, { verdict: 'good', name: 'best' });
  expect(changed.body.recording).toMatchObject({ name: 'best', verdict: 'good', task: 'pick it up' });
  expect(index()).toMatchObject([{ name: 'best', verdict: 'good' }]);
  expect(readdirSync(join(folder, 'best')).sort()).toEqual(['best.mcap', 'metadata.yaml']);
  expect((await bridge.ask('DELETE', '/api/v1/recordings/best')).status).toBe(200);
  expect(existsSync(folder)).toBe(false);
  for (const answer of [
    await bridge.get('/api/v1/recordings/best'),
    await bridge.get('/api/v1/recordings/best/replay'),
    await bridge.post('/api/v1/recordings/best', { verdict: 'good' }),
    await bridge.post('/api/v1/recordings/best/trim', { begin: 0, end: 1 }),
  ]) {
    expect(answer).toMatchObject({ status: 404, body: { detail: expect.stringMatching(/no recording "best"/) } });
  }
});

test('a leader whose follower goes the other way is recorded with how their joints belong together', async () => {
  const bridge = await VirtualBridge.start(PAIR);
  for (const id of [0, 1]) await bridge.post(`/move/init?robot_id=${id}`);
  const pair = { robot_pairs: [{ leader_id: 0, follower_id: 1 }], invert_controls: true };
  expect((await bridge.post('/move/leader/start', pair)).body.status).toBe('ok');
  await bridge.post('/api/v1/episode/start', { name: 'turned' });
  await bridge.pass(1);
  const { path } = (await bridge.post('/api/v1/episode/stop')).body;
  for await (const { metadata } of (await indexed(path)).readMetadata({ name: 'arm_bridge.episode' })) {
    const [{ joints }] = JSON.parse(metadata.get('pairs')!);
    expect(joints).toContainEqual({ leader: 'shoulder_pan', follower: 'shoulder_pan', scale: -1, offset: 0 });
  }
});

test('an episode that the end of the bridge broke off is whole, and says so', async () => {
  const bridge = await VirtualBridge.start(PAIR);
  await bridge.post('/api/v1/episode/start', { name: 'cut', dataset: 'pick' });
  await bridge.pass(1);
  const next = await bridge.restart();
  const { body } = await next.get('/api/v1/recordings/cut');
  expect(body).toMatchObject({ problem: '', ended_early: 'the bridge ended while it was being recorded' });
  expect(body.duration).toBeGreaterThan(0.9);
});

test('an episode that is fetched and sent to a bridge is an episode there', async () => {
  const bridge = await VirtualBridge.start(PAIR);
  await bridge.post('/api/v1/episode/start', { name: 'here', task: 'pick it up', operator: 'ada' });
  await bridge.pass(1);
  const bytes = readFileSync((await bridge.post('/api/v1/episode/stop')).body.path);
  const { recordings } = bridge.bridge;
  writeFileSync(await bridge.until(recordings.receive('there', bytes.length)), bytes);
  expect(await bridge.until(recordings.accept('there'))).toMatchObject({
    name: 'there',
    content: 'episode',
    task: 'pick it up',
    operator: 'ada',
  });
  expect(readdirSync(join(bridge.folder, 'recordings', 'there')).sort()).toEqual(['metadata.yaml', 'there.mcap']);
  const judged = await bridge.post('/api/v1/recordings/there', { verdict: 'good' });
  expect(judged.body.recording).toMatchObject({ content: 'episode', task: 'pick it up', verdict: 'good' });
});

test('stamps of an episode go on with the time that passes, however the system clock goes, which is told beside them', async () => {
  const bridge = await VirtualBridge.startLight(PAIR);
  const { time } = bridge.host;
  const [begun, offset] = [time.now, time.wallOffset];
  await bridge.post('/api/v1/episode/start', { name: 'long' });
  // What 50 millionths make of an hour, in ten seconds.
  const [length, gained] = [10, 0.18];
  for (let step = 1; step <= 100; step++) {
    await bridge.pass(length / 100);
    time.wallOffset = offset + (gained * step) / 100;
  }
  const { path } = (await bridge.post('/api/v1/episode/stop')).body;
  const of = async (arm: string) => jointStates(path, `/${arm}/joint_states`);
  const [leader, follower] = [await of('leader'), await of('follower')];
  for (const states of [leader, follower]) {
    const first = states[0]!.stamp;
    expect(Math.abs(first - offset - begun)).toBeLessThan(0.05);
    for (const [k, { stamp, published }] of states.entries()) {
      expect(Math.abs(stamp - first - k * CYCLE)).toBeLessThan(0.003);
      const now = (gained * (stamp - offset - begun)) / length;
      expect(Math.abs(published - stamp - now)).toBeLessThan(0.01);
    }
  }
  expect(Math.abs(follower.at(-1)!.stamp - leader.at(-1)!.stamp)).toBeLessThan(CYCLE);
});

test('what cameras see while too much of it waits for a slow disk is left out and told, and no cycle of an arm is lost', async () => {
  const bridge = await VirtualBridge.startLight(PAIR);
  await bridge.post('/api/v1/episode/start', { name: 'slow' });
  const topic = '/camera/image_raw/compressed';
  const see = (count: number): void => {
    for (let i = 0; i < count; i++) bridge.bridge.recordings.see(topic, new Uint8Array(MEGABYTE));
  };
  await bridge.pass(1);
  bridge.host.recordingLane.pause(2);
  see(50);
  await bridge.pass(3);
  // All that waited has been written: there is room again.
  see(20);
  await bridge.pass(1);
  const { path, lost } = (await bridge.post('/api/v1/episode/stop')).body;
  const messages = await messagesOf(path);
  expect(messages.filter((message) => message.topic === topic)).toHaveLength(32 + 20);
  const events = messages.filter((message) => message.topic === '/events').map(({ data }) => eventOf(data));
  expect(events.filter(({ what }) => what === 'lost')).toEqual([
    { name: '', msg: 'the disk is too slow: 18 messages of cameras were not recorded', what: 'lost' },
  ]);
  expect(lost).toBe(0);
});

test('a camera of which nothing comes is told of while the episode runs, until it comes again', async () => {
  const [wrist, front] = ['/wrist/image_raw', '/front/image_raw'];
  const bridge = await VirtualBridge.start({ ...PAIR, recording: { images: [wrist, front] } });
  await bridge.post('/api/v1/episode/start');
  const silent = async () => (await bridge.get('/api/v1/episode')).body.episode.silent_cameras;
  const pass = async (seconds: number, ...topics: string[]): Promise<void> => {
    for (let time = 0; time < seconds; time += 0.5) {
      for (const topic of topics) bridge.bridge.recordings.see(topic, new Uint8Array(1000));
      await bridge.pass(0.5);
    }
  };
  await pass(1.5, front);
  expect(await silent()).toEqual([]);
  await pass(2, front);
  expect(await silent()).toEqual([wrist]);
  await pass(0.5, front, wrist);
  expect(await silent()).toEqual([]);
  await pass(2.5, wrist);
  const { body } = await bridge.post('/api/v1/episode/stop');
  expect(body.message).toBe(`The episode is complete, at its end without ${front}`);
  const events = (await messagesOf(body.path))
    .filter(({ topic }) => topic === '/events')
    .map(({ data }) => eventOf(data));
  expect(events.filter(({ what }) => what === 'camera').map(({ msg }) => msg)).toEqual([
    `nothing comes of ${wrist}`,
    `${wrist} comes again`,
    `nothing comes of ${front}`,
  ]);
});

test('an alarm of a servo is an event, and so is its end', async () => {
  const bridge = await VirtualBridge.startLight(PAIR);
  await bridge.post('/move/init?robot_id=1');
  await bridge.post('/api/v1/episode/start');
  await bridge.fault('follower', { servos: { 2: { overload: true } } });
  await bridge.pass(1);
  await bridge.post('/stop');
  expect((await bridge.post('/stop/reset')).body.status).toBe('ok');
  await bridge.pass(1);
  const { body } = await bridge.post('/api/v1/episode/stop');
  const events = (await messagesOf(body.path)).flatMap(({ topic, data }) =>
    topic === '/events' ? [eventOf(data)] : [],
  );
  expect(events.filter(({ what, msg }) => what === 'fault' && msg.includes('its servo'))).toEqual([
    { name: 'follower', what: 'fault', msg: expect.stringMatching(/^shoulder_lift: its servo reports overload: /) },
    { name: 'follower', what: 'fault', msg: 'shoulder_lift: its servo reports no alarm any more' },
  ]);
});

test('an episode that is not kept leaves nothing, and what is not running cannot be stopped', async () => {
  const bridge = await VirtualBridge.startLight(PAIR);
  await bridge.post('/api/v1/episode/start', { dataset: 'pick' });
  expect((await bridge.post('/api/v1/episode/start')).body.detail).toMatch(/is being recorded already/);
  await bridge.pass(0.3);
  expect((await bridge.post('/api/v1/episode/stop', { keep: false })).body).toMatchObject({ status: 'ok', path: '' });
  expect(readdirSync(join(bridge.folder, 'recordings'))).toEqual([]);
  expect((await bridge.post('/api/v1/episode/stop')).body).toMatchObject({ status: 'error' });
  expect((await bridge.get('/api/v1/episode')).body.episode).toBeNull();
});

test('beginnings and ends that are asked for at once are done one after the other', async () => {
  const bridge = await VirtualBridge.startLight(PAIR);
  const { recordings, arms } = bridge.bridge;
  const labels = { dataset: null, task: '', operator: '', arms: arms.all };
  const asked = Promise.all([
    recordings.startEpisode({ name: 'one', ...labels }),
    recordings.stopEpisode(),
    recordings.startEpisode({ name: 'two', ...labels }),
  ]);
  const [, ended, next] = await bridge.until(asked);
  expect([ended?.name, next.name, recordings.episode?.name]).toEqual(['one', 'two', 'two']);
});

test('an episode says which arms it is without, and there is none of no arm', async () => {
  const bridge = await VirtualBridge.startLight(PAIR);
  await bridge.post('/robot/disconnect?robot_id=1');
  const { body } = await bridge.post('/api/v1/episode/start');
  expect([body.message, body.episode.arms]).toEqual([
    'The episode is being recorded without follower: disconnected',
    ['leader'],
  ]);
  await bridge.post('/api/v1/episode/stop');
  await bridge.post('/robot/disconnect?robot_id=0');
  const none = await bridge.post('/api/v1/episode/start');
  expect([none.status, none.body.detail]).toEqual([400, expect.stringContaining('No arm is connected')]);
});

test('an episode of a pair is replayed on the arm whose joints it has', async () => {
  const bridge = await VirtualBridge.start(PAIR);
  await bridge.post('/move/init?robot_id=1');
  await bridge.post('/api/v1/episode/start', { name: 'turn' });
  await bridge.post('/joints/write?robot_id=1', { angles: [0.4], joints_ids: [0] });
  await bridge.pass(2);
  await bridge.post('/api/v1/episode/stop');
  await bridge.post('/move/init?robot_id=1');
  expect((await bridge.post('/recording/play?robot_id=1', { name: 'turn' })).body.status).toBe('ok');
  expect((await bridge.truth('follower'))[0]!).toBeCloseTo(0.4, 1);
});

test('the commands of the documentation record an episode', async () => {
  const bridge = await VirtualBridge.startLight(PAIR);
  for (const command of bashBlocks('docs/recording.md').flatMap(commands)) {
    const [, path, body] = /^curl -X POST localhost:8020(\S+) .* -d '(.*)'$/.exec(command)!;
    expect((await bridge.post(path!, JSON.parse(body!))).body.status).toBe('ok');
    await bridge.pass(0.2);
  }
  expect((await bridge.get('/api/v1/recordings?dataset=pick')).body.recordings).toMatchObject([
    { name: 'pick-1', verdict: 'good', task: 'Put the cube into the box' },
  ]);
});
