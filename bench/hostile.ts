/**
 * npm run bench:hostile [-- --write | --seed N | --count N | --from N]: requests that nobody should send, and whether the
 * bridge bears them: no crash, no answer of 500 and more, no motion outside limits, and memory back to where it was.
 * The same seed sends the same requests; `--from 1234 --count 1` sends one of them again.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { option } from './arguments.ts';
import { type AssaultReport, assault } from './assault.ts';
import { Report } from './report.ts';
import { Served } from './served.ts';
import { markdownTable, type Target, targetTable } from './table.ts';

/** Part of the attacks after which memory counts: until then functions are compiled and the heap finds its size. */
const WARM_UP = 0.1;
/** Time for what is left of attacks to end, s: a move that was asked for among others goes on for no longer than 30 s. */
const LONGEST_REST = 60;
const SHORTEST_REST = 2;
/** What memory may vary by, MB. */
const MEMORY_NOISE = 10;
/** Somebody else asks so often meanwhile, ms, and is to be answered within this time, s. */
const ASK_INTERVAL = 50;
const LONGEST_WAIT = 1;
const SLOW_CLIENTS = 50;
/** Within this time clients must be gone who never finish their headers, s: 10 s of time-out, looked after every 5 s. */
const SLOW_LIMIT = 20;

const seed = option('--seed', Date.now() % 2 ** 31);
const from = option('--from', 0);
const count = option('--count', 100_000);
process.stdout.write(`seed ${seed}, attacks ${from} to ${from + count - 1}\n`);

/** Clients that send their headers a byte a second, for as long as they are let. */
class SlowClients {
  readonly #sockets: Socket[];
  readonly #timer: NodeJS.Timeout;
  readonly #began = performance.now();
  /** When the last one was ended, s after its beginning. */
  ended = 0;
  open = SLOW_CLIENTS;

