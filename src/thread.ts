/** Entry points of threads, and settings of the calling thread: precise timers and priority. Partly Linux only. */
import { spawnSync } from 'node:child_process';
import { readlinkSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';

/** Limits for threads that create little garbage, so that it does not grow to the usual 48 MB each. */
export const FRUGAL = { maxYoungGenerationSizeMb: 6 };

/** The compiled entry of a thread, even when running from sources. @param path within `src/`, with `.js` */
export function threadEntry(path: string): URL {
  const compiled = import.meta.url.endsWith('.js');
  return new URL(compiled ? `./${path}` : `../dist/${path}`, import.meta.url);
}

/** The kernel's id of this thread; null where it is unavailable. */
function threadId(): string | null {
  try {
    return basename(readlinkSync('/proc/thread-self'));
  } catch {
    return null;
  }
}

/** Makes this thread's sleeps end on time: otherwise Linux rounds them up by 50 us, and other systems by more. */
export function fineTimers(): void {
  const id = threadId();
  if (id === null) return;
  try {
    writeFileSync(`/proc/${id}/timerslack_ns`, '1000');
  } catch {
    // Sleeps then end a little later, never earlier.
  }
}

/** The permission that `chrt` lacks, and the ways to grant it. */
const PERMISSION =
  'it needs the capability CAP_SYS_NICE: in a container docker/realtime.yaml gives it, under systemd config/arm-bridge-realtime.conf; otherwise allow the user rtprio in ' +
  '/etc/security/limits.conf and log in again, or run: sudo setcap cap_sys_nice+ep "$(readlink -f "$(command -v chrt)")"';

/**
 * Gives this thread, but not the threads it starts, real-time priority over all normally scheduled ones (SCHED_FIFO).
 * @param priority 1 to 99
 * @returns why that failed, and what to do; empty on success
 */
export function setPriority(priority: number): string {
  const id = threadId();
  if (id === null) return 'thread priorities are set on Linux alone';
  const { error, status, stderr } = spawnSync('chrt', ['-R', '-f', '-p', String(priority), id], {
    encoding: 'utf8',
  });
  if (error) return `chrt cannot be run (${error.message}): install util-linux`;
  if (status === 0) return '';
  return `${stderr.trim()}; ${PERMISSION}`;
}
