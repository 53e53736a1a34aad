import { spawn } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { ReadStream } from 'node:tty';

/** ioctl that unlocks the slave side of a pseudo-terminal (Linux, asm-generic/ioctls.h), with an int of 0. */
const TIOCSPTLCK = '0x40045431';

/** Programs that can issue that ioctl on file descriptor 3, fastest first: Node itself has no ioctl. */
const UNLOCKERS: readonly (readonly [string, readonly string[]])[] = [
  ['perl', ['-e', `open(my $t, "+<&=3") or die $!; my $z = pack("i", 0); ioctl($t, ${TIOCSPTLCK}, $z) or die $!`]],
  ['python3', ['-c', `import fcntl, struct; fcntl.ioctl(3, ${TIOCSPTLCK}, struct.pack("i", 0))`]],
];

const FLAGS = constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK;

/** Runs a program with `fd` as its file descriptor 3 and waits for its end; resolves to an error message, or null. */
function complaint(program: string, args: readonly string[], fd: number): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe', fd] });
    let text = '';
    child.stderr!.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    child.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code === 'ENOENT' ? 'is not installed' : error.message);
    });
    child.once('close', (code) => resolve(code === 0 ? null : text.trim() || `ended with code ${code}`));
  });
}

async function unlock(fd: number): Promise<void> {
  const complaints: string[] = [];
  for (const [program, args] of UNLOCKERS) {
    const wrong = await complaint(program, args, fd);
    if (wrong === null) return;
    complaints.push(`${program} ${wrong}`);
  }
  throw new Error(
    `a pseudo-terminal needs a short run of perl or python3 (${complaints.join('; ')}): install one, or serve the arm over TCP`,
  );
}

/** A serial line that any program can open: the master side of a pseudo-terminal in raw mode (Linux). */
export class PseudoTerminal {
  /** Device file to open. */
  readonly path: string;
  readonly #master: number;
  /** Kept open so that the terminal outlives its users. */
  readonly #slave: number;
  readonly #stream: ReadStream;
  #open = true;

  private constructor(path: string, master: number, slave: number, onBytes: (chunk: Uint8Array) => void) {
    this.path = path;
    this.#master = master;
    this.#slave = slave;
    this.#stream = new ReadStream(master);
    this.#stream.on('data', (chunk: Uint8Array) => onBytes(chunk));
    // The slave is held open, so only `close` ends the stream.
    this.#stream.on('error', () => {});
  }

  /**
   * @param onBytes receives the bytes that users write
   * @throws {Error} with a message for the user if the system has no pseudo-terminals or no program to set one up
   */
  static async open(onBytes: (chunk: Uint8Array) => void): Promise<PseudoTerminal> {
    if (process.platform !== 'linux') {
      throw new Error(`pseudo-terminals are served on Linux only, not on ${process.platform}: serve the arm over TCP`);
    }
    const master = openSync('/dev/ptmx', FLAGS);
    let slave = -1;
    try {
      const index = /^tty-index:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${master}`, 'utf8'))?.[1];
      if (index === undefined)
        throw new Error('this kernel does not name its pseudo-terminals: serve the arm over TCP');
      const path = `/dev/pts/${index}`;
      await unlock(master);
      slave = openSync(path, FLAGS);
      // Otherwise the terminal would echo replies back as requests until a user configures it.
      const wrong = await complaint(
        'stty',
        ['-F', path, 'raw', '-echo', '-echoe', '-echok', '-echoctl', '-echoke'],
        slave,
      );
      if (wrong !== null) throw new Error(`stty ${wrong}: it sets up the pseudo-terminal (part of coreutils)`);
      return new PseudoTerminal(path, master, slave, onBytes);
    } catch (error) {
      closeSync(master);
      if (slave >= 0) closeSync(slave);
      throw error;
    }
  }

  /** Sends bytes to the users. Bytes that they leave unread are lost once the terminal is full, as on a real line. */
  write(bytes: Uint8Array): void {
    if (!this.#open) return;
    try {
      writeSync(this.#master, bytes);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }

  /** Hangs up: users see the line close. */
  async close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#slave);
    await new Promise<void>((resolve) => {
      this.#stream.once('close', () => resolve());
      this.#stream.destroy();
    });
  }
}
