import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { rosFindings } from '../../src/cli/doctor/machine.ts';
import { configSchema } from '../../src/config/schema.ts';
import { describeRos, isolateRos, Witness } from './support/ros.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

describeRos('the doctor on a real graph', () => {
  let restore: () => void;
  let witness: Witness;
  beforeAll(async () => {
    restore = isolateRos();
    witness = await Witness.start();
  });
  afterAll(async () => {
    await witness?.close();
    restore();
  });

  test('tells arms that are heard from those that are only seen', async () => {
    const config = configSchema.parse({ arms: [{ name: 'a', bus: 'sim:so101' }] });
    const latched = { durability: 'TRANSIENT_LOCAL', depth: 1 } as const;
    const [near] = await Promise.all(
      ['lab/near', 'mute'].map((arm) =>
        witness.advertise('arm_bridge/msg/ArmStatus', `/${arm}/arm_bridge/status`, latched, 0),
      ),
    );
    await near!([{}]);
    expect(await rosFindings(config.ros)).toEqual([
      expect.objectContaining({ level: 'ok', subject: 'ros' }),
      { level: 'ok', subject: 'ros graph', text: 'heard: /lab/near', advice: null },
      {
        level: 'note',
        subject: 'ros graph',
        text: expect.stringMatching(/^\/mute is seen/),
        advice: expect.any(String),
      },
    ]);
  });
});
