import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BridgeProcess, HAS_ROS, rosEnvironment } from '../e2e/support/bridge.ts';
import { type Block, bashBlocks, commands, ROOT } from './support/blocks.ts';

const { installCommand } = await import(pathToFileURL(join(ROOT, 'scripts/lib/platform.mjs')).href);

const DOCUMENTS = ['README.md', 'docs/getting-started.md'];
/** Longest that one block may take, ms. */
const LIMIT = 60_000;
/** Every curl also prints the HTTP status, on a line of its own after the body. */
const PRELUDE = `set -euo pipefail
curl() { command curl --silent --show-error --max-time 40 --write-out '\\n%{http_code}\\n' "$@"; }
`;

const HAS_CURL = spawnSync('curl', ['--version']).status === 0;
if (!HAS_CURL) console.warn('SKIPPED: the commands of the documents. Install curl to run them.');

/** A folder in which commands may leave files; it looks like the checkout to them. */
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-docs-'));
  for (const name of ['build', 'config', 'docs']) {
    if (existsSync(join(ROOT, name))) symlinkSync(join(ROOT, name), join(folder, name));
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Result {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

function bash(script: string, env: NodeJS.ProcessEnv = process.env): Promise<Result> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', script], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LIMIT,
    });
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output, errors }));
  });
}

const EXPECTED = {
  '': (status: number, answer: { status?: string }) => status === 200 && (answer.status ?? 'ok') === 'ok',
  error: (status: number, answer: { status?: string }) => status === 200 && answer.status === 'error',
  refused: (status: number) => status >= 400 && status < 500,
} as const;

async function runCurls(block: Block, kind: keyof typeof EXPECTED, bridge: BridgeProcess): Promise<void> {
  const { server_port: port, stop_port: stopPort } = (await bridge.get('/status')).body;
  const text = block.text.replaceAll('8020', port).replaceAll('8021', stopPort);
  const { code, output, errors } = await bash(PRELUDE + text);
  expect([code, errors]).toEqual([0, '']);
  const lines = output.trimEnd().split('\n');
  expect(lines).toHaveLength(2 * commands(block).length);
  for (let i = 0; i < lines.length; i += 2) {
    const status = Number(lines[i + 1]);
    expect(EXPECTED[kind](status, JSON.parse(lines[i]!)), `answered ${status}: ${lines[i]}`).toBe(true);
  }
}

/** Runs what starts a bridge, the bridge itself as `npm start` does in the end, on a free port; each must end cleanly. */
async function runStarts(block: Block): Promise<void> {
  for (const command of commands(block)) {
    const words = command.split(/\s+/);
    if (words[0] !== 'npm') {
      expect((await bash(command)).code).toBe(0);
      continue;
    }
    expect(words.slice(0, 2)).toEqual(['npm', 'start']);
    const given = words.slice(3).map((word) => (existsSync(join(folder, word)) ? join(folder, word) : word));
    if (given.includes('--help')) {
      const help = await bash(`exec '${process.execPath}' '${ROOT}dist/main.js' --help`);
      expect([help.code, help.output]).toEqual([0, expect.stringContaining('--config')]);
      continue;
    }
    const port = given.indexOf('--port');
    if (port >= 0) given.splice(port, 2);
    const bridge = await BridgeProcess.start('--no-ros', ...given.filter((word) => word !== '--no-ros'));
    expect((await bridge.get('/status')).body.status).toBe('ok');
    expect((await bridge.end('SIGINT')).code).toBe(0);
  }
}

async function runRos(block: Block): Promise<void> {
  for (const command of commands(block)) {
    const { code, output, errors } = await bash(`${command} --once`, rosEnvironment());
    expect([code, errors]).toEqual([0, '']);
    expect(output).toMatch(/shoulder_pan .*gripper[\s\S]*base_link \(m\): x /);
  }
}

function checkInstall(block: Block): void {
  const needed = ['python', 'venv', 'headers', 'compiler', 'make'];
  expect(commands(block)).toEqual(['apt', 'dnf', 'brew'].map((manager) => installCommand(needed, manager)));
}

function checkTest(block: Block): void {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(commands(block)).toEqual(['npm test']);
  expect(scripts.test).toBe('bash scripts/test.sh');
}

describe.each(DOCUMENTS)('the commands of %s do what it says', (document) => {
  let bridge: BridgeProcess;
  beforeAll(async () => {
    bridge = await BridgeProcess.start(...(HAS_ROS ? [] : ['--no-ros']));
  }, LIMIT);
  afterAll(async () => {
    await bridge.endStopped();
  }, LIMIT);

  const blocks = bashBlocks(document);
  test.for(blocks.map((block) => ({ ...block, where: `${document}:${block.line}` })))(
    '$where $kind',
    { timeout: 2 * LIMIT },
    async (block, { skip }) => {
      switch (block.kind) {
        case 'bridge':
          return runStarts(block);
        case 'install':
          return checkInstall(block);
        case 'test':
          return checkTest(block);
        case 'ros':
          return HAS_ROS ? runRos(block) : skip('needs a ROS 2');
        case 'full-ros':
          return skip('needs a ROS 2 with its command line tools');
        case 'ros2':
          return skip('test/e2e/ros-tool.test.ts runs it');
        case 'clients':
          return skip('python-client, typescript-client and lerobot.test.ts of test/e2e run it');
        case 'hardware':
          return skip('needs an arm');
        case 'machine':
          return skip('needs a container engine, or changes the machine');
        default:
          return HAS_CURL ? runCurls(block, block.kind, bridge) : skip('needs curl');
      }
    },
  );

  test('there are commands of each kind that a reader needs', () => {
    const kinds = new Set(blocks.map(({ kind }) => kind));
    const first = document === 'README.md' ? 'clients' : 'install';
    for (const kind of ['', 'bridge', first, 'ros', 'full-ros']) expect(kinds).toContain(kind);
  });
});
