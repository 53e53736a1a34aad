import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BridgeProcess } from './support/bridge.ts';
import { HAS_PHOSPHOBOT, phosphobot, phosphobotExample } from './support/phosphobot.ts';

let bridge: BridgeProcess;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-phosphobot-'));
  const file = join(folder, 'bridge.json');
  const arms = [{ name: 'arm', model: 'so100', bus: 'sim:so100' }];
  writeFileSync(file, JSON.stringify({ http: { dialect: 'phosphobot' }, arms }));
  bridge = await BridgeProcess.start('--no-ros', '--config', file);
});
afterAll(async () => {
  await bridge.endStopped();
  rmSync(folder, { recursive: true, force: true });
});

/** Seconds that phosphobot leads, of which the first three are the approach. */
const DURATION = 8;

test.skipIf(!HAS_PHOSPHOBOT)(
  'phosphobot mirrors a leader over its own client at 100 cycles a second, and the arm is 60 ms behind',
  async () => {
    const report = (await phosphobot(bridge.url, 'mirror', String(DURATION))) as Record<string, number>;
    expect(report).toMatchObject({ alive: true });
    expect(report.rate).toBeGreaterThan(100);
    expect(report.lag).toBeLessThanOrEqual(0.06);
    expect(report.miss).toBeLessThan(0.02);
  },
);

test.skipIf(!HAS_PHOSPHOBOT)(
  'its examples circles_absolute and crane run at their own rates',
  async () => {
    // Their own pauses are 0.03 s and 0.05 s. Where the arm goes meanwhile is judged in virtual time: streamed-moves.test.ts.
    const circles = await phosphobotExample(bridge.url, 'circles');
    expect(circles).toMatchObject({ problems: [], requests: 60 });
    expect(circles.answered).toBeLessThan(0.03);
    const crane = await phosphobotExample(bridge.url, 'crane');
    expect(crane).toMatchObject({ problems: [], requests: 19 });
    expect(crane.answered).toBeLessThan(0.05);
  },
  300_000,
);
