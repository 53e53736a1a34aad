/** A machine for the laboratory: network and /dev/shm of its own, so that nothing else here is met or disturbed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Outcome, outcome, ROOT, type RunOptions, run } from './run.ts';

/** May be entered by all users. */
const ENTER = 0o001;

/** Folders that a file or folder is in and other users may not enter, the outermost first. A home folder often is one. */
function closedAbove(path: string): string[] {
  const above = dirname(realpathSync(path));
  const further = above === '/' ? [] : closedAbove(above);
  return (statSync(above).mode & ENTER) === 0 ? [...further, above] : further;
}

/** The command that lets other users of the machine into a folder, and changes nothing outside of it. */
function opened(folder: string, place: number): string {
  const [upper, work] = [`/run/opened-${place}`, `/run/work-${place}`];
  return `mkdir -m 755 ${upper} ${work} && mount -t overlay -o lowerdir=${folder},upperdir=${upper},workdir=${work} overlay ${folder}`;
}

export class Machine {
  readonly #anchor: ChildProcess;

  private constructor(anchor: ChildProcess) {
    this.#anchor = anchor;
  }

  static async start(): Promise<Machine> {
    const prefixes = process.env.AMENT_PREFIX_PATH!.split(':');
    // The Python of an environment lies elsewhere, for example in the home folder of whoever made it.
    const pythons = prefixes.map((prefix) => join(prefix, 'bin/python')).filter(existsSync);
    const closed = new Set([ROOT, ...prefixes, ...pythons].flatMap(closedAbove));
    const script = [
      'mount -t tmpfs -o mode=1777 shm /dev/shm',
      'mount -t tmpfs -o mode=755 run /run',
      'ip link set lo up',
      // A card to a network on which nobody else is.
      'ip link add eth0 type veth peer name cable && ip link set cable up && ip link set eth0 up',
      'ip address add 192.168.77.1/24 dev eth0 && ip route add default dev eth0',
      ...[...closed].map(opened),
      'echo up',
      'exec sleep infinity',
    ].join(' && ');
    const anchor = spawn('unshare', ['--net', '--mount', '--ipc', '--propagation', 'private', 'sh', '-c', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await Promise.race([
      once(anchor.stdout!, 'data'),
      once(anchor, 'exit').then(() => Promise.reject(new Error('no namespaces can be made here'))),
    ]);
    return new Machine(anchor);
  }

  /** The command that runs a program on this machine, as another user where one is named. @param folder in which */
  command(program: string, args: readonly string[], user?: number, folder = '/'): readonly [string, string[]] {
    const as =
      user === undefined
        ? []
        : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--no-new-privs', '--'];
    const enter = ['-t', String(this.#anchor.pid), '--net', '--mount', '--ipc', `--wd=${folder}`, '--'];
    return ['nsenter', [...enter, ...as, program, ...args]];
  }

  outcome(program: string, args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    const [enter, all] = this.command(program, args, undefined, options.cwd);
    return outcome(enter, all, options);
  }

  run(program: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
    const [enter, all] = this.command(program, args, undefined, options.cwd);
    return run(enter, all, options);
  }

  /** Status of an answer over HTTP, 0 without one, and its body. */
  async ask(path: string, { token, method = 'GET', body }: Question = {}): Promise<{ status: number; body: string }> {
    const args = ['-sS', '-m', '20', '-X', method, '-w', '\n%{http_code}', `http://127.0.0.1:8020${path}`];
    if (token !== undefined) args.push('-H', `Authorization: Bearer ${token}`);
    if (body !== undefined) args.push('-H', 'Content-Type: application/json', '-d', JSON.stringify(body));
    const { stdout } = await this.outcome('curl', args);
    const at = stdout.lastIndexOf('\n');
    return { status: Number(stdout.slice(at + 1)) || 0, body: stdout.slice(0, Math.max(at, 0)) };
  }

  stop(): void {
    this.#anchor.kill('SIGKILL');
  }
}

export interface Question {
  readonly token?: string;
  readonly method?: 'GET' | 'POST';
  readonly body?: object;
}
