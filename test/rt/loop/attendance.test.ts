import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { Attendance } from '../../../src/rt/loop/attendance.ts';
import { SharedState } from '../../../src/rt/snapshot/shared-snapshot.ts';

const PERIOD = 0.005;

/** What is done over `duration` s in which cycles come every `gap` s, and after how many seconds it was done first. */
function watch(period = PERIOD) {
  const shared = new SharedState([], systemClock);
  const attendance = new Attendance(shared, period);
  let now = 100;
  const run = (duration: number, gap: number, beats: boolean): { readonly done: string[]; readonly after: number } => {
    const done: string[] = [];
    let after = Number.NaN;
    const begun = now;
    for (const end = now + duration; now < end - 1e-9; ) {
      now += gap;
      if (beats) shared.beat();
      const effects = attendance.look(now);
      if (done.length === 0 && effects.length > 0) after = now - begun;
      done.push(...effects);
    }
    return { done, after };
  };
  return { shared, attendance, run };
}

test('a main thread that has beaten and does not any more has all arms brake once, and that is told when it is back', () => {
  const { attendance, run } = watch();
  expect(run(1, PERIOD, true).done).toEqual(['tell']);
  const { done, after } = run(5, PERIOD, false);
  expect(done).toEqual(['abandon']);
  expect(after).toBeGreaterThan(0.25);
  expect(after).toBeLessThan(0.26);
  expect(run(PERIOD, PERIOD, true).done).toEqual(['tell']);
  expect(attendance.silence).toBeCloseTo(5, 1);
  expect(run(0.2, PERIOD, false).done).toEqual([]);
});

test('one that has never beaten is starting: there is nothing to brake', () => {
  expect(watch().run(5, PERIOD, false).done).toEqual([]);
});

test.each([0.1, 12, 3600])(
  'a pause of %s s in which this thread did not run either counts for a late cycle',
  (pause) => {
    const { run } = watch();
    run(1, PERIOD, true);
    expect(run(pause, pause, false).done).toEqual([]);
    expect(run(0.2, PERIOD, false).done).toEqual([]);
    expect(run(0.05, PERIOD, false).done).toEqual(['abandon']);
  },
);

test('where this thread is late all the time, the main thread may be as late', () => {
  const { run } = watch();
  run(1, PERIOD, true);
  expect(run(0.8, 0.08, false).done).toEqual([]);
  expect(run(0.1, 0.08, false).done).toEqual(['abandon']);
});

test.each([0.02, 0.1])('cycles of %s s that are in time count', (period) => {
  const { run } = watch(period);
  run(1, period, true);
  const { done, after } = run(2, period, false);
  expect(done).toEqual(['abandon']);
  expect(after).toBeLessThan(0.25 + period + 1e-6);
});
