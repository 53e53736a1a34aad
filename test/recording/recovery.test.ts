import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Disk, fileDisk } from '../../src/disk.ts';
import { FolderLock } from '../../src/recording/folder-lock.ts';
import { Library } from '../../src/recording/library.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';
import { jointStates, writeChannels, writeUnfinished } from './mcap.ts';

test('a recording of a bridge that is killed is complete after the next start, and keeps its name', async () => {
  const bridge = await VirtualBridge.start();
  await bridge.until(bridge.bridge.recordings.start(bridge.arm(), 'wave', 200));
  await bridge.pass(20);
  const next = await bridge.killAndStart();
  const said = /the recording "wave" was broken off: (\d+\.\d) s of it have been saved/;
  await next.becomes(() => expect(next.lines.map(({ msg }) => msg).join()).toMatch(said));
  const saved = Number(said.exec(next.lines.map(({ msg }) => msg).join())![1]);
  // What is lost at most is the chunk that was being filled, of about a second.
  expect(saved).toBeGreaterThan(18.5);
  const folder = join(next.folder, 'recordings');
  expect(readdirSync(folder)).toEqual(['wave.mcap']);
  expect((await jointStates(join(folder, 'wave.mcap'))).length / saved).toBeCloseTo(200, -1);
  await expect(next.until(next.bridge.recordings.start(next.arm(), 'wave', 50))).rejects.toThrow(/"wave" already/);
  const { recordings } = (await next.get('/api/v1/recordings')).body;
  expect(recordings).toMatchObject([{ name: 'wave', problem: '', arms: ['arm'] }]);
});

test.each([
  ['an episode', '/api/v1/episode/start', {}],
  ['joints once a second', '/recording/start?robot_id=0', { rate: 1 }],
])('a kill loses about a second of %s in a slow control loop too', async (_, path, body) => {
  const bridge = await VirtualBridge.startLight({ control: { rate: 20 } });
  expect((await bridge.post(path, { name: 'slow', ...body })).body.status).toBe('ok');
  await bridge.pass(20);
  const next = await bridge.killAndStart();
  await next.becomes(async () => {
    const { recordings } = (await next.get('/api/v1/recordings')).body;
    expect(recordings).toMatchObject([{ name: 'slow', problem: '' }]);
    // One sample a second: the last one lies up to a second before the kill.
    expect(recordings[0].duration).toBeGreaterThan(17.5);
  });
});

test('an episode that ends in half a chunk keeps all before it, and what is no recording at all is kept as it is', async () => {
  const bridge = await VirtualBridge.start();
  const started = await bridge.post('/api/v1/episode/start', { name: 'pick-1', dataset: 'pick', task: 'pick it up' });
  expect(started).toMatchObject({ status: 200, body: { status: 'ok' } });
  await bridge.until(bridge.bridge.recordings.start(bridge.arm(), 'short', 50));
  await bridge.pass(6);
  const folder = join(bridge.folder, 'recordings');
  const again = await bridge.killAndStart(1, () => {
    const part = join(folder, 'pick', 'pick-1', 'pick-1.mcap.part');
    truncateSync(part, readFileSync(part).length - 1000);
    truncateSync(join(folder, 'short.mcap.part'), 100);
  });
  const path = join(folder, 'pick', 'pick-1', 'pick-1.mcap');
  await again.becomes(() => expect(existsSync(join(folder, 'pick', 'pick-1', 'metadata.yaml'))).toBe(true));
  const states = await jointStates(path, '/arm/joint_states');
  expect(states.at(-1)!.stamp - states[0]!.stamp).toBeGreaterThan(3);
  await again.becomes(() => expect(readdirSync(folder).sort()).toEqual(['pick', 'short.mcap.broken']));
  expect((await again.get('/api/v1/recordings?dataset=pick')).body.recordings).toMatchObject([
    { name: 'pick-1', dataset: 'pick', task: 'pick it up', content: 'episode' },
  ]);
});

