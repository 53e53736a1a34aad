import { expect, test } from 'vitest';
import { VirtualBridge } from '../support/virtual-bridge.ts';

/** Arms besides the SO-101, each in simulation behind the bus of its own servos. */
const MODELS = ['so100', 'koch', 'wx250s'];
/** cm, from the tool's place at init: within reach of each of them. */
const TARGETS = [
  { x: 0, y: 4, z: 3 },
  { x: -3, y: -4, z: 0 },
];

test.each(MODELS)(
  'a simulated %s goes to init and to targets about it, opens its gripper, draws no warning, and is put down at the end',
  async (model) => {
    const bridge = await VirtualBridge.start({ arms: [{ name: model, model, bus: `sim:${model}` }] });
    /** Tool position of MuJoCo's own state, cm. */
    const truth = async (): Promise<number[]> => {
      const { x, y, z } = (await bridge.get('/sim/truth')).body.tool.position;
      return [x * 100, y * 100, z * 100];
    };
    expect((await bridge.post('/move/init')).body).toMatchObject({ status: 'ok' });
    const zero = await truth();
    for (const target of TARGETS) {
      const { body } = await bridge.post('/move/absolute', { ...target, open: 1, position_tolerance: 0.2 });
      expect(body).toMatchObject({ status: 'ok', message: null });
      const [x, y, z] = (await truth()).map((value, i) => value - zero[i]!) as [number, number, number];
      // What the tolerance leaves, here and at init, and half a step of each encoder.
      expect(Math.hypot(x - target.x, y - target.y, z - target.z)).toBeLessThan(0.5);
    }
    expect((await bridge.post('/end-effector/read', {})).body.open).toBeGreaterThan(0.9);
    await bridge.end();
    expect(bridge.arm().read()).toMatchObject({ torque: false });
    expect(bridge.told(`${model}: `)).toEqual([]);
  },
);
