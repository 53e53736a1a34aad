/**
 * npm run bench:stop [-- --write | --short | --count N | --only LOAD ...]: how soon a stop is answered and the joints rest
 * while the bridge is busy, under one load after the other. Each load runs in processes of its own, and so does the bridge;
 * this one measures. Stops go to the port of the stop and to the main port by turns.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chosenCases, option, short } from './arguments.ts';
import { HOUR, RATE, writeHour } from './hour.ts';
import { Report } from './report.ts';
import { endLoad, OtherHost, type StopBridge, startLoad, startStopBridge } from './stop-bridge.ts';
import type { StopLoad } from './stop-load.ts';
import { type Stopped, StopWatch } from './stop-watch.ts';
import { markdownTable, percentile, type Target, targetTable } from './table.ts';

/** What is promised, s: the answer for arms that rest, and rest of arms that move. */
const ANSWERED = 0.1;
const AT_REST = 0.4;
/** Part of the stops before which arms must have been seen to move. */
const MOVING = 0.9;
/** A load is on for so long before anything is measured, s. */
const WARM_UP = 3;
/** The recording that is replayed. */
const RECORDING = 'hour';

type Part = Pick<StopLoad, 'kind'> & Partial<StopLoad>;

interface Case {
  readonly what: string;
  readonly arms: number;
  readonly loads: readonly Part[];
  /** The first load comes from another host, and TLS and a token are needed. */
  readonly remote?: boolean;
  /** Ids of the arms that hold at their pose `init`; left out: the first two. */
  readonly initialised?: readonly number[];
  readonly prepare?: (bridge: StopBridge) => Promise<void>;
}

const MOVE: Part = { kind: 'move' };
const CASES: Readonly<Record<string, Case>> = {
  none: { what: 'nothing else', arms: 2, loads: [MOVE] },
  moves: { what: '40 moves at once', arms: 2, loads: [{ kind: 'moves', count: 40 }, MOVE] },
  replay: {
    what: `replay of an hour at ${RATE} Hz`,
    arms: 2,
    loads: [{ kind: 'replay', path: RECORDING }],
    prepare: record,
  },
  worst: { what: 'the longest legal body of each route', arms: 2, loads: [{ kind: 'worst', count: 2 }, MOVE] },
  ask: {
    what: '200 connections that ask for the status',
    arms: 2,
    loads: [{ kind: 'ask', count: 200, path: '/status' }, MOVE],
  },
  silent: {
    what: '528 silent TLS connections of another host',
    arms: 2,
    loads: [{ kind: 'silent', count: 528 }, MOVE],
    remote: true,
  },
  streams: {
    what: '100 live streams, 10 of which read nothing',
    arms: 2,
    loads: [{ kind: 'streams', count: 100 }, MOVE],
  },
  metrics: { what: '/metrics in a loop', arms: 2, loads: [{ kind: 'ask', count: 4, path: '/metrics' }, MOVE] },
  mirror: { what: '8 arms mirrored', arms: 8, loads: [{ kind: 'mirror', count: 8 }], initialised: [1, 3, 5, 7] },
};

/** An arm that turns to and fro for an hour. */
function record({ folder }: StopBridge): Promise<void> {
  return writeHour(join(folder, `${RECORDING}.mcap`), 'arm_0', short ? 60 : HOUR);
}

interface Measured {
  readonly what: string;
  readonly own: readonly Stopped[];
  readonly main: readonly Stopped[];
}

const count = short ? 2 : option('--count', 20, { least: 1 });
const report = new Report('stop', 'Stops under load');

