/**
 * npm run bench:lab [-- --write | --short | --count N | --arms N]: a laboratory of five bridges, each with as many simulated
 * arms as said, else four. As root each bridge has a network of its own, as on a computer of its own, and a cable to a
 * switch; nothing of it is left afterwards. Otherwise all share the loopback network, and no cable can be pulled.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { option, short } from './arguments.ts';
import { freePort } from './bridge.ts';
import { processorTime } from './process-use.ts';
import { Report } from './report.ts';
import { markdownTable, percentile } from './table.ts';

const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
const BRIDGES = 5;
const ARMS = option('--arms', 4, { least: 1 });
const ROUNDS = option('--count', short ? 2 : 20, { least: 1 });
/** Time over which it is measured what it costs to know each other, s. */
const REST = short ? 2 : 20;
/** Time after which an arm that was asked to wave is in motion, ms. */
const WAVES = 700;
/** Longest wait for anything, s. */
const LIMIT = 120;
/** Set in the process that has a network of its own. */
const INSIDE = 'ARM_BRIDGE_BENCH_LAB';

interface Station {
  readonly name: string;
  readonly url: string;
  readonly child: ChildProcess;
}

interface Others {
  readonly others: readonly { readonly url: string; readonly state: string; readonly reason: string }[];
}
interface Loop {
  readonly cycles: number;
  readonly late: number;
}
interface Stopped {
  readonly bridges: readonly { readonly name: string; readonly stopped: boolean }[];
}

const run = (command: string, ...args: string[]): void => void execFileSync(command, args, { stdio: 'pipe' });

/** Whether this process may make networks. */
function mayMakeNetworks(): boolean {
  try {
    run('unshare', '-n', 'ip', 'link');
    return true;
  } catch {
    return false;
  }
}

const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-lab-'));
const authority = join(folder, 'authority.pem');
const tokenFile = join(folder, 'token');
const TOKEN = 'a-token-of-the-laboratory';
const networked = process.env[INSIDE] !== undefined;

/** One request to a bridge. @returns its answer, and how long that took, s */
async function ask<T>({ url }: Station, method: 'GET' | 'POST', path: string): Promise<{ body: T; took: number }> {
  const began = performance.now();
  const asked = request(`${url}${path}`, {
    method,
    ca: readFileSync(authority),
    // Each certificate is in the file itself.
    checkServerIdentity: () => undefined,
    headers: { authorization: `Bearer ${TOKEN}` },
    agent: false,
  });
  asked.end();
  const [answer] = await once(asked, 'response');
  let text = '';
  for await (const piece of answer) text += piece;
  return { body: JSON.parse(text) as T, took: (performance.now() - began) / 1000 };
}

/** Waits until something holds. @returns how long that took, s @throws {Error} after LIMIT */
async function until(what: () => string, holds: () => Promise<boolean>): Promise<number> {
  const began = performance.now();
  while (!(await holds().catch(() => false))) {
    if (performance.now() - began > LIMIT * 1000) throw new Error(`${what()} after ${LIMIT} s`);
    await sleep(50);
  }
  return (performance.now() - began) / 1000;
}

const addressOf = (place: number): string => (networked ? `10.77.0.${place + 1}` : '127.0.0.1');

/** A certificate for each bridge; each of them is told of all. */
function certify(): void {
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const pems = Array.from({ length: BRIDGES }, (_, place) => {
    const [key, cert] = [join(folder, `${place}.key`), join(folder, `${place}.pem`)];
    run('openssl', 'req', '-x509', ...kind, '-subj', `/CN=bench-${place + 1}`, '-keyout', key, '-out', cert);
    return readFileSync(cert, 'utf8');
  });
  writeFileSync(authority, pems.join(''));
  writeFileSync(tokenFile, `${TOKEN}\n`);
}

/** The compiled bridge, with a cable to the switch where it has a network of its own. */
async function start(place: number): Promise<Station> {
  const name = `bench-${place + 1}`;
  const port = networked ? 8020 : await freePort();
  const file = join(folder, `${name}.json`);
  const tls = { certificate: join(folder, `${place}.pem`), key: join(folder, `${place}.key`) };
  const config = {
    http: { host: addressOf(place), port, token_file: tokenFile, tls },
    ros: { enabled: false },
    log: { level: 'error' },
    sim: { scene: null },
    state_folder: join(folder, name),
    recording: { folder: join(folder, name) },
    arms: Array.from({ length: ARMS }, (_, arm) => ({ name: `arm_${place + 1}_${arm + 1}`, bus: 'sim:so101' })),
    fleet: { name, discovery: true, token_file: tokenFile, authority },
  };
  writeFileSync(file, JSON.stringify(config));
  // It waits for its cable: what it listens on has to be there.
  const plugged = ['-c', 'read -r _ && exec "$@"', 'sh', process.execPath, MAIN, '--config', file];
  const [command, ...args] = networked ? ['unshare', '-n', 'sh', ...plugged] : ['sh', ...plugged];
  const child = spawn(command!, args, { stdio: ['pipe', 'inherit', 'inherit'] });
  if (networked) await plug(place, child.pid!);
  child.stdin!.end('\n');
  const station = { name, url: `https://${addressOf(place)}:${port}`, child };
  await until(
    () => `${name} does not answer`,
    async () => (await ask(station, 'GET', '/readyz')).body !== null,
  );
  return station;
}

