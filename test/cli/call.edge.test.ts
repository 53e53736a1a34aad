import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
