// rclnodejs: its native addon, and the JavaScript of every message.

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installFolder, interfaceHash } from './interfaces.mjs';
import { nodeHeadersPrefix } from './platform.mjs';
import { StepError } from './progress.mjs';
import { includeFolders, libraryFolders, sharedLibraries } from './ros-prefix.mjs';
import { hashOf, readStamp, writeStamp } from './stamp.mjs';

/** Raise it whenever the addon or the messages are made in another way. */
const RECIPE = '2';

const GENERATOR = fileURLToPath(new URL('generate-messages.cjs', import.meta.url));

const folderOf = (root) => join(root, 'node_modules', 'rclnodejs');
/** The addon. Try it with process.dlopen before importing rclnodejs: its import deletes an addon that does not load. */
export const addonPath = (root) => join(folderOf(root), 'build', 'Release', 'rclnodejs.node');
const messagesPath = (root, name) => join(folderOf(root), 'generated', name);
// Both stamps live in folders that rclnodejs removes together with what they vouch for.
const addonStamp = (root) => join(folderOf(root), 'build', '.arm-bridge-addon');
const messagesStamp = (root) => join(folderOf(root), 'generated', '.arm-bridge-messages');

/** Whether npm has installed it: as an optional package it may be absent. */
export const isInstalled = (root) => existsSync(join(folderOf(root), 'package.json'));

/** What a compiled addon depends on, before it is tied to the libraries of one checkout. */
function compileKey(root, ros) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const integrity = lock.packages['node_modules/rclnodejs']?.integrity ?? '';
  return hashOf(RECIPE, integrity, ros.identity, ros.distro, process.versions.modules, process.arch);
}

const addonKey = (root, ros) => hashOf(compileKey(root, ros), root, ...typeSupports(join(installFolder(root), 'lib')));
const messagesKey = (root, ros) => hashOf(compileKey(root, ros), interfaceHash(root));

/** Whether the addon belongs to this ROS 2, this Node and this checkout. */
export function addonIsCurrent(root, ros) {
  return existsSync(addonPath(root)) && readStamp(addonStamp(root)) === addonKey(root, ros);
}

/** Whether the messages belong to this ROS 2 and to the definitions of this repository. */
export function messagesAreCurrent(root, ros) {
  return readStamp(messagesStamp(root)) === messagesKey(root, ros);
}

/**
 * Makes the addon: the one that comes with the package if it loads, or a kept one of the same ROS 2 and Node, or a
 * compiled one.
 * @param {string} root
 * @param {import('./ros.mjs').Ros} ros
 * @param {(program: string, args: string[], options?: object) => Promise<string>} run
 */
export async function buildAddon(root, ros, run) {
  const addon = addonPath(root);
  rmSync(join(folderOf(root), 'build'), { recursive: true, force: true });
  mkdirSync(dirname(addon), { recursive: true });
  const prebuilt = prebuiltPath(root, ros);
  if (existsSync(prebuilt) && (await place(root, ros, prebuilt, run))) return;
  const kept = keptPath(root, ros);
  if (kept === null) await compileByGyp(root, ros, run);
  else if (!existsSync(kept)) await compileAddon(root, ros, run);
  await place(root, ros, kept ?? addon, run, true);
}

/** Whether compileAddon has nothing to do. */
export function addonIsCompiled(root, ros) {
  const kept = keptPath(root, ros);
  return kept === null || existsSync(kept) || existsSync(prebuiltPath(root, ros));
}

/**
 * Compiles the addon for a ROS 2 from PyPI, where every clone finds it. It needs no interface package of this repository,
 * so that both may be made at once.
 * @param {string} root
 * @param {import('./ros.mjs').Ros} ros
 * @param {(program: string, args: string[], options?: object) => Promise<string>} run
 */
export async function compileAddon(root, ros, run) {
  const kept = keptPath(root, ros);
  mkdirSync(dirname(kept), { recursive: true });
  const draft = `${kept}.${process.pid}`;
  await compileWhole(root, ros, draft, run);
  await load(draft, ros, run);
  renameSync(draft, kept);
}

