import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { loadArmModel } from '../../src/arm/model.ts';
import { fromLerobot, type LerobotFile, toLerobot } from '../../src/calibration/lerobot.ts';
import { MAIN, serve } from '../cli/support/program.ts';
import { bashBlocks, commands } from '../docs/support/blocks.ts';
import { BridgeProcess, runAgain, sleep } from './support/bridge.ts';

const PYTHON = process.env.ARM_BRIDGE_LEROBOT_PYTHON;
if (!PYTHON) {
  console.warn('SKIPPED: LeRobot does not drive the plug-ins: ARM_BRIDGE_LEROBOT_PYTHON is not set (npm test sets it)');
}
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SUPPORT = fileURLToPath(new URL('support/', import.meta.url));
const JOINTS = ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll', 'gripper'];
/** LeRobot's numbers and the bridge's differ by no more, degrees or parts of a hundred. */
const SAME = 0.2;
/** A busy machine may end a program that streams; it is begun again so often. */
const TRIES = 20;
vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 });

let folder: string;
let env: NodeJS.ProcessEnv;

const python = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)(PYTHON!, [...args], { cwd: folder, env })).stdout;

const COMMANDS = bashBlocks('docs/lerobot.md').flatMap(commands);
const [INSTALL, TELEOPERATE = '', RECORD = '', LED = ''] = COMMANDS;
const [REPLAY = '', ROLLOUT = '', , EXPORT = ''] = COMMANDS.slice(4);
const EXPORT_TAUGHT = bashBlocks('docs/teach.md').flatMap(commands).at(-1)!;

const TAUGHT = [...readFileSync(join(ROOT, 'docs/teach.md'), 'utf8').matchAll(/^```python\n([\s\S]*?)^```$/gm)].at(
  -1,
)![1]!;

