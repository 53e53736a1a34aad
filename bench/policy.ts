/**
 * npm run bench:policy [-- --write | --short]: how smoothly an arm follows a policy that answers after 150 to 400 ms, by chunks
 * and by goals of `/joints/write`, in virtual time: the figures do not depend on the machine. `--write` puts the table into
 * bench/results too, `--short` only shows that everything runs.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { VirtualHost } from '../explore/virtual-host.ts';
import { Bridge } from '../src/bridge.ts';
import { configSchema } from '../src/config/schema.ts';
import { seededRandom } from '../src/sim/random.ts';
import { short } from './arguments.ts';
import { Report } from './report.ts';
import { markdownTable, type Target, targetTable } from './table.ts';

/** How long an arm is driven, s, and when it is looked at: the first chunk has been approached by then. */
const LENGTH = short ? 4 : 30;
const LEAD_IN = 2;
/** Chunks: points, and the time between two, s. */
const POINTS = 50;
const SPACING = 1 / 30;
/**
 * The physics is looked at so often, s; its jerk is told by positions so far apart, s, since what the steps of a servo do from
 * cycle to cycle is the same for all; and its speed over such a time.
 */
const LOOK = 0.005;
const APART = 0.05;
const WINDOW = 0.1;
/** Slower than this an arm stands, rad/s: the way is passed at 0.45 to 0.6 rad/s. */
const STANDING = 0.05;
/** Joints that go round in a circle together: base and wrist. */
const JOINTS = [0, 3] as const;
const RADII = [0.4, 0.3] as const;
const TURN = 1.5;
const SEED = 7;

/** Where the policy wants both joints, rad, t s after it began. */
const circle = (t: number): number[] => [RADII[0] * Math.sin(TURN * t), RADII[1] * Math.cos(TURN * t)];

/** A bridge with a simulated arm in virtual time. */
interface Machine {
  readonly host: VirtualHost;
  post(url: string, body?: object): Promise<{ readonly status: number; readonly body: string }>;
  pass(duration: number): Promise<void>;
  /** An observation's answer, the policy's thinking included. */
  think(): Promise<void>;
}

/** Drives the arm until `over`. */
type Client = (machine: Machine, over: () => boolean) => Promise<void>;

/** Chunks with stamps: the policy looks again as soon as it has answered. */
const chunks: Client = async (machine, over) => {
  while (!over()) {
    const observed = machine.host.clock.wall();
    const seen = machine.host.time.now;
    await machine.think();
    const times = Array.from({ length: POINTS }, (_, k) => (k + 1) * SPACING);
    const positions = times.map((t) => circle(seen + t));
    const body = { joints: ['shoulder_pan', 'wrist_flex'], times, positions, observed };
    required(await machine.post('/api/v1/arms/arm/chunks', body));
  }
};

/** Goals, 30 a second: each chunk is played to its end, then the policy is asked for the next one. */
const queued: Client = async (machine, over) => {
  let phase = machine.host.time.now;
  while (!over()) {
    await machine.think();
    for (let k = 1; k <= POINTS && !over(); k++) {
      phase += SPACING;
      await write(machine, circle(phase));
      await machine.pass(SPACING);
    }
  }
};

/** Goals, 30 a second: the policy thinks beside it, and its newest chunk begins with its first point as it comes. */
const replaced: Client = async (machine, over) => {
  let chunk: number[][] = [];
  const think = async (): Promise<void> => {
    while (!over()) {
      const seen = machine.host.time.now;
      await machine.think();
      chunk = Array.from({ length: POINTS }, (_, k) => circle(seen + (k + 1) * SPACING));
    }
  };
  const thinking = think();
  while (!over()) {
    const goal = chunk.shift();
    if (goal !== undefined) await write(machine, goal);
    await machine.pass(SPACING);
  }
  await thinking;
};

function required({ status, body }: { readonly status: number; readonly body: string }): void {
  if (status !== 200) throw new Error(`${status} ${body}`);
}

async function write(machine: Machine, angles: readonly number[]): Promise<void> {
  required(await machine.post('/joints/write', { angles, joints_ids: JOINTS }));
}

interface Figures {
  /** Root of the mean square of the jerk of both joints together, rad/s^3. */
  readonly jerk: number;
  /** Least speed of both over a tenth of a second, rad/s, and part of the time at which they stand. */
  readonly slowest: number;
  readonly standing: number;
}

