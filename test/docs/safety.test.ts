import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadArmModel } from '../../src/arm/model.ts';
import { STOP_TIME } from '../../src/rt/joint/gate.ts';
import { RAMP_SPEED, STALE } from '../../src/rt/sources/follow.ts';
import { HAND_SPEED, HAND_TORQUE } from '../../src/sim/hand.ts';
import { ROOT } from './support/blocks.ts';

const text = readFileSync(join(ROOT, 'docs/safety.md'), 'utf8');
const model = loadArmModel('so101');

/** Numbers of the table row that begins with `label`. */
function row(label: string): number[] {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`| ${label} |`));
  if (line === undefined) throw new Error(`docs/safety.md has no row "${label}"`);
  return [...line.slice(label.length + 3).matchAll(/-?\d+(\.\d+)?/g)].map(([number]) => Number(number));
}

test('the limits of the gate are those of the SO-101', () => {
  for (const joint of model.joints) {
    expect(row('moves')).toEqual([joint.move.velocity, joint.move.acceleration]);
    expect(row('mirroring and streams')).toEqual([joint.mirror.velocity, joint.mirror.acceleration]);
    expect(row(joint.name)).toEqual([joint.lower, joint.upper]);
  }
  expect(row('approach before following')).toEqual([RAMP_SPEED, model.joints[0]!.mirror.acceleration]);
  expect(row('stop')).toEqual([STOP_TIME]);
  expect(row("leader's sample or stream older than 0.1 s")).toEqual([]);
  expect(STALE).toBe(0.1);
});

test('the hand of the simulation is as strong and as quick as it is said to be', () => {
  expect(text).toContain(`at most ${HAND_TORQUE} Nm per joint, at most ${HAND_SPEED} rad/s`);
});
