/** HTTP servers in processes of their own: the compiled bridge and the one that it is compared with. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Percentiles } from '../src/rt/loop/loop-timing.ts';
import { freePort } from './bridge.ts';
import { Collector } from './collector.ts';
import { processUse } from './process-use.ts';

const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
const BARE = fileURLToPath(new URL('bare.js', import.meta.url));
/** Time for a server to answer, ms, and how often it is asked meanwhile, ms. */
const START_LIMIT = 60_000;
const ASK_INTERVAL = 5;
const RIVAL = 'phosphobot';
const RIVAL_VERSION = '0.3.134';

/** What the bench reads of `GET /status`. */
export interface BridgeStatus {
  readonly arms: readonly { readonly state: string }[];
  readonly ros: { readonly enabled: boolean };
  readonly mirror: { readonly reason: string | null; readonly pairs: readonly { readonly state: string }[] };
  readonly loop: {
    readonly cycles: number;
    readonly priority: number | null;
    readonly periods: { readonly recent: Percentiles };
  };
}

/** A server that answers. */
export class Served {
  readonly port: number;
  /** From the start of its process to its first answer, s. */
  readonly startTime: number;
  readonly #child: ChildProcess;
  readonly #folder: string;
  /** Port of its inspector; 0 without one. */
  #inspector = 0;

  private constructor(child: ChildProcess, port: number, startTime: number, folder: string) {
    this.#child = child;
    this.port = port;
    this.startTime = startTime;
    this.#folder = folder;
  }

  /** @param folder removed at its end */
  static async #start(
    command: string,
    args: readonly string[],
    port: number,
    folder: string,
    env: Readonly<Record<string, string>>,
    errors: 'inherit' | 'ignore' = 'inherit',
  ): Promise<Served> {
    const began = performance.now();
    const child = spawn(command, args, {
      cwd: folder,
      stdio: ['ignore', 'ignore', errors],
      env: { ...process.env, ...env },
    });
    for (;;) {
      const answered = await fetch(`http://127.0.0.1:${port}/status`).then(
        async (answer) => (await answer.text()) !== '' && answer.ok,
        () => false,
      );
      const took = performance.now() - began;
      if (answered) return new Served(child, port, took / 1000, folder);
      if (child.exitCode !== null || took > START_LIMIT) {
        child.kill('SIGKILL');
        throw new Error(`${command} ${args.join(' ')} does not answer`);
      }
      await sleep(ASK_INTERVAL);
    }
  }

  /**
   * The compiled bridge.
   * @param config what its configuration file says, besides the port
   * @param inspected so that `collect` can be called
   */
  static async bridge(config: object, inspected = false): Promise<Served> {
    const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-bench-'));
    const port = await freePort();
    const file = join(folder, 'bridge.json');
    writeFileSync(
      file,
      JSON.stringify({
        ...config,
        http: { port },
        log: { level: 'error' },
        state_folder: folder,
        recording: { folder },
      }),
    );
    const env = { ROS_LOG_DIR: folder, ROS_DOMAIN_ID: String(1 + (process.pid % 100)) };
    const inspector = inspected ? await freePort() : 0;
    const flags = inspected ? [`--inspect=127.0.0.1:${inspector}`, '--inspect-publish-uid=http'] : [];
    const served = await Served.#start(process.execPath, [...flags, MAIN, '--config', file], port, folder, env);
    served.#inspector = inspector;
    return served;
  }

  /** Fastify by itself, which answers what it is asked with these texts. @param answers by path */
  static async bare(answers: Readonly<Record<string, string>>): Promise<Served> {
    const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-bench-'));
    const port = await freePort();
    return Served.#start(process.execPath, [BARE, String(port), JSON.stringify(answers)], port, folder, {});
  }

  /**
   * phosphobot with its simulated arm, as its documentation starts it without hardware.
   * @param python of the tests' environment, which makes phosphobot's own in the cache folder
   * @returns null where it cannot be installed
   */
  static async rival(python: string): Promise<Served | null> {
    const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'arm-bridge');
    const place = join(cache, `${RIVAL}-${RIVAL_VERSION}`);
    const program = join(place, 'bin', RIVAL);
    const stamp = join(place, '.complete');
    if (!existsSync(stamp)) {
      process.stderr.write(`installing ${RIVAL} ${RIVAL_VERSION} (1.5 GB) to ${place}\n`);
      rmSync(place, { recursive: true, force: true });
      const steps = [
        [python, '-m', 'venv', place],
        [join(place, 'bin', 'pip'), 'install', '--quiet', '--disable-pip-version-check', `${RIVAL}==${RIVAL_VERSION}`],
      ];
      for (const [command, ...args] of steps) {
        if (spawnSync(command!, args, { stdio: ['ignore', 'inherit', 'inherit'] }).status !== 0) return null;
      }
      writeFileSync(stamp, '');
    }
    const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-bench-'));
    const port = await freePort();
    const without = ['--no-cameras', '--no-realsense', '--no-can', '--no-telemetry'];
    const args = ['run', '--simulation=headless', '--only-simulation', ...without];
    args.push('--host', '127.0.0.1', '--port', String(port));
    // It keeps its settings in the home folder, and logs to its error output.
    return Served.#start(program, args, port, folder, { HOME: folder }, 'ignore');
  }

  /** Resident memory, MB of 10^6 bytes. */
  get memory(): number {
    return processUse(this.#child.pid!).memory / 1e6;
  }

  /** Lets all threads of a bridge collect what they do not need: each would wait for that until it needs room. */
  async collect(): Promise<void> {
    const [page] = (await (await fetch(`http://127.0.0.1:${this.#inspector}/json/list`)).json()) as [
      { webSocketDebuggerUrl: string },
    ];
    const collector = await Collector.connect(page.webSocketDebuggerUrl);
    // What the first collection finalises, the second frees.
    for (let i = 0; i < 2; i++) await collector.collect();
    collector.close();
  }

  /** Files and connections that it has open. */
  get openFiles(): number {
    return processUse(this.#child.pid!).handles;
  }

  async post(path: string, body: unknown = null): Promise<unknown> {
    const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const answer = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      method: 'POST',
      ...(body === null ? {} : json),
    });
    return answer.json();
  }

  /** Of a bridge alone. */
  async status(): Promise<BridgeStatus> {
    return (await fetch(`http://127.0.0.1:${this.port}/status`)).json() as Promise<BridgeStatus>;
  }

  async end(): Promise<void> {
    const exited = once(this.#child, 'exit');
    // Simulated arms need not be lowered.
    this.#child.kill('SIGKILL');
    await exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
