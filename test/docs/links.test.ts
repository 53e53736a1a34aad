import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './support/blocks.ts';

const NOT_OURS = new Set(['node_modules', 'build', 'dist', 'coverage', '.git']);

/** Files of a folder, and of those within, whose names end like this. */
function filesIn(folder: string, ending: RegExp): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path, ending);
    return ending.test(entry.name) ? [path] : [];
  });
}

/** Text without code, in which brackets are no links. */
function prose(file: string): string {
  return readFileSync(file, 'utf8')
    .replace(/^ *```[\s\S]*?^ *```/gm, '')
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ' '));
}

/** Anchors of a document's headings, as GitHub makes them. */
function anchors(file: string): Set<string> {
  const headings = [
    ...readFileSync(file, 'utf8')
      .replace(/^```[\s\S]*?^```/gm, '')
      .matchAll(/^#{1,6} +(.*)$/gm),
  ];
  return new Set(
    headings.map(([, heading]) =>
      heading!
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  );
}

const folder = ROOT.replace(/\/$/, '');
const files = filesIn(folder, /\.md$/);

test.each(files.map((file) => relative(ROOT, file)))('every relative link of %s leads somewhere', (name) => {
  const file = join(ROOT, name);
  const faults: string[] = [];
  for (const [, target] of prose(file).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target!)) continue;
    const [path = '', anchor] = target!.split('#');
    const to = path === '' ? file : resolve(dirname(file), path);
    if (!existsSync(to)) faults.push(`${target}: no such file`);
    else if (anchor !== undefined && (statSync(to).isDirectory() || !anchors(to).has(anchor))) {
      faults.push(`${target}: no such heading`);
    }
  }
  expect(faults).toEqual([]);
});

test('the documents that a newcomer looks for are there', () => {
  const names = files.map((file) => relative(ROOT, file));
  for (const name of ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'THIRD-PARTY.md'])
    expect(names).toContain(name);
  expect(readFileSync(join(ROOT, 'LICENSE'), 'utf8')).toContain('Apache License');
});

test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('each source file that %s names is there', (name) => {
  const text = readFileSync(join(ROOT, name), 'utf8');
  const named = [...text.matchAll(/`([\w./-]+\.(?:ts|mjs|py|sh))`/g)].map(([, path]) => path!);
  const sources = filesIn(folder, /\.(ts|mjs|py|sh)$/);
  const missing = named.filter((path) => !sources.some((file) => file.endsWith(`/${path}`)));
  expect(named.length).toBeGreaterThan(1);
  expect(missing).toEqual([]);
});
