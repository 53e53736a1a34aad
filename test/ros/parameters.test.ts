import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CONFIG_PARAMETERS, parameterFault } from '../../src/config/parameters.ts';
import { configSchema } from '../../src/config/schema.ts';
import { RosArgumentError } from '../../src/ros/arguments.ts';
import { ParameterArguments } from '../../src/ros/parameter-arguments.ts';

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
  expect(parameterFault(config, 'ros.joint_state_rate', Number.NaN)).toMatch(/joint_state_rate cannot be NaN: /);
  expect(parameterFault(config, 'ros.joint_state_rate', 0.5)).toMatch(/joint_state_rate cannot be 0.5: .*1/);
  expect(parameterFault(config, 'log.level', 'loud')).toMatch(/log.level cannot be "loud": .*debug/);
});
