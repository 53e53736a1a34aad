import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { VirtualTime } from '../../explore/virtual-clock.ts';
import type { Arm } from '../../src/arm/types.ts';
import { Clients, LEASE } from '../../src/http/clients.ts';
import { type Motion, Motions } from '../../src/http/motions.ts';
import { usualTolerances } from '../../src/ros/trajectory-message.ts';
import { type Answer, VirtualBridge } from '../support/virtual-bridge.ts';

const LIST = '/api/v1/arms/arm/motions';

test('a motion is begun, looked after, cancelled by its client alone, and asked for twice it is one', async () => {
  const bridge = await VirtualBridge.start();
  const as = (
    name: string,
    method: 'GET' | 'POST' | 'DELETE',
    url: string,
    body?: object,
    more = {},
  ): Promise<Answer> => bridge.ask(method, url, body, { 'x-arm-bridge-client': name, ...more });
  const ended = async (id: string): Promise<Answer['body']> => {
    for (;;) {
      const { body } = await as('anna', 'GET', `${LIST}/${id}`);
      if (body.state !== 'moving') return body;
      await bridge.pass(0.2);
    }
  };
  for (const [body, words] of [
    [{}, 'Give exactly one of'],
    [{ named: 'rest', gripper: 1 }, 'Give exactly one of'],
    [{ named: 'nowhere' }, 'has no pose "nowhere"'],
    [{ joints: { knee: 1 } }, 'has no joint "knee"'],
    [{ joints: { shoulder_pan: 9 } }, 'shoulder_pan of arm arm goes from'],
    [{ pose: { x: 0.1 } }, 'initialize'],
  ] as const) {
    const refused = await as('anna', 'POST', LIST, body);
    expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining(words)]);
  }
  const init = await as('anna', 'POST', LIST, { named: 'init' });
  expect(init).toMatchObject({ status: 202, body: { state: 'moving', kind: 'named', who: '"anna" on this computer' } });
  expect(await ended(init.body.id)).toMatchObject({ state: 'done', progress: 1, message: null });
  const unreachable = await as('anna', 'POST', LIST, { pose: { x: 9 } });
  expect([unreachable.status, unreachable.body.detail]).toEqual([400, expect.stringContaining('cannot be reached')]);

  const key = { 'idempotency-key': 'job-1' };
  const far = { pose: { x: -0.03, y: 0.1, z: 0.04 } };
  const first = await as('anna', 'POST', LIST, far, key);
  const again = await as('anna', 'POST', LIST, far, key);
  expect([first.status, again.status, again.body.id]).toEqual([202, 202, first.body.id]);
  expect(await as('anna', 'POST', LIST, { gripper: 1 }, key)).toMatchObject({
    status: 422,
    body: { detail: [{ type: 'value_error', loc: ['header', 'Idempotency-Key'], input: 'job-1' }] },
  });
  expect((await as('ben', 'POST', LIST, { gripper: 1 }, key)).status).toBe(409);
  expect((await as('ben', 'DELETE', `${LIST}/${first.body.id}`)).status).toBe(409);
  expect((await as('ben', 'GET', `${LIST}/nothing`)).status).toBe(404);
  expect((await as('anna', 'DELETE', `${LIST}/${first.body.id}`)).body.message).toContain('arm holds');
  expect(await ended(first.body.id)).toMatchObject({
    state: 'cancelled',
    message: 'cancelled by "anna" on this computer',
  });

  const grip = await as('ben', 'POST', LIST, { gripper: 0.5 });
  expect(await ended(grip.body.id)).toMatchObject({ state: 'done' });
  const joints = await as('ben', 'POST', LIST, { joints: { shoulder_pan: 0.2 } });
  expect(await ended(joints.body.id)).toMatchObject({ state: 'done' });
  expect((await bridge.truth('arm'))[0]).toBeCloseTo(0.2, 1);
  await as('ben', 'POST', '/move/relative', { z: 1 });
  const { body } = await as('ben', 'GET', `${LIST}?limit=4`);
  expect(body.motions.map(({ kind, state }: { kind: string; state: string }) => [kind, state])).toEqual([
    ['/move/relative', 'done'],
    ['joints', 'done'],
    ['gripper', 'done'],
    ['pose', 'cancelled'],
  ]);
});

