import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { favour } from '../../support/favour.ts';

/** The compiled program. */
export const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));

export interface Run {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs the program to its end, before other programs: what it says of servos counts here, not whether a busy machine lets it hear them. */
export function arm(...args: string[]): Promise<Run> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [MAIN, ...args], { timeout: 60_000 }, (_, output, errors) =>
      resolve({ code: child.exitCode ?? -1, output, errors }),
    );
    favour(child.pid);
  });
}

/** An arm that the program simulates on a serial port. */
export interface Served {
  /** Of its bus. */
  readonly url: string;
  /** Device file, or a link to it. */
  readonly path: string;
  /** A folder of its own, gone at the end. */
  readonly folder: string;
  end(): Promise<void>;
}

export async function serve(...args: readonly string[]): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-servos-'));
  const path = join(folder, 'arm');
  const child = spawn(process.execPath, [MAIN, 'simulate', '--pty', path, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  favour(child.pid);
  const [url] = await once(createInterface({ input: child.stdout! }), 'line');
  return {
    url: String(url),
    path,
    folder,
    async end() {
      if (child.exitCode === null) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      rmSync(folder, { recursive: true });
    },
  };
}
