import { describe, expect, it } from 'vitest';
import { EmulatedFeetechBus } from '../../src/sim/emulated-feetech-bus.ts';
import { Sts3215Firmware } from '../../src/sim/sts3215-firmware.ts';
import { WITNESS_PYTHON, witnessOnBus } from '../support/witness.ts';

const OK = 0;

describe.skipIf(!WITNESS_PYTHON)('the reference SDK over a pseudo terminal', () => {
  it('understands the emulated servos in every kind of transaction', { timeout: 30_000 }, async () => {
    const servos = [1, 2, 3, 4, 5, 6].map((id) => new Sts3215Firmware({ id }));
    const script = new URL('witness.py', import.meta.url);
    const report = await witnessOnBus(script, (onReply) => new EmulatedFeetechBus({ servos, onReply }));
    expect(report).toEqual({
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
