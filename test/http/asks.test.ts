import type { IncomingMessage } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { ASK_TIME, Asks, MOST_ASKS } from '../../src/http/asks.ts';
import { Clients, LEASE } from '../../src/http/clients.ts';
import type { Admission } from '../../src/http/guard.ts';
import { type Answer, PAIR, VirtualBridge } from '../support/virtual-bridge.ts';

const ANYBODY: Admission = { scope: 'control', key: '', token: null, session: null };

/** People at a bridge in virtual time, whose live streams are open: requests in virtual time have none. */
async function stage(config: object = {}) {
  const bridge = await VirtualBridge.startLight(config);
  const { clock } = bridge.arm();
  const clients = new Clients('standard', clock);
  const asks = new Asks({ clock, mirror: bridge.bridge.mirror }, clients);
  const watch = clients.watch(() => asks.look());
  onTestFinished(() => watch.cancel());
  const person = (name: string) => {
    const headers = { 'x-arm-bridge-client': name };
    const request = { headers, socket: { remoteAddress: '127.0.0.1' } } as unknown as IncomingMessage;
    const client = clients.of(request, ANYBODY);
    return {
      caller: { owner: client.owner, takeOver: false },
      owner: client.owner,
      leave: clients.stays(client, ANYBODY, () => {}),
      post: (url: string, body?: object): Promise<Answer> => bridge.ask('POST', url, body, headers),
    };
  };
  const ada = person('ada');
  /** Lets time pass in which the bridge hears of ada, s. */
  const wait = async (duration: number): Promise<void> => {
    for (let passed = 0; passed < duration; passed += 10) {
      await bridge.pass(Math.min(10, duration - passed));
      await ada.post('/end-effector/read');
    }
  };
  return { bridge, asks, person, ada, ben: person('ben'), wait };
}

test('an ask moves nothing; who keeps the arm gives it away, and it is free', async () => {
  const { bridge, asks, ada, ben } = await stage();
  const arm = bridge.arm();
  expect(asks.put(arm, ben.owner)).toBeNull();
  await ada.post('/api/v1/arms/arm/take-over');
  expect(asks.put(arm, ada.owner)).toBeNull();
  const before = asks.changes;
  const ask = asks.put(arm, ben.owner)!;
  expect(ask).toMatchObject({ state: 'open', message: '"ada" on this computer is asked for arm.' });
  expect(asks.changes).toBeGreaterThan(before);
  expect(asks.put(arm, ben.owner)).toBe(ask);
  await bridge.pass(5);
  expect([arm.owner?.key, ask.state]).toEqual([ada.owner.key, 'open']);
  const answer = (who: typeof ada, give: boolean) => bridge.until(asks.answer(arm, ask.id, give, who.caller));
  await expect(answer(ben, true)).rejects.toMatchObject({ status: 403 });
  expect(arm.owner?.key).toBe(ada.owner.key);
  expect(await answer(ada, true)).toMatchObject({
    state: 'given',
    message: '"ada" on this computer gives arm away: it is free.',
  });
  expect(arm.owner).toBeNull();
  await expect(answer(ada, false)).rejects.toMatchObject({ status: 409 });
  await expect(bridge.until(asks.answer(arm, 'none', true, ada.caller))).rejects.toMatchObject({ status: 404 });
  expect((await ben.post('/move/init')).body.status).toBe('ok');
});

test('a motion that is under way goes on until its arm is given away, and ends in a hold', async () => {
  const { bridge, asks, ada, ben } = await stage();
  const arm = bridge.arm();
  const move = ada.post('/move/init');
  await bridge.becomes(() => expect(arm.activity).not.toBeNull());
  const ask = asks.put(arm, ben.owner)!;
  await bridge.pass(0.2);
  expect(arm.activity).not.toBeNull();
  await bridge.until(asks.answer(arm, ask.id, true, ada.caller));
  expect((await move).body).toMatchObject({ status: 'error', message: expect.stringContaining('superseded') });
  await bridge.becomes(() => expect([arm.owner, arm.activity, arm.read().state]).toEqual([null, null, 'ready']));
});

