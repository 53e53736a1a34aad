import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { McapFile } from '../../src/recording/mcap-file.ts';
import { JOINT_STATE } from '../../src/recording/ros-schemas.ts';
import { JointStateEncoder } from '../../src/ros/cdr.ts';
import { so101 } from '../kinematics/so101.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';
import { indexed, jointStates, messagesOf, writeJointStates } from './mcap.ts';

/** Arms of three models, of which two have what a recording needs to know of them. */
const ARMS = {
  arms: [
    { name: 'leader', id: 0, bus: 'sim:so101' },
    { name: 'follower', id: 1, bus: 'sim:so101' },
    { name: 'other', id: 2, model: 'koch', bus: 'sim:koch', mount: { xyz: [0, 0.6, 0] } },
  ],
};
const NAMES = so101.joints.map(({ name }) => name);
const HOUR = 3600;

let bridge: VirtualBridge;

/** An episode in which the follower turns its base to 0.4 rad. */
async function recordTurn(): Promise<void> {
  await bridge.post('/move/init?robot_id=1');
  const body = { name: 'turn', dataset: 'turns', task: 'turn', operator: 'ada' };
  expect((await bridge.post('/api/v1/episode/start', body)).body.status).toBe('ok');
  await bridge.pass(0.5);
  await bridge.post('/joints/write?robot_id=1', { angles: [0.4], joints_ids: [0] });
  await bridge.pass(2);
  await bridge.post('/api/v1/episode/stop', { verdict: 'good' });
}

beforeEach(async () => {
  bridge = await VirtualBridge.startLight(ARMS);
});

describe('curves of a recording', () => {
  test('are samples as they were recorded, at even distances from its first to its last one', async () => {
    await recordTurn();
    const { status, body } = await bridge.get('/api/v1/recordings/turn/samples?source=follower&points=50');
    expect(status).toBe(200);
    expect(body).toMatchObject({ source: 'follower', joints: NAMES });
    expect(body.times).toHaveLength(50);
    const { path, duration } = (await bridge.get('/api/v1/recordings/turn')).body;
    expect(body.duration).toBeCloseTo(duration, 3);
    expect(body.times[0]).toBeLessThan(0.02);
    expect(body.times.at(-1)).toBeCloseTo(duration, 1);
    const states = await jointStates(path, '/follower/joint_states');
    for (const [i, row] of body.positions.entries()) {
      expect(row[0]).toBeCloseTo(states[0]!.positions[i]!, 3);
      expect(row.at(-1)).toBeCloseTo(states.at(-1)!.positions[i]!, 3);
    }
    // A follower that holds is asked to be where it is; a leader that is limp is asked nothing.
    expect(body.goals[0].at(-1)).toBeCloseTo(0.4, 2);
    for (const [i, row] of body.external.entries()) expect(row.every(Number.isFinite), NAMES[i]).toBe(true);
    const leader = await bridge.get('/api/v1/recordings/turn/samples');
    expect(leader.body.source).toBe('leader');
    for (const rows of [leader.body.goals, leader.body.external]) {
      expect(rows.flat().every((value: unknown) => value === null)).toBe(true);
    }
  });

  test.each(['auto', 'x_'])('name joints as the model does, recorded with the prefix %s', async (prefix) => {
    const arms = prefix === 'auto' ? ARMS.arms : [{ name: 'follower', id: 1, bus: 'sim:so101' }];
    bridge = await VirtualBridge.startLight({ arms, ros: { joint_prefix: prefix } });
    await recordTurn();
    await bridge.post('/recording/start?robot_id=1', { name: 'joints' });
    await bridge.pass(1);
    await bridge.post('/recording/stop?robot_id=1');
    const { path } = (await bridge.get('/api/v1/recordings/joints')).body;
    const [first] = await jointStates(path);
    expect(first!.names[0]).toBe(prefix === 'auto' ? 'follower_shoulder_pan' : 'x_shoulder_pan');
    for (const recording of ['turn', 'joints']) {
      const { body } = await bridge.get(`/api/v1/recordings/${recording}/samples?source=follower&points=10`);
      expect(body.joints).toEqual(NAMES);
    }
  });

  test('of a part are denser, and none has more than 64 kB', async () => {
    await recordTurn();
    const part = await bridge.get('/api/v1/recordings/turn/samples?source=follower&begin=1&end=1.1&points=1000');
    const { times } = part.body;
    expect(times.length).toBeGreaterThan(15);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(1);
    expect(Math.max(...times)).toBeLessThanOrEqual(1.1);
    const whole = await bridge.get('/api/v1/recordings/turn/samples?source=follower&points=1000');
    expect(whole.body.times.length).toBeGreaterThan(300);
    expect(JSON.stringify(whole.body).length).toBeLessThan(64 * 1024);
  });

  test('of an hour are read without reading the hour', async () => {
    const folder = join(bridge.folder, 'recordings');
    mkdirSync(folder, { recursive: true });
    const times = Array.from({ length: HOUR * 10 }, (_, k) => k / 10);
    const poses = times.map((time) => [time / HOUR, 0, 0, 0, 0, 0]);
    await writeJointStates(join(folder, 'hour.mcap'), '/arm/joint_states', NAMES, times, poses);
    const { body } = await bridge.get('/api/v1/recordings/hour/samples?points=100');
    expect(body.times).toHaveLength(100);
    for (const [k, time] of body.times.entries()) expect(body.positions[0][k]).toBeCloseTo(time / HOUR, 3);
  });

  test('are refused for an arm that the recording has not, naming those that it has', async () => {
    await recordTurn();
    const { status, body } = await bridge.get('/api/v1/recordings/turn/samples?source=nobody');
    expect(status).toBe(404);
    expect(body.detail).toMatch(/no arm nobody, but leader, follower, other/);
    expect((await bridge.get('/api/v1/recordings/none/samples')).status).toBe(404);
  });
});