/** What a program prints last, as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: answers are checked field by field
const last = (output: string): any => JSON.parse(output.trim().split('\n').at(-1)!);

beforeAll(async () => {
  if (!PYTHON) return;
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-lerobot-'));
  env = {
    ...process.env,
    PYTHONPATH: [join(folder, 'site'), SUPPORT].join(':'),
    HF_HUB_OFFLINE: '1',
    HF_HOME: join(folder, 'huggingface'),
  };
  // As the document has it, but for what that would fetch; of copies, since setuptools leaves its traces.
  const sources = INSTALL!.split(' ').slice(2);
  expect(sources).toHaveLength(3);
  for (const source of sources) cpSync(join(ROOT, source), join(folder, source), { recursive: true });
  const install = ['install', '--quiet', '--no-deps', '--no-index', '--no-build-isolation', '--target', 'site'];
  await python('-m', 'pip', ...install, ...sources);
  // Its own name for it, as pip would have put it into a folder of PATH.
  const program = join(folder, 'bin', 'arm-bridge-to-lerobot');
  mkdirSync(join(folder, 'bin'));
  writeFileSync(program, `#!/bin/sh\nexec '${PYTHON}' '${SUPPORT}lerobot_command.py' "arm-bridge-to-lerobot $*"\n`);
  chmodSync(program, 0o755);
}, 600_000);
afterAll(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(!PYTHON)('LeRobot over a simulated pair', () => {
  let bridge: BridgeProcess;
  beforeAll(async () => {
    bridge = await BridgeProcess.startWith({ XDG_DATA_HOME: folder }, '--no-ros');
    env.ARM_BRIDGE_URL = bridge.url;
  });
  afterAll(() => bridge.endStopped());

  const truth = async (robot: number): Promise<Record<string, number>> =>
    (await bridge.get(`/sim/truth?robot_id=${robot}`)).body.joints;
  const apart = async (): Promise<number> => {
    const [leader, follower] = [await truth(0), await truth(1)];
    return Math.max(...JOINTS.map((name) => Math.abs(leader[name]! - follower[name]!)));
  };

  function begin(command: string, cwd = folder): { child: ChildProcess; told: () => string } {
    const child = spawn(PYTHON!, [join(SUPPORT, 'lerobot_command.py'), command], {
      cwd,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let told = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      told += text;
    });
    return { child, told: () => told };
  }

  test('lerobot-teleoperate lets the follower do as the leader is led, and leaves it holding', async () => {
    const hand = { robot_id: 0, joints: { shoulder_pan: 0.6, elbow_flex: 0.5, gripper: 1 }, duration: 1 };
    expect((await bridge.post('/sim/hand', hand)).status).toBe(200);
    let { child, told } = begin(TELEOPERATE);
    for (let tries = 1; ; ) {
      if ((await apart()) < 0.05 && Math.abs((await truth(1)).shoulder_pan! - 0.6) < 0.05) break;
      if (child.exitCode !== null) {
        if (++tries > TRIES) throw new Error(`lerobot-teleoperate ends: ${told()}\n${bridge.log}`);
        ({ child, told } = begin(TELEOPERATE));
      }
      await sleep(0.1);
    }
    if (child.exitCode === null) {
      const exited = once(child, 'exit');
      child.kill('SIGINT');
      await exited;
    }
    await expect.poll(async () => (await bridge.arm(1)).state, { timeout: 30_000 }).toBe('ready');
    expect((await bridge.arm(1)).owner).toBeNull();
    expect(await apart()).toBeLessThan(0.1);
  });

  test('devices whose bridge has died say so when they are disconnected, and keep neither stream nor camera', async () => {
    const lost = await BridgeProcess.startWith({ XDG_DATA_HOME: folder }, '--no-ros');
    const child = spawn(PYTHON!, [join(SUPPORT, 'lerobot_alone.py'), lost.url], {
      cwd: folder,
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let told = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      told += text;
    });
    const closed = once(child, 'close');
    await vi.waitUntil(() => /connected/.test(told) || child.exitCode !== null, { timeout: 120_000 });
    await lost.end('SIGKILL');
    child.stdin.end('\n');
    await closed;
    expect(last(told)).toEqual({ told: ['Unreachable', 'Unreachable'], connected: [false, false], camera: false });
  });

  test('after a stop, teleoperator and robot are disconnected without an error', async () => {
    const told = last(await runAgain(() => python(join(SUPPORT, 'lerobot_stopped.py'), bridge.url)));
    expect(told).toEqual(Array(3).fill([null, false, false]));
  });

  test('a command that cannot connect says why, and ends', async () => {
    // Again where a busy machine keeps the leader from connecting.
    for (let tries = 1; ; tries++) {
      const { child, told } = begin(TELEOPERATE.replace('--robot.arm=follower', '--robot.arm=nobody'));
      const [code] = await once(child, 'close');
      expect(code, told()).toBe(1);
      if (/nobody/.test(told())) break;
      if (tries === TRIES) throw new Error(`lerobot-teleoperate ends: ${told()}\n${bridge.log}`);
    }
  });

  test('with --robot.leader the bridge lets the follower follow, and its leader feel it, until LeRobot ends', async () => {
    // Whoever holds the leader would keep it from being lowered.
    expect((await bridge.post('/sim/hand', { robot_id: 0, joints: null })).status).toBe(200);
    let { child, told } = begin(LED);
    for (let tries = 1; ; ) {
      const { pairs } = (await bridge.get('/api/v1/pairs')).body;
      const running = pairs.find(({ state }: { state: string }) => state === 'mirroring');
      if (running !== undefined && (await apart()) < 0.1) {
        expect(running.force_feedback).toEqual({ arm: 0.5, gripper: 0.5 });
        expect([(await bridge.arm(0)).state, (await bridge.arm(1)).state]).toEqual(['floating', 'mirroring']);
        break;
      }
      if (child.exitCode !== null) {
        if (++tries > TRIES) throw new Error(`lerobot-teleoperate ends: ${told()}\n${bridge.log}`);
        ({ child, told } = begin(LED));
      }
      await sleep(0.1);
    }
    if (child.exitCode === null) {
      const exited = once(child, 'exit');
      child.kill('SIGINT');
      await exited;
    }
    await expect.poll(async () => (await bridge.get('/api/v1/pairs')).body.active, { timeout: 30_000 }).toBe(false);
    await expect.poll(async () => (await bridge.arm(0)).torque, { timeout: 60_000 }).toBe(false);
  });

  test('lerobot-record makes a data set of what the arms do', async () => {
    const hand = { robot_id: 0, joints: { shoulder_pan: -0.4 }, duration: 1 };
    expect((await bridge.post('/sim/hand', hand)).status).toBe(200);
    await expect.poll(async () => Math.abs((await truth(0)).shoulder_pan! + 0.4)).toBeLessThan(0.01);
    for (let tries = 1; ; tries++) {
      rmSync(join(folder, 'pick'), { recursive: true, force: true });
      const { child, told } = begin(RECORD);
      const [code] = await once(child, 'exit');
      if (code === 0) break;
      if (tries === TRIES) throw new Error(`lerobot-record ends: ${told()}\n${bridge.log}`);
    }
    const { features, frames, task } = last(await python(join(SUPPORT, 'lerobot_dataset.py'), 'pick'));
    expect(features).toEqual({
      action: JOINTS.map((name) => `${name}.pos`),
      'observation.state': JOINTS.map((name) => `${name}.pos`),
    });
    expect(frames.length).toBeGreaterThan(10);
    expect(task).toBe('Put the cube into the box');
    // Where the leader was led to.
    expect(Math.abs(frames.at(-1).action[0] + 22.9)).toBeLessThan(1);
  });

  /** Runs a command to its end, again where a busy machine has ended it early. */
  async function carriedOut(command: string, before: () => void = () => {}): Promise<void> {
    for (let tries = 1; ; tries++) {
      before();
      const { child, told } = begin(command);
      const [code] = await once(child, 'close');
      if (code === 0) return;
      if (tries === TRIES) throw new Error(`${command} ends: ${told()}\n${bridge.log}`);
    }
  }

  test('lerobot-replay lets the follower do again what the data set says', async () => {
    await carriedOut(REPLAY);
    const { frames } = last(await python(join(SUPPORT, 'lerobot_dataset.py'), 'pick'));
    const asked = (frames.at(-1).action[0] * Math.PI) / 180;
    expect(Math.abs((await truth(1)).shoulder_pan! - asked)).toBeLessThan(0.1);
    expect((await bridge.arm(1)).owner).toBeNull();
  });

  test('lerobot-rollout lets a policy move the follower', async () => {
    // What a policy is trained with stands in its folder; its weights are a stand-in's.
    const inputs = { 'observation.state': { type: 'STATE', shape: [6] } };
    mkdirSync(join(folder, 'policy'));
    writeFileSync(
      join(folder, 'policy/config.json'),
      JSON.stringify({ type: 'act', device: 'cpu', input_features: inputs, output_features: {} }),
    );
    const before = (await truth(1)).shoulder_pan!;
    await carriedOut(ROLLOUT);
    // It went on from where the arm was, and LeRobot left it there.
    expect((await truth(1)).shoulder_pan! - before).toBeGreaterThan(0.05);
    expect((await bridge.arm(1)).owner).toBeNull();
  });

  /** Runs `npm start -- export` as the bridge's program does in the end. */
  async function exporting(command: string): Promise<{ code: number | null; told: string }> {
    const [, , , ...words] = command.trim().split(/ +/);
    const child = spawn(process.execPath, [MAIN, ...words], {
      cwd: folder,
      env: { ...env, XDG_DATA_HOME: folder, PATH: `${join(folder, 'bin')}:${process.env.PATH}` },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let told = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      told += text;
    });
    const [code] = await once(child, 'close');
    return { code, told };
  }

  /** Lets a pair mirror and be recorded, and makes data sets of it. @throws where a busy machine keeps it from that */
  async function exported(name: string) {
    const lead = (pan: number, duration: number) =>
      bridge.post('/sim/hand', { robot_id: 0, joints: { shoulder_pan: pan }, duration });
    const pan = async (robot: number): Promise<number> => (await truth(robot)).shoulder_pan!;
    await lead(0, 0.5);
    await expect.poll(async () => Math.abs(await pan(0))).toBeLessThan(0.02);
    await bridge.post('/move/leader/start', { robot_pairs: [{ leader_id: 0, follower_id: 1 }] });
    await expect.poll(apart).toBeLessThan(0.05);
    await bridge.post('/api/v1/episode/start', { name, dataset: `set-${name}`, task: 'Put the cube into the box' });
    await lead(0.5, 1);
    await expect.poll(async () => Math.abs((await pan(1)) - 0.5)).toBeLessThan(0.02);
    expect((await bridge.post('/api/v1/episode/stop', { verdict: 'good' })).status).toBe(200);
    await bridge.post('/move/leader/stop');
    const { recordings } = (await bridge.get('/api/v1/recordings')).body;
    const { duration } = recordings.find((each: { name: string }) => each.name === name);
    const part = { begin: 0.05, end: duration };
    expect((await bridge.post(`/api/v1/recordings/${name}/trim`, part)).status).toBe(200);
    const run = (to: string, ...more: string[]) =>
      exporting(
        `${EXPORT.replace('lerobot-pick', `${to}-${name}`).replace(' pick ', ` set-${name} `)} ${more.join(' ')}`,
      );
    const trimmed = await run('led');
    expect(trimmed).toMatchObject({ code: 0 });
    expect(await run('asked', '--action setpoints')).toMatchObject({ code: 0 });
    expect(await exporting(EXPORT_TAUGHT.replace(/cube$/, `set-${name}`))).toMatchObject({ code: 0 });
    const [led, asked] = [join(folder, `led-${name}`), join(folder, `asked-${name}`)];
    return {
      led: last(await python(join(SUPPORT, 'lerobot_dataset.py'), led)),
      asked: last(await python(join(SUPPORT, 'lerobot_dataset.py'), asked)),
      taught: last(await python('-c', `${TAUGHT.replaceAll('cube', `set-${name}`)}\nprint(len(frames))`)),
      how: JSON.parse(readFileSync(join(led, 'meta/arm_bridge.json'), 'utf8')),
      trimmed: trimmed.told,
      twice: await run('led'),
      without: await run('none', '--leader nobody'),
    };
  }

  test('episodes of a pair that mirrors become a data set, of the leader or of the setpoints as action', async () => {
    let made: Awaited<ReturnType<typeof exported>> | undefined;
    for (let tries = 1; made === undefined; tries++) {
      try {
        made = await exported(`try-${tries}`);
      } catch (error) {
        if (tries === 5) throw error;
        await bridge.post('/api/v1/episode/stop', { keep: false });
      }
    }
    const { led, asked, taught, how, trimmed, twice, without } = made;
    const [{ name: part }, ...rest] = how.episodes;
    expect([part, rest]).toEqual([expect.stringMatching(/^try-\d-trimmed$/), []]);
    expect(trimmed).toContain(`${part.replace('-trimmed', '')} is left out: ${part}, which is trimmed from it`);
    expect(led).toMatchObject({ fps: 30, task: 'Put the cube into the box' });
    expect(led.features.action).toEqual(JOINTS.map((name) => `${name}.pos`));
    expect(taught).toBe(led.frames.length);
    for (const [i, { timestamp }] of led.frames.entries()) expect(timestamp).toBeCloseTo(i / 30, 4);
    const degrees = (0.5 * 180) / Math.PI;
    const [one, other] = [led.frames.at(-1), asked.frames.at(-1)];
    for (const [pan] of [one['observation.state'], one.action, other.action]) {
      expect(Math.abs(pan - degrees)).toBeLessThan(2);
    }
    expect(led.frames[0].action[0]).toBeLessThan(0.8 * degrees);
    expect(how).toMatchObject({ method: 'linear', action: 'leader', use_degrees: true });
    // What is there is not written over, and an episode that lacks an arm is left out with its reason.
    expect([twice.code, twice.told]).toEqual([2, expect.stringContaining('is there already')]);
    expect([without.code, without.told]).toEqual([1, expect.stringContaining("it has no arm 'nobody', only leader")]);
  });

  test('robot and teleoperator say what they have, what they have sent, and why they have not', async () => {
    const features = Object.fromEntries(JOINTS.map((name) => [`${name}.pos`, 'float']));
    // The hand that led the leader before would hold it against LeRobot.
    await bridge.post('/sim/hand', { robot_id: 0, joints: null });
    const told = last(await python(join(SUPPORT, 'lerobot_plugins.py')));
    expect(told).toEqual({
      features: [features, features],
      before: expect.stringMatching(/^DeviceNotConnectedError/),
      moved: expect.closeTo(20, -1),
      gripper: expect.closeTo(60, -1),
      young: true,
      clipped: { 'shoulder_pan.pos': expect.closeTo(110, 0), 'gripper.pos': 100 },
      faults: [
        expect.stringMatching(/^ValueError: no joint takes knee\.pos: the arm has shoulder_pan\.pos, /),
        'ValueError: the goal of gripper is nan',
      ],
      after_stop: expect.stringMatching(/^Refused: .*stop/i),
      state: [true, null],
      action: true,
      feedback: [true, true],
      handed_over: [false, 'floating', ['ready', true], expect.stringMatching(/^ValueError: no joint takes knee\.pos/)],
    });
  });
});

