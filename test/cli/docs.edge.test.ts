import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const text = readFileSync(new URL('../../docs/hardware.md', import.meta.url), 'utf8');

/** Sub-command and options of each command of docs/hardware.md that has a sub-command. */
const commands = [
  ...text.matchAll(
    /npm start -- ((?:ports|scan|registers (?:read|write)|simulate|calibrate(?: (?:import|export))?|setup(?: (?:port|rule|servo|arm|registers|try))?)\b)([^\n`]*)/g,
  ),
].map(([, name, rest]) => ({
  name: name!,
  options: [...rest!.replace(/# .*/, '').matchAll(/--[a-z-]+/g)].map(String),
}));

test('every command of docs/hardware.md exists with the options that it is given', () => {
  const help = new Map<string, string>();
  for (const { name, options } of commands) {
    if (!help.has(name)) {
      help.set(name, execFileSync(process.execPath, [MAIN, ...name.split(' '), '--help'], { encoding: 'utf8' }));
    }
    for (const option of options) expect(help.get(name), name).toContain(option);
  }
  expect([...help.keys()].sort()).toEqual([
    'calibrate',
    'calibrate export',
    'calibrate import',
    'ports',
    'registers read',
    'registers write',
    'scan',
    'setup',
    'setup arm',
    'setup port',
    'setup registers',
    'setup rule',
    'setup servo',
    'setup try',
    'simulate',
  ]);
});

test('each servo model of docs/hardware.md has the number that its table names', async () => {
  const { SERVO_MODELS } = await import('../../src/servo/servo-models.ts');
  const section = text.slice(text.indexOf('| Servo |'), text.indexOf('All servos of an arm are'));
  const told = [...section.matchAll(/^\| ([^|]+) \|[^|]+\| ([^|]+) \|$/gm)].flatMap(([, names, numbers]) => {
    const list = numbers!.split(', ').map(Number);
    return names!.split(', ').map((name, i) => [name, list[i]!] as const);
  });
  const known = SERVO_MODELS.map(({ model, modelNumber }) => [model, modelNumber]);
  expect(told.filter(([, number]) => Number.isFinite(number))).toEqual(known);
});
