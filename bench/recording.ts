/**
 * npm run bench:recording [-- --write | --short]: what it costs to record a pair at 200 Hz, and how long it keeps the bridge's main
 * thread, with and without a camera whose large images come by ROS 2. The compiled bridge drives emulated servos that mirror.
 * Then how soon the replay of an hour begins, and the memory that it takes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { short } from './arguments.ts';
import { calibrate } from './arms.ts';
import { HOUR, RATE, writeHour } from './hour.ts';
import { processorTime, processUse } from './process-use.ts';
import { withEmulators } from './programs.ts';
import { Report } from './report.ts';
import { markdownTable, median, type Target, targetTable } from './table.ts';
import { ask, startBridge } from './two-bridges.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const DELAYS = fileURLToPath(new URL('main-delays.js', import.meta.url));
/** With and without recording in turn, so often, for so long each, s. */
const ROUNDS = short ? 1 : 5;
const SECONDS = short ? 1 : 10;
const START_LIMIT = 60;
/** A window in which the pair stops to mirror is measured again, so often. */
const TRIES = 10;
/** What is promised: part of a core, and s. */
const MOST_COST = 0.03;
const MOST_KEPT = 0.005;
/** A replay begins when the joint has moved so far, rad; memory is watched for so long then, s. What is promised: s, and bytes. */
const BEGUN = 0.02;
const WATCHED = short ? 2 : 60;
const MOST_WAIT = 1;
const MOST_MEMORY = 50e6;
/** The camera's images: width, height, and bytes of a compressed one. */
const SIZE = ['1280', '720', '200000'];
const RAW = '/camera/image_raw';
const COMPRESSED = '/camera/image_raw/compressed';

/** Of main-delays.ts, ms. */
interface Kept {
  readonly p99: number;
  readonly longest: number;
}

type Bridge = Awaited<ReturnType<typeof startBridge>>;

interface Window {
  /** Part of a core that the bridge has used. */
  readonly cpu: number;
  /** What the main thread was kept by, ms. */
  readonly kept: Kept;
  readonly lost: number;
  readonly images: number;
}

/** What the main thread was kept by since the last call, ms. */
async function keptOf(child: ChildProcess): Promise<Kept> {
  const told = new Promise<string>((resolve) => {
    let log = '';
    const take = (chunk: string): void => {
      log += chunk;
      const found = /main thread kept: (.*)\n/.exec(log)?.[1];
      if (found === undefined) return;
      child.stderr!.off('data', take);
      resolve(found);
    };
    child.stderr!.on('data', take);
  });
  child.kill('SIGUSR2');
  return JSON.parse(await told) as Kept;
}

/**
 * One window of time, recorded or not: starting and ending the episode are in it.
 * @returns null where the machine was so busy that the pair has stopped to mirror meanwhile
 */
async function oneWindow({ child, url }: Bridge, recorded: boolean): Promise<Window | null> {
  await untilMirroring(url);
  await keptOf(child);
  const [clock, before] = [performance.now(), processorTime(child.pid!)];
  if (recorded) await ask(`${url}/api/v1/episode/start`, {});
  await sleep(1000 * SECONDS);
  const cpu = (processorTime(child.pid!) - before) / ((performance.now() - clock) / 1000);
  const ended = recorded ? await ask(`${url}/api/v1/episode/stop`, {}) : null;
  const kept = await keptOf(child);
  const { pairs } = (await ask(`${url}/status`)).mirror;
  const mirrors = pairs[0]?.state === 'mirroring';
  if (ended === null) return mirrors ? { cpu, kept, lost: 0, images: 0 } : null;
  const { topics } = await ask(`${url}/api/v1/recordings/${ended.name}`);
  await fetch(`${url}/api/v1/recordings/${ended.name}`, { method: 'DELETE' });
  const images = topics.find(({ name }: { name: string }) => name.startsWith(RAW))?.messages ?? 0;
  return mirrors ? { cpu, kept, lost: ended.lost, images } : null;
}

/** @throws {Error} on a machine that is too busy again and again */
async function measured(bridge: Bridge, recorded: boolean): Promise<Window> {
  for (let tries = 1; tries <= TRIES; tries++) {
    const found = await oneWindow(bridge, recorded);
    if (found !== null) return found;
  }
  throw new Error('the pair does not go on mirroring: the machine is too busy');
}

