/**
 * npm run bench:http [-- --write | --short | --only rival crowd roster live start]: how fast the bridge answers beside phosphobot,
 * whose interface it speaks, in one run; what many clients cost; how soon it is there, and the memory that it takes.
 * `--write` puts the tables into bench/results, `--short` only shows that everything runs, without the rival.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { chosenCases, short } from './arguments.ts';
import { WINDOW } from './bridge.ts';
import type { LoadReport, Question } from './messages.ts';
import { runLoad, runWatchers, withEmulators } from './programs.ts';
import { Report } from './report.ts';
import { Served } from './served.ts';
import { markdownTable, median, type Target, targetTable } from './table.ts';

const python = process.env.ARM_BRIDGE_WITNESS_PYTHON;
const rounds = short ? 1 : 3;
const seconds = short ? 0.2 : 5;
const warmUp = short ? 0.1 : 1;
const crowdSeconds = short ? 0.3 : 60;
const liveSeconds = short ? 0.5 : 25;
/** Time for the loop's own percentiles to be those of what happens now, s. */
const settle = short ? 0.1 : WINDOW + 2;
const rosterSeconds = short ? 0.3 : 15;
const starts = short ? 1 : 5;

const RATIOS: Readonly<Record<number, number>> = { 1: 6, 10: 20 };
/** Share of what Fastify by itself answers, with the same bytes. */
const SHARES: Readonly<Record<number, number>> = { 1: 0.8, 10: 0.75 };
const BARE = 'bare Fastify';
const CROWD = 200;
const WATCHERS = 100;
const DEAF = 10;
const WATCH_RATE = 50;
/** Share by which the loop's 99th percentile may grow. */
const UNCHANGED = 1.1;
const MOST_MEMORY = 300;
/** Real-time priority of control thread and simulated arms where they have one. */
const PRIORITY = 50;

const post = (path: string, body: object): Question => ({ method: 'POST', path, body: JSON.stringify(body) });
const QUESTIONS: readonly Question[] = [
  post('/end-effector/read', {}),
  post('/joints/read', {}),
  post('/joints/write', { angles: [0.05, 0, 0, 0, 0, 0.1] }),
];
/** The simulated arm that phosphobot has too. */
const ONE_ARM = { ros: { enabled: false }, arms: [{ name: 'arm', model: 'so100', bus: 'sim:so100' }] };
const PAIR = {
  arms: [
    { name: 'leader', bus: 'sim:so101' },
    { name: 'follower', bus: 'sim:so101' },
  ],
};
const WITHOUT_ROS = { ros: { enabled: false } };

const ms = (time: number): string => `${(1000 * time).toFixed(2)} ms`;
const rows: string[][] = [];
const tables: string[] = [];
const targets: Target[] = [];

/** Middle figures of several runs. */
function middle(runs: readonly LoadReport[]): Pick<LoadReport, 'rate' | 'p50' | 'p99'> {
  return {
    rate: median(runs.map(({ rate }) => rate)),
    p50: median(runs.map(({ p50 }) => p50)),
    p99: median(runs.map(({ p99 }) => p99)),
  };
}

/** What a server answers to each question, as text. */
async function answersOf({ port }: Served): Promise<Record<string, string>> {
  const texts = QUESTIONS.map(async ({ method, path, body }): Promise<[string, string]> => {
    const headers = { 'content-type': 'application/json' };
    return [path, await (await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body })).text()];
  });
  return Object.fromEntries(await Promise.all(texts));
}

/**
 * Both servers with one simulated arm each, and Fastify by itself, which says what the bridge does, asked in turn: what else the
 * machine does hits all.
 */
async function rival(): Promise<void> {
  const ours = await Served.bridge(ONE_ARM);
  const theirs = short || python === undefined ? null : await Served.rival(python);
  let bare: Served | undefined;
  try {
    for (const server of [ours, theirs]) await server?.post('/move/init');
    bare = await Served.bare(await answersOf(ours));
    const servers = { 'Arm Bridge': ours, [BARE]: bare, ...(theirs === null ? {} : { phosphobot: theirs }) };
    for (const question of QUESTIONS) {
      for (const connections of Object.keys(RATIOS).map(Number)) {
        const runs: Record<string, LoadReport[]> = {};
        for (let round = 0; round < rounds; round++) {
          for (const [name, { port }] of Object.entries(servers)) {
            const one = await runLoad({ port, questions: [question], connections, seconds, warmUp });
            if (one.errors > 0) process.stderr.write(`${name} ${question.path}: ${one.errors} times ${one.error}\n`);
            runs[name] = [...(runs[name] ?? []), one];
          }
        }
        judge(question.path, connections, {
          ours: middle(runs['Arm Bridge']!),
          bare: middle(runs[BARE]!),
          theirs: runs.phosphobot && middle(runs.phosphobot),
        });
      }
    }
  } finally {
    for (const server of [ours, theirs, bare]) await server?.end();
  }
  const head = ['asked for', 'connections', 'server', 'answers/s', 'p50', 'p99'];
  tables.push(markdownTable(head, rows));
  if (theirs === null)
    tables.push('phosphobot was not measured: it needs ARM_BRIDGE_WITNESS_PYTHON and the package index.');
}