async function measure(name: string): Promise<Measured | null> {
  const { what, arms, loads, remote = false, initialised = [0, 1], prepare } = CASES[name]!;
  const host = remote ? OtherHost.make() : null;
  if (remote && host === null) return null;
  const bridge = await startStopBridge(arms, remote);
  const watch = new StopWatch(bridge);
  const children: ReturnType<typeof startLoad>[] = [];
  try {
    await prepare?.(bridge);
    // Leaders of pairs stay limp: what a hand leads on does not come to rest.
    await watch.initialise(initialised);
    for (const [index, part] of loads.entries()) {
      const far = index === 0 && host !== null;
      const url = far ? host.seen(bridge.url) : bridge.url;
      const load = { url, token: bridge.token, count: 1, path: '', ...part };
      children.push(startLoad(load, far ? host.prefix : []));
      if (far) children.push(startLoad({ ...load, url: host.seen(bridge.stopUrl) }, host.prefix));
    }
    await sleep(1000 * WARM_UP);
    const own: Stopped[] = [];
    const main: Stopped[] = [];
    for (let k = 0; k < count; k++) {
      own.push(await watch.stop(bridge.stopUrl));
      main.push(await watch.stop(bridge.url));
    }
    if (children.some(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null)) {
      throw new Error(`${what}: a load has ended, so nothing was measured under it`);
    }
    return { what, own, main };
  } finally {
    watch.close();
    await Promise.all(children.map(endLoad));
    await bridge.end();
    host?.remove();
  }
}

const sorted = (stops: readonly Stopped[], pick: (stop: Stopped) => number): number[] =>
  stops
    .map(pick)
    .filter((value) => !Number.isNaN(value))
    .sort((a, b) => a - b);
const inMs = (stops: readonly Stopped[], pick: (stop: Stopped) => number): string => {
  const values = sorted(stops, pick);
  return [0.5, 0.99].map((part) => (1000 * percentile(values, part)).toFixed(0)).join(' / ');
};

const rows: string[][] = [];
const targets: Target[] = [];
for (const name of chosenCases(CASES)) {
  process.stderr.write(`${name}\n`);
  const measured = await measure(name);
  if (measured === null) {
    targets.push({ goal: `${CASES[name]!.what}: measured`, measured: 'needs root and ip', reached: false });
    continue;
  }
  const { what, own, main } = measured;
  const faults = [...own, ...main].filter(({ fault }) => fault !== '');
  for (const { fault } of faults.slice(0, 5)) process.stderr.write(`${name}: ${fault}\n`);
  const moved = [...own, ...main].filter((stop) => stop.moved).length;
  rows.push([
    what,
    ...[own, main].flatMap((stops) => [
      inMs(stops, ({ resting }) => resting),
      inMs(stops, ({ moving }) => moving),
      inMs(stops, ({ rest }) => rest),
    ]),
    `${moved} of ${own.length + main.length}`,
    String(faults.length),
  ]);
  process.stderr.write(`${rows.at(-1)!.join(' | ')}\n`);
  for (const [port, stops] of [
    ['own port', own],
    ['main port', main],
  ] as const) {
    const answered = percentile(
      sorted(stops, ({ resting }) => resting),
      0.99,
    );
    const braked = percentile(
      sorted(stops, ({ moving }) => moving),
      0.99,
    );
    const rest = percentile(
      sorted(stops, (stop) => (Number.isNaN(stop.rest) ? stop.moving : stop.rest)),
      0.99,
    );
    // A stop of arms that rest proves nothing about how soon they rest.
    const moving = stops.filter((stop) => stop.moved).length;
    targets.push({
      goal:
        `${what}, ${port}: answered p99 <= ${1000 * ANSWERED} ms, of moving arms p99 <= ${1000 * AT_REST} ms, ` +
        `at rest p99 <= ${1000 * AT_REST} ms`,
      measured: `${(1000 * answered).toFixed(0)} ms, ${(1000 * braked).toFixed(0)} ms, ${(1000 * rest).toFixed(0)} ms; ${moving} of ${stops.length} while arms moved`,
      reached:
        answered <= ANSWERED &&
        braked <= AT_REST &&
        rest <= AT_REST &&
        moving >= MOVING * stops.length &&
        stops.every(({ fault }) => fault === ''),
    });
  }
}
const head = ['answered, arms rest', 'answered, arms move', 'joints at rest'];
report.publish(
  `${[
    `${report.machine()} ${count} stops each way; p50 / p99 in ms after the stop was sent.`,
    markdownTable(
      [
        'load',
        ...head.map((text) => `own port: ${text}`),
        ...head.map((text) => `main port: ${text}`),
        'moved',
        'faults',
      ],
      rows,
    ),
    targetTable(targets),
  ].join('\n\n')}\n`,
);
process.exitCode = targets.every(({ reached }) => reached) ? 0 : 1;
