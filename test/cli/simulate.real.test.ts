import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, mkdtempSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { FeetechBus } from '../../src/servo/feetech/feetech-bus.ts';
import { makePort } from '../../src/servo/port/make.ts';
import type { BytePort, PortError } from '../../src/servo/port/port.ts';
import { favour } from '../support/favour.ts';
import { WITNESS_PYTHON, witness } from '../support/witness.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

let folder: string;
let link: string;
const children: ChildProcess[] = [];
const ports: BytePort[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-simulate-'));
  link = join(folder, 'leader');
});
afterEach(async () => {
  for (const port of ports.splice(0)) await port.close();
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  rmSync(folder, { recursive: true });
});

interface FeetechReport {
  readonly voltage: number;
  readonly positions: readonly number[];
}

interface DynamixelReport {
  readonly voltages: readonly number[];
  readonly moved: readonly number[];
}

interface Simulated {
  readonly child: ChildProcess;
  /** Lines of standard output so far. */
  readonly lines: string[];
  readonly complaints: () => string;
}

/** `arm-bridge simulate` with these arguments, up to its first `count` lines or its end. */
async function simulate(count: number, ...args: string[]): Promise<Simulated> {
  const child = spawn(process.execPath, [MAIN, 'simulate', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  favour(child.pid);
  children.push(child);
  const lines: string[] = [];
  let complaints = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  const enough = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      lines.push(line);
      if (lines.length === count) resolve();
    });
    child.once('close', () => resolve());
  });
  await enough;
  return { child, lines, complaints: () => complaints };
}

async function ended(child: ChildProcess): Promise<number | string | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.signalCode ?? child.exitCode;
}

async function opened(url: string): Promise<BytePort> {
  const port = makePort(url, systemClock);
  ports.push(port);
  await port.open();
  return port;
}

function read(port: BytePort): Promise<FeetechBus> {
  const bus = new FeetechBus(port, [1, 2, 3, 4, 5, 6]);
  return new Promise((resolve) => {
    const timer = setInterval(() => bus.expire(), 500);
    bus.onSettled = () => {
      clearInterval(timer);
      resolve(bus);
    };
    bus.beginRead(56, 2);
  });
}