test('what could not be saved is listed with the reason and its size, and can be downloaded and deleted, but not used', async () => {
  const bridge = await VirtualBridge.start();
  await bridge.post('/api/v1/episode/start', { name: 'pick-1', dataset: 'pick' });
  await bridge.until(bridge.bridge.recordings.start(bridge.arm(), 'short', 50));
  await bridge.pass(2);
  const folder = join(bridge.folder, 'recordings');
  const next = await bridge.killAndStart(1, () => {
    truncateSync(join(folder, 'pick', 'pick-1', 'pick-1.mcap.part'), 200);
    truncateSync(join(folder, 'short.mcap.part'), 100);
  });
  const problem = expect.stringMatching(/^could not be saved: the bridge ended while it was being recorded/);
  const unknown = { problem, began: 0, duration: 0, messages: 0, arms: [] };
  const listed = async (query = '') => (await next.get(`/api/v1/recordings${query}`)).body;
  await next.becomes(async () => expect((await listed()).total).toBe(2));
  expect((await listed()).recordings).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'pick-1', dataset: 'pick', content: 'episode', bytes: 200, ...unknown }),
      expect.objectContaining({ name: 'short', dataset: null, content: 'joints', bytes: 100, ...unknown }),
    ]),
  );
  expect((await listed('?dataset=pick')).recordings).toMatchObject([{ name: 'pick-1' }]);
  expect((await next.get('/api/v1/recordings/short')).body).toMatchObject({ bytes: 100, topics: [], ...unknown });
  const file = readFileSync(join(folder, 'short.mcap.broken'), 'latin1');
  const request = { url: '/api/v1/recordings/short/file', headers: { host: '127.0.0.1' } };
  expect((await next.until(next.bridge.http.inject(request))).rawPayload.toString('latin1')).toBe(file);

  const refused = /"pick-1" could not be saved: .+\. Delete it, or download its file to rescue it by other means\./;
  for (const [path, body] of [
    ['/recording/play', { name: 'pick-1' }],
    ['/api/v1/recordings/pick-1', { verdict: 'good' }],
    ['/api/v1/recordings/pick-1', { name: 'pick-2' }],
    ['/api/v1/recordings/pick-1/trim', { begin: 0, end: 1 }],
  ] as const) {
    const detail = expect.stringMatching(refused);
    expect({ path, ...(await next.post(path, body)) }).toMatchObject({ path, status: 400, body: { detail } });
  }
  for (const path of ['samples', 'replay']) {
    expect((await next.get(`/api/v1/recordings/pick-1/${path}`)).body.detail).toMatch(refused);
  }
  // A name stands for one recording.
  expect((await next.post('/api/v1/episode/start', { name: 'short' })).body.detail).toMatch(/"short" already/);

  for (const name of ['pick-1', 'short']) {
    expect((await next.ask('DELETE', `/api/v1/recordings/${name}`)).status).toBe(200);
  }
  expect(await listed()).toMatchObject({ total: 0, used: 0 });
  expect(readdirSync(folder)).toEqual([]);
});

test('half of a file that was being received takes neither room nor its name after the next start', async () => {
  const bridge = await VirtualBridge.start();
  const folder = join(bridge.folder, 'recordings');
  const next = await bridge.killAndStart(1, () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'wave.mcap.received'), 'half');
  });
  await next.becomes(() => expect(readdirSync(folder)).toEqual([]));
});

test('an episode whose renaming was cut short by a kill is there under its new name, and its dataset says so', async () => {
  const bridge = await VirtualBridge.start();
  await bridge.post('/api/v1/episode/start', { name: 'pick-1', dataset: 'pick', task: 'pick it up' });
  await bridge.pass(2);
  await bridge.post('/api/v1/episode/stop', { verdict: 'good' });
  const dataset = join(bridge.folder, 'recordings', 'pick');
  // The folder has its new name, the file in it not yet.
  const next = await bridge.killAndStart(1, () => renameSync(join(dataset, 'pick-1'), join(dataset, 'first')));
  const indexed = (): object[] => JSON.parse(readFileSync(join(dataset, 'dataset.json'), 'utf8')).episodes;
  await next.becomes(() =>
    expect(indexed()).toMatchObject([{ name: 'first', folder: 'first', file: 'pick-1.mcap', verdict: 'good' }]),
  );
  const { recordings } = (await next.get('/api/v1/recordings?dataset=pick')).body;
  expect(recordings).toMatchObject([{ name: 'first', task: 'pick it up', verdict: 'good', problem: '' }]);
  expect((await next.post('/api/v1/recordings/first', { name: 'second' })).status).toBe(200);
  expect(readdirSync(join(dataset, 'second')).sort()).toEqual(['metadata.yaml', 'second.mcap']);
  expect(indexed()).toMatchObject([{ name: 'second', file: 'second.mcap' }]);
});

