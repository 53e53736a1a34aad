import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const module = pathToFileURL(join(import.meta.dirname, '../../scripts/lib/lock.mjs')).href;
const { acquireLock, processStart } = await import(module);

let folder: string;
let path: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-lock-'));
  path = join(folder, 'deep', 'prepare.lock');
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** A Node process that runs a module; its standard output is given line by line to `lines`. */
function runModule(source: string, env: NodeJS.ProcessEnv = {}): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  let text = '';
  child.stdout?.on('data', (chunk) => {
    text += chunk;
  });
  return { child, output: () => text };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}

const holding = `
  const { acquireLock } = await import(${JSON.stringify(module)});
  await acquireLock(process.env.LOCK, { token: process.env.TOKEN ?? 'none' });
  console.log('held');
  setInterval(() => {}, 1000);
`;

test('a released lock leaves no file and can be taken again', async () => {
  const first = await acquireLock(path, { token: 'a' });
  first.release();
  expect(readdirSync(join(folder, 'deep'))).toEqual([]);
  const second = await acquireLock(path, { token: 'b' });
  second.release();
  expect(existsSync(path)).toBe(false);
});

test('whoever comes second waits for a living owner and is told which process it is', async () => {
  const first = await acquireLock(path, { token: 'a' });
  const order: string[] = [];
  const waitsFor: number[] = [];
  const second = acquireLock(path, { token: 'b', onWait: (owner: { pid: number }) => waitsFor.push(owner.pid) });
  const done = second.then((lock: { release: () => void }) => {
    order.push('second');
    lock.release();
  });
  await until(() => waitsFor.length > 0);
  order.push('first');
  first.release();
  await done;
  expect(order).toEqual(['first', 'second']);
  expect(waitsFor).toEqual([process.pid]);
});

test('the lock of a killed owner is taken over', async () => {
  const { child, output } = runModule(holding, { LOCK: path });
  await until(() => output().includes('held'));
  child.kill('SIGKILL');
  await once(child, 'close');
  expect(existsSync(path)).toBe(true);
  const lock = await acquireLock(path, { token: 'b' });
  expect(JSON.parse(readFileSync(path, 'utf8')).pid).toBe(process.pid);
  lock.release();
});

test('an owner ended by a signal it handles leaves no lock', async () => {
  const { child, output } = runModule(`process.on('SIGTERM', () => process.exit(0));${holding}`, { LOCK: path });
  await until(() => output().includes('held'));
  child.kill('SIGTERM');
  await once(child, 'close');
  expect(existsSync(path)).toBe(false);
});

test.runIf(process.platform === 'linux')(
  'what a killed owner had started is ended before its lock is taken over',
  async () => {
    const orphan = `
    import { spawn } from 'node:child_process';
    const child = spawn('sleep', ['20'], { env: { ...process.env, ARM_BRIDGE_PREPARATION: process.env.TOKEN } });
    console.log('child ' + child.pid);
  `;
    const { child, output } = runModule(`${orphan}${holding}`, { LOCK: path, TOKEN: `token-${process.pid}` });
    await until(() => output().includes('held'));
    const pid = Number(output().match(/child (\d+)/)?.[1]);
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(processStart(pid)).not.toBeNull();
    const lock = await acquireLock(path, { token: 'b' });
    const state = existsSync(`/proc/${pid}/stat`)
      ? readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0]
      : 'gone';
    expect(['gone', 'Z']).toContain(state);
    lock.release();
  },
);

test.runIf(process.platform === 'linux')('a reused process id does not pass for the owner', async () => {
  const first = await acquireLock(path, { token: 'a' });
  first.release();
  writeFileSync(path, JSON.stringify({ pid: process.pid, started: '1', host: hostname(), token: 'old' }));
  const lock = await acquireLock(path, { token: 'b' });
  lock.release();
});

test('an owner on another machine holds the lock while its heartbeat is fresh, and loses it after', async () => {
  const first = await acquireLock(path, { token: 'a' });
  first.release();
  writeFileSync(path, JSON.stringify({ pid: 1, started: null, host: 'another machine', token: 'old' }));
  let waited = false;
  const second = acquireLock(path, {
    token: 'b',
    onWait: () => {
      waited = true;
    },
  });
  await until(() => waited);
  expect(JSON.parse(readFileSync(path, 'utf8')).host).toBe('another machine');
  const old = new Date(Date.now() - 120_000);
  utimesSync(path, old, old);
  (await second).release();
});

test('an unreadable lock counts as held while it is young, and as left over when it is old', async () => {
  const first = await acquireLock(path, { token: 'a' });
  first.release();
  writeFileSync(path, '');
  let waited = false;
  const second = acquireLock(path, {
    token: 'b',
    onWait: () => {
      waited = true;
    },
  });
  await until(() => waited);
  const old = new Date(Date.now() - 60_000);
  utimesSync(path, old, old);
  (await second).release();
});

test('processes that race for a dead lock hold it one at a time', async () => {
  const first = await acquireLock(path, { token: 'a' });
  first.release();
  writeFileSync(path, JSON.stringify({ pid: 2 ** 22 + 1, started: '1', host: hostname(), token: 'old' }));
  const record = join(folder, 'record');
  const racing = `
    import { appendFileSync } from 'node:fs';
    const { acquireLock } = await import(${JSON.stringify(module)});
    const lock = await acquireLock(process.env.LOCK, { token: 'r' });
    appendFileSync(process.env.RECORD, 'in ');
    await new Promise((resolve) => setTimeout(resolve, 30));
    appendFileSync(process.env.RECORD, 'out ');
    lock.release();
  `;
  const racers = [1, 2, 3, 4].map(() => runModule(racing, { LOCK: path, RECORD: record }).child);
  const codes = await Promise.all(racers.map(async (child) => (await once(child, 'close'))[0]));
  expect(codes).toEqual([0, 0, 0, 0]);
  expect(readFileSync(record, 'utf8')).toBe('in out '.repeat(4));
  expect(existsSync(path)).toBe(false);
});
