/** What the control page costs a browser: measured by the browser itself. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/**
 * Kilobytes that the page may be, compressed; ms that it may work for a frame; bytes of heap; ms to the first paint; parts of a
 * processor that browser and page may take where nothing but a processor draws, while two arms rest and while they move.
 */
export const PAGE_GOALS = { bundle: 400e3, work: 6, heap: 60e6, firstPaint: 1000, resting: 0.3, moving: 0.6 } as const;

/** All files of the page as they are sent, bytes. @param folder of the built page */
export function bundleSize(folder: string): number {
  const files = readdirSync(folder).filter((name) => name.endsWith('.gz'));
  return files.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

/** From the request of the page to its first paint with content, ms. */
export async function firstPaint(page: Page): Promise<number> {
  const entry = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0";
  let time = 0;
  while (time === 0) {
    time = Number(await page.evaluate(entry));
    await page.waitForTimeout(20);
  }
  return time;
}

/** JavaScript heap in use after a collection, bytes. */
export async function heapSize(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}

/** Frames over which the work is measured: a second of the live stream. */
const FRAMES = 30;

/**
 * Processor time of the page's main thread for each frame of the live stream, ms: reading it, showing it in figures and
 * drawing it. What the graphics processor does, or the processor for it in another thread, does not count.
 * @param act keeps the arms moving; called with the number of the frame
 */
export async function workPerFrame(page: Page, act: (frame: number) => Promise<void>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await session.send('Network.enable');
  let frames = 0;
  let next = (): void => {};
  session.on('Network.webSocketFrameReceived', ({ response }) => {
    if (!response.payloadData.startsWith('{"type":"arms"')) return;
    frames += 1;
    next();
  });
  const spent = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')!.value;
  };
  const before = await spent();
  const first = frames;
  while (frames < first + FRAMES) {
    const come = new Promise<void>((resolve) => {
      next = resolve;
    });
    await act(frames);
    await come;
  }
  const work = (1000 * ((await spent()) - before)) / (frames - first);
  await session.detach();
  return work;
}

/** Ticks of `/proc` in a second (sysconf CLK_TCK of Linux). */
const TICKS = 100;

/** Processor time of all processes that this one has started, directly or not, s, but for one and its own. */
export function processorTime(except: number): number {
  const processes = new Map<number, { parent: number; ticks: number }>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      const fields = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      processes.set(Number(entry), { parent: fields[1]!, ticks: fields[11]! + fields[12]! });
    } catch {
      // It has ended meanwhile.
    }
  }
  const counts = (pid: number): boolean => {
    if (pid === except) return false;
    const parent = processes.get(pid)?.parent ?? 0;
    return parent === process.pid || (parent > 0 && counts(parent));
  };
  let ticks = 0;
  for (const [pid, each] of processes) if (counts(pid)) ticks += each.ticks;
  return ticks / TICKS;
}
