import { constants, setPriority } from 'node:os';

/**
 * Has the thread or process in which servos are emulated run before other programs: real ones have processors of their own,
 * and answer however busy the computer is. Where that is not allowed, they answer when this machine lets them.
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
