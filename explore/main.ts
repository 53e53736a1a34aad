/**
 * `npm run explore -- --seed N --hours H`: runs of random people and faults in virtual time, one after the other, until so
 * many simulated hours have passed. What breaks a rule is shortened and kept. With `--certificate`, what they have shown is
 * written to docs/safety.md.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import loadMujoco from '@mujoco/mujoco';
import { Certificate } from './certificate.ts';
import { KNOWN } from './known.ts';
import { drawRun } from './people.ts';
import { breaks, shorten } from './shrink.ts';
import { run } from './world.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    hours: { type: 'string', default: '0.1' },
    keep: { type: 'string', default: 'build/explore' },
    certificate: { type: 'boolean', default: false },
    'no-shorten': { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});

const mujoco = await loadMujoco();
const until = Number(values.hours) * 3600;
const first = Number(values.seed);
const certificate = new Certificate();
let last = first;
let simulated = 0;
let found = 0;
const begun = performance.now();
for (let seed = first; simulated < until; seed++) {
  last = seed;
  const { script, faults } = drawRun(seed);
  const start = performance.now();
  const world = await run(script, script.layout.physics === 'mujoco' ? mujoco : null);
  const wall = (performance.now() - start) / 1000;
  simulated += world.now;
  const violations = world.judge.violations.filter(({ rule }) => KNOWN[rule] === undefined);
  const { model } = script.layout.arms[0]!;
  const pace = (world.now / wall).toFixed(0);
  console.log(
    `seed ${seed} ${model} ${script.layout.physics}: ${world.now.toFixed(0)} s at ${pace}x, ${world.asked.length} asked, ` +
      `${violations.length} violations, bytes ${world.bytes} ${world.fingerprint.toString(16)}`,
  );
  for (const { rule, at, arm, text } of violations)
    console.log(`  ${rule}, ${arm || 'bridge'} at ${at.toFixed(3)} s: ${text}`);
  if (values.verbose) {
    for (const { at, text } of world.log) console.log(`    log ${at.toFixed(3)} ${text}`);
    for (const { at, method, url, answer } of world.asked)
      console.log(`    asked ${at.toFixed(3)} ${method} ${url}: ${JSON.stringify(answer)?.slice(0, 300)}`);
    console.log(`    faults: ${faults.join(', ')}`);
  }
  certificate.add(world, faults);
  world.dispose();
  if (violations.length === 0) continue;
  found++;
  if (values['no-shorten']) continue;
  const { rule } = violations[0]!;
  const short = await shorten(script, breaks(rule, script.layout.physics === 'mujoco' ? mujoco : null));
  mkdirSync(values.keep, { recursive: true });
  const file = `${values.keep}/${rule.replaceAll(' ', '-')}-${seed}.json`;
  writeFileSync(file, `${JSON.stringify({ ...short.script, rule }, null, 1)}\n`);
  console.log(`  shortened to ${short.script.steps.length} steps: ${file}: ${short.violation?.text}`);
  for (const step of short.script.steps) console.log(`    ${JSON.stringify(step)}`);
}
if (values.certificate) {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const document = new URL('../docs/safety.md', import.meta.url);
  writeFileSync(document, certificate.within(readFileSync(document, 'utf8'), [first, last], commit));
}
const wall = (performance.now() - begun) / 1000;
console.log(`${(simulated / 3600).toFixed(2)} hours in ${wall.toFixed(0)} s, ${found} runs with violations`);
process.exitCode = found > 0 ? 1 : 0;
