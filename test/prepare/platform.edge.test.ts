import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const library = (name: string) => import(pathToFileURL(join(root, 'scripts/lib', name)).href);
const { cacheFolder, missingBuildTools, missingLine, nodeTooOld, packageManager, which, whyNoWheels } =
  await library('platform.mjs');
const { findRos, sourcedPrefixes } = await library('ros.mjs');
const { wishOf } = await library('prepare.mjs');
const { rosVariables, shellLines } = await library('environment.mjs');

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-platform-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function program(name: string): void {
  writeFileSync(join(folder, name), '#!/bin/sh\nexit 0\n');
  chmodSync(join(folder, name), 0o755);
}

describe('what is missing is named with the command that installs it', () => {
  const missing = ['python', 'venv', 'headers', 'compiler', 'make'];

  test('on Debian and Ubuntu', () => {
    expect(missingLine(missing, 'apt')).toBe(
      "missing: Python 3.10 to 3.14, Python's venv module, Python's C headers, a C/C++ compiler, make; " +
        'to install: sudo apt install python3 python3-venv python3-dev build-essential',
    );
  });

  test('on Fedora', () => {
    expect(missingLine(missing, 'dnf')).toContain('sudo dnf install python3 python3-devel gcc gcc-c++ make');
  });

  test('on macOS', () => {
    expect(missingLine(['python', 'compiler'], 'brew')).toContain('xcode-select --install && brew install python@3.12');
  });

  test('elsewhere, by its name', () => {
    expect(missingLine(['make'], null)).toContain('install make with your package manager');
  });
});

test('the package manager follows the family of the distribution', () => {
  const of = (osRelease: string) => packageManager({ platform: 'linux', osRelease });
  expect(of('NAME="Debian"\nID=debian\n')).toBe('apt');
  expect(of('ID=linuxmint\nID_LIKE="ubuntu debian"\n')).toBe('apt');
  expect(of('ID=fedora\n')).toBe('dnf');
  expect(of('ID="rocky"\nID_LIKE="rhel centos fedora"\n')).toBe('dnf');
  expect(of('ID=alpine\nVERSION_ID=3\n')).toBeNull();
  expect(packageManager({ platform: 'darwin', osRelease: '' })).toBe('brew');
});

test('tools that are not on the path are missing', () => {
  expect(missingBuildTools({ sourced: true }, folder)).toEqual(expect.arrayContaining(['make', 'cmake']));
  expect(missingBuildTools({ sourced: false }, folder)).toEqual(['compiler']);
  for (const name of ['cc', 'c++', 'make', 'cmake']) program(name);
  expect(missingBuildTools({ sourced: true }, folder)).toEqual([]);
  expect(which('make', folder)).toBe(join(folder, 'make'));
});

test('the wheels of ROS 2 are used only where they exist', () => {
  expect(whyNoWheels({ platform: 'linux', arch: 'x64', glibc: '2.28' })).toBeNull();
  expect(whyNoWheels({ platform: 'linux', arch: 'x64', glibc: '2.27' })).toContain('needs glibc 2.28');
  expect(whyNoWheels({ platform: 'linux', arch: 'x64', glibc: null })).toContain('another C library');
  expect(whyNoWheels({ platform: 'linux', arch: 'arm64', glibc: '2.36' })).toContain('Linux x86_64 only');
  expect(whyNoWheels({ platform: 'darwin', arch: 'arm64', glibc: null })).toContain('source an installed ROS 2');
});

test('a Node that is too old is refused by its number', () => {
  expect(nodeTooOld('20.20.2')).toBeNull();
  expect(nodeTooOld('22.0.0')).toBeNull();
  expect(nodeTooOld('20.20.1')).toContain('20.20.2 or newer');
  expect(nodeTooOld('18.20.0')).toContain('too old');
});

test('the cache folder follows XDG_CACHE_HOME, of which a relative value does not count', () => {
  expect(cacheFolder({ HOME: '/home/ann', XDG_CACHE_HOME: '/var/cache/ann' })).toBe('/var/cache/ann/arm-bridge');
  expect(cacheFolder({ HOME: '/home/ann', XDG_CACHE_HOME: 'cache' })).toBe('/home/ann/.cache/arm-bridge');
  expect(cacheFolder({ HOME: '/home/ann' })).toBe('/home/ann/.cache/arm-bridge');
});

test('what the preparation has exported does not pass for a sourced ROS 2', () => {
  const own = join(folder, 'build/ros/install');
  expect(sourcedPrefixes(folder, { AMENT_PREFIX_PATH: `${own}:/opt/ros/jazzy` })).toEqual(['/opt/ros/jazzy']);
  expect(sourcedPrefixes(folder, { AMENT_PREFIX_PATH: own })).toEqual([]);
  expect(sourcedPrefixes(folder, {})).toEqual([]);
});