test('of arms that mirror is asked who has started that, and giving one away ends its pair', async () => {
  const { bridge, asks, ada, ben } = await stage(PAIR);
  const [leader, follower] = [bridge.arm('leader'), bridge.arm('follower')];
  const body = { robot_pairs: [{ leader_id: 0, follower_id: 1 }] };
  expect((await ada.post('/move/leader/start', body)).body.status).toBe('ok');
  expect(asks.put(follower, ada.owner)).toBeNull();
  const ask = asks.put(leader, ben.owner)!;
  expect([ask.state, ask.owner]).toEqual(['open', ada.owner]);
  await bridge.until(asks.answer(leader, ask.id, true, ada.caller));
  expect([ask.state, leader.owner, follower.owner]).toEqual(['given', null, null]);
  expect((await bridge.get('/api/v1/pairs')).body).toMatchObject({
    active: false,
    reason: '"ada" on this computer has given arm leader away',
  });
  expect((await bridge.get('/api/v1/events?act=release')).body.events).toMatchObject([
    { arm: 'leader', who: '"ada" on this computer', outcome: 'done' },
  ]);
});

test('what was turned down stays so for a minute, and nobody answers for ever', async () => {
  const { bridge, asks, ada, ben } = await stage();
  const arm = bridge.arm();
  await ada.post('/api/v1/arms/arm/take-over');
  const refused = asks.put(arm, ben.owner)!;
  await bridge.until(asks.answer(arm, refused.id, false, ada.caller));
  expect(asks.put(arm, ben.owner)).toMatchObject({ id: refused.id, state: 'refused' });
  expect(arm.owner?.key).toBe(ada.owner.key);
});

test('an ask is over when nobody answers, the arm changes hands, or who has asked has gone', async () => {
  const { bridge, asks, ada, ben, person, wait } = await stage();
  const arm = bridge.arm();
  const take = (who: typeof ada) => who.post('/api/v1/arms/arm/take-over');
  await take(ada);
  const silent = asks.put(arm, ben.owner)!;
  const eve = person('eve');
  const gone = asks.put(arm, eve.owner)!;
  eve.leave();
  await wait(LEASE + 2);
  expect([silent.state, gone.state, gone.message]).toEqual(['open', 'over', 'Who has asked has gone.']);
  await wait(ASK_TIME - LEASE);
  expect([silent.state, silent.message]).toEqual(['over', '"ada" on this computer has not answered.']);
  const second = asks.put(arm, ben.owner)!;
  expect([second.state, second.id === silent.id]).toEqual(['open', false]);
  await take(ben);
  await bridge.pass(1.5);
  expect([second.state, second.message]).toEqual(['over', '"ben" on this computer has arm now.']);
  await take(ada);
  const third = asks.put(arm, ben.owner)!;
  await ada.post('/api/v1/arms/arm/release');
  await bridge.pass(1.5);
  expect([third.state, third.message]).toEqual(['over', 'arm is free.']);
  await bridge.pass(2 * ASK_TIME);
  expect([...asks.all]).toEqual([]);
});

test('who hears no asks is named, with the way to take over; and there is room for so many alone', async () => {
  const { bridge, asks, ada, ben, person } = await stage();
  const arm = bridge.arm();
  await ada.post('/api/v1/arms/arm/take-over');
  for (let k = 0; k < MOST_ASKS; k++) expect(asks.put(arm, person(`person ${k}`).owner)?.state).toBe('open');
  expect(() => asks.put(arm, ben.owner)).toThrow('Too many people ask for arms');
  ada.leave();
  expect(() => asks.put(arm, person('eve').owner)).toThrow(/^Arm arm is driven by "ada" on this computer, since/);
  // By HTTP nobody of them has a stream open here.
  const told = await ben.post('/api/v1/arms/arm/ask');
  expect([told.status, told.body.detail]).toEqual([409, expect.stringMatching(/driven by "ada".*take_over=true/)]);
  expect((await ada.post('/api/v1/arms/arm/ask')).body).toEqual({ ask: null, message: 'arm is yours.' });
  await ada.post('/api/v1/arms/arm/release');
  const free = { ask: null, message: 'arm is free: nobody has to be asked.' };
  expect((await ben.post('/api/v1/arms/arm/ask')).body).toEqual(free);
  expect((await ben.post('/api/v1/arms/arm/ask/none', { give: true })).status).toBe(404);
});
