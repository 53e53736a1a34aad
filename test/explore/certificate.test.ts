import { expect, it } from 'vitest';
import { certified, type Shown } from '../../explore/certificate.ts';
import type { Figures, Rule } from '../../explore/judge.ts';

const NONE: Figures = {
  step: 0,
  speed: 0,
  acceleration: 0,
  rest: 0,
  way: 0,
  torque: 0,
  goals: 0,
  torqueEvents: 0,
  stops: 0,
};
const DOCUMENT = `Before.

<!-- certificate: begin -->

| Commit | Simulated hours | Runs | Seeds | Runs that broke a rule |
|---|--:|--:|---|---|
| 1111111 | 4.0 | 161 | 1 to 161 | drop 1 |
| 2222222 | 0.5 | 1 | 5 to 5 | none |

<!-- certificate: end -->

After.
`;

function entry(seed: number, commit: string, figures: Partial<Figures>, broken: Partial<Record<Rule, number>> = {}) {
  const shown: Shown = {
    seconds: 1800,
    faults: { 'a dead servo': 1 },
    broken,
    figures: { feetech: { ...NONE, ...figures }, dynamixel: NONE },
  };
  return { seed, commit, shown };
}

it('tells what the runs at one commit have shown, and keeps what was told of others', () => {
  const entries = [
    entry(5, '2222222', { goals: 10 }, { drop: 1 }),
    entry(6, '2222222', { goals: 10 }, { drop: 1, stop: 1 }),
    entry(8, '3333333', { goals: 1000, step: 0.03, stops: 1 }),
    entry(7, '3333333', { goals: 2000, step: 0.02, stops: 2 }),
  ];
  const text = certified(DOCUMENT, entries, '3333333');
  expect(text).toMatch(/^Before\.\n/);
  expect(text).toMatch(/\nAfter\.\n$/);
  expect(text).toContain('**1.0 simulated hours** in 2 runs at commit 3333333: **no rule of the judge was broken**.');
  expect(text).toContain('| goals sent to servos | 3 000 |');
  expect(text).toContain('| largest step of a goal of a servo with torque | 0.030 rad |');
  expect(text).toContain('| stops of arms with torque | 3 |');
  expect(text).toContain('| a dead servo | 2 |');
  expect(text.match(/^\| \d{7} .*$/gm)).toEqual([
    '| 1111111 | 4.0 | 161 | 1 to 161 | drop 1 |',
    '| 2222222 | 1.0 | 2 | 5 to 6 | drop 2, stop 1 |',
    '| 3333333 | 1.0 | 2 | 7 to 8 | none |',
  ]);
  expect(certified(text, entries, '3333333')).toBe(text);
  expect(certified(DOCUMENT, entries, '2222222')).toContain(
    '**rules of the judge were broken**, in runs: drop 2, stop 1.',
  );
});

it('says that it has no run of a commit', () => {
  expect(() => certified(DOCUMENT, [], '3333333')).toThrow(/no run was at commit 3333333/);
});
