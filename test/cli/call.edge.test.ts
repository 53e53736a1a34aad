import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { listen } from '../../src/http/app.ts';
import { buildApp, fakeServices } from '../http/fakes.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const TOKEN = 'c'.repeat(32);

test('arm-bridge call asks with the token of the state folder, and its exit code says how it went', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-call-'));
  const services = fakeServices({ token: TOKEN });
  const app = buildApp(services);
  try {
    const { port } = await listen(app, services.config, services.tokens);
    const config = join(folder, 'bridge.json');
    const arms = [{ name: 'leader', bus: 'sim:so101' }];
    writeFileSync(config, JSON.stringify({ http: { port: 1 }, state_folder: folder, arms }));
    writeFileSync(join(folder, 'token'), `${TOKEN}\n`);
    let at: readonly string[] = [];
    const call = (...args: string[]): Promise<{ code: number; output: string; errors: string }> =>
      new Promise((resolve) => {
        execFile(process.execPath, [MAIN, 'call', '--config', config, ...at, ...args], (error, output, errors) =>
          resolve({ code: error === null ? 0 : Number(error.code), output, errors }),
        );
      });
    const elsewhere = await call('GET', '/status');
    expect([elsewhere.code, elsewhere.errors]).toEqual([1, expect.stringContaining('--port')]);
    // As the bridge itself may have been started.
    at = ['--port', String(port)];
    const status = await call('get', '/status');
    expect([status.code, status.errors, JSON.parse(status.output).status]).toEqual([0, '', 'ok']);
    const moved = await call('POST', '/move/init?robot_id=1');
    expect([moved.code, JSON.parse(moved.output).status]).toEqual([0, 'ok']);
    const refused = await call('POST', '/move/absolute?robot_id=7', '{"x": 1}');
    expect([refused.code, JSON.parse(refused.output).code]).toEqual([1, 'unknown_arm']);
    writeFileSync(join(folder, 'token'), `${'d'.repeat(32)}\n`);
    expect(await call('GET', '/status')).toMatchObject({ code: 1, output: expect.stringContaining('unauthorised') });
    await app.close();
    expect(await call('GET', '/status')).toMatchObject({ code: 1, errors: expect.stringContaining('no answer') });
  } finally {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('arm-bridge call prints a live stream as it comes, says which token file it cannot read, and waits for no silent bridge', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-call-'));
  const services = fakeServices({});
  const app = buildApp(services);
  const silent = createServer((socket) => socket.resume());
  try {
    const { port } = await listen(app, services.config, null);
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const configured = (name: string, http: object): string => {
      const file = join(folder, name);
      writeFileSync(file, JSON.stringify({ http, state_folder: folder, arms: [{ name: 'leader', bus: 'sim:so101' }] }));
      return file;
    };
    const call = (config: string, path: string) =>
      spawn(process.execPath, [MAIN, 'call', '--config', config, 'GET', path], { stdio: ['ignore', 'pipe', 'pipe'] });
    const errorsOf = async ({ stderr }: ReturnType<typeof call>): Promise<string> => {
      let errors = '';
      for await (const text of stderr.setEncoding('utf8')) errors += text;
      return errors;
    };

    const live = call(configured('live.json', { port }), '/api/v1/live');
    let output = '';
    for await (const text of live.stdout.setEncoding('utf8')) {
      output += text;
      if (output.includes('"arms"')) break;
    }
    // Its reader has gone, so it ends by itself.
    if (live.exitCode === null) await once(live, 'exit');
    expect(output).toContain('"hello"');
    expect(live.exitCode).toBe(0);

    const { port: deaf } = silent.address() as AddressInfo;
    expect(await errorsOf(call(configured('silent.json', { port: deaf }), '/status'))).toContain('none within 10 s');

    mkdirSync(join(folder, 'token'));
    const unread = call(configured('unread.json', { port }), '/status');
    expect(await errorsOf(unread)).toMatch(/^arm-bridge call: the token file .*token cannot be read/);
  } finally {
    await app.close();
    silent.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
