import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, openSync, statSync } from 'node:fs';

/** Exit code of a caller when another process has the lock. */
const TAKEN = 9;
/** Timeout of the call, ms. */
const TIME = 2000;

/** Programs that can make the call; Debian and Ubuntu have both. */
const CALLERS: Record<'shared' | 'alone', readonly (readonly [program: string, ...args: string[]])[]> = {
  shared: [flock('-s'), perl('LOCK_SH')],
  alone: [flock('-x'), perl('LOCK_EX')],
};

function flock(kind: '-s' | '-x'): readonly [string, ...string[]] {
  return ['flock', '-n', '-E', String(TAKEN), kind, '0'];
}

function perl(kind: 'LOCK_SH' | 'LOCK_EX'): readonly [string, ...string[]] {
  return [
    'perl',
    '-MFcntl=:flock',
    '-MErrno',
    '-e',
    `exit(flock(STDIN, ${kind} | LOCK_NB) ? 0 : $!{EWOULDBLOCK} ? ${TAKEN} : 1)`,
  ];
}

/** `taken`: by another process. `unknown`: this machine cannot lock the folder. */
export type LockOutcome = 'held' | 'taken' | 'unknown';

/** Locks an open file at once or not at all, in place of the lock that it has. */
type Flock = (file: number, kind: 'shared' | 'alone') => LockOutcome;

/** Node has no flock, so another program makes the call on a descriptor that it inherits. */
const byProgram: Flock = (file, kind) => {
  for (const [program, ...args] of CALLERS[kind]) {
    const { status } = spawnSync(program, args, { stdio: [file, 'ignore', 'ignore'], timeout: TIME });
    if (status === TAKEN) return 'taken';
    if (status === 0) return 'held';
  }
  return 'unknown';
};

/**
 * Lock of a process on a folder that several bridges may use: whoever writes there shares it, and whoever completes
 * what a killed bridge left has it alone. The kernel releases it when the process ends, however that ends. It is a lock
 * on the folder itself, so it adds no file.
 */
export class FolderLock {
  readonly #flock: Flock;
  #file: number | null = null;
  #held: 'shared' | 'alone' | null = null;

  constructor(flock = byProgram) {
    this.#flock = flock;
  }

  /** Makes sure that nobody else has the folder alone. @throws {Error} of the file system, if there is no such folder */
  share(folder: string): LockOutcome {
    this.#open(folder);
    return this.#held === null ? this.#take('shared') : 'held';
  }

  /** Takes the folder alone. On failure a shared lock is kept. @throws {Error} of the file system */
  takeAlone(folder: string): LockOutcome {
    this.#open(folder);
    if (this.#held === 'alone') return 'held';
    const shared = this.#held !== null;
    const outcome = this.#take('alone');
    // The kernel gives up the present lock to convert it, even if the conversion fails.
    if (outcome !== 'held' && shared) this.#take('shared');
    return outcome;
  }

  /** Lets others share it again. */
  letShare(): void {
    if (this.#held === 'alone') this.#take('shared');
  }

  /** Gives the lock up. */
  release(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
    this.#held = null;
  }

  #open(folder: string): void {
    // Somebody may have deleted the folder, and it was made again: a lock on the old one protects nothing.
    if (this.#file !== null && fstatSync(this.#file).ino !== statSync(folder).ino) this.release();
    this.#file ??= openSync(folder, 'r');
  }

  #take(kind: 'shared' | 'alone'): LockOutcome {
    const outcome = this.#flock(this.#file!, kind);
    this.#held = outcome === 'held' ? kind : null;
    return outcome;
  }
}
