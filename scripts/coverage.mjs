// npm run coverage [-- [--write] [arguments of vitest]]
// How much of src/ the unit tests run, room by room. `--write` puts the table into CONTRIBUTING.md; build/coverage/index.html
// shows it line by line.

import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { installMeasures, passes, percent, publish, root, table } from './lib/measures.mjs';

const provider = join(installMeasures(), '@vitest', 'coverage-v8', 'dist', 'index.js');
const folder = join(root, 'build', 'coverage');
const coverage = {
  enabled: 'true',
  provider: 'custom',
  customProviderModule: provider,
  include: 'src/**',
  reportsDirectory: folder,
};
const passed = passes(process.execPath, [
  join(root, 'node_modules', 'vitest', 'vitest.mjs'),
  'run',
  ...['--project', 'unit', '--reporter=default'],
  ...Object.entries(coverage).map(([name, value]) => `--coverage.${name}=${value}`),
  ...['json-summary', 'html'].map((name) => `--coverage.reporter=${name}`),
  ...process.argv.slice(2).filter((argument) => argument !== '--write'),
]);
if (!passed) process.exit(1);

const { total, ...files } = JSON.parse(readFileSync(join(folder, 'coverage-summary.json'), 'utf8'));
const KINDS = ['lines', 'functions', 'branches'];
const rooms = new Map();
for (const [file, counts] of Object.entries(files)) {
  const parts = relative(join(root, 'src'), file).split(sep);
  const name = parts.length === 1 ? 'files of `src/`' : `\`${parts[0]}\``;
  const sum = rooms.get(name) ?? Object.fromEntries(KINDS.map((kind) => [kind, { total: 0, covered: 0 }]));
  for (const kind of KINDS) {
    sum[kind].total += counts[kind].total;
    sum[kind].covered += counts[kind].covered;
  }
  rooms.set(name, sum);
}
const row = ([name, sum]) => [
  name,
  sum.lines.total,
  ...KINDS.map((kind) => percent(sum[kind].covered, sum[kind].total)),
];
publish(
  'coverage',
  table(
    ['Room', 'Lines', ...KINDS.map((kind) => `${kind[0].toUpperCase()}${kind.slice(1)} run`)],
    [...[...rooms].sort(([a], [b]) => a.localeCompare(b)).map(row), row(['all', total])],
  ),
  process.argv.includes('--write'),
);
