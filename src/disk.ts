import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { threadId } from 'node:worker_threads';

/** Small texts that outlive the process. Calls are synchronous. */
export interface Disk {
  /** Null when there is no such file, or it cannot be read. */
  read(path: string): string | null;
  /** Replaces the text atomically: a power cut leaves the old one or the new one. @throws {Error} of the file system */
  write(path: string, text: string): void;
  /** A missing file is no error. @throws {Error} of the file system */
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
      // Writes every byte: a single write may be short, as on a disk that fills up.
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, path);
    // The rename is stored in the folder, which needs its own fsync.
    const directory = openSync(folder, 'r');
    try {
      fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
  },
  remove: (path) => rmSync(path, { force: true }),
};
