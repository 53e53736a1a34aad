import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { crc32, deflateSync } from 'node:zlib';
import { CdrWriter } from '@foxglove/cdr';
import { expect, onTestFinished, test } from 'vitest';
import { loadArmModel } from '../../src/arm/model.ts';
import { asBuilt } from '../../src/calibration/as-built.ts';
import { toLerobot } from '../../src/calibration/lerobot.ts';
import { PAIR, VirtualBridge } from '../support/virtual-bridge.ts';
import { jointStates, messagesOf } from './mcap.ts';

/** LeRobot with stand-ins for torch, as the tests have it; and one with torch itself, where somebody has made one. */
const PYTHONS = [
  ['with a stand-in for torch', process.env.ARM_BRIDGE_LEROBOT_PYTHON],
  ['with torch', process.env.ARM_BRIDGE_TORCH_PYTHON],
] as const;
for (const [how, python] of PYTHONS) {
  const name = how === 'with torch' ? 'ARM_BRIDGE_TORCH_PYTHON' : 'ARM_BRIDGE_LEROBOT_PYTHON';
  if (!python) console.warn(`SKIPPED: no data set of LeRobot is made ${how}: ${name} is not set (docs/lerobot.md)`);
}
const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const SUPPORT = path('../e2e/support/');
const SOURCES = [path('../../clients/lerobot/robot'), path('../../clients/python/src'), SUPPORT];

const JOINTS = ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll', 'gripper'];
/** Numbers of the data set are those of the servos' bytes within this, degrees or parts of a hundred: a step is 0.09. */
const SAME = 0.2;
/** A camera's images, one each SPACING s: SIDE by SIDE pixels of one colour that tells which one it is. */
const SPACING = 0.1;
const SIDE = 64;
const [FRONT, WRIST] = ['/front/image_raw', '/wrist/image_raw/compressed'];
const shade = (index: number): number => 20 + 11 * index;
/** Encoded colours are off by 3 at most, and those of two images apart by 11. */
const SHADES = 5;

function header(writer: CdrWriter): void {
  writer.int32(0);
  writer.uint32(0);
  writer.string('camera');
}

/** A sensor_msgs/Image that is red and as blue as `level`, blue first. */
function rawImage(level: number, encoding = 'bgr8'): Uint8Array {
  const writer = new CdrWriter();
  header(writer);
  writer.uint32(SIDE);
  writer.uint32(SIDE);
  writer.string(encoding);
  writer.uint8(0);
  writer.uint32(3 * SIDE);
  const pixels = new Uint8Array(3 * SIDE * SIDE);
  for (let at = 0; at < pixels.length; at += 3) pixels.set([level, 0, 200], at);
  writer.uint8Array(pixels, true);
  return writer.data;
}

function chunk(kind: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A sensor_msgs/CompressedImage, a PNG (RFC 2083) that is as grey as `level`. */
function pngImage(level: number): Uint8Array {
  const facts = Buffer.alloc(13);
  facts.writeUInt32BE(SIDE, 0);
  facts.writeUInt32BE(SIDE, 4);
  facts.set([8, 0, 0, 0, 0], 8);
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(SIDE, level)]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: SIDE }, () => row)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const png = [signature, chunk('IHDR', facts), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))];
  const writer = new CdrWriter();
  header(writer);
  writer.string('png');
  writer.uint8Array(Buffer.concat(png), true);
  return writer.data;
}

/** Lets time pass while both cameras see something new each SPACING s. */
async function watched(bridge: VirtualBridge, seconds: number): Promise<void> {
  for (let index = 0; index < seconds / SPACING; index++) {
    bridge.bridge.recordings.see(FRONT, rawImage(shade(index)));
    bridge.bridge.recordings.see(WRIST, pngImage(shade(index)));
    await bridge.pass(SPACING);
  }
}

