/**
 * npm run bench:ros [-- --write | --short | --ends COUNT]: what publishing costs, beside rclpy and the messages of rclnodejs, in one run;
 * whether a reader of joint states misses any; and whether the bridge ends cleanly. `--write` puts the table into
 * bench/results too, `--short` only shows that everything runs, `--ends` ends the bridge so often instead of a hundred times.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { JointStateEncoder } from '../src/ros/cdr.ts';
import { makeQualities } from '../src/ros/qos.ts';
import { loadRclnodejs, type RosPublisher } from '../src/ros/rclnodejs.ts';
import { option, short } from './arguments.ts';
import { Report } from './report.ts';
import { markdownTable, type Target, targetTable } from './table.ts';

/** The sources are compiled to build/bench: documents and the bridge stay where they are. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const TYPE = 'sensor_msgs/msg/JointState';
const NAMES = ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll', 'gripper'];
/** A domain of its own, found on this machine alone. */
const ENVIRONMENT = { ROS_DOMAIN_ID: '97', ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST' };

/** Rates at which publishing is paced, Hz. */
const SLOW = 200;
const FAST = 1000;

const burst = short ? 200 : 20_000;
const pacedSeconds = short ? 0.2 : 2;
const rounds = short ? 1 : 3;
const listenSeconds = short ? 2 : 60;
const endings = option('--ends', short ? 2 : 100, { least: 1 });

const python = process.env.ARM_BRIDGE_ROS_PYTHON;
if (!python) throw new Error('ARM_BRIDGE_ROS_PYTHON is not set: eval "$(node scripts/prepare.mjs test)" sets it');
Object.assign(process.env, ENVIRONMENT);
const report = new Report('ros', 'ROS 2');

/** A part of ros-peer.py in a process of its own: a line when it is ready, one with its result at its end. */
class Peer {
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(...args: string[]) {
    this.#process = spawn(python!, ['-B', join(ROOT, 'bench', 'ros-peer.py'), ...args], {
      env: { ...process.env, LD_LIBRARY_PATH: process.env.ARM_BRIDGE_ROS_LD_LIBRARY_PATH ?? '' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#lines = createInterface(this.#process.stdout!)[Symbol.asyncIterator]();
  }

  async next<Value>(): Promise<Value> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('ros-peer.py has ended');
    return JSON.parse(value) as Value;
  }

  /** What it answers to one line on its standard input. */
  async ask<Value>(...request: readonly (string | number)[]): Promise<Value> {
    this.#process.stdin!.write(`${JSON.stringify(request)}\n`);
    return this.next<Value>();
  }

  async close(): Promise<void> {
    this.#process.stdin!.end();
    if (this.#process.exitCode === null) await once(this.#process, 'exit');
  }
}

const sleep = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

/** Mean time of a call of `publish`, s, in one go. */
function inBurst(publish: (index: number) => void): number {
  const began = performance.now();
  for (let index = 0; index < burst; index++) publish(index);
  return (performance.now() - began) / 1000 / burst;
}

/** What calls of `publish` that come one by one cost. */
interface Cost {
  /** Time that a call took by the clock, s: the median. */
  readonly clock: number;
  /** Processor time of the thread for a turn of the loop with its call, s: the mean. */
  readonly thread: number;
  /** Processor time of all threads of the process, part of a core. */
  readonly all: number;
}

/** Processor time of this thread, s. A call that waits for its core is later by the clock, not dearer. */
function threadTime(): number {
  return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) * 1e-9;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1]!;
}

async function paced(rate: number, publish: (index: number) => void): Promise<Cost> {
  const calls: number[] = [];
  const began = performance.now();
  const thread = threadTime();
  const { user, system } = process.cpuUsage();
  while (performance.now() - began < 1000 * pacedSeconds) {
    while (calls.length < ((performance.now() - began) / 1000) * rate) {
      const before = performance.now();
      publish(calls.length);
      calls.push((performance.now() - before) / 1000);
    }
    await sleep(0.001);
  }
  const used = process.cpuUsage({ user, system });
  return {
    thread: (threadTime() - thread) / calls.length,
    all: (used.user + used.system) / 1e3 / (performance.now() - began),
    clock: median(calls),
  };
}

/** Costs measured again and again, one kind after the other, so that what else the machine does meanwhile meets all. */
class Turns {
  readonly #costs = new Map<string, Cost[]>();

  add(kind: string, cost: Cost): void {
    this.#costs.set(kind, [...(this.#costs.get(kind) ?? []), cost]);
  }

