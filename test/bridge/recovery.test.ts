import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { VirtualHost } from '../../explore/virtual-host.ts';
import { bridgeTo, VirtualRig } from '../support/rig.ts';
import type { VirtualBridge } from '../support/virtual-bridge.ts';

const OVERLOAD = 32;
/** What a shaft is turned by against its servo, rad, and counts of its load, 0.1 %: a gain's first step would make 15 to 35. */
const PUSHED = 0.1;
const SLACK = 6;
const FLOATING = { gravity_compensation_values: { shoulder: 100, elbow: 100, wrist: 100 } };

async function start(): Promise<{ rig: VirtualRig; bridge: VirtualBridge }> {
  const host = new VirtualHost(null);
  const rig = new VirtualRig(host);
  return { rig, bridge: await bridgeTo(host, { arm: rig }) };
}

function expectNear(positions: readonly number[], before: readonly number[], near: number): void {
  for (const [i, angle] of positions.entries()) expect(Math.abs(angle - before[i]!), `joint ${i}`).toBeLessThan(near);
}

test('a limp arm with an overloaded servo stays limp through stop and reset', async () => {
  const { rig, bridge } = await start();
  rig.servo(2).raiseOverload();
  await bridge.post('/stop');
  expect((await bridge.post('/stop/reset')).body.status).toBe('ok');
  expect(await bridge.status(0)).toMatchObject({ state: 'connected', torque: false });
  expect(rig.servos.some((servo) => servo.torqueOn)).toBe(false);
});

test('an overloaded servo is read on, told with what to do, brought back by stop and reset without a jump, and not too often', async () => {
  const { rig, bridge } = await start();
  rig.servo(2).raiseOverload();
  await bridge.becomes(async () => expect((await bridge.status(0)).servos[1].alarms).toBe(OVERLOAD));
  // What torque is left to it carries the arm, and does not move it.
  const { status, message } = (await bridge.post('/move/init')).body;
  expect([status, message]).toEqual([
    'error',
    expect.stringContaining('the servo of shoulder_lift has raised an alarm'),
  ]);
  const overloaded = (await bridge.status(0)).servos[1];
  expect(overloaded).toMatchObject({ joint: 'shoulder_lift', alarms: OVERLOAD });
  expect(overloaded.reply_age).toBeLessThan(1);
  expect(bridge.told('servo 2 (shoulder_lift): overload').join()).toContain('stop the arm and reset it');

  // With the torque that is left to it the joint sinks to what carries it.
  await bridge.pass(2);
  const before = [...rig.positions];
  await bridge.post('/stop');
  expect((await bridge.post('/stop/reset')).body.status).toBe('ok');
  const back = await bridge.status(0);
  expect(back.servos[1].alarms).toBe(0);
  expect(back).toMatchObject({ state: 'ready', torque: true, owner: null });
  expectNear(rig.positions, before, 0.1);
  expect((await bridge.post('/move/init')).body.status).toBe('ok');
});

test('a bridge killed while its arm floats leaves it holding; the next one takes it over unmoved and gives its servos their gains back', async () => {
  const { rig, bridge } = await start();
  const kept = () => readdirSync(bridge.folder).filter((name) => name.startsWith('gains-'));
  expect((await bridge.post('/move/init')).body.status).toBe('ok');
  expect((await bridge.post('/gravity/start', FLOATING)).body.status).toBe('ok');
  await bridge.pass(0.5);
  expect(kept()).toHaveLength(1);
  const soft = rig.servo(2).value('p_coefficient');
  const before = [...rig.positions];
  const next = await bridge.killAndStart();
  await next.becomes(async () =>
    expect(await next.status(0)).toMatchObject({ state: 'ready', torque: true, owner: null }),
  );
  await next.pass(0.5);
  expectNear(rig.positions, before, 0.02);
  expect(rig.servo(2).value('p_coefficient')).toBeGreaterThan(soft);
  expect(next.lines.some(({ msg }) => /position gains .* given back/.test(msg))).toBe(true);
  expect(kept()).toEqual([]);
  expect((await next.post('/move/init')).body).toMatchObject({ status: 'ok', message: null });
});

test('servos that press on something when their bridge is killed while their arm floats press no harder when they get their gains back', async () => {
  const { rig, bridge } = await start();
  expect((await bridge.post('/move/init')).body.status).toBe('ok');
  expect((await bridge.post('/gravity/start', FLOATING)).body.status).toBe('ok');
  await bridge.pass(0.5);
  const loads = () => rig.servos.map((servo) => Math.abs(servo.value('present_load')));
  const soft = rig.servo(1).value('p_coefficient');
  let before: number[] = [];
  void bridge.host.simulationLane.sleep(0.3).then(() => {
    for (const [i, at] of rig.positions.entries()) rig.stops[i] = at + PUSHED;
  });
  const after = await bridge.killAndStart(1, () => {
    before = loads();
  });
  const hardest = loads();
  await after.becomes(() => {
    for (const [i, load] of loads().entries()) hardest[i] = Math.max(hardest[i]!, load);
    expect(rig.servo(1).value('p_coefficient')).toBeGreaterThan(2 * soft);
  });
  // By no more than what a step of a goal makes.
  for (const [i, load] of hardest.entries()) expect(load, `joint ${i}`).toBeLessThan(before[i]! + SLACK);
});