async function untilMirroring(url: string): Promise<void> {
  const limit = performance.now() + 1000 * START_LIMIT;
  let refused = '';
  for (;;) {
    const state = (await ask(`${url}/status`)).mirror.pairs[0]?.state;
    if (state === 'mirroring') return;
    if (performance.now() > limit) throw new Error(`the bridge does not begin to mirror: ${refused || state}`);
    // Refused until both arms have been found.
    if (state === undefined || state === 'idle') {
      const { message, detail } = await ask(`${url}/move/leader/start`, {
        robot_pairs: [{ leader_id: 0, follower_id: 1 }],
      });
      refused = detail ?? message;
    }
    await sleep(200);
  }
}

/** @param topic of images that come from a camera by ROS 2; null: there is none */
async function windows(
  ports: readonly string[],
  topic: string | null,
): Promise<{ quiet: Window[]; recorded: Window[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-bench-recording-'));
  calibrate(folder, ['leader', 'follower']);
  const [leader, follower] = ports.map((path) => `serial:${path}`);
  const config = join(folder, 'bridge.json');
  const recordings = join(folder, 'recordings');
  mkdirSync(recordings);
  writeFileSync(
    config,
    JSON.stringify({
      state_folder: folder,
      ros: { enabled: topic !== null },
      recording: { folder: recordings, ...(topic === null ? {} : { images: [topic] }) },
      arms: [
        { name: 'leader', bus: leader },
        { name: 'follower', bus: follower },
      ],
    }),
  );
  const running: ChildProcess[] = [];
  try {
    const bridge = await startBridge(join(ROOT, 'dist/main.js'), config, '--import', DELAYS);
    running.push(bridge.child);
    if (topic !== null) {
      running.push(
        spawn(process.env.ARM_BRIDGE_ROS_PYTHON!, ['-B', join(ROOT, 'test/e2e/support/camera.py'), ...SIZE], {
          env: { ...process.env, LD_LIBRARY_PATH: process.env.ARM_BRIDGE_ROS_LD_LIBRARY_PATH ?? '' },
          stdio: ['pipe', 'ignore', 'inherit'],
        }),
      );
    }
    await untilMirroring(bridge.url);
    // The compiler comes to rest, the recording thread is there, and the graph has found the camera.
    await measured(bridge, true);
    const found = { quiet: [] as Window[], recorded: [] as Window[] };
    for (let round = 0; round < ROUNDS; round++) {
      found.quiet.push(await measured(bridge, false));
      found.recorded.push(await measured(bridge, true));
    }
    return found;
  } finally {
    for (const child of running) {
      const exited = once(child, 'exit');
      // Emulated joints swing as they like: they could not be lowered.
      child.kill('SIGKILL');
      await exited;
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The replay of a long recording. */
interface Replay {
  /** From the request to the first movement, s. */
  readonly begins: number;
  /** Resident memory at its highest, less that of the bridge at rest before, bytes. */
  readonly memory: number;
}

/** A simulated arm replays a recording: the first replay of its bridge, so that its thread counts too. */
async function replay(duration: number): Promise<Replay> {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-bench-replay-'));
  const recordings = join(folder, 'recordings');
  mkdirSync(recordings);
  await writeHour(join(recordings, 'hour.mcap'), 'arm', duration);
  const config = join(folder, 'bridge.json');
  writeFileSync(
    config,
    JSON.stringify({
      state_folder: folder,
      ros: { enabled: false },
      recording: { folder: recordings },
      arms: [{ name: 'arm', bus: 'sim:so101' }],
    }),
  );
  const { child, url } = await startBridge(join(ROOT, 'dist/main.js'), config);
  const pan = async (): Promise<number> => (await ask(`${url}/sim/truth`)).joints.shoulder_pan;
  const memory = (): number => processUse(child.pid!).memory;
  try {
    const { status } = await ask(`${url}/move/init`, {});
    if (status !== 'ok') throw new Error('the arm does not come to its pose init');
    await sleep(1000 * SECONDS);
    const [from, before] = [await pan(), memory()];
    const clock = performance.now();
    const played = ask(`${url}/recording/play`, { name: 'hour' });
    const refused = played.then((answer) =>
      Promise.reject(new Error(`the replay has ended: ${JSON.stringify(answer)}`)),
    );
    refused.catch(() => {});
    const begun = (async () => {
      while (Math.abs((await pan()) - from) < BEGUN) await sleep(5);
      return (performance.now() - clock) / 1000;
    })();
    const begins = await Promise.race([begun, refused]);
    let most = 0;
    const limit = performance.now() + 1000 * WATCHED;
    while (performance.now() < limit) {
      most = Math.max(most, memory());
      await Promise.race([sleep(50), refused]);
    }
    return { begins, memory: most - before };
  } finally {
    await fetch(`${url}/stop`, { method: 'POST' }).catch(() => {});
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  }
}

process.env.ROS_DOMAIN_ID = String(1 + (process.pid % 100));
const ros = process.env.ARM_BRIDGE_ROS_PYTHON !== undefined && process.env.AMENT_PREFIX_PATH !== undefined;
const report = new Report('recording', 'Recording');
const rows: string[][] = [];
const targets: Target[] = [];
const percents = (part: number): string => `${(100 * part).toFixed(1)} %`;
for (const topic of ros ? [null, COMPRESSED, RAW] : [null]) {
  const emulators = { family: 'feetech', baudRate: 1_000_000, loseRate: 0 } as const;
  const { result } = await withEmulators(2, emulators, (ports) => windows(ports, topic));
  const { quiet, recorded } = result;
  const cpu = (all: readonly Window[]): number => median(all.map((one) => one.cpu));
  const longest = (all: readonly Window[]): number => Math.max(...all.map(({ kept }) => kept.longest));
  const rate = recorded.reduce((sum, { images }) => sum + images, 0) / (ROUNDS * SECONDS);
  const bytes = topic === RAW ? 3 * Number(SIZE[0]) * Number(SIZE[1]) : Number(SIZE[2]);
  const what =
    topic === null ? 'a pair' : `a pair and ${rate.toFixed(0)} images a second of ${(bytes / 1e6).toFixed(1)} MB`;
  const lost = recorded.reduce((sum, one) => sum + one.lost, 0);
  const cost = cpu(recorded) - cpu(quiet);
  for (const [name, all] of [
    [`${what}, not recorded`, quiet],
    [`${what}, recorded`, recorded],
  ] as const) {
    const p99 = Math.max(...all.map(({ kept }) => kept.p99));
    rows.push([name, percents(cpu(all)), `${p99.toFixed(1)} / ${longest(all).toFixed(1)} ms`]);
  }
  if (topic === null) {
    targets.push({
      goal: `recording a pair at 200 Hz: <= ${100 * MOST_COST} % of a core, no cycle lost`,
      measured: `${percents(cost)}, ${lost} lost`,
      reached: cost <= MOST_COST && lost === 0,
    });
  }
  targets.push({
    goal: `${what}, recorded: the main thread is kept for ${1000 * MOST_KEPT} ms at most`,
    measured: `${longest(recorded).toFixed(1)} ms`,
    reached: longest(recorded) <= 1000 * MOST_KEPT,
  });
}
const replayed = await replay(short ? 60 : HOUR);
targets.push(
  {
    goal: `replay of ${short ? 'a minute' : 'an hour'} at ${RATE} Hz begins within ${MOST_WAIT} s`,
    measured: `${replayed.begins.toFixed(2)} s`,
    reached: replayed.begins <= MOST_WAIT,
  },
  {
    goal: `its first ${WATCHED} s take less than ${MOST_MEMORY / 1e6} MB of memory`,
    measured: `${(replayed.memory / 1e6).toFixed(0)} MB`,
    reached: replayed.memory < MOST_MEMORY,
  },
);
report.publish(
  [
    report.machine(),
    `Medians of ${ROUNDS} windows of ${SECONDS} s with recording and without, in turn; the longest of all of them for the main thread.`,
    ...(ros ? [] : ['Without a camera: ROS 2 is not there.']),
    '',
    markdownTable(['what', 'of a core', 'main thread at work without a pause, p99 / longest'], rows),
    '',
    targetTable(targets),
    '',
  ].join('\n'),
);