type Middle = ReturnType<typeof middle>;

interface Compared {
  readonly ours: Middle;
  readonly bare: Middle;
  readonly theirs: Middle | undefined;
}

function judge(path: string, connections: number, { ours, bare, theirs }: Compared): void {
  const row = (name: string, { rate, p50, p99 }: Middle): void => {
    rows.push([path, String(connections), name, rate.toFixed(0), ms(p50), ms(p99)]);
  };
  row('Arm Bridge', ours);
  row(BARE, bare);
  const many = connections === 1 ? '1 connection' : `${connections} connections`;
  const share = ours.rate / bare.rate;
  targets.push({
    goal: `${path}, ${many}: >= ${100 * SHARES[connections]!} % of the answers/s of a bare Fastify with the same bytes`,
    measured: `${(100 * share).toFixed(0)} %`,
    reached: share >= SHARES[connections]!,
  });
  if (theirs === undefined) return;
  row('phosphobot', theirs);
  const ratio = ours.rate / theirs.rate;
  targets.push({
    goal: `${path}, ${many}: >= ${RATIOS[connections]} x the answers/s of phosphobot, p99 <= half of its`,
    measured: `${ratio.toFixed(1)} x, p99 ${(ours.p99 / theirs.p99).toFixed(2)} of its`,
    reached: ratio >= RATIOS[connections]! && ours.p99 <= theirs.p99 / 2,
  });
}

/** Time for a pair to mirror, s: on a busy machine a start may be refused a few times. */
const MIRROR_LIMIT = 60;

/**
 * A bridge that mirrors with a pair of simulated arms.
 * @param priority `control.priority`
 * @throws {Error} when it does not come to that
 */
async function mirroring(priority: number | null): Promise<Served> {
  const bridge = await Served.bridge({ ...PAIR, ...WITHOUT_ROS, control: { priority } });
  const limit = performance.now() + 1000 * MIRROR_LIMIT;
  // What /end-effector/read tells is counted from there.
  await bridge.post('/move/init');
  for (;;) {
    const { state } = (await bridge.status()).mirror.pairs[0] ?? {};
    if (state === 'mirroring') return bridge;
    if (performance.now() > limit) {
      await bridge.end();
      throw new Error(`the pair does not mirror within ${MIRROR_LIMIT} s; it is ${state ?? 'not there'}`);
    }
    // Refused while it mirrors already, and until both arms are there.
    if (state !== 'ramping')
      await bridge.post('/move/leader/start', { robot_pairs: [{ leader_id: 0, follower_id: 1 }] });
    await sleep(100);
  }
}

/** What `work` does to the loop's 99th percentile, beside the idle time before and after, s. */
async function disturbed<T>(bridge: Served, work: () => Promise<T>) {
  const p99 = async (): Promise<number> => (await bridge.status()).loop.periods.recent.p99;
  await sleep(1000 * settle);
  const before = await p99();
  const result = await work();
  const during = await p99();
  await sleep(1000 * settle);
  return { result, during, idle: (before + (await p99())) / 2 };
}

function loopTarget(what: string, { during, idle }: { readonly during: number; readonly idle: number }): void {
  targets.push({
    goal: `${what}: period p99 of the control loop within 10 %`,
    measured: `${ms(during)}, ${ms(idle)} before and after`,
    reached: during <= UNCHANGED * idle,
  });
}

/** The loop is judged without a priority, which is the default, and with one where this user may have it. */
async function crowd(): Promise<void> {
  await crowded(null);
  await crowded(PRIORITY);
}

async function crowded(priority: number | null): Promise<void> {
  const bridge = await mirroring(priority);
  const questions: readonly Question[] = [
    post('/end-effector/read', {}),
    post('/joints/read', {}),
    { method: 'GET', path: '/status', body: null },
  ];
  const load = { port: bridge.port, questions, connections: CROWD, seconds: crowdSeconds, warmUp };
  try {
    const { loop: given } = await bridge.status();
    if (given.priority !== priority) {
      process.stderr.write('200 connections with a priority were not measured: this user may not have one\n');
      return;
    }
    const { result, ...loop } = await disturbed(bridge, () => runLoad(load));
    const what = `${CROWD} connections, ${crowdSeconds} s${priority === null ? '' : `, control.priority ${priority}`}`;
    targets.push({
      goal: `${what}: no error, p99 <= 50 ms`,
      measured: `${result.errors} errors in ${result.answers} answers, p99 ${ms(result.p99)}`,
      reached: result.errors === 0 && result.p99 <= 0.05,
    });
    loopTarget(what, loop);
  } finally {
    await bridge.end();
  }
}

