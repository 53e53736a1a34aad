import { expect, onTestFinished, test } from 'vitest';
import { lineOf } from '../../../src/cli/setup/line.ts';
import { systemClock } from '../../../src/clock.ts';
import { benchAt } from '../../../src/servo/bench.ts';
import { expectedServos } from '../../../src/servo/expected-servo.ts';
import { familyByName } from '../../../src/servo/families.ts';
import { ServedArm } from '../../../src/sim/serve.ts';
import { registersByMaker, WITNESS_PYTHON } from '../../support/witness.ts';
import { armOfPairs, linkJoints } from './support/joint-servos.ts';

test.skipIf(!WITNESS_PYTHON || process.platform !== 'linux')(
  'grippers have their protection as another program reads it over the line',
  async () => {
    const arm = await ServedArm.start({ clock: systemClock, arm: armOfPairs(undefined, false), pty: { link: null } });
    onTestFinished(() => arm.close());
    const line = lineOf(`serial:${arm.path}`, familyByName('dynamixel'));
    // Both ends of the line live on this thread: a busy machine may let an answer come too late.
    const set = () =>
      benchAt(line, 1_000_000)
        .restore(linkJoints(Math.PI).flatMap(expectedServos))
        .then(() => true);
    await expect.poll(set, { timeout: 30_000 }).toBe(true);
    const registers = ['7:11:1', '7:38:2', '8:36:2', '6:36:2', '2:84:2', '3:84:2'];
    expect(await registersByMaker('dynamixel', arm.path!, ...registers)).toEqual([5, 735, 442, 885, 640, 640]);
  },
);
