import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { loadArmModel } from '../../../src/arm/model.ts';
import { systemClock } from '../../../src/clock.ts';
import { calibrationFile } from '../../../src/config/calibration.ts';
import { MAIN } from '../../cli/support/program.ts';
import { TableArm } from '../../support/table-arm.ts';
import { ENTER, INTERRUPT, Typist } from '../../support/typist.ts';
import { registersByMaker, WITNESS_PYTHON } from '../../support/witness.ts';
import { SerialEnd } from './support/serial-end.ts';

/** A busy machine makes servos fall silent for a moment: then a person tries again. */
const TRIES = 6;
const DISTURBED = /disconnected|not answer|does not follow|answer differently/;
const PATIENCE = { timeout: 60_000, interval: 20 };

let folder: string;
let typist: Typist;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-terminal-'));
});
afterEach(() => typist.close());
afterAll(() => rmSync(folder, { recursive: true }));

/** The program in a terminal, with a state folder of its own. */
function run(...args: string[]): Typist {
  typist = new Typist([process.execPath, MAIN, ...args], { XDG_STATE_HOME: join(folder, 'state') });
  return typist;
}

describe.skipIf(process.platform !== 'linux')('a person at a terminal', () => {
  it('calibrates an arm by hand; interrupted, it lets go of the arm and keeps nothing', {
    timeout: 300_000,
  }, async () => {
    const horns = [-300, 200, 148, -100, 150, 37];
    const model = loadArmModel('so101');
    const table = new TableArm(systemClock, model, horns, ['wrist_flex']);
    const line = new SerialEnd(table);
    await line.plugIn();
    const file = join(folder, 'table.yaml');
    const content = { control: { rate: 50 }, arms: [{ name: 'table', model: 'so101', bus: `serial:${line.path}` }] };
    writeFileSync(file, JSON.stringify(content));
    const kept = join(folder, 'state', 'arm-bridge', 'calibration', 'table.json');
    /** Takes the calibration to where the arm holds. */
    const toHold = async (): Promise<void> => {
      table.putAll(0.5);
      run('calibrate', '--config', file);
      await typist.until('Step 1 of 5');
      typist.type(ENTER);
      await typist.until('Step 2 of 5');
      // The screen says when the bridge has seen the hand; an encoder tells moves of less than half a turn.
      for (const part of [0.3, 0.1, 0, 0.7, 0.9, 1]) {
        table.putAll(part);
        const degrees = 220 * (part - 0.5);
        await expect.poll(() => Math.min(...led().map((end) => Math.abs(end - degrees))), PATIENCE).toBeLessThan(3);
      }
      await expect.poll(() => typist.news.split('joint ').at(-1)!.match(/ok/g)?.length, PATIENCE).toBe(6);
      table.putAll(0.5);
      typist.type(ENTER);
      await typist.until('Step 3 of 5');
      expect(table.limp).toBe(true);
      typist.type(ENTER);
      await typist.until('Step 4 of 5');
      expect(table.limp).toBe(false);
    };
    /** Between which angles the first joint has been led, as the screen says, degrees. */
    const led = (): number[] => {
      const ends = [...typist.news.matchAll(/shoulder_pan +(-?\d+) to (-?\d+)/g)].at(-1);
      return ends === undefined ? [Number.NaN] : [Number(ends[1]), Number(ends[2])];
    };
    /** Lets each joint move; where one was late on a busy machine, once more. */
    const moved = async (): Promise<void> => {
      const [all, late] = ['◆  Did every joint go the way that was said?', 'Not yet: '];
      for (let tries = 0; tries < TRIES; tries++) {
        typist.type(ENTER);
        if ((await typist.until(all, late)) === all) return;
        await typist.until('The arm holds: take your hands off it.');
      }
      expect.fail(typist.screen);
    };
    try {
      await patiently(table, async () => {
        run('calibrate', '--config', file);
        await typist.until('Step 1 of 5');
        typist.type(ENTER);
        await typist.until('shoulder_pan ');
        typist.type(INTERRUPT);
        await typist.until('Ended: take hold of the arm');
        expect(await typist.ended()).toBe(1);
        expect([table.limp, existsSync(kept)]).toEqual([true, false]);
      });

      await patiently(table, async () => {
        await toHold();
        await moved();
        await typist.choose('Did every joint go the way that was said?', 'No: some went the other way');
        await typist.until('◆  Which went the other way?');
        for (let down = 0; down < 3; down++) typist.type('\x1b[B');
        typist.type(` ${ENTER}`);
        await typist.until('wrist_flex: turned round.');
        typist.type(ENTER);
        await typist.until('Step 4 of 5');
        await moved();
        await typist.choose('Did every joint go the way that was said?', 'Yes: keep the calibration');
        await typist.until('table is calibrated and limp');
        expect(await typist.ended()).toBe(0);
      });
      expect(table.limp).toBe(true);
      const { joints } = calibrationFile.parse(JSON.parse(readFileSync(kept, 'utf8')));
      for (const [i, { name, servos }] of model.joints.entries()) {
        const { zero, sign, homing_offset: offset } = joints[name]!;
        expect(sign, name).toBe(servos[0]!.sign * (name === 'wrist_flex' ? -1 : 1));
        // A servo says the step of its encoder less its offset; the horns were put on so many steps beside the arm's data.
        const beside = servos[0]!.zero + horns[i]! - offset - zero;
        expect(Math.abs(beside - 4096 * Math.round(beside / 4096)), name).toBeLessThanOrEqual(3);
      }
      if (WITNESS_PYTHON === undefined) return;
      const ids = model.joints.map(({ servos }) => servos[0]!.id);
      const raw = await registersByMaker('feetech', line.path, ...ids.map((id) => `${id}:31:2`));
      expect(raw.map((value) => (value & 0x800 ? -(value & 0x7ff) : value))).toEqual(
        Object.values(joints).map((joint) => joint.homing_offset),
      );
      expect(await registersByMaker('feetech', line.path, ...ids.map((id) => `${id}:55:1`))).toEqual(ids.map(() => 1));
    } finally {
      table.end();
      await line.close();
    }
  });
});

/** Runs a task again when servos were not heard on a busy machine, as a person would. */
async function patiently(table: TableArm, task: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await task();
    } catch (error) {
      if (tries === TRIES || !DISTURBED.test(typist.screen)) throw error;
      await typist.close();
      // An arm that was not heard holds, as it should: the switch of its supply lets go of it.
      table.powerCycle();
    }
  }
}
