import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { armChain, loadArmModel } from '../../src/arm/model.ts';
import { rotationFromAngles } from '../../src/kinematics/angles.ts';
import { angleBetween, rotationFromQuaternion } from '../../src/kinematics/frames.ts';
import { ArmPlanner } from '../../src/motion/planner.ts';
import { ROOT } from './support/blocks.ts';

const DEGREE = Math.PI / 180;
/** The table rounds metres to 4 and directions to 2 places. */
const POSITION_TOLERANCE = 1e-4;
const DIRECTION_TOLERANCE = 0.006;
/** What an arm with five joints may turn off where the table takes a free angle as 0. */
const REACH_TOLERANCE = 2 * DEGREE;

const text = readFileSync(join(ROOT, 'docs/frames.md'), 'utf8');
const model = loadArmModel('so101');
const chain = armChain(model);
const planner = new ArmPlanner(model, chain);

type Coordinates = Partial<Record<'x' | 'y' | 'z' | 'rx' | 'ry' | 'rz', number>>;

const rows = [...text.matchAll(/^\| `(\{.*\})` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
  ([, body, tool, nose, top]) => ({ body: body!, tool: tool!, nose: nose!, top: top! }),
);
const numbers = (cell: string): number[] => cell.split(',').map(Number);

/** Column of a rotation matrix given row by row: an axis of the moved frame. */
const axis = (rotation: Float64Array, column: number): number[] => [0, 3, 6].map((row) => rotation[row + column]!);

function expectClose(actual: readonly number[], expected: readonly number[], tolerance: number): void {
  for (const [i, value] of expected.entries()) expect(Math.abs(actual[i]! - value)).toBeLessThan(tolerance);
}

test('the document has examples of every coordinate', () => {
  expect(rows.length).toBeGreaterThanOrEqual(8);
  for (const name of ['x', 'y', 'z', 'rx', 'ry', 'rz']) {
    const used = rows.some(({ body }) => (JSON.parse(body) as Record<string, number>)[name]);
    expect([name, used]).toEqual([name, true]);
  }
});

test.each(rows)('$body takes the tool to $tool, nose $nose, top $top', ({ body, tool, nose, top }) => {
  const asked = JSON.parse(body) as Coordinates;
  const { position: zero, orientation } = planner.zero;
  const init = rotationFromQuaternion(orientation);
  const angle = (value: number | undefined) => (value === undefined ? null : value * DEGREE);
  const position = {
    x: zero.x + asked.x! / 100,
    y: zero.y + asked.y! / 100,
    z: zero.z + asked.z! / 100,
  };
  const angles = { pitch: angle(asked.rx), yaw: angle(asked.ry), roll: angle(asked.rz) };
  const solution = planner.solve(position, angles, planner.pose('init'));
  expect(solution.reachable).toBe(true);

  const reached = chain.toolPose(solution.q);
  const rotation = rotationFromQuaternion(reached.orientation);
  expectClose([reached.position.x, reached.position.y, reached.position.z], numbers(tool), POSITION_TOLERANCE);
  if (nose === 'free') return;
  const exact = rotationFromAngles({ pitch: angles.pitch!, yaw: angles.yaw ?? 0, roll: angles.roll ?? 0 }, init);
  expectClose(axis(exact, 0), numbers(nose), DIRECTION_TOLERANCE);
  expectClose(axis(exact, 2), numbers(top), DIRECTION_TOLERANCE);
  expect(angleBetween(rotation, exact)).toBeLessThan(REACH_TOLERANCE);
});

test('the zero that the document gives is the tool at init', () => {
  const given = /for the SO-101 at\s+\(([^)]+)\) m/.exec(text)![1]!;
  const { x, y, z } = planner.zero.position;
  expectClose([x, y, z], numbers(given), POSITION_TOLERANCE);
  const rotation = rotationFromQuaternion(planner.zero.orientation);
  expectClose(axis(rotation, 0), [1, 0, 0], 1e-6);
  expectClose(axis(rotation, 2), [0, 0, 1], 1e-6);
});
