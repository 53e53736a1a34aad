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
  console.warn('SKIPPED: rustypot does not check the servos: ARM_BRIDGE_WITNESS_PYTHON is not set (npm test sets it)');
}

describe.skipIf(!python)('rustypot over a pseudo terminal', () => {
  let child: ChildProcess | null = null;
  afterAll(() => {
    if (child?.exitCode === null) child.kill('SIGKILL');
  });

  it('understands the emulated Feetech servos, signs and alarms included', { timeout: 30_000 }, async () => {
    const script = fileURLToPath(new URL('witness.py', import.meta.url));
    child = spawn(python!, ['-B', script], { stdio: ['pipe', 'pipe', 'pipe', 'pipe'] });
    // The second servo has a wrong supply: its answers carry an alarm, and their data counts.
    const servos = [1, 2, 3].map((id) => new Sts3215Firmware({ id, supplyVoltage: id === 2 ? 9 : 7.4 }));
    for (const servo of servos) servo.step(0, Math.PI, 0);
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
      ping: true,
      scan: { 1: 777, 2: 777, 3: 777 },
      broadcast_scan: { 1: 777, 2: 777, 3: 777 },
      voltage: 74,
      negative: -300,
      write: 1,
      sync_read: [
        [1000, 0],
        [2000, 1],
        [3000, 0],
      ],
      velocities: [-100, 0, 100],
      block: [0x00, 0x08, 0, 0, 0, 0, 90, 25],
    });
  });
});
