import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const library = (name: string) => import(pathToFileURL(join(import.meta.dirname, '../../scripts/lib', name)).href);
const { hashFiles, hashOf, readStamp, writeStamp } = await library('stamp.mjs');
const { buildIsCurrent, buildKey } = await library('typescript.mjs');
const { copyInstall, keepInstall, interfaceHash, interfacesAreCurrent } = await library('interfaces.mjs');
const { packagesAreCurrent } = await library('npm-packages.mjs');
const { locatePrefix, prefixIsComplete } = await library('ros-prefix.mjs');

let root: string;

function write(name: string, text: string): void {
  mkdirSync(join(root, name, '..'), { recursive: true });
  writeFileSync(join(root, name), text);
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'arm-bridge-stamp-'));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

test('parts of a hash do not run into each other', () => {
  expect(hashOf('ab', 'c')).not.toBe(hashOf('a', 'bc'));
  expect(hashOf('a', '')).not.toBe(hashOf('a'));
});

test('a hash of files follows names and contents, not times', () => {
  write('src/a.ts', 'one');
  const before = hashFiles(root, [join(root, 'src')]);
  const old = new Date(0);
  utimesSync(join(root, 'src/a.ts'), old, old);
  expect(hashFiles(root, [join(root, 'src'), join(root, 'not there')])).toBe(before);
  write('src/a.ts', 'two');
  const changed = hashFiles(root, [join(root, 'src')]);
  expect(changed).not.toBe(before);
  write('src/b.ts', '');
  expect(hashFiles(root, [join(root, 'src')])).not.toBe(changed);
});

test('a stamp is written whole and leaves no draft', () => {
  const path = join(root, 'deep', 'stamp');
  expect(readStamp(path)).toBeNull();
  writeStamp(path, 'key');
  expect(readStamp(path)).toBe('key');
  expect(readdirSync(join(root, 'deep'))).toEqual(['stamp']);
});

test('the built bridge is current only with its stamp, its main file and unchanged sources', () => {
  write('package-lock.json', '{}');
  write('tsconfig.json', '{}');
  write('src/main.ts', 'export {};');
  expect(buildIsCurrent(root)).toBe(false);
  writeStamp(join(root, 'dist/.arm-bridge-build'), buildKey(root));
  expect(buildIsCurrent(root)).toBe(false);
  write('dist/main.js', '');
  expect(buildIsCurrent(root)).toBe(true);
  write('tsconfig.json', '{ "compilerOptions": {} }');
  expect(buildIsCurrent(root)).toBe(false);
});

test('interfaces are built again for another definition, another ROS 2, another distribution and a package it lacks', () => {
  write('msg/A.msg', 'float64 a');
  write('interfaces/b_msgs/package.xml', '');
  const ros = { identity: 'one', distro: 'jazzy', env: { AMENT_PREFIX_PATH: join(root, 'ros') } };
  write('build/ros/bin/python', '');
  writeStamp(join(root, 'build/ros/.complete'), hashOf(interfaceHash(root), ros.identity, ros.distro, root, 'b_msgs'));
  expect(interfacesAreCurrent(root, ros)).toBe(true);
  write('ros/share/b_msgs/package.xml', '');
  expect(interfacesAreCurrent(root, ros)).toBe(false);
  rmSync(join(root, 'ros'), { recursive: true });
  expect(interfacesAreCurrent(root, { ...ros, identity: 'two' })).toBe(false);
  expect(interfacesAreCurrent(root, { ...ros, distro: 'kilted' })).toBe(false);
  write('msg/A.msg', 'float64 b');
  expect(interfacesAreCurrent(root, ros)).toBe(false);
});

