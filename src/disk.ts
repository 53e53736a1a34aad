import {
  closeSync,
  existsSync,
  fsyncSync,
  lchownSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
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

/**
 * Gives what root has made to the owner of the folder it is in, because a service that runs as another user reads and
 * replaces it there. Does nothing for other users.
 * @throws {Error} of the file system
 */
export function handOver(path: string, folder = dirname(path)): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  lchownSync(path, uid, gid);
}

/** Makes a folder and those above it, unless they exist, and hands them over. @throws {Error} of the file system */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  // Another process may have made it meanwhile.
  mkdirSync(path, { recursive: true });
  handOver(path);
}

/** The files of this machine. What root writes is handed over. */
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
    makeFolder(folder);
    // Two threads may write the same text at once.
    const draft = `${path}.${threadId}.new`;
    // A new file: not through a link that the owner of the folder may have put there.
    rmSync(draft, { force: true });
    const descriptor = openSync(draft, 'wx');
    try {
      // Writes every byte: a single write may be short, as on a disk that fills up.
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
      handOver(draft);
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
