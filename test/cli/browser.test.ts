import { PassThrough } from 'node:stream';
import type { ReadStream } from 'node:tty';
import { afterEach, expect, test } from 'vitest';
import { type Desk, offerBrowser } from '../../src/cli/browser.ts';

const URL = 'http://localhost:8020';

class FakeDesk implements Desk {
  readonly keys = Object.assign(new PassThrough(), { isTTY: true, unref: () => {} });
  readonly input = this.keys as unknown as ReadStream;
  environment: NodeJS.ProcessEnv = { DISPLAY: ':0' };
  platform: NodeJS.Platform = 'linux';
  foreground = true;
  readonly opened: string[] = [];
  inForeground(): boolean {
    return this.foreground;
  }
  open(url: string): void {
    this.opened.push(url);
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const before = process.listeners('SIGCONT');
afterEach(() => {
  for (const listener of process.listeners('SIGCONT'))
    if (!before.includes(listener)) process.removeListener('SIGCONT', listener);
});

test('Enter opens the page where a person sits at the terminal of a desktop', async () => {
  const desk = new FakeDesk();
  expect(offerBrowser(URL, desk)).toBe(true);
  desk.keys.write('\n');
  await settled();
  expect(desk.opened).toEqual([URL]);
});

test('Enter opens the page on macOS, whose desktop no variable names', async () => {
  const desk = Object.assign(new FakeDesk(), { platform: 'darwin', environment: {} });
  expect(offerBrowser(URL, desk)).toBe(true);
  desk.keys.write('\n');
  await settled();
  expect(desk.opened).toEqual([URL]);
});

test.each([
  ['there is no desktop', (desk: FakeDesk) => Object.assign(desk, { environment: {} })],
  ['nobody types', (desk: FakeDesk) => Object.assign(desk.keys, { isTTY: false })],
  ['a shell has it in the background', (desk: FakeDesk) => Object.assign(desk, { foreground: false })],
])('nothing is read and nothing offered where %s', (_, change) => {
  const desk = new FakeDesk();
  change(desk);
  expect(offerBrowser(URL, desk)).toBe(false);
  expect(desk.keys.listenerCount('data')).toBe(0);
});

test('a bridge that goes on in the background reads no more: the system would suspend it, arms and all', async () => {
  const desk = new FakeDesk();
  offerBrowser(URL, desk);
  desk.foreground = false;
  process.emit('SIGCONT', 'SIGCONT');
  expect(desk.keys.isPaused()).toBe(true);
  desk.keys.write('\n');
  await settled();
  expect(desk.opened).toEqual([]);
  desk.foreground = true;
  process.emit('SIGCONT', 'SIGCONT');
  await settled();
  expect(desk.opened).toEqual([URL]);
});
