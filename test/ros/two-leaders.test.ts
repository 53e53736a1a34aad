import { expect, test } from 'vitest';
import { VirtualHost } from '../../explore/virtual-host.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';
import { VirtualGraph } from '../support/virtual-graph.ts';

const FOLLOWER = { name: 'follower', id: 1, bus: 'sim:so101' };
const PAIR = { robot_pairs: [{ leader_id: 0, follower_id: 1 }], invert_controls: false };

/** Two bridges with a leader each, and a third with the arm that both can lead. */
async function laboratory() {
  const owner = new VirtualHost(null);
  const hosts = [owner, new VirtualHost(null, owner.time), new VirtualHost(null, owner.time)];
  const graph = new VirtualGraph({ delay: 0.002 });
  for (const host of hosts) graph.join(host);
  const ros = { enabled: true };
  const bridges = await Promise.all(
    hosts.map((host, i) =>
      VirtualBridge.start(
        i === 0
          ? { ros, arms: [FOLLOWER] }
          : {
              ros,
              fleet: { name: `bench ${i}` },
              arms: [
                { name: 'leader', id: 0, bus: 'sim:so101' },
                { ...FOLLOWER, bus: 'ros' },
              ],
            },
        undefined,
        host,
      ),
    ),
  );
  const [far, first, second] = bridges as [VirtualBridge, VirtualBridge, VirtualBridge];
  await far.pass(0.5);
  expect((await far.post('/torque/toggle?robot_id=1', { torque_status: true })).status).toBe(200);
  await far.pass(0.5);
  return { far, first, second };
}

const mirrors = (bridge: VirtualBridge) => bridge.bridge.mirror.status();

test('of two bridges that would lead one follower, the second is refused with the name of the first until that one ends', async () => {
  const { far, first, second } = await laboratory();
  expect((await first.post('/move/leader/start', PAIR)).body.status).toBe('ok');
  await far.becomes(() =>
    expect(far.arm('follower').owner?.name).toMatch(/^bridge bench 1 \([0-9a-f]{8}\) on the ROS topic/),
  );
  await first.becomes(() => expect(mirrors(first).pairs[0]!.state).toBe('mirroring'));
  const refused = await second.post('/move/leader/start', PAIR);
  expect([refused.status, refused.body.detail]).toEqual([
    409,
    expect.stringMatching(/^Arm follower is driven by bridge bench 1 .* on its own machine/),
  ]);
  expect(mirrors(second).active).toBe(false);
  expect(mirrors(first).pairs[0]!.state).toBe('mirroring');
  await first.post('/move/leader/stop?release=hold');
  await second.becomes(async () => expect((await second.post('/move/leader/start', PAIR)).body.status).toBe('ok'));
  await far.becomes(() => expect(far.arm('follower').owner?.name).toMatch(/^bridge bench 2 /));
  await far.pass(0.2);
  expect((await first.post('/move/leader/start', PAIR)).status).toBe(409);
}, 120_000);

test('of two bridges that begin at once, one leads the follower and the other is told who does', async () => {
  const { far, first, second } = await laboratory();
  const begun = await Promise.all([first, second].map((bridge) => bridge.post('/move/leader/start', PAIR)));
  expect(begun.map(({ body }) => body.status)).toEqual(['ok', 'ok']);
  await far.pass(2);
  const [leads, lost] = mirrors(first).active ? [first, second] : [second, first];
  expect(mirrors(leads).pairs[0]!.state).toMatch(/ramping|mirroring/);
  expect(mirrors(lost)).toMatchObject({
    active: false,
    reason: expect.stringMatching(/bridge bench \d .* drives it on its own machine/),
  });
}, 120_000);
