/**
 * npm run bench:start [-- --write | --short]: how long `npm start` takes in a fresh clone with empty caches, step by step, and how
 * long a second start takes. `--write` puts the tables into bench/results too. It clones what is committed, and needs the
 * registries of npm and PyPI.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { short } from './arguments.ts';
import { Report } from './report.ts';
import { markdownTable, median, type Target, targetTable } from './table.ts';

/** Longest that a start may take, s. */
const GOALS = { answer: 45, ros: 150, again: 2 };
/** When a start is given up, s. */
const LIMIT = 1200;
/** Time from one question to the next, ms. */
const PERIOD = 50;
const AGAIN = short ? 1 : 5;
/** How the preparation tells the end of a step, on the terminal and in its log. */
const STEP = /^\[ *[\d.]+ s\] (.+?)(?: \.\.\.|:) done \(([\d.]+) s\)$/gm;

/** A bridge that npm has started in the clone. */
class Start {
  readonly #child: ChildProcess;
  readonly #begun = performance.now();
  readonly #url: string;
  output = '';

  private constructor(folder: string, port: number, environment: NodeJS.ProcessEnv) {
    this.#url = `http://127.0.0.1:${port}`;
    this.#child = spawn('npm', ['start', '--', '--port', String(port)], { cwd: folder, env: environment });
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.setEncoding('utf8');
      stream.on('data', (text: string) => {
        this.output += text;
      });
    }
  }

  static async begin(folder: string, environment: NodeJS.ProcessEnv): Promise<Start> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    return new Start(folder, port, environment);
  }

  /** Time from the start until every path answers with what is wanted, s. @throws {Error} if the bridge ends or takes too long */
  async until(paths: readonly string[], wanted: (body: string) => boolean = () => true): Promise<number> {
    for (;;) {
      const all = await Promise.all(paths.map((path) => this.#ask(path)));
      const took = (performance.now() - this.#begun) / 1000;
      if (all.every((body) => body !== null && wanted(body))) return took;
      if (this.#child.exitCode !== null || took > LIMIT)
        throw new Error(`the bridge does not answer as it should after ${took.toFixed(0)} s:\n${this.output}`);
      await sleep(PERIOD);
    }
  }

  async #ask(path: string): Promise<string | null> {
    try {
      const answer = await fetch(this.#url + path, { headers: { connection: 'close' } });
      return answer.ok ? await answer.text() : null;
    } catch {
      return null;
    }
  }

  /** Its arms are limp: an exit moves nothing. */
  async end(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await exited;
  }
}

/** This environment without what a preparation has put there, and with caches and settings of its own, all empty. */
function emptyEnvironment(home: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('ARM_BRIDGE_'));
  // Where this machine has its registries from.
  const pip = process.env.PIP_CONFIG_FILE ?? join(homedir(), '.config/pip/pip.conf');
  return {
    ...Object.fromEntries(own),
    ...(existsSync(pip) ? { PIP_CONFIG_FILE: pip } : {}),
    npm_config_userconfig: process.env.npm_config_userconfig ?? join(homedir(), '.npmrc'),
    npm_config_cache: join(home, '.npm'),
    HOME: home,
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_STATE_HOME: join(home, '.local/state'),
    ROS_DOMAIN_ID: String(1 + (process.pid % 100)),
  };
}

/** How long each step of the preparation took, s, in the order of their ends. */
function stepsOf(folder: string, output: string): [step: string, seconds: string][] {
  const logs = join(folder, 'build/log');
  const kept = readdirSync(logs).map((name) => readFileSync(join(logs, name), 'utf8'));
  return [output, ...kept].flatMap((text) =>
    [...text.matchAll(STEP)].map((found) => [found[1]!, found[2]!] as const),
  ) as [string, string][];
}

const within = (goal: string, limit: number, times: readonly number[]): Target => ({
  goal: `${goal}: <= ${limit} s`,
  measured:
    times.length === 1
      ? `${times[0]!.toFixed(1)} s`
      : `median ${median(times).toFixed(2)} s, worst of ${times.length} ${Math.max(...times).toFixed(2)} s`,
  reached: Math.max(...times) <= limit,
});

if (process.env.AMENT_PREFIX_PATH !== undefined)
  throw new Error('a ROS 2 is set up in this terminal, and would be used: open another one');
const report = new Report('start', 'Start');
const home = mkdtempSync(join(tmpdir(), 'arm-bridge-bench-start-'));
const folder = join(home, 'arm-bridge');
let bridge: Start | null = null;
try {
  execFileSync('git', ['clone', '--quiet', '.', folder]);
  const environment = emptyEnvironment(home);
  bridge = await Start.begin(folder, environment);
  const answered = await bridge.until(['/healthz', '/status', '/']);
  const joined = await bridge.until(['/status'], (body) => (JSON.parse(body) as RosStatus).ros.enabled);
  // The bridge writes the end of the last step before ROS 2 is there.
  await bridge.end();
  const steps = stepsOf(folder, bridge.output);
  const again: number[] = [];
  for (let i = 0; i < AGAIN; i++) {
    bridge = await Start.begin(folder, environment);
    again.push(await bridge.until(['/status']));
    await bridge.end();
  }
  const targets = [
    within('from npm start in a fresh clone with empty caches to page and HTTP', GOALS.answer, [answered]),
    within('to ROS 2', GOALS.ros, [joined]),
    within('a second start, through npm, to the first answer', GOALS.again, again),
  ];
  const table = markdownTable(['step of the first start', 'took, s'], steps);
  report.publish(`${targetTable(targets)}\n\n${table}\n\n${report.machine()}\n`);
} finally {
  await bridge?.end();
  rmSync(home, { recursive: true, force: true });
}

interface RosStatus {
  readonly ros: { readonly enabled: boolean };
}
