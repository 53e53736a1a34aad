import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { BridgeProcess } from './bridge.ts';

/** Where `ip netns` keeps its names, and how those of this test begin; the process that made one is in its name. */
const NAMES = '/run/netns';
const PREFIX = 'arm-bridge-';
const SIDES = ['a', 'b'] as const;
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
    const maker = new RegExp(`^${PREFIX}(\\d+)-[ab]$`).exec(name)?.[1];
    if (maker === undefined) continue;
    if (Number(maker) === process.pid || !existsSync(`/proc/${maker}`)) ip('netns', 'delete', name);
  }
}

/**
 * A machine as far as the network goes: a network namespace of Linux. Two of them have a cable between them (veth) and no
 * other way to anybody.
 */
export class Machine {
  readonly #name: string;
  readonly #cable: string;

  private constructor(side: (typeof SIDES)[number]) {
    this.#name = `${PREFIX}${process.pid}-${side}`;
    this.#cable = `veth-${side}`;
  }

  /** @returns both, or why this system does not let us make them */
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
    for (const step of steps) {
      const { status, stderr, error } = ip(...step);
      if (status === 0) continue;
      sweep();
      return `ip ${step.join(' ')}: ${error?.message ?? stderr.trim()}`;
    }
    return [a, b];
  }

  /** Removes all machines of this process; the programs on them have ended. */
  static removeAll(): void {
    sweep();
  }

  bridge(environment: NodeJS.ProcessEnv, ...args: string[]): Promise<BridgeProcess> {
    return BridgeProcess.startBy(['ip', 'netns', 'exec', this.#name], environment, ...args);
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
