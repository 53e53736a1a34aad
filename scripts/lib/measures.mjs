// Programs that measure the tests. They are large and seldom needed, so that they have a lock file of their own and are
// installed by whoever asks for them.

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashFiles, hashOf, readStamp, writeStamp } from './stamp.mjs';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const LOCK = join(root, 'scripts', 'locks', 'measures');
/** Within the checkout, so that what is in it finds this checkout's vitest. */
const FOLDER = join(root, 'build', 'measures');
const DOCUMENT = join(root, 'CONTRIBUTING.md');

/** Runs a program whose output goes to the terminal. @returns whether it ended with code 0 */
export function passes(program, args, options = {}) {
  return spawnSync(program, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], ...options }).status === 0;
}

/** Installs what the lock file says, unless it is there. @returns the folder of the packages @throws when npm fails */
export function installMeasures() {
  const stamp = join(FOLDER, '.complete');
  const key = hashOf(hashFiles(root, [LOCK]));
  if (readStamp(stamp) !== key) {
    rmSync(FOLDER, { recursive: true, force: true });
    mkdirSync(FOLDER, { recursive: true });
    for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(LOCK, name), join(FOLDER, name));
    // Their peers are the packages of this checkout.
    const quietly = ['--ignore-scripts', '--legacy-peer-deps', '--prefer-offline', '--no-audit', '--no-fund'];
    if (!passes('npm', ['ci', ...quietly], { cwd: FOLDER }))
      throw new Error('the measuring programs cannot be installed');
    writeStamp(stamp, key);
  }
  return join(FOLDER, 'node_modules');
}

/**
 * A table as Markdown.
 * @param {string[]} head @param {(string | number)[][]} rows the first cell of each is text, the others numbers
 */
export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n');
}

/** Prints a text, and puts it between the markers of a section of CONTRIBUTING.md when that is wanted. */
export function publish(section, text, wanted) {
  process.stdout.write(`\n${text}\n`);
  if (!wanted) return;
  const document = readFileSync(DOCUMENT, 'utf8');
  const begin = `<!-- ${section}: begin -->\n`;
  const from = document.indexOf(begin) + begin.length;
  const to = document.indexOf(`<!-- ${section}: end -->`);
  if (from < begin.length || to < from) throw new Error(`CONTRIBUTING.md has no section "${section}"`);
  writeFileSync(DOCUMENT, `${document.slice(0, from)}\n${text}\n\n${document.slice(to)}`);
}

export const percent = (part, whole) => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(0)} %`);
