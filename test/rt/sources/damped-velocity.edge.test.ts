import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { DampedVelocity } from '../../../src/rt/sources/damped-velocity.ts';
import { chain, so101 } from '../../kinematics/so101.ts';
import { WITNESS_PYTHON } from '../../support/witness.ts';

test.skipIf(!WITNESS_PYTHON)('pinocchio finds the asked tool velocity in the joint speeds', () => {
  const inverse = new DampedVelocity(chain);
  const q = Float64Array.of(0.3, -0.6, 0.8, 0.3, 0.4, 0.2);
  const cases = [
    { twist: [0.1, -0.04, 0.06, 0, 0, 0], tool: false },
    { twist: [0.1, -0.04, 0.06, 0, 0, 0], tool: true },
  ].map(({ twist, tool }) => {
    const speeds = new Float64Array(chain.dof);
    inverse.solve(q, Float64Array.from(twist), tool, speeds);
    return { twist, tool, speeds: [...speeds] };
  });
  const program = `
import json, sys, numpy as np, pinocchio as pin
given = json.load(sys.stdin)
model = pin.buildModelFromXML(given['urdf'])
data = model.createData()
order = [model.joints[model.getJointId(name)].idx_v for name in given['names']]
q = np.zeros(model.nq); q[order] = given['q']
frame = model.getFrameId(given['tool'])
answers = []
for case in given['cases']:
    v = np.zeros(model.nv); v[order] = case['speeds']
    pin.forwardKinematics(model, data, q, v); pin.updateFramePlacements(model, data)
    to = pin.LOCAL if case['tool'] else pin.LOCAL_WORLD_ALIGNED
    answers.append(list(pin.getFrameVelocity(model, data, frame, to).vector))
print(json.dumps(answers))
`;
  const input = JSON.stringify({
    urdf: so101.urdf,
    names: so101.joints.map(({ name }) => name),
    tool: so101.toolLink,
    q: [...q],
    cases,
  });
  const found = JSON.parse(execFileSync(WITNESS_PYTHON!, ['-c', program], { input, encoding: 'utf8' })) as number[][];
  for (const [k, { twist }] of cases.entries()) {
    for (let i = 0; i < 3; i++) expect(Math.abs(found[k]![i]! - twist[i]!)).toBeLessThan(0.001);
  }
});
