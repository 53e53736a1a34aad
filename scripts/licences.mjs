/**
 * Lists the npm packages that the bridge runs with: name, version, licence. Ends non-zero when a licence is not one of
 * those that may be combined with Apache-2.0 without further conditions on this project.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const COMPATIBLE = new Set([
  '0BSD',
  'Apache-2.0',
  // As an old package spells it.
  'Apache2',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'Python-2.0',
  'Unlicense',
]);

const root = new URL('..', import.meta.url);
const lock = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8'));

/** The licence that a package states in the lock file, or in its own folder where the lock file has none. */
function licenceOf(path, entry) {
  if (entry.license) return entry.license;
  try {
    const { license } = JSON.parse(readFileSync(fileURLToPath(new URL(`${path}/package.json`, root)), 'utf8'));
    return license ?? 'unknown';
  } catch {
    return 'unknown';
  }
}

/** Whether one of the licences of "A OR B", or all of "A AND B", may be combined. */
function compatible(licence) {
  const plain = licence.replace(/[()]/g, '');
  if (plain.includes(' AND ')) return plain.split(' AND ').every(compatible);
  return plain.split(' OR ').some((choice) => COMPATIBLE.has(choice.trim()));
}

const rows = Object.entries(lock.packages)
  .filter(([path, entry]) => path !== '' && entry.dev !== true)
  .map(([path, entry]) => [path.replace(/^.*node_modules\//, ''), entry.version, licenceOf(path, entry)])
  .sort(([a], [b]) => a.localeCompare(b));

for (const row of rows) console.log(row.join('  '));
const unfit = rows.filter(([, , licence]) => !compatible(licence));
for (const [name, , licence] of unfit) console.error(`${name}: licence ${licence} is not known to be compatible`);
if (unfit.length > 0) process.exitCode = 1;