/** Between one time that an arm comes and goes and the next, ms. */
const PAUSE = 200;

/** A simulated arm comes and goes beside a pair that mirrors, ahead of what else the machine does where that is allowed. */
async function roster(): Promise<void> {
  const bridge = await mirroring(PRIORITY);
  let connected = 0;
  let refusal = '';
  const ask = async (path: string, body: object | null): Promise<void> => {
    const answer = (await bridge.post(path, body)) as { status?: string };
    if (answer.status !== 'ok') refusal ||= JSON.stringify(answer);
  };
  try {
    const loop = await disturbed(bridge, async () => {
      const limit = performance.now() + 1000 * rosterSeconds;
      do {
        // The first time it is added, by a model that has to be read; from then on it is connected again.
        await ask('/robot/add-connection', { robot_name: 'so-100', connection_details: { bus: 'sim:so100' } });
        await ask('/robot/disconnect?robot_id=2', null);
        connected++;
        await sleep(PAUSE);
      } while (performance.now() < limit);
    });
    const { mirror } = await bridge.status();
    const what = `an arm connected and disconnected ${connected} times in ${rosterSeconds} s`;
    const unharmed = refusal === '' && mirror.pairs[0]?.state === 'mirroring';
    targets.push({
      goal: `${what}: every time, and the pair mirrors on`,
      measured: unharmed ? 'yes' : `the pair is ${mirror.pairs[0]?.state}: ${mirror.reason}; ${refusal}`,
      reached: unharmed,
    });
    loopTarget(what, loop);
  } finally {
    await bridge.end();
  }
}

async function live(): Promise<void> {
  const bridge = await mirroring(null);
  const watch = { port: bridge.port, clients: WATCHERS, deaf: DEAF, rate: WATCH_RATE, seconds: liveSeconds };
  let memory = 0;
  try {
    const { result, ...loop } = await disturbed(bridge, async () => {
      const look = setInterval(() => {
        memory = Math.max(memory, bridge.memory);
      }, 200);
      return runWatchers(watch).finally(() => clearInterval(look));
    });
    const what = `${WATCHERS} WebSockets at ${WATCH_RATE} Hz, ${DEAF} of which stop reading`;
    targets.push({
      goal: `${what}: memory <= ${MOST_MEMORY} MB`,
      measured: `${memory.toFixed(0)} MB; the slowest reader has ${result.rate.toFixed(1)} frames/s, ${result.lost} lost their connection`,
      reached: memory <= MOST_MEMORY && result.lost === 0,
    });
    loopTarget(what, loop);
  } finally {
    await bridge.end();
  }
}

/** Middle start time and largest memory of several bridges, each with 2 s to come to rest. */
async function started(config: object): Promise<{ time: number; memory: number; ros: boolean }> {
  const times: number[] = [];
  let memory = 0;
  let ros = true;
  for (let i = 0; i < starts; i++) {
    const bridge = await Served.bridge(config);
    times.push(bridge.startTime);
    if (!short) await sleep(2000);
    memory = Math.max(memory, bridge.memory);
    ros &&= (await bridge.status()).ros.enabled;
    await bridge.end();
  }
  return { time: median(times), memory, ros };
}

async function start(): Promise<void> {
  const told = (what: string, limit: number, { time }: { readonly time: number }): void => {
    const measured = `${time.toFixed(2)} s`;
    targets.push({ goal: `start to first answer ${what}: <= ${limit} s`, measured, reached: time <= limit });
  };
  const held = (what: string, limit: number, { memory }: { readonly memory: number }): void => {
    const measured = `${memory.toFixed(0)} MB`;
    targets.push({ goal: `memory with ${what}: <= ${limit} MB`, measured, reached: memory <= limit });
  };
  told('without ROS', 1.5, await started({ ...PAIR, ...WITHOUT_ROS }));
  const whole = await started(PAIR);
  if (whole.ros) {
    told('with ROS', 2.5, whole);
    held('the simulated pair and ROS', MOST_MEMORY, whole);
  }
  const emulators = { family: 'feetech', baudRate: 1e6, loseRate: 0 } as const;
  const { result } = await withEmulators(2, emulators, (ports) => {
    const arms = PAIR.arms.map((arm, i) => ({ ...arm, bus: `serial:${ports[i]}` }));
    return started({ ...WITHOUT_ROS, arms });
  });
  held('two arms on serial ports, emulated in another process', 200, result);
}

const CASES: Readonly<Record<string, () => Promise<void>>> = { rival, crowd, roster, live, start };

const cases = chosenCases(CASES);
const report = new Report('http', 'HTTP');
for (const name of cases) await CASES[name]!();
report.publish(`${[report.machine(), ...tables, targetTable(targets)].join('\n\n')}\n`);
