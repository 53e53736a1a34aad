/** A machine that is booted by systemd, in a container of systemd-nspawn on the network of a Machine. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from './engine.ts';
import { imageOf, type Target } from './images.ts';
import type { Machine } from './machine.ts';
import { FOLDER, type Outcome, outcome, ROOT, type RunOptions, run, say, until } from './run.ts';

const IMAGE = 'arm-bridge-lab:systemd';
/** Files of the machine on which the bridge of a target has been built, by root. */
const treeOf = (target: Target): string => join(FOLDER, `nspawn-${target}`);

/** Lays out the files of such a machine anew. */
export async function layOut(engine: Engine, target: Target): Promise<void> {
  say(`laying out a machine with systemd and the bridge of ${target}`);
  const tree = treeOf(target);
  const file = join(ROOT, 'test/lab/bases/systemd.Dockerfile');
  const args = [
    '--network=host',
    '--build-arg',
    `IMAGE=${imageOf(target)}`,
    '-f',
    file,
    '-t',
    IMAGE,
    join(ROOT, 'test/lab/bases'),
  ];
  await engine.docker(['build', ...args], { timeout: 300_000 });
  rmSync(tree, { recursive: true, force: true });
  mkdirSync(tree, { recursive: true });
  const container = await engine.docker(['create', IMAGE]);
  try {
    const archive = join(FOLDER, 'nspawn.tar');
    await engine.docker(['export', '-o', archive, container], { timeout: 120_000 });
    await run('tar', ['-xf', archive, '-C', tree], { timeout: 120_000 });
    rmSync(archive);
  } finally {
    await engine.docker(['rm', container]);
  }
}

export class Booted {
  readonly #nspawn: ChildProcess;
  readonly #init: number;

  private constructor(nspawn: ChildProcess, init: number) {
    this.#nspawn = nspawn;
    this.#init = init;
  }

  /** @param target whose machine has been laid out */
  static async start(machine: Machine, target: Target): Promise<Booted> {
    const args = ['--quiet', '--register=no', '--keep-unit', '--boot', '-D', treeOf(target), '--console=pipe'];
    const [program, all] = machine.command('systemd-nspawn', args);
    const nspawn = spawn(program, all, { stdio: ['ignore', 'pipe', 'pipe'] });
    const log = createWriteStream(join(FOLDER, 'nspawn.log'));
    nspawn.stdout.pipe(log);
    nspawn.stderr.pipe(log);
    const init = await until(`systemd boots (${FOLDER}/nspawn.log)`, () => {
      if (nspawn.exitCode !== null)
        throw new Error(`systemd-nspawn has ended: ${readFileSync(join(FOLDER, 'nspawn.log'))}`);
      return childOf(nspawn.pid!);
    });
    const booted = new Booted(nspawn, init);
    await until('systemd has booted', async () => {
      const { stdout } = await booted.outcome('systemctl', ['is-system-running']);
      return /running|degraded/.test(stdout) ? true : null;
    });
    return booted;
  }

  /** Runs a program on it, as a person who has logged in would. */
  outcome(
    program: string,
    args: readonly string[],
    options: RunOptions & { readonly user?: string } = {},
  ): Promise<Outcome> {
    const { user, ...rest } = options;
    const as = user === undefined ? [] : ['runuser', '-u', user, '--'];
    const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', ...options.env };
    const enter = ['-t', String(this.#init), '--mount', '--uts', '--ipc', '--net', '--pid', '--root', '--wdns=/', '--'];
    return outcome('nsenter', [...enter, ...as, program, ...args], { ...rest, env });
  }

  async run(
    program: string,
    args: readonly string[],
    options: RunOptions & { readonly user?: string } = {},
  ): Promise<string> {
    const { code, stdout, stderr } = await this.outcome(program, args, options);
    if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${stdout}\n${stderr}`);
    return stdout;
  }

  /** A property of the service, such as MainPID. */
  async property(name: string): Promise<string> {
    return (await this.run('systemctl', ['show', '-p', name, '--value', 'arm-bridge'])).trim();
  }

  journal(): Promise<string> {
    return this.run('journalctl', ['-u', 'arm-bridge', '--no-pager', '-o', 'cat']);
  }

  async stop(): Promise<void> {
    const ended = once(this.#nspawn, 'exit');
    await this.outcome('systemctl', ['poweroff']);
    const timer = setTimeout(() => this.#nspawn.kill('SIGKILL'), 40_000);
    await ended;
    clearTimeout(timer);
  }
}

/** The first process that a process has started in a namespace of its own, by its number here. */
function childOf(pid: number): number | null {
  let current = pid;
  // nsenter becomes systemd-nspawn, whose child is systemd.
  for (;;) {
    const file = `/proc/${current}/task/${current}/children`;
    if (!existsSync(file)) return null;
    const child = Number(readFileSync(file, 'utf8').trim().split(' ').at(-1));
    if (!child) return null;
    if (/systemd|init/.test(readFileSync(`/proc/${child}/comm`, 'utf8'))) {
      const name = readFileSync(`/proc/${child}/comm`, 'utf8').trim();
      if (name === 'systemd' || name === 'init') return child;
    }
    current = child;
  }
}
