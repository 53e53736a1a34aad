import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { VirtualHost } from '../../explore/virtual-host.ts';
import { loadArmModel } from '../../src/arm/model.ts';
import { PATIENCE } from '../../src/calibration/calibration-service.ts';
import type { CalibrationFile } from '../../src/config/calibration.ts';
import { LEASE } from '../../src/http/clients.ts';
import { VirtualPort } from '../support/rig.ts';
import { TableArm } from '../support/table-arm.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';

/** Joints are where they should be within so many radians: two servo steps, and half of one that the middle lies between. */
const NEAR = 0.004;
/** What only was not yet as it should is asked for again so often. */
const CALLS = 5;
/** A hand makes a step, and the bridge reads it, s. */
const HAND = 0.2;
const NAMES = ['feet', 'dyna'];

let folder: string;
let host: VirtualHost;
let bridge: VirtualBridge;
let so101: TableArm;
let koch: TableArm;
let arms: TableArm[];

async function start(): Promise<void> {
  const ports = arms.map((arm, id) => new VirtualPort(NAMES[id]!, host.controlLane, arm));
  host.portAt = (url) => ports.find((port) => port.url === url)!;
  const config = {
    calibration_folder: join(folder, 'calibration'),
    arms: [
      { name: NAMES[0], model: 'so101', bus: ports[0]!.url },
      { name: NAMES[1], model: 'koch', bus: ports[1]!.url },
    ],
  };
  bridge = await VirtualBridge.start(config, folder, host);
  await bridge.pass(HAND);
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-calibration-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  host = new VirtualHost(null);
  const { simulationLane: clock } = host;
  // Horns at angles that put the encoders' wraps inside the travel of most joints.
  so101 = new TableArm(clock, loadArmModel('so101'), [-1900, 700, 2048, -1300, 1500, 37], ['wrist_flex']);
  koch = new TableArm(clock, loadArmModel('koch'), [900, -1800, 2000, -300, 1500, 60]);
  arms = [so101, koch];
  for (const arm of arms) onTestFinished(() => arm.end());
  await start();
});