test('a motion of the gripper shows its own progress, not that of the arm, and a cancelled one is answered at rest', async () => {
  const bridge = await VirtualBridge.start();
  const begin = async (body: object): Promise<string> => (await bridge.post(LIST, body)).body.id;
  const of = async (id: string): Promise<Answer['body']> => (await bridge.get(`${LIST}/${id}`)).body;
  const init = await begin({ named: 'init' });
  await bridge.becomes(async () => expect((await of(init)).state).toBe('done'));
  const arm = bridge.arm();
  const [positions, times] = [Float64Array.of(0.7), Float64Array.of(4)];
  const path = { names: ['shoulder_pan'], times, positions, velocities: null, accelerations: null };
  const somebody = { owner: { key: 'test', name: 'a test' }, takeOver: false };
  const turning = bridge.bridge.trajectories.follow(arm, path, usualTolerances(arm), somebody);
  await bridge.pass(2);
  const grip = await begin({ pose: { open: 1 } });
  await bridge.pass(0.05);
  expect(arm.activity!.progress).toBeGreaterThan(0.4);
  expect((await of(grip)).progress).toBeGreaterThan(0);
  expect((await of(grip)).progress).toBeLessThan(0.3);
  await bridge.until(turning);

  const far = await begin({ joints: { shoulder_pan: -1.5 } });
  await bridge.pass(0.8);
  const answer = await bridge.ask('DELETE', `${LIST}/${far}`);
  const rest = arm.read().goals[0]!;
  expect(answer.body.message).toBe('The motion is cancelled; arm holds');
  expect(await of(far)).toMatchObject({ state: 'cancelled', progress: null });
  await bridge.pass(0.5);
  expect(arm.read().goals[0]).toBe(rest);
});

test('a motion that nobody waits for ends when its client has gone', async () => {
  const time = new VirtualTime();
  const clients = new Clients('standard', time.lane('http'));
  const request = { headers: { 'user-agent': 'curl/8.5.0' }, socket: {} } as unknown as IncomingMessage;
  const { owner } = clients.of(request, { scope: 'control', key: '', token: null, session: null });
  const motions = new Motions(time.lane('http'));
  const arm = { name: 'arm' } as Arm;
  const motion = await motions.start(arm, 'named', { owner, takeOver: false }, ({ onTaken, signal }) => {
    onTaken!({ motion: null, joints: 'all' });
    return new Promise((resolve) => signal!.addEventListener('abort', () => resolve({ ok: false, message: 'gone' })));
  });
  motions.endForsaken(clients);
  expect(motion.state).toBe('moving');
  await time.run(time.now + LEASE + 1);
  motions.endForsaken(clients);
  await Promise.resolve()
    .then(() => {})
    .then(() => {});
  expect(motions.of(arm)).toMatchObject([{ state: 'cancelled', message: expect.stringContaining('not been heard') }]);
});

test('a key is free again when the client that has sent it hung up before its motion began', async () => {
  const motions = new Motions(new VirtualTime().lane('http'));
  let begun = 0;
  /** @param planned resolves when the arm may be taken */
  const ask = (signal?: AbortSignal, planned: Promise<void> = Promise.resolve()) => {
    const work: Parameters<Motions['start']>[3] = async ({ onTaken }) => {
      begun++;
      await planned;
      onTaken!({ motion: null, joints: 'all' });
      return new Promise(() => {});
    };
    const owner = { key: 'http:anna', name: 'anna' };
    const caller = { owner, takeOver: false, ...(signal === undefined ? {} : { signal }) };
    return motions.once('job-1', 'rest', caller, () => motions.start({ name: 'arm' } as Arm, 'named', caller, work));
  };
  const dead = await ask(AbortSignal.abort());
  // It hangs up while its motion is planned, and asks twice more before the planning ends.
  let plan = (): void => {};
  const planned = new Promise<void>((resolve) => {
    plan = resolve;
  });
  const connection = new AbortController();
  const cut = ask(connection.signal, planned);
  connection.abort();
  const retries = Promise.all([ask(), ask()]);
  plan();
  const [again, oncemore] = await retries;
  expect(again.id).not.toBe((await cut).id);
  expect(new Set([dead.id, (await cut).id, again.id, oncemore.id]).size).toBe(3);
  expect([(await ask()).id, begun]).toEqual([again.id, 3]);
});

