import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadArmModel } from '../../src/arm/model.ts';
import { FeltPair, fastestAtRest } from './support/felt.ts';

/** Share of a joint's torque limit that floating may ask of it. */
const CAP_SHARE = 0.5;

/** One of a hundred messages is lost, and they take so long on their way, s, and up to a fifth longer. */
const network = (delay: number) => ({ delay, jitter: delay / 5, loss: 0.01 });

test.each([
  ['koch', 'so101', null],
  ['so100', 'so101', null],
  ['wx250s', 'so101', null],
  ['so101', 'koch', null],
  ['so101', 'wx250s', null],
  ['wx250s', 'wx250s', null],
  ['wx250s', 'wx250s', 0],
  ['wx250s', 'wx250s', 0.06],
  ['so101', 'wx250s', 0.06],
  ['so101', 'koch', 0.06],
  ['so100', 'so101', 0.02],
  ['koch', 'so101', 0.06],
])(
  'a %s that leads a %s (delay of a network: %s s) pushes back within its cap, and hands come to rest at foam and at a wall',
  async (leader, follower, delay) => {
    const pair = await FeltPair.start(
      { arm: 1 },
      {
        models: [leader, follower],
        variant: leader === 'koch' ? 'leader' : 'follower',
        network: delay === null ? null : network(delay),
      },
    );
    const [first, other] = ['leader', 'follower'].map((name) => pair.bridge.arm(name).model.joints[0]!);
    const cap = CAP_SHARE * first!.torqueLimit;
    const side = first!.roleFrame!.sign === other!.roleFrame!.sign ? 1 : -1;
    for (const stiffness of [2, 10]) {
      for (const wallStiffness of [5, 1000]) {
        const start = pair.place('leader', first!.name);
        let goal = start;
        pair.hand(first!.name, stiffness, 0.02 * Math.sqrt(stiffness), () => goal);
        const wall = pair.wall(other!.name, pair.place('follower', other!.name) + side * 0.15, wallStiffness, side);
        // A hand that draws with all that the leader may push back with, and a little more for its friction.
        for (const deepest = start + 0.2 + (cap + 0.4) / stiffness; goal < deepest; goal += 0.006)
          await pair.bridge.pass(0.01);
        const fastest = await fastestAtRest(pair, 0, delay === null ? 1.5 : 3);
        const label = `hand ${stiffness} Nm/rad, wall ${wallStiffness} Nm/rad`;
        const pushes = Math.abs(pair.sim('leader').truth(0).motorTorques[0]!);
        expect(fastest, label).toBeLessThan(0.1);
        expect(Math.abs(wall()), label).toBeGreaterThan(0.1);
        expect(pushes, label).toBeLessThan(cap + 0.05);
        if (wallStiffness > 100) expect(pushes, label).toBeGreaterThan(0.5 * Math.min(cap, Math.abs(wall())));
        for (; goal > start; goal -= 0.006) await pair.bridge.pass(0.01);
        await pair.bridge.pass(0.5);
        pair.clear();
      }
    }
  },
  300_000,
);

test('the document tells what each leader can push back with', () => {
  const rows = [
    ['SO-101 leader', 'so101', 'leader'],
    ['SO-101, SO-100 follower', 'so100', 'follower'],
    ['Koch v1.1 leader', 'koch', 'leader'],
    ['Koch v1.1 follower', 'koch', 'follower'],
    ['WidowX 250s', 'wx250s', 'follower'],
  ].map(([title, model, variant]) => {
    const caps = loadArmModel(model!, variant!).joints.map(({ torqueLimit }) => (CAP_SHARE * torqueLimit).toFixed(2));
    return `| ${title} | ${caps.join(', ')} |`;
  });
  expect(readFileSync(new URL('../../docs/teleoperation.md', import.meta.url), 'utf8')).toContain(rows.join('\n  '));
});
