/** The whole bridge as users run it, with a pair of emulated arms, measured while others use it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { calibrate } from './arms.ts';
import { processorTime } from './process-use.ts';
import { runLoad } from './programs.ts';
import type { Figures } from './table.ts';

const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
/** Time until the pair mirrors, s. */
const START_LIMIT = 60;
/** The bridge's own percentiles are those of the last so many seconds. */
export const WINDOW = 10;

export interface BridgeOptions {
  /** Device files of leader and follower. */
  readonly ports: readonly string[];
  /** Hz */
  readonly rate: number;
  readonly priority: number | null;
  /** Connections that ask for the status as often as they are answered. */
  readonly connections: number;
  /** Time over which is measured, s. */
  readonly seconds: number;
}

export interface BridgeReport {
  readonly figures: Figures;
  /** Priority that is in force; null for none. */
  readonly priority: number | null;
  /** ROS 2 publishes. */
  readonly ros: boolean;
  /** HTTP answers a second. */
  readonly answers: number;
}

interface Status {
  readonly mirror: { readonly pairs: readonly { readonly state: string }[] };
  readonly ros: { readonly enabled: boolean };
  readonly loop: {
    readonly cycles: number;
    readonly priority: number | null;
    readonly periods: { readonly recent: { readonly p50: number; readonly p99: number; readonly longest: number } };
    readonly latency: { readonly recent: { readonly p50: number; readonly p99: number } };
  };
}

/** A port of loopback that nobody has. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

async function statusOf(url: string): Promise<Status | null> {
  try {
    return (await (await fetch(`${url}/status`)).json()) as Status;
  } catch {
    return null;
  }
}

async function startMirroring(url: string): Promise<void> {
  const body = JSON.stringify({ robot_pairs: [{ leader_id: 0, follower_id: 1 }] });
  const headers = { 'content-type': 'application/json' };
  await fetch(`${url}/move/leader/start`, { method: 'POST', headers, body }).catch(() => {});
}

async function measure(child: ChildProcess, url: string, options: BridgeOptions): Promise<BridgeReport> {
  const limit = performance.now() + START_LIMIT * 1000;
  let state: string | undefined;
  while (state !== 'mirroring') {
    if (child.exitCode !== null || performance.now() > limit) {
      throw new Error(`the bridge does not begin to mirror; the pair is ${state ?? 'not there'}`);
    }
    // Refused until both arms have been found.
    if (state === undefined || state === 'idle') await startMirroring(url);
    await sleep(200);
    state = (await statusOf(url))?.mirror.pairs[0]?.state;
  }
  const { connections, seconds } = options;
  const question = { method: 'GET', path: '/status', body: null } as const;
  const asked = { port: Number(new URL(url).port), questions: [question], connections };
  // It goes on until the figures have been read.
  const load = connections === 0 ? null : runLoad({ ...asked, seconds: seconds + 1, warmUp: 1 });
  await sleep(1500);
  const before = await statusOf(url);
  const [clock, cpu] = [performance.now(), processorTime(child.pid!)];
  await sleep(seconds * 1000);
  const used = processorTime(child.pid!) - cpu;
  const took = (performance.now() - clock) / 1000;
  const after = await statusOf(url);
  const told = (performance.now() - clock) / 1000;
  const answers = (await load)?.rate ?? 0;
  if (before === null || after === null) throw new Error('the bridge does not answer');
  const { priority, periods, latency } = after.loop;
  const rate = (after.loop.cycles - before.loop.cycles) / told;
  return {
    figures: {
      rate,
      cpu: used / took,
      cost: used / took / rate,
      periods: [periods.recent.p50, periods.recent.p99, Number.NaN, periods.recent.longest],
      ages: [latency.recent.p50, latency.recent.p99],
      skipped: 0,
    },
    priority,
    ros: after.ros.enabled,
    answers,
  };
}

/** Runs the compiled bridge on emulated arms. @throws {Error} when it does not mirror or answer */
export async function runBridge(options: BridgeOptions): Promise<BridgeReport> {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-bench-'));
  const port = await freePort();
  const config = join(folder, 'bridge.json');
  const [leader, follower] = options.ports.map((path) => `serial:${path}`);
  calibrate(folder, ['leader', 'follower']);
  writeFileSync(
    config,
    JSON.stringify({
      state_folder: folder,
      http: { port },
      ros: { joint_state_rate: 100 },
      control: { rate: options.rate, priority: options.priority },
      log: { level: 'error' },
      arms: [
        { name: 'leader', bus: leader },
        { name: 'follower', bus: follower },
      ],
    }),
  );
  const child = spawn(process.execPath, [MAIN, '--config', config], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ROS_LOG_DIR: folder, ROS_DOMAIN_ID: String(1 + (process.pid % 100)) },
  });
  const exited = once(child, 'exit');
  try {
    return await measure(child, `http://127.0.0.1:${port}`, options);
  } finally {
    // Emulated joints swing as they like: they could not be lowered.
    child.kill('SIGKILL');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  }
}