test('an episode whose end was cut short by a kill keeps its labels, and is a bag again after the next start', async () => {
  const bridge = await VirtualBridge.start();
  for (const name of ['pick-1', 'pick-2']) {
    await bridge.post('/api/v1/episode/start', { name, task: 'pick it up' });
    await bridge.pass(2);
    await bridge.post('/api/v1/episode/stop', { verdict: 'good' });
  }
  const file = (name: string, of: string) => join(bridge.folder, 'recordings', name, of);
  const next = await bridge.killAndStart(1, () => {
    // The one had its labels but not yet its name, the other its name alone.
    renameSync(file('pick-1', 'pick-1.mcap'), file('pick-1', 'pick-1.mcap.part'));
    rmSync(file('pick-2', 'metadata.yaml'));
  });
  await next.becomes(() => expect(existsSync(file('pick-2', 'metadata.yaml'))).toBe(true));
  const { recordings } = (await next.get('/api/v1/recordings')).body;
  expect(recordings).toMatchObject([
    { name: 'pick-2', task: 'pick it up', problem: '' },
    { name: 'pick-1', task: 'pick it up', verdict: 'good', problem: '' },
  ]);
});

test('labels and a new name change nothing else in the description of a bag of another program', async () => {
  const bridge = await VirtualBridge.start();
  await bridge.post('/api/v1/episode/start', { name: 'walk' });
  await bridge.pass(1);
  await bridge.post('/api/v1/episode/stop', {});
  const folder = join(bridge.folder, 'recordings', 'walk');
  const bag = (file: string, labels: string) => `rosbag2_bagfile_information:
  version: 9
  storage_identifier: mcap
  starting_time:
    nanoseconds_since_epoch: 1764000000123456789
  topics_with_message_count:
    - topic_metadata:
        name: /map
        type: nav_msgs/msg/OccupancyGrid
        offered_qos_profiles:
          - durability: transient_local
        type_description_hash: RIHS01_8d348150c12913a31ee0ec170fbf25089e4745d17035792c1ba94d6f0ef2cfc7
      message_count: 1
  relative_file_paths:
    - ${file}
  files:
    - path: ${file}
      message_count: 1
  custom_data:
    place: bench${labels}
  ros_distro: kilted
`;
  writeFileSync(join(folder, 'metadata.yaml'), bag('walk.mcap', ''));
  expect((await bridge.post('/api/v1/recordings/walk', { verdict: 'good', name: 'walk-2' })).status).toBe(200);
  const labels = '\n    task: ""\n    operator: ""\n    verdict: good';
  expect(readFileSync(join(folder, '..', 'walk-2', 'metadata.yaml'), 'utf8')).toBe(bag('walk-2.mcap', labels));
});

/** A library in a folder of its own. */
function emptyLibrary(disk: Disk = fileDisk): Library {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-recovery-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return new Library(folder, 1e9, disk, new FolderLock(() => 'held'));
}

test.each(['joints', 'episode'] as const)(
  'a recording of content %s that is deleted while it is completed stays deleted',
  async (content) => {
    const library = emptyLibrary();
    await writeUnfinished(library.begin('wave', null, content).writing);
    let pauses = 0;
    const told = await library.recover(
      () => false,
      async () => {
        if (++pauses === 1) await library.remove('wave');
      },
    );
    expect(pauses).toBeGreaterThan(1);
    expect(told).toEqual([]);
    expect(readdirSync(library.folder)).toEqual([]);
  },
);

