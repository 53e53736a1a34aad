import { readlinkSync, statSync } from 'node:fs';
import { readdir, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';

/** A process that has a serial port open. */
export interface Holder {
  readonly pid: number;
  /** Its command line, shortened; empty when another user's process hides it. */
  readonly command: string;
}

const COMMAND_LENGTH = 80;

/** Number of a pseudo-terminal by its path, or null. */
function terminalIndex(path: string): string | null {
  return /^\/dev\/pts\/(\d+)$/.exec(path)?.[1] ?? null;
}

/** @param device device file, with links followed */
export function isPseudoTerminal(device: string): boolean {
  return terminalIndex(device) !== null;
}

function linkTarget(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

async function content(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return '';
  }
}

async function commandOf(proc: string, pid: number): Promise<string> {
  const line = (await content(join(proc, String(pid), 'cmdline'))).replaceAll('\0', ' ').trim();
  const command = line === '' ? (await content(join(proc, String(pid), 'comm'))).trim() : line;
  return command.length > COMMAND_LENGTH ? `${command.slice(0, COMMAND_LENGTH)}...` : command;
}

/** Whether one of the process's files is the device; the server of a pseudo-terminal does not count as its user. */
async function holds(proc: string, pid: string, device: string): Promise<boolean> {
  const folder = join(proc, pid, 'fd');
  let files: string[];
  try {
    files = await readdir(folder);
  } catch {
    return false;
  }
  const terminal = terminalIndex(device);
  let open = false;
  for (const file of files) {
    const target = linkTarget(join(folder, file));
    if (target === device) open = true;
    else if (terminal !== null && (target === '/dev/ptmx' || target === '/dev/pts/ptmx')) {
      const info = await content(join(proc, pid, 'fdinfo', file));
      if (/^tty-index:\s*(\d+)$/m.exec(info)?.[1] === terminal) return false;
    }
  }
  return open;
}

/** Processes with an advisory lock on the device; `/proc/locks` shows those of other users too. */
async function lockers(proc: string, device: string): Promise<number[]> {
  let file: string;
  try {
    const { dev, ino } = statSync(device);
    // As the kernel prints a file: device of its file system, major and minor in hexadecimal, then the inode.
    const hex = (number: number): string => number.toString(16).padStart(2, '0');
    file = `${hex((dev >>> 8) & 0xfff)}:${hex((dev & 0xff) | ((dev >>> 12) & 0xfff00))}:${ino}`;
  } catch {
    return [];
  }
  const pids: number[] = [];
  for (const line of (await content(join(proc, 'locks'))).split('\n')) {
    // "1: FLOCK  ADVISORY  WRITE 708 00:06:341 0 EOF"
    const parts = /\s(\d+) ([0-9a-f]+:[0-9a-f]+:\d+) /.exec(line);
    if (parts?.[2] === file) pids.push(Number(parts[1]));
  }
  return pids;
}

/**
 * Processes that have a serial port open, this one included, on Linux; nothing on other systems. Files of other users'
 * processes cannot be seen without root: of those, only the ones with a lock are found.
 * @param path device file or a link to it
 * @param proc where the process file system is
 */
export async function findHolders(path: string, proc = '/proc'): Promise<Holder[]> {
  let device: string;
  let pids: string[];
  try {
    device = await realpath(path);
    pids = (await readdir(proc)).filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
  const found = new Set<number>();
  for (const pid of pids) if (await holds(proc, pid, device)) found.add(Number(pid));
  for (const pid of await lockers(proc, device)) found.add(pid);
  const holders: Holder[] = [];
  for (const pid of found) holders.push({ pid, command: await commandOf(proc, pid) });
  return holders;
}
