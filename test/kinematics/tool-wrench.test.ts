import { expect, test } from 'vitest';
import { armChain, loadArmModel } from '../../src/arm/model.ts';
import { toolWrench } from '../../src/kinematics/tool-wrench.ts';

const POSES: Readonly<Record<string, readonly number[]>> = {
  so101: [0.3, -0.6, 0.5, 0.4, 0.2, 0.5],
  wx250s: [0.3, -0.4, 0.5, 0.2, -0.4, 0.3, 0.02],
};

/** Torques that a force and a moment at the tool put on the joints, Nm. */
function felt(jacobian: Float64Array, wrench: readonly number[]): Float64Array {
  const n = jacobian.length / 6;
  return Float64Array.from({ length: n }, (_, k) =>
    wrench.reduce((sum, part, row) => sum + jacobian[row * n + k]! * part, 0),
  );
}

test.each(Object.keys(POSES))('a force at the tool of a %s is told by its torques, in the axes asked for', (name) => {
  const chain = armChain(loadArmModel(name));
  const q = Float64Array.from(POSES[name]!);
  const pose = new Float64Array(12);
  const jacobian = new Float64Array(6 * chain.dof);
  chain.forwardJacobian(q, pose, jacobian);
  const force = [2, -3, 5];
  const torques = felt(jacobian, [...force, 0, 0, 0]);
  const wrench = toolWrench(chain, q, torques, 'base');
  const again = felt(jacobian, [...wrench]);
  for (let k = 0; k < chain.dof; k++) expect(Math.abs(again[k]! - torques[k]!)).toBeLessThan(0.02);
  // Five joints leave one direction in which a force and a moment feel alike.
  const error = Math.hypot(...force.map((part, i) => wrench[i]! - part));
  expect(error).toBeLessThan(0.1 * Math.hypot(...force));
  const inTool = toolWrench(chain, q, torques, 'tool');
  for (let part = 0; part < 6; part += 3) {
    for (let row = 0; row < 3; row++) {
      const r = 3 + 3 * row;
      const turned = pose[r]! * inTool[part]! + pose[r + 1]! * inTool[part + 1]! + pose[r + 2]! * inTool[part + 2]!;
      expect(turned).toBeCloseTo(wrench[part + row]!, 9);
    }
  }
});

test('an arm that is stretched out tells no endless force along itself', () => {
  const chain = armChain(loadArmModel('so101'));
  const q = new Float64Array(chain.dof);
  for (const torques of [
    [0, 0.1, -0.1, 0.1, 0, 0],
    [0.1, 0.1, 0.1, 0.1, 0.1, 0],
  ]) {
    const wrench = toolWrench(chain, q, Float64Array.from(torques), 'base');
    expect(Math.hypot(...wrench.subarray(0, 3))).toBeLessThan(20);
  }
});
