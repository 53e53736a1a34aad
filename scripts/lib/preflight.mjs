// What can be known before anything is installed or compiled, and would otherwise be found after minutes.

import { lookup } from 'node:dns/promises';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';

/**
 * What is needed of a disk, MB: packages of npm (363) with what npm keeps of them (164) and the bridge, and ROS 2 from PyPI (400)
 * while it is being unpacked.
 */
export const SPACE = { packages: 550, ros: 700 };
/** Longest that is waited for an answer, ms. */
const TIMEOUT = 1500;
/** So many pairs of ports are tried. */
const MOST_PAIRS = 100;

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
 * What the configuration says of where the bridge will listen, by the rules of src/config/load.ts as far as they can be told
 * without its packages; a port is 0 where they cannot, where it is free to choose, or where there is none.
 * @param {string} root
 * @param {string[]} args of the bridge
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {{host: string, port: number, stopPort: number}}
 */
export function addressOf(root, args, env = process.env) {
  const { own, ros } = splitArguments(args);
  const parameter = (name) => {
    const rule = new RegExp(`^(?:(?:/?arm_bridge|/\\*\\*):)?${name.replace('.', '\\.')}:=(.*)$`);
    return ros.map((arg) => rule.exec(arg)?.[1]).findLast((value) => value !== undefined);
  };
  const file = namedFile(own, env)?.file ?? 'config/default.yaml';
  const written = httpSection(isAbsolute(file) ? file : existsSync(file) ? file : join(root, file));
  const host =
    optionOf(own, '--host') ?? parameter('http.host') ?? env.ARM_BRIDGE_HTTP_HOST ?? written.host ?? '127.0.0.1';
  const given = optionOf(own, '--port');
  // A file of parameters may name other ones.
  const unknown = ros.includes('--params-file');
  const port = given ?? (unknown ? 0 : (parameter('http.port') ?? env.ARM_BRIDGE_HTTP_PORT ?? written.port ?? 8020));
  const stop = unknown ? 0 : (parameter('http.stop_port') ?? env.ARM_BRIDGE_HTTP_STOP_PORT ?? written.stopPort ?? 0);
  return { host, port: portOf(port), stopPort: portOf(stop) };
}

/** A port that is named; 0 for any, none, and what is no port. */
function portOf(value) {
  const port = Number(value);
  return Number.isInteger(port) && port > 0 && port < 65536 ? port : 0;
}

/** The value of an option of the bridge; undefined where it is not given. */
function optionOf(own, name) {
  const at = own.findIndex((arg) => arg === name || arg.startsWith(`${name}=`));
  return at < 0 ? undefined : own[at].includes('=') ? own[at].slice(name.length + 1) : own[at + 1];
}

/** The file of the configuration that a person has named, and where; null where nobody has. */
function namedFile(own, env) {
  const given = optionOf(own, '--config');
  if (given !== undefined) return { file: given, by: '--config' };
  const { ARM_BRIDGE_CONFIG_FILE: file } = env;
  return file ? { file, by: 'ARM_BRIDGE_CONFIG_FILE' } : null;
}

/**
 * Why the configuration that a person has named cannot be read, or null when it can or none is named.
 * @param {string[]} args of the bridge
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string | null}
 */
export function whyNoConfiguration(args, env = process.env) {
  const named = namedFile(splitArguments(args).own, env);
  if (named === null) return null;
  const path = resolve(named.file);
  try {
    accessSync(path, constants.R_OK);
    return null;
  } catch ({ code }) {
    const what =
      code === 'ENOENT' ? `the configuration file ${path} does not exist` : `${path} cannot be read (${code})`;
    return `${what}: name another one by ${named.by}, or leave it out to run the simulated pair`;
  }
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

/** Host and ports of the section `http` of a configuration, where they stand plainly in it. */
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
  return { host: value('host'), port: value('port'), stopPort: value('stop_port') };
}

/**
 * Why the bridge will not be able to listen, or null.
 * @param {{host: string, port: number, stopPort: number}} address
 * @returns {Promise<string | null>}
 */
export async function whyNotListen({ host, port, stopPort }) {
  const code = port === 0 ? null : await refusal(host, port);
  if (code === 'EADDRNOTAVAIL') return `${host} is no address of this computer: start with --host 127.0.0.1`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `the host ${host} is not found: start with --host and an address of this computer`;
  if (code === 'EACCES') return `port ${port} needs privileges: start with --port ${await freePair(host, 8020)}`;
  if (code === 'EADDRINUSE') {
    const who = await whoAnswers(host, port);
    return `port ${port} is taken${who}; end that program, or start with --port ${await freePair(host, port + 2)}`;
  }
  if (stopPort === 0 || (await refusal(host, stopPort)) !== 'EADDRINUSE') return null;
  return `http.stop_port: port ${stopPort} is taken; end that program, or name another one, or null for the one after http.port`;
}

/** The code of the error with which a port cannot be listened on; null if it can. */
function refusal(host, port) {
  return new Promise((tell) => {
    const server = createServer();
    server.once('error', (error) => tell(error.code));
    server.listen({ host, port, exclusive: true }, () => server.close(() => tell(null)));
  });
}

/** The first port from here on that is free together with the next one, on which stops are heard; 0, any, where none is. */
async function freePair(host, from) {
  for (let port = from; port < from + MOST_PAIRS && port < 65535; port++) {
    if ((await refusal(host, port)) === null && (await refusal(host, port + 1)) === null) return port;
  }
  return 0;
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
