/** What runs have shown, kept in a file from one call of the explorer to the next, so that their hours add up. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Shown } from './certificate.ts';

/** What a run depends on, besides its seed. */
const TRIED = ['src', 'explore', 'robots', 'package-lock.json'];

/** One run. */
export interface Entry {
  readonly seed: number;
  /** The last commit that changed what the run depends on; ends with `+` where files differed from it. */
  readonly commit: string;
  readonly shown: Shown;
}

/** @returns the last commit that changed what runs depend on, with a `+` where files differ from it */
export function triedCommit(): string {
  const git = (...words: string[]): string => execFileSync('git', words, { encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain', '--', ...TRIED) !== '';
  return git('log', '-1', '--format=%h', '--abbrev=7', '--', ...TRIED) + (changed ? '+' : '');
}

export function appendEntry(file: string, entry: Entry): void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify(entry)}\n`);
}

/** @returns the runs of a file, oldest first; none where there is no file. A seed that ran again at its commit counts once. */
export function readEntries(file: string): readonly Entry[] {
  if (!existsSync(file)) return [];
  const entries = new Map<string, Entry>();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line === '') continue;
    const entry = JSON.parse(line) as Entry;
    entries.set(`${entry.commit} ${entry.seed}`, entry);
  }
  return [...entries.values()];
}
