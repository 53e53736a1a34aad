/**
 * npm run bench:moves [-- --write | --short]: how exactly arms reach random poses that they can have, one /move/absolute
 * each. `--write` puts the table into bench/results too, `--short` moves to a few poses only.
 */
import { fileURLToPath } from 'node:url';
import { short } from './arguments.ts';
import { type MoveCase, measureMoves, type Reached } from './random-moves.ts';
import { Report } from './report.ts';
import { markdownTable, type Target, targetTable } from './table.ts';

/** The sources are compiled to build/bench: documents, arms and the bridge stay where they are. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** What MuJoCo's tool may be further off than an answer's tolerance, cm: a step of the encoders at full reach. */
const TRUTH = 0.07;
const SEED = 20;

const count = short ? 5 : 100;
const python = process.env.ARM_BRIDGE_WITNESS_PYTHON;
if (!python) throw new Error('ARM_BRIDGE_WITNESS_PYTHON is not set: eval "$(node scripts/prepare.mjs test)" sets it');

const WIDE = { positionTolerance: 0.2, orientationTolerance: 1 };
const TIGHT = { positionTolerance: 0.1, orientationTolerance: 0.5 };
const WRONG = { payload: 0.1, stiffness: 0.7 };
/** Cases that run at once, each with the share of poses that is to be reached. */
const GROUPS: readonly (readonly (MoveCase & { readonly goal: number })[])[] = [
  [
    { model: 'so101', ...WIDE, goal: 0.99 },
    { model: 'so100', ...WIDE, goal: 0.99 },
  ],
  [
    { model: 'so101', ...TIGHT, goal: 0.9 },
    { model: 'so100', ...TIGHT, goal: 0.9 },
  ],
  [
    { model: 'so101', ...TIGHT, simulation: WRONG, goal: 0.9 },
    { model: 'so101', ...TIGHT, simulation: WRONG, maxTrials: 1, goal: 0 },
  ],
];

function title({ model, positionTolerance, orientationTolerance, simulation, maxTrials }: MoveCase): string {
  const { payload = 0, stiffness = 1 } = simulation ?? {};
  const load = payload === 0 ? '' : `, ${1000 * payload} g more and ${(100 * (1 - stiffness)).toFixed(0)} % less stiff`;
  const trials = maxTrials === undefined ? '' : `, ${maxTrials} trial${maxTrials === 1 ? '' : 's'} at most`;
  return `${model}${load}: ${positionTolerance} cm, ${orientationTolerance} degrees${trials}`;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function share(values: readonly number[], part: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]!.toFixed(2);
}

const rows: string[][] = [];
const targets: Target[] = [];

function tell(arm: MoveCase & { readonly goal: number }, reached: readonly Reached[]): void {
  const ok = reached.filter((one) => one.ok);
  const excess = Math.max(...ok.map(({ trueError }) => trueError - arm.positionTolerance));
  const errors = reached.map(({ positionError }) => positionError ?? Number.POSITIVE_INFINITY);
  rows.push([
    title(arm),
    `${ok.length} of ${reached.length}`,
    `${share(errors, 0.5)} / ${share(errors, 0.9)} cm`,
    share(
      reached.map(({ trueError }) => trueError),
      0.9,
    ).concat(' cm'),
    mean(reached.map(({ trials }) => trials)).toFixed(1),
    `${mean(reached.map(({ duration }) => duration)).toFixed(1)} s`,
    String(reached.reduce((sum, { disturbed }) => sum + disturbed, 0)),
  ]);
  if (arm.goal > 0) {
    const goal = `${title(arm)}: >= ${100 * arm.goal} % ok`;
    targets.push({
      goal,
      measured: `${ok.length} of ${reached.length}`,
      reached: ok.length >= arm.goal * reached.length,
    });
  }
  const within = ok.every(
    ({ positionError, orientationError }) =>
      positionError! <= arm.positionTolerance && orientationError! <= arm.orientationTolerance,
  );
  targets.push({
    goal: `${title(arm)}: no "ok" outside its tolerance, none more than ${TRUTH} cm beyond by MuJoCo`,
    measured:
      ok.length === 0 ? 'none ok' : `${within ? 'none' : 'some'} outside, at most ${excess.toFixed(3)} cm beyond`,
    reached: within && (ok.length === 0 || excess <= TRUTH),
  });
}

const report = new Report('moves', 'Exact moves');
for (const group of GROUPS) {
  const results = await measureMoves(ROOT, python, group, count, SEED);
  for (const [i, reached] of results.entries()) {
    tell(group[i]!, reached);
    for (const one of reached) if (!one.ok) console.error(`${title(group[i]!)}: ${one.message}`);
  }
}
const text = [
  report.machine(),
  '',
  markdownTable(
    ['arm and tolerances', 'ok', 'left by the encoders, p50 / p90', 'by MuJoCo, p90', 'trials', 'time', 'begun anew'],
    rows,
  ),
  '',
  targetTable(targets),
  '',
].join('\n');
report.publish(text);
