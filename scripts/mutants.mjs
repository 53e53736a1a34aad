// npm run mutants [-- [--write] [FILES]]
// Changes the code of the control thread in thousands of small ways and sees whether its tests notice. FILES, such as
// 'src/rt/joint/*.ts', limits what is changed; results of the other files are remembered. `--write` puts the table into
// CONTRIBUTING.md. What survives is listed file by file in build/mutants/report.html.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installMeasures, passes, percent, publish, root, table } from './lib/measures.mjs';

const files = process.argv.slice(2).filter((argument) => argument !== '--write');
const program = join(installMeasures(), '@stryker-mutator', 'core', 'bin', 'stryker.js');
const only = files.length === 0 ? [] : ['--mutate', files.join(',')];
if (!passes(process.execPath, [program, 'run', join('scripts', 'mutants.config.mjs'), ...only])) process.exit(1);

/** Of all mutants that count: those that a test noticed, by failing or by never ending. */
const rooms = new Map();
const report = JSON.parse(readFileSync(join(root, 'build', 'mutants', 'report.json'), 'utf8'));
for (const [file, { mutants }] of Object.entries(report.files)) {
  for (const name of [dirname(file), 'all']) {
    const sum = rooms.get(name) ?? { killed: 0, survived: 0, unseen: 0 };
    for (const { status } of mutants) {
      if (status === 'Killed' || status === 'Timeout') sum.killed += 1;
      else if (status === 'Survived') sum.survived += 1;
      else if (status === 'NoCoverage') sum.unseen += 1;
    }
    rooms.set(name, sum);
  }
}
const rows = [...rooms].sort(([a], [b]) => (a === 'all') - (b === 'all') || a.localeCompare(b));
publish(
  'mutants',
  table(
    ['Folder', 'Mutants', 'Killed', 'Survived', 'In code that no test runs', 'Score'],
    rows.map(([name, { killed, survived, unseen }]) => {
      const all = killed + survived + unseen;
      return [name === 'all' ? name : `\`${name}\``, all, killed, survived, unseen, percent(killed, all)];
    }),
  ),
  process.argv.includes('--write'),
);