test.skipIf(!PYTHON)('a robot that followed its leader in the bridge ends that pair alone', async () => {
  const arms = [1, 2].flatMap((pair) =>
    ['leader', 'follower'].map((role) => ({ name: `${role}_${pair}`, model: 'so101', bus: 'sim:so101' })),
  );
  const config = join(folder, 'two-pairs.json');
  writeFileSync(config, JSON.stringify({ arms, ros: { enabled: false } }));
  const bridge = await BridgeProcess.startWith({ XDG_DATA_HOME: folder }, '--config', config);
  try {
    const told = last(await runAgain(() => python(join(SUPPORT, 'lerobot_two.py'), bridge.url)));
    const led = (pair: number) => ({ [`leader_${pair}`]: 'floating', [`follower_${pair}`]: 'mirroring' });
    expect(told.before).toEqual({ ...led(1), ...led(2) });
    expect(told.after).toEqual({ leader_1: 'connected', follower_1: 'ready', ...led(2) });
  } finally {
    await bridge.endStopped();
  }
});

/** Ranges that lie anywhere, one servo the other way round. */
const CALIBRATED: LerobotFile = {
  shoulder_pan: { id: 1, drive_mode: 0, homing_offset: -1470, range_min: 753, range_max: 3292 },
  shoulder_lift: { id: 2, drive_mode: 0, homing_offset: 987, range_min: 843, range_max: 3201 },
  elbow_flex: { id: 3, drive_mode: 0, homing_offset: -12, range_min: 897, range_max: 3110 },
  wrist_flex: { id: 4, drive_mode: 1, homing_offset: 2047, range_min: 850, range_max: 3207 },
  wrist_roll: { id: 5, drive_mode: 0, homing_offset: -2047, range_min: 0, range_max: 4095 },
  gripper: { id: 6, drive_mode: 0, homing_offset: 1318, range_min: 2031, range_max: 3475 },
};