  constructor(port: number) {
    this.#sockets = Array.from({ length: SLOW_CLIENTS }, () => {
      const socket = connect(port, '127.0.0.1', () =>
        socket.write('POST /move/init HTTP/1.1\r\nHost: localhost\r\nX-A: '),
      );
      socket.on('error', () => {});
      socket.resume().on('close', () => {
        this.open--;
        this.ended = (performance.now() - this.#began) / 1000;
      });
      return socket;
    });
    this.#timer = setInterval(() => {
      for (const socket of this.#sockets) if (socket.writable) socket.write('x');
    }, 1000);
  }

  async end(): Promise<void> {
    const limit = this.#began + 1000 * (SLOW_LIMIT + SHORTEST_REST);
    while (this.open > 0 && performance.now() < limit) await sleep(100);
    clearInterval(this.#timer);
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Somebody who asks what is harmless meanwhile, on a new connection each time, and how long that took at most. */
class Bystander {
  /** s */
  longest = 0;
  unanswered = 0;
  asked = 0;
  readonly #url: string;
  readonly #asking: Promise<void>;
  #over = false;

  constructor(url: string) {
    this.#url = url;
    this.#asking = this.#ask();
  }

  async #ask(): Promise<void> {
    while (!this.#over) {
      const began = performance.now();
      try {
        await (await fetch(`${this.#url}/api/v1/arms`, { headers: { connection: 'close' } })).text();
      } catch {
        this.unanswered++;
      }
      this.asked++;
      this.longest = Math.max(this.longest, (performance.now() - began) / 1000);
      await sleep(ASK_INTERVAL);
    }
  }

  async end(): Promise<void> {
    this.#over = true;
    await this.#asking;
  }
}

interface Use {
  /** MB */
  readonly memory: number;
  /** Open files and connections. */
  readonly files: number;
}

/** What the bridge uses when nothing of the attacks is left, at most so many files and connections if it ever comes to that. */
async function rested(bridge: Served, files = Number.POSITIVE_INFINITY): Promise<Use> {
  const limit = performance.now() + 1000 * LONGEST_REST;
  do await sleep(1000 * SHORTEST_REST);
  while (bridge.openFiles > files && performance.now() < limit);
  const { openFiles } = bridge;
  await bridge.collect();
  return { memory: bridge.memory, files: openFiles };
}

const report = new Report('hostile', 'Hostile requests');
const arms = ['leader', 'follower'].map((name) => ({ name, bus: 'sim:so101' }));
const bridge = await Served.bridge({ ros: { enabled: false }, arms }, true);
const url = `http://127.0.0.1:${bridge.port}`;
await bridge.post('/move/init');
const parts: AssaultReport[] = [];
let died = '';
const bystanders: Bystander[] = [];
const attack = async (first: number, number: number): Promise<void> => {
  const bystander = new Bystander(url);
  bystanders.push(bystander);
  try {
    parts.push(await assault(url, seed, first, number));
  } catch (error) {
    died = String(error);
  }
  await bystander.end();
};
const before = await rested(bridge);
const slow = new SlowClients(bridge.port);
const warmUp = Math.ceil(WARM_UP * count);
await attack(from, warmUp);
const warm = await rested(bridge, before.files + SLOW_CLIENTS);
if (died === '' && count > warmUp) await attack(from + warmUp, count - warmUp);
await slow.end();
const after = await rested(bridge, before.files);
const alive = await fetch(`${url}/healthz`).then(
  ({ ok }) => ok,
  () => false,
);
const { arms: states } = await bridge.status();
await bridge.post('/stop/reset');
const usable = states.every(({ state }) => state !== 'disconnected');
await bridge.end();

const sum = <Key>(entries: Iterable<readonly [Key, number]>, into: Map<Key, number>): void => {
  for (const [key, value] of entries) into.set(key, (into.get(key) ?? 0) + value);
};
const kinds = new Map<string, number>();
const statuses = new Map<number, number>();
for (const { sent, answers } of parts) {
  sum(Object.entries(sent), kinds);
  sum(answers, statuses);
}
const faults = parts.flatMap((part) => part.faults);
const watched = parts.reduce((frames, part) => frames + part.watched, 0);
const failures = parts.flatMap((part) => part.failures);
const grown = after.memory - warm.memory;
const waited = Math.max(...bystanders.map(({ longest }) => longest));
const unanswered = bystanders.reduce((number, bystander) => number + bystander.unanswered, 0);
const asked = bystanders.reduce((number, bystander) => number + bystander.asked, 0);
const targets: Target[] = [
  {
    goal: `${count} attacks: no crash`,
    measured: alive && usable && died === '' ? 'it answers, and its arms are there' : `it does not answer well ${died}`,
    reached: alive && usable && died === '',
  },
  { goal: 'no answer of 500 and more, but of probes', measured: `${failures.length}`, reached: failures.length === 0 },
  {
    goal: 'no motion outside limits',
    measured: `${faults.length} faults in ${watched} frames of the live stream`,
    reached: faults.length === 0 && watched > 0,
  },
  {
    goal: `somebody else who asks meanwhile is answered within ${LONGEST_WAIT} s`,
    measured: `${waited.toFixed(2)} s at most, ${unanswered} of ${asked} not answered`,
    reached: waited <= LONGEST_WAIT && unanswered === 0,
  },
  {
    goal: `memory after the last, what is not needed collected, within ${MEMORY_NOISE} MB of that after the first ${warmUp}`,
    measured: `${after.memory.toFixed(0)} MB, ${warm.memory.toFixed(0)} MB; ${before.memory.toFixed(0)} MB before`,
    reached: grown <= MEMORY_NOISE,
  },
  {
    goal: 'as many open files and connections as before',
    measured: `${after.files}, ${before.files} before`,
    reached: after.files <= before.files,
  },
  {
    goal: `${SLOW_CLIENTS} clients that never finish their headers are gone within ${SLOW_LIMIT} s`,
    measured: slow.open === 0 ? `${slow.ended.toFixed(1)} s` : `${slow.open} are left`,
    reached: slow.open === 0 && slow.ended <= SLOW_LIMIT,
  },
];
const list = (entries: Iterable<readonly [string | number, number]>): string[][] =>
  [...entries]
    .sort(([a], [b]) => String(a).localeCompare(String(b)))
    .map(([name, number]) => [String(name), String(number)]);
for (const fault of [...failures, ...faults]) process.stderr.write(`${fault}\n`);
report.publish(
  `${[
    `${report.machine()} Seed ${seed}.`,
    markdownTable(['attacks', 'number'], list(kinds)),
    markdownTable(['answers', 'number'], list(statuses)),
    targetTable(targets),
  ].join('\n\n')}\n`,
);
process.exitCode = targets.every(({ reached }) => reached) ? 0 : 1;
