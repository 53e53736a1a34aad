import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { migrate, type Step } from '../../src/config/versions.ts';

const renamed: Step = (tree) => {
  tree.robots = tree.arms;
  delete tree.arms;
};
const counted: Step = (tree) => {
  tree.count = (tree.robots as unknown[]).length;
};

test('an older configuration is brought up to the newest version step by step, and a current one is left alone', () => {
  const old: Record<string, unknown> = { arms: ['a'] };
  expect(migrate(old, [renamed, counted])).toBe(null);
  expect(old).toEqual({ robots: ['a'], count: 1 });
  const second: Record<string, unknown> = { version: 2, robots: ['a'] };
  expect(migrate(second, [renamed, counted])).toBe(null);
  expect(second).toEqual({ robots: ['a'], count: 1 });
  const newest: Record<string, unknown> = { version: 3, robots: ['a'] };
  expect(migrate(newest, [renamed, counted])).toBe(null);
  expect(newest).toEqual({ robots: ['a'] });
});

test('a configuration of a newer bridge is refused by its version, before anything else in it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-version-'));
  try {
    const file = join(folder, 'arms.yaml');
    writeFileSync(file, 'version: 9\nunheard_of: true\n');
    expect(() => loadConfig(file)).toThrow(/written for version 9 .*update the bridge, or restore the backup/);
    writeFileSync(file, 'version: one\n');
    expect(() => loadConfig(file)).toThrow('version: "one" is not allowed. Expected: a whole number from 1 to 1');
    writeFileSync(file, 'version: 1\narms: [{ name: arm, bus: "sim:so101" }]\n');
    expect(loadConfig(file).arms).toHaveLength(1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