describe.skipIf(!PYTHON)("the numbers of LeRobot's own bus", () => {
  const SO101 = loadArmModel('so101');

  /** A bridge over these servos. */
  async function bridgeOf(calibrations: string, bus: string): Promise<BridgeProcess> {
    const config = join(calibrations, '..', 'bridge.json');
    const arms = [{ name: 'follower', model: 'so101', bus }];
    // A busy machine is not to keep it from its servos.
    const control = { priority: 40 };
    writeFileSync(config, JSON.stringify({ arms, control, calibration_folder: calibrations, ros: { enabled: false } }));
    return BridgeProcess.startWith({ XDG_DATA_HOME: folder }, '--config', config);
  }

  const numbers = async (place: string, ours: string, port: string) => {
    const files = [join(place, 'theirs.json'), ours, join(place, 'facts.json')];
    return last(await python(join(SUPPORT, 'lerobot_numbers.py'), ...files, port));
  };

  test('are those of the plug-in at every step of a calibration that was imported', async () => {
    const place = mkdtempSync(join(folder, 'imported-'));
    const calibrations = join(place, 'calibration');
    mkdirSync(calibrations);
    const ours = join(calibrations, 'follower.json');
    const taken = fromLerobot(CALIBRATED, SO101, 'follower', new Date().toISOString());
    writeFileSync(ours, JSON.stringify(taken));
    writeFileSync(join(place, 'theirs.json'), JSON.stringify(CALIBRATED));
    // Nobody is at this port: what an arm is, the bridge knows without its servos.
    const bridge = await bridgeOf(calibrations, `serial:${join(place, 'nothing')}`);
    const { arms } = (await bridge.get('/api/v1/arms')).body;
    await bridge.endStopped();
    expect(arms[0].joints[3].turned).toBe(true);
    writeFileSync(join(place, 'facts.json'), JSON.stringify(arms[0]));
    const { read, written } = await numbers(place, ours, '-');
    expect(read).toBeLessThan(SAME);
    expect(written).toBeLessThan(SAME);
  });

  test('are those of the plug-in where both read the same servos', async () => {
    const place = mkdtempSync(join(folder, 'servos-'));
    const calibrations = join(place, 'calibration');
    mkdirSync(calibrations);
    const ours = join(calibrations, 'follower.json');
    const servos = await serve('--arm', 'so101', '--calibration', ours);
    try {
      const theirs = toLerobot(JSON.parse(readFileSync(ours, 'utf8')), SO101);
      writeFileSync(join(place, 'theirs.json'), JSON.stringify(theirs));
      const bridge = await bridgeOf(calibrations, servos.url);
      let seen: Record<string, number>;
      try {
        await expect.poll(async () => (await bridge.arm(0)).state, { timeout: 30_000 }).toBe('connected');
        const { arms } = (await bridge.get('/api/v1/arms')).body;
        writeFileSync(join(place, 'facts.json'), JSON.stringify(arms[0]));
        // It holds when the bridge has ended, too.
        seen = last(await runAgain(() => python(join(SUPPORT, 'lerobot_holding.py'), bridge.url)));
      } finally {
        await bridge.endStopped();
      }
      const { present } = await numbers(place, ours, servos.path);
      for (const name of JOINTS) expect(Math.abs(seen[`${name}.pos`]! - present[name]), name).toBeLessThan(SAME);
    } finally {
      await servos.end();
    }
  });
});
