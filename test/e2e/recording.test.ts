import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { so101 } from '../kinematics/so101.ts';
import { writeJointStates } from '../recording/mcap.ts';
import { BridgeProcess, HAS_ROS, rosProgram, sleep } from './support/bridge.ts';

const ARM = '?robot_id=1';
const NAMES = so101.joints.map(({ name }) => name);
const FOLDER = mkdtempSync(join(tmpdir(), 'arm-bridge-recordings-'));

let bridge: BridgeProcess;
beforeAll(async () => {
  const environment = { ARM_BRIDGE_RECORDING_FOLDER: FOLDER, ARM_BRIDGE_RECORDING_QUOTA: '1' };
  bridge = await BridgeProcess.startWith(environment, '--no-ros');
  await bridge.post(`/move/init${ARM}`);
});
afterAll(async () => {
  await bridge.endStopped();
  rmSync(FOLDER, { recursive: true, force: true });
});

const play = (body: unknown, signal?: AbortSignal) => bridge.post(`/recording/play${ARM}`, body, signal);
async function truth(): Promise<Record<string, number>> {
  return (await bridge.get(`/sim/truth${ARM}`)).body.joints;
}
async function ready(): Promise<void> {
  await expect.poll(async () => (await bridge.arm(1)).state, { timeout: 60_000 }).toBe('ready');
}
async function write(angles: number[], joints_ids: number[]): Promise<void> {
  await bridge.post(`/joints/write${ARM}`, { angles, joints_ids });
  await ready();
}

/** A recording as another program might have written it. */
function record(name: string, times: readonly number[], poses: readonly number[][]): Promise<void> {
  return writeJointStates(join(FOLDER, `${name}.mcap`), '/elsewhere/joint_states', NAMES, times, poses);
}

test('what is recorded is a file of ROS messages, and is replayed from wherever the arm is then', async () => {
  await ready();
  const start = await bridge.post(`/recording/start${ARM}`, { name: 'turn', rate: 40 });
  expect(start.body).toMatchObject({ status: 'ok', name: 'turn', path: join(FOLDER, 'turn.mcap') });
  expect((await bridge.get('/status')).body.is_recording).toBe(true);
  expect(await bridge.post(`/recording/start${ARM}`, { name: 'other' })).toMatchObject({ status: 400 });
  await write([0.6, 0.4], [0, 4]);
  await write([0.2], [0]);
  await sleep(0.3);
  const stop = await bridge.post(`/recording/stop${ARM}`);
  expect(stop.body).toMatchObject({ status: 'ok', name: 'turn' });
  expect(stop.body.samples).toBeGreaterThan(5);
  expect(readdirSync(FOLDER)).toEqual(['turn.mcap']);
  expect((await bridge.post(`/recording/stop${ARM}`)).body).toMatchObject({ status: 'error' });

  const recorded = await truth();
  await write([-0.6, -0.4], [0, 4]);
  const replay = await play({ name: 'turn', speed: 2 });
  expect(replay).toEqual({ status: 200, body: { status: 'ok', message: null, duration: expect.any(Number) } });
  await sleep(0.2);
  const now = await truth();
  for (const name of NAMES) expect(Math.abs(now[name]! - recorded[name]!)).toBeLessThan(0.03);

  if (!HAS_ROS) return;
  const { channels, messages } = await rosProgram('mcap_joints.py', join(FOLDER, 'turn.mcap'));
  expect(channels).toEqual([
    { topic: '/follower/joint_states', encoding: 'cdr', schema: ['sensor_msgs/msg/JointState', 'ros2msg'] },
  ]);
  expect(messages).toHaveLength(stop.body.samples);
  for (const { name, position, velocity, effort, stamp, log_time } of messages) {
    expect(name).toEqual(NAMES);
    expect(position).toHaveLength(6);
    // They are read less often than positions.
    expect([0, 6]).toContain(velocity.length);
    expect(effort).toHaveLength(velocity.length);
    expect(Math.abs(stamp - log_time)).toBeLessThan(1e-5);
  }
  expect(messages.some(({ velocity }: { velocity: number[] }) => velocity.length === 6)).toBe(true);
  expect(Math.max(...messages.map(({ position }: { position: number[] }) => position[0]))).toBeGreaterThan(0.55);
  for (const [i, name] of NAMES.entries()) {
    expect(Math.abs(messages.at(-1).position[i] - recorded[name]!)).toBeLessThan(0.01);
  }
});

