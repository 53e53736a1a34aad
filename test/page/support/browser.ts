import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';

/** The browser of the tests: named by the preparation, or where Debian's package puts it. */
const PROGRAM = process.env.ARM_BRIDGE_CHROMIUM ?? '/usr/bin/chromium';
export const HAS_BROWSER = existsSync(PROGRAM);
if (!HAS_BROWSER) {
  console.warn(
    'SKIPPED: the tests of the control page need Chromium. Install it: sudo apt-get install -y chromium fonts-dejavu-core, ' +
      'or name another one in ARM_BRIDGE_CHROMIUM.',
  );
}

/** A name by which other computers would reach a bridge; here it leads to this one. */
export const NAMED_HOST = 'bridge.lab';
const NAMED = `--host-resolver-rules=MAP ${NAMED_HOST} 127.0.0.1`;

/** WebGL is drawn by the processor; root, as in a container, cannot have Chromium's sandbox. */
const FLAGS = [
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--ignore-gpu-blocklist',
  '--mute-audio',
  NAMED,
];

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: PROGRAM,
    args: [...FLAGS, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
}

/** Faults that a page reports by itself: exceptions, errors of its console, requests to another host than its own. */
export function faultsOf(page: Page, origin: string): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    // A command that the bridge refuses, or that silent servos end, is told to the person; the browser notes it too.
    const refused = /status of (400|409)/.test(message.text());
    const ended = /status of 500/.test(message.text()) && /\/(move|joints)\/|\/calibrat/.test(message.location().url);
    // A calibration that has ended when its ranges are asked for has none, and somebody else may have deleted a recording.
    const gone =
      /status of 404/.test(message.text()) && /\/(calibration|recordings\/[^/]+)$/.test(message.location().url);
    if (message.type() === 'error' && !refused && !ended && !gone)
      faults.push(`${message.text()} ${message.location().url}`);
  });
  page.on('request', (request) => {
    const url = request.url();
    // The port of the stop is another one of the same host.
    const stop = url.startsWith(origin.replace(/\d+$/, '')) && /:\d+\/stop$/.test(url);
    if (!url.startsWith(origin) && !stop && !/^(data|blob):/.test(url)) faults.push(`request to ${url}`);
  });
  return faults;
}

/**
 * What axe-core finds wrong in the page as it is: rules and the elements that break them.
 * @param rules those that are checked; left out: all
 */
export async function axeViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) {
    const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    // The page's own policy lets no foreign script in; the debugger does.
    await page.evaluate(source);
  }
  const options = rules === undefined ? {} : { runOnly: rules };
  const found = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 120)} ${failureSummary.slice(0, 200)}`),
  );
}

/** Of a desk; smaller where nobody looks, since here the processor draws. */
export const DESK = process.env.ARM_BRIDGE_PICTURES ? { width: 1280, height: 800 } : { width: 1000, height: 640 };
/** As people hold a telephone, px. */
export const PHONE = { width: 390, height: 844 };
const PICTURES = join(import.meta.dirname, '../../../docs/pictures');

/** Takes a picture for the documents when ARM_BRIDGE_PICTURES is set, once the computer that draws it has come to rest. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (!process.env.ARM_BRIDGE_PICTURES) return;
  await page.locator('body[data-computer=free]').waitFor({ timeout: 60_000 });
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

/** A moving picture for the documents: each call of the returned function adds a frame, and `end` writes it. */
export function startFilm(page: Page, name: string): { frame(): Promise<void>; end(): void } {
  const frames: string[] = [];
  return {
    async frame(): Promise<void> {
      frames.push((await page.screenshot()).toString('base64'));
    },
    end(): void {
      const python = process.env.ARM_BRIDGE_WITNESS_PYTHON!;
      execFileSync(python, ['-c', FILM, join(PICTURES, `${name}.webp`)], { input: frames.join('\n') });
    },
  };
}

/** Pillow writes animated WebP, which browsers and GitHub show; the last frame stays for a while. */
const FILM = `
import base64, io, sys
from PIL import Image
frames = [Image.open(io.BytesIO(base64.b64decode(line))).convert("RGB").resize((960, 540)) for line in sys.stdin]
times = [120] * (len(frames) - 1) + [1500]
frames[0].save(sys.argv[1], save_all=True, append_images=frames[1:], duration=times, loop=0, quality=70, method=6)
`;
