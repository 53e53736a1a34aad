import { expect, test } from 'vitest';
import { FEETECH_GEAR, FeltPair, networkOf, PAN } from './support/felt.ts';

test.each([
  [100, 0.06, [1.25, 5, 60], [5, 20, 1000]],
  [200, 0, [1.25, 5, 60], [5, 20, 1000]],
  [200, 0.02, [1.25, 5, 60], [5, 20, 1000]],
  [200, 0.06, [1.25, 5, 60], [5, 20, 1000]],
  [500, 0.06, [1.25, 5, 60], [5, 20, 1000]],
  [100, 0, [1.25, 60], [5, 1000]],
  [100, 0.02, [1.25, 60], [5, 1000]],
  [500, 0, [1.25, 60], [5, 1000]],
  [500, 0.02, [1.25, 60], [5, 1000]],
])(
  'at %i Hz and with %f s each way to the follower soft and stiff hands come to rest at foam, soft and stiff walls',
  async (rate, delay, hands, walls) => {
    const pair = await FeltPair.start({ arm: 1 }, { rate, gear: FEETECH_GEAR, network: networkOf(delay) });
    const leader = pair.sim('leader').physics;
    for (const stiffness of hands) {
      for (const wallStiffness of walls) {
        const start = pair.place('leader', PAN);
        let goal = start;
        pair.hand(PAN, stiffness, 0.02 * Math.sqrt(stiffness), () => goal);
        const wall = pair.wall(PAN, start + 0.15, wallStiffness);
        const deepest = start + Math.min(0.5, 0.19 + 1 / stiffness);
        let least = pair.given;
        let most = 0;
        const pass = async (): Promise<void> => {
          await pair.bridge.pass(0.01);
          least = Math.min(least, pair.given);
          most = Math.max(most, pair.given - least);
        };
        const before = pair.given;
        for (; goal < deepest; goal += 0.006) await pass();
        for (let k = 0; k < 150; k++) await pass();
        let fastest = 0;
        for (let k = 0; k < 50; k++) {
          await pass();
          fastest = Math.max(fastest, Math.abs(leader.velocities[0]!));
        }
        const label = `hand ${stiffness} Nm/rad, wall ${wallStiffness} Nm/rad`;
        expect(fastest, label).toBeLessThan(0.1);
        expect(-wall(), label).toBeGreaterThan(wallStiffness < 20 ? 0.15 : 0.3);
        for (; goal > start; goal -= 0.006) await pass();
        for (let k = 0; k < 50; k++) await pass();
        // What a hand gets back of a spring that it has pressed, and in all less than it has put in.
        expect(most, label).toBeLessThan(0.12);
        expect(pair.given - before, label).toBeLessThan(0);
        pair.clear();
      }
    }
  },
  300_000,
);
