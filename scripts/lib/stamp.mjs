// Hashes and stamps: how the preparation knows that a result still belongs to its inputs.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * Short hash of several values; the order counts, and neighbours cannot run into each other.
 * @param {...(string | Buffer)} parts
 * @returns {string} 16 hexadecimal digits
 */
export function hashOf(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) {
    hash.update(`${part.length}:`);
    hash.update(part);
  }
  return hash.digest('hex').slice(0, 16);
}

/**
 * Every regular file below the given files and folders, sorted. Names that do not exist are left out.
 * @param {string[]} paths
 * @returns {string[]}
 */
export function listFiles(paths) {
  const found = [];
  for (const path of paths) {
    if (!existsSync(path)) continue;
    if (statSync(path).isDirectory()) {
      found.push(...listFiles(readdirSync(path).map((name) => join(path, name))));
    } else {
      found.push(path);
    }
  }
  return found.sort();
}

/**
 * Hash of the names and contents of files, so that a touched but unchanged file changes nothing.
 * @param {string} root names are taken relative to it
 * @param {string[]} paths files and folders
 * @returns {string}
 */
export function hashFiles(root, paths) {
  const parts = [];
  for (const file of listFiles(paths)) parts.push(relative(root, file), readFileSync(file));
  return hashOf(...parts);
}

/**
 * The key a stamp holds, or null when there is none.
 * @param {string} path
 * @returns {string | null}
 */
export function readStamp(path) {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}

/**
 * Writes a stamp so that a kill in the middle leaves either the old one or the new one.
 * @param {string} path
 * @param {string} key
 */
export function writeStamp(path, key) {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${key}\n`);
  renameSync(draft, path);
}
