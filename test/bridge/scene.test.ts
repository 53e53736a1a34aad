import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import type { SimObjectState } from '../../src/sim/sim-object.ts';
import { PAIR, VirtualBridge } from '../support/virtual-bridge.ts';

const SCENE = { ...PAIR, sim: { scene: 'pick' } };
const JOINTS = ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll', 'gripper'];
/** Gripper angles of the leader, rad: wide enough for a cube of 28 mm, and closed beyond it. */
const OPEN = 0.9;
const SHUT = -0.1;
/** The finger tip stands so far before the middle of the cube as the open gripper comes down, m. */
const BESIDE = 0.028;
/** Where the axis of shoulder_pan is, m. */
const PAN_AXIS = 0.0388353;
const WEIGHT = 0.02 * 9.81;

/** By the physics of the follower, not by what the bridge says of it. */
async function object(bridge: VirtualBridge, name: string, arm = 'follower'): Promise<SimObjectState> {
  const objects = await bridge.until(bridge.host.arms!.objects(arm));
  return objects.find((other) => other.name === name)!;
}

const force = ({ touches }: SimObjectState, by: string): number => touches.find((touch) => touch.by === by)?.force ?? 0;

/** Angles of the follower's joints with the tool at a place of the base frame (m), pointing down. */
async function angles(bridge: VirtualBridge, x: number, y: number, z: number): Promise<number[]> {
  const { position } = bridge.arm('follower').toolPose(bridge.arm('follower').model.poses.get('init')!);
  const cm = { x: 100 * (x - position.x), y: 100 * (y - position.y), z: 100 * (z - position.z) };
  const { body } = await bridge.post('/api/v1/arms/follower/reachable', { ...cm, rx: -80 });
  expect(body).toMatchObject({ reachable: true });
  return body.joints;
}

/** A hand on the leader goes to these angles, and the follower has come there. */
async function lead(
  bridge: VirtualBridge,
  joints: readonly number[],
  gripper: number,
  duration: number,
): Promise<void> {
  const all = joints.map((angle, i) => (i === JOINTS.length - 1 ? gripper : angle));
  await bridge.lead('leader', Object.fromEntries(JOINTS.map((name, i) => [name, all[i]!])), duration);
  await bridge.pass(duration + 1);
}

async function mirroring(): Promise<VirtualBridge> {
  const bridge = await VirtualBridge.start(SCENE);
  await bridge.post('/move/init?robot_id=1');
  const { status } = await bridge.post('/move/leader/start', { robot_pairs: [{ leader_id: 0, follower_id: 1 }] });
  expect(status).toBe(200);
  return bridge;
}

describe('a scripted hand on the leader', () => {
  it('picks up the cube with the follower, carries it and puts it down', async () => {
    const bridge = await mirroring();
    const { x, y } = (await object(bridge, 'cube')).position;
    const way = Math.hypot(x - PAN_AXIS, y);
    const [nearX, nearY] = [x - (BESIDE * (x - PAN_AXIS)) / way, y - (BESIDE * y) / way];
    const above = await angles(bridge, nearX, nearY, 0.1);
    const around = await angles(bridge, nearX, nearY, 0.012);
    await lead(bridge, above, OPEN, 2);
    await lead(bridge, around, OPEN, 1.5);
    expect((await object(bridge, 'cube')).position.z).toBeLessThan(0.015);
    await lead(bridge, around, SHUT, 1.5);
    await lead(bridge, above, SHUT, 2);

    const held = await object(bridge, 'cube');
    expect(held.position.z).toBeGreaterThan(0.08);
    for (const finger of ['gripper_link', 'jaw']) expect(force(held, finger)).toBeGreaterThan(5 * WEIGHT);
    expect(force(held, 'table')).toBe(0);
    // It does not slip, and the gripper has been drawn back to what it holds with.
    await bridge.pass(5);
    const later = await object(bridge, 'cube');
    expect(Math.abs(later.position.z - held.position.z)).toBeLessThan(0.003);
    expect(force(later, 'jaw')).toBeLessThan(10);

    const aside = await angles(bridge, 0.2, -0.1, 0.016);
    await lead(bridge, aside, SHUT, 3);
    await lead(bridge, aside, OPEN, 1.5);
    const put = await object(bridge, 'cube');
    expect(force(put, 'jaw') + force(put, 'gripper_link')).toBe(0);
    expect(put.position.z).toBeCloseTo(0.014, 3);
    expect(put.position.y).toBeLessThan(-0.05);
    expect(bridge.told('diverged')).toEqual([]);
  });
});

