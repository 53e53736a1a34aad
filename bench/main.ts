/**
 * npm run bench [-- --write | --short | --only CASE ...]: measures the servo buses against emulated servos on
 * pseudo-terminals, side by side with other clients on the same ones, and prints one table. `--write` puts it into
 * bench/results too, `--short` only shows that everything runs, `--only` measures the cases named.
 */
import { chosenCases, short } from './arguments.ts';
import { type BridgeOptions, type BridgeReport, runBridge, WINDOW } from './bridge.ts';
import type { ClientOptions, ClientReport, Family } from './messages.ts';
import { type Peer, runClient, runPeer, withEmulators } from './programs.ts';
import { Report } from './report.ts';
import { type Figures, figures, measuredTable, percent, type Row, type Target, targetTable } from './table.ts';

const BAUD_RATE = 1_000_000;
/** Share of replies that get lost where some do. */
const LOSS = 0.001;
/**
 * Cycles per second that a line of 1 Mbaud allows to a mirror of six joints that reads positions alone, two buses at
 * once, without any time in servos or hosts (10 us a byte). Feetech: sync read 14 + 48 bytes and sync write 26 bytes on
 * the follower's bus. Dynamixel: fast sync read 20 + 56 bytes and sync write 44 bytes.
 */
const WIRE_LIMIT: Readonly<Record<Family, number>> = { feetech: 1e6 / 880, dynamixel: 1e6 / 1200 };
/** What a read of positions behind goals is given before it is repeated, as `ControlLoop` does it, s. */
const DEADLINE = 1.3 * 880e-6 + 500e-6;
const SDK: Readonly<Record<Family, Peer>> = { feetech: 'scservo_sdk', dynamixel: 'dynamixel_sdk' };
const SERVO: Readonly<Record<Family, string>> = { feetech: 'STS3215', dynamixel: 'XL330-M288' };
const RATES = [200, 500, 1000];
/** Real-time priority of the control thread where it has one. */
const PRIORITY = 50;
/** HTTP connections that load the whole bridge. */
const CONNECTIONS = 50;

const rounds = short ? 1 : 3;
const seconds = short ? 0.3 : 4;
const lossSeconds = short ? 0.3 : 15;
const bridgeSeconds = short ? 1 : WINDOW + 2;
const heapCycles = short ? 500 : 100_000;

const python = process.env.ARM_BRIDGE_WITNESS_PYTHON;
const rows: Row[] = [];
const targets: Target[] = [];

function client(kind: ClientOptions['kind'], family: Family, ports: readonly string[], rate: number | null = null) {
  return runClient({ kind, family, ports, rate, seconds, cycles: heapCycles });
}

function target(goal: string, measured: string, reached: boolean): void {
  targets.push({ goal, measured, reached });
}

function ms(time: number): string {
  return `${(time * 1000).toFixed(2)} ms`;
}

/** The same work by several clients in turn, several times: what else the machine does then hits all of them. */
async function inTurn(
  clients: Readonly<Record<string, (() => Promise<ClientReport>) | null>>,
): Promise<Record<string, Figures>> {
  const runs: Record<string, ClientReport[]> = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(clients)) if (run) runs[name] = [...(runs[name] ?? []), await run()];
  }
  return Object.fromEntries(Object.entries(runs).map(([name, reports]) => [name, figures(reports)]));
}

function peers(family: Family, ports: readonly string[]): Record<string, (() => Promise<ClientReport>) | null> {
  const run = (peer: Peer) => (python ? () => runPeer(python, peer, family, seconds, ports) : null);
  return { [SDK[family]]: run(SDK[family]), rustypot: run('rustypot') };
}

/** Leader and follower on lines of 1 Mbaud. */
async function mirror(family: Family): Promise<Figures> {
  const { result } = await withEmulators(2, { family, baudRate: BAUD_RATE, loseRate: 0 }, (ports) =>
    inTurn({ 'Arm Bridge': () => client('mirror', family, ports), ...peers(family, ports) }),
  );
  const what = `mirror, two ${SERVO[family]} buses, 1 Mbaud`;
  for (const [name, figure] of Object.entries(result)) {
    const ratio = `${percent(figure.rate / WIRE_LIMIT[family])} of the wire's ${WIRE_LIMIT[family].toFixed(0)} Hz`;
    rows.push({ what, client: name, ratio, figures: figure });
  }
  return result['Arm Bridge']!;
}

/** As `mirror`, with a leader that floats and feels its follower: both buses are read and written. */
async function feeling(family: Family): Promise<void> {
  const { result } = await withEmulators(2, { family, baudRate: BAUD_RATE, loseRate: 0 }, (ports) =>
    inTurn({
      without: () => client('mirror', family, ports),
      with: () => runClient({ kind: 'mirror', family, ports, rate: null, seconds, cycles: 0, feels: true }),
    }),
  );
  const what = `mirror, two ${SERVO[family]} buses, 1 Mbaud`;
  const part = result.with!.rate / WIRE_LIMIT[family];
  for (const [name, measured] of Object.entries(result)) {
    const ratio = `${percent(measured.rate / WIRE_LIMIT[family])} of the wire's ${WIRE_LIMIT[family].toFixed(0)} Hz`;
    rows.push({ what: `${what}, ${name} force feedback`, client: 'Arm Bridge', ratio, figures: measured });
  }
  target(
    `mirror with force feedback: >= 80 % of the wire's ${WIRE_LIMIT[family].toFixed(0)} Hz`,
    percent(part),
    part >= 0.8,
  );
  const [before, after] = [result.without!.periods[1], result.with!.periods[1]];
  target(
    'mirror with force feedback: cycle p99 <= 1.2 x that without',
    `${ms(after)} of ${ms(before)}`,
    after <= 1.2 * before,
  );
}

