import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
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

test('a terminal is shown what is being done, and each end stays', async () => {
  const root = mkdtempSync(join(tmpdir(), 'arm-bridge-progress-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  let text = '';
  const progress = new Progress({ root, out: { write: (part: string) => (text += part), isTTY: true, columns: 200 } });
  let end = (): void => {};
  const first = progress.step('first', () => new Promise<void>((resolve) => (end = resolve)), 20);
  await progress.step('second', async () => {});
  expect(text).toContain('first, 0 s of about 20 s | second, 0 s');
  end();
  await first;
  // As the terminal has it in the end: a line that is drawn anew begins at its start.
  const lines = text.split('\n').map((line) =>
    line
      .split('\r\x1b[2K')
      .at(-1)!
      .replace(/^\[.*? s\] /, ''),
  );
  expect(lines.slice(1)).toEqual(['second: done (0.0 s)', 'first: done (0.0 s)', '']);
});

test('once the bridge runs, it is told of steps, those that had begun too, and the terminal is its alone', async () => {
  const root = mkdtempSync(join(tmpdir(), 'arm-bridge-progress-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  let text = '';
  const progress = new Progress({ root, out: { write: (part: string) => (text += part) } });
  let end = (): void => {};
  const first = progress.step('first', () => new Promise<void>((resolve) => (end = resolve)));
  const before = text;
  const told: string[] = [];
  progress.handOver((title: string) => told.push(title));
  end();
  await first;
  await progress.step('second', async () => {});
  progress.note('something');
  expect(told).toEqual(['first', 'second']);
  expect(text).toBe(`${before}\n`);
  expect(readFileSync(join(root, progress.logPath!), 'utf8')).toContain('something');
});