describe('objects', () => {
  it('stand before the follower, not before its leader, and cost nothing while they lie still', async () => {
    const bridge = await VirtualBridge.start(SCENE);
    await bridge.pass(2);
    expect((await bridge.get('/sim/objects?robot_id=0')).body).toEqual({ robot_id: 0, name: 'leader', objects: [] });
    const { objects } = (await bridge.get('/sim/objects?robot_id=1')).body;
    expect(objects.map(({ name }: { name: string }) => name)).toEqual([
      'table',
      'cube',
      'ball',
      'soft_block',
      'peg',
      'hole',
      'wall',
    ]);
    expect(objects[1].parts).toEqual([{ kind: 'box', size: [0.028, 0.028, 0.028], at: [0, 0, 0] }]);
    expect(objects[1].position.z).toBeCloseTo(0.014, 3);
    expect(bridge.host.arms!.get('follower').sim.physics.objects!.awake).toBe(false);
  });

  it('are led by a hand that lets go, fall off the table, and come back by a reset', async () => {
    const bridge = await VirtualBridge.start(SCENE);
    const before = await object(bridge, 'ball');
    const move = (position: object, duration: number) =>
      bridge.post('/sim/objects/move', { robot_id: 1, name: 'ball', position, duration });
    expect((await move({ x: 0.2, y: 0, z: 0.15 }, 1.5)).status).toBe(200);
    await bridge.pass(1.4);
    const led = await object(bridge, 'ball');
    expect(Math.hypot(led.position.x - 0.2, led.position.y, led.position.z - 0.15)).toBeLessThan(0.01);
    await bridge.becomes(async () => expect((await object(bridge, 'ball')).position.z).toBeLessThan(0.02));

    await move({ x: 0.2, y: -0.4, z: 0.1 }, 1.5);
    await bridge.becomes(async () => expect((await object(bridge, 'ball')).position.z).toBeLessThan(-0.3));
    await bridge.becomes(() => expect(bridge.host.arms!.get('follower').sim.physics.objects!.awake).toBe(false));
    expect(force(await object(bridge, 'ball'), 'table')).toBe(0);

    expect((await bridge.post('/sim/objects/reset', {})).status).toBe(200);
    await bridge.pass(1);
    const after = await object(bridge, 'ball');
    expect(after.position.x).toBeCloseTo(before.position.x, 3);
    expect(after.position.y).toBeCloseTo(before.position.y, 3);
    expect(after.position.z).toBeCloseTo(before.position.z, 3);
  });

  it('are pushed by an arm that moves against them', async () => {
    const bridge = await VirtualBridge.start(SCENE);
    const before = (await object(bridge, 'soft_block')).position;
    await bridge.post('/move/init?robot_id=1');
    const low = await angles(bridge, before.x - 0.06, before.y, 0.02);
    const through = await angles(bridge, before.x + 0.02, before.y, 0.02);
    const joints = (to: readonly number[]) =>
      bridge.post('/joints/write?robot_id=1', { angles: to, unit: 'rad', joints_ids: [0, 1, 2, 3, 4, 5] });
    await joints(low);
    await bridge.pass(3);
    await joints(through);
    await bridge.pass(3);
    expect((await object(bridge, 'soft_block')).position.x - before.x).toBeGreaterThan(0.01);
  });

  it('are refused by name, and where there are none', async () => {
    const bridge = await VirtualBridge.start(SCENE);
    const position = { x: 0.2, y: 0, z: 0.1 };
    const table = await bridge.post('/sim/objects/move', { robot_id: 1, name: 'table', position });
    expect(table.status).toBe(400);
    expect(table.body.detail).toBe(
      'No object "table" that moves stands before follower. Known here: cube, ball, soft_block, peg.',
    );
    const leader = await bridge.post('/sim/objects/move', { robot_id: 0, name: 'cube', position });
    expect(leader.body.detail).toContain('before leader. Known here: none: `sim.scene`');
    const far = await bridge.post('/sim/objects/move', { robot_id: 1, name: 'cube', position: { ...position, z: 3 } });
    expect(far.status).toBe(422);
  });
});

describe('a scene', () => {
  it('is a file of one’s own too, and a mistake in it is named', async () => {
    const bridge = await VirtualBridge.start();
    const file = (text: string): string => {
      writeFileSync(join(bridge.folder, 'mine.yaml'), text);
      const config = join(bridge.folder, 'bridge.yaml');
      writeFileSync(config, 'sim: { scene: ./mine.yaml }\narms: [{ name: arm, bus: "sim:so101" }]\n');
      return loadConfig(config).sim.scene!;
    };
    const object = 'name: brick, colour: "#aa0000", mass: 0.05, at: [0.2, 0, 0.01]';
    const good = file(`scene: mine\ntitle: Mine\nobjects: [{ ${object}, parts: [{ box: [0.02, 0.02, 0.02] }] }]\n`);
    const own = await VirtualBridge.start({ sim: { scene: good } });
    expect((await own.get('/sim/objects?robot_id=0')).body.objects).toMatchObject([{ name: 'brick', mass: 0.05 }]);
    const bad = file(`scene: mine\ntitle: Mine\nobjects: [{ ${object}, parts: [{ box: [0, 1, 1], sphere: 1 }] }]\n`);
    await expect(VirtualBridge.start({ sim: { scene: bad } })).rejects.toThrow(
      /sim\.scene: .*mine\.yaml: objects\.0\.parts\.0/,
    );
    await expect(VirtualBridge.start({ sim: { scene: 'nothing' } })).rejects.toThrow(/scenes of that folder: pick/);
  });
});