/** Positions of an arm's servos as their replies say, in steps, by id, and when they were sent, s of the virtual clock. */
function wiretap(bridge: VirtualBridge, arm: string): { time: number; id: number; steps: number }[] {
  const { bus } = bridge.host.arms!.get(arm).sim;
  const heard: { time: number; id: number; steps: number }[] = [];
  // Register and length of the last read, and the place of the present position, as the data sheet has them.
  let [address, length] = [0, 0];
  const [SYNC_READ, POSITION] = [0x82, 56];
  const feed = bus.feed.bind(bus);
  bus.feed = (bytes, now) => {
    const at = bytes.findIndex((_, i) => bytes[i] === 0xff && bytes[i + 1] === 0xff && bytes[i + 4] === SYNC_READ);
    if (at >= 0) [address, length] = [bytes[at + 5]!, bytes[at + 6]!];
    feed(bytes, now);
  };
  const send = bus.onStatus!;
  bus.onStatus = (bytes, delay) => {
    const place = POSITION - address;
    if (bytes[3] === length + 2 && place >= 0 && place + 1 < length) {
      const steps = bytes[5 + place]! | (bytes[6 + place]! << 8);
      heard.push({ time: bridge.host.time.now, id: bytes[2]!, steps });
    }
    send(bytes, delay);
  };
  return heard;
}

/** What LeRobot's own bus makes of steps (MotorsBus._normalize), by joint. */
function numbersOf(): Map<number, (steps: number) => number> {
  const model = loadArmModel('so101');
  const theirs = toLerobot(asBuilt(model, 'follower', new Date().toISOString()), model);
  return new Map(
    JOINTS.map((name) => {
      const { id, range_min: least, range_max: most } = theirs[name]!;
      if (name === 'gripper') return [id, (steps) => (100 * (steps - least)) / (most - least)] as const;
      return [id, (steps) => ((steps - (least + most) / 2) * 360) / 4095] as const;
    }),
  );
}

/** A value on the straight line between the two points about `time`. */
function between(course: readonly (readonly [number, number])[], time: number): number {
  const after = course.findIndex(([at]) => at >= time);
  const [[t0, a], [t1, b]] = [course[Math.max(0, after - 1)]!, course[after]!];
  return t1 === t0 ? b : a + ((b - a) * (time - t0)) / (t1 - t0);
}

/**
 * An episode of a pair that mirrors before two cameras, whose task is corrected at its end, one without cameras after it, and what was
 * on the follower's wire.
 */
async function recorded() {
  const bridge = await VirtualBridge.startLight(PAIR);
  await bridge.post('/move/init?robot_id=0');
  await bridge.post('/move/init?robot_id=1');
  await bridge.post('/move/leader/start', { robot_pairs: [{ leader_id: 0, follower_id: 1 }] });
  const heard = wiretap(bridge, 'follower');
  await bridge.post('/api/v1/episode/start', { name: 'seen', dataset: 'pick', task: 'Take it' });
  await bridge.lead('leader', { shoulder_pan: 0.5, elbow_flex: 0.9, gripper: 1.2 }, 2);
  await watched(bridge, 2);
  const { path: file } = (await bridge.post('/api/v1/episode/stop', { task: 'Put it away' })).body;
  await bridge.post('/api/v1/episode/start', { name: 'unseen', dataset: 'pick' });
  await bridge.pass(0.5);
  await bridge.post('/api/v1/episode/stop');
  return { bridge, file: file as string, heard, offset: bridge.host.time.wallOffset };
}

/** Runs a Python program of LeRobot; its exit code, what it prints, and what it says besides. */
async function run(
  python: string,
  script: string,
  ...args: string[]
): Promise<{ code: number; out: string; told: string }> {
  const home = mkdtempSync(join(tmpdir(), 'arm-bridge-lerobot-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const env = { ...process.env, PYTHONPATH: SOURCES.join(':'), HF_HUB_OFFLINE: '1', HF_HOME: home };
  return promisify(execFile)(python, [join(SUPPORT, script), ...args], { env, maxBuffer: 1e8 }).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, told: stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      out: stdout,
      told: stderr,
    }),
  );
}

