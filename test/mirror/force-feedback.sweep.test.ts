import { expect, test } from 'vitest';
import { FEETECH_GEAR, FeltPair, fastestAtRest, NAMES, PAN } from './support/felt.ts';

test.each([
  [100, 'without play', {}],
  [200, 'without play', {}],
  [500, 'without play', {}],
  [100, 'of an STS3215', FEETECH_GEAR],
  [200, 'of an STS3215', FEETECH_GEAR],
  [500, 'of an STS3215', FEETECH_GEAR],
])(
  'at %i Hz and with gears %s soft and stiff hands come to rest at foam, soft and stiff walls',
  async (rate, _, gear) => {
    const pair = await FeltPair.start({ arm: 1 }, { rate, gear });
    for (const stiffness of [1.25, 5, 20, 60]) {
      for (const wallStiffness of [5, 20, 1000]) {
        const start = pair.place('leader', PAN);
        let goal = start;
        pair.hand(PAN, stiffness, 0.02 * Math.sqrt(stiffness), () => goal);
        const wall = pair.wall(PAN, start + 0.15, wallStiffness);
        const deepest = start + Math.min(0.5, 0.19 + 1 / stiffness);
        const before = pair.given;
        for (; goal < deepest; goal += 0.006) await pair.bridge.pass(0.01);
        const label = `hand ${stiffness} Nm/rad, wall ${wallStiffness} Nm/rad`;
        expect(await fastestAtRest(pair, 0), label).toBeLessThan(0.1);
        expect(-wall(), label).toBeGreaterThan(wallStiffness < 20 ? 0.15 : 0.3);
        for (; goal > start; goal -= 0.006) await pair.bridge.pass(0.01);
        await pair.bridge.pass(0.5);
        expect(pair.given - before, `${label}: energy of the hand`).toBeLessThan(0);
        pair.clear();
      }
    }
  },
  300_000,
);

test.each([
  ...['shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll', 'gripper'].map((joint) => [joint, 100] as const),
  ...['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex'].map((joint) => [joint, 0] as const),
])(
  'hands at %s, with %i percent of the weight carried, come to rest at soft and stiff walls, and put in more than they get back',
  async (joint, carried) => {
    const pair = await FeltPair.start({ arm: 1, gripper: 1 }, { gear: FEETECH_GEAR, carried });
    const index = NAMES.indexOf(joint);
    const { physics } = pair.sim('leader');
    const began = physics.positions.slice();
    for (const stiffness of carried === 0 ? [20, 60] : [1.25, 60]) {
      for (const wallStiffness of [5, 1000]) {
        // The hand also carries what the arm does not.
        if (carried === 0)
          for (const [i, name] of NAMES.entries()) if (i !== index) pair.hand(name, 40, 0.3, () => began[i]!);
        await pair.bridge.pass(0.3);
        const start = pair.place('leader', joint);
        let goal = start;
        pair.hand(joint, stiffness, 0.02 * Math.sqrt(stiffness), () => goal);
        const wall = pair.wall(joint, pair.place('follower', joint) + 0.12, wallStiffness);
        const deepest = start + Math.min(0.5, 0.19 + 1 / stiffness);
        const before = pair.given;
        for (; goal < deepest; goal += 0.006) await pair.bridge.pass(0.01);
        const label = `hand ${stiffness} Nm/rad, wall ${wallStiffness} Nm/rad`;
        expect(await fastestAtRest(pair, index), label).toBeLessThan(0.1);
        expect(-wall(), label).toBeGreaterThan(0.15);
        for (; goal > start; goal -= 0.006) await pair.bridge.pass(0.01);
        await pair.bridge.pass(0.5);
        expect(pair.given - before, `${label}: energy of the hand`).toBeLessThan(0);
        pair.clear();
        if (carried > 0) await pair.stand();
      }
    }
  },
  300_000,
);
