import { type ChildProcess, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { BridgeProcess } from './bridge.ts';

/** Where `ip netns` keeps its names, and how those of this test begin; the process that made one is in its name. */
const NAMES = '/run/netns';
const PREFIX = 'arm-bridge-';
const PLACES = ['a', 'b', 'router'] as const;
/** Time that one request may take, ms. */
const REQUEST_LIMIT = 20_000;

/** Asks as a program of that machine does: `node -e ASK URL METHOD BODY` prints the answer's body. */
const ASK = `
const [url, method, body] = process.argv.slice(1);
const headers = { 'content-type': 'application/json' };
const answer = await fetch(url, method === 'GET' ? {} : { method, headers, body });
process.stdout.write(await answer.text());
`;

function ip(...args: string[]): SpawnSyncReturns<string> {
  return spawnSync('ip', args, { encoding: 'utf8' });
}

/** Removes what this process has made, and what earlier ones left that were killed. */
function sweep(): void {
  if (!existsSync(NAMES)) return;
  for (const name of readdirSync(NAMES)) {
    const maker = new RegExp(`^${PREFIX}(\\d+)-(?:${PLACES.join('|')})$`).exec(name)?.[1];
    if (maker === undefined) continue;
    if (Number(maker) === process.pid || !existsSync(`/proc/${maker}`)) ip('netns', 'delete', name);
  }
}

/** Does all steps of ip(8). @returns why one cannot be done here, and then nothing is left; null: all are done */
function carryOut(steps: readonly (readonly string[])[]): string | null {
  for (const step of steps) {
    const { status, stderr, error } = ip(...step);
    if (status === 0) continue;
    sweep();
    return `ip ${step.join(' ')}: ${error?.message ?? stderr.trim()}`;
  }
  return null;
}

/** A machine as far as the network goes: a network namespace of Linux, with cables (veth) to others and no way to anybody else. */
export class Machine {
  readonly #name: string;
  readonly #cable: string;

  private constructor(place: (typeof PLACES)[number]) {
    this.#name = `${PREFIX}${process.pid}-${place}`;
    this.#cable = `veth-${place}`;
  }

  /** Two machines with a cable between them. @returns both, or why this system does not let us make them */
  static pair(): readonly [Machine, Machine] | string {
    sweep();
    process.once('exit', sweep);
    const [a, b] = [new Machine('a'), new Machine('b')];
    const steps = [
      ['netns', 'add', a.#name],
      ['netns', 'add', b.#name],
      ['link', 'add', a.#cable, 'netns', a.#name, 'type', 'veth', 'peer', 'name', b.#cable, 'netns', b.#name],
      ...[a, b].flatMap((machine, i) => [
        ['-n', machine.#name, 'address', 'add', `10.77.0.${i + 1}/24`, 'dev', machine.#cable],
        ['-n', machine.#name, 'link', 'set', 'lo', 'up'],
        ['-n', machine.#name, 'link', 'set', machine.#cable, 'up'],
        ['-n', machine.#name, 'route', 'add', '224.0.0.0/4', 'dev', machine.#cable],
      ]),
    ];
    return carryOut(steps) ?? [a, b];
  }

  /**
   * Two machines on networks of their own, and a router between them, which passes no multicast on.
   * @returns all three, or why this system does not let us make them
   */
  static routed(): readonly [Machine, Machine, Machine] | string {
    sweep();
    process.once('exit', sweep);
    const [a, b, router] = [new Machine('a'), new Machine('b'), new Machine('router')];
    const steps = [
      ...[a, b, router].flatMap((machine) => [
        ['netns', 'add', machine.#name],
        ['-n', machine.#name, 'link', 'set', 'lo', 'up'],
      ]),
      ...[a, b].flatMap((machine, i) => [
        [
          'link',
          'add',
          machine.#cable,
          'netns',
          machine.#name,
          'type',
          'veth',
          'peer',
          'name',
          `port-${i}`,
          'netns',
          router.#name,
        ],
        ['-n', machine.#name, 'address', 'add', `10.77.${i}.1/24`, 'dev', machine.#cable],
        ['-n', machine.#name, 'link', 'set', machine.#cable, 'up'],
        ['-n', router.#name, 'address', 'add', `10.77.${i}.254/24`, 'dev', `port-${i}`],
        ['-n', router.#name, 'link', 'set', `port-${i}`, 'up'],
        ['-n', machine.#name, 'route', 'add', 'default', 'via', `10.77.${i}.254`],
      ]),
      ['netns', 'exec', router.#name, 'sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward'],
    ];
    return carryOut(steps) ?? [a, b, router];
  }

  /** Removes all machines of this process; the programs on them have ended. */
  static removeAll(): void {
    sweep();
  }

  bridge(environment: NodeJS.ProcessEnv, ...args: string[]): Promise<BridgeProcess> {
    return BridgeProcess.startBy(['ip', 'netns', 'exec', this.#name], environment, ...args);
  }

  /** Starts a program that says on its standard output what it does. */
  start(...command: string[]): ChildProcess {
    return spawn('ip', ['netns', 'exec', this.#name, ...command], { stdio: ['ignore', 'pipe', 'inherit'] });
  }

  /** Asks a bridge that runs here; resolves with the body of its answer. POST where there is a body to send. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are checked field by field by the test
  async ask({ url }: BridgeProcess, path: string, body?: unknown): Promise<any> {
    const request = body === undefined ? ['GET'] : ['POST', JSON.stringify(body)];
    const args = ['netns', 'exec', this.#name, process.execPath, '--input-type=module', '-e', ASK];
    const child = spawn('ip', [...args, url + path, ...request], {
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: REQUEST_LIMIT,
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`${path} was not answered: ${text}`);
    return JSON.parse(text);
  }

  /** Pulls the cable out, or puts it in. */
  setCable(plugged: boolean): void {
    const { status, stderr } = ip('-n', this.#name, 'link', 'set', this.#cable, plugged ? 'up' : 'down');
    if (status !== 0) throw new Error(stderr);
    // The route goes with the cable.
    if (plugged) ip('-n', this.#name, 'route', 'replace', '224.0.0.0/4', 'dev', this.#cable);
  }
}
