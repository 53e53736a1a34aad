// rclnodejs: its native addon, and the JavaScript and TypeScript of every message.

import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, delimiter, dirname, join } from 'node:path';
import { installFolder, interfaceHash } from './interfaces.mjs';
import { nodeHeadersPrefix } from './platform.mjs';
import { StepError } from './progress.mjs';
import { libraryFolders, sharedLibraries } from './ros-prefix.mjs';
import { hashOf, readStamp, writeStamp } from './stamp.mjs';

/** Raise it whenever the addon or the messages are made in another way. */
const RECIPE = '1';

const folderOf = (root) => join(root, 'node_modules', 'rclnodejs');
/** The addon. Try it with process.dlopen before importing rclnodejs: its import deletes an addon that does not load. */
export const addonPath = (root) => join(folderOf(root), 'build', 'Release', 'rclnodejs.node');
const typesPath = (root) => join(folderOf(root), 'types', 'interfaces.d.ts');
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
const messagesKey = (root, ros) => hashOf(addonKey(root, ros), interfaceHash(root));

/** Whether the addon belongs to this ROS 2, this Node and this checkout. */
export function addonIsCurrent(root, ros) {
  return existsSync(addonPath(root)) && readStamp(addonStamp(root)) === addonKey(root, ros);
}

/** Whether the messages belong to this ROS 2 and to the definitions of this repository. */
export function messagesAreCurrent(root, ros) {
  return existsSync(typesPath(root)) && readStamp(messagesStamp(root)) === messagesKey(root, ros);
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
  const kept = ros.prefix && join(ros.prefix.path, 'addons', `rclnodejs-${compileKey(root, ros)}.node`);
  if (kept && existsSync(kept)) {
    mkdirSync(dirname(addon), { recursive: true });
    copyFileSync(kept, addon);
  } else if (!(await usePrebuilt(root, ros, run))) {
    await compile(root, ros, run);
    if (kept) keep(addon, kept);
  }
  if (ros.prefix) await tieToLibraries(root, ros, run);
  await tryAddon(addon, ros, run);
  writeStamp(addonStamp(root), addonKey(root, ros));
}

const tryAddon = (addon, ros, run) =>
  run(process.execPath, ['-e', 'process.dlopen({ exports: {} }, process.argv[1])', addon], { env: ros.env });

/** The package brings addons for some releases of Ubuntu, made for the ROS 2 that is installed there. */
async function usePrebuilt(root, ros, run) {
  if (ros.prefix) return false;
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  const codename = release.match(/^VERSION_CODENAME=(.*)$/m)?.[1] ?? '';
  const name = `${ros.distro}-${codename}-${process.arch}-node-rclnodejs.node`;
  const prebuilt = join(folderOf(root), 'prebuilds', `${process.platform}-${process.arch}`, name);
  if (!existsSync(prebuilt)) return false;
  try {
    await tryAddon(prebuilt, ros, run);
  } catch {
    return false;
  }
  mkdirSync(dirname(addonPath(root)), { recursive: true });
  copyFileSync(prebuilt, addonPath(root));
  return true;
}

async function compile(root, ros, run) {
  const folder = folderOf(root);
  const gyp = createRequire(join(folder, 'package.json')).resolve('node-gyp/bin/node-gyp.js');
  const headers = nodeHeadersPrefix();
  await run(
    process.execPath,
    [gyp, 'rebuild', '-j', 'max', `--python=${ros.python}`, ...(headers === null ? [] : [`--nodedir=${headers}`])],
    // Its build scripts call `node` and `which ros2`.
    { cwd: folder, env: { ...ros.env, PATH: `${ros.env.PATH}${delimiter}${dirname(process.execPath)}` } },
  );
}

/** Clones that share a prefix share the compiled addon too. */
function keep(addon, kept) {
  mkdirSync(dirname(kept), { recursive: true });
  const draft = `${kept}.${process.pid}`;
  copyFileSync(addon, draft);
  renameSync(draft, kept);
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
 * Generates JavaScript and TypeScript for every message of the ROS 2 and of this repository. The generator ends with
 * code 0 whatever happens, so its result is looked at.
 * @param {string} root
 * @param {import('./ros.mjs').Ros} ros
 * @param {(program: string, args: string[], options?: object) => Promise<string>} run
 */
export async function generateMessages(root, ros, run) {
  const folder = folderOf(root);
  rmSync(messagesStamp(root), { force: true });
  await run(process.execPath, [join(folder, 'scripts', 'generate_messages.cjs')], {
    cwd: folder,
    env: { ...ros.env, npm_config_yes: 'true' },
  });
  const types = existsSync(typesPath(root)) ? readFileSync(typesPath(root), 'utf8') : '';
  for (const name of ['arm_bridge', 'control_msgs', 'tf2_msgs']) {
    if (new RegExp(`\\bnamespace ${name}\\b`).test(types)) continue;
    throw new StepError(`the message generator of rclnodejs left out the messages of ${name}`);
  }
  if (!existsSync(addonPath(root))) throw new StepError('the message generator of rclnodejs removed its addon');
  writeStamp(messagesStamp(root), messagesKey(root, ros));
}
