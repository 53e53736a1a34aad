import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fileDisk } from '../../src/disk.ts';
import { FolderLock } from '../../src/recording/folder-lock.ts';
import { Library } from '../../src/recording/library.ts';
import { writeUnfinished } from './mcap.ts';

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The recordings in a folder, as another process has them: the kernel tells two open files of one process apart too. */
function libraryIn(folder: string, lock = new FolderLock()): Library {
  return new Library(folder, 1e9, fileDisk, lock);
}

test('a recording that another process is writing is left to it, and completed once that process is gone', async () => {
  const lock = new FolderLock();
  const folder = emptyFolder();
  const first = libraryIn(folder, lock);
  await writeUnfinished(first.begin('wave', null, 'joints').writing);
  const upload = first.receive('upload', 1000);
  const second = libraryIn(folder);
  const recover = () =>
    second.recover(
      () => false,
      async () => {},
    );
  expect((await recover()).join()).toMatch(/stay as they are \("wave"\): another bridge uses that folder/);
  expect(readdirSync(folder).sort()).toEqual(['upload.mcap.received', 'wave.mcap.part']);
  // Both may write, under names of their own.
  expect(() => second.begin('wave', null, 'joints')).toThrow(/"wave" already/);
  await writeUnfinished(second.begin('second', null, 'joints').writing);
  rmSync(upload);
  // As the end of the process does.
  lock.release();
  expect((await recover()).sort()).toEqual([
    expect.stringMatching(/^the recording "second" was broken off/),
    expect.stringMatching(/^the recording "wave" was broken off/),
  ]);
  expect(readdirSync(folder).sort()).toEqual(['second.mcap', 'wave.mcap']);
});

test('nobody begins a recording while another process completes those that are left', async () => {
  const first = libraryIn(emptyFolder());
  await writeUnfinished(first.begin('wave', null, 'joints').writing);
  const second = libraryIn(first.folder);
  let refused = '';
  await first.recover(
    () => false,
    async () => {
      try {
        second.begin('mine', null, 'joints');
      } catch (error) {
        refused = String(error);
      }
    },
  );
  expect(refused).toMatch(/Another bridge is completing recordings .* try again in a few seconds/);
  second.begin('mine', null, 'joints');
});

test('the kernel frees the folder of a process that is killed', async () => {
  const folder = emptyFolder();
  const source = join(import.meta.dirname, '../../dist/recording/folder-lock.js');
  const script = `import { FolderLock } from ${JSON.stringify(source)};
    console.log(new FolderLock().share(${JSON.stringify(folder)}));
    setInterval(() => {}, 1000);`;
  const process = spawn('node', ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void process.kill('SIGKILL'));
  const [said] = await once(process.stdout, 'data');
  expect(String(said)).toBe('held\n');
  const lock = new FolderLock();
  expect(lock.takeAlone(folder)).toBe('taken');
  process.kill('SIGKILL');
  await once(process, 'exit');
  expect(lock.takeAlone(folder)).toBe('held');
});
