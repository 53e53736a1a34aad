import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Arm, Bridge, Episode, Motion, Recordings } from '../../clients/typescript/src/index.ts';
import { bashBlocks, commands, programs } from '../docs/support/blocks.ts';
import { WITNESS_PYTHON } from '../support/witness.ts';
import { BridgeProcess, runAgain } from './support/bridge.ts';
import { unasked } from './support/operations.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** What the notebook asks for: CPython 3.10 has none of it here. */
const HAS_NOTEBOOKS = WITNESS_PYTHON !== undefined && readsModule('nbclient');

function readsModule(name: string): boolean {
  const site = fileURLToPath(new URL('../lib/', `file://${WITNESS_PYTHON}`));
  return readdirSync(site).some((version) => readdirSync(join(site, version, 'site-packages')).includes(name));
}

/** The document has ten of them, which show no more. */
const EPISODES = 2;
/** How often a program is run that a busy machine can spoil. */
const TRIES = 10;

let bridge: BridgeProcess;
let folder: string;
let env: NodeJS.ProcessEnv;

const python = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)(WITNESS_PYTHON!, [...args], { cwd: folder, env })).stdout;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-python-'));
  // What it records goes with the folder.
  bridge = await BridgeProcess.startWith({ XDG_DATA_HOME: folder }, '--no-ros');
  env = { ...process.env, PYTHONPATH: join(folder, 'site'), ARM_BRIDGE_URL: bridge.url };
  if (WITNESS_PYTHON === undefined) return;
  // As `pip install ./clients/python` does, but for what it would fetch; of a copy, since setuptools leaves its traces.
  cpSync(join(ROOT, 'clients/python'), join(folder, 'source'), { recursive: true });
  const wheel = ['-m', 'pip', 'wheel', '--quiet', '--no-deps', '--no-index', '--no-build-isolation', '-w', 'wheels'];
  await python(...wheel, './source');
  const [file] = readdirSync(join(folder, 'wheels'));
  expect(file).toBe('arm_bridge_client-0.1.0-py3-none-any.whl');
  const install = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--no-index', '--target', 'site'];
  await python(...install, join('wheels', file!));
});
afterAll(async () => {
  await bridge.endStopped();
  rmSync(folder, { recursive: true, force: true });
});

/** As programs have it that read the documents, but on this bridge. */
const here = (text: string): string => text.replaceAll('http://localhost:8020', bridge.url);

/** What both clients, with `await` and without, are to see. */
const seen = (name: string) => ({
  status: ['leader', 'follower'],
  arms: [0, 1],
  config: true,
  nobody_there: ['Arm "folower" is unknown. Known arms: leader, follower.', 'unknown_arm', 'unknown_arm'],
  calibration: [1, 1],
  no_calibration: 404,
  moved: ['ok', expect.closeTo(2, 0), expect.closeTo(3, 0)],
  reachable: [true, false],
  numbers: true,
  no_number: [['body', 'x']],
  unreachable: 'error',
  invalid: [['body', 'open']],
  joints: 6,
  facts: ['follower', true],
  urdf: true,
  ask: null,
  no_ask: 404,
  invitation: { origin: null, token: null },
  cancelled: ['cancelled', true],
  same: true,
  done: 'done',
  listed: true,
  chunk: [2, null],
  states: [1, 1, 1, 1, 1],
  goals: [6],
  stream: ['hello', 'arms'],
  all: ['arms', 'asks', 'events', 'hello', 'log', 'loop', 'objects', 'pairs'],
  joints_recorded: true,
  not_kept: '',
  no_episode: [null, 'No episode is being recorded'],
  episode: [['follower'], 'look', true],
  episode_kept: `${name}-episode`,
  recordings: ['episode', 'joints'],
  dataset: ['good'],
  downloaded: [true, true, true, true],
  parts: [true, true],
  no_such_bytes: 'no_such_bytes',
  uploaded: true,
  taken: 400,
  no_recording: 400,
  renamed: true,
  said: 'seen',
  gone: 404,
  unplayed: 400,
  mirrored: [true, 'follower'],
  paired: 'ok',
  foreseen: [true, null],
  mirroring: false,
  stopped: [409, 'stopped', 'reset', true, false],
  bridges: [],
  stopped_all: [true],
  events: ['follower', 'POST /api/v1/stop', true],
  log: true,
  no_topic: 'invalid',
  text: true,
  unreachable_bridge: ['unreachable', true],
  no_bridge: expect.stringMatching(/^what answers at http:\S+ is no bridge$/),
});

test.skipIf(!WITNESS_PYTHON)(
  'every call of the wheel does what it says, with await and without, and its words are those of the TypeScript client',
  async () => {
    const script = fileURLToPath(new URL('support/python_client.py', import.meta.url));
    const told: Told = JSON.parse(await python(script));
    expect(told.not_initialised).toEqual([400, 'not_initialised', 'init', true, true]);
    expect(told.seen).toEqual([seen('with-await'), seen('without')]);
    // It takes the live stream from a WebSocket.
    for (const asked of told.asked) expect(unasked(asked)).toEqual(['GET /api/v1/live']);
    for (const [kind, words] of Object.entries(told.words)) expect(words, kind).toEqual(wordsOf(kind));
  },
);

