/**
 * What docker/compose.yaml says, as `docker run` commands, for tests that add to it or run a service twice. Compose reads it;
 * every key that it gives is either translated here or refused, so that the tests run what people run.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from './engine.ts';
import { FOLDER, ROOT, run } from './run.ts';

interface Mount {
  readonly type: string;
  readonly source: string;
  readonly target: string;
  readonly read_only?: boolean;
}

type Service = Readonly<Record<string, unknown>>;

interface Project {
  readonly name: string;
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes?: Readonly<Record<string, { readonly name: string }>>;
  readonly secrets?: Readonly<Record<string, { readonly file: string }>>;
}

/** One key of a service to the arguments of `docker run`. */
const TRANSLATED: Readonly<Record<string, (value: never, project: Project) => string[]>> = {
  cap_drop: (names: string[]) => names.flatMap((name) => ['--cap-drop', name]),
  device_cgroup_rules: (rules: string[]) => rules.flatMap((rule) => ['--device-cgroup-rule', rule]),
  environment: (values: Record<string, string>) =>
    Object.entries(values).flatMap(([name, value]) => ['-e', `${name}=${value}`]),
  group_add: (names: string[]) => names.flatMap((name) => ['--group-add', name]),
  healthcheck: ({ disable }: { disable?: boolean }) => (disable === true ? ['--no-healthcheck'] : []),
  ipc: (mode: string) => ['--ipc', mode],
  logging: ({ driver, options }: { driver: string; options: Record<string, string> }) => [
    '--log-driver',
    driver,
    ...Object.entries(options).flatMap(([name, value]) => ['--log-opt', `${name}=${value}`]),
  ],
  network_mode: (mode: string) => ['--network', mode],
  read_only: (wanted: boolean) => (wanted ? ['--read-only'] : []),
  restart: (policy: string) => ['--restart', policy],
  secrets: (secrets: { source: string; target: string }[], project) =>
    secrets.flatMap(({ source, target }) => ['-v', `${project.secrets![source]!.file}:${target}:ro`]),
  security_opt: (options: string[]) => options.flatMap((option) => ['--security-opt', option]),
  stop_grace_period: (time: string) => ['--stop-timeout', String(Number.parseInt(time, 10))],
  tmpfs: (mounts: string[]) => mounts.flatMap((mount) => ['--tmpfs', mount]),
  ulimits: (limits: Record<string, number>) =>
    Object.entries(limits).flatMap(([name, value]) => ['--ulimit', `${name}=${value}`]),
  user: (user: string) => ['--user', user],
  stdin_open: (wanted: boolean) => (wanted ? ['-i'] : []),
  tty: (wanted: boolean) => (wanted ? ['-t'] : []),
  volumes: (mounts: Mount[], project) =>
    mounts.flatMap(({ type, source, target, read_only: readOnly }) => {
      const from = type === 'volume' ? project.volumes![source]!.name : source;
      return ['-v', `${from}:${target}${readOnly === true ? ':ro' : ''}`];
    }),
};
/** Keys that are used in other places, or say nothing about how a container runs. */
const ELSEWHERE = ['build', 'command', 'depends_on', 'entrypoint', 'image', 'profiles'];

/** What a test that waits for a first check of the health adds. */
export const IMPATIENT = ['--health-interval', '2s'];

/** A copy of docker/ in which secrets and configurations can be put, and the commands of its compose files. */
export class Compose {
  /** The folder in which a person would type. */
  readonly folder: string;

  constructor(name: string) {
    this.folder = join(FOLDER, name, 'docker');
    rmSync(this.folder, { recursive: true, force: true });
    cpSync(join(ROOT, 'docker'), this.folder, { recursive: true, filter: (path) => !/\/(secrets|\.env)$/.test(path) });
    mkdirSync(join(this.folder, 'secrets'), { mode: 0o700 });
  }

  secret(name: string, value: string): string {
    writeFileSync(join(this.folder, 'secrets', name), `${value}\n`);
    return value;
  }

  /** The project as Compose sees it, for these profiles and values of docker/.env. */
  async load(profiles: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<Project> {
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...variables };
    const wanted = profiles.flatMap((profile) => ['--profile', profile]);
    const args = ['-f', join(this.folder, 'compose.yaml'), ...wanted, 'config', '--format', 'json'];
    return JSON.parse(await run(process.env.ARM_BRIDGE_COMPOSE!, args, { env }));
  }

  /**
   * Arguments of `docker run` for a service.
   * @param options.command in place of the service's own, as `docker compose run SERVICE COMMAND` has it
   * @throws {Error} for a key that this file does not know
   */
  async arguments(
    service: string,
    options: {
      readonly variables?: Readonly<Record<string, string>>;
      readonly command?: readonly string[];
      readonly more?: readonly string[];
    } = {},
  ): Promise<string[]> {
    const project = await this.load(['*'], options.variables ?? {});
    const settings = project.services[service];
    if (settings === undefined) throw new Error(`docker/compose.yaml has no service ${service}`);
    const args = Object.entries(settings).flatMap(([key, value]) => {
      const translate = TRANSLATED[key];
      if (translate !== undefined) return translate(value as never, project);
      if (ELSEWHERE.includes(key)) return [];
      throw new Error(`docker/compose.yaml: ${service}.${key} is not translated by test/lab/support/compose.ts`);
    });
    const entry = settings.entrypoint as string[] | null;
    if (entry) args.push('--entrypoint', entry[0]!);
    const command = options.command ?? (settings.command as string[] | null) ?? [];
    return [...args, ...(options.more ?? []), settings.image as string, ...(entry?.slice(1) ?? []), ...command];
  }

  /** `docker compose up -d SERVICE` under a name. Its health is asked for more often, so that nobody waits for it. */
  async up(
    engine: Engine,
    service: string,
    name: string,
    options: Parameters<Compose['arguments']>[1] = {},
  ): Promise<void> {
    await engine.docker(['run', '-d', '--name', name, ...IMPATIENT, ...(await this.arguments(service, options))]);
  }
}