describe('arm-bridge simulate', () => {
  it('serves an arm on a serial port and over TCP, prints their bus URLs, and clears up on Ctrl-C', async () => {
    const { child, lines, complaints } = await simulate(2, '--arm', 'so101', '--pty', link, '--tcp', '0');
    expect(complaints()).not.toContain('arm-bridge simulate:');
    expect(lines).toEqual([`serial:${link}`, expect.stringMatching(/^tcp:\/\/127\.0\.0\.1:\d+$/)]);
    expect(readlinkSync(link)).toMatch(/^\/dev\/pts\/\d+$/);
    const overTcp = await read(await opened(lines[1]!));
    const overSerial = await read(await opened(lines[0]!));
    expect([...overTcp.answered, ...overSerial.answered]).toEqual(new Array(12).fill(1));
    expect(overSerial.block.slice(0, 2)).toEqual(overTcp.block.slice(0, 2));
    // As npm sends them: several at once count as one.
    for (let i = 0; i < 3; i++) child.kill('SIGINT');
    expect(await ended(child)).toBe(0);
    expect(existsSync(link)).toBe(false);
    expect(lines).toHaveLength(2);
  });

  it.skipIf(!WITNESS_PYTHON)(
    'is an arm to the reference SDK, which sees every fault that was switched on',
    async () => {
      const { lines } = await simulate(
        1,
        ...['--pty', link, '--fault', 'dead=6', '--fault', 'overload=2', '--fault', 'voltage=12'],
        ...['--fault', 'wire=1000000', '--fault', 'return-delay=100'],
      );
      expect(lines).toEqual([`serial:${link}`]);
      const seen = (await witness(new URL('witness.py', import.meta.url), link)) as FeetechReport;
      const [OK, TIMEOUT, VOLTAGE, OVERLOAD] = [0, -6, 1, 32];
      expect(seen).toMatchObject({
        pings: { 1: [777, OK, VOLTAGE], 2: [777, OK, VOLTAGE + OVERLOAD], 6: [0, TIMEOUT, 0] },
        sync_write: OK,
        sync_read: OK,
      });
      expect(Math.abs(seen.voltage - 120)).toBeLessThanOrEqual(1);
    },
  );

  it.skipIf(!WITNESS_PYTHON)('moves in its physics where the reference SDK sends it', async () => {
    await simulate(1, '--pty', link);
    const seen = (await witness(new URL('witness.py', import.meta.url), link)) as FeetechReport;
    expect(Math.abs(seen.positions[0]! - 2150)).toBeLessThan(15);
    expect(Math.abs(seen.positions[4]! - 1900)).toBeLessThan(15);
  });

  it.skipIf(!WITNESS_PYTHON)(
    'a Koch is an arm to the reference SDK too: it moves, and every fault is seen',
    async () => {
      await simulate(
        1,
        ...['--arm', 'koch', '--pty', link, '--fault', 'dead=6', '--fault', 'overload=2', '--fault', 'voltage=6.5'],
        ...['--fault', 'wire=1000000', '--fault', 'return-delay=100'],
      );
      const seen = (await witness(new URL('dynamixel-witness.py', import.meta.url), link)) as DynamixelReport;
      const [OK, TIMEOUT, ALERT, OVERLOAD, RESULT_FAIL] = [0, -3001, 128, 32, 1];
      expect(seen).toMatchObject({
        pings: { 1: [1060, OK, 0], 2: [1060, OK, ALERT], 6: [0, TIMEOUT, 0] },
        hardware_errors: [0, OVERLOAD, 0],
        torque_refused: [OK, ALERT + RESULT_FAIL],
        sync_write: OK,
        sync_read: OK,
        fast_sync_read: OK,
      });
      for (const decivolts of seen.voltages) expect(Math.abs(decivolts - 65)).toBeLessThanOrEqual(2);
      expect(Math.abs(seen.moved[0]! - 150)).toBeLessThan(20);
      expect(Math.abs(seen.moved[1]! + 200)).toBeLessThan(20);
    },
  );

  it('is unplugged at the time that was asked for, and plugged in again under the same name', async () => {
    const { lines, complaints } = await simulate(1, '--pty', link, '--fault', 'unplug=6');
    const port = await opened(lines[0]!);
    const closed = new Promise<PortError>((resolve) => {
      port.onClose = resolve;
    });
    expect([...(await read(port)).answered]).toEqual([1, 1, 1, 1, 1, 1]);
    expect((await closed).code).toBe('closed');
    while (!existsSync(link)) await new Promise((resolve) => setTimeout(resolve, 20));
    await port.open();
    expect([...(await read(port)).answered]).toEqual([1, 1, 1, 1, 1, 1]);
    expect(complaints()).toContain('unplugged for 2 s');
  });

  it('refuses what it does not know, with what is allowed', async () => {
    const fault = await simulate(1, '--fault', 'explode=1');
    expect(await ended(fault.child)).toBe(1);
    expect(fault.complaints()).toMatch(/there is no fault "explode"; there are lose, corrupt/);
    const arm = await simulate(1, '--arm', 'no_such_arm');
    expect(await ended(arm.child)).toBe(1);
    expect(arm.complaints()).toMatch(/arm-bridge simulate: .*"no_such_arm"/);
    expect([...fault.lines, ...arm.lines]).toEqual([]);
  });

  it('leaves files of others alone, and replaces the dead link of a run that was killed', async () => {
    writeFileSync(link, 'mine');
    const refused = await simulate(1, '--pty', link);
    expect(await ended(refused.child)).toBe(1);
    expect(refused.complaints()).toContain('is no link to a pseudo-terminal: name another path');
    expect(lstatSync(link).isFile()).toBe(true);

    const stale = join(folder, 'stale');
    symlinkSync('/dev/pts/99999', stale);
    const { child, lines } = await simulate(1, '--pty', stale);
    expect(lines).toEqual([`serial:${stale}`]);
    child.kill('SIGTERM');
    expect(await ended(child)).toBe(0);
    expect(existsSync(stale)).toBe(false);
  });
});
