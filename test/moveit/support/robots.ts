import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { HAS_ROS, ROS_PYTHON, rosEnvironment } from '../../e2e/support/bridge.ts';
import { sitePackages, WITNESS_PYTHON } from '../../support/witness.ts';

export const PACKAGE = fileURLToPath(new URL('../../../moveit/arm_bridge_moveit/', import.meta.url));
export const HAS_XACRO = HAS_ROS && WITNESS_PYTHON !== undefined;

/** Parameters as a tree. */
export type Tree = Readonly<Record<string, unknown>>;

/** What stands in a tree at a path. */
export function at(tree: Tree, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (inner as Tree | undefined)?.[name], tree);
}

/** The names in a tree at a path. */
export function namesAt(tree: Tree, ...path: readonly string[]): string[] {
  return Object.keys(at(tree, ...path) as Tree);
}

export interface Robot {
  readonly urdf: string;
  readonly srdf: string;
  readonly parameters: Tree;
  readonly controllers: readonly Tree[];
  readonly ros2_control?: string;
}

export interface Request {
  readonly arms: readonly string[];
  readonly prefix?: string;
  readonly through?: string;
  readonly distro?: string;
  readonly positions?: Readonly<Record<string, number>>;
}

/** What arm_bridge_moveit makes of a configuration, by its own Python and xacro. */
export function robotOf(configuration: object, request: Request): Robot | { readonly error: string } {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-moveit-'));
  try {
    const config = join(folder, 'arms.yaml');
    writeFileSync(config, stringify(configuration));
    const index = join(folder, 'share/ament_index/resource_index/packages');
    mkdirSync(index, { recursive: true });
    writeFileSync(join(index, 'arm_bridge_moveit'), '');
    symlinkSync(PACKAGE, join(folder, 'share/arm_bridge_moveit'));
    mkdirSync(join(folder, 'modules'));
    symlinkSync(join(sitePackages(), 'xacro'), join(folder, 'modules/xacro'));
    const script = fileURLToPath(new URL('robots.py', import.meta.url));
    const text = execFileSync(ROS_PYTHON, [script], {
      input: JSON.stringify({ config, ...request }),
      encoding: 'utf8',
      maxBuffer: 2 ** 24,
      env: {
        ...rosEnvironment(),
        AMENT_PREFIX_PATH: folder,
        PYTHONPATH: `${PACKAGE}:${join(folder, 'modules')}`,
      },
    });
    return JSON.parse(text) as Robot;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
