// What can be known before anything is installed or compiled, and would otherwise be found after minutes.

import { lookup } from 'node:dns/promises';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/**
 * What is needed of a disk, MB: packages of npm (363) with what npm keeps of them (164) and the bridge, and ROS 2 from PyPI (400)
 * while it is being unpacked.
 */
export const SPACE = { packages: 550, ros: 700 };
/** Longest that is waited for an answer, ms. */
const TIMEOUT = 1500;

/**
 * Why nothing can be written to a folder, or null when it can. The folder is made where it is not there.
 * @param {string} folder
 * @param {string} remedy what to do
 * @returns {string | null}
 */
export function whyNotWritable(folder, remedy) {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return null;
  } catch (error) {
    return `${folder} cannot be written to (${error.code}): ${remedy}`;
  }
}

/**
 * Why a disk has too little space, or null when it has enough or cannot be asked.
 * @param {string} folder
 * @param {number} megabytes
 * @param {string} what is to be put there
 * @returns {string | null}
 */
export function whyNoSpace(folder, megabytes, what) {
  try {
    const { bavail, bsize } = statfsSync(nearest(folder));
    const free = Math.floor((bavail * bsize) / 1e6);
    if (free >= megabytes) return null;
    return `the disk of ${folder} has ${free} MB left, and ${what} takes ${megabytes} MB: make room`;
  } catch {
    return null;
  }
}

/**
 * Whether two folders, there already or not, are on one disk.
 * @param {string} one
 * @param {string} other
 */
export function shareDisk(one, other) {
  return statSync(nearest(one)).dev === statSync(nearest(other)).dev;
}

/** A folder, or the one in which it would be made. */
function nearest(folder) {
  let at = folder;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  return at;
}

/** The folder in which npm keeps what it has fetched. */
export function npmCache(env = process.env) {
  return env.npm_config_cache ?? join(env.HOME || homedir(), '.npm');
}

/**
 * Whether the registry of npm can be found; said at once, since npm and pip try for minutes. Behind a proxy nobody knows.
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<string | null>} why not
 */
export async function whyNoNetwork(env = process.env) {
  if (['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY', 'npm_config_proxy'].some((name) => env[name]))
    return null;
  const { hostname } = new URL(env.npm_config_registry ?? 'https://registry.npmjs.org/');
  const timeout = new Promise((_, reject) => setTimeout(() => reject(new Error('no answer')), TIMEOUT).unref());
  try {
    await Promise.race([lookup(hostname), timeout]);
    return null;
  } catch (error) {
    return `${hostname} is not found (${error.code ?? error.message}); is there a network? What has been fetched before is used`;
  }
}

/**
 * Where the bridge will listen, by the rules of src/config/load.ts as far as they can be told without its packages; port 0 where
 * they cannot.
 * @param {string} root
 * @param {string[]} args of the bridge
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {{host: string, port: number}}
 */
export function addressOf(root, args, env = process.env) {
  const { own, ros } = splitArguments(args);
  const option = (name) => {
    const at = own.findIndex((arg) => arg === name || arg.startsWith(`${name}=`));
    return at < 0 ? undefined : own[at].includes('=') ? own[at].slice(name.length + 1) : own[at + 1];
  };
  const parameter = (name) => {
    const rule = new RegExp(`^(?:(?:/?arm_bridge|/\\*\\*):)?${name.replace('.', '\\.')}:=(.*)$`);
    return ros.map((arg) => rule.exec(arg)?.[1]).findLast((value) => value !== undefined);
  };
  const file = option('--config') ?? (env.ARM_BRIDGE_CONFIG_FILE || 'config/default.yaml');
  const written = httpSection(isAbsolute(file) ? file : existsSync(file) ? file : join(root, file));
  const host = option('--host') ?? parameter('http.host') ?? env.ARM_BRIDGE_HTTP_HOST ?? written.host ?? '127.0.0.1';
  const given = option('--port');
  // A file of parameters may name another one.
  if (given === undefined && ros.includes('--params-file')) return { host, port: 0 };
  const port = Number(given ?? parameter('http.port') ?? env.ARM_BRIDGE_HTTP_PORT ?? written.port ?? 8020);
  return { host, port: Number.isInteger(port) && port > 0 && port < 65536 ? port : 0 };
}

/** The bridge's own arguments, and those of ROS 2: they stand between `--ros-args` and `--` or the end. */
function splitArguments(args) {
  const own = [];
  const ros = [];
  let inside = false;
  for (const arg of args) {
    if (arg === '--ros-args') inside = true;
    (inside ? ros : own).push(arg);
    if (arg === '--') inside = false;
  }
  return { own, ros };
}

/** host and port of the section `http` of a configuration, where they stand plainly in it. */
function httpSection(file) {
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return {};
  }
  const section = /^http:(.*(?:\n(?:[ \t].*)?)*)/m.exec(text.replace(/(^|\s)#.*$/gm, ''))?.[1] ?? '';
  const value = (name) =>
    new RegExp(`(?:^|[\\s{,])${name}:\\s*['"]?([\\w.:]+?)['"]?\\s*(?:[,}#\\n]|$)`).exec(section)?.[1];
  return { host: value('host'), port: value('port') };
}

/**
 * Why the bridge will not be able to listen, or null.
 * @param {{host: string, port: number}} address
 * @returns {Promise<string | null>}
 */
export async function whyNotListen({ host, port }) {
  if (port === 0) return null;
  const code = await new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(error.code));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
  if (code === 'EACCES') return `port ${port} needs privileges: start with --port 8021`;
  if (code !== 'EADDRINUSE') return null;
  const who = await whoAnswers(host, port);
  return `port ${port} is taken${who}; end that program, or start with --port ${port + 1}`;
}

/** Whether it is another bridge that has the port. */
async function whoAnswers(host, port) {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  try {
    const answer = await fetch(`http://${name}:${port}/`, { signal: AbortSignal.timeout(TIMEOUT) });
    return /<title>Arm Bridge/.test(await answer.text()) ? `: an Arm Bridge runs there (http://${name}:${port})` : '';
  } catch {
    return '';
  }
}
