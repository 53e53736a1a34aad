import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ParameterArguments } from '../../src/ros/parameter-arguments.ts';
import { describeRos, isolateRos } from './support/ros.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-parameters-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
function file(text: string): string {
  const path = join(folder, `${count++}.yaml`);
  writeFileSync(path, text);
  return path;
}

const WILD = `/**: { ros__parameters: { w: 1, o: wild } }
arm_bridge: { ros__parameters: { bare: 1, o: bare } }
/follower/arm_bridge: { ros__parameters: { full: 1, o: full } }
/*/arm_bridge: { ros__parameters: { star: 1 } }
/**/arm_bridge: { ros__parameters: { any: 1 } }
follower: { arm_bridge: { ros__parameters: { nested: 1 } } }
/follower/*: { ros__parameters: { node: 1 } }
/follower/**: { ros__parameters: { below: 1 } }
`;
const LATE = `/follower/arm_bridge: { ros__parameters: { o: full, a: { b: 2, c: [1, 2] } } }
/**: { ros__parameters: { o: wild } }
`;

describeRos('parameters of ROS arguments', () => {
  test('reach each node as rclpy gives them to it', () => {
    const wild = ['--params-file', file(WILD)];
    const late = ['--params-file', file(LATE)];
    const cases = [
      wild,
      late,
      [...late, '-p', 'o:=command', '-p', 'arm_bridge:named:=1', '-p', 'a.b:=x', '-p', 's:=on', '-p', 'q:="1"'],
      ['-p', 'o:=command', ...late],
      ['-p', 'arm_bridge:o:=named', '-p', 'o:=command'],
      ['--param', 'o:=command', ...wild, ...late],
    ].flatMap((args) =>
      ['/', '/follower', '/other/follower'].map((namespace) => ({ namespace, args: ['--ros-args', ...args] })),
    );
    const restore = isolateRos();
    const script = fileURLToPath(new URL('./support/parameters.py', import.meta.url));
    const input = JSON.stringify(cases);
    const run = spawnSync(process.env.ARM_BRIDGE_ROS_PYTHON!, [script], {
      input,
      encoding: 'utf8',
      env: { ...process.env, LD_LIBRARY_PATH: process.env.ARM_BRIDGE_ROS_LD_LIBRARY_PATH ?? '' },
    });
    restore();
    expect(run.stderr).toBe('');
    const expected: Record<string, unknown>[] = JSON.parse(run.stdout);
    for (const [index, { namespace, args }] of cases.entries()) {
      const node = `${namespace === '/' ? '' : namespace}/arm_bridge`;
      const given = new ParameterArguments(args).of(node).map(({ name, value }) => [name, value]);
      expect({ node, args, given: Object.fromEntries(given) }).toEqual({ node, args, given: expected[index] });
    }
  });
});
