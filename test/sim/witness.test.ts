import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { EmulatedBus } from '../../src/sim/bus.ts';
import { Sts3215Firmware } from '../../src/sim/firmware.ts';

const python = process.env.ARM_BRIDGE_WITNESS_PYTHON;
if (!python) {
  console.warn(
    'SKIPPED: the reference SDK does not check the servos: ARM_BRIDGE_WITNESS_PYTHON is not set (npm test sets it)',
  );
}

const OK = 0;

describe.skipIf(!python)('the reference SDK over a pseudo terminal', () => {
  let child: ChildProcess | null = null;
  afterAll(() => {
    if (child?.exitCode === null) child.kill('SIGKILL');
  });

  it('understands the emulated servos in every kind of transaction', { timeout: 30_000 }, async () => {
    const script = fileURLToPath(new URL('witness.py', import.meta.url));
    child = spawn(python!, ['-B', script], { stdio: ['pipe', 'pipe', 'pipe', 'pipe'] });
    const servos = [1, 2, 3, 4, 5, 6].map((id) => new Sts3215Firmware({ id }));
    const { stdin } = child;
    const bus = new EmulatedBus({ servos, onReply: (bytes) => void stdin!.write(new Uint8Array(bytes)) });
    child.stdout!.on('data', (bytes: Uint8Array) => bus.feed(bytes, performance.now()));
    const [report, complaints, [code]] = await Promise.all([
      text(child.stdio[3] as Readable),
      text(child.stderr!),
      once(child, 'exit'),
    ]);
    expect(complaints).toBe('');
    expect(code).toBe(0);
    expect(JSON.parse(report)).toEqual({
      ping: [777, OK, 0],
      ping_missing: true,
      model: [777, OK, 0],
      write: [OK, 0],
      acceleration: [50, OK, 0],
      id_change: [OK, 0],
      new_id: [16, OK, 0],
      sync_write: OK,
      sync_read: OK,
      goals: [2001, 2002, 2003, 2004, 2005],
      before_action: 0,
      after_action: 100,
    });
    expect(servos.map((servo) => servo.torqueOn)).toEqual([true, true, true, true, true, false]);
  });
});