interface Told {
  readonly not_initialised: unknown;
  readonly seen: unknown;
  readonly asked: readonly (readonly [method: string, path: string])[][];
  readonly words: Readonly<Record<string, readonly string[]>>;
}

/** What one of the clients has and the other does without, since its language has it differently. */
const OWN: Readonly<Record<string, { readonly python: readonly string[]; readonly typescript: readonly string[] }>> = {
  // A connection is closed by who opened it; a browser keeps them by itself.
  Bridge: { python: ['close'], typescript: ['read', 'unreachable'] },
  Arm: { python: ['call'], typescript: [] },
};

const KINDS = { Bridge, Arm, Motion, Episode, Recordings };

/** The public words of a class of the TypeScript client, as Python writes them. */
function wordsOf(kind: string): string[] {
  const { prototype } = KINDS[kind as keyof typeof KINDS];
  const { python: more = [], typescript: less = [] } = OWN[kind] ?? {};
  const methods = Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor' && name !== 'id');
  const snake = methods.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  return [...snake.filter((name) => !less.includes(name)), ...more].sort();
}

test.skipIf(!WITNESS_PYTHON)('the client without await is what is made of the one with', () =>
  python(join(ROOT, 'clients/python/make_sync.py'), '--check'),
);

test.skipIf(!WITNESS_PYTHON)(
  'the programs of README.md and docs/python.md run, and their commands are those that are tried',
  async () => {
    const told = ['README.md', 'docs/python.md'].flatMap(bashBlocks).filter(({ kind }) => kind === 'clients');
    for (const command of told.flatMap(commands)) expect(command).toBe('pip install ./clients/python');
    const all = programs('python', 'README.md', 'docs/python.md');
    expect(all).toHaveLength(4);
    for (const program of all) await runAgain(() => python('-c', here(program)));
  },
);

test.skipIf(!WITNESS_PYTHON)(
  'the programs of docs/teach.md record episodes of a pair, and open them as a table in which the follower follows',
  async () => {
    const blocks = bashBlocks('docs/teach.md');
    const [, record, list] = blocks.flatMap(commands);
    expect(record).toBe('python examples/teach.py');
    const path = /localhost:8020(\S+)'$/.exec(list!)![1]!;
    const episodes = async (): Promise<{ verdict: string; task: string }[]> => (await bridge.get(path)).body.recordings;
    // Again where the machine was too busy for the pair.
    for (let tries = 1; tries <= TRIES; tries++) {
      try {
        await python(join(ROOT, 'examples/teach.py'), String(EPISODES));
        if ((await episodes()).some(({ verdict }) => verdict === 'good')) break;
      } catch (error) {
        if (tries === TRIES) throw error;
      }
    }
    expect((await episodes()).length).toBeGreaterThanOrEqual(EPISODES);
    const [program] = programs('python', 'docs/teach.md');
    const tell = `
import json
apart = (demonstrations["shoulder_pan"] - demonstrations["shoulder_pan_action"]).abs()
print(json.dumps([len(demonstrations), len(tables), apart.median(), list(demonstrations["task"].unique())]))`;
    const told = (await python('-c', here(program!) + tell)).trim().split('\n');
    expect(told[0]).toMatch(/count +min +max/);
    const [rows, good, apart, tasks] = JSON.parse(told.at(-1)!);
    expect(rows / good).toBeGreaterThan(100);
    expect(apart).toBeLessThan(0.3);
    expect(tasks).toEqual(['Pick up the cube']);
  },
  300_000,
);

test.skipIf(!WITNESS_PYTHON)('the example of a policy drives the simulated arm', async () => {
  const told = await runAgain(() => python(join(ROOT, 'examples/policy.py'), '--chunks', '10'));
  // How smoothly is judged in virtual time, where the machine has no say.
  expect(told).toMatch(/^10 chunks of 50 points, of which \d+ to \d+ came too late$/m);
  expect(told).toMatch(/^the joints moved at \d\.\d\d rad\/s or more all the time$/m);
});

test.skipIf(!HAS_NOTEBOOKS)('the notebook moves the simulated arm and draws the way of its tool', async () => {
  const notebook = readFileSync(join(ROOT, 'examples/first-steps.ipynb'), 'utf8');
  writeFileSync(join(folder, 'first-steps.ipynb'), here(notebook));
  const runner =
    'import nbformat, nbclient\n' +
    'notebook = nbformat.read("first-steps.ipynb", as_version=4)\n' +
    'nbclient.NotebookClient(notebook, timeout=100, kernel_name="python3").execute()\n' +
    'nbformat.write(notebook, "run.ipynb")';
  await runAgain(() => python('-c', runner));
  const run: { cells: { outputs?: { data?: Record<string, unknown>; text?: string[] }[] }[] } = JSON.parse(
    readFileSync(join(folder, 'run.ipynb'), 'utf8'),
  );
  const outputs = run.cells.flatMap((cell) => cell.outputs ?? []);
  expect(outputs.some(({ data }) => data !== undefined && 'image/png' in data)).toBe(true);
  expect(outputs.flatMap(({ text = [] }) => text).join('')).toContain('not_done - ');
  // It is kept without what a run leaves in it.
  expect(notebook).not.toContain('image/png');
});
