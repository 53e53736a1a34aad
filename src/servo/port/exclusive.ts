import { spawn } from 'node:child_process';

/** Number of TIOCEXCL on Linux (asm-generic/ioctls.h), for x86 and ARM. */
const TIOCEXCL = '0x540c';
/** Timeout of the call, ms. */
const TIME = 2000;

/** Programs that can make the call; the first is part of every Debian and Ubuntu. */
const CALLERS: readonly (readonly [program: string, ...args: string[]])[] = [
  ['perl', '-e', `exit(ioctl(STDIN, ${TIOCEXCL}, 0) ? 0 : 1)`],
  ['python3', '-c', `import fcntl; fcntl.ioctl(0, ${TIOCEXCL})`],
];

/**
 * Keeps other programs from opening a terminal until its last descriptor is closed: two programs that read one bus each
 * get half of every answer, and the advisory lock binds only programs that ask for it. Programs with CAP_SYS_ADMIN,
 * such as root's, can still open it. Node has no ioctl, so another program makes the call on a descriptor that it
 * inherits.
 * @param fd of the terminal; may be closed once this has resolved
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
