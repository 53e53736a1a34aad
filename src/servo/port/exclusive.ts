import { spawn } from 'node:child_process';

/** Number of TIOCEXCL on Linux (asm-generic/ioctls.h), for x86 and ARM. */
const TIOCEXCL = '0x540c';
/** A call that is not made by then is given up, ms. */
const TIME = 2000;

/** Programs that can make the call; the first is part of every Debian and Ubuntu. */
const CALLERS: readonly (readonly [program: string, ...args: string[]])[] = [
  ['perl', '-e', `exit(ioctl(STDIN, ${TIOCEXCL}, 0) ? 0 : 1)`],
  ['python3', '-c', `import fcntl; fcntl.ioctl(0, ${TIOCEXCL})`],
];

/**
 * Keeps other programs from opening a terminal until its last descriptor is closed: two programs that read a bus each get
 * half of every answer, and the lock that is taken besides binds only those who ask for it. Programs with CAP_SYS_ADMIN,
 * as root has it, can still open it. Node has no ioctl, so another program makes the call on a descriptor that it inherits.
 * @param fd of the terminal; it may be closed once this has resolved
 * @returns whether it is exclusive now
 */
export async function makeExclusive(fd: number): Promise<boolean> {
  for (const [program, ...args] of CALLERS) if (await succeeds(program, args, fd)) return true;
  return false;
}

function succeeds(program: string, args: readonly string[], fd: number): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: [fd, 'ignore', 'ignore'], timeout: TIME });
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
  });
}