  /** The median of the turns; `loop` is the kind that does the same without publishing, whose time is taken off. */
  cost(kind: string, loop: string): Cost {
    const of = (what: string, part: keyof Cost) => median(this.#costs.get(what)!.map((cost) => cost[part]));
    return {
      clock: of(kind, 'clock'),
      thread: Math.max(0, of(kind, 'thread') - of(loop, 'thread')),
      all: Math.max(0, of(kind, 'all') - of(loop, 'all')),
    };
  }
}

const micro = (seconds: number): string => `${(seconds * 1e6).toFixed(1)} µs`;

const load = await loadRclnodejs();
if (!load.ok) throw new Error(load.reason);
const { rcl } = load;
const context = new rcl.Context();
await rcl.init(context, []);
const node = new rcl.Node('bench', '/', context, { parameterOverrides: [] });
const { stream } = makeQualities(rcl);
const encoder = new JointStateEncoder(NAMES);
const positions = new Float64Array(NAMES.length);
const publisher = (topic: string): RosPublisher => node.createPublisher(TYPE, topic, { qos: stream });

const ours = (to: RosPublisher) => (index: number) => {
  positions.fill(index * 1e-6);
  to.publish(encoder.encode(1_764_000_000 + index * 0.001, positions, positions, positions));
};
const objects = (to: RosPublisher) => (index: number) => {
  const values = positions.fill(index * 1e-6);
  const stamp = { sec: 1_764_000_000, nanosec: index % 1e9 };
  to.publish({ header: { stamp, frame_id: '' }, name: NAMES, position: values, velocity: values, effort: values });
};

const alone = publisher('/bench/alone');
const heard = publisher('/bench/heard');
const pythons = new Peer('publish', '/bench/python_alone', '/bench/python_heard');
await pythons.next();
inBurst(ours(alone));
const oursAlone = inBurst(ours(alone));
const objectsAlone = inBurst(objects(alone));
const pythonAlone = await pythons.ask<number>('burst', burst);

const readers = [new Peer('read', '/bench/heard'), new Peer('read', '/bench/python_heard')];
for (const reader of readers) await reader.next();
// Until the readers have been found.
await sleep(2);
const turns = new Turns();
for (let turn = 0; turn < rounds; turn++) {
  turns.add('loop', await paced(SLOW, () => {}));
  turns.add('ours, alone', await paced(SLOW, ours(alone)));
  turns.add('ours, heard', await paced(SLOW, ours(heard)));
  turns.add('objects, alone', await paced(SLOW, objects(alone)));
  turns.add('objects, heard', await paced(SLOW, objects(heard)));
  for (const kind of ['loop', 'alone', 'heard']) {
    turns.add(`rclpy, ${kind}`, await pythons.ask<Cost>(kind, SLOW, pacedSeconds));
  }
  turns.add('fast loop', await paced(FAST, () => {}));
  turns.add('ours, fast', await paced(FAST, ours(heard)));
  turns.add('rclpy, fast loop', await pythons.ask<Cost>('loop', FAST, pacedSeconds));
  turns.add('rclpy, fast', await pythons.ask<Cost>('heard', FAST, pacedSeconds));
}
for (const peer of [...readers, pythons]) await peer.close();
context.shutdown();

/** The bridge as users run it. */
async function bridge(): Promise<{ process: ChildProcess; log: () => string }> {
  const child = spawn(
    process.execPath,
    [join(ROOT, 'dist', 'main.js'), '--port', '0', '--ros-args', '-p', 'ros.joint_state_rate:=200'],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let log = '';
  for (const output of [child.stdout!, child.stderr!]) output.on('data', (text) => (log += text));
  const deadline = performance.now() + 60_000;
  while (!log.includes('HTTP on')) {
    if (child.exitCode !== null || performance.now() > deadline) throw new Error(`the bridge did not start: ${log}`);
    await sleep(0.05);
  }
  return { process: child, log: () => log };
}

async function end({ process: child }: { process: ChildProcess }): Promise<string> {
  child.kill('SIGTERM');
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return signal ?? `${code}`;
}

interface Listened {
  readonly received: number;
  readonly gaps: number;
  readonly backwards: number;
  readonly p99: number;
}

const running = await bridge();
const listener = new Peer('listen', '/follower', `${listenSeconds}`);
const listened = await listener.next<Listened>();
await listener.close();
const ends = [await end(running)];
for (let index = 1; index < endings; index++) ends.push(await end(await bridge()));
const clean = ends.filter((code) => code === '0').length;

/** By the clock, and processor time. */
const both = ({ clock, thread }: Cost): string => `${micro(clock)}, ${micro(thread)}`;
const slowRow = (kind: string): string[] => [
  both(turns.cost(`ours, ${kind}`, 'loop')),
  both(turns.cost(`objects, ${kind}`, 'loop')),
  both(turns.cost(`rclpy, ${kind}`, 'rclpy, loop')),
];
const oursHeard = turns.cost('ours, heard', 'loop');
const oursFast = turns.cost('ours, fast', 'fast loop');
const rows = [
  ['no reader, in one go', micro(oursAlone), micro(objectsAlone), micro(pythonAlone)],
  [`no reader, ${SLOW} Hz: by the clock, processor time`, ...slowRow('alone')],
  [`one reader, ${SLOW} Hz: by the clock, processor time`, ...slowRow('heard')],
  [
    `one reader, ${FAST} Hz: by the clock, processor time`,
    both(oursFast),
    '',
    both(turns.cost('rclpy, fast', 'rclpy, fast loop')),
  ],
];
const measured = markdownTable(
  ['publishing a JointState of 6 joints', 'Arm Bridge', 'rclnodejs, object', 'rclpy'],
  rows,
);
const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;
const targets: Target[] = [
  { goal: 'at most 5 µs without a reader', measured: micro(oursAlone), reached: oursAlone <= 5e-6 },
  {
    goal: 'at most 50 µs of processor time with one, paced',
    measured: micro(oursHeard.thread),
    reached: oursHeard.thread <= 50e-6,
  },
  {
    goal: 'at most 50 µs by the clock with one, paced',
    measured: micro(oursHeard.clock),
    reached: oursHeard.clock <= 50e-6,
  },
  {
    goal: '1 kHz of one arm with one reader at most 10 % of a core, all threads',
    measured: percent(oursFast.all),
    reached: oursFast.all <= 0.1,
  },
  {
    goal: `joint states at 200 Hz for ${listenSeconds} s: none lost, stamps increase`,
    measured: `${listened.received} read, ${listened.gaps} lost, ${listened.backwards} out of order; interval p99 ${(1000 * listened.p99).toFixed(1)} ms`,
    reached: listened.gaps === 0 && listened.backwards === 0,
  },
  { goal: `${endings} clean ends of ${endings}`, measured: `${clean} of ${endings}`, reached: clean === endings },
];
const text = `${measured}\n\n${targetTable(targets)}\n\n${report.machine()} ROS 2 ${load.distro}.\n`;
report.publish(text);
