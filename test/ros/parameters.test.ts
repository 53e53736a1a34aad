import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CONFIG_PARAMETERS, parameterFault } from '../../src/config/parameters.ts';
import { configSchema } from '../../src/config/schema.ts';
import { RosArgumentError } from '../../src/ros/arguments.ts';
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
    const run = spawnSync(process.env.ARM_BRIDGE_ROS_PYTHON!, ['-B', script], {
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

test('what cannot be read is refused with its place; everything else is left to rcl', () => {
  const refused = (...argv: string[]) => expect(() => new ParameterArguments(argv)).toThrow(RosArgumentError);
  refused('-p', 'x');
  refused('-p');
  refused('--params-file', join(folder, 'none.yaml'));
  refused('--params-file', file('arm_bridge: 1'));
  refused('--params-file', file('{'));
  expect(new ParameterArguments(['--ros-args', '-p', 'a:=1', '-r', 'b:=c']).argv).toEqual(['--ros-args', '-r', 'b:=c']);
});

test('a parameter that is meant for every node is told from one for this node alone', () => {
  const given = new ParameterArguments(['-p', 'a:=1', '-p', 'arm_bridge:b:=2']).of('/arm_bridge');
  expect(given).toEqual([
    { name: 'a', value: 1, exact: false },
    { name: 'b', value: 2, exact: true },
  ]);
});

test('every value of the configuration is a parameter with a description; faults name value and bounds', () => {
  const names = CONFIG_PARAMETERS.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['http.port', 'ros.joint_state_rate', 'control.rate', 'log.level']));
  for (const { name, description } of CONFIG_PARAMETERS) expect(description, name).not.toBe('');
  const config = configSchema.parse({ arms: [{ name: 'arm', bus: 'ros' }] });
  expect(parameterFault(config, 'ros.joint_state_rate', 50)).toBeNull();
  expect(parameterFault(config, 'ros.joint_state_rate', 0.5)).toMatch(/joint_state_rate cannot be 0.5: .*1/);
  expect(parameterFault(config, 'log.level', 'loud')).toMatch(/log.level cannot be "loud": .*debug/);
});
