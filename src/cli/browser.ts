import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { ReadStream } from 'node:tty';

/** What a process must know of its terminal and desktop; for tests, other than those of this one. */
export interface Desk {
  readonly input: ReadStream;
  readonly environment: NodeJS.ProcessEnv;
  /** Whether the terminal's keys go to this process, and not to a shell that has it in the background. */
  inForeground(): boolean;
  open(url: string): void;
}

/**
 * Lets Enter open a page in the browser, where a person sits at a terminal of a desktop.
 *
 * Only in the foreground of the terminal: a background process that reads from it is suspended by the system, arms and
 * all. Whoever suspends the bridge and lets it go on in the background therefore takes the key from it; it has it again
 * when it is brought to the foreground.
 * @returns whether it does
 */
export function offerBrowser(url: string, desk: Desk = thisDesk): boolean {
  const { environment } = desk;
  if (!environment.DISPLAY && !environment.WAYLAND_DISPLAY) return false;
  const { input } = desk;
  if (!input.isTTY || !desk.inForeground()) return false;
  input.on('data', () => {
    // What has been typed ahead opens it once.
    desk.open(url);
  });
  input.unref();
  process.on('SIGCONT', () => {
    if (desk.inForeground()) input.resume();
    else input.pause();
  });
  return true;
}

const thisDesk: Desk = {
  get input() {
    return process.stdin as ReadStream;
  },
  environment: process.env,
  inForeground() {
    try {
      const stat = readFileSync('/proc/self/stat', 'latin1');
      // Fields 5 and 8 of proc(5): our process group, and the one that the terminal's keys go to.
      const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return group === foreground;
    } catch {
      return false;
    }
  },
  open(url) {
    const browser = spawn('xdg-open', [url], { stdio: 'ignore', detached: true });
    browser.on('error', () => process.stdout.write(`xdg-open is not there: open ${url} yourself\n`));
    browser.unref();
  },
};
