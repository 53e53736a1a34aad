import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import type { EmulatedServoBus } from '../../src/sim/emulated-servo.ts';

/** Python with the makers' SDKs; undefined where the tests were not prepared. */
export const WITNESS_PYTHON = process.env.ARM_BRIDGE_WITNESS_PYTHON;
if (!WITNESS_PYTHON) {
  console.warn(
    "SKIPPED: no other implementation judges the servos' bytes: ARM_BRIDGE_WITNESS_PYTHON is not set (npm test sets it)",
  );
}

const SHARED = fileURLToPath(new URL('.', import.meta.url));
const env = { ...process.env, PYTHONPATH: SHARED };
const PATIENCE = 60_000;

/** Folder of the Python packages that the witnesses have. */
export function sitePackages(): string {
  const lib = join(dirname(WITNESS_PYTHON!), '..', 'lib');
  return join(lib, readdirSync(lib).find((name) => name.startsWith('python'))!, 'site-packages');
}

/** Runs a witness to its end. @returns what it printed, as JSON @throws {Error} with its complaint */
export async function witness(script: URL, ...args: readonly string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(WITNESS_PYTHON!, [fileURLToPath(script), ...args], {
    env,
    timeout: PATIENCE,
  });
  return JSON.parse(stdout);
}

/** Contents of registers, unsigned, as the maker's SDK reads them at a port; a register is ID:ADDRESS:SIZE. */
export async function registersByMaker(
  family: 'feetech' | 'dynamixel',
  path: string,
  ...registers: readonly string[]
): Promise<number[]> {
  return (await witness(new URL('read_registers.py', import.meta.url), family, path, ...registers)) as number[];
}

type MakeBus = (onReply: (bytes: Uint8Array) => void) => Pick<EmulatedServoBus, 'feed'>;

/** The same of servos on a bus of this process. */
export async function registersOnBus(
  family: 'feetech' | 'dynamixel',
  registers: readonly string[],
  makeBus: MakeBus,
): Promise<number[]> {
  return (await witnessOnBus(
    new URL('read_registers.py', import.meta.url),
    makeBus,
    family,
    '-',
    ...registers,
  )) as number[];
}

/**
 * Lets a witness drive a bus through a terminal of its own (`relayed_terminal` in servo_line.py).
 * @returns its report
 */
export async function witnessOnBus(script: URL, makeBus: MakeBus, ...args: readonly string[]): Promise<unknown> {
  const child = spawn(WITNESS_PYTHON!, [fileURLToPath(script), ...args], {
    env,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    timeout: PATIENCE,
  });
  const bus = makeBus((bytes) => void child.stdin!.write(new Uint8Array(bytes)));
  child.stdout!.on('data', (bytes: Uint8Array) => bus.feed(bytes, performance.now()));
  const [answer, complaints, [code]] = await Promise.all([
    text(child.stdio[3] as Readable),
    text(child.stderr!),
    once(child, 'exit'),
  ]);
  expect(complaints).toBe('');
  expect(code).toBe(0);
  return JSON.parse(answer);
}
