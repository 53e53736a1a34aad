import { constants, setPriority } from 'node:os';

/**
 * Has a thread or process run before other programs: emulated servos, since real ones have processors of their own and
 * answer however busy the computer is; and what drives them, since it brakes or gives up on a computer that is too busy,
 * which has tests of its own. Where that is not allowed, both run when this machine lets them.
 * @param pid of a process that has just begun; left out: the thread that calls
 */
export function favour(pid = 0): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_HIGHEST);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code !== 'ERR_SYSTEM_ERROR') throw error;
  }
}