test('a workspace without its ROS 2 does not turn ROS 2 off: it is left aside, and said so', () => {
  const workspace = join(folder, 'nothing');
  const found = findRos(root, '/cache', { ...process.env, AMENT_PREFIX_PATH: workspace });
  expect(found.ignored ?? found.reason).toContain(`AMENT_PREFIX_PATH (${workspace}) holds no ROS 2 and is left aside`);
  if (whyNoWheels() === null) expect(found.ros?.env.AMENT_PREFIX_PATH).not.toContain(workspace);
});

test.each([
  ['its place', 'ros/rolling', {}, 'rolling'],
  ['its own files', 'elsewhere', {}, 'kilted'],
  ['the environment before those', 'ros/rolling', { ROS_DISTRO: 'jazzy' }, 'jazzy'],
])(
  'the release of a sourced ROS 2 is told by %s, for a service has no shell that sets it',
  (_, place, given, distro) => {
    const base = join(folder, place);
    const hooks = join(base, 'share/ros_environment/environment');
    for (const path of [join(base, 'share/rcl'), hooks]) mkdirSync(path, { recursive: true });
    writeFileSync(join(base, 'share/rcl/package.xml'), '');
    writeFileSync(join(hooks, '1.ros_distro.sh'), 'export ROS_DISTRO=kilted\n');
    mkdirSync(join(folder, 'interfaces'));
    const { ros } = findRos(folder, '/cache', { PATH: process.env.PATH, AMENT_PREFIX_PATH: base, ...given });
    expect(ros.distro).toBe(distro);
    expect(rosVariables(folder, ros)).toMatchObject({ ROS_DISTRO: distro });
  },
);

test('ROS is left out by choice, and for answers that need no bridge', () => {
  expect(wishOf('start', [], {})).toEqual({
    ros: true,
    rosRequired: false,
    bridge: true,
    witness: false,
    lerobot: false,
    compose: false,
    otherRos: false,
    newerNode: false,
    browser: false,
  });
  expect(wishOf('start', ['--port', '1', '--no-ros'], {}).ros).toBe(false);
  expect(wishOf('start', ['--help'], {}).ros).toBe(false);
  expect(wishOf('run', ['--config', 'my.yaml', 'doctor', '--json'], {})).toMatchObject({ ros: false, bridge: false });
  expect(wishOf('run', ['kalibrate'], {})).toMatchObject({ ros: false, bridge: false });
  expect(wishOf('run', ['--port', '1', '--ros-args', '-r', '__ns:=/lab'], {})).toMatchObject({
    ros: true,
    bridge: true,
  });
  expect(wishOf('start', [], { ARM_BRIDGE_ROS_ENABLED: 'false' }).ros).toBe(false);
  expect(wishOf('test', [], {})).toEqual({
    ros: true,
    rosRequired: true,
    bridge: false,
    witness: true,
    lerobot: true,
    compose: true,
    otherRos: true,
    newerNode: true,
    browser: true,
  });
});

test('the environment survives a shell, whatever its values hold, and stale values do not', () => {
  const script = `ARM_BRIDGE_ROS_PYTHON=stale\n${shellLines({ A: "it's $HOME `x`", ARM_BRIDGE_ROS_UNAVAILABLE: 'no' })}`;
  const { stdout } = spawnSync('sh', ['-c', `${script}printf '%s|%s' "$A" "\${ARM_BRIDGE_ROS_PYTHON-unset}"`]);
  expect(String(stdout)).toBe("it's $HOME `x`|unset");
});

test('the doctor ends with code 0 and makes nothing, also with nothing installed', () => {
  symlinkSync(process.execPath, join(folder, 'node'));
  const env = { PATH: folder, HOME: join(folder, 'home') };
  const { status, stdout } = spawnSync(process.execPath, [join(root, 'scripts/doctor.mjs')], { env, encoding: 'utf8' });
  expect(status).toBe(0);
  expect(stdout).toMatch(/^Python: +missing; to install: /m);
  expect(stdout).toMatch(/^C\/C\+\+ compiler: +missing; to install: /m);
  expect(stdout).toMatch(/^ROS 2: +none: /m);
  expect(readdirSync(folder)).toEqual(['node']);
});

test('every package of the lock files has one exact version, or one for each Python or machine', () => {
  const marker = /(; (python_version (<|>=) "3\.\d+"|sys_platform == "linux" and platform_machine == "x86_64"))?$/;
  const pinned = new RegExp(`^[a-z0-9.-]+==[0-9][0-9a-z.]*${marker.source}`);
  for (const name of ['ros-jazzy.lock', 'ros-kilted.lock', 'witness.lock', 'lerobot.lock']) {
    const lines = readFileSync(join(root, 'scripts/locks', name), 'utf8').split('\n');
    const pins = lines.filter((line) => line !== '' && !line.startsWith('#'));
    expect(pins.length).toBeGreaterThan(10);
    for (const pin of pins) expect(pin).toMatch(pinned);
  }
});