/** What the joints do that the physics has, rad, row by row. */
function judge(rows: readonly (readonly number[])[]): Figures {
  const distance = (a: readonly number[], b: readonly number[]): number => Math.hypot(a[0]! - b[0]!, a[1]! - b[1]!);
  let square = 0;
  const apart = Math.round(APART / LOOK);
  for (let k = 3 * apart; k < rows.length; k++) {
    for (const i of [0, 1]) {
      const at = (steps: number): number => rows[k - steps * apart]![i]!;
      square += ((at(0) - 3 * at(1) + 3 * at(2) - at(3)) / APART ** 3) ** 2;
    }
  }
  const over = Math.round(WINDOW / LOOK);
  const speeds = rows.slice(over).map((row, k) => distance(row, rows[k]!) / WINDOW);
  return {
    jerk: Math.sqrt(square / (rows.length - 3 * apart)),
    slowest: Math.min(...speeds),
    standing: speeds.filter((speed) => speed < STANDING).length / speeds.length,
  };
}

async function measured(client: Client): Promise<Figures> {
  const host = new VirtualHost(null);
  const { time } = host;
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-bench-policy-'));
  try {
    const config = configSchema.parse({
      state_folder: folder,
      recording: { folder: join(folder, 'recordings') },
      ros: { enabled: false },
      arms: [{ name: 'arm', bus: 'sim:so101' }],
    });
    const bridge = await time.until(Bridge.start(config, pino({ level: 'silent' }), host), 60);
    const random = seededRandom(SEED);
    const post: Machine['post'] = async (url, body) => {
      const headers = { host: '127.0.0.1' };
      const answer = await bridge.http.inject({ method: 'POST', url, headers, ...(body ? { payload: body } : {}) });
      return { status: answer.statusCode, body: answer.payload };
    };
    const pass: Machine['pass'] = (duration) => host.clock.sleep(duration);
    const machine: Machine = { host, post, pass, think: () => pass(0.15 + 0.25 * random()) };
    required(await time.until(post('/move/init'), 60));
    const end = time.now + LENGTH;
    let failure: unknown = null;
    const driven = client(machine, () => time.now >= end).catch((error: unknown) => {
      failure = error;
    });
    const rows: number[][] = [];
    await time.run(time.now + LEAD_IN);
    while (time.now < end && failure === null) {
      await time.run(time.now + LOOK);
      const { positions } = await time.until(host.arms!.truth('arm'), 1);
      rows.push(JOINTS.map((joint) => positions[joint]!));
    }
    await time.until(driven, 10);
    if (failure !== null) throw failure;
    await time.until(bridge.close(), 60);
    return judge(rows);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const CLIENTS: readonly (readonly [name: string, client: Client])[] = [
  ['chunks with stamps', chunks],
  ['/joints/write, 30 a second: each chunk to its end, then the next is asked for', queued],
  ['/joints/write, 30 a second: the newest chunk from its first point on', replaced],
];

const report = new Report('policy', 'Policies');
const results: (readonly [string, Figures])[] = [];
for (const [name, client] of CLIENTS) results.push([name, await measured(client)]);
const [[, ours], ...others] = results as [(typeof results)[number], ...typeof results];
const least = Math.min(...others.map(([, { jerk }]) => jerk));
const targets: Target[] = [
  {
    goal: 'chunks: the arm never stands',
    measured: `${ours.slowest.toFixed(2)} rad/s at least`,
    reached: ours.slowest > STANDING,
  },
  {
    goal: 'chunks: no more than half of the jerk of either kind of goals',
    measured: `${ours.jerk.toFixed(1)} of ${least.toFixed(1)} rad/s³`,
    reached: ours.jerk <= least / 2,
  },
];
const text = [
  report.machine(),
  '',
  markdownTable(
    ['the arm is driven by', 'jerk, rms', 'slowest over 0.1 s', 'stands'],
    results.map(([name, { jerk, slowest, standing }]) => [
      name,
      `${jerk.toFixed(1)} rad/s³`,
      `${slowest.toFixed(2)} rad/s`,
      `${(100 * standing).toFixed(0)} % of the time`,
    ]),
  ),
  '',
  targetTable(targets),
  '',
].join('\n');
report.publish(text);