for (const [how, python] of PYTHONS) {
  test.skipIf(!python)(
    `a data set of LeRobot says what the bytes of the servos said and what the cameras saw, ${how}`,
    async () => {
      const { file, heard, offset } = await recorded();
      const [folder, to] = [dirname(dirname(file)), join(dirname(dirname(file)), '..', 'made')];
      const exported = await run(python!, 'lerobot_export.py', folder, to);
      expect(exported).toMatchObject({ code: 0 });
      // LeRobot reads it itself where torch is there; elsewhere pandas and av do.
      const reader = how === 'with torch' ? 'lerobot_load.py' : 'lerobot_dataset.py';
      const read = await run(python!, reader, to);
      expect(read.code, read.told).toBe(0);
      const { frames, cameras, fps, task } = JSON.parse(read.out.trim().split('\n').at(-1)!);
      expect([fps, task]).toEqual([30, 'Put it away']);
      expect(JSON.parse(readFileSync(join(to, 'meta/arm_bridge.json'), 'utf8'))).toMatchObject({
        images: 'newest',
        episodes: [{ name: 'seen', cameras: { front: FRONT, wrist: WRIST } }],
      });

      const messages = await messagesOf(file);
      const states = await jointStates(file, '/follower/joint_states');
      const seen = messages.filter(({ topic }) => topic === FRONT).map(({ logged }) => logged);
      const begin = Math.max(states[0]!.stamp, (await jointStates(file, '/leader/joint_states'))[0]!.stamp, seen[0]!);
      expect(frames.length).toBeGreaterThan(50);
      const numbers = numbersOf();
      const courses = [...numbers].map(([id, number]) =>
        heard.filter((one) => one.id === id).map(({ time, steps }) => [time + offset, number(steps)] as const),
      );
      for (const [index, frame] of frames.entries()) {
        const time = begin + index / 30;
        for (const [joint, course] of courses.entries()) {
          const expected = between(course, time);
          expect(Math.abs(frame['observation.state'][joint] - expected), `${JOINTS[joint]} ${index}`).toBeLessThan(
            SAME,
          );
        }
        // The newest that had come; where one came in that very moment it may be the one before.
        const newest = seen.filter((at) => at <= time + 1e-6).length - 1;
        const shades = [newest, seen.filter((at) => at <= time - 1e-6).length - 1].map(shade);
        const [front, wrist] = [cameras.front[index], cameras.wrist[index]];
        const off = (value: number): number => Math.min(...shades.map((one) => Math.abs(value - one)));
        expect(
          [off(front[2]), front[1], Math.abs(front[0] - 200)].every((one) => one <= SHADES),
          `${front}`,
        ).toBe(true);
        expect(Math.max(...wrist.map(off)), `${wrist}`).toBeLessThanOrEqual(SHADES);
      }
      // Some of it moved.
      expect(Math.abs(frames.at(-1)['observation.state'][0] - frames[0]['observation.state'][0])).toBeGreaterThan(15);
      // An episode that is another than the first is left out, with its reason.
      expect(exported.told).toContain('unseen is left out: its joints or cameras are not those of the first episode');
    },
    300_000,
  );
}

