/**
 * The commands of docs/deployment.md as a person types them in docker/. `docker compose` is carried out by `docker run` and
 * its like, from what the loader of the Compose Specification makes of the file: Compose itself is not to be had here.
 */
import { bashBlocks, commands } from '../../docs/support/blocks.ts';
import { IMPATIENT } from './compose.ts';
import type { Lab } from './lab.ts';
import type { Outcome } from './run.ts';

const DOCUMENT = 'docs/deployment.md';

/** Commands that test/lab/document.lab.ts does not type, each with its reason. */
export const NOT_TYPED: Readonly<Record<string, string>> = {
  'docker compose run --rm setup': 'asks: test/lab/setup.lab.ts answers it, for an emulated arm',
  'docker compose run --rm setup calibrate --arm follower': 'takes a hand that leads the joints of a real arm',
  'docker compose --profile lab --profile foxglove up -d --build':
    'Foxglove comes from the packages of ROS; its image is built',
  'openssl rand -base64 18 > secrets/grafana_password': 'test/lab/monitoring.lab.ts makes one',
  'docker compose --profile lab --profile monitoring up -d':
    "test/lab/monitoring.lab.ts runs Debian's Prometheus in its place",
  'docker compose --profile lab exec lab /opt/arm-bridge/docker/with-ros.sh ros2 topic list':
    'ros2 is a part of the official image',
  'docker compose --profile discovery up -d': 'test/e2e/discovery.test.ts runs its program, between two networks',
  'ssh -N -L 8020:127.0.0.1:8020 -L 8021:127.0.0.1:8021 lab-machine': 'takes another machine',
  'git pull': 'a newer version is another tag here',
  'sudo git clone REPOSITORY /opt/arm-bridge': 'test/lab/service.lab.ts has this checkout there',
  'sudo env XDG_CACHE_HOME=/opt/cache /opt/arm-bridge/docker/build.sh':
    'the image that test/lab/service.lab.ts boots ran it',
  'sudo /opt/arm-bridge/docker/arm-bridge install': 'test/lab/service.lab.ts',
  'sudo systemctl stop arm-bridge': 'test/lab/service.lab.ts',
  'sudo /opt/arm-bridge/docker/arm-bridge setup --config /etc/arm-bridge/config.yaml':
    'asks: test/cli/terminal.edge.test.ts answers it',
  'sudo /opt/arm-bridge/docker/arm-bridge calibrate --config /etc/arm-bridge/config.yaml --arm follower':
    'takes a hand that leads the joints of a real arm; test/lab/service.lab.ts imports a calibration',
  'sudo systemctl start arm-bridge': 'test/lab/service.lab.ts',
  'journalctl -u arm-bridge -f': 'test/lab/service.lab.ts, without waiting for more',
  'sudo /opt/arm-bridge/docker/arm-bridge backup --config /etc/arm-bridge/config.yaml ~/before.tar.gz':
    'test/lab/service.lab.ts',
  'sudo git -C /opt/arm-bridge pull': 'test/lab/service.lab.ts has no repository there',
  'npm pack': 'test/e2e/package.test.ts packs, installs and runs the package',
  'npm install ./arm-bridge-0.1.0.tgz': 'test/e2e/package.test.ts',
  'npx arm-bridge doctor': 'test/e2e/package.test.ts',
  'npx arm-bridge --config my-arms.yaml': 'test/e2e/package.test.ts',
};

/** Every command of the document, once. */
export function documented(): string[] {
  return [...new Set(bashBlocks(DOCUMENT).flatMap(commands))];
}

/** A person who types the document's commands, and no others. */
export class Typist {
  readonly #lab: Lab;
  /** What has been typed so far. */
  readonly typed = new Set<string>();
  /** In docker/.env. */
  variables: Readonly<Record<string, string>>;

  constructor(lab: Lab, variables: Readonly<Record<string, string>>) {
    this.#lab = lab;
    this.variables = variables;
  }

