// Processes that a preparation has started, found again by a mark in their environment. A preparation that was killed
// cannot end its own pip or compiler; whoever takes over its lock must, before it writes to the same folder.

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** The environment variable that marks every process a preparation starts. */
export const MARK = 'ARM_BRIDGE_PREPARATION';

/**
 * Processes whose environment carries the mark with this token. Only Linux can tell; elsewhere the list is empty.
 * @param {string} token
 * @returns {number[]} process ids
 */
export function markedProcesses(token) {
  const wanted = `\0${MARK}=${token}\0`;
  let names;
  try {
    names = readdirSync('/proc');
  } catch {
    return [];
  }
  const found = [];
  for (const name of names) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    try {
      if (`\0${readFileSync(`/proc/${name}/environ`, 'latin1')}`.includes(wanted)) found.push(pid);
    } catch {
      // Another user's process, or one that has just ended: neither is ours to end.
    }
  }
  return found;
}

/**
 * Sends a signal to every marked process.
 * @param {string} token
 * @param {NodeJS.Signals} signal
 * @returns {number} how many there were
 */
export function signalMarked(token, signal) {
  const pids = markedProcesses(token);
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended between the look and the signal.
    }
  }
  return pids.length;
}

/**
 * Kills every marked process and waits until they are gone, for at most five seconds.
 * @param {string} token
 */
export async function endMarked(token) {
  for (let round = 0; round < 100 && signalMarked(token, 'SIGKILL') > 0; round++) await sleep(50);
}
