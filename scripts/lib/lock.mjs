// A lock file that survives the death of its owner: it says who holds it, and whoever finds the owner dead takes over.

import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endMarked } from './leftovers.mjs';

const POLL_MS = 200;
const HEARTBEAT_MS = 5_000;
/** A process id says nothing about another machine or container: there the heartbeat counts. */
const SILENT_MS = 60_000;
/** A takeover lasts milliseconds, and at most the five seconds in which left-over processes end. */
const TAKEOVER_MS = 30_000;
/** Where hard links do not exist a lock is briefly empty; younger than this, an unreadable one counts as held. */
const UNREADABLE_MS = 5_000;

/**
 * @typedef {object} Owner
 * @property {number} pid
 * @property {string | null} started start time of the process in clock ticks (Linux), against reused ids
 * @property {string} host
 * @property {string} token
 */

/**
 * Start time of a process in clock ticks since boot, field 22 of /proc/PID/stat; null where that cannot be known.
 * @param {number} pid
 * @returns {string | null}
 */
export function processStart(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

/**
 * @param {string} path
 * @returns {{owner: Owner | null, age: number} | null} null when there is no lock; age in ms since the last heartbeat
 */
function look(path) {
  try {
    const age = Date.now() - statSync(path).mtimeMs;
    const text = readFileSync(path, 'utf8');
    try {
      return { owner: JSON.parse(text), age };
    } catch {
      return { owner: null, age };
    }
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * @param {{owner: Owner | null, age: number}} seen
 * @returns {boolean} whether the owner may still be at work
 */
function isHeld({ owner, age }) {
  if (owner === null) return age < UNREADABLE_MS;
  if (owner.host !== hostname()) return age < SILENT_MS;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if (error.code === 'ESRCH') return false;
  }
  const started = processStart(owner.pid);
  return owner.started === null || started === null || owner.started === started;
}

/**
 * Creates the lock with its whole content at once.
 * @param {string} path
 * @param {string} content
 * @returns {boolean} false when somebody has it
 */
function create(path, content) {
  const draft = `${path}.${process.pid}.${randomUUID()}`;
  try {
    writeFileSync(draft, content);
    try {
      linkSync(draft, path);
    } catch (error) {
      if (error.code === 'EEXIST') throw error;
      writeFileSync(path, content, { flag: 'wx' });
    }
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Removes the lock of a dead owner, after ending what that owner had started. A guard file lets one process at a time
 * do this: without it, the second could remove the lock that the first has just taken.
 * @param {string} path
 */
async function takeOver(path) {
  const guard = `${path}.takeover`;
  try {
    writeFileSync(guard, String(process.pid), { flag: 'wx' });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    const age = Date.now() - (statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > TAKEOVER_MS) rmSync(guard, { force: true });
    return;
  }
  try {
    const seen = look(path);
    if (seen === null || isHeld(seen)) return;
    if (seen.owner !== null) await endMarked(seen.owner.token);
    rmSync(path, { force: true });
  } finally {
    rmSync(guard, { force: true });
  }
}

/**
 * Takes the lock, waiting while a living process holds it.
 * @param {string} path the lock file; its folder is made
 * @param {object} options
 * @param {string} options.token marks the processes that the owner starts (leftovers.mjs)
 * @param {(owner: Owner | null) => void} [options.onWait] called once, when it has to wait
 * @returns {Promise<{release: () => void}>}
 */
export async function acquireLock(path, { token, onWait }) {
  mkdirSync(dirname(path), { recursive: true });
  /** @type {Owner} */
  const self = { pid: process.pid, started: processStart(process.pid), host: hostname(), token };
  // Two locks of one process share the mark of its children, so each needs an identity of its own.
  const content = JSON.stringify({ ...self, id: randomUUID() });
  let told = false;
  while (!create(path, content)) {
    const seen = look(path);
    if (seen === null) continue;
    if (!isHeld(seen)) {
      await takeOver(path);
    } else if (!told) {
      told = true;
      onWait?.(seen.owner);
    }
    await sleep(POLL_MS);
  }
  const heartbeat = setInterval(() => {
    try {
      utimesSync(path, new Date(), new Date());
    } catch {
      // A folder removed under us takes the lock with it; the owner's next write reports that.
    }
  }, HEARTBEAT_MS);
  heartbeat.unref();
  const release = () => {
    clearInterval(heartbeat);
    process.off('exit', release);
    try {
      if (readFileSync(path, 'utf8') === content) unlinkSync(path);
    } catch {
      // Gone already.
    }
  };
  process.on('exit', release);
  return { release };
}
