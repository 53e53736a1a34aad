/** A Docker engine of our own, with its own folders and its own socket, that touches no network settings. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import type { Server } from 'node:net';
import { dirname, join } from 'node:path';
import { listening } from '../../support/listening.ts';
import type { Machine } from './machine.ts';
import { FOLDER, type Outcome, outcome, type RunOptions, run, until } from './run.ts';

const SOCKET = `unix://${FOLDER}/docker.sock`;
/** That of Debian's package, whatever other client is on the PATH: it has BuildKit without a plug-in. */
const CLIENT = '/usr/bin/docker';
/** Settings and plug-ins of that client. */
const CLIENT_FOLDER = join(FOLDER, 'client');
/** Whoever listens there has the folders of the engine. The kernel lets go of it when the process ends. */
const CLAIM = { path: '\0arm-bridge-lab-engine' };
/** Longest wait for the engine that another file has, ms. */
const TURN_LIMIT = 1_100_000;
/** An engine that is asked to end stops its containers first, and a bridge lowers its arms, ms. */
const END_LIMIT = 60_000;

export class Engine {
  readonly #machine: Machine | null;
  readonly #claim: Server;
  #daemon: ChildProcess;

  private constructor(machine: Machine | null, claim: Server) {
    this.#machine = machine;
    this.#claim = claim;
    this.#daemon = this.#spawn();
  }

  /**
   * Waits until no other file has an engine, then starts one.
   * @param machine where containers with the network of the host run; null: on this one, whose network builds need
   */
  static async start(machine: Machine | null): Promise<Engine> {
    mkdirSync(FOLDER, { recursive: true });
    const engine = new Engine(machine, await until('no other file has the engine', () => listening(CLAIM), TURN_LIMIT));
    plugIn();
    await engine.#ready();
    return engine;
  }

  #spawn(): ChildProcess {
    // A killed engine leaves these behind, and in the namespace of the next run other processes have their numbers.
    for (const left of ['docker.pid', 'run/containerd/containerd.pid']) rmSync(join(FOLDER, left), { force: true });
    const args = [
      ['--data-root', join(FOLDER, 'docker'), '--exec-root', join(FOLDER, 'run'), '-H', SOCKET],
      ['--pidfile', join(FOLDER, 'docker.pid'), '--bridge=none', '--iptables=false', '--ip6tables=false'],
      ['--cgroup-parent', '/arm-bridge-lab'],
    ].flat();
    const log = openSync(join(FOLDER, 'dockerd.log'), 'a');
    const [program, all] = this.#machine?.command('/usr/sbin/dockerd', args) ?? ['/usr/sbin/dockerd', args];
    return spawn(program, all, { stdio: ['ignore', log, log], env: environment() });
  }

  async #ready(): Promise<void> {
    await until(`the engine answers (${FOLDER}/dockerd.log)`, async () => {
      if (this.#daemon.exitCode !== null)
        throw new Error(`dockerd has ended (${FOLDER}/dockerd.log):\n${lastLines(join(FOLDER, 'dockerd.log'))}`);
      return (await this.outcome(['version'])).code === 0 ? true : null;
    });
  }

  /** In which `docker` and `docker compose` speak to this engine. */
  get environment(): Record<string, string> {
    return environment();
  }

  outcome(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    return outcome(CLIENT, args, { env: environment(), ...options });
  }

  /** What `docker ARGS` prints. @throws {Error} when it fails */
  async docker(args: readonly string[], options: RunOptions = {}): Promise<string> {
    return (await run(CLIENT, args, { env: environment(), ...options })).trim();
  }

  /** What a container's inspection says at a path such as `.State.Status`. */
  inspect(name: string, path: string): Promise<string> {
    return this.docker(['inspect', '--format', `{{${path}}}`, name]);
  }

  /** As a machine that is shut down and started again has it. */
  async reboot(): Promise<void> {
    await this.#end();
    this.#daemon = this.#spawn();
    await this.#ready();
  }

  async stop(): Promise<void> {
    await this.#end();
    this.#claim.close();
  }

  async #end(): Promise<void> {
    if (this.#daemon.exitCode !== null) return;
    const ended = once(this.#daemon, 'exit');
    this.#daemon.kill('SIGTERM');
    const timer = setTimeout(() => this.#daemon.kill('SIGKILL'), END_LIMIT);
    await ended;
    clearTimeout(timer);
  }
}

/** `docker compose` is Compose then. */
function plugIn(): void {
  const plugin = join(CLIENT_FOLDER, 'cli-plugins', 'docker-compose');
  mkdirSync(dirname(plugin), { recursive: true });
  rmSync(plugin, { force: true });
  symlinkSync(process.env.ARM_BRIDGE_COMPOSE!, plugin);
}

const lastLines = (file: string): string => readFileSync(file, 'utf8').trim().split('\n').slice(-5).join('\n');

function environment(): Record<string, string> {
  // The engine's own tools stand beside it.
  const path = `${dirname(CLIENT)}:/usr/sbin:${process.env.PATH ?? ''}`;
  return {
    PATH: path,
    HOME: process.env.HOME ?? '/root',
    DOCKER_HOST: SOCKET,
    DOCKER_CONFIG: CLIENT_FOLDER,
    DOCKER_BUILDKIT: '1',
    BUILDKIT_PROGRESS: 'plain',
  };
}