describe('a part of a recording', () => {
  test('is an episode of its own beside it, with what is said of it, and can be replayed', async () => {
    await recordTurn();
    const { body } = await bridge.post('/api/v1/recordings/turn/trim', { begin: 1, end: 2 });
    expect(body).toMatchObject({
      status: 'ok',
      recording: { name: 'turn-trimmed', dataset: 'turns', content: 'episode', task: 'turn', verdict: 'good' },
    });
    expect(body.recording.duration).toBeCloseTo(1, 2);
    expect(body.recording.arms).toEqual(['leader', 'follower', 'other']);
    const [old, made] = ['turn', 'turn-trimmed'].map((name) =>
      join(bridge.folder, 'recordings', 'turns', name, `${name}.mcap`),
    );
    const within = (await messagesOf(old!)).filter(({ topic }) => topic === '/follower/joint_states');
    const [zero] = await messagesOf(old!);
    const kept = within.filter(({ logged }) => logged - zero!.logged >= 1 && logged - zero!.logged <= 2);
    const states = (await messagesOf(made!)).filter(({ topic }) => topic === '/follower/joint_states');
    expect(states.map(({ logged }) => logged)).toEqual(kept.map(({ logged }) => logged));
    // What a viewer needs at the beginning is there.
    for (const topic of ['/follower/robot_description', '/tf_static']) {
      expect((await messagesOf(made!)).filter((message) => message.topic === topic).length).toBeGreaterThan(0);
    }
    for await (const { metadata } of (await indexed(made!)).readMetadata({ name: 'arm_bridge.episode' })) {
      expect(metadata.get('name')).toBe('turn-trimmed');
      expect(JSON.parse(metadata.get('trimmed')!)).toEqual({ from: 'turn', begin: 1, end: 2 });
    }
    expect((await bridge.get('/api/v1/recordings?dataset=turns')).body.total).toBe(2);
    expect((await bridge.post('/api/v1/recordings/turn/trim', { begin: 0, end: 2 })).body.recording.name).toBe(
      'turn-trimmed-2',
    );
    await bridge.post('/move/init?robot_id=1');
    expect((await bridge.post('/recording/play?robot_id=1', { name: 'turn-trimmed' })).body.status).toBe('ok');
    expect((await bridge.truth('follower'))[0]!).toBeCloseTo(0.4, 1);
  });

  test('that goes to the very end has the last message, also of a file stamped in nanoseconds', async () => {
    const folder = join(bridge.folder, 'recordings');
    mkdirSync(folder, { recursive: true });
    const path = join(folder, 'foreign.mcap');
    const file = await McapFile.create(path);
    const { channel: channelId } = await file.topic('/arm/joint_states', JOINT_STATE);
    const data = new JointStateEncoder(['gripper']).encode(1, Float64Array.of(0), null, null).slice();
    const stamps = [1_767_323_045_000_000_000n, 1_767_323_047_123_456_999n];
    for (const [sequence, at] of stamps.entries()) {
      await file.writer.addMessage({ channelId, sequence, logTime: at, publishTime: at, data });
    }
    await file.end();
    const { duration } = (await bridge.get('/api/v1/recordings/foreign')).body;
    const made = await bridge.post('/api/v1/recordings/foreign/trim', { begin: 0, end: duration });
    expect(made.body.recording.messages).toBe(2);
  });

  test('is refused beyond the recording, upside down, or under a name that is taken, and nothing is left of it', async () => {
    await recordTurn();
    const path = '/api/v1/recordings/turn/trim';
    expect((await bridge.post(path, { begin: 2, end: 1 })).body.detail).toMatch(/begins before it ends/);
    expect((await bridge.post(path, { begin: 0, end: 100 })).body.detail).toMatch(/"turn" lasts \d/);
    expect((await bridge.post(path, { begin: 0, end: 1, name: 'turns' })).body.detail).toMatch(/"turns" already/);
    expect((await bridge.post('/api/v1/recordings/none/trim', { begin: 0, end: 1 })).status).toBe(404);
    expect(readdirSync(join(bridge.folder, 'recordings'))).toEqual(['turns']);
    expect(readdirSync(join(bridge.folder, 'recordings', 'turns')).sort()).toEqual(['dataset.json', 'turn']);
    expect(existsSync(join(bridge.folder, 'recordings', 'turns', 'turn', 'turn.mcap'))).toBe(true);
  });

  test('is there whole or not at all when the bridge is killed over it', async () => {
    await recordTurn();
    const cut = bridge.post('/api/v1/recordings/turn/trim', { begin: 0, end: 2 }).catch(() => null);
    const next = await bridge.killAndStart();
    void cut;
    const names = async () =>
      (await next.get('/api/v1/recordings')).body.recordings.map(({ name }: { name: string }) => name);
    expect(await names()).toContain('turn');
    await next.becomes(() =>
      expect(readdirSync(join(next.folder, 'recordings')).filter((name) => name.includes('received'))).toEqual([]),
    );
  });
});