/** Fails where an addon cannot be loaded: before a bridge has to find out. */
const load = (addon, ros, run) =>
  run(process.execPath, ['-e', 'process.dlopen({ exports: {} }, process.argv[1])', addon], { env: ros.env });

/** Where the addon is kept that has been compiled for a ROS 2 from PyPI; null with a sourced one. */
function keptPath(root, ros) {
  return ros.prefix && join(ros.prefix.path, 'addons', `rclnodejs-${compileKey(root, ros)}.node`);
}

/** The package brings addons for some releases of Ubuntu. */
function prebuiltPath(root, ros) {
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  const codename = release.match(/^VERSION_CODENAME=(.*)$/m)?.[1] ?? '';
  const name = `${ros.distro}-${codename}-${process.arch}-node-rclnodejs.node`;
  return join(folderOf(root), 'prebuilds', `${process.platform}-${process.arch}`, name);
}

/** Puts an addon where rclnodejs looks for one. @returns whether it loads there; throws instead where it is `needed` */
async function place(root, ros, file, run, needed = false) {
  const addon = addonPath(root);
  if (file !== addon) copyFileSync(file, addon);
  try {
    if (ros.prefix) await tieToLibraries(root, ros, run);
    await load(addon, ros, run);
  } catch (error) {
    if (needed) throw error;
    rmSync(addon, { force: true });
    return false;
  }
  writeStamp(addonStamp(root), addonKey(root, ros));
  return true;
}

/** For a sourced ROS 2, which only the build scripts of the package know how to find. */
async function compileByGyp(root, ros, run) {
  const folder = join(folderOf(root), 'whole');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const name of ['scripts', 'src', 'third_party']) symlinkSync(join('..', name), join(folder, name));
  // Sources that it adds for some releases only stand in lists of their own, and stay there.
  const [gyp, first] = /^ {6}'sources': \[([^\]]*)\]/m.exec(readBinding(root)) ?? [];
  writeFileSync(join(folder, 'whole.cpp'), wholeOf(root, first));
  writeFileSync(join(folder, 'binding.gyp'), readBinding(root).replace(gyp, "      'sources': ['./whole.cpp']"));
  const headers = nodeHeadersPrefix();
  await run(
    process.execPath,
    [gypOf(folder), 'rebuild', '-j', 'max', `--python=${ros.python}`, ...(headers ? [`--nodedir=${headers}`] : [])],
    // Its build scripts call `node` and `which ros2`.
    { cwd: folder, env: { ...ros.env, PATH: `${ros.env.PATH}${delimiter}${dirname(process.execPath)}` } },
  );
  renameSync(join(folder, 'build', 'Release', 'rclnodejs.node'), addonPath(root));
  rmSync(folder, { recursive: true });
}

const readBinding = (root) => readFileSync(join(folderOf(root), 'binding.gyp'), 'utf8');

/**
 * One source that includes all of those that a list of binding.gyp names: each of them alone reads the same large headers
 * again, which takes nine times as long.
 */
function wholeOf(root, list) {
  const sources = [...list.matchAll(/'\.\/([\w/.-]+\.cpp)'/g)].map(([, file]) => join(folderOf(root), file));
  // One source has the guard of its own header by mistake, and would be skipped once that has been included.
  const guardOf = (file) => /^#ifndef (\w+_H_)$/m.exec(readFileSync(file, 'utf8'))?.[1];
  return sources.map((file) => `#undef ${guardOf(file) ?? 'NONE'}\n#include "${file}"\n`).join('');
}

const gypOf = (folder) => createRequire(join(folder, 'package.json')).resolve('node-gyp/bin/node-gyp.js');

/** Year and month of each release, as binding.gyp has them. */
const RELEASES = { jazzy: 2405, kilted: 2505 };

