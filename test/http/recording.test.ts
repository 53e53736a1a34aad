import { mkdtempSync, readdirSync, readlinkSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { buildApp, fakeServices } from './fakes.ts';

test('a recording has a name of its own where none is given, and the others the fields of the interface', async () => {
  const services = fakeServices();
  const app = buildApp(services);
  const post = async (url: string, body?: unknown) => {
    const json = { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(body) };
    const reply = await app.inject({ method: 'POST', url, ...(body === undefined ? {} : json) });
    return { status: reply.statusCode, body: reply.json() };
  };
  const started = await post('/recording/start?robot_id=1');
  expect(started.body).toMatchObject({ status: 'ok', name: expect.stringMatching(/^[\dTZ-]+$/) });
  expect(services.recordings.started).toEqual([{ arm: 'follower', name: started.body.name, rate: 50 }]);
  expect((await app.inject({ url: '/status' })).json().is_recording).toBe(true);
  expect((await post('/recording/stop')).body).toMatchObject({ status: 'ok', samples: 100, duration: 2 });
  expect((await post('/recording/stop')).body).toMatchObject({
    status: 'error',
    message: 'leader is not being recorded',
  });

  expect(await post('/recording/play', { name: 'wave' })).toEqual({
    status: 200,
    body: { status: 'ok', message: null, duration: 3 },
  });
  expect(services.recordings.played).toEqual([{ arm: 'leader', name: 'wave', speed: 1 }]);
  for (const [body, type] of [
    [{}, 'missing'],
    [{ name: 3 }, 'string_type'],
    [{ name: 'a/b' }, 'string_pattern_mismatch'],
    [{ name: 'a'.repeat(65) }, 'string_pattern_mismatch'],
  ]) {
    expect((await post('/recording/play', body)).body.detail[0]).toMatchObject({ type, loc: ['body', 'name'] });
  }
  expect((await post('/recording/play', { name: 'a', speed: 9 })).body.detail[0]).toMatchObject({ ctx: { le: 2 } });
  services.arms.all[0]!.owner = { key: 'ros', name: 'a ROS topic' };
  expect((await post('/recording/play', { name: 'wave' })).status).toBe(409);
  expect((await post('/recording/play?take_over=true', { name: 'wave' })).status).toBe(200);
  await app.close();
});

test('HEAD tells how long a file is, and reads nothing of it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-head-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'long.mcap');
  writeFileSync(path, '');
  const size = 8 * 1024 ** 3;
  truncateSync(path, size);
  const services = fakeServices();
  const { facts } = services.recordings;
  services.recordings.facts = async (name) => ({ ...(await facts.call(services.recordings, name)), path });
  const app = buildApp(services);
  const head = (headers = {}) => app.inject({ method: 'HEAD', url: '/api/v1/recordings/wave/file', headers });
  const whole = await head();
  expect([whole.statusCode, whole.headers['content-length'], whole.body]).toEqual([200, String(size), '']);
  const part = await head({ range: 'bytes=100-199' });
  expect([part.statusCode, part.headers['content-length'], part.body]).toEqual([206, '100', '']);
  const open = readdirSync('/proc/self/fd').map((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      return '';
    }
  });
  expect(open).not.toContain(path);
  await app.close();
});
