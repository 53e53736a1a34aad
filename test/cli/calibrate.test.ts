import { expect, test } from 'vitest';
import { Flags, type Options } from '../../src/cli/calibrate.ts';

test('without a terminal a calibration is kept only by --accept, or once the joints of --reversed have been tried again', async () => {
  const judged = async (more: Partial<Options>) => {
    const options: Options = { config: 'my.yaml', handTime: 1, reversed: [], ...more };
    const flags = new Flags(options, new AbortController().signal);
    return [await flags.judge(), await flags.judge()];
  };
  expect(await judged({})).toEqual([null, null]);
  expect(await judged({ accept: true })).toEqual([[], []]);
  expect(await judged({ reversed: ['gripper', 'wrist_roll'] })).toEqual([['gripper', 'wrist_roll'], []]);
});
