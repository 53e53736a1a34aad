import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { XMLParser } from 'fast-xml-parser';
import { expect, test, vi } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';

vi.setConfig({ testTimeout: 480_000, hookTimeout: 240_000 });

const repository = fileURLToPath(new URL('../../', import.meta.url));

/** Folders of the repository that the package installs to its share. */
const INSTALLED = /foreach\(folder ([\w ]+)\)/
  .exec(readFileSync(join(repository, 'CMakeLists.txt'), 'utf8'))![1]!
  .split(' ');

/** What the compiled bridge prints. */
function run(...args: string[]): string {
  return spawnSync(process.execPath, [join(repository, 'dist', 'main.js'), ...args], { encoding: 'utf8' }).stdout;
}

type Attributes = Readonly<Record<string, string>>;

/** Attributes that launch files of ROS 2 may have: launch_xml and launch_ros, of the elements that are used here. */
const GRAMMAR: Readonly<Record<string, readonly string[]>> = {
  launch: [],
  arg: ['name', 'default', 'description'],
  group: ['if', 'unless'],
  set_env: ['name', 'value', 'if'],
  let: ['name', 'value', 'if'],
  node: ['pkg', 'exec', 'name', 'namespace', 'args', 'output', 'if', 'unless', 'sigterm_timeout'],
  param: ['name', 'value', 'type'],
  remap: ['from', 'to'],
};
/** Programs of other packages, as those name them. */
const PROGRAMS: Readonly<Record<string, string>> = { rviz2: 'rviz2', robot_state_publisher: 'robot_state_publisher' };

/** Every element of a launch file, by name, with its attributes. */
function elements(file: string): { name: string; attributes: Attributes }[] {
  const parser = new XMLParser({ preserveOrder: true, ignoreAttributes: false, attributeNamePrefix: '' });
  const found: { name: string; attributes: Attributes }[] = [];
  const walk = (nodes: readonly Readonly<Record<string, unknown>>[]): void => {
    for (const { ':@': attributes = {}, ...element } of nodes) {
      for (const [name, inside] of Object.entries(element)) {
        if (!Array.isArray(inside)) continue;
        found.push({ name, attributes: attributes as Attributes });
        walk(inside);
      }
    }
  };
  walk(parser.parse(readFileSync(file, 'utf8')));
  return found;
}

test('launch files are those of ROS 2: they name arguments, programs and files that there are, and no node, since there is one per arm', () => {
  const files = readdirSync(join(repository, 'launch'));
  expect(files.sort()).toEqual(
    ['follower_here', 'leader_here', 'real_pair', 'simulated_pair'].map((name) => `${name}.launch.xml`),
  );
  const options = new Set(run('--help').match(/--[a-z-]+/g));
  for (const file of files) {
    const all = elements(join(repository, 'launch', file));
    const args = all.filter(({ name }) => name === 'arg').map(({ attributes }) => attributes);
    const known = all.filter(({ name }) => name === 'arg' || name === 'let').map(({ attributes }) => attributes.name);
    expect(args.length).toBeGreaterThan(1);
    for (const { name, description } of args) expect(description, `${file} ${name}`).toBeTruthy();
    expect(all.map(({ name }) => name).filter((name) => name === 'launch')).toHaveLength(1);
    for (const { name, attributes } of all) {
      expect(Object.keys(GRAMMAR), file).toContain(name);
      for (const [key, text] of Object.entries(attributes)) {
        expect(GRAMMAR[name], `${file}: <${name} ${key}>`).toContain(key);
        for (const [, argument] of text.matchAll(/\$\(var (\w+)\)/g))
          expect(known, `${file}: ${text}`).toContain(argument);
        for (const [, kind] of text.matchAll(/\$\(([\w-]+)/g)) {
          expect(['var', 'eval', 'command', 'find-pkg-share'], `${file}: ${text}`).toContain(kind);
        }
        for (const [, path] of text.matchAll(/\$\(find-pkg-share arm_bridge\)\/([\w./]+)/g)) {
          expect(existsSync(join(repository, path!)), `${file}: ${path}`).toBe(true);
          expect(INSTALLED, `${file}: ${path}`).toContain(path!.split('/')[0]);
        }
      }
      if (name !== 'node') continue;
      const { pkg, exec, args: given = '' } = attributes;
      if (pkg !== 'arm_bridge') {
        expect(exec, file).toBe(PROGRAMS[pkg!]);
        continue;
      }
      expect(exec, file).toBe('bridge');
      // Lowering its arms takes the bridge up to 35 s (docs/safety.md), and a second signal ends it at once.
      expect(Number(attributes.sigterm_timeout), file).toBeGreaterThan(35);
      expect(attributes.name, file).toBeUndefined();
      for (const option of given.match(/--[a-z-]+/g) ?? []) expect(options, file).toContain(option);
    }
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
