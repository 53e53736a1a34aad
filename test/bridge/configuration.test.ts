import { expect, test } from 'vitest';
import { VirtualHost } from '../../explore/virtual-host.ts';
import { ConfigError } from '../../src/config/load.ts';
import { hostWithContacts, VirtualBridge } from '../support/virtual-bridge.ts';

test.each([
  [
    'a simulation of another model',
    { name: 'solo', bus: 'sim:koch' },
    /arms\[0\]\.bus: "sim:koch" simulates a koch, but arms\[0\]\.model is "so101"/,
  ],
  [
    'a gain that is softer than the model allows',
    { name: 'solo', bus: 'sim:so101', position_gains: { wrist_flex: 0.3 } },
    /arms\[0\]\.position_gains\.wrist_flex: 0\.3, and 0\.5 is the least/,
  ],
  [
    'a model without a folder',
    { name: 'solo', model: 'nonsense', bus: 'sim:nonsense' },
    /arms\[0\]\.model: there is no arm model "nonsense".*so101/,
  ],
])('%s is a fault of the configuration', async (_, arm, text) => {
  const starting = VirtualBridge.startLight({ arms: [arm] });
  await expect(starting).rejects.toBeInstanceOf(ConfigError);
  await expect(starting).rejects.toThrow(text);
});

test('a simulation that does not start ends the start in a sentence, without a trace', async () => {
  const host = hostWithContacts();
  host.startSimulation = () => Promise.reject(new Error('not ready within 30 s; this computer is too busy'));
  const starting = VirtualBridge.start({}, undefined, host);
  await expect(starting).rejects.toBeInstanceOf(ConfigError);
  await expect(starting).rejects.toThrow(/^the simulated arms cannot be started: not ready within 30 s; .* busy$/);
});

test.each([
  ['auto', ['loaded', 'http', 'ros']],
  [false, ['http']],
])('what ROS 2 needs is loaded before a client can drive an arm (ros.enabled: %s)', async (enabled, order) => {
  const seen: string[] = [];
  const host = new VirtualHost(null);
  host.loadRos = async () => {
    await host.clock.sleep(1);
    seen.push('loaded');
  };
  Object.defineProperty(host, 'listens', {
    get: () => {
      seen.push('http');
      return false;
    },
  });
  const { startRos } = host;
  host.startRos = (services) => {
    seen.push('ros');
    return startRos(services);
  };
  await VirtualBridge.start({ ros: { enabled } }, undefined, host);
  expect([...new Set(seen)]).toEqual(order);
});

test('an arm with bus: ros is disconnected while ROS is off, and says why; another arm is not kept from anything', async () => {
  const arms = [
    { name: 'near', id: 0, bus: 'sim:so101' },
    { name: 'far', id: 1, bus: 'ros' },
  ];
  const bridge = await VirtualBridge.startLight({ arms });
  const far = await bridge.status(1);
  expect(far).toMatchObject({ name: 'far', state: 'disconnected', sample_age: null });
  expect(far.reason).toMatch(/ROS 2.*off.*--no-ros/);
  for (const [route, body] of [
    ['/move/init?robot_id=1', undefined],
    ['/end-effector/read?robot_id=1', { only_gripper: true }],
    ['/move/leader/start', { robot_pairs: [{ leader_id: 0, follower_id: 1 }] }],
  ] as const) {
    const refused = await bridge.post(route, body);
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toMatch(/far is disconnected: .*ROS 2.*off.*Last good sample: none yet/);
  }
  expect((await bridge.post('/move/init?robot_id=0')).body.status).toBe('ok');
  expect((await bridge.post('/move/init')).body.robots).toMatchObject([
    { robot_id: 0, status: 'ok' },
    { robot_id: 1, status: 'error' },
  ]);
  expect((await bridge.post('/stop')).status).toBe(200);
});
