import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { VirtualHost } from '../../explore/virtual-host.ts';
import { loadArmModel } from '../../src/arm/model.ts';
import { simulatedCounterpart } from '../../src/arm/simulated-counterpart.ts';
import { asBuilt } from '../../src/calibration/as-built.ts';
import { CalibrationStore } from '../../src/calibration/calibration-store.ts';
import { LocalSimulation } from '../../src/sim/local-simulation.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';

const MODEL = loadArmModel('so101');
/** What an arm whose angles may be wrong is moved at, and what its gears swing over, rad/s. */
const CRAWL = 0.3;
const SWING = 0.06;
/** The same of a follower, which sets off faster: 0.06 to 0.08, by the moment of a servo's step at which it does. */
const SET_OFF = 0.1;

/**
 * A bridge whose arms are at the far ends of serial ports.
 * @param shift by how many steps the calibration of an arm is off at shoulder_pan; an arm that is left out has none
 */
async function start(shift: Readonly<Record<string, number>>, config: object = {}): Promise<VirtualBridge> {
  const host = new VirtualHost(null);
  const simulation = new LocalSimulation({
    clock: host.simulationLane,
    mujoco: null,
    line: { baudRate: 1_000_000 },
    tick: 0.005,
    catchUp: Number.POSITIVE_INFINITY,
    onFailure: (message) => {
      throw new Error(message);
    },
  });
  host.arms = simulation;
  onTestFinished(() => simulation.dispose());
  const names = ['arm', 'other'];
  for (const name of names) simulation.build(simulatedCounterpart(MODEL, name));
  host.portAt = (url) => simulation.portFor(url.split('/').at(-1)!);
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-uncalibrated-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const store = new CalibrationStore(join(folder, 'calibration'));
  for (const [name, steps] of Object.entries(shift)) {
    const file = asBuilt(MODEL, name, '2026-01-01T00:00:00Z');
    const pan = file.joints.shoulder_pan!;
    store.write(name, { ...file, joints: { ...file.joints, shoulder_pan: { ...pan, zero: pan.zero + steps } } });
  }
  const arms = names.map((name, id) => ({ name, id, bus: `serial:/dev/virtual/${name}` }));
  const bridge = await VirtualBridge.start({ arms, ...config }, folder, host);
  await bridge.pass(1);
  return bridge;
}

/** Largest speed of an arm's joints while something is done, as the physics has it, rad/s. */
async function fastest<T>(bridge: VirtualBridge, name: string, work: Promise<T>): Promise<[number, T]> {
  let most = 0;
  const { arms, clock } = bridge.host;
  const look = clock.every(0.005, () => {
    void arms!.truth(name).then(({ velocities }) => {
      most = Math.max(most, ...velocities.map(Math.abs));
    });
  });
  const result = await work;
  look.cancel();
  return [most, result];
}

const status = async (bridge: VirtualBridge) => (await bridge.ask('GET', '/status')).body.arms[0];

test('an arm without a calibration says so, holds, and is moved only by a word, slowly', async () => {
  const bridge = await start({ other: 0 });
  const doubt = { calibrated: false, outside_limits: [], doubt: 'it has no calibration' };
  expect(await status(bridge)).toMatchObject(doubt);
  const { body: shown } = await bridge.ask('GET', '/api/v1/arms');
  expect(shown.arms[0].now).toMatchObject(doubt);

  const before = (await bridge.host.arms!.truth('arm')).positions;
  const text = expect.stringMatching(/^Arm arm is not moved: it has no calibration.*\?uncalibrated=true/);
  for (const [route, body] of [
    ['/move/init', undefined],
    ['/joints/write', { angles: [0.2], joints_ids: [0] }],
    ['/gravity/start', undefined],
    ['/move/leader/start', { robot_pairs: [{ leader_id: 1, follower_id: 0 }] }],
    ['/move/leader/start', { robot_pairs: [{ leader_id: 0, follower_id: 1 }] }],
  ] as const) {
    expect(await bridge.post(`${route}?robot_id=0`, body), route).toMatchObject({
      status: 409,
      body: { detail: text },
    });
  }
  expect((await status(bridge)).torque).toBe(false);
  expect((await bridge.host.arms!.truth('arm')).positions).toEqual(before);

  expect((await bridge.post('/torque/toggle?robot_id=0', { torque_status: true })).body.status).toBe('ok');
  const [speed, answer] = await fastest(bridge, 'arm', bridge.post('/move/init?robot_id=0&uncalibrated=true'));
  expect(answer.body).toMatchObject({ status: 'ok' });
  expect(speed).toBeGreaterThan(0.5 * CRAWL);
  expect(speed).toBeLessThan(CRAWL + SWING);
  const [lowering] = await fastest(bridge, 'arm', bridge.post('/move/sleep?robot_id=0&uncalibrated=true'));
  expect(lowering).toBeLessThan(CRAWL + SWING);
  const [usual] = await fastest(bridge, 'other', bridge.post('/move/init?robot_id=1'));
  expect(usual).toBeGreaterThan(1);
});

