import { expect, test } from 'vitest';
import { MOST_ARMS } from '../../src/config/schema.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';

test('simulated arms are added as long as there is room, and one that is disconnected is the next to be connected', async () => {
  const arms = Array.from({ length: MOST_ARMS - 1 }, (_, id) => ({ name: `arm${id}`, id, bus: 'sim:so101' }));
  const bridge = await VirtualBridge.startLight({ arms });
  const add = () =>
    bridge.post('/robot/add-connection', { robot_name: 'so-101', connection_details: { bus: 'sim:so101' } });
  const added = await add();
  expect(added.body).toMatchObject({ status: 'ok', robot_id: MOST_ARMS - 1 });
  const refused = await add();
  expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining('start the bridge again')]);
  expect((await bridge.post('/robot/disconnect?robot_id=3')).body.status).toBe('ok');
  expect((await add()).body).toMatchObject({ status: 'ok', robot_id: 3 });
}, 300_000);
