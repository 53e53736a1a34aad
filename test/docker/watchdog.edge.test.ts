import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { VirtualTime } from '../../explore/virtual-clock.ts';
import { Watchdog } from '../../src/watchdog.ts';

const HEALTH = fileURLToPath(new URL('../../docker/health.sh', import.meta.url));
let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-beat-'));
  file = join(folder, 'beat');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A bridge's beats in virtual time; `cycles` is what its control loop has done. */
function bridge(environment: NodeJS.ProcessEnv) {
  const time = new VirtualTime();
  const loop = { cycles: 0 };
  const told: string[] = [];
  const watchdog = new Watchdog(time.lane('main'), environment);
  const count = (): number => (existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[0]) : 0);
  return {
    watchdog,
    told,
    count,
    begin: () =>
      watchdog.begin(
        () => loop.cycles,
        (reason) => told.push(reason),
      ),
    /** Lets time pass, s, with a loop that runs or stands still. */
    pass(duration: number, running: boolean): void {
      for (let second = 0; second < duration; second++) {
        if (running) loop.cycles += 200;
        time.runSync(time.now + 1);
      }
    },
  };
}

describe('the beat of a bridge', () => {
  test('comes once a second while the control loop runs, and stops with it', () => {
    const { begin, pass, count, told, watchdog } = bridge({ ARM_BRIDGE_BEAT_FILE: file });
    begin();
    pass(5, true);
    expect(count()).toBe(6);
    expect(readFileSync(file, 'utf8')).toBe(`6 ${process.pid}\n`);
    pass(9, false);
    expect(count()).toBe(6);
    expect(told).toEqual([]);
    pass(1, true);
    expect(count()).toBe(7);
    watchdog.close();
  });

  test('that fails for ten seconds is reported once, so that the process can end itself', () => {
    const { begin, pass, told } = bridge({ ARM_BRIDGE_BEAT_FILE: file });
    begin();
    pass(30, false);
    expect(told).toEqual(['the control loop has stood still for 10 s']);
  });

  test('that cannot be written is taken away, since an old one would look like a loop that stands still', async () => {
    const { begin, pass, count, watchdog } = bridge({ ARM_BRIDGE_BEAT_FILE: file });
    begin();
    pass(2, true);
    expect(existsSync(file)).toBe(true);
    // As a full folder: nothing new can be written.
    mkdirSync(`${file}.new`);
    pass(1, true);
    await expect.poll(() => existsSync(file)).toBe(false);
    await expect(
      promisify(execFile)('/bin/sh', [HEALTH, '--end'], { env: { ARM_BRIDGE_BEAT_FILE: file } }),
    ).rejects.toThrow('is not there');
    rmdirSync(`${file}.new`);
    pass(1, true);
    expect(count()).toBe(5);
    watchdog.close();
  });

  test('of an earlier process is not taken for one of this', () => {
    writeFileSync(file, '7 1\n');
    bridge({ ARM_BRIDGE_BEAT_FILE: file });
    expect(readFileSync(file, 'utf8')).toBe(`0 ${process.pid}\n`);
  });

  test('is told to systemd often enough for one notification to be late, and ready and stopping are too', async () => {
    // In place of systemd's own tool, which needs systemd.
    const tool = join(folder, 'systemd-notify');
    const log = join(folder, 'told');
    writeFileSync(tool, `#!/bin/sh\necho "$1" >> ${log}\n`);
    chmodSync(tool, 0o755);
    const path = process.env.PATH;
    process.env.PATH = `${folder}:${path}`;
    try {
      const { begin, pass, watchdog } = bridge({ NOTIFY_SOCKET: '/run/systemd/notify', WATCHDOG_USEC: '15000000' });
      begin();
      pass(15, true);
      watchdog.ending();
      watchdog.close();
      const beats = Array.from({ length: 4 }, () => 'WATCHDOG=1');
      await expect
        .poll(() => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []))
        .toEqual(['READY=1', ...beats, 'STOPPING=1']);
    } finally {
      process.env.PATH = path;
    }
  });

  test('is not told to a systemd that watches another process', () => {
    const { begin, pass, count } = bridge({ WATCHDOG_USEC: '15000000', WATCHDOG_PID: '1', ARM_BRIDGE_BEAT_FILE: file });
    begin();
    pass(3, true);
    expect(count()).toBe(4);
  });
});