describe('a replay', () => {
  test('on an arm of another model turns its links as the recorded ones turned', async () => {
    await recordTurn();
    await bridge.post('/move/init?robot_id=2');
    const { body } = await bridge.post('/recording/play?robot_id=2', { name: 'turn', source: 'follower' });
    expect(body).toMatchObject({ status: 'ok' });
    const model = (name: string) => bridge.arm(name).model.joints;
    const [there, here] = [await bridge.truth('follower'), await bridge.truth('other')];
    for (const [i, { role, roleFrame }] of model('other').entries()) {
      if (role === 'gripper') continue;
      const from = model('follower').findIndex((joint) => joint.role === role);
      const frame = model('follower')[from]!.roleFrame!;
      const wanted = frame.sign * (there[from]! - frame.zero);
      expect([role, roleFrame!.sign * (here[i]! - roleFrame!.zero)]).toEqual([role, expect.closeTo(wanted, 1)]);
    }
  });

  test('follows the recorded arm that is named, and takes longer at a quarter of the speed', async () => {
    await recordTurn();
    await bridge.post('/move/init?robot_id=0');
    const play = async (speed: number) =>
      (await bridge.post('/recording/play?robot_id=0', { name: 'turn', source: 'follower', speed })).body;
    const whole = await play(1);
    expect(whole.status).toBe('ok');
    expect((await bridge.truth('leader'))[0]!).toBeCloseTo(0.4, 1);
    const slow = await play(0.25);
    expect(slow.duration).toBeGreaterThan(whole.duration + 5);
    const refused = await bridge.post('/recording/play?robot_id=0', { name: 'turn', source: 'nobody' });
    expect(refused).toMatchObject({ status: 400, body: { detail: expect.stringMatching(/no arm nobody/) } });
  });
});

describe('a foreseen replay', () => {
  test('on the arm that was recorded is what it did, and would not be refused', async () => {
    await recordTurn();
    const { status, body } = await bridge.get('/api/v1/recordings/turn/replay?robot_id=1&points=50');
    expect(status).toBe(200);
    const { body: curves } = await bridge.get('/api/v1/recordings/turn/samples?source=follower&points=50');
    expect(body).toMatchObject({ source: 'follower', unreached: [], refusal: null, times: curves.times });
    for (const [i, row] of body.positions.entries()) {
      for (const [k, angle] of row.entries()) expect(angle).toBeCloseTo(curves.positions[i][k], 2);
    }
    const before = await bridge.truth('follower');
    await bridge.pass(0.5);
    expect(await bridge.truth('follower')).toEqual(before.map((angle) => expect.closeTo(angle, 3)));
  });

  test('on an arm that cannot reach all of it says what and when, as the refusal of the replay does', async () => {
    const folder = join(bridge.folder, 'recordings');
    mkdirSync(folder, { recursive: true });
    const times = Array.from({ length: 101 }, (_, k) => k / 20);
    // The shoulder goes to where no SO-101 goes, for a second and a half, and back.
    const turned = (time: number): number => 2.4 * Math.sin((Math.PI * time) / 5);
    const poses = times.map((time) => [turned(time), 0, 0, 0, 0, 0]);
    await writeJointStates(join(folder, 'far.mcap'), '/arm/joint_states', NAMES, times, poses);
    const { body } = await bridge.get('/api/v1/recordings/far/replay?robot_id=1&points=100');
    expect(body.unreached).toEqual([
      {
        begin: expect.closeTo(1.5, 0),
        end: expect.closeTo(3.5, 0),
        text: expect.stringMatching(/^shoulder_pan would go to .* rad, beyond its limits of -1\.92 to 1\.92 rad$/),
      },
    ]);
    expect(Math.max(...body.positions[0])).toBeCloseTo(1.92, 2);
    const played = await bridge.post('/recording/play?robot_id=1', { name: 'far' });
    expect(played.body.detail).toBe(body.refusal);
    expect(body.refusal).toMatch(/^Arm follower cannot replay "far": shoulder_pan goes to /);
    expect((await bridge.get('/api/v1/recordings/nothing/replay?robot_id=1')).status).toBe(404);
    expect((await bridge.get('/api/v1/recordings/far/replay?robot_id=7')).status).toBe(400);
  });
});
