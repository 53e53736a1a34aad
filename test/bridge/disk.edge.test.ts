import { execFile } from 'node:child_process';
import {
  chownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { fileDisk } from '../../src/disk.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Writes a text of so many characters by fileDisk where no file may be larger than 4 KiB. @returns what went wrong */
function writeWithin4k(path: string, characters: number): Promise<string> {
  const disk = pathToFileURL(join(ROOT, 'src/disk.ts')).href;
  const program = `
    const { fileDisk } = await import(${JSON.stringify(disk)});
    try { fileDisk.write(process.argv[1], 'x'.repeat(${characters})); } catch (error) { console.log(error.code); }`;
  const node = [process.execPath, '--import', './explore/typescript.mjs', '--input-type=module', '-e', program, path];
  // A write beyond the limit takes what fits, as on a disk that becomes full; the one after it fails.
  const script = `trap '' XFSZ; ulimit -f 4; exec "$@"`;
  return new Promise((resolve, reject) => {
    execFile('bash', ['-c', script, 'bash', ...node], { cwd: ROOT }, (error, output) =>
      error === null ? resolve(output.trim()) : reject(error),
    );
  });
}

test('a text that the disk takes in part alone does not replace the old one, and leaves nothing behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-disk-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'text');
  fileDisk.write(path, 'old');
  expect(await writeWithin4k(path, 6000)).toBe('EFBIG');
  expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual(['old', ['text']]);
  expect(await writeWithin4k(path, 3000)).toBe('');
  expect(readFileSync(path, 'utf8')).toHaveLength(3000);
});

const IS_ROOT = process.getuid!() === 0;
if (!IS_ROOT) console.warn('SKIPPED: what root writes is not tested, because only root can write for another user.');

test.skipIf(!IS_ROOT)('what root writes belongs to the owner of the folder, so that a service can replace it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-disk-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chownSync(folder, 4321, 8765);
  const path = join(folder, 'state/calibration/arm.json');
  fileDisk.write(path, 'text');
  for (const made of [path, join(path, '..'), join(path, '../..')]) {
    expect(statSync(made)).toMatchObject({ uid: 4321, gid: 8765 });
  }
});

test('a text is not written through a link in place of its draft', () => {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-disk-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const other = join(folder, 'other');
  writeFileSync(other, 'mine');
  symlinkSync(other, join(folder, 'text.0.new'));
  fileDisk.write(join(folder, 'text'), 'text');
  expect([readFileSync(other, 'utf8'), readFileSync(join(folder, 'text'), 'utf8')]).toEqual(['mine', 'text']);
});
