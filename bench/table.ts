import type { ClientReport } from './messages.ts';

/** Value below which the share `part` (0..1) of an ascending series lies; NaN without values. */
export function percentile(ascending: ArrayLike<number>, part: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(part * ascending.length))] ?? Number.NaN;
}

/** Middle one of several values. */
export function median(values: readonly number[]): number {
  return percentile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}

/** Figures of one or several runs: the median of the runs for each. */
export interface Figures {
  /** 1/s */
  readonly rate: number;
  /** Share of one core. */
  readonly cpu: number;
  /** Processor time of a cycle, s. */
  readonly cost: number;
  /** Median, 99th and 99.9th percentile and longest of the periods, s; NaN for what is not known. */
  readonly periods: readonly [number, number, number, number];
  /** Median and 99th percentile of the time from sample to goals, s. */
  readonly ages: readonly [number, number];
  readonly skipped: number;
}

export function figures(runs: readonly ClientReport[]): Figures {
  const over = (pick: (run: ClientReport) => number): number => median(runs.map(pick));
  const period = (part: number): number => over((run) => percentile(run.periods, part));
  return {
    rate: over((run) => run.cycles / run.seconds),
    cpu: over((run) => run.cpu / run.seconds),
    cost: over((run) => run.cpu / run.cycles),
    periods: [period(0.5), period(0.99), period(0.999), over((run) => run.periods.at(-1) ?? Number.NaN)],
    ages: [over((run) => percentile(run.ages, 0.5)), over((run) => percentile(run.ages, 0.99))],
    skipped: Math.max(...runs.map((run) => run.skipped)),
  };
}

function milliseconds(...values: readonly number[]): string {
  return values.map((value) => (Number.isNaN(value) ? '-' : (value * 1000).toFixed(2))).join(' / ');
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

/** One measured line of the table. */
export interface Row {
  readonly what: string;
  readonly client: string;
  /** The ratio that counts, in words. */
  readonly ratio: string;
  readonly figures: Figures;
}

/** One goal and what came of it. */
export interface Target {
  readonly goal: string;
  readonly measured: string;
  readonly reached: boolean;
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)].join('\n');
}

export function measuredTable(rows: readonly Row[]): string {
  return markdownTable(
    [
      'case',
      'client',
      'ratio',
      'cycles/s',
      'CPU, one core',
      'CPU a cycle, us',
      'cycle p50 / p99 / p99.9 / longest, ms',
      'sample to goal p50 / p99, ms',
    ],
    rows.map(({ what, client, ratio, figures: f }) => [
      what,
      client,
      ratio,
      f.rate.toFixed(0),
      percent(f.cpu),
      (f.cost * 1e6).toFixed(0),
      milliseconds(...f.periods),
      milliseconds(...f.ages),
    ]),
  );
}

export function targetTable(targets: readonly Target[]): string {
  return markdownTable(
    ['target', 'measured', 'reached'],
    targets.map(({ goal, measured, reached }) => [goal, measured, reached ? 'yes' : '**no**']),
  );
}
