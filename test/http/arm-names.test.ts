import { expect, test } from 'vitest';
import { Bridge } from '../../clients/typescript/src/index.ts';
import { type Answer, VirtualBridge } from '../support/virtual-bridge.ts';

/** A bridge of two arms, the first of which has id 0. */
const start = (...names: readonly string[]) =>
  VirtualBridge.startLight({ arms: names.map((name, id) => ({ name, id, bus: 'sim:so101' })) });

test('an arm is named by its name as well as by its id, and a name that none has is refused with those that there are', async () => {
  const bridge = await start('left', 'right');
  const ok: Answer = await bridge.post('/torque/toggle?arm=right', { torque_status: true });
  expect(ok.body.status).toBe('ok');
  expect([bridge.arm('left').read().torque, bridge.arm('right').read().torque]).toEqual([false, true]);
  expect((await bridge.post('/joints/read?arm=left', {})).status).toBe(200);
  expect((await bridge.post('/api/v1/stop?arm=right')).body.robots).toEqual([1]);
  const { status, body } = await bridge.post('/move/init?arm=middle');
  expect([status, body.detail]).toEqual([400, 'Arm "middle" is unknown. Known arms: left, right.']);
});

test('a client goes on to move the arm of a name when a bridge that has started again gives it another id', async () => {
  let bridge = await start('left', 'right');
  const own: typeof fetch = async (url, { method = 'GET', body } = {}) => {
    const { pathname, search } = new URL(String(url));
    const sent = typeof body === 'string' ? JSON.parse(body) : undefined;
    const answer = await bridge.ask(method as 'GET' | 'POST', `${pathname}${search}`, sent);
    return new Response(JSON.stringify(answer.body), {
      status: answer.status,
      headers: { 'content-type': 'application/json' },
    });
  };
  const client = new Bridge('http://127.0.0.1:1', { fetch: own });
  const right = client.arm('right');
  await right.init();
  expect([(await right.facts()).id, await client.nameOf(0)]).toEqual([1, 'left']);
  bridge = await start('right', 'left');
  await right.init();
  expect([bridge.arm('left').read().torque, bridge.arm('right').read().torque]).toEqual([false, true]);
  expect([(await right.facts()).id, await client.nameOf(0), await client.idOf('left')]).toEqual([0, 'right', 1]);
});
