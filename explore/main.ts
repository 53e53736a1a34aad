/**
 * `npm run explore -- --seed N --hours H`: runs of random people and faults in virtual time, one after the other, until so
 * many simulated hours have passed; with `--jobs J` in so many processes, each with its share of the seeds. What breaks a
 * rule is shortened and kept. What runs have shown is added to a file; with `--certificate`, what stands in it is written to
 * docs/safety.md.
 */
import { fork } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import loadMujoco, { type MainModule } from '@mujoco/mujoco';
import { certified, type Shown, shownBy } from './certificate.ts';
import type { Rule } from './judge.ts';
import { KNOWN } from './known.ts';
import { appendEntry, readEntries, triedCommit } from './ledger.ts';
import { drawRun } from './people.ts';
import type { Script } from './script.ts';
import { breaks, shorten } from './shrink.ts';
import { run, type World } from './world.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    hours: { type: 'string', default: '0.1' },
    jobs: { type: 'string', default: '1' },
    /** Of the seeds from the first on, each so many-th. */
    stride: { type: 'string', default: '1' },
    keep: { type: 'string', default: 'build/explore' },
    /** The file that each run is added to. */
    runs: { type: 'string', default: 'build/explore/runs.jsonl' },
    certificate: { type: 'boolean', default: false },
    'no-shorten': { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});

/** What a process tells the one that has started it, run by run. */
interface Report {
  readonly seed: number;
  readonly shown: Shown;
}

const first = Number(values.seed);
const hours = Number(values.hours);
const jobs = Number(values.jobs);
let simulated = 0;
let found = 0;
const commit = triedCommit();
if (values.certificate && commit.endsWith('+'))
  throw new Error(`files differ from commit ${commit.slice(0, -1)}: a certificate is of a commit`);

function take({ seed, shown }: Report): void {
  simulated += shown.seconds;
  if (Object.keys(shown.broken).length > 0) found++;
  if (process.send === undefined) appendEntry(values.runs, { seed, commit, shown });
}

/** Runs a share of the seeds in this process. */
async function explore(tell: (report: Report) => void): Promise<void> {
  const mujoco = await loadMujoco();
  let passed = 0;
  for (let seed = first; passed < hours * 3600; seed += Number(values.stride)) {
    const { script, faults } = drawRun(seed);
    const start = performance.now();
    const world = await run(script, script.layout.physics === 'mujoco' ? mujoco : null);
    const pace = (world.now / ((performance.now() - start) / 1000)).toFixed(0);
    passed += world.now;
    const violations = world.judge.violations.filter(({ rule }) => KNOWN[rule] === undefined);
    const lines = [
      `seed ${seed} ${script.layout.arms[0]!.model} ${script.layout.physics}: ${world.now.toFixed(0)} s at ${pace}x, ` +
        `${world.asked.length} asked, ${violations.length} violations, bytes ${world.bytes} ${world.fingerprint.toString(16)}`,
      ...violations.map(({ rule, at, arm, text }) => `  ${rule}, ${arm || 'bridge'} at ${at.toFixed(3)} s: ${text}`),
    ];
    if (values.verbose) lines.push(...details(world), `    faults: ${faults.join(', ')}`);
    console.log(lines.join('\n'));
    tell({ seed, shown: shownBy(world, faults) });
    world.dispose();
    if (violations.length > 0 && !values['no-shorten'])
      await keepShort(script, violations[0]!.rule, script.layout.physics === 'mujoco' ? mujoco : null);
  }
}

function details({ log, asked }: World): string[] {
  return [
    ...log.map(({ at, text }) => `    log ${at.toFixed(3)} ${text}`),
    ...asked.map(
      ({ at, method, url, answer }) =>
        `    asked ${at.toFixed(3)} ${method} ${url}: ${JSON.stringify(answer)?.slice(0, 300)}`,
    ),
  ];
}

async function keepShort(script: Script, rule: Rule, mujoco: MainModule | null): Promise<void> {
  const short = await shorten(script, breaks(rule, mujoco));
  mkdirSync(values.keep, { recursive: true });
  const file = `${values.keep}/${rule.replaceAll(' ', '-')}-${script.seed}.json`;
  writeFileSync(file, `${JSON.stringify({ ...short.script, rule }, null, 1)}\n`);
  const steps = short.script.steps.map((step) => `    ${JSON.stringify(step)}`);
  console.log([`  shortened to ${steps.length} steps: ${file}: ${short.violation?.text}`, ...steps].join('\n'));
}

/** Has a process of its own run each `jobs`-th seed from `seed` on. */
function exploreBeside(seed: number): Promise<void> {
  const flags = ['no-shorten', 'verbose'] as const;
  const share = ['--seed', `${seed}`, '--stride', `${jobs}`, '--hours', `${hours / jobs}`, '--keep', values.keep];
  const child = fork(fileURLToPath(import.meta.url), [
    ...share,
    ...flags.filter((flag) => values[flag]).map((flag) => `--${flag}`),
  ]);
  child.on('message', (report) => take(report as Report));
  return new Promise((resolve, reject) => {
    child.once('exit', (code) =>
      code === null || code > 1 ? reject(new Error(`seed ${seed}: ended with ${code}`)) : resolve(),
    );
  });
}

const begun = performance.now();
if (jobs > 1) await Promise.all(Array.from({ length: jobs }, (_, k) => exploreBeside(first + k)));
else
  await explore((report) => {
    take(report);
    process.send?.(report);
  });
if (process.send === undefined) {
  if (values.certificate) {
    const document = new URL('../docs/safety.md', import.meta.url);
    writeFileSync(document, certified(readFileSync(document, 'utf8'), readEntries(values.runs), commit));
  }
  const wall = (performance.now() - begun) / 1000;
  console.log(`${(simulated / 3600).toFixed(2)} hours in ${wall.toFixed(0)} s, ${found} runs with violations`);
}
process.exitCode = found > 0 ? 1 : 0;
