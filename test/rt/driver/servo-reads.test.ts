import { describe, expect, test } from 'vitest';
import { type Block, blocksOf, countsIn, ReadPlan, type Wanted } from '../../../src/rt/driver/servo-reads.ts';
import { MAX_BLOCK } from '../../../src/servo/servo-bus.ts';
import { modelByName } from '../../../src/servo/servo-models.ts';

const feetech = modelByName('STS3215')!;
const dynamixel = modelByName('XL330-M077')!;
const blocks = (model: typeof feetech) => {
  const { family } = model;
  const limits = family.positionModes.map((mode) => family.effortLimit(model, mode)!.register);
  return blocksOf(family.reads, model.common, limits);
};
const QUIET: Wanted = { arming: false, state: false, gains: 'none' };

/** What a block holds, in short. */
function contents({ position, detail, alarms, torque, goal, gain, effortLimit }: Block): string[] {
  const all = { position, detail, alarms, torque, goal, gain, effortLimit };
  return Object.entries(all).flatMap(([name, held]) => (held ? [name] : []));
}

describe('the reads of a cycle', () => {
  test('of a Feetech servo bring torque, goal and position at once', () => {
    const made = blocks(feetech);
    expect(contents(made.position)).toEqual(['position']);
    expect([made.position.address, made.position.length]).toEqual([56, 2]);
    expect(contents(made.detail)).toEqual(['position', 'detail', 'alarms']);
    // Addresses of the memory table: position 56, status 65.
    expect([made.detail.address, made.detail.length]).toEqual([56, 10]);
    expect(contents(made.state)).toEqual(['position', 'torque', 'goal', 'effortLimit']);
    expect([made.state.address, made.state.length]).toEqual([40, 18]);
    expect(made.goals).toBe(null);
    expect(contents(made.gain)).toEqual(['gain']);
    // Its gain is too far from its torque limit to be read with it.
    expect(contents(made.caps)).toEqual(['effortLimit']);
    expect([made.caps.address, made.caps.length]).toEqual([48, 2]);
  });

  test('of a Dynamixel servo bring torque and goals apart, and its largest current with its gain', () => {
    const made = blocks(dynamixel);
    expect(contents(made.position)).toEqual(['position']);
    expect([made.position.address, made.position.length]).toEqual([132, 4]);
    expect(contents(made.detail)).toEqual(['position', 'detail']);
    expect(contents(made.state)).toEqual(['alarms', 'torque']);
    expect(contents(made.goals!)).toEqual(['position', 'goal']);
    expect(contents(made.gain)).toEqual(['gain']);
    expect(contents(made.caps)).toEqual(['gain', 'effortLimit']);
    // e-manual: position P gain 84 (2 bytes), goal current 102 (2 bytes).
    expect([made.caps.address, made.caps.length]).toEqual([84, 20]);
    for (const block of Object.values(made)) if (block !== null) expect(block.length).toBeLessThanOrEqual(MAX_BLOCK);
  });

  test('hold a register of each servo where its block has it', () => {
    const { presentPosition } = feetech.common;
    const block = blocks(feetech).state;
    const bytes = new Uint8Array(2 * MAX_BLOCK);
    bytes.set([0x34, 0x12], MAX_BLOCK + 16);
    expect(countsIn(bytes, 1, block, presentPosition)).toBe(0x1234);
    expect(countsIn(bytes, 0, block, presentPosition)).toBe(0);
  });
});

describe('what a cycle reads', () => {
  /** A plan whose details and state have just been read. */
  function readPlan(model: typeof feetech) {
    const made = blocks(model);
    const plan = new ReadPlan(made);
    plan.begin(10);
    plan.brought(made.detail, 10);
    const chosen = (wanted: Partial<Wanted>, now: number): string[] => {
      plan.choose({ ...QUIET, ...wanted }, now);
      const names = Object.entries(made);
      const nameOf = (block: Block | null): string[] =>
        block === null ? [] : [names.find(([, other]) => other === block)![0]];
      return [...nameOf(plan.first), ...nameOf(plan.second)];
    };
    return { plan, made, chosen };
  }

  test('is positions, details every 50 ms, and the state every 250 ms', () => {
    const { plan, made, chosen } = readPlan(feetech);
    expect(chosen({}, 10.01)).toEqual(['position']);
    expect(chosen({}, 10.049)).toEqual(['position']);
    expect(chosen({}, 10.05)).toEqual(['detail']);
    plan.brought(made.detail, 10.05);
    expect(chosen({}, 10.09)).toEqual(['position']);
    // What has not come is asked for again.
    expect(chosen({}, 10.101)).toEqual(['detail']);
    expect(chosen({}, 10.11)).toEqual(['detail']);
    expect(chosen({}, 10.25)).toEqual(['state']);
    plan.brought(made.state, 10.25);
    plan.brought(made.detail, 10.25);
    expect(chosen({}, 10.27)).toEqual(['position']);
    plan.begin(20);
    expect(chosen({}, 20)).toEqual(['detail']);
  });

  test('is the state at once when it is wanted, before details', () => {
    const { chosen } = readPlan(feetech);
    expect(chosen({ state: true }, 10.01)).toEqual(['state']);
    expect(chosen({ arming: true }, 10.2)).toEqual(['state']);
    expect(chosen({ gains: 'gain' }, 10.01)).toEqual(['position', 'gain']);
    expect(chosen({ gains: 'gain', state: true }, 10.01)).toEqual(['state', 'gain']);
  });

  test('is both goals and torque where they lie apart: gains wait, details come first unless torque goes on', () => {
    const { chosen } = readPlan(dynamixel);
    expect(chosen({}, 10.01)).toEqual(['position']);
    expect(chosen({ arming: true }, 10.2)).toEqual(['goals', 'state']);
    expect(chosen({ state: true }, 10.01)).toEqual(['goals', 'state']);
    expect(chosen({ state: true }, 10.06)).toEqual(['detail', 'state']);
    expect(chosen({ state: true, gains: 'caps' }, 10.01)).toEqual(['goals', 'state']);
    expect(chosen({ gains: 'caps' }, 10.01)).toEqual(['position', 'caps']);
    expect(chosen({ gains: 'gain' }, 10.06)).toEqual(['detail', 'gain']);
  });
});
