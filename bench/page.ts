/**
 * npm run bench:page [-- --write]: what the control page costs a browser while its two arms move. `--write` puts the table into
 * bench/results too. It needs Chromium, as the tests of the page do, and a built page.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { HAS_BROWSER, launch } from '../test/page/support/browser.ts';
import { bundleSize, firstPaint, heapSize, PAGE_GOALS, processorTime, workPerFrame } from './page-figures.ts';
import { Report } from './report.ts';
import { median, type Target, targetTable } from './table.ts';

/** The sources are compiled to build/bench: documents, the page and the bridge stay where they are. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const LOADS = 5;
const SECONDS = 5;
/** Time for which the page is left alone before it is measured, and from one movement of the hand to the next, ms. */
const SETTLING = 3000;
const PERIOD = 70;
/** The hand swings the leader's base joint by so much, rad. */
const SWING = 0.6;

/** A bridge with two simulated arms that mirror. @returns its address and what ends it */
async function startBridge(): Promise<{ url: string; pid: number; end: () => Promise<void> }> {
  const bridge = spawn(process.execPath, ['dist/main.js', '--port', '0', '--no-ros'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    // The stop at its end outlives it, and would be found by the next bridge of this user.
    env: { ...process.env, XDG_STATE_HOME: mkdtempSync(join(tmpdir(), 'arm-bridge-bench-page-')) },
  });
  for await (const line of createInterface(bridge.stdout)) {
    const url = /HTTP on (http:\/\/[^\s"]+)/.exec(line)?.[1];
    if (url === undefined) continue;
    bridge.stdout.resume();
    const end = async (): Promise<void> => {
      // From `stopped` an exit moves nothing, and so does not take its time.
      await post(`${url}/stop`);
      bridge.kill('SIGTERM');
      await once(bridge, 'exit');
    };
    return { url, pid: bridge.pid!, end };
  }
  throw new Error('the bridge did not start');
}

async function post(url: string, body: object = {}): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url}: HTTP ${answer.status} ${await answer.text()}`);
}

/** Loads the page as somebody who has never seen it. */
async function paints(browser: Browser, url: string): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < LOADS; i++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(url);
    times.push(await firstPaint(page));
    await context.close();
  }
  return times;
}

if (!HAS_BROWSER) throw new Error('there is no Chromium');
const report = new Report('page', 'Control page');
const { url, pid, end } = await startBridge();
const browser = await launch();
try {
  const first = await paints(browser, url);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(url);
  await page.locator('#scene canvas').waitFor();
  await page.locator('#tab-teleoperation').click();
  await post(`${url}/move/leader/start`, { robot_pairs: [{ leader_id: 0, follower_id: 1 }] });
  const swing = (step: number): Promise<void> =>
    post(`${url}/sim/hand`, { joints: { shoulder_pan: SWING * Math.sin(step / 15) }, duration: 0.1 });
  const share = async (act: (step: number) => Promise<void>): Promise<number> => {
    const [time, used] = [performance.now(), processorTime(pid)];
    for (let step = 0; performance.now() - time < 1000 * SECONDS; step++) {
      await act(step);
      await sleep(PERIOD);
    }
    return (1000 * (processorTime(pid) - used)) / (performance.now() - time);
  };
  // The page settles on how finely it draws.
  await sleep(SETTLING);
  const resting = await share(() => Promise.resolve());
  const moving = await share((step) => swing(2 * step));
  const work: number[] = [];
  for (let i = 0; i < SECONDS; i++) work.push(await workPerFrame(page, swing));
  const heap = await heapSize(page);
  const bundle = bundleSize(`${ROOT}/dist/page`);
  const targets: Target[] = [
    {
      goal: `first paint on loopback: <= ${PAGE_GOALS.firstPaint / 1000} s`,
      measured: `median ${median(first).toFixed(0)} ms, worst of ${LOADS} ${Math.max(...first).toFixed(0)} ms`,
      reached: Math.max(...first) <= PAGE_GOALS.firstPaint,
    },
    {
      goal: `the page's own work for a frame of the live stream, two arms in motion: <= ${PAGE_GOALS.work} ms`,
      measured: `median ${median(work).toFixed(1)} ms, worst of ${SECONDS} s ${Math.max(...work).toFixed(1)} ms`,
      reached: Math.max(...work) <= PAGE_GOALS.work,
    },
    {
      goal: `browser and page where a processor draws, two arms at rest: <= ${100 * PAGE_GOALS.resting} % of one`,
      measured: `${(100 * resting).toFixed(0)} %`,
      reached: resting <= PAGE_GOALS.resting,
    },
    {
      goal: `the same, two arms in motion: <= ${100 * PAGE_GOALS.moving} %`,
      measured: `${(100 * moving).toFixed(0)} %`,
      reached: moving <= PAGE_GOALS.moving,
    },
    {
      goal: `JavaScript heap: <= ${PAGE_GOALS.heap / 1e6} MB`,
      measured: `${(heap / 1e6).toFixed(1)} MB`,
      reached: heap <= PAGE_GOALS.heap,
    },
    {
      goal: `the whole page, compressed: <= ${PAGE_GOALS.bundle / 1e3} kB`,
      measured: `${(bundle / 1e3).toFixed(0)} kB`,
      reached: bundle <= PAGE_GOALS.bundle,
    },
  ];
  report.publish(`${targetTable(targets)}\n\n${report.machine()}\n`);
} finally {
  await browser.close();
  await end();
}