/** One bus on a line that takes no time. */
async function oneBus(family: Family): Promise<void> {
  const { result } = await withEmulators(1, { family, baudRate: null, loseRate: 0 }, (ports) =>
    inTurn({
      'Arm Bridge, bus alone': () => client('bus', family, ports),
      'Arm Bridge, whole loop': () => client('loop', family, ports),
      ...peers(family, ports),
    }),
  );
  const sdk = result[SDK[family]];
  for (const [name, figure] of Object.entries(result)) {
    const ratio = sdk ? `${(figure.rate / sdk.rate).toFixed(2)} x the rate of ${SDK[family]}` : 'no peer';
    rows.push({ what: `one ${SERVO[family]} bus, no wire`, client: name, ratio, figures: figure });
  }
  if (!sdk) return;
  const ours = result['Arm Bridge, bus alone']!;
  const rate = ours.rate / sdk.rate;
  const cpu = ours.cpu / sdk.cpu;
  target(
    `one ${SERVO[family]} bus: at least level with ${SDK[family]}, at under half its CPU`,
    `${rate.toFixed(2)} x its rate at ${cpu.toFixed(2)} x its CPU`,
    rate >= 1 && cpu < 0.5,
  );
}

/** As `mirror`, with replies that get lost; compared with a run without in the same minute. */
async function losses(family: Family): Promise<void> {
  const run = async (loseRate: number) => {
    const emulators = { family, baudRate: BAUD_RATE, loseRate };
    const { result, reports } = await withEmulators(2, emulators, (ports) =>
      runClient({ kind: 'mirror', family, ports, rate: null, seconds: lossSeconds, cycles: 0 }),
    );
    return { run: result, received: reports[1]!.goals };
  };
  const clean = await run(0);
  const lossy = await run(LOSS);
  const before = figures([clean.run]);
  const after = figures([lossy.run]);
  const tail = after.periods[2];
  const allowance = before.periods[2] + DEADLINE;
  const what = `mirror, two ${SERVO[family]} buses, 1 Mbaud`;
  rows.push({ what: `${what}, no reply lost`, client: 'Arm Bridge', ratio: '1', figures: before });
  rows.push({
    what: `${what}, 0.1 % lost`,
    client: 'Arm Bridge',
    ratio: `${(tail / before.periods[2]).toFixed(2)} x the p99.9 without losses`,
    figures: after,
  });
  if (family !== 'feetech') return;
  target('0.1 % lost: cycle p99.9 <= 5 ms', ms(tail), tail <= 5e-3);
  target(
    `0.1 % lost: cycle p99.9 <= the loss-free one and one deadline of ${ms(DEADLINE)}`,
    `${ms(tail)} of ${ms(allowance)}`,
    tail <= allowance,
  );
  const missing = lossy.run.sent - Math.min(...lossy.received);
  target(
    '0.1 % lost: no setpoint skipped',
    `${after.skipped} of ${lossy.run.cycles} cycles without goals; ${missing} of ${lossy.run.sent} goals not at a servo`,
    after.skipped === 0 && missing <= 0,
  );
}

async function heap(family: Family, feels = false): Promise<void> {
  const { result } = await withEmulators(2, { family, baudRate: null, loseRate: 0 }, (ports) =>
    runClient({ kind: 'heap', family, ports, rate: null, seconds, cycles: heapCycles, feels }),
  );
  const { used, buffers } = result.heap!;
  target(
    `${SERVO[family]}: after ${heapCycles} cycles of the mirror${feels ? ' with force feedback' : ''} heapUsed within 64 kB, arrayBuffers equal`,
    `${(used / 1024).toFixed(1)} kB more, arrayBuffers ${buffers} bytes more`,
    used <= 64 * 1024 && buffers === 0,
  );
}

async function paced(): Promise<void> {
  await withEmulators(2, { family: 'feetech', baudRate: BAUD_RATE, loseRate: 0 }, async (ports) => {
    for (const rate of RATES) {
      const run = await client('mirror', 'feetech', ports, rate);
      const late = run.periods.filter((period) => period > 1.5 / rate).length;
      rows.push({
        what: `mirror, two STS3215 buses, 1 Mbaud, paced at ${rate} Hz`,
        client: 'Arm Bridge',
        ratio: `${percent(run.cycles / run.seconds / rate)} of the rate, ${percent(late / run.cycles)} late`,
        figures: figures([run]),
      });
    }
  });
}

