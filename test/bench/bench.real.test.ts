import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { livingChildren } from '../e2e/support/bridge.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

// Its types are checked with all others (npm run typecheck).
const COMPILE = ['node_modules/typescript/bin/tsc', '-p', 'bench/tsconfig.json', '--noCheck'];
beforeAll(() => run(process.execPath, COMPILE, { cwd: ROOT }));

/** The others measure the same of the other family, or as these do with other figures. */
const CASES = ['mirror', 'losses', 'whole', 'heap', 'dynamixel-bus'];
const peers = Boolean(process.env.ARM_BRIDGE_WITNESS_PYTHON);

it.skipIf(!existsSync('/dev/ptmx'))(
  'the benchmark measures cases of each kind, tells their targets, and leaves no process behind',
  async () => {
    const { stdout } = await run(process.execPath, ['build/bench/bench/main.js', '--short', '--only', ...CASES], {
      cwd: ROOT,
    });
    const measured = stdout.split('\n').filter((line) => /^\| (mirror|one \S+ bus), /.test(line));
    const ours = measured.filter((line) => line.includes('| Arm Bridge'));
    expect(ours).toHaveLength(8);
    expect(measured).toHaveLength(peers ? 12 : 8);
    for (const line of measured) expect(line).not.toMatch(/NaN|Infinity/);
    // One target more where the control thread may have a priority.
    const targets = stdout.match(/\| (yes|\*\*no\*\*) +\|/g)!.length - (peers ? 1 : 0);
    expect([10, 11]).toContain(targets);
    expect(stdout).toMatch(/no setpoint skipped +\| \d+ of \d+ cycles without goals; \d+ of/);
    expect(livingChildren()).toEqual([]);
  },
  240_000,
);

it('the benchmark of policies finds the arm smoother by chunks than by goals, in virtual time', async () => {
  const program = ['--import', './explore/typescript.mjs', 'bench/policy.ts', '--short'];
  const { stdout } = await run(process.execPath, program, { cwd: ROOT });
  expect(stdout.match(/\| yes +\|/g)).toHaveLength(2);
});

it('the benchmark of force feedback finds that a hand feels what pushes the follower, in virtual time', async () => {
  const program = ['--import', './explore/typescript.mjs', 'bench/feedback.ts', '--short'];
  const { stdout } = await run(process.execPath, program, { cwd: ROOT });
  expect(stdout.match(/\| yes +\|/g)).toHaveLength(4);
}, 240_000);

it('the benchmark of HTTP keeps memory in bounds with a hundred clients of the live stream, of which some stop reading', async () => {
  const { stdout } = await run(process.execPath, ['build/bench/bench/http.js', '--short', '--only', 'live'], {
    cwd: ROOT,
  });
  expect(stdout).toMatch(
    /^\| 100 WebSockets at 50 Hz, 10 of which stop reading: memory .*, 0 lost their connection +\| yes/m,
  );
  expect(livingChildren()).toEqual([]);
}, 240_000);