test('a follower follows a leader whose angles may be wrong as slowly', async () => {
  const bridge = await start({ other: 0 });
  const pair = { robot_pairs: [{ leader_id: 0, follower_id: 1 }], enable_gravity_compensation: false };
  expect((await bridge.post('/move/leader/start?uncalibrated=true', pair)).body.status).toBe('ok');
  await bridge.pass(3);
  const led = bridge.until(bridge.host.arms!.hand('arm', { shoulder_pan: 1 }, 1)).then(() => bridge.pass(4));
  const [speed] = await fastest(bridge, 'other', led);
  expect(speed).toBeGreaterThan(0.5 * CRAWL);
  expect(speed).toBeLessThan(CRAWL + SET_OFF);
});

test('a leader that gets beyond its limits while it leads is followed slowly, and at full pace once it is back', async () => {
  const bridge = await start({ arm: -600, other: 0 });
  const pair = { robot_pairs: [{ leader_id: 0, follower_id: 1 }], enable_gravity_compensation: false };
  expect((await bridge.post('/move/leader/start', pair)).body.status).toBe('ok');
  await bridge.pass(4);
  const lead = (shoulder_pan: number, wrist_roll: number, rest: number) => {
    const led = bridge.until(bridge.host.arms!.hand('arm', { shoulder_pan, wrist_roll }, 0.5));
    return fastest(
      bridge,
      'other',
      led.then(() => bridge.pass(rest)),
    );
  };
  const outside = async () => (await status(bridge)).outside_limits;
  expect(await outside()).toEqual([]);
  await lead(1.2, 0, 4);
  expect(await outside()).toEqual(['shoulder_pan']);
  const [slow] = await lead(1.2, 0.5, 4);
  expect(slow).toBeGreaterThan(0.5 * CRAWL);
  expect(slow).toBeLessThan(CRAWL + SET_OFF);
  await lead(0.2, 0.5, 4);
  expect(await outside()).toEqual([]);
  const [usual] = await lead(0.2, 0, 2);
  expect(usual).toBeGreaterThan(2 * CRAWL);
});

test('a joint beyond its limits is named, and the same word is needed', async () => {
  const bridge = await start({ arm: -1300, other: 0 });
  const { calibrated, outside_limits, doubt } = await status(bridge);
  expect([calibrated, outside_limits]).toEqual([true, ['shoulder_pan']]);
  expect(doubt).toMatch(
    /^shoulder_pan is at 1\.99 rad, beyond its limits \(-1\.92 to 1\.92\): its calibration may be wrong$/,
  );
  expect((await bridge.post('/move/init?robot_id=0')).status).toBe(409);
});

test('the configuration can have the word', async () => {
  const arms = [{ name: 'arm', id: 0, bus: 'serial:/dev/virtual/arm', uncalibrated: true }];
  const bridge = await start({}, { arms });
  expect((await status(bridge)).calibrated).toBe(false);
  const [speed, answer] = await fastest(bridge, 'arm', bridge.post('/move/init?robot_id=0'));
  expect(answer.body.status).toBe('ok');
  expect(speed).toBeLessThan(CRAWL + SWING);
});

test('a start of mirroring that takes over takes no arm where the follower is not calibrated', async () => {
  const bridge = await start({ arm: 0 });
  const keeper = { owner: { key: 'keeper', name: 'keeper' }, takeOver: false };
  await bridge.until(bridge.arm('arm').takeOver(keeper));
  const pair = { robot_pairs: [{ leader_id: 0, follower_id: 1 }] };
  expect((await bridge.post('/move/leader/start?take_over=true', pair)).body.detail).toContain('no calibration');
  expect(bridge.arm('arm').owner?.key).toBe('keeper');
});
