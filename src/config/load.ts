import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseDocument } from 'yaml';
import type { z } from 'zod';
import { PROJECT } from '../home.ts';
import { CONFIG_PARAMETERS } from './parameters.ts';
import { type Config, configSchema } from './schema.ts';
import { migrate } from './versions.ts';

/** The configuration is unusable. For invalid values, the message lists each with its path and the allowed values. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}

/** Default configuration file: two simulated arms. */
export const DEFAULT_CONFIG_FILE = fileURLToPath(new URL('config/default.yaml', PROJECT));

/** File to use if none is given: that of ARM_BRIDGE_CONFIG_FILE, which images set, else the simulated pair. */
export function usualConfigFile(environment: NodeJS.ProcessEnv = process.env): string {
  return environment.ARM_BRIDGE_CONFIG_FILE || DEFAULT_CONFIG_FILE;
}

export const ENVIRONMENT_PREFIX = 'ARM_BRIDGE_';

/** Sections whose keys environment variables can set, as ARM_BRIDGE_<SECTION>_<KEY>. */
const ENVIRONMENT_SECTIONS = ['http', 'ros', 'control', 'log', 'recording', 'sim'] as const;

/** Largest configuration with its defaults, bytes of JSON: with the arms added later it fits into one answer of 64 kB. */
const MOST_BYTES = 40 * 1024;

type Tree = Record<string, unknown>;

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function pathText(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += text === '' ? String(part) : `.${String(part)}`;
  }
  return text === '' ? '(the whole file)' : text;
}

function valueAt(tree: unknown, path: readonly PropertyKey[]): unknown {
  let value = tree;
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}

function keysAllowedAt(path: readonly PropertyKey[]): string {
  let schema: unknown = configSchema;
  for (const part of path) {
    schema = inner(schema);
    const shape = (schema as { shape?: Record<string, unknown> }).shape;
    const element = (schema as { element?: unknown }).element;
    const valueType = (schema as { valueType?: unknown }).valueType;
    schema = shape?.[String(part)] ?? element ?? valueType;
  }
  const shape = (inner(schema) as { shape?: Record<string, unknown> } | undefined)?.shape;
  return shape ? Object.keys(shape).join(', ') : 'none';
}

function inner(schema: unknown): unknown {
  let current = schema as { _zod?: { def?: { innerType?: unknown } } } | undefined;
  while (current?._zod?.def?.innerType !== undefined) current = current._zod.def.innerType as typeof current;
  return current;
}

