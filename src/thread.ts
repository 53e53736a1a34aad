/** Where threads begin, and what the operating system does for the calling one: exact timers and precedence. Linux, in part. */
import { spawnSync } from 'node:child_process';
import { readlinkSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';

/** Limits of threads that make little garbage, which do not let it grow to the usual 48 MB each. */
export const FRUGAL = { maxYoungGenerationSizeMb: 6 };

/** The compiled entry of a thread, for whoever runs from sources too. @param path within `src/`, with `.js` */
export function threadEntry(path: string): URL {
  const compiled = import.meta.url.endsWith('.js');
  return new URL(compiled ? `./${path}` : `../dist/${path}`, import.meta.url);
}

/** The kernel's number of this thread; null where it cannot be had. */
function threadId(): string | null {
  try {
    return basename(readlinkSync('/proc/thread-self'));
  } catch {
    return null;
  }
}

/** Lets this thread's sleeps end when they should: Linux rounds them up by 50 us otherwise, other systems by more. */
export function fineTimers(): void {
  const id = threadId();
  if (id === null) return;
  try {
    writeFileSync(`/proc/${id}/timerslack_ns`, '1000');
  } catch {
    // Sleeps then end a little later, never sooner.
  }
}

/** What the permission that `chrt` lacks is called, and the ways to give it. */
const PERMISSION =
  'it needs the capability CAP_SYS_NICE: in a container docker/realtime.yaml gives it, under systemd config/arm-bridge-realtime.conf; otherwise allow the user rtprio in ' +
  '/etc/security/limits.conf and log in again, or run: sudo setcap cap_sys_nice+ep "$(readlink -f "$(command -v chrt)")"';

/**
 * Puts this thread, but none that it starts, ahead of all that are scheduled as usual (SCHED_FIFO).
 * @param priority 1 to 99
 * @returns why it is not done, and what to do; empty when it is
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
