import type { Family } from './frames.ts';
import type { Figures } from './judge.ts';
import type { Entry } from './ledger.ts';
import { FAULT_NAMES } from './people.ts';
import type { World } from './world.ts';

/** Where the certificate stands in docs/safety.md. */
const BEGIN = '<!-- certificate: begin -->';
const END = '<!-- certificate: end -->';

const FAMILY_NAMES: Readonly<Record<Family, string>> = { feetech: 'Feetech', dynamixel: 'Dynamixel' };

/** Rows of the table of figures: what they are, and how a figure is told. */
const ROWS: readonly (readonly [string, (figures: Figures) => string])[] = [
  ['goals sent to servos', ({ goals }) => thousands(goals)],
  ['largest step of a goal of a servo with torque', ({ step }) => `${step.toFixed(3)} rad`],
  ['largest speed at which a joint was driven', ({ speed }) => `${speed.toFixed(2)} rad/s`],
  ['largest acceleration, over 20 ms', ({ acceleration }) => `${acceleration.toFixed(0)} rad/s²`],
  ['times that a servo got torque', ({ torqueEvents }) => thousands(torqueEvents)],
  ['largest distance of its goal from a limp joint then', ({ torque }) => `${torque.toFixed(3)} rad`],
  ['stops of arms with torque', ({ stops }) => thousands(stops)],
  ['longest time from a stop to rest', ({ rest }) => `${rest.toFixed(2)} s`],
  ['longest way from a stop to rest', ({ way }) => `${way.toFixed(2)} rad`],
];

/** What a run has shown. */
export interface Shown {
  /** Virtual time, s. */
  readonly seconds: number;
  /** 1 for each fault that was drawn for it, and for each rule that it broke. */
  readonly faults: Readonly<Record<string, number>>;
  readonly broken: Readonly<Record<string, number>>;
  readonly figures: Readonly<Record<Family, Figures>>;
}

/** What a run has shown. @param faults that were drawn for it */
export function shownBy({ now, judge }: World, faults: readonly string[]): Shown {
  const { feetech, dynamixel } = judge.figures;
  return {
    seconds: now,
    faults: Object.fromEntries(faults.map((name) => [name, 1])),
    broken: Object.fromEntries(judge.violations.map(({ rule }) => [rule, 1])),
    figures: { feetech: { ...feetech }, dynamixel: { ...dynamixel } },
  };
}

/** One row of the table of all runs so far. */
const ROW = /^\| ([0-9a-f]{7,}\+?) \|.*\|$/;

/**
 * Writes the certificate of docs/safety.md: what the runs at one commit have shown, and the runs so far commit by commit. The document
 * keeps the rows of commits of which `entries` knows nothing.
 * @param entries runs at any commits, oldest first
 * @param commit whose runs are told in full
 * @returns the text of the document with this certificate in it
 * @throws {Error} where the document has no place for it, or no run was at this commit
 */
export function certified(document: string, entries: readonly Entry[], commit: string): string {
  const begin = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`docs/safety.md has no ${BEGIN} ... ${END}`);
  const rows = new Map<string, string>();
  for (const line of document.slice(begin, end).split('\n')) {
    const [, name] = ROW.exec(line) ?? [];
    if (name !== undefined) rows.set(name, line);
  }
  const at = (name: string): Entry[] => entries.filter((entry) => entry.commit === name);
  for (const name of new Set(entries.map((entry) => entry.commit))) rows.set(name, rowOf(name, at(name)));
  const told = at(commit);
  if (told.length === 0) throw new Error(`no run was at commit ${commit}: give --hours`);
  return `${document.slice(0, begin)}${BEGIN}\n\n${textOf(commit, told, [...rows.values()])}\n${document.slice(end)}`;
}

function textOf(commit: string, entries: readonly Entry[], rows: readonly string[]): string {
  const { faults, broken, ...shown } = added(entries);
  const families = (Object.keys(FAMILY_NAMES) as Family[]).filter((family) => shown.figures[family].goals > 0);
  return [
    `**${hoursOf(entries)} simulated hours** in ${entries.length} runs at commit ${commit}: ` +
      (Object.keys(broken).length === 0
        ? '**no rule of the judge was broken**.'
        : `**rules of the judge were broken**, in runs: ${listOf(broken)}.`),
    '',
    `| | ${families.map((family) => FAMILY_NAMES[family]).join(' | ')} |`,
    `|---|${families.map(() => '--:').join('|')}|`,
    ...ROWS.map(([what, tell]) => `| ${what} | ${families.map((family) => tell(shown.figures[family])).join(' | ')} |`),
    '',
    '| Fault | Runs |',
    '|---|--:|',
    ...FAULT_NAMES.map((name) => `| ${name} | ${faults[name] ?? 0} |`),
    '',
    'Runs so far, by the commit that they were at:',
    '',
    '| Commit | Simulated hours | Runs | Seeds | Runs that broke a rule |',
    '|---|--:|--:|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function rowOf(commit: string, entries: readonly Entry[]): string {
  const seeds = entries.map(({ seed }) => seed);
  const [first, last] = [Math.min(...seeds), Math.max(...seeds)];
  const { broken } = added(entries);
  return `| ${commit} | ${hoursOf(entries)} | ${entries.length} | ${first} to ${last} | ${listOf(broken) || 'none'} |`;
}

function listOf(broken: Readonly<Record<string, number>>): string {
  return Object.entries(broken)
    .map(([rule, runs]) => `${rule} ${runs}`)
    .join(', ');
}

function hoursOf(entries: readonly Entry[]): string {
  return (entries.reduce((sum, { shown }) => sum + shown.seconds, 0) / 3600).toFixed(1);
}

/** What all these runs have shown together. */
function added(entries: readonly Entry[]): Omit<Shown, 'seconds'> {
  const sum = (of: (shown: Shown) => Readonly<Record<string, number>>): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const { shown } of entries)
      for (const [name, count] of Object.entries(of(shown))) counts[name] = (counts[name] ?? 0) + count;
    return counts;
  };
  const figures = (family: Family): Figures =>
    entries.map(({ shown }) => shown.figures[family]).reduce((before, more) => joined(before, more));
  return {
    faults: sum(({ faults }) => faults),
    broken: sum(({ broken }) => broken),
    figures: { feetech: figures('feetech'), dynamixel: figures('dynamixel') },
  };
}

/** Counts are added up, of all others the largest is kept. */
function joined(before: Figures, more: Figures): Figures {
  const counts: readonly (keyof Figures)[] = ['goals', 'torqueEvents', 'stops'];
  const result = { ...before };
  for (const name of Object.keys(result) as (keyof Figures)[]) {
    result[name] = counts.includes(name) ? before[name] + more[name] : Math.max(before[name], more[name]);
  }
  return result;
}

function thousands(count: number): string {
  return count.toLocaleString('en').replaceAll(',', ' ');
}