test('a repetition of what was refused only because its client hung up is planned again, and of another refusal is refused too', async () => {
  const motions = new Motions(new VirtualTime().lane('http'));
  const connection = new AbortController();
  const ask = (key: string, begin: () => Promise<Motion>, signal = new AbortController().signal) =>
    motions.once(key, 'rest', { owner: { key: 'http:anna', name: 'anna' }, takeOver: false, signal }, begin);
  const other = { id: 'other' } as Motion;
  let refuse = (_: Error): void => {};
  const refused = new Promise<Motion>((_, reject) => {
    refuse = reject;
  });
  const hungUp = ask('job-1', () => refused, connection.signal);
  const beside = ask('job-2', () => refused);
  connection.abort();
  const again = ask('job-1', () => Promise.resolve(other));
  const besideAgain = ask('job-2', () => Promise.resolve(other));
  const results = Promise.allSettled([hungUp, beside, again, besideAgain]);
  refuse(new Error('cannot be reached'));
  expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'rejected']);
  expect(await ask('job-2', () => Promise.resolve(other))).toBe(other);
});

test('what older routes move is a motion as well: listed, told to events, and cancelled by its id', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-motions-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const bridge = await VirtualBridge.start({ recording: { folder } });
  const asked = async (act: Promise<Answer>, kind: string): Promise<Answer['body']> => {
    const begun = async () => (await bridge.ask('GET', LIST)).body.motions[0];
    while ((await begun())?.state !== 'moving') await bridge.pass(0.05);
    const { id } = await begun();
    expect(await begun()).toMatchObject({ kind, state: 'moving' });
    await bridge.pass(0.3);
    expect((await bridge.ask('DELETE', `${LIST}/${id}`)).body.message).toContain('arm holds');
    const { body } = await act;
    expect((await bridge.ask('GET', `${LIST}/${id}`)).body).toMatchObject({ state: 'cancelled' });
    const { events } = (await bridge.ask('GET', '/api/v1/events?act=motion&limit=1')).body;
    expect(events).toMatchObject([{ what: `POST ${kind}`, outcome: expect.stringMatching(/ended|failed/) }]);
    return body;
  };
  const init = await asked(bridge.ask('POST', '/move/init'), '/move/init');
  expect(init).toMatchObject({ status: 'error', message: expect.stringContaining('cancelled') });
  expect((await bridge.ask('POST', '/move/init')).body).toMatchObject({ status: 'ok' });
  await bridge.ask('POST', '/recording/start', { name: 'turn' });
  await bridge.ask('POST', '/joints/write', { angles: [1.2], joints_ids: [0] });
  await bridge.pass(2);
  expect((await bridge.ask('POST', '/recording/stop')).body).toMatchObject({ status: 'ok' });
  const play = await asked(bridge.ask('POST', '/recording/play', { name: 'turn' }), '/recording/play');
  expect(play).toMatchObject({ status: 'error', message: expect.stringContaining('cancelled') });
});

test('angles as large as numbers can be move the arm or are refused, as any others', async () => {
  const bridge = await VirtualBridge.start();
  await bridge.ask('POST', '/move/init');
  for (const route of ['/move/absolute', '/move/relative']) {
    const { status } = await bridge.ask('POST', route, { rx: -Number.MAX_VALUE, rz: Number.MAX_VALUE });
    expect([route, status]).toEqual([route, 200]);
  }
});
