import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { messageOf } from '../message-of.ts';
import { RosArgumentError } from './arguments.ts';

/** Values of one node pattern, by parameter name; dots in a name denote a nested parameter. */
type Values = Map<string, unknown>;

/** A parameter that ROS arguments give to a node. */
export interface ParameterValue {
  readonly name: string;
  readonly value: unknown;
  /** Given to exactly this node, not through a wildcard. */
  readonly exact: boolean;
}

/** The key that holds a node's parameters in a parameter file. */
const PARAMETERS = 'ros__parameters';
/** Every node. */
const ALL = '/**';

/**
 * The parameters given by ROS arguments, with `-p` and `--params-file`, resolved as rcl does for rclpy: full and bare
 * node names and the wildcards `*` and `**`. Rules are grouped by node name, names keep the order of first appearance,
 * and the last of several values counts.
 */
export class ParameterArguments {
  readonly #rules = new Map<string, Values>();
  /** What remains for rcl. */
  readonly argv: readonly string[];

  /**
   * @param argv ROS arguments, with their `--ros-args`
   * @throws {RosArgumentError} for a rule or a file that cannot be read
   */
  constructor(argv: readonly string[]) {
    const rest: string[] = [];
    for (let index = 0; index < argv.length; index++) {
      const argument = argv[index]!;
      const value = argv[index + 1];
      if (argument === '-p' || argument === '--param') this.#addRule(argument, value);
      else if (argument === '--params-file') this.#addFile(value);
      else {
        rest.push(argument);
        continue;
      }
      index++;
    }
    this.argv = rest;
  }

  /** Parameters for the node with this full name, such as `/follower/arm_bridge`. */
  of(node: string): ParameterValue[] {
    const found = new Map<string, ParameterValue>();
    for (const [pattern, values] of this.#rules) {
      if (!matches(pattern, node)) continue;
      const exact = !pattern.includes('*');
      for (const [name, value] of values) found.set(name, { name, value, exact });
    }
    return [...found.values()];
  }

  #addRule(option: string, rule: string | undefined): void {
    const match = rule === undefined ? null : /^(?:([^:=]+):)?([^:=\s]+):=(.*)$/s.exec(rule);
    if (match === null) {
      throw new RosArgumentError(
        `ROS arguments ${option} ${rule ?? ''}: a parameter is given as -p NAME:=VALUE or -p NODE:NAME:=VALUE`,
      );
    }
    const [, node, name, text] = match;
    this.#values(node ?? ALL).set(name!, read(text!, `ROS arguments ${option} ${rule}`));
  }

  #addFile(file: string | undefined): void {
    const what = `ROS arguments --params-file ${file ?? ''}`;
    let text: string;
    try {
      text = readFileSync(file ?? '', 'utf8');
    } catch (error) {
      throw new RosArgumentError(`${what}: the file cannot be read (${(error as NodeJS.ErrnoException).code})`);
    }
    const content = read(text, what);
    if (!isTree(content)) throw new RosArgumentError(`${what}: it must map node names to ${PARAMETERS}`);
    this.#addNodes('', content, what);
  }

  #addNodes(path: string, tree: Readonly<Record<string, unknown>>, what: string): void {
    for (const [key, value] of Object.entries(tree)) {
      if (!isTree(value)) {
        throw new RosArgumentError(
          `${what}: ${path}/${key} holds no ${PARAMETERS}; the form is NODE: { ${PARAMETERS}: { ... } }`,
        );
      }
      if (key === PARAMETERS) flatten('', value, this.#values(path));
      else this.#addNodes(`${path}/${key}`.replace(/^\/+/, '/'), value, what);
    }
  }

  #values(node: string): Values {
    const name = node.startsWith('/') ? node : `/${node}`;
    const known = this.#rules.get(name);
    if (known !== undefined) return known;
    const values: Values = new Map();
    this.#rules.set(name, values);
    return values;
  }
}

/** YAML 1.1, as in rcl: `on` and `yes` are true. */
function read(text: string, what: string): unknown {
  try {
    return parse(text, { version: '1.1' });
  } catch (error) {
    throw new RosArgumentError(`${what}: not YAML (${messageOf(error)})`);
  }
}

function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function flatten(prefix: string, tree: Readonly<Record<string, unknown>>, into: Values): void {
  for (const [key, value] of Object.entries(tree)) {
    if (isTree(value)) flatten(`${prefix}${key}.`, value, into);
    else into.set(`${prefix}${key}`, value);
  }
}

/** Whether a node name matches a pattern with wildcards (`*` one part, `**` any number of parts). */
function matches(pattern: string, node: string): boolean {
  const parts = pattern.split('/').slice(1);
  const expression = parts.map((part) => {
    if (part === '**') return '(?:/[^/]+)*';
    return `/${part.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]+')}`;
  });
  return new RegExp(`^${expression.join('')}$`).test(node);
}
