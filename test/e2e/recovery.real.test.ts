import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadArmModel } from '../../src/arm/model.ts';
import { simulatedCounterpart } from '../../src/arm/simulated-counterpart.ts';
import { systemClock } from '../../src/clock.ts';
import { addFault, NO_FAULTS } from '../../src/sim/faults.ts';
import { ServedArm } from '../../src/sim/serve.ts';
import { calibrate } from '../support/calibration.ts';
import { BridgeProcess, sleep } from './support/bridge.ts';

const OVERLOAD = 32;

let folder: string;
let arm: ServedArm;
let bridge: BridgeProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-recovery-'));
  const link = join(folder, 'bus');
  arm = await ServedArm.start({
    clock: systemClock,
    arm: simulatedCounterpart(loadArmModel('so101')),
    faults: addFault('overload=2', NO_FAULTS),
    pty: { link },
  });
  const config = join(folder, 'bridge.yaml');
  calibrate(folder, ['arm']);
  writeFileSync(config, `arms: [{ name: arm, bus: "serial:${link}" }]\nstate_folder: ${folder}\n`);
  bridge = await BridgeProcess.start('--no-ros', '--config', config);
});

afterAll(async () => {
  await bridge?.end();
  await arm?.close();
  rmSync(folder, { recursive: true, force: true });
});

test('a limp arm with an overloaded servo stays limp through stop and reset', async () => {
  await bridge.post('/stop');
  expect((await bridge.post('/stop/reset')).body.status).toBe('ok');
  expect(await bridge.arm(0)).toMatchObject({ state: 'connected', torque: false });
  // Servos are brought back every five seconds at most; the next test begins anew.
  await new Promise((resolve) => setTimeout(resolve, 5200));
});

test('an overloaded servo is read on, told with what to do, brought back by stop and reset without a jump, and not too often', async () => {
  // What torque is left to it carries the arm, and does not move it.
  const { status, message } = (await bridge.post('/move/init')).body;
  expect([status, message]).toEqual([
    'error',
    expect.stringContaining('the servo of shoulder_lift has raised an alarm'),
  ]);
  const overloaded = (await bridge.arm(0)).servos[1];
  expect(overloaded).toMatchObject({ joint: 'shoulder_lift', alarms: OVERLOAD });
  expect(overloaded.reply_age).toBeLessThan(1);
  expect(bridge.log).toMatch(/servo 2 \(shoulder_lift\): overload.*stop the arm and reset it/);

  const angles = async (): Promise<number[]> => (await bridge.post('/joints/read', { unit: 'rad' })).body.angles;
  // With the torque that is left to it the joint sinks to what carries it.
  await sleep(2);
  const before = await angles();
  await bridge.post('/stop');
  expect((await bridge.post('/stop/reset')).body.status).toBe('ok');
  const back = await bridge.arm(0);
  expect(back.servos[1].alarms).toBe(0);
  expect(back).toMatchObject({ state: 'ready', torque: true, owner: null });
  for (const [i, angle] of (await angles()).entries()) expect(Math.abs(angle - before[i]!)).toBeLessThan(0.1);
  expect((await bridge.post('/move/init')).body.status).toBe('ok');
});

test('a bridge killed while its arm floats leaves it holding; the next one takes it over unmoved and gives its servos their gains back', async () => {
  const link = join(folder, 'floating');
  const state = join(folder, 'state');
  const served = await ServedArm.start({
    clock: systemClock,
    arm: simulatedCounterpart(loadArmModel('so101')),
    faults: NO_FAULTS,
    pty: { link },
  });
  const config = join(folder, 'floating.yaml');
  calibrate(state, ['arm']);
  writeFileSync(config, `arms: [{ name: arm, bus: "serial:${link}" }]\nstate_folder: ${state}\n`);
  const positions = (): number[] => served.arm.truth(0).positions;
  const furthest = (from: readonly number[]): number =>
    Math.max(...positions().map((angle, j) => Math.abs(angle - from[j]!)));
  const first = await BridgeProcess.start('--no-ros', '--config', config);
  let second: BridgeProcess | null = null;
  try {
    expect((await first.post('/move/init')).body.status).toBe('ok');
    const full = { gravity_compensation_values: { shoulder: 100, elbow: 100, wrist: 100 } };
    expect((await first.post('/gravity/start', full)).body.status).toBe('ok');
    await sleep(0.5);
    expect(readdirSync(state).filter((name) => name.startsWith('gains-'))).toHaveLength(1);
    const before = positions();
    await first.end('SIGKILL');
    second = await BridgeProcess.start('--no-ros', '--config', config);
    expect(await second.arm(0)).toMatchObject({ state: 'ready', torque: true, owner: null });
    await sleep(0.5);
    expect(furthest(before)).toBeLessThan(0.02);
    expect(second.log).toMatch(/position gains .* given back/);
    expect(readdirSync(state).filter((name) => name.startsWith('gains-'))).toEqual([]);
    expect((await second.post('/move/init')).body).toMatchObject({ status: 'ok', message: null });
  } finally {
    await first.end('SIGKILL');
    await second?.endStopped();
    await served.close();
  }
});

test('a bridge that is kept from running for a moment goes on with its motion: nobody was silent; after a long pause the arm is checked anew', async () => {
  const link = join(folder, 'paused');
  const served = await ServedArm.start({
    clock: systemClock,
    arm: simulatedCounterpart(loadArmModel('so101')),
    faults: NO_FAULTS,
    pty: { link },
  });
  const config = join(folder, 'paused.yaml');
  calibrate(folder, ['arm']);
  writeFileSync(config, `arms: [{ name: arm, bus: "serial:${link}" }]\nstate_folder: ${folder}\n`);
  const paused = await BridgeProcess.start('--no-ros', '--config', config);
  const pan = (): number => served.arm.truth(0).positions[0]!;
  const pause = async (duration: number): Promise<void> => {
    paused.child.kill('SIGSTOP');
    await sleep(duration);
    paused.child.kill('SIGCONT');
  };
  try {
    const { body } = await paused.post('/move/init');
    expect(body.status, body.message).toBe('ok');
    for (const goal of [1.5, -1.5]) {
      await paused.post('/joints/write', { angles: [goal], joints_ids: [0] });
      await expect.poll(() => Math.sign(goal) * pan()).toBeGreaterThan(0.1);
      await pause(0.7);
      await sleep(0.1);
      await pause(0.4);
      await expect.poll(() => Math.abs(pan() - goal)).toBeLessThan(0.03);
    }
    expect(paused.log).not.toMatch(/disconnected|silent|not answered/);

    await paused.post('/joints/write', { angles: [1.5], joints_ids: [0] });
    await expect.poll(pan).toBeGreaterThan(-1.3);
    await pause(2);
    await expect.poll(async () => (await paused.arm(0)).state).toBe('ready');
    expect(paused.log).toMatch(/arm is disconnected/);
    await sleep(0.5);
    expect(pan()).toBeLessThan(0.5);
  } finally {
    await paused.endStopped();
    await served.close();
  }
});
