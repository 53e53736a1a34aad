import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { ReadStream } from 'node:tty';

/** The terminal and desktop of this process; tests replace them. */
export interface Desk {
  readonly input: ReadStream;
  readonly environment: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  /** Whether the terminal's keys go to this process rather than to a shell that runs it in the background. */
  inForeground(): boolean;
  open(url: string): void;
}

/**
 * Lets Enter open a page in the browser, if this process runs in a terminal of a desktop.
 *
 * Works in the foreground only, because the system suspends a background process that reads from its terminal, arms and
 * all. A bridge that is suspended and continued in the background stops reading the key, and reads it again once it is
 * back in the foreground.
 * @returns whether Enter opens the page
 */
export function offerBrowser(url: string, desk: Desk = thisDesk): boolean {
  const { environment, platform } = desk;
  // macOS always has its desktop, and names it by no variable.
  if (platform !== 'darwin' && !environment.DISPLAY && !environment.WAYLAND_DISPLAY) return false;
  const { input } = desk;
  if (!input.isTTY || !desk.inForeground()) return false;
  input.on('data', () => {
    // Any amount of typed-ahead input opens it once.
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
  platform: process.platform,
  inForeground() {
    try {
      if (process.platform === 'darwin') {
        // Two options, because what follows a `=` up to the end of its option is a heading. There is no /proc.
        const groups = execFileSync('ps', ['-o', 'pgid=', '-o', 'tpgid=', '-p', String(process.pid)], {
          encoding: 'utf8',
        });
        const [own, foremost] = groups.trim().split(/\s+/);
        return own === foremost;
      }
      const stat = readFileSync('/proc/self/stat', 'latin1');
      // Fields 5 and 8 of proc(5): our process group, and the one that the terminal's keys go to.
      const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return group === foreground;
    } catch {
      return false;
    }
  },
  open(url) {
    const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
    const browser = spawn(opener, [url], { stdio: 'ignore', detached: true });
    browser.on('error', () => process.stdout.write(`${opener} is not there: open ${url} yourself\n`));
    browser.unref();
  },
};
