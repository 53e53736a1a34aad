import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const { cacheFolder } = await import(pathToFileURL(join(ROOT, 'scripts/lib/platform.mjs')).href);

/** With ROS 2 the steps take minutes: continuous integration has them, a developer's machine sees the rest of them. */
const WITH_ROS = process.env.CI === 'true' && process.env.ARM_BRIDGE_ROS_ENABLED !== 'false';
if (!WITH_ROS) console.warn('SKIPPED: ROS 2 in the steps of docker/build.sh. CI=true npm test runs them in full.');
const BUILD_LIMIT = 900_000;
const TOKEN = 'a-token-of-this-test-alone';

let scratch: string;
let home: string;
let folder: string;
let environment: NodeJS.ProcessEnv;

/** The files of this checkout that docker/Dockerfile.dockerignore lets into an image. */
function filesOfImage(): string[] {
  const ignored = readFileSync(join(ROOT, 'docker/Dockerfile.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => /^[^#*\s]/.test(line));
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  return String(listed)
    .split('\n')
    .filter((name) => name !== '' && !ignored.some((path) => name === path || name.startsWith(`${path}/`)));
}

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'arm-bridge-image-'));
  home = join(scratch, 'home');
  folder = join(scratch, 'arm-bridge');
  mkdirSync(home);
  for (const name of filesOfImage()) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    cpSync(join(ROOT, name), join(folder, name));
  }
  environment = {
    PATH: process.env.PATH,
    HOME: home,
    ROS_DOMAIN_ID: String(1 + (process.pid % 100)),
    ROS_LOG_DIR: join(home, 'ros'),
    // What has been fetched once is not fetched again.
    XDG_CACHE_HOME: dirname(cacheFolder()),
    npm_config_cache: process.env.npm_config_cache ?? join(homedir(), '.npm'),
    ...(WITH_ROS ? {} : { ARM_BRIDGE_ROS_ENABLED: 'false' }),
  };
  execFileSync(join(folder, 'docker/build.sh'), { env: environment, timeout: BUILD_LIMIT, stdio: 'pipe' });
}, BUILD_LIMIT);

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Runs a program of the image as its entry point does. */
function run(...command: readonly string[]): ChildProcess {
  return spawn(join(folder, 'docker/with-ros.sh'), command, {
    env: environment,
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

test('what the image holds starts by itself, says whether it is well, writes only below HOME and ends on SIGTERM', async () => {
  const config = join(home, 'config.yaml');
  const tokenFile = join(home, 'token');
  writeFileSync(tokenFile, `${TOKEN}\n`);
  const http = `http: { port: ${await freePort()}, token_file: ${tokenFile} }`;
  writeFileSync(config, `${http}\narms: [{ name: arm, bus: "sim:so101" }]\n`);
  const other = join(home, 'other.yaml');
  writeFileSync(join(home, 'wrong-token'), 'not-the-token-of-this-test\n');
  writeFileSync(other, readFileSync(config, 'utf8').replace(tokenFile, join(home, 'wrong-token')));
  const healthy = (file: string) =>
    spawnSync(process.execPath, [join(folder, 'docker/healthy.mjs'), file], { env: environment, encoding: 'utf8' });
  const stamp = join(home, 'stamp');
  writeFileSync(stamp, '');

  expect(healthy(config).status).toBe(1);
  const bridge = run('node', join(folder, 'dist/main.js'), '--config', config);
  const ended = once(bridge, 'exit');
  let log = '';
  for (const stream of [bridge.stdout!, bridge.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  }
  try {
    await expect.poll(() => log, { timeout: 60_000 }).toContain('HTTP on http://127.0.0.1');
    // As many tries as the health check of the image has.
    await expect.poll(() => healthy(config).status, { timeout: 60_000 }).toBe(0);
    expect(healthy(other)).toMatchObject({ status: 1, stderr: 'GET /status was answered with 401\n' });
    if (WITH_ROS) {
      const watch = run(join(folder, 'build/ros/bin/python'), '-B', join(folder, 'docs/watch.py'), 'arm', '--once');
      const timer = setTimeout(() => watch.kill('SIGKILL'), 60_000);
      expect(await once(watch, 'exit'), log).toEqual([0, null]);
      clearTimeout(timer);
    }
    bridge.kill('SIGTERM');
    expect(await ended, log).toEqual([0, null]);
  } finally {
    bridge.kill('SIGKILL');
  }
  expect(String(execFileSync('find', [folder, '-newer', stamp]))).toBe('');
}, 240_000);
