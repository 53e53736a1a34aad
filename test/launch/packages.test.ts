import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MOVEIT = 'moveit/arm_bridge_moveit';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const all = (folder: string): string =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
const found = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name]) => name!);

/** Packages that a package.xml does not name, of those that are needed. */
function forgotten(folder: string, needed: readonly string[]): string[] {
  const text = read(join(folder, 'package.xml'));
  const named = new Set(found(text, /<(?:exec_)?depend[^>]*>([\w-]+)</g)).add(/<name>(\w+)</.exec(text)![1]!);
  return [...new Set(needed)].filter((name) => !named.has(name)).sort();
}

test('package.xml names the packages of all types on the graph and of all programs of the launch files', () => {
  const types = found(all('src/ros'), /'(\w+)\/(?:msg|srv|action)\/\w+'/g);
  const programs = found(all('launch'), /pkg="(\w+)"/g);
  expect(types).toContain('control_msgs');
  expect(programs).toContain('robot_state_publisher');
  expect(forgotten('', [...types, ...programs, 'launch_xml', 'ros2launch'])).toEqual([]);
});

test('that of the package for MoveIt names its programs, and what its launch files import', () => {
  const launch = all(`${MOVEIT}/launch`);
  const programs = found(launch, /package="(\w+)"/g);
  const imported = found(launch + all(`${MOVEIT}/${MOVEIT.split('/')[1]}`), /^(?:from|import) (\w+)/gm);
  // Python's own, and the name of a package in ROS that differs from its module's.
  const own = new Set(['os', 'tempfile', 'xml', 'dataclasses', 'itertools', 'yaml']);
  expect(programs).toContain('moveit_ros_move_group');
  expect(forgotten(MOVEIT, [...programs, ...imported.filter((name) => !own.has(name)), 'python3-yaml'])).toEqual([]);
});

test('the view for names with a prefix is the other one, without a prefix of its own before the frames', () => {
  const without = read('rviz/arms.rviz');
  expect(found(without, /TF Prefix: (.*)/g)).toEqual(['leader', 'follower']);
  expect(read('rviz/arms_with_prefix.rviz')).toBe(without.replace(/TF Prefix: .*/g, 'TF Prefix: ""'));
});