async function plug(place: number, pid: number): Promise<void> {
  const own = readFileSync('/proc/self/net/dev', 'utf8');
  // The program begins in the network of this one.
  await until(
    () => 'there is no network of its own',
    async () => readFileSync(`/proc/${pid}/net/dev`, 'utf8') !== own,
  );
  run('ip', 'link', 'add', `cable${place}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(pid));
  run('ip', 'link', 'set', `cable${place}`, 'master', 'switch', 'up');
  for (const words of ['link set lo up', `addr add ${addressOf(place)}/24 dev eth0`, 'link set eth0 up']) {
    run('nsenter', '-t', String(pid), '-n', 'ip', ...words.split(' '));
  }
}

/** Bytes that have gone over a bridge's cable, both ways. */
function traffic(place: number): number {
  const line = new RegExp(`^ *cable${place}:(.*)$`, 'm').exec(readFileSync('/proc/self/net/dev', 'utf8'))![1]!;
  const figures = line.trim().split(/ +/).map(Number);
  // Received and sent bytes, see proc_net_dev(5).
  return figures[0]! + figures[8]!;
}

/** What a bridge takes while nobody asks it for anything but its state. */
interface Rest {
  /** Of a core. */
  readonly cpu: number;
  /** Over its cable, byte/s; NaN without one. */
  readonly bytes: number;
  /** Fraction of its control cycles that began late: how far the machine keeps up with all arms. */
  readonly late: number;
}

async function restOf(station: Station, place: number): Promise<Rest> {
  const loopOf = async () => (await ask<{ loop: Loop }>(station, 'GET', '/status')).body.loop;
  const before = await loopOf();
  const [cpu, bytes] = [processorTime(station.child.pid!), networked ? traffic(place) : Number.NaN];
  await sleep(REST * 1000);
  const used = (processorTime(station.child.pid!) - cpu) / REST;
  const sent = (networked ? traffic(place) - bytes : Number.NaN) / REST;
  const after = await loopOf();
  return { cpu: used, bytes: sent, late: (after.late - before.late) / (after.cycles - before.cycles) };
}

/** Has the first arm of each bridge wave, which it does for seconds. Nobody waits for the end. */
async function wave(all: readonly Station[]): Promise<void> {
  for (const station of all) void ask(station, 'POST', '/move/hello?robot_id=0').catch(() => {});
  await sleep(WAVES);
}

/** Stops for all, as often as said; `before` comes before each. @returns how long each took, s, ascending, and how many of them each had not confirmed */
async function stops(
  desk: Station,
  all: readonly Station[],
  rounds: number,
  before: () => Promise<void> = async () => {},
): Promise<{ times: number[]; missing: ReadonlyMap<string, number> }> {
  const times: number[] = [];
  const missing = new Map<string, number>();
  for (let round = 0; round < rounds; round++) {
    await before();
    const { body, took } = await ask<Stopped>(desk, 'POST', '/api/v1/bridges/stop');
    times.push(took);
    for (const { name, stopped } of body.bridges) if (!stopped) missing.set(name, (missing.get(name) ?? 0) + 1);
    await Promise.all(all.map((station) => ask(station, 'POST', '/api/v1/stop/reset')));
  }
  return { times: times.sort((a, b) => a - b), missing };
}

/** Stops every bridge by itself, all at once, as often as said. @returns the slowest one, and how long it took, s */
async function slowest(all: readonly Station[], rounds: number): Promise<{ name: string; took: number }> {
  const times: { name: string; took: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const stop = async (station: Station) => ({
      name: station.name,
      took: (await ask(station, 'POST', '/api/v1/stop')).took,
    });
    times.push(...(await Promise.all(all.map(stop))));
    await Promise.all(all.map((station) => ask(station, 'POST', '/api/v1/stop/reset')));
  }
  return times.reduce((most, one) => (one.took > most.took ? one : most));
}

/** Until a bridge tells of another one as wanted, s. */
async function becomes(desk: Station, other: Station, state: string): Promise<number> {
  let told = 'not known';
  return until(
    () => `${other.name} is ${told} to ${desk.name}, and not "${state}"`,
    async () => {
      const { others } = (await ask<Others>(desk, 'GET', '/api/v1/bridges')).body;
      const found = others.find(({ url }) => url === other.url);
      told = found === undefined ? 'not known' : `"${found.state}" (${found.reason})`;
      return found?.state === state;
    },
  );
}

const milliseconds = (times: readonly number[]): string =>
  [0.5, 1].map((part) => `${(percentile(times, part) * 1000).toFixed(0)}`).join(' / ');

async function measure(report: Report): Promise<void> {
  const stations: Station[] = [];
  const rows: [string, string][] = [];
  try {
    if (networked)
      for (const words of [
        'link add switch type bridge',
        'addr add 10.77.0.254/24 dev switch',
        'link set switch up',
        'link set lo up',
      ])
        run('ip', ...words.split(' '));
    certify();
    const desk = await start(0);
    stations.push(desk);
    await sleep(REST * 100);
    const alone = await restOf(desk, 0);
    const begun = await Promise.all(Array.from({ length: BRIDGES - 1 }, (_, i) => start(i + 1)));
    stations.push(...begun);
    const found = await Promise.all(
      stations.map((from) =>
        Promise.all(stations.filter((to) => to !== from).map((to) => becomes(from, to, 'answers'))).then((times) =>
          Math.max(...times),
        ),
      ),
    );
    rows.push(['all know all others, after the last one answers', `${Math.max(...found).toFixed(1)} s`]);
    const together = await restOf(desk, 0);
    const part = (share: number): string => `${(share * 100).toFixed(1)} %`;
    rows.push(['of a core: one bridge with its arms alone / among five', `${part(alone.cpu)} / ${part(together.cpu)}`]);
    rows.push([
      'cycles of its control loop that begin late: alone / among five',
      `${part(alone.late)} / ${part(together.late)}`,
    ]);
    if (networked) {
      const kB = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB/s`;
      rows.push(['over its cable: alone / among five', `${kB(alone.bytes)} / ${kB(together.bytes)}`]);
    }
    const told = ({ times, missing }: Awaited<ReturnType<typeof stops>>): string => {
      const lacking = [...missing].map(([name, count]) => `${name} (${count} of ${times.length})`).join(', ');
      return `${milliseconds(times)} ms; ${lacking === '' ? 'confirmed by all' : `not confirmed by ${lacking}`}`;
    };
    rows.push([`stop for all is answered, median / longest of ${ROUNDS}`, told(await stops(desk, stations, ROUNDS))]);
    await Promise.all(stations.map((station) => ask(station, 'POST', '/move/init?robot_id=0')));
    const moving = await stops(desk, stations, ROUNDS, () => wave(stations));
    rows.push(['the same while an arm of each moves: answered once all rest', told(moving)]);
    const last = await slowest(stations, ROUNDS);
    rows.push([
      `stops sent to each bridge directly, all at once: the slowest of ${ROUNDS} rounds`,
      `${last.name}, ${(last.took * 1000).toFixed(0)} ms`,
    ]);
    const [cut, killed] = stations.slice(-2) as [Station, Station];
    killed.child.kill('SIGKILL');
    rows.push([
      'one bridge is killed: told as silent after',
      `${(await becomes(desk, killed, 'silent')).toFixed(1)} s`,
    ]);
    const alive = stations.filter((station) => station !== killed);
    rows.push(['stop for all without it', told(await stops(desk, alive, 3))]);
    if (networked) {
      run('ip', 'link', 'set', `cable${BRIDGES - 2}`, 'down');
      const rest = alive.filter((station) => station !== cut);
      // Nobody knows of it yet: it is waited for.
      rows.push(['another one’s cable is pulled: the next stop for all', told(await stops(desk, rest, 1))]);
      rows.push(['it is told as silent after that', `${(await becomes(desk, cut, 'silent')).toFixed(1)} s`]);
      rows.push(['stop for all without both', told(await stops(desk, rest, 3))]);
    }
    const where = networked ? 'each in a network of its own' : 'all in the loopback network';
    report.publish(
      `${BRIDGES} bridges with ${ARMS} simulated arms each on one machine, ${where}, HTTPS with certificates of their own.\n\n` +
        `${markdownTable(['what', 'measured'], rows)}\n\n${report.machine()}\n`,
    );
  } finally {
    const running = stations.filter(({ child }) => child.exitCode === null && child.signalCode === null);
    await Promise.all(
      running.map(async ({ child }) => {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }),
    );
  }
}

try {
  if (!networked && mayMakeNetworks()) {
    const again = ['-n', process.execPath, ...process.execArgv, ...process.argv.slice(1)];
    const child = spawn('unshare', again, { stdio: 'inherit', env: { ...process.env, [INSIDE]: '1' } });
    const [code] = (await once(child, 'exit')) as [number | null];
    process.exitCode = code ?? 1;
  } else {
    await measure(new Report('lab', 'A laboratory of five bridges'));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
