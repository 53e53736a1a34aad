import { expect, it, vi } from 'vitest';
import type { Violation } from '../../explore/judge.ts';
import { drawRun } from '../../explore/people.ts';
import { pairOf, type Script } from '../../explore/script.ts';
import { shorten } from '../../explore/shrink.ts';
import { run } from '../../explore/world.ts';

const FOLLOWER = 1;
// Minutes of virtual time take as long as a busy machine needs.
vi.setConfig({ testTimeout: 600_000 });

it('draws the same run from the same seed, and sends the same bytes at the same instants in it', async () => {
  const { script } = drawRun(2);
  expect(drawRun(2).script).toEqual(script);
  const short = { ...script, steps: script.steps.filter(({ at }) => at < 8), length: 10 };
  const fingerprints = new Set<string>();
  for (let i = 0; i < 2; i++) {
    const world = await run(short, null, 'none');
    fingerprints.add(`${world.bytes} ${world.fingerprint}`);
    world.dispose();
  }
  expect(fingerprints.size).toBe(1);
});

it('lets nothing happen to arms that nobody asks anything, and what they are asked to do is done', async () => {
  const script: Script = {
    name: 'a quiet day',
    seed: 1,
    layout: pairOf('so101'),
    steps: [
      { at: 1, do: 'ask', url: `/move/init?robot_id=${FOLLOWER}` },
      { at: 4, do: 'ask', url: `/move/absolute?robot_id=${FOLLOWER}`, body: { x: 1, y: 2, z: -1 } },
      { at: 8, do: 'ask', url: '/move/leader/start', body: { robot_pairs: [{ leader_id: 0, follower_id: FOLLOWER }] } },
      { at: 9, do: 'hand', arm: 'leader', joints: { shoulder_pan: 0.5 }, over: 1 },
      { at: 13, do: 'ask', url: '/move/leader/stop' },
      { at: 15, do: 'ask', url: `/move/sleep?robot_id=${FOLLOWER}` },
    ],
    length: 22,
  };
  const world = await run(script, null);
  expect(world.judge.violations).toEqual([]);
  expect(world.asked.map(({ answer }) => answer?.status)).toEqual(world.asked.map(() => 200));
  const { feetech } = world.judge.figures;
  expect(feetech.step).toBeGreaterThan(0.005);
  expect(feetech.step).toBeLessThan(0.035);
  expect(feetech.torqueEvents).toBeGreaterThan(12);
  world.dispose();
});

it('shortens a script to the steps that show the same', async () => {
  const { script } = drawRun(2);
  const [first, second] = [script.steps[7]!, script.steps[20]!];
  const shows = async ({ steps }: Script): Promise<Violation | null> => {
    const both = steps.includes(first) && steps.includes(second);
    return both ? { rule: 'unasked', at: second.at + 1, arm: 'leader', text: '' } : null;
  };
  const short = await shorten(script, shows);
  expect(short.script.steps).toEqual([first, second]);
  expect(short.violation?.rule).toBe('unasked');
});