test('a recording that takes the name of one that is deleted while it is completed is left alone', async () => {
  const library = emptyLibrary();
  await writeUnfinished(library.begin('wave', null, 'joints').writing);
  let pauses = 0;
  await library.recover(
    () => false,
    async () => {
      if (++pauses > 1) return;
      await library.remove('wave');
      writeFileSync(library.begin('wave', null, 'joints').writing, 'new');
    },
  );
  expect(readFileSync(join(library.folder, 'wave.mcap.part'), 'utf8')).toBe('new');
  expect(readdirSync(library.folder)).toEqual(['wave.mcap.part']);
});

const EVERYTHING = { dataset: null, offset: 0, limit: 20 };

test.each([
  ['joints', null, 'wave.mcap'],
  ['episode', null, 'wave/wave.mcap'],
  ['episode', 'waves', 'waves/wave/wave.mcap'],
] as const)(
  '%s of dataset %s that could not be saved outlive a recording of their name, which has the name',
  async (...of) => {
    const [content, dataset, file] = of;
    const library = emptyLibrary();
    const { writing } = library.begin('wave', dataset, content);
    await writeUnfinished(writing);
    const recover = () =>
      library.recover(
        () => false,
        async () => {},
      );
    await recover();
    // Somebody keeps what was left of another one beside it by hand.
    writeFileSync(join(library.folder, `${file}.broken`), 'nothing');
    const names = async () =>
      (await library.list(EVERYTHING)).recordings.map(({ name, problem }) => [name, problem !== '']);
    expect(await names()).toEqual([['wave', false]]);
    expect(library.path('wave')).toBe(join(library.folder, file));
    await library.remove('wave');
    expect(await names()).toEqual([['wave', true]]);
    expect(readFileSync(join(library.folder, `${file}.broken`), 'utf8')).toBe('nothing');
    expect(() => library.path('wave')).toThrow(/could not be saved/);
    await recover();
    await library.remove('wave');
    expect(readdirSync(library.folder)).toEqual([]);
  },
);

test('an episode that could not be saved hides no dataset of its name, which stays when it is deleted', async () => {
  const library = emptyLibrary();
  await writeUnfinished(library.begin('wave', 'waves', 'episode').writing);
  await library.recover(
    () => false,
    async () => {},
  );
  writeFileSync(join(library.folder, 'waves', 'waves.mcap.broken'), 'nothing');
  const names = async () => (await library.list(EVERYTHING)).recordings.map(({ name }) => name);
  expect(await names()).toEqual(['waves', 'wave']);
  await library.remove('waves');
  expect(await names()).toEqual(['wave']);
});

test('what cannot be mended of a recording is told of as it is: not completed, or without its description', async () => {
  const write = (): never => {
    throw new Error('the disk is full');
  };
  const library = emptyLibrary({ ...fileDisk, write });
  const begun = async (name: string) => {
    const { writing, path } = library.begin(name, null, 'episode');
    await writeUnfinished(writing);
    return { writing, path };
  };
  const half = await begun('half');
  // Nothing can be written where a folder is in the way.
  mkdirSync(join(`${half.path}.rescued`, 'in the way'), { recursive: true });
  await begun('mended');
  const whole = await begun('whole');
  renameSync(whole.writing, whole.path);
  const told = await library.recover(
    () => false,
    async () => {},
  );
  const undescribed = 'is complete, but its description (metadata.yaml) could not be written: the disk is full';
  expect(told.sort()).toEqual([
    expect.stringMatching(/^the recording "half" was not completed, and stays as it is: /),
    `the recording "mended" ${undescribed}`,
    `the recording "whole" ${undescribed}`,
  ]);
});

test('of a file with any number of channels and names of any length a bounded part is told', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-library-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await writeChannels(join(folder, 'many.mcap'), 3000, 10_000);
  const facts = await new Library(folder, 1e9, fileDisk, new FolderLock()).facts('many');
  expect(facts).toMatchObject({ problem: '', messages: 1 });
  expect([facts.topics.length, facts.arms.length]).toEqual([1000, 64]);
  expect(JSON.stringify(facts).length).toBeLessThan(600_000);
});
