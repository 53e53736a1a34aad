import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { selfSigned } from '../support/certificate.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const { cacheFolder } = await import(pathToFileURL(join(ROOT, 'scripts/lib/platform.mjs')).href);

const BUILD_LIMIT = 300_000;

let scratch: string;
let home: string;
let folder: string;
let environment: NodeJS.ProcessEnv;

/** The files of this checkout that docker/Dockerfile.dockerignore lets into an image. */
function filesOfImage(): string[] {
  const patterns = readFileSync(join(ROOT, 'docker/Dockerfile.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => /^[^#\s]/.test(line))
    .map((line) => {
      const glob = line
        .replace(/^!/, '')
        .replaceAll('.', '\\.')
        .replaceAll('*', '[^/]*')
        .replace('[^/]*[^/]*/', '(.*/)?');
      return { kept: line.startsWith('!'), names: new RegExp(`^${glob}(/|$)`) };
    });
  // The last line that matches decides, as for an engine.
  const isIgnored = (name: string): boolean => patterns.findLast(({ names }) => names.test(name))?.kept === false;
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  return String(listed)
    .split('\n')
    .filter((name) => name !== '' && !isIgnored(name));
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
    // What has been fetched once is not fetched again.
    XDG_CACHE_HOME: dirname(cacheFolder()),
    npm_config_cache: process.env.npm_config_cache ?? join(homedir(), '.npm'),
    // ROS 2 would take minutes: npm run test:lab builds the images that have it.
    ARM_BRIDGE_ROS_ENABLED: 'false',
  };
  execFileSync(join(folder, 'docker/build.sh'), { env: environment, timeout: BUILD_LIMIT, stdio: 'pipe' });
}, BUILD_LIMIT);

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Asks over HTTP. Not in this thread alone: a server of this test has to answer. */
async function health(file: string): Promise<{ code: number | null; errors: string }> {
  const asked = spawn(join(folder, 'docker/arm-bridge'), ['health', '--config', file], { env: environment });
  let errors = '';
  asked.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const [code] = (await once(asked, 'close')) as [number | null];
  return { code, errors };
}

test('arm-bridge health passes on what the bridge says of itself', async () => {
  let code = 200;
  const server = createHttpServer((_, response) => response.writeHead(code).end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const file = join(home, 'plain.yaml');
  writeFileSync(file, `http: { port: ${port} }\narms: [{ name: arm, bus: "sim:so101" }]\n`);
  try {
    expect(await health(file)).toEqual({ code: 0, errors: '' });
    code = 503;
    expect(await health(file)).toEqual({
      code: 1,
      errors: 'arm-bridge: GET /healthz was answered with 503: the control loop does not run\n',
    });
  } finally {
    server.close();
  }
});

test('what it installs can be read by the service, whatever the umask of the person', () => {
  // The folders of a checkout to install are open to everybody.
  chmodSync(scratch, 0o755);
  const into = join(scratch, 'root');
  const install = 'umask 077; mkdir "$2"; exec "$1" install --into "$2"';
  execFileSync('/bin/sh', ['-c', install, 'sh', join(folder, 'docker/arm-bridge'), into], {
    env: environment,
    stdio: 'pipe',
  });
  const modes = ['', '/config.yaml', '/token'].map(
    (name) => statSync(join(into, `etc/arm-bridge${name}`)).mode & 0o777,
  );
  expect(modes).toEqual([0o755, 0o644, 0o600]);
});

test('what the image holds starts by itself, says whether it is well, writes only below HOME and ends on SIGTERM', async () => {
  const { certificate, key } = selfSigned(home, 'localhost');
  const token = join(home, 'token');
  writeFileSync(token, 'a-token-of-this-test-alone\n');
  const config = join(home, 'config.yaml');
  const http = { port: await freePort(), token_file: token, tls: { certificate, key } };
  writeFileSync(config, JSON.stringify({ http, arms: [{ name: 'arm', bus: 'sim:so101' }] }));
  const stamp = join(home, 'stamp');
  writeFileSync(stamp, '');

  expect((await health(config)).code).toBe(1);
  const beat = join(home, 'beat');
  const bridge = spawn(join(folder, 'docker/arm-bridge'), ['--config', config], {
    env: { ...environment, ARM_BRIDGE_BEAT_FILE: beat },
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(bridge, 'exit');
  let log = '';
  for (const stream of [bridge.stdout!, bridge.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  }
  try {
    await expect.poll(() => log, { timeout: 60_000 }).toMatch(/HTTP on https?:\/\/127\.0\.0\.1/);
    expect(await health(config)).toEqual({ code: 0, errors: '' });
    // As the images and the service are asked: by the shell, which needs neither Node nor a certificate.
    const cheap = { env: { PATH: process.env.PATH, ARM_BRIDGE_BEAT_FILE: beat } };
    execFileSync(join(folder, 'docker/arm-bridge'), ['health'], cheap);
    bridge.kill('SIGTERM');
    expect(await ended, log).toEqual([0, null]);
  } finally {
    bridge.kill('SIGKILL');
  }
  expect(String(execFileSync('find', [folder, '-newer', stamp]))).toBe('');
}, 240_000);

test(
  'is built again after an update of its sources',
  () => {
    const file = join(folder, 'src/version.ts');
    writeFileSync(file, `${readFileSync(file, 'utf8')}\nconsole.info('updated');\n`);
    const built = execFileSync(join(folder, 'docker/build.sh'), {
      env: environment,
      timeout: BUILD_LIMIT,
      stdio: 'pipe',
    });
    expect(String(built)).toContain('updated');
  },
  BUILD_LIMIT,
);
