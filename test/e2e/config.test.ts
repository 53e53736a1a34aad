import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { BridgeProcess, livingChildren, runToEnd } from './support/bridge.ts';

const ONE_ARM = 'arms:\n  - { name: solo, bus: "sim:so101" }\n';

const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-config-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

let files = 0;
function configuration(text: string): string {
  const file = join(folder, `${files++}.yaml`);
  writeFileSync(file, text);
  return file;
}

describe('a configuration that cannot be used ends the start with code 2', () => {
  test('and names every fault: its path, its value, and what is allowed', async () => {
    const file = configuration(
      `${ONE_ARM}http: { port: 99999, hots: x }\ncontrol: { rate: fast }\npairs: [{ leader: solo, follower: nobody }]\n`,
    );
    const { code, errors, output } = await runToEnd('--config', file);
    expect(code).toBe(2);
    expect(output).toBe('');
    expect(errors).toMatch(/http\.port: 99999 is not allowed .*at most 65535/);
    expect(errors).toMatch(/http\.hots: unknown key .*Allowed here: .*host/);
    expect(errors).toMatch(/control\.rate: "fast" is not allowed/);
    expect(errors).toContain(file);
    // A stack would say nothing to the one who wrote the file.
    expect(errors).not.toMatch(/^ +at /m);
  });

  test('a token file that is not there, which only the start finds out', async () => {
    const file = configuration(`${ONE_ARM}http: { token_file: ${join(folder, 'no-token')} }\n`);
    const { code, errors } = await runToEnd('--config', file, '--port', '0', '--no-ros');
    expect(code).toBe(2);
    expect(errors.replaceAll('\n', ' ')).toMatch(/http\.token_file.*no-token/);
    expect(errors).not.toMatch(/^ +at /m);
  });

  test('--host 0.0.0.0 without encryption', async () => {
    const file = configuration(`${ONE_ARM}state_folder: ${folder}\n`);
    const { code, errors } = await runToEnd('--config', file, '--host', '0.0.0.0', '--port', '0', '--no-ros');
    expect(code).toBe(2);
    expect(errors).toMatch(/http\.host: 0\.0\.0\.0 .*http\.tls/);
  });

  test('--demo with an arm that is not simulated', async () => {
    const file = configuration('arms: [{ name: bench, bus: "serial:/dev/ttyACM0" }]\n');
    const { code, errors } = await runToEnd('--demo', '--config', file, '--port', '0', '--no-ros');
    expect(code).toBe(2);
    expect(errors).toMatch(/--demo moves simulated arms alone, but the bus of arm "bench" is serial:/);
  });

  test('a port that is in use, with what to do', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const { code, errors } = await runToEnd('--config', configuration(ONE_ARM), '--port', `${port}`, '--no-ros');
    server.close();
    expect(code).toBe(2);
    expect(errors).toMatch(new RegExp(`http\\.port: 127\\.0\\.0\\.1 port ${port} is in use.*--port`));
  });
});

describe('the command line', () => {
  test('--help names every option; --version the version', async () => {
    const { code, output } = await runToEnd('--help');
    expect(code).toBe(0);
    for (const option of ['--config', '--port', '--host', '--no-ros', '--demo', '--ros-args'])
      expect(output).toContain(option);
    expect(await runToEnd('--version')).toMatchObject({ code: 0, output: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });

  test.each([
    [['--port', 'eighty'], /--port.*whole number from 0 to 65535/],
    [['--prot', '80'], /unknown option '--prot'/],
  ])('%j is refused with what is allowed', async (args, text) => {
    const { code, errors } = await runToEnd(...args);
    expect(code).not.toBe(0);
    expect(errors).toMatch(text);
  });

  test('wins over the environment, which wins over the file; --port 0 takes a free port, and --no-ros is told with its reason', async () => {
    const file = configuration(`${ONE_ARM}http: { port: 1 }\ncontrol: { rate: 50 }\n`);
    const environment = { ARM_BRIDGE_HTTP_PORT: '2', ARM_BRIDGE_CONTROL_RATE: '100' };
    const bridge = await BridgeProcess.startWith(environment, '--config', file, '--no-ros');
    try {
      const { body } = await bridge.get('/status');
      expect(body.server_port).toBeGreaterThan(2);
      expect(bridge.url).toBe(`http://127.0.0.1:${body.server_port}`);
      expect(body.loop.rate).toBe(100);
      expect(body.ros).toMatchObject({ enabled: false, reason: expect.stringMatching(/--no-ros/) });
      expect(body.arms).toMatchObject([{ id: 0, name: 'solo' }]);
      expect(bridge.log).toMatch(/ROS 2 is off, HTTP alone is served: .*--no-ros/);
    } finally {
      await bridge.end();
    }
  });
});

test('without any ROS 2 to load, HTTP is served, and status says what is missing', async () => {
  const bridge = await BridgeProcess.startWith(
    { AMENT_PREFIX_PATH: '', ARM_BRIDGE_ROS_UNAVAILABLE: 'no ROS 2 on this machine' },
    '--config',
    configuration(ONE_ARM),
  );
  try {
    const { ros } = (await bridge.get('/status')).body;
    expect(ros).toEqual({
      enabled: false,
      reason: expect.stringMatching(/no ROS 2 on this machine/),
      distro: null,
      preparing: null,
    });
  } finally {
    await bridge.end();
  }
});

test('a token lets a bridge listen on all addresses, and every request must carry it', async () => {
  const token = join(folder, 'token');
  writeFileSync(token, 'a-long-enough-secret\n', { mode: 0o600 });
  const file = configuration(`${ONE_ARM}http: { host: 0.0.0.0, token_file: ${token}, tls: off }\n`);
  const bridge = await BridgeProcess.start('--no-ros', '--config', file);
  try {
    const { port } = new URL(bridge.url);
    const ask = (path: string, method: string, authorization?: string) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: authorization === undefined ? {} : { authorization },
      });
    for (const wrong of [undefined, 'Bearer wrong', 'Basic a-long-enough-secret']) {
      for (const [path, method] of [
        ['/status', 'GET'],
        ['/move/init', 'POST'],
        ['/stop', 'POST'],
      ] as const) {
        const refused = await ask(path, method, wrong);
        expect(refused.status).toBe(401);
        expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer/);
      }
    }
    const right = 'Bearer a-long-enough-secret';
    const status = await ask('/status', 'GET', right);
    expect(status.status).toBe(200);
    expect(await status.json()).toMatchObject({ arms: [{ state: 'connected', initialised: false }] });
    expect(await (await ask('/move/init', 'POST', right)).json()).toMatchObject({ status: 'ok' });
    expect(bridge.log).not.toContain('a-long-enough-secret');
  } finally {
    await bridge.end();
  }
});

test('a signal during the start ends it, and nothing is left', async () => {
  const main = new URL('../../dist/main.js', import.meta.url).pathname;
  for (const delay of [50, 300, 600]) {
    const child = spawn(process.execPath, [main, '--port', '0', '--no-ros'], { stdio: 'ignore' });
    await new Promise((resolve) => setTimeout(resolve, delay));
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  }
  expect(livingChildren()).toEqual([]);
});