/** Libraries of ROS 2 that the addon is linked to, as in binding.gyp. */
const LINKED = [
  'rcl',
  'rcl_action',
  'rcl_lifecycle',
  'rcutils',
  'rcl_logging_interface',
  'rcl_yaml_param_parser',
  'rcpputils',
  'rmw',
  'rosidl_runtime_c',
];

/** For a ROS 2 from PyPI, whose headers and libraries are where this preparation has put them. */
async function compileWhole(root, ros, addon, run) {
  const folder = folderOf(root);
  const whole = `${addon}.cpp`;
  writeFileSync(whole, wholeOf(root, readBinding(root)));
  const includes = [
    folder,
    join(folder, 'third_party', 'ref-napi', 'src'),
    dirname(createRequire(join(folder, 'package.json')).resolve('node-addon-api')),
    await nodeHeaders(folder, ros, run),
    ...includeFolders(ros.prefix),
  ];
  const libraries = libraryFolders(ros.prefix).join(':');
  const defines = [
    `ROS_VERSION=${RELEASES[ros.distro]}`,
    'OS_LINUX',
    'NODE_GYP_MODULE_NAME=rclnodejs',
    'BUILDING_NODE_EXTENSION',
  ];
  await run('c++', [
    ...['-shared', '-fPIC', '-std=c++17', '-O2', '-fstack-protector-strong', '-D_FORTIFY_SOURCE=2', '-w'],
    ...defines.map((name) => `-D${name}`),
    ...includes.map((path) => `-I${path}`),
    ...['-o', addon, whole, `-L${join(ros.prefix.path, 'lib')}`, `-Wl,-rpath-link,${libraries}`],
    `-Wl,--disable-new-dtags,-rpath,${libraries}`,
    ...LINKED.map((name) => `-l${name}`),
  ]);
  rmSync(whole, { force: true });
}

/** Folder of node_api.h and the other headers of this Node; they are downloaded where it came without. */
async function nodeHeaders(folder, ros, run) {
  const prefix = nodeHeadersPrefix();
  if (prefix !== null) return join(prefix, 'include', 'node');
  const downloaded = join(ros.prefix.path, 'node');
  await run(process.execPath, [gypOf(folder), 'install', '--ensure', `--devdir=${downloaded}`], { cwd: folder });
  return join(downloaded, process.versions.node, 'include', 'node');
}

/** File names of the type supports in a folder of libraries. */
function typeSupports(folder) {
  return sharedLibraries(folder)
    .map((path) => basename(path))
    .filter((name) => name.endsWith('__rosidl_typesupport_c.so'))
    .sort();
}

/**
 * rclnodejs opens the type support of each message by its bare file name. Such a name is found only when the library
 * is loaded already, so the addon names them all as needed; RPATH, not RUNPATH, because only the former counts for what
 * the needed libraries need in turn.
 */
async function tieToLibraries(root, ros, run) {
  const own = join(installFolder(root), 'lib');
  const shared = libraryFolders(ros.prefix);
  const names = [shared[0], own].flatMap(typeSupports);
  const addon = addonPath(root);
  await run('patchelf', [...names.flatMap((name) => ['--add-needed', name]), addon], { env: ros.env });
  await run('patchelf', ['--force-rpath', '--set-rpath', [own, ...shared].join(':'), addon], { env: ros.env });
}

/**
 * Generates JavaScript for every message of the ROS 2 and of this repository. Its result is looked at, for the generator
 * leaves out what it does not find.
 * @param {string} root
 * @param {import('./ros.mjs').Ros} ros
 * @param {(program: string, args: string[], options?: object) => Promise<string>} run
 */
export async function generateMessages(root, ros, run) {
  rmSync(messagesStamp(root), { force: true });
  await run(process.execPath, [GENERATOR, folderOf(root)], { env: ros.env });
  for (const name of ['arm_bridge', 'control_msgs', 'tf2_msgs']) {
    if (existsSync(messagesPath(root, name))) continue;
    throw new StepError(`the message generator of rclnodejs left out the messages of ${name}`);
  }
  writeStamp(messagesStamp(root), messagesKey(root, ros));
}