test('a prefix that was not finished does not count, whatever it holds', () => {
  write('scripts/locks/ros-jazzy.lock', 'numpy==1.0.0');
  const python = { version: '3.11.7', minor: 11, executable: '/usr/bin/python3.11' };
  const prefix = locatePrefix(root, join(root, 'cache'), python);
  write(join('cache', prefix.path.slice(join(root, 'cache').length), 'bin/python'), '');
  expect(prefixIsComplete(prefix)).toBe(false);
  writeStamp(join(prefix.path, '.complete'), prefix.key);
  expect(prefixIsComplete(prefix)).toBe(true);
  rmSync(join(prefix.path, 'bin/python'));
  expect(prefixIsComplete(prefix)).toBe(false);
});

test('the name of the prefix follows the lock file and the Python', () => {
  const at = (python: object) =>
    locatePrefix(root, '/cache', { version: '3.11.7', executable: '/usr/bin/python3', ...python }).path;
  write('scripts/locks/ros-jazzy.lock', 'numpy==1.0.0');
  const first = at({});
  expect(at({})).toBe(first);
  expect(at({ version: '3.12.1' })).not.toBe(first);
  expect(at({ executable: '/opt/python3' })).not.toBe(first);
  write('scripts/locks/ros-jazzy.lock', 'numpy==1.0.1');
  expect(at({})).not.toBe(first);
});

test('packages that npm has installed by hand count when they are those of the lock file', () => {
  const lock = (packages: object) => JSON.stringify({ packages });
  const a = { version: '1.0.0', integrity: 'sha512-a' };
  const own = { version: '2.0.0', integrity: 'sha512-o', optional: true };
  const elsewhere = { version: '1.0.0', optional: true, os: ['darwin'] };
  const project = { optionalDependencies: { own: '2.0.0' } };
  write(
    'package-lock.json',
    lock({ '': project, 'node_modules/a': a, 'node_modules/own': own, 'node_modules/x': elsewhere }),
  );
  const installed = 'node_modules/.package-lock.json';
  expect(packagesAreCurrent(root)).toBe(false);
  write(installed, lock({ 'node_modules/a': a, 'node_modules/own': own }));
  expect(packagesAreCurrent(root)).toBe(true);
  write(installed, lock({ 'node_modules/a': a }));
  expect(packagesAreCurrent(root)).toBe(false);
  write(installed, lock({ 'node_modules/a': { ...a, integrity: 'sha512-b' }, 'node_modules/own': own }));
  expect(packagesAreCurrent(root)).toBe(false);
  write(installed, lock({ 'node_modules/a': a, 'node_modules/own': own, 'node_modules/left': a }));
  expect(packagesAreCurrent(root)).toBe(false);
});

test('what is kept for other clones may be read by other users, and is kept once', () => {
  write('built/share/name', '');
  const kept = join(root, 'interfaces', 'key');
  for (const _ of [1, 2]) keepInstall(join(root, 'built'), kept, root);
  expect(statSync(kept).mode & 0o777).toBe(0o777 & ~process.umask());
  expect(readdirSync(join(root, 'interfaces'))).toEqual(['key']);
});

test('a kept build names the checkout that it is copied to, and every other folder as before', () => {
  const [first, second] = ['/home/a/arm.bridge', '/srv/$&'];
  const text = (checkout: string) =>
    `prefix="${checkout}/build/ros/install"\nnor in ${checkout}.\n${checkout}:${first}-2/lib:/root/.cache\n`;
  write('built/share/local_setup.sh', text(first));
  write('built/lib/name.so', `\0${first}/src`);
  write('built/lib/__pycache__/name.pyc', '');
  const [built, kept, copy] = ['built', 'kept', 'copy'].map((name) => join(root, name));
  copyInstall(built, kept, first, '@CHECKOUT@');
  copyInstall(kept, copy, '@CHECKOUT@', second);
  expect(readFileSync(join(copy!, 'share/local_setup.sh'), 'utf8')).toBe(text(second));
  expect(readFileSync(join(copy!, 'lib/name.so'), 'utf8')).toBe(`\0${first}/src`);
  expect(readdirSync(join(copy!, 'lib'))).toEqual(['name.so']);
});