function allowed(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'too_small':
      return issue.origin === 'array' || issue.origin === 'string'
        ? `at least ${issue.minimum} ${issue.origin === 'array' ? 'entries' : 'characters'}`
        : `${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'array' || issue.origin === 'string'
        ? `at most ${issue.maximum} ${issue.origin === 'array' ? 'entries' : 'characters'}`
        : `${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`;
    case 'invalid_value':
      return issue.values.map((value) => JSON.stringify(value)).join(' or ');
    case 'invalid_type':
      return issue.expected === 'int' ? 'a whole number' : `a value of type ${issue.expected}`;
    default:
      return issue.message;
  }
}

function describe(issue: z.core.$ZodIssue, tree: Tree, origins: ReadonlyMap<string, string>, file: string): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const path = pathText([...issue.path, key]);
      return `${path}: unknown key (from ${origins.get(path) ?? file}). Allowed here: ${keysAllowedAt(issue.path)}`;
    });
  }
  const path = pathText(issue.path);
  const value = valueAt(tree, issue.path);
  const origin = origins.get(path) ?? file;
  if (value === undefined) return [`${path}: is missing (in ${origin}). Expected: ${allowed(issue)}`];
  return [`${path}: ${JSON.stringify(value)} is not allowed (from ${origin}). Expected: ${allowed(issue)}`];
}

function setIn(tree: Tree, section: string, key: string, value: unknown): void {
  const present = tree[section];
  const target: Tree = isTree(present) ? present : {};
  target[key] = value;
  tree[section] = target;
}

/** Settings from the command line. They override the environment, which overrides the file. */
export interface Overrides {
  readonly host?: string;
  readonly port?: number;
  readonly ros?: boolean;
  /**
   * Values by path, from ROS arguments. An unknown name is an error only if it is addressed to this node (`exact`).
   * Command-line options override them.
   */
  readonly parameters?: readonly { readonly name: string; readonly value: unknown; readonly exact: boolean }[];
}

/** Parameters of ROS 2 itself. */
export const ROS_OWN: ReadonlySet<string> = new Set(['use_sim_time', 'start_type_description_service']);

/**
 * Reads a YAML file, applies the environment (`ARM_BRIDGE_HTTP_PORT=...`) and the command line, and validates the
 * result.
 * @param home where the file is or will be: its paths are relative to that folder
 * @throws {ConfigError} with every fault: path, value, source and allowed values
 */
export function loadConfig(
  file: string,
  environment: NodeJS.ProcessEnv = {},
  overrides: Overrides = {},
  home = file,
): Config {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(
      `The configuration file ${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? error}). ` +
        'Name a file with --config, or leave it out to run the simulated pair.',
    );
  }
  const document = parseDocument(text);
  if (document.errors.length > 0) {
    throw new ConfigError(`${file} is not valid YAML:\n  ${document.errors.map((e) => e.message).join('\n  ')}`);
  }
  const parsed: unknown = document.toJS() ?? {};
  if (!isTree(parsed)) throw new ConfigError(`${file}: expected keys and values, for example "arms:"`);
  const tree: Tree = structuredClone(parsed);
  const unreadable = migrate(tree);
  if (unreadable !== null) throw new ConfigError(`${file}: ${unreadable}`);
  const origins = new Map<string, string>();

  for (const [variable, value] of Object.entries(environment)) {
    if (value === undefined || !variable.startsWith(ENVIRONMENT_PREFIX)) continue;
    const rest = variable.slice(ENVIRONMENT_PREFIX.length).toLowerCase();
    const section = ENVIRONMENT_SECTIONS.find((known) => rest.startsWith(`${known}_`));
    if (section === undefined) continue;
    const key = rest.slice(section.length + 1);
    // Internal variables of the start-up share the prefix, so only keys of the schema count as configuration.
    if (!keysAllowedAt([section]).split(', ').includes(key)) continue;
    setIn(tree, section, key, parseDocument(value).toJS());
    origins.set(`${section}.${key}`, `the environment variable ${variable}`);
  }
  for (const { name, value, exact } of overrides.parameters ?? []) {
    const parameter = CONFIG_PARAMETERS.find((known) => known.name === name);
    if (parameter === undefined) {
      if (!exact || ROS_OWN.has(name)) continue;
      const known = CONFIG_PARAMETERS.map((other) => other.name).join(', ');
      throw new ConfigError(`The ROS parameter ${name} is unknown. Known here: ${known}`);
    }
    const path = name.split('.');
    const key = path.pop()!;
    let holder = tree;
    for (const part of path) {
      if (!isTree(holder[part])) holder[part] = {};
      holder = holder[part] as Tree;
    }
    // ROS parameters have no null: an empty text stands for it.
    holder[key] = parameter.kind === 'string' && value === '' ? null : value;
    origins.set(name, 'the ROS arguments');
  }
  const fromCommandLine: [string, string, unknown, string][] = [
    ['http', 'host', overrides.host, '--host'],
    ['http', 'port', overrides.port, '--port'],
    ['ros', 'enabled', overrides.ros, '--no-ros'],
  ];
  for (const [section, key, value, option] of fromCommandLine) {
    if (value === undefined) continue;
    setIn(tree, section, key, value);
    origins.set(`${section}.${key}`, `the option ${option}`);
  }

  const result = configSchema.safeParse(tree);
  if (result.success) {
    const config = result.data;
    const folder = dirname(home);
    const from = (path: string): string => (path.includes('/') ? resolve(folder, path) : path);
    /** The environment and the command line are relative to the working directory, as for every program. */
    const fileOf = (field: string, path: string | null): string | null =>
      path === null || origins.has(field) ? path : resolve(folder, path);
    const { sim, arms, http, fleet } = config;
    const { tls } = http;
    const hasFiles = tls !== null && tls !== 'off' && !origins.has('http.tls');
    const resolved = {
      ...config,
      http: {
        ...http,
        token_file: fileOf('http.token_file', http.token_file),
        read_token_file: fileOf('http.read_token_file', http.read_token_file),
        tls: hasFiles ? { certificate: resolve(folder, tls.certificate), key: resolve(folder, tls.key) } : tls,
      },
      fleet: {
        ...fleet,
        token_file: fileOf('fleet.token_file', fleet.token_file),
        authority: fileOf('fleet.authority', fleet.authority),
      },
      sim: { ...sim, scene: sim.scene === null ? null : from(sim.scene) },
      arms: arms.map((arm) => ({ ...arm, model: from(arm.model) })),
    };
    const size = Buffer.byteLength(JSON.stringify(resolved));
    if (size <= MOST_BYTES) return resolved;
    throw new ConfigError(
      `The configuration of ${file} takes ${size} bytes as JSON, and ${MOST_BYTES} are allowed: shorten its texts and lists.`,
    );
  }
  const faults = result.error.issues.flatMap((issue) => describe(issue, tree, origins, file));
  throw new ConfigError(`The configuration cannot be used:\n  ${faults.join('\n  ')}`);
}
