import type { Family } from './frames.ts';
import type { Figures } from './judge.ts';
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
  ['largest distance of its goal from its joint then', ({ torque }) => `${torque.toFixed(3)} rad`],
  ['stops of arms with torque', ({ stops }) => thousands(stops)],
  ['longest time from a stop to rest', ({ rest }) => `${rest.toFixed(2)} s`],
  ['longest way from a stop to rest', ({ way }) => `${way.toFixed(2)} rad`],
];

/** What runs have shown. */
export interface Shown {
  readonly runs: number;
  /** Virtual time, s. */
  readonly seconds: number;
  /** Runs in which each fault was drawn, and runs that broke a rule, by the rule. */
  readonly faults: Readonly<Record<string, number>>;
  readonly broken: Readonly<Record<string, number>>;
  readonly figures: Readonly<Record<Family, Figures>>;
}

/** What one run has shown. @param faults that were drawn for it */
export function shownBy({ now, judge }: World, faults: readonly string[]): Shown {
  const { feetech, dynamixel } = judge.figures;
  return {
    runs: 1,
    seconds: now,
    faults: Object.fromEntries(faults.map((name) => [name, 1])),
    broken: Object.fromEntries(judge.violations.map(({ rule }) => [rule, 1])),
    figures: { feetech: { ...feetech }, dynamixel: { ...dynamixel } },
  };
}

/** Adds up what runs have shown, for the certificate of docs/safety.md. */
export class Certificate {
  readonly #figures: Record<Family, Figures | null> = { feetech: null, dynamixel: null };
  readonly #faults = new Map<string, number>(FAULT_NAMES.map((name) => [name, 0]));
  #runs = 0;
  #seconds = 0;
  readonly #broken = new Map<string, number>();

  add({ runs, seconds, faults, broken, figures }: Shown): void {
    this.#runs += runs;
    this.#seconds += seconds;
    for (const [rule, count] of Object.entries(broken)) this.#broken.set(rule, (this.#broken.get(rule) ?? 0) + count);
    for (const [name, count] of Object.entries(faults)) this.#faults.set(name, this.#faults.get(name)! + count);
    for (const family of Object.keys(this.#figures) as Family[])
      this.#figures[family] = joined(this.#figures[family], figures[family]);
  }

  /** @param seeds first and last @param commit that was tried @returns the text of the document with this certificate in it */
  within(document: string, seeds: readonly [number, number], commit: string): string {
    const begin = document.indexOf(BEGIN);
    const end = document.indexOf(END);
    if (begin < 0 || end < begin) throw new Error(`docs/safety.md has no ${BEGIN} ... ${END}`);
    return `${document.slice(0, begin)}${BEGIN}\n\n${this.#text(seeds, commit)}\n${document.slice(end)}`;
  }

  #text([first, last]: readonly [number, number], commit: string): string {
    const families = (Object.keys(this.#figures) as Family[]).filter(
      (family) => (this.#figures[family]?.goals ?? 0) > 0,
    );
    const lines = [
      `**${(this.#seconds / 3600).toFixed(1)} simulated hours** in ${this.#runs} runs (seeds ${first} to ${last}) at commit ${commit}: ` +
        (this.#broken.size === 0
          ? '**no rule of the judge was broken**.'
          : '**rules of the judge were broken**, as listed.'),
      ...(this.#broken.size === 0
        ? []
        : [
            '',
            '| Rule that was broken | Runs |',
            '|---|--:|',
            ...[...this.#broken].map(([rule, runs]) => `| ${rule} | ${runs} |`),
          ]),
      '',
      `| | ${families.map((family) => FAMILY_NAMES[family]).join(' | ')} |`,
      `|---|${families.map(() => '--:').join('|')}|`,
      ...ROWS.map(
        ([what, tell]) => `| ${what} | ${families.map((family) => tell(this.#figures[family]!)).join(' | ')} |`,
      ),
      '',
      '| Fault | Runs |',
      '|---|--:|',
      ...[...this.#faults].map(([name, runs]) => `| ${name} | ${runs} |`),
      '',
    ];
    return lines.join('\n');
  }
}

/** Counts are added up, of all others the largest is kept. */
function joined(before: Figures | null, more: Figures): Figures {
  if (before === null) return { ...more };
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
