import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { so101 } from '../kinematics/so101.ts';
import { PAIR, VirtualBridge } from '../support/virtual-bridge.ts';
import { WITNESS_PYTHON, witness } from '../support/witness.ts';
import { jointStates } from './mcap.ts';

interface Seen {
  readonly count: number;
  readonly statistics: number;
  readonly metadata: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly attachments: readonly string[];
  readonly topics: Readonly<Record<string, number>>;
  readonly poses: number;
  readonly wrenches: readonly (readonly [string, number, number])[];
  readonly events: readonly (readonly [string, string, string])[];
  readonly urdf: Readonly<Record<string, string>>;
  readonly frames: readonly string[];
  readonly bag: {
    readonly messages: number;
    readonly duration: number;
    readonly custom: Readonly<Record<string, string>>;
  };
  readonly own: number;
  readonly columns: readonly string[];
  readonly rows: number;
  readonly last: readonly number[];
}

const document = readFileSync(new URL('../../docs/recording.md', import.meta.url), 'utf8');
const example = /^```python\n([\s\S]*?)^```$/m.exec(document)![1]!;

test.skipIf(!WITNESS_PYTHON)(
  'an episode is read as it is by mcap, by rosbags as a bag, and by the lines for pandas',
  async () => {
    const bridge = await VirtualBridge.startLight(PAIR);
    await bridge.post('/move/init?robot_id=1');
    await bridge.post('/api/v1/episode/start', {
      name: 'pick-1',
      dataset: 'pick',
      task: 'Put it away',
      operator: 'ada',
    });
    await bridge.post('/joints/write?robot_id=1', { angles: [0.3], joints_ids: [0] });
    await bridge.pass(1);
    await bridge.post('/api/v1/episode/mark', { text: 'there' });
    const { body } = await bridge.post('/api/v1/episode/stop', { verdict: 'good' });
    const seen = (await witness(
      new URL('read_episode.py', import.meta.url),
      dirname(body.path),
      body.path,
      example,
    )) as Seen;

    expect(seen.statistics).toBe(seen.count);
    expect(seen.bag).toMatchObject({
      messages: seen.count,
      custom: { task: 'Put it away', operator: 'ada', verdict: 'good' },
    });
    expect(seen.bag.duration / 1e9).toBeGreaterThan(1);
    expect(seen.own).toBe(seen.count);
    expect(Object.values(seen.topics).reduce((sum, count) => sum + count)).toBe(seen.count);
    expect(seen.attachments).toEqual(['configuration.json']);
    // By this rosbag2 knows in which format the file has its QoS.
    expect(seen.metadata.rosbag2).toEqual({ serialized_metadata: '' });
    expect(seen.metadata['arm_bridge.episode']).toMatchObject({ task: 'Put it away', dataset: 'pick' });
    expect(seen.events).toContainEqual(['mark', '', 'there']);
    expect(seen.urdf['/follower/robot_description']).toMatch(/^<\?xml|^<robot/);
    for (const arm of ['leader', 'follower']) {
      for (const link of ['base_link', 'gripper_link']) expect(seen.frames).toContain(`${arm}/${link}`);
    }
    const states = await jointStates(body.path, '/follower/joint_states');
    expect(seen.poses).toBe(states.length + seen.topics['/leader/joint_states']!);
    expect(seen.wrenches).toEqual([
      [expect.stringMatching(/^(leader|follower)\//), expect.any(Number), expect.any(Number)],
    ]);
    expect(seen.columns).toEqual(so101.joints.map(({ name }) => name));
    expect(seen.rows).toBe(states.length);
    expect(seen.last).toEqual([...states.at(-1)!.positions]);
  },
);

test.skipIf(!WITNESS_PYTHON)(
  'an episode of a bridge that was killed in the middle of it, and a part of that one, are read by the same programs',
  async () => {
    const killed = await VirtualBridge.startLight(PAIR);
    const body = { name: 'pick-1', dataset: 'pick', task: 'Put it away', operator: 'ada' };
    expect((await killed.post('/api/v1/episode/start', body)).body.status).toBe('ok');
    await killed.pass(6);
    const bridge = await killed.killAndStart();
    const path = join(bridge.folder, 'recordings', 'pick', 'pick-1', 'pick-1.mcap');
    await bridge.becomes(() => expect(existsSync(join(dirname(path), 'metadata.yaml'))).toBe(true));
    const { recording } = (await bridge.post('/api/v1/recordings/pick-1/trim', { begin: 1, end: 3 })).body;
    for (const [file, least, most] of [
      [path, 4, 6.1],
      [recording.path, 1.9, 2.1],
    ]) {
      const seen = (await witness(new URL('read_episode.py', import.meta.url), dirname(file), file, example)) as Seen;
      expect(seen.statistics).toBe(seen.count);
      expect(seen.own).toBe(seen.count);
      expect(seen.bag).toMatchObject({ messages: seen.count, custom: { task: 'Put it away', operator: 'ada' } });
      expect(seen.bag.duration / 1e9).toBeGreaterThan(least);
      expect(seen.bag.duration / 1e9).toBeLessThan(most);
      expect(seen.attachments).toEqual(['configuration.json']);
      expect(seen.urdf['/follower/robot_description']).toMatch(/^<\?xml|^<robot/);
      expect(seen.frames).toContain('follower/gripper_link');
      expect(seen.rows / (seen.bag.duration / 1e9)).toBeCloseTo(200, -1);
    }
  },
);

test.skipIf(!WITNESS_PYTHON)(
  'a file that another program has compressed is replayed by zstd, and refused by lz4',
  async () => {
    const bridge = await VirtualBridge.startLight(PAIR);
    await bridge.post('/move/init?robot_id=1');
    await bridge.post('/recording/start?robot_id=1', { name: 'wave' });
    await bridge.pass(1);
    const { path } = (await bridge.post('/recording/stop?robot_id=1')).body;
    const folder = dirname(path);
    const compress = new URL('compress_recording.py', import.meta.url);
    await witness(compress, path, join(folder, 'small.mcap'), 'ZSTD');
    expect((await bridge.get('/api/v1/recordings/small')).body).toMatchObject({ problem: '', arms: ['follower'] });
    const samples = async (name: string) =>
      (await bridge.get(`/api/v1/recordings/${name}/samples?points=50`)).body.positions;
    expect(await samples('small')).toEqual(await samples('wave'));
    await witness(compress, path, join(folder, 'other.mcap'), 'LZ4');
    expect((await bridge.get('/api/v1/recordings/other')).body.problem).toMatch(/compressed by lz4.*mcap decompress/);
  },
);
