/** A laboratory as docs/deployment.md has it set up: a machine, an engine on it, and the folder in which people type. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Compose } from './compose.ts';
import { Engine } from './engine.ts';
import { Machine } from './machine.ts';
import { outcome, ROOT, say, until } from './run.ts';

/** Longest start of a bridge on a busy machine, ms. */
const START_LIMIT = 120_000;

export class Lab {
  readonly machine: Machine;
  readonly engine: Engine;
  readonly compose: Compose;
  readonly token: string;
  readonly readToken: string;

  private constructor(machine: Machine, engine: Engine, compose: Compose) {
    this.machine = machine;
    this.engine = engine;
    this.compose = compose;
    this.token = compose.secret('token', randomBytes(32).toString('hex'));
    this.readToken = compose.secret('read_token', randomBytes(32).toString('hex'));
    compose.secret('grafana_password', 'nobody-looks');
  }

  static async start(name: string): Promise<Lab> {
    const machine = await Machine.start();
    try {
      const engine = await Engine.start(machine);
      await removeAll(engine);
      return new Lab(machine, engine, new Compose(name));
    } catch (error) {
      machine.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await removeAll(this.engine);
    await this.engine.stop();
    this.machine.stop();
  }

  /** Starts a service of the compose file, from the Debian image unless variables say otherwise, and waits until it is ready. */
  async up(service: string, name: string, options: Parameters<Compose['arguments']>[1] = {}): Promise<void> {
    const variables = { ARM_BRIDGE_TARGET: 'bookworm', ...options.variables };
    await this.compose.up(this.engine, service, name, { ...options, variables });
    await this.ready(name);
  }

  /** Waits until a bridge is ready and its image's health check has found it well. */
  async ready(name: string): Promise<void> {
    try {
      await until(
        `${name} is ready`,
        async () => ((await this.machine.ask('/readyz')).status === 200 ? true : null),
        START_LIMIT,
      );
      await until(
        `${name} is healthy`,
        async () => ((await this.engine.inspect(name, '.State.Health.Status')) === 'healthy' ? true : null),
        START_LIMIT,
      );
    } catch (error) {
      say(await this.logs(name));
      throw error;
    }
  }

  async logs(name: string): Promise<string> {
    const { stdout, stderr } = await this.engine.outcome(['logs', name]);
    return stdout + stderr;
  }

  /** Runs a shell command inside a container. */
  inside(name: string, command: string, more: readonly string[] = []): ReturnType<Engine['outcome']> {
    return this.engine.outcome(['exec', ...more, name, 'sh', '-c', command]);
  }

  /** Prints joints and tool pose of an arm once, as any user of this machine who has a ROS 2 and sets nothing. */
  onHost(user: number, arm: string): ReturnType<typeof outcome> {
    const { AMENT_PREFIX_PATH, RMW_IMPLEMENTATION, ROS_DISTRO, ARM_BRIDGE_ROS_PYTHON } = process.env;
    const watch = [ARM_BRIDGE_ROS_PYTHON!, '-B', join(ROOT, 'docs/watch.py'), arm, '--once'];
    const [program, args] = this.machine.command('timeout', ['30', ...watch], user);
    const env = { PATH: '/usr/bin:/bin', HOME: '/tmp', AMENT_PREFIX_PATH, RMW_IMPLEMENTATION, ROS_DISTRO };
    return outcome(program, args, { env, cwd: '/', timeout: 60_000 });
  }

  async down(name: string): Promise<void> {
    await this.engine.outcome(['rm', '-f', '-v', name]);
  }
}

/** Containers and named volumes that a run before this one has left. */
async function removeAll(engine: Engine): Promise<void> {
  const left = (await engine.docker(['ps', '-aq'])).split('\n').filter((id) => id !== '');
  if (left.length > 0) await engine.outcome(['rm', '-f', '-v', ...left]);
  const volumes = (await engine.docker(['volume', 'ls', '-q'])).split('\n').filter((id) => id !== '');
  if (volumes.length > 0) await engine.outcome(['volume', 'rm', '-f', ...volumes]);
}
