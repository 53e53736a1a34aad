// npm run mutants [-- [--write] [--remembered] [FILES]]
// Changes the code of the control thread in thousands of small ways and sees whether its tests notice. FILES, such as
// 'src/rt/joint/*.ts', limits what is changed; results of the other files are remembered. `--remembered` changes nothing and
// tells these alone. `--write` puts the table into CONTRIBUTING.md. What survives is listed file by file in build/mutants/FOLDER.html.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { installMeasures, passes, percent, publish, root, table } from './lib/measures.mjs';
import { hashOf } from './lib/stamp.mjs';
import { FOLDERS, memoryOf } from './mutants.config.mjs';

const options = process.argv.slice(2).filter((argument) => argument.startsWith('--'));
const files = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
/** What each file was like when it was judged: Stryker's own memory carries old results over to a file that has changed. */
const RECORD = join(root, 'build', 'mutants', 'judged.stamps');
const judged = existsSync(RECORD) ? JSON.parse(readFileSync(RECORD, 'utf8')) : {};
const program = join(installMeasures(), '@stryker-mutator', 'core', 'bin', 'stryker.js');
for (const { name, sources } of options.includes('--remembered') ? [] : FOLDERS) {
  const asked = files.filter((file) => dirname(file) === dirname(sources[0]));
  if (files.length > 0 && asked.length === 0) continue;
  const only = asked.length === 0 ? [] : ['--mutate', asked.join(',')];
  const env = { ...process.env, MUTANTS_FOLDER: name };
  const stamps = sources.filter((file) => asked.length === 0 || asked.some((pattern) => names(pattern, file)));
  const before = Object.fromEntries(stamps.map((file) => [file, stampOf(file)]));
  if (!passes(process.execPath, [program, 'run', join('scripts', 'mutants.config.mjs'), ...only], { env }))
    process.exit(1);
  writeFileSync(RECORD, JSON.stringify(Object.assign(judged, before)));
}

/** Of all mutants that count: those that a test noticed, by failing or by never ending. */
const rooms = new Map();
/** Files of which nothing is known as they are now, or folders of such files. */
const unknown = [];
for (const { name, sources } of FOLDERS) {
  const memory = join(root, memoryOf(name));
  const measured = existsSync(memory) ? JSON.parse(readFileSync(memory, 'utf8')).files : {};
  // A file without code has no mutants.
  const known = sources.filter((file) => !hasCode(file) || judged[file] === stampOf(file));
  unknown.push(...(known.some(hasCode) ? sources.filter((file) => !known.includes(file)) : [dirname(sources[0])]));
  for (const room of [dirname(sources[0]), 'all']) {
    const sum = rooms.get(room) ?? { killed: 0, survived: 0, unseen: 0 };
    for (const { status } of known.flatMap((file) => measured[file]?.mutants ?? [])) {
      if (status === 'Killed' || status === 'Timeout') sum.killed += 1;
      else if (status === 'Survived') sum.survived += 1;
      else if (status === 'NoCoverage') sum.unseen += 1;
    }
    rooms.set(room, sum);
  }
}
const rows = [...rooms].sort(([a], [b]) => (a === 'all') - (b === 'all') || a.localeCompare(b));
const figures = table(
  ['Folder', 'Mutants', 'Killed', 'Survived', 'In code that no test runs', 'Score'],
  rows.map(([name, { killed, survived, unseen }]) => {
    const all = killed + survived + unseen;
    return [name === 'all' ? name : `\`${name}\``, all, killed, survived, unseen, percent(killed, all)];
  }),
);
const missing = unknown.map((name) => `\`${name}\``).join(', ');
const remark =
  missing === ''
    ? ''
    : `\n\nNot measured as they are now, and not counted (of a folder: the files directly in it): ${missing}.`;
publish('mutants', figures + remark, options.includes('--write'));

/** Whether a pattern, in which * stands for any part of a name, names a file. */
function names(pattern, file) {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^/]*')}$`).test(file);
}

function stampOf(file) {
  return hashOf(textOf(file));
}

function textOf(file) {
  return readFileSync(join(root, file), 'utf8');
}

function hasCode(file) {
  const { outputText } = ts.transpileModule(textOf(file), {
    compilerOptions: { target: 'esnext', removeComments: true },
  });
  return outputText.trim() !== 'export {};';
}
