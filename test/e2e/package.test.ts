import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { XMLParser } from 'fast-xml-parser';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { HAS_ROS, ROS_DOMAIN } from './support/bridge.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const repository = fileURLToPath(new URL('../../', import.meta.url));

interface Element {
  readonly '@name'?: string;
  readonly '@description'?: string;
  readonly '@pkg'?: string;
}

test('launch files are XML with described arguments, and name no node, since there is one per arm', () => {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    isArray: (name) => name === 'arg' || name === 'node',
  });
  const files = readdirSync(join(repository, 'launch'));
  expect(files.sort()).toEqual(
    ['follower_here', 'leader_here', 'real_pair', 'simulated_pair'].map((name) => `${name}.launch.xml`),
  );
  for (const file of files) {
    const { launch } = parser.parse(readFileSync(join(repository, 'launch', file), 'utf8')) as {
      launch: { arg: Element[]; node: Element[] };
    };
    expect(launch.arg.length).toBeGreaterThan(1);
    for (const argument of launch.arg) expect(argument['@description'], `${file} ${argument['@name']}`).toBeTruthy();
    for (const node of launch.node) if (node['@pkg'] === 'arm_bridge') expect(node['@name'], file).toBeUndefined();
  }
  for (const name of ['leader_here', 'follower_here']) loadConfig(join(repository, 'config', `${name}.yaml`));
});

test('npm and ROS know the program by one version, and the changes tell of it', () => {
  const { version, files } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
  expect(readFileSync(join(repository, 'package.xml'), 'utf8')).toContain(`<version>${version}</version>`);
  expect(readFileSync(join(repository, 'CHANGELOG.md'), 'utf8')).toMatch(
    new RegExp(`^## ${version.replaceAll('.', '\\.')} - `, 'm'),
  );
  for (const name of files) if (!name.startsWith('!')) expect(existsSync(join(repository, name)), name).toBe(true);
});

test('what npm pack makes runs in a folder of its own with the packages that it names, and no others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-npm-'));
  let program: ChildProcessWithoutNullStreams | null = null;
  try {
    const run = (program: string, args: string[], cwd: string): string => {
      const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
      expect(status, stderr).toBe(0);
      return stdout;
    };
    // What is compiled is there, as for all tests of this folder.
    const packed = run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], repository);
    const [{ filename, files }] = JSON.parse(packed) as [{ filename: string; files: { path: string }[] }];
    const paths = files.map(({ path }) => path);
    for (const path of [
      'dist/page/index.html',
      'robots/so101/arm.yaml',
      'interfaces/tf2_msgs/msg/TFMessage.msg',
      'LICENSE',
    ]) {
      expect(paths).toContain(path);
    }
    expect(paths.filter((path) => /^(src|test|bench|docs|web|node_modules)\/|\.map$|\.pyc$/.test(path))).toEqual([]);

    // As `npm install` lays it out, without the network: what is named in the lock file as needed at run time is linked.
    const modules = join(folder, 'node_modules');
    const home = join(modules, 'arm-bridge');
    mkdirSync(home, { recursive: true });
    run('tar', ['xzf', join(folder, filename), '-C', home, '--strip-components', '1'], folder);
    const lock = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { dev?: boolean; optional?: boolean }>;
    };
    for (const [path, { dev, optional }] of Object.entries(lock.packages)) {
      if (dev || optional || !/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path)) continue;
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      symlinkSync(join(repository, path), join(folder, path));
    }
    const { bin } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { bin: { 'arm-bridge': string } };
    const main = join(home, bin['arm-bridge']);
    mkdirSync(join(modules, '.bin'));
    chmodSync(main, 0o755);
    symlinkSync(main, join(modules, '.bin', 'arm-bridge'));

    expect(run('npx', ['--no-install', 'arm-bridge', '--version'], folder)).toMatch(/^\d+\.\d+\.\d+$/m);
    program = spawn(join(modules, '.bin', 'arm-bridge'), ['--port', '0', '--no-ros'], { cwd: folder });
    const ended = once(program, 'close');
    let log = '';
    for (const stream of [program.stdout, program.stderr]) stream.on('data', (text) => (log += text));
    await expect.poll(() => /HTTP on (http:[^\s"]+)/.exec(log)?.[1] ?? log, { timeout: 30_000 }).toMatch(/^http:/);
    const url = /HTTP on (http:[^\s"]+)/.exec(log)![1]!;
    expect(await (await fetch(`${url}/status`)).json()).toMatchObject({ status: 'ok', arms: [{}, {}] });
    expect(await (await fetch(`${url}/`)).text()).toContain('<!doctype html>');
    program.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  } finally {
    program?.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  }
});

describe.skipIf(!HAS_ROS)('the ROS package', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'arm-bridge-package-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test('configures, builds and installs as colcon has it done; the installed launcher starts the bridge', async () => {
    // That of the preparation is left out: this is what a workspace does.
    const prefixes = process.env.AMENT_PREFIX_PATH!.split(delimiter).filter((prefix) => !prefix.startsWith(repository));
    const python = join(prefixes.at(-1)!, 'bin', 'python');
    const env = {
      ...process.env,
      PATH: `${prefixes.map((prefix) => join(prefix, 'bin')).join(delimiter)}:${process.env.PATH}`,
      AMENT_PREFIX_PATH: prefixes.join(delimiter),
      CMAKE_PREFIX_PATH: prefixes.join(delimiter),
    };
    const install = join(folder, 'install');
    const cmake = (...args: string[]): void => {
      const run = spawnSync('cmake', args, { env, encoding: 'utf8' });
      expect(run.status, `${run.stdout}\n${run.stderr}`).toBe(0);
    };
    const build = join(folder, 'build');
    const own = existsSync(python)
      ? [`-DPython3_EXECUTABLE=${python}`, '-DPython3_FIND_VIRTUALENV=ONLY', '-G', 'Ninja']
      : [];
    cmake('-S', repository, '-B', build, `-DCMAKE_INSTALL_PREFIX=${install}`, '-DBUILD_TESTING=OFF', ...own);
    cmake('--build', build);
    cmake('--install', build);
    const share = join(install, 'share', 'arm_bridge');
    for (const file of [
      'launch/simulated_pair.launch.xml',
      'rviz/arms.rviz',
      'config/default.yaml',
      'robots/so101/arm.yaml',
    ]) {
      expect(existsSync(join(share, file)), file).toBe(true);
    }
    expect(existsSync(join(share, 'action', 'MoveAbsolute.action'))).toBe(true);

    // A home without the preparation, which is not what is tested here: the launcher then runs the compiled program.
    const home = join(folder, 'home');
    mkdirSync(home);
    symlinkSync(join(repository, 'dist'), join(home, 'dist'));
    const launcher = join(install, 'lib', 'arm_bridge', 'bridge');
    const program = spawn(launcher, ['--port', '0', '--ros-args', '-p', 'log.level:=info', '-r', '__ns:=/lab'], {
      env: { ...process.env, ROS_DOMAIN_ID: ROS_DOMAIN, ARM_BRIDGE_HOME: home },
    });
    const ended = once(program, 'close');
    let log = '';
    for (const stream of [program.stdout, program.stderr]) {
      stream.on('data', (text) => {
        log += text;
      });
    }
    await expect.poll(() => log, { timeout: 30_000 }).toMatch(/HTTP on http/);
    expect(log).toMatch(/2 arms in \/lab/);
    program.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});