test('a stop holds in a replay, which says so; a client that hangs up makes the arm hold', async () => {
  const turned = [1.2, -0.7, 0.7, 0, 0, 0];
  await record('slow', [0, 6], [[0.2, -0.7, 0.7, 0, 0, 0], turned]);
  await write([0.2, -0.7, 0.7, 0, 0, 0], [0, 1, 2, 3, 4, 5]);
  const replay = play({ name: 'slow' });
  await expect.poll(async () => (await truth()).shoulder_pan!, { timeout: 20_000 }).toBeGreaterThan(0.4);
  await bridge.post(`/stop${ARM}`);
  expect(await replay).toMatchObject({
    status: 200,
    body: { status: 'error', message: expect.stringMatching(/not been completed: stopped \(POST \/stop/) },
  });
  await bridge.post(`/stop/reset${ARM}`);
  await sleep(0.3);
  const held = (await truth()).shoulder_pan!;
  expect(held).toBeLessThan(1);

  const gone = new AbortController();
  const second = play({ name: 'slow', speed: 2 }, gone.signal).catch(() => 'gone');
  await expect.poll(async () => (await bridge.arm(1)).state).toBe('moving');
  gone.abort();
  expect(await second).toBe('gone');
  await expect.poll(async () => (await bridge.arm(1)).owner).toBeNull();
  expect(await bridge.arm(1)).toMatchObject({ state: 'ready', torque: true });
});

/** Positions of an arm that has come to rest after what was before, rad. */
async function resting(): Promise<Record<string, number>> {
  let last = await truth();
  await expect
    .poll(async () => {
      const before = last;
      await sleep(0.3);
      last = await truth();
      return Math.max(...NAMES.map((name) => Math.abs(last[name]! - before[name]!)));
    })
    .toBeLessThan(0.001);
  return last;
}

test('a recording that the arm cannot follow is refused with the reason, and nothing moves', async () => {
  const before = await resting();
  const rest = [0, -0.7, 0.7, 0, 0, 0];
  await record('beyond', [0, 1], [rest, [2.6, -0.7, 0.7, 0, 0, 0]]);
  await record('floor', [0, 1, 2], [rest, [0, 1.5, 0.3, 0.5, 0, 0], rest]);
  writeFileSync(join(FOLDER, 'broken.mcap'), 'no recording');
  const refusals = {
    beyond: /shoulder_pan goes to 2.600 rad after 1.00 s/,
    floor: /would touch/,
    broken: /cannot be read as an MCAP file/,
    missing: /There is no recording "missing"/,
  };
  for (const [name, detail] of Object.entries(refusals)) {
    expect(await play({ name })).toMatchObject({ status: 400, body: { detail: expect.stringMatching(detail) } });
  }
  expect((await play({ name: '../secret' })).body.detail[0]).toMatchObject({
    type: 'string_pattern_mismatch',
    loc: ['body', 'name'],
  });
  const now = await truth();
  for (const name of NAMES) expect(Math.abs(now[name]! - before[name]!)).toBeLessThan(0.01);
});

test('what is faster than the arm may move is replayed more slowly', async () => {
  await record(
    'fast',
    [0, 0.1],
    [
      [0, -0.7, 0.7, 0, 0, 0],
      [0.5, -0.7, 0.7, 0, 0, 0],
    ],
  );
  const { body } = await play({ name: 'fast' });
  expect(body.status).toBe('ok');
  await sleep(0.2);
  expect(Math.abs((await truth()).shoulder_pan! - 0.5)).toBeLessThan(0.03);
});

test('recordings are fetched, also in parts, sent, renamed and deleted', async () => {
  const at = (name: string, part = '/file') => `${bridge.url}/api/v1/recordings/${name}${part}`;
  const listed = async () =>
    (await bridge.get('/api/v1/recordings')).body.recordings.map(({ name }: { name: string }) => name);
  const bytes = readFileSync(join(FOLDER, 'turn.mcap'));
  const whole = await fetch(at('turn'));
  expect(whole.headers.get('content-length')).toBe(String(bytes.length));
  expect(Buffer.from(await whole.arrayBuffer())).toEqual(bytes);
  for (const [range, start, end] of [
    ['bytes=100-199', 100, 199],
    ['bytes=-50', bytes.length - 50, bytes.length - 1],
    [`bytes=${bytes.length - 10}-`, bytes.length - 10, bytes.length - 1],
  ] as const) {
    const part = await fetch(at('turn'), { headers: { range } });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes ${start}-${end}/${bytes.length}`);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(start, end + 1));
  }
  expect((await fetch(at('turn'), { headers: { range: `bytes=${bytes.length}-` } })).status).toBe(416);

  const send = (name: string, body: Blob | Buffer | ReadableStream, more = {}) =>
    fetch(at(name), { method: 'POST', body, ...more } as RequestInit);
  const sent = await send('copy', bytes);
  expect([sent.status, ((await sent.json()) as { recording: object }).recording]).toMatchObject([
    200,
    { name: 'copy', arms: ['follower'] },
  ]);
  expect(readFileSync(join(FOLDER, 'copy.mcap'))).toEqual(bytes);
  for (const [name, body] of [
    ['copy', bytes],
    ['half', bytes.subarray(0, bytes.length / 2)],
    ['none', Buffer.from('no recording')],
    ['large', Buffer.alloc(2_000_000)],
    ['empty', Buffer.alloc(0)],
  ] as const) {
    expect([name, (await send(name, body)).status]).toEqual([name, 400]);
  }
  const stream = new Blob([bytes]).stream();
  expect((await send('unknown', stream, { duplex: 'half' })).status).toBe(411);
  // Again where a busy machine has kept the arm from it.
  const played = async () => (await play({ name: 'copy', speed: 2 })).body.status;
  await expect.poll(played, { timeout: 60_000, interval: 500 }).toBe('ok');
  expect((await bridge.post('/api/v1/recordings/copy', { name: 'again' })).body.recording.name).toBe('again');
  expect(await listed()).toEqual(expect.arrayContaining(['again', 'turn']));
  expect((await fetch(at('again', ''), { method: 'DELETE' })).status).toBe(200);
  for (const name of ['again', '..%2fturn', '%2e%2e'])
    expect([name, (await fetch(at(name))).status]).toEqual([name, 404]);
  expect(readdirSync(FOLDER).filter((name) => /again|copy|half|none|large|empty|unknown/.test(name))).toEqual([]);
  const open = `/proc/${bridge.child.pid}/fd`;
  const files = readdirSync(open).map((descriptor) => {
    try {
      return readlinkSync(join(open, descriptor));
    } catch {
      return 'closed meanwhile';
    }
  });
  expect(files.filter((path) => path.includes('.received'))).toEqual([]);
});

test('a full folder takes no more recordings, and no recording is overwritten', async () => {
  expect(await bridge.post(`/recording/start${ARM}`, { name: 'turn' })).toMatchObject({
    status: 400,
    body: { detail: expect.stringMatching(/"turn" already/) },
  });
  writeFileSync(join(FOLDER, 'large.mcap'), Buffer.alloc(1_000_000));
  expect(await bridge.post(`/recording/start${ARM}`, { name: 'more' })).toMatchObject({
    status: 400,
    body: { detail: expect.stringMatching(/more than 1 MB \(recording.quota\)/) },
  });
});