async function next(id: number, query = ''): Promise<{ step: number; status: string; message: string }> {
  const { status, body } = await bridge.post(`/calibrate?robot_id=${id}${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return { step: body.current_step, status: body.calibration_status, message: body.message };
}

/** Takes a calibration to a step, or to its end; what only was not yet as it should is tried again. */
async function to(id: number, goal: number | 'success', query = ''): Promise<{ message: string }> {
  for (let calls = 0; ; calls++) {
    const answer = await next(id, query);
    if (answer.step === goal || answer.status === goal) return answer;
    expect(answer.message).toMatch(/^Not yet: /);
    expect(calls, answer.message).toBeLessThan(CALLS);
    await bridge.pass(HAND);
  }
}

const calibrationOf = (id: number) => bridge.get(`/api/v1/arms/${NAMES[id]}/calibration`);
const cancel = (id: number) => bridge.ask('DELETE', `/api/v1/arms/${NAMES[id]}/calibration`);

/** Takes an arm's calibration to where its servos have their offsets, and the arm is held in the middle. */
async function toHold(id: number, arm: TableArm): Promise<void> {
  arm.putAll(0.5);
  await bridge.pass(HAND);
  expect(await next(id)).toMatchObject({ step: 1, status: 'in_progress' });
  await bridge.pass(HAND);
  await to(id, 2);
  // To both ends and back, in steps that a hand makes between two samples.
  for (const part of [0.3, 0.1, 0, 0.2, 0.4, 0.6, 0.8, 1, 0.8, 0.6, 0.5]) {
    arm.putAll(part);
    await bridge.pass(HAND);
  }
  const { joints } = (await calibrationOf(id)).body;
  expect(joints.every(({ done }: { done: boolean }) => done)).toBe(true);
  await to(id, 3);
}

/** The bridge reads each joint where it is, all over its range. */
async function readsTruly(...ids: readonly number[]): Promise<void> {
  for (const part of [0.03, 0.5, 0.97]) {
    for (const id of ids) {
      const arm = arms[id]!;
      arm.putAll(part);
      await bridge.pass(HAND);
      const { angles } = (await bridge.post(`/joints/read?robot_id=${id}`)).body;
      for (const [i, { name }] of arm.model.joints.entries()) {
        expect(Math.abs(angles[i] - arm.positions[i]!), `${name} at ${part}: ${angles[i]}`).toBeLessThan(NEAR);
      }
    }
  }
}

/** Calibrates an arm from the first step to the last. */
async function calibrate(id: number, arm: TableArm): Promise<void> {
  await toHold(id, arm);
  await to(id, 4);
  expect(arm.limp).toBe(false);
  const before = [...arm.positions];
  const asked = await to(id, 5);
  expect(asked.message).toContain('shoulder_pan: the arm turns to its left');
  for (const [i, position] of arm.positions.entries()) expect(position).toBeCloseTo(before[i]!, 1);
  // One servo of the SO-101 sits the other way round, which only a look at the arm can tell.
  if (id === 0) {
    await to(id, 3, '&reversed=wrist_flex');
    arm.putAll(0.5);
    await bridge.pass(HAND);
    await to(id, 4);
    expect((await to(id, 5)).message).not.toContain('shoulder_pan');
  }
  await to(id, 'success');
  expect(arm.limp).toBe(true);
}

const kept = (id: number): CalibrationFile =>
  JSON.parse(readFileSync(join(folder, 'calibration', `${NAMES[id]}.json`), 'utf8'));

test('arms whose horns were mounted anyhow are calibrated by hand, servos of both families; it outlives bridge and supply', async () => {
  for (const [id, arm] of arms.entries()) await calibrate(id, arm);
  await readsTruly(0, 1);
  expect(kept(0).joints.wrist_flex).toMatchObject({ id: 4, sign: -1 });
  for (const [id, arm] of arms.entries()) {
    expect(Object.values(kept(id).joints).map((joint) => joint.homing_offset)).toEqual(arm.homingOffsets);
  }

  await bridge.end();
  for (const arm of arms) arm.powerCycle();
  host = host.killed();
  await start();
  await readsTruly(0, 1);
});

test('a servo that differs from its calibration file keeps its arm from moving', async () => {
  await calibrate(1, koch);
  await bridge.end();
  const file = kept(1);
  file.joints.elbow_flex!.homing_offset += 40;
  writeFileSync(join(folder, 'calibration', 'dyna.json'), JSON.stringify(file));
  host = host.killed();
  await start();
  const refused = await bridge.post('/torque/toggle?robot_id=1', { torque_status: true });
  expect(refused.status).toBe(400);
  expect(refused.body.detail).toMatch(/servo 3 \(elbow_flex\) has homing offset -?\d+, its calibration file says/);
  expect(bridge.told('servo 3 (elbow_flex) has homing offset')).not.toEqual([]);
});

test('a calibration that is not kept leaves the servos as they were, and keeps others from the arm meanwhile', async () => {
  const { homingOffsets: before } = so101;
  await toHold(0, so101);
  expect(so101.homingOffsets).not.toEqual(before);
  expect((await bridge.post('/torque/toggle?robot_id=0', { torque_status: true })).status).toBe(409);
  expect((await bridge.post('/calibrate?robot_id=0&reversed=elbow')).status).toBe(400);
  expect((await cancel(0)).status).toBe(200);
  expect((await calibrationOf(0)).status).toBe(404);
  expect(so101.homingOffsets).toEqual(before);
});

test('a stop ends a calibration; the servos get back what they had once the arm is limp', async () => {
  await calibrate(1, koch);
  await toHold(1, koch);
  await to(1, 4);
  expect((await bridge.post('/stop?robot_id=1')).status).toBe(200);
  await bridge.becomes(async () => expect((await calibrationOf(1)).status).toBe(404));
  expect(koch.limp).toBe(false);
  expect((await bridge.post('/calibrate?robot_id=1')).body.message).toContain('The calibration of dyna has ended');
  expect((await bridge.post('/stop/reset?robot_id=1')).status).toBe(200);
  expect((await bridge.post('/torque/toggle?robot_id=1', { torque_status: false, force: true })).status).toBe(200);
  await readsTruly(1);
});

test('a calibration ends some minutes after its client has gone, but not while a person only takes long at a step', async () => {
  const { homingOffsets: before } = so101;
  await toHold(0, so101);
  await to(0, 4);
  // A client without a stream sends nothing while a person is busy at the arm.
  await bridge.pass(PATIENCE - LEASE / 2);
  expect((await calibrationOf(0)).status).toBe(200);
  // It has been heard since.
  await bridge.pass(LEASE - 2);
  expect(bridge.arm('feet').owner).not.toBeNull();
  await bridge.pass(4);
  expect(bridge.arm('feet').owner).toBeNull();
  expect(bridge.told('The calibration of feet has ended: ')[0]).toMatch(
    / has gone\. Its servos get their former offsets/,
  );
  expect(so101.limp, 'it holds as before').toBe(false);
  expect((await calibrationOf(0)).body.detail).toMatch(/was lost \(.* has gone\)/);
  expect((await bridge.post('/torque/toggle?robot_id=0', { torque_status: false, force: true })).status).toBe(200);
  await bridge.becomes(() => expect(so101.homingOffsets).toEqual(before));
});