test.skipIf(!PYTHONS[0][1])(
  'cameras are chosen and named, and what cannot be taken says why and leaves nothing',
  async () => {
    const { bridge, file } = await recorded();
    const folder = dirname(dirname(file));
    const to = (name: string): string => join(folder, '..', name);
    const exporting = (name: string, ...more: string[]) =>
      run(PYTHONS[0][1]!, 'lerobot_export.py', folder, to(name), ...more);
    const chosen = await exporting('chosen', '--camera', `hand=${WRIST}`, '--forces');
    expect(chosen).toMatchObject({ code: 0 });
    const { cameras, frames } = JSON.parse((await run(PYTHONS[0][1]!, 'lerobot_dataset.py', to('chosen'))).out);
    expect(Object.keys(cameras)).toEqual(['hand']);
    // What pushes the follower at each frame, as the nearest messages say.
    const told = await jointStates(file, '/follower/external_torques');
    const began = Math.max(
      (await jointStates(file, '/follower/joint_states'))[0]!.stamp,
      (await jointStates(file, '/leader/joint_states'))[0]!.stamp,
      (await messagesOf(file)).find(({ topic }) => topic === WRIST)!.logged,
    );
    expect(told.some(({ efforts }) => efforts.some((torque) => Math.abs(torque) > 0.05))).toBe(true);
    for (const [index, frame] of frames.entries()) {
      for (const joint of JOINTS.keys()) {
        const course = told.map(({ stamp, efforts }) => [stamp, efforts[joint]!] as const);
        const expected = between(course, began + index / 30);
        expect(frame['observation.external'][joint], `${JOINTS[joint]} ${index}`).toBeCloseTo(expected, 4);
      }
    }
    const none = await exporting('none', '--camera', 'hand=/nowhere');
    expect(none.code).toBe(1);
    expect(none.told).toContain(`seen is left out: it has no images of /nowhere, only ${FRONT}, ${WRIST}`);
    expect(none.told).toContain('unseen is left out: it has no images of /nowhere, only of no camera');
    expect((await exporting('wrong', '--camera', 'hand')).told).toContain('is not NAME=TOPIC');

    // Depths are no colours, and images that cannot be read are no frames: also when the first of them can.
    await bridge.post('/api/v1/episode/start', { name: 'depth', dataset: 'deep' });
    bridge.bridge.recordings.see(FRONT, rawImage(0, '16UC1'));
    await bridge.pass(0.1);
    bridge.bridge.recordings.see(FRONT, rawImage(0, '16UC1'));
    await bridge.pass(0.1);
    await bridge.post('/api/v1/episode/stop');
    await bridge.post('/api/v1/episode/start', { name: 'broken', dataset: 'deep' });
    bridge.bridge.recordings.see(WRIST, pngImage(9));
    await bridge.pass(0.1);
    bridge.bridge.recordings.see(WRIST, pngImage(9).slice(0, -60));
    await bridge.pass(0.1);
    bridge.bridge.recordings.see(WRIST, pngImage(9));
    await bridge.pass(0.1);
    await bridge.post('/api/v1/episode/stop');
    const deep = await run(PYTHONS[0][1]!, 'lerobot_export.py', join(folder, '..', 'deep'), to('deep-made'));
    expect(deep.code).toBe(1);
    expect(deep.told).toContain(`depth is left out: ${FRONT} has 16UC1, not rgb8`);
    expect(deep.told).toContain(`broken is left out: an image of ${WRIST} cannot be read`);
    expect(existsSync(to('deep-made'))).toBe(false);

    // What is damaged or missing keeps nothing else from being exported.
    const index = join(folder, 'dataset.json');
    const { dataset, episodes } = JSON.parse(readFileSync(index, 'utf8'));
    const seen = episodes.find(({ name }: { name: string }) => name === 'seen');
    const others = ['empty', 'damaged', 'missing'].map((name) => ({
      ...seen,
      name,
      folder: name,
      file: `${name}.mcap`,
    }));
    const whole = readFileSync(file);
    for (const [name, bytes] of [
      ['empty', Buffer.alloc(0)],
      ['damaged', Buffer.from(whole).fill(0x55, whole.length >> 2, whole.length >> 1)],
    ] as const) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, `${name}.mcap`), bytes);
    }
    const early = { ...seen, name: 'early', file: 'early.mcap', ended_early: 'the disk is full', verdict: '' };
    writeFileSync(index, JSON.stringify({ dataset, episodes: [...others, early, ...episodes] }));
    const rest = await exporting('rest', '--camera', `hand=${WRIST}`);
    expect(rest, rest.told).toMatchObject({ code: 0, out: expect.stringContaining('1 episodes in') });
    for (const { name } of others) expect(rest.told).toContain(`${name} is left out: it cannot be read: `);
    expect(existsSync(to('rest'))).toBe(true);
    expect(rest.told).toContain('early is left out: it was broken off: the disk is full. Call it good to take it');
    // The end of one that somebody has called good is the end of its task.
    writeFileSync(
      index,
      JSON.stringify({ dataset, episodes: [{ ...early, name: 'seen', file: seen.file, verdict: 'good' }] }),
    );
    expect((await exporting('good', '--camera', `hand=${WRIST}`)).out).toContain('1 episodes in');
  },
  300_000,
);

test.skipIf(!PYTHONS[0][1])(
  'an arm of another machine is refused, because that machine has its calibration, a leader whose follower turns the other way is no action, and what was trimmed replaces its source',
  async () => {
    const { code, out, told } = await run(PYTHONS[0][1]!, 'lerobot_remote.py');
    expect(code, told).toBe(0);
    const why = 'arm far belongs to another machine, which has its calibration: use its own bridge';
    expect(JSON.parse(out)).toEqual([
      [`ValueError: ${why}`, `NotExported: ${why}`],
      [null, 'NotExported: shoulder_pan of follower did not follow at the angles of leader: use --action setpoints'],
      ['first', 'pick-trimmed', 'whole'],
    ]);
  },
);