describe('docker/health.sh', () => {
  const healthWith = (path: string, ...args: string[]) =>
    promisify(execFile)('/bin/sh', [HEALTH, ...args], { env: { PATH: path, ARM_BRIDGE_BEAT_FILE: file } });
  const health = (...args: string[]) => healthWith(process.env.PATH!, ...args);
  /** A process that beats for some seconds, then lives on without. */
  const beating = (seconds: number) =>
    spawn(
      process.execPath,
      [
        '-e',
        [
          'let n = 0;',
          "const beat = () => fs.writeFileSync(process.argv[1], [++n, process.pid].join(' ') + '\\n');",
          'beat();',
          'const timer = setInterval(beat, 200);',
          'setTimeout(() => clearInterval(timer), 1000 * process.argv[2]);',
          'setInterval(() => {}, 1e6);',
        ].join('\n'),
        file,
        String(seconds),
      ],
      { stdio: 'ignore' },
    );

  test('finds a bridge that beats well, and one that is not there not', async () => {
    await expect(health()).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('no bridge has beaten') });
    const bridge = beating(60);
    try {
      await expect.poll(() => existsSync(file)).toBe(true);
      expect(await health()).toEqual({ stdout: '', stderr: '' });
    } finally {
      bridge.kill('SIGKILL');
    }
  });

  test('finds a bridge that is there and does not beat ill, and ends it only when it is told to', async () => {
    const bridge = beating(0);
    const ended = once(bridge, 'exit');
    try {
      await expect.poll(() => existsSync(file)).toBe(true);
      const why = { code: 1, stderr: expect.stringContaining(`process ${bridge.pid}`) };
      // The first one begins a little earlier, and finds the bridge alive to the end.
      const asked = health();
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const ending = health('--end');
      await expect(asked).rejects.toMatchObject(why);
      expect(bridge.exitCode).toBe(null);
      await expect(ending).rejects.toMatchObject(why);
      expect(await ended).toEqual([null, 'SIGKILL']);
    } finally {
      bridge.kill('SIGKILL');
    }
  });

  test('gives a bridge that is starting a minute, and ends one that hangs then', async () => {
    // Half a second of the check takes a twentieth.
    const sleep = join(folder, 'sleep');
    const slept = join(folder, 'slept');
    writeFileSync(sleep, `#!/bin/sh\necho "$1" >> ${slept}\nexec /bin/sleep 0.025\n`);
    chmodSync(sleep, 0o755);
    const code = "fs.writeFileSync(process.argv[1], '0 ' + process.pid + '\\n'); setInterval(() => {}, 1e6);";
    const bridge = spawn(process.execPath, ['-e', code, file], { stdio: 'ignore' });
    const ended = once(bridge, 'exit');
    try {
      await expect.poll(() => existsSync(file), { timeout: 20_000 }).toBe(true);
      bridge.kill('SIGSTOP');
      const why = `the bridge (process ${bridge.pid}) has not started within 60 s`;
      await expect(healthWith(`${folder}:${process.env.PATH}`, '--end')).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringContaining(why),
      });
      expect(readFileSync(slept, 'utf8').trim().split('\n')).toEqual(Array.from({ length: 120 }, () => '0.5'));
      expect(await ended).toEqual([null, 'SIGKILL']);
    } finally {
      bridge.kill('SIGKILL');
    }
  });

  test('finds a bridge well as soon as its start is over', async () => {
    writeFileSync(file, `0 ${process.pid}\n`);
    const asked = health('--end');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    writeFileSync(file, `1 ${process.pid}\n`);
    expect(await asked).toEqual({ stdout: '', stderr: '' });
  });
});
