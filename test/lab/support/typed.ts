/** The commands of docs/deployment.md as a person types them in docker/, in a shell. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bashBlocks, commands } from '../../docs/support/blocks.ts';
import { Typist as Terminal } from '../../support/typist.ts';
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

  constructor(lab: Lab) {
    this.#lab = lab;
  }

  /** Writes docker/.env. */
  set(variables: Readonly<Record<string, string>>): void {
    const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(join(this.#lab.compose.folder, '.env'), lines.join(''));
  }

  /** Carries a command out. @throws {Error} when it fails, or does not stand in the document */
  async type(command: string): Promise<Outcome> {
    const { compose, machine } = this.#lab;
    const env = { ...process.env, ...this.#environment };
    const result = await machine.outcome('sh', ['-c', this.#read(command)], {
      cwd: compose.folder,
      env,
      timeout: 180_000,
    });
    if (result.code !== 0) throw new Error(`${command} ended with ${result.code}:\n${result.stdout}\n${result.stderr}`);
    return result;
  }

  /** Begins a command that stays in the terminal. */
  begin(command: string): Terminal {
    const { compose, machine } = this.#lab;
    const [program, args] = machine.command('sh', ['-c', this.#read(command)], undefined, compose.folder);
    return new Terminal([program, ...args], this.#environment);
  }

  /** What a person keeps at home is kept in the folder of the test. */
  get #environment(): Record<string, string> {
    return { ...this.#lab.engine.environment, HOME: this.#lab.compose.folder };
  }

  /** Compose has Docker Buildx build, which Debian's packages lack: `docker build` has built, from the same files. */
  #read(command: string): string {
    if (!documented().includes(command)) throw new Error(`${DOCUMENT} has no command "${command}"`);
    this.typed.add(command);
    return command.replace(/ --build\b/, '').replace(/ build$/, ' config --images | xargs docker image inspect');
  }
}
