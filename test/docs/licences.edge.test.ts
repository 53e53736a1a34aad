import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('every package that the bridge runs with has a compatible licence, and each of its own a reason', () => {
  const script = fileURLToPath(new URL('../../scripts/licences.mjs', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  const { dependencies, optionalDependencies } = JSON.parse(read('package.json'));
  const table = read('docs/security.md');
  for (const [name, version] of Object.entries({ ...dependencies, ...optionalDependencies })) {
    expect(stdout).toMatch(new RegExp(`^${name}  ${version}  \\S`, 'm'));
    expect(table).toContain(`\`${name}\``);
  }
});
