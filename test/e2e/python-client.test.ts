import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bashBlocks, commands } from '../docs/support/blocks.ts';
import { WITNESS_PYTHON } from '../support/witness.ts';
import { BridgeProcess } from './support/bridge.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** What the notebook asks for: CPython 3.10 has none of it here. */
const HAS_NOTEBOOKS = WITNESS_PYTHON !== undefined && readsModule('nbclient');

function readsModule(name: string): boolean {
  const site = fileURLToPath(new URL('../lib/', `file://${WITNESS_PYTHON}`));
  return readdirSync(site).some((version) => readdirSync(join(site, version, 'site-packages')).includes(name));
}

let bridge: BridgeProcess;
let folder: string;
let env: NodeJS.ProcessEnv;

const python = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)(WITNESS_PYTHON!, ['-B', ...args], { cwd: folder, env })).stdout;

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

test.skipIf(!WITNESS_PYTHON)(
  'the wheel moves arms, streams them, mirrors, records and says what is refused, with await and without',
  async () => {
    const script = fileURLToPath(new URL('support/python_client.py', import.meta.url));
    expect(JSON.parse(await python(script))).toEqual({
      refused: ['not_initialised', 'init', true],
      moved: ['ok', expect.closeTo(2, 0), expect.closeTo(3, 0)],
      unreachable: 'not_done',
      invalid: [['body', 'open']],
      states: 5,
      goals: 6,
      stream: ['hello', 'arms'],
      mirrored: [true, false],
      recorded: true,
      stopped: ['stopped', 'reset'],
      nobody: 'unreachable',
      urdf: true,
      name: expect.stringMatching(/^[A-Za-z0-9].*\/\d+$/),
    });
  },
);

test.skipIf(!WITNESS_PYTHON)('the client without await is what is made of the one with', () =>
  python(join(ROOT, 'clients/python/make_sync.py'), '--check'),
);

test.skipIf(!WITNESS_PYTHON)(
  'the programs of docs/python.md run, and its commands are those that are tried',
  async () => {
    const blocks = bashBlocks('docs/python.md');
    expect(blocks.flatMap(commands)).toEqual(['pip install ./clients/python']);
    const text = readFileSync(join(ROOT, 'docs/python.md'), 'utf8');
    const programs = [...text.matchAll(/^```python\n([\s\S]*?)^```$/gm)].map((match) => match[1]!);
    expect(programs).toHaveLength(3);
    for (const program of programs) await python('-c', here(program));
  },
);

test.skipIf(!HAS_NOTEBOOKS)('the notebook moves the simulated arm and draws the way of its tool', async () => {
  const notebook = readFileSync(join(ROOT, 'examples/first-steps.ipynb'), 'utf8');
  writeFileSync(join(folder, 'first-steps.ipynb'), here(notebook));
  await python(
    '-c',
    'import nbformat, nbclient\n' +
      'notebook = nbformat.read("first-steps.ipynb", as_version=4)\n' +
      'nbclient.NotebookClient(notebook, timeout=100, kernel_name="python3").execute()\n' +
      'nbformat.write(notebook, "run.ipynb")',
  );
  const run: { cells: { outputs?: { data?: Record<string, unknown>; text?: string[] }[] }[] } = JSON.parse(
    readFileSync(join(folder, 'run.ipynb'), 'utf8'),
  );
  const outputs = run.cells.flatMap((cell) => cell.outputs ?? []);
  expect(outputs.some(({ data }) => data !== undefined && 'image/png' in data)).toBe(true);
  expect(outputs.flatMap(({ text = [] }) => text).join('')).toContain('not_done - ');
  // It is kept without what a run leaves in it.
  expect(notebook).not.toContain('image/png');
});
