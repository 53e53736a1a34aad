import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const { Progress } = await import(pathToFileURL(join(import.meta.dirname, '../../scripts/lib/progress.mjs')).href);

test('steps that go on side by side each have their end told, on lines of their own', async () => {
  const root = mkdtempSync(join(tmpdir(), 'arm-bridge-progress-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  let text = '';
  const progress = new Progress({ root, out: { write: (part: string) => (text += part) } });
  let endFirst = (): void => {};
  const first = progress.step('first', () => new Promise<void>((resolve) => (endFirst = resolve)));
  await progress.step('second', async () => {});
  await expect(progress.step('third', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  endFirst();
  await first;
  await progress.step('fourth', async () => {});
  const lines = text.split('\n').map((line) => line.replace(/^\[.*? s\] /, '').replace(/\d+\.\d s/, '0 s'));
  expect(lines.slice(1)).toEqual([
    'first ... ',
    'second ... done (0 s)',
    'third ... failed (0 s)',
    'first: done (0 s)',
    'fourth ... done (0 s)',
    '',
  ]);
});
