import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { threadId } from 'node:worker_threads';

/** Small texts that outlive the process. Each call is done when it returns. */
export interface Disk {
  /** Null when there is none, or it cannot be read. */
  read(path: string): string | null;
  /** Replaces the text as a whole: after a power cut there is the old one or the new one. @throws {Error} of the file system */
  write(path: string, text: string): void;
  /** @throws {Error} of the file system, but not when there is none */
  remove(path: string): void;
}

/** The files of this machine. */
export const fileDisk: Disk = {
  read(path) {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return null;
    }
  },
  write(path, text) {
    const folder = dirname(path);
    mkdirSync(folder, { recursive: true });
    // Two threads may write the same text at once.
    const draft = `${path}.${threadId}.new`;
    const descriptor = openSync(draft, 'w');
    try {
      // To the last byte: a single write may take less of them, as on a disk that becomes full.
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, path);
    // The new name is in the folder, which is written by itself.
    const directory = openSync(folder, 'r');
    try {
      fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
  },
  remove: (path) => rmSync(path, { force: true }),
};