  /** Carries a command out. @throws {Error} when it fails, or does not stand in the document */
  async type(command: string): Promise<Outcome> {
    if (!documented().includes(command)) throw new Error(`${DOCUMENT} has no command "${command}"`);
    this.typed.add(command);
    const result = await this.#carryOut(command);
    if (result.code !== 0) throw new Error(`${command} ended with ${result.code}:\n${result.stdout}\n${result.stderr}`);
    return result;
  }

  #carryOut(command: string): Promise<Outcome> {
    const [, set = '', rest] = /^((?:[A-Z_]+=\S+ )*)(.*)$/.exec(command)!;
    const pairs = set.split(' ').filter((pair) => pair !== '');
    const variables = { ...this.variables, ...Object.fromEntries(pairs.map((pair) => pair.split('='))) };
    const { compose, engine, machine } = this.#lab;
    const inFolder = { cwd: compose.folder, timeout: 120_000 };
    if (!rest!.startsWith('docker ')) return machine.outcome('sh', ['-c', rest!], inFolder);
    const [text, redirection = ''] = rest!.split(/ (?=[<>] )/);
    const words = text!.split(/\s+/).slice(1);
    return words[0] === 'compose' ? this.#compose(words.slice(1), variables, redirection) : engine.outcome(words);
  }

  async #compose(
    words: readonly string[],
    variables: Readonly<Record<string, string>>,
    redirection: string,
  ): Promise<Outcome> {
    const profiles = words.flatMap((word, i) => (words[i - 1] === '--profile' ? [word] : []));
    const [verb, ...rest] = words.slice(2 * profiles.length);
    const { compose, engine } = this.#lab;
    const { services } = await compose.load(profiles, variables);
    const names = Object.keys(services);
    switch (verb) {
      case 'up':
        for (const name of names) await this.#up(name, variables);
        return NOTHING;
      case 'stop':
        return engine.outcome(['stop', ...names]);
      case 'ps':
        return engine.outcome(['ps', '-a']);
      case 'logs':
        return engine.outcome(['logs', ...rest]);
      case 'build':
        // Built before all tests, from the same file: what is built is there under the names that the file gives it.
        for (const name of names) await engine.docker(['image', 'inspect', String(services[name]!.image)]);
        return NOTHING;
      case 'run':
        return this.#runOnce(rest, variables, redirection);
      default:
        throw new Error(`docker compose ${verb} is not translated by test/lab/support/typed.ts`);
    }
  }

  /** As Compose does: a container whose image or settings have changed is replaced, another one is started. */
  async #up(name: string, variables: Readonly<Record<string, string>>): Promise<void> {
    const { compose, engine } = this.#lab;
    const args = await compose.arguments(name, { variables });
    const label = `arm-bridge-lab=${JSON.stringify(args)}`;
    const { stdout } = await engine.outcome(['inspect', '--format', '{{index .Config.Labels "arm-bridge-lab"}}', name]);
    if (`arm-bridge-lab=${stdout.trim()}` === label) {
      await engine.docker(['start', name]);
    } else {
      await engine.outcome(['stop', name]);
      await engine.outcome(['rm', name]);
      await engine.docker(['run', '-d', '--name', name, '--label', label, ...IMPATIENT, ...args]);
    }
    await this.#lab.ready(name);
  }

  async #runOnce(
    words: readonly string[],
    variables: Readonly<Record<string, string>>,
    redirection: string,
  ): Promise<Outcome> {
    const more: string[] = [];
    const left = [...words];
    while (left[0]!.startsWith('-')) {
      const option = left.shift()!;
      // Nobody is at a terminal here, with -T or without.
      if (option === '-T') continue;
      more.push(option, ...(option === '--entrypoint' ? [left.shift()!] : []));
    }
    const [service, ...command] = left;
    const { compose, engine } = this.#lab;
    const args = await compose.arguments(service!, { variables, more, command });
    const plain = args.filter((arg) => arg !== '-t');
    return engine.outcome(['run', ...plain], { redirection, cwd: compose.folder, timeout: 120_000 });
  }
}

const NOTHING: Outcome = { code: 0, stdout: '', stderr: '' };
