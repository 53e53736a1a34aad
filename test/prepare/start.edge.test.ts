import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const START = join(import.meta.dirname, '../../scripts/start.sh');

/** A checkout whose preparation and bridge are those of each test. */
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'arm-bridge-start-'));
  for (const name of ['scripts', 'dist']) mkdirSync(join(root, name));
  cpSync(START, join(root, 'scripts/start.sh'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function start(prepare: string, bridge: string, ...args: string[]) {
  writeFileSync(join(root, 'scripts/prepare.mjs'), prepare);
  writeFileSync(join(root, 'dist/main.js'), `const { readFileSync, writeFileSync } = require('node:fs');\n${bridge}`);
  const child: ChildProcessWithoutNullStreams = spawn('bash', [join(root, 'scripts/start.sh'), ...args]);
  let out = '';
  child.stdout.on('data', (text) => {
    out += text;
  });
  const end = once(child, 'close').then(([code, signal]) => ({ code, signal, out }));
  return { child, end };
}

const say = (text: string): string => `process.stdout.write(${JSON.stringify(text)});`;

test('the bridge takes the place of the shell, with its arguments and the environment that was prepared', async () => {
  const prepare = `${say('export A="1 2"\n# ready\n')} if (process.argv[2] !== 'run' || process.argv[3] !== 'a b') process.exit(1);`;
  const { child, end } = start(prepare, 'console.log(process.pid, process.env.A, process.argv.slice(2));', 'a b');
  expect(await end).toEqual({ code: 0, signal: null, out: `${child.pid} 1 2 [ 'a b' ]\n` });
});

test('nothing is started when the preparation has failed, not even with half of its environment', async () => {
  const { end } = start(`${say('export A=1\n')} process.exitCode = 1;`, 'console.log("started");');
  expect(await end).toEqual({ code: 1, signal: null, out: '' });
});

test('a ROS 2 that takes longer is told of by file descriptor 3, while the bridge runs', async () => {
  const prepare = `${say('export N=3\n# ready, ROS 2 follows\n')} setTimeout(() => { ${say('{"ready":{}}\n')} }, 200);`;
  const { end } = start(prepare, `console.log(JSON.stringify(readFileSync(Number(process.env.N), 'utf8')));`);
  expect((await end).out).toBe(`${JSON.stringify('{"ready":{}}\n')}\n`);
});

test('a preparation that goes on beside the bridge ends with it', async () => {
  const pid = join(root, 'pid');
  const prepare = `
    import { writeFileSync } from 'node:fs';
    process.stdout.on('error', () => process.exit(1));
    writeFileSync(${JSON.stringify(pid)}, String(process.pid));
    ${say('# ready, ROS 2 follows\n')}
    setInterval(() => { ${say('{"step":"on and on","left":1}\n')} }, 50);`;
  const { child, end } = start(prepare, 'setInterval(() => {}, 1000); process.stdout.write("running");');
  await once(child.stdout, 'data');
  const preparation = Number(readFileSync(pid, 'utf8'));
  child.kill('SIGKILL');
  await end;
  await vi.waitFor(() => expect(existsSync(`/proc/${preparation}`)).toBe(false), { timeout: 10_000 });
});