/** Two pairs in one process beside one pair, on the same lines in turn. */
async function pairs(): Promise<void> {
  const emulators = { family: 'feetech', baudRate: BAUD_RATE, loseRate: 0 } as const;
  const { result } = await withEmulators(4, emulators, (ports) =>
    inTurn({
      one: () => client('mirror', 'feetech', ports.slice(0, 2)),
      two: () => client('mirror', 'feetech', ports),
    }),
  );
  const { one, two } = result;
  const share = two!.rate / one!.rate;
  const what = (count: string): string => `${count} of STS3215 arms, 1 Mbaud`;
  rows.push({ what: what('mirror, one pair'), client: 'Arm Bridge', ratio: '1', figures: one! });
  const ratio = `${percent(share)} of the rate of one pair`;
  rows.push({ what: what('mirror, two pairs'), client: 'Arm Bridge', ratio, figures: two! });
  target('two pairs in one process: >= 90 % of the rate of one pair', percent(share), share >= 0.9);
}

/** The whole bridge, HTTP and ROS 2 included, as users run it. */
async function whole(): Promise<void> {
  const run = async (what: string, options: Omit<BridgeOptions, 'ports' | 'seconds'>): Promise<BridgeReport> => {
    const emulators = { family: 'feetech', baudRate: BAUD_RATE, loseRate: 0 } as const;
    const { result } = await withEmulators(2, emulators, (ports) =>
      runBridge({ ...options, ports, seconds: bridgeSeconds }),
    );
    const ros = result.ros ? 'ROS 2 at 100 Hz' : 'without ROS 2';
    const load = options.connections === 0 ? '' : `, ${result.answers.toFixed(0)} HTTP answers/s`;
    const share = percent(result.figures.rate / options.rate);
    rows.push({
      what: `mirror, two STS3215 buses, 1 Mbaud, paced at ${options.rate} Hz, ${what}`,
      client: 'Arm Bridge, whole process',
      ratio: `${share} of the rate, ${ros}${load}`,
      figures: result.figures,
    });
    return result;
  };
  const quiet = await run('nobody asks', { rate: 200, priority: null, connections: 0 });
  target('whole bridge, 200 Hz, one pair: <= 25 % of one core', percent(quiet.figures.cpu), quiet.figures.cpu <= 0.25);
  const loaded = (name: string, report: BridgeReport, rate: number, p99: number): void => {
    const { figures } = report;
    target(
      `whole bridge, 500 Hz, ${CONNECTIONS} HTTP connections, ${name}: >= ${rate} Hz, period p99 <= ${ms(p99)}`,
      `${figures.rate.toFixed(1)} Hz, ${ms(figures.periods[1])}`,
      figures.rate >= rate && figures.periods[1] <= p99,
    );
  };
  const usual = await run(`${CONNECTIONS} HTTP connections`, { rate: 500, priority: null, connections: CONNECTIONS });
  loaded('no priority', usual, 495, 4e-3);
  const ahead = await run(`${CONNECTIONS} HTTP connections, priority ${PRIORITY}`, {
    rate: 500,
    priority: PRIORITY,
    connections: CONNECTIONS,
  });
  if (ahead.priority === PRIORITY) loaded(`priority ${PRIORITY}`, ahead, 499, 2.2e-3);
}

async function wireSpeed(): Promise<void> {
  const ours = await mirror('feetech');
  const share = ours.rate / WIRE_LIMIT.feetech;
  target("mirror: >= 85 % of the wire's 1136 Hz (90 % is aimed at)", percent(share), share >= 0.85);
  target('mirror: sample to goal p50 <= 1.2 ms', ms(ours.ages[0]), ours.ages[0] <= 1.2e-3);
  target('mirror: sample to goal p99 <= 2.5 ms', ms(ours.ages[1]), ours.ages[1] <= 2.5e-3);
  target('mirror: <= 15 % of one core', percent(ours.cpu), ours.cpu <= 0.15);
}

const CASES: Readonly<Record<string, () => Promise<unknown>>> = {
  mirror: wireSpeed,
  feeling: () => feeling('feetech'),
  bus: () => oneBus('feetech'),
  losses: () => losses('feetech'),
  paced,
  pairs,
  whole,
  heap: () => heap('feetech'),
  'feeling-heap': () => heap('feetech', true),
  'dynamixel-mirror': () => mirror('dynamixel'),
  'dynamixel-bus': () => oneBus('dynamixel'),
  'dynamixel-feeling': () => feeling('dynamixel'),
  'dynamixel-heap': () => heap('dynamixel'),
};

const cases = chosenCases(CASES);
const report = new Report('buses', 'Servo buses', 'bench');
for (const name of cases) await CASES[name]!();

const text = [
  report.machine(),
  `Each figure is the median of ${rounds} runs of ${seconds} s in turn (losses: one of ${lossSeconds} s; paced: one; whole process: one of ${bridgeSeconds} s, its own percentiles).`,
  ...(python ? [] : ['Other clients were not measured: ARM_BRIDGE_WITNESS_PYTHON is not set.']),
  '',
  measuredTable(rows),
  '',
  targetTable(targets),
  '',
].join('\n');
report.publish(text);
