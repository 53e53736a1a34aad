/** Programs that the laboratory's tests run on this machine, and what it takes for them to be run at all. */
import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** The engine keeps images and build cache here from run to run: the second one takes a tenth of the time. */
export const FOLDER = process.env.ARM_BRIDGE_LAB_FOLDER || '/var/cache/arm-bridge-lab';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** ms; the program is killed then. */
  readonly timeout?: number;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly input?: string;
}

/** Runs a program to its end, whatever its exit code is. */
export function outcome(program: string, args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const { input = '', timeout = 60_000, ...rest } = options;
  return new Promise((resolve) => {
    const settings = { maxBuffer: 2 ** 28, timeout, killSignal: 'SIGKILL', ...rest } as const;
    const child = execFile(program, args, settings, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      const why = code === -1 ? `\n${program}: ${error?.message ?? ''}` : '';
      resolve({ code, stdout, stderr: stderr + why });
    });
    child.stdin?.on('error', () => {}).end(input);
  });
}

/** Runs a program and returns what it prints. @throws {Error} with its last lines when it fails */
export async function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await outcome(program, args, options);
  if (code === 0) return stdout;
  const told = `${stdout}\n${stderr}`.trim().split('\n').slice(-40).join('\n');
  throw new Error(`${program} ${args.slice(0, 6).join(' ')} ... ended with ${code}:\n${told}`);
}

/** Asks until `ask` gives something else than null. @throws {Error} with `what` after `limit` ms */
export async function until<Value>(
  what: string,
  ask: () => Promise<Value | null> | Value | null,
  limit = 60_000,
): Promise<Value> {
  const end = performance.now() + limit;
  for (;;) {
    const value = await ask();
    if (value !== null) return value;
    if (performance.now() > end) throw new Error(`not within ${limit / 1000} s: ${what}`);
    await sleep(200);
  }
}

/** Says on the terminal what is going on: a build takes minutes. */
export function say(text: string): void {
  process.stderr.write(`[lab ${new Date().toISOString().slice(11, 19)}] ${text}\n`);
}

/**
 * What this machine lacks, so that the laboratory cannot be tried out on it: scripts/run-lab.mjs tells it and counts no
 * failure. For what comes before anything of this project runs: packages, an engine, a first container.
 */
export function unavailable(reason: string, error: unknown): Error {
  const text = `${reason}: ${error instanceof Error ? error.message : String(error)}`;
  writeFileSync(join(FOLDER, 'why-not'), text);
  return new Error(text, { cause: error });
}

/** What the tests need of Debian's packages. scripts/run-lab.mjs says where they cannot be had. */
const PACKAGES = {
  '/usr/sbin/dockerd': 'docker.io',
  '/usr/bin/containerd': 'containerd',
  '/usr/sbin/runc': 'runc',
  '/usr/sbin/iptables': 'iptables',
  '/usr/bin/mmdebstrap': 'mmdebstrap',
  '/usr/bin/systemd-nspawn': 'systemd-container',
  '/usr/bin/promtool': 'prometheus',
};

/** Installs what is missing. The archive folder is its own: another apt at work empties the shared one. */
export async function installPackages(): Promise<void> {
  const missing = Object.entries(PACKAGES).flatMap(([file, name]) => (existsSync(file) ? [] : [name]));
  if (missing.length === 0) return;
  say(`installing ${missing.join(', ')}`);
  const archives = `${FOLDER}/apt`;
  await run('mkdir', ['-p', `${archives}/partial`]);
  const settings = [`Dir::Cache::archives=${archives}`, 'DPkg::Lock::Timeout=300', 'Acquire::Retries=5'];
  const options = ['-qq', ...settings.flatMap((setting) => ['-o', setting])];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  await run('apt-get', [...options, 'update'], { env, timeout: 300_000 });
  await run('apt-get', [...options, 'install', '-y', '--no-install-recommends', ...missing], { env, timeout: 600_000 });
}
