import { describe, expect, it } from 'vitest';
import { EmulatedFeetechBus } from '../../src/sim/emulated-feetech-bus.ts';
import { Sts3215Firmware } from '../../src/sim/sts3215-firmware.ts';
import { WITNESS_PYTHON, witnessOnBus } from '../support/witness.ts';

describe.skipIf(!WITNESS_PYTHON)('rustypot over a pseudo terminal', () => {
  it('understands the emulated Feetech servos, signs and alarms included', { timeout: 30_000 }, async () => {
    // The second servo has a wrong supply: its answers carry an alarm, and their data counts.
    const servos = [1, 2, 3].map((id) => new Sts3215Firmware({ id, supplyVoltage: id === 2 ? 9 : 7.4 }));
    for (const servo of servos) servo.step(0, Math.PI, 0);
    const script = new URL('witness.py', import.meta.url);
    const report = await witnessOnBus(script, (onReply) => new EmulatedFeetechBus({ servos, onReply }));
    expect(report).toEqual({
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
