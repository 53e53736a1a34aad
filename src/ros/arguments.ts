/** The name of every node of the bridge. */
export const NODE_NAME = 'arm_bridge';

/** A ROS argument that the bridge cannot honour; the message says what to do instead. */
export class RosArgumentError extends Error {
  override readonly name = 'RosArgumentError';
}

export interface RosArguments {
  /** Namespace of all arms: empty, or for example `/lab`, without a trailing slash. */
  readonly prefix: string;
  /** What remains for rcl. */
  readonly argv: readonly string[];
}

/**
 * Separates ROS arguments from the program's own: they stand between `--ros-args` and `--` or the end, any number of
 * times (https://design.ros2.org/articles/ros_command_line_arguments.html).
 */
export function splitRosArguments(argv: readonly string[]): { own: string[]; ros: string[] } {
  const own: string[] = [];
  const ros: string[] = [];
  let inside = false;
  for (const argument of argv) {
    if (argument === '--ros-args') inside = true;
    if (inside) ros.push(argument);
    else own.push(argument);
    if (argument === '--') inside = false;
  }
  return { own, ros };
}

/**
 * Extracts the rules that would apply to every node of the process at once: `__ns` would put two arms into one
 * namespace, so it becomes a prefix; `__node` would give them one name, so it is refused.
 * @param argv ROS arguments, with their `--ros-args`
 * @throws {RosArgumentError}
 */
export function parseRosArguments(argv: readonly string[]): RosArguments {
  const rest: string[] = [];
  let prefix: string | undefined;
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index]!;
    const rule = argv[index + 1];
    const match =
      (argument === '-r' || argument === '--remap') && rule !== undefined
        ? /^(?:([^:/]+):)?(__ns|__node|__name):=(.*)$/.exec(rule)
        : null;
    if (match === null || (match[1] !== undefined && match[1] !== NODE_NAME)) {
      rest.push(argument);
      continue;
    }
    index++;
    const [, , key, value = ''] = match;
    // As in rcl, the first rule that applies wins.
    if (key === '__ns') prefix ??= parseNamespace(value);
    else if (value !== NODE_NAME) {
      throw new RosArgumentError(
        `ROS argument ${argument} ${rule}: the bridge runs one node per arm, all of the name ${NODE_NAME}, and one ` +
          'new name cannot serve them all; leave it out (in a launch file: no `name=`) and use a namespace, ' +
          '-r __ns:=/lab, to tell two bridges apart',
      );
    }
  }
  return { prefix: prefix ?? '', argv: rest };
}

function parseNamespace(value: string): string {
  const namespace = value.startsWith('/') ? value : `/${value}`;
  if (namespace === '/') return '';
  if (!/^(\/[A-Za-z_][A-Za-z0-9_]*)+$/.test(namespace)) {
    throw new RosArgumentError(
      `ROS argument __ns:=${value}: a namespace is made of names (letters, digits, underscores, no digit first) ` +
        'separated by slashes, as in /lab',
    );
  }
  return namespace;
}
