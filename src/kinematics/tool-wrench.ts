import type { Chain } from './chain.ts';

/** Moment that weighs as much as a force of 1 N, Nm: if either explains the torques, most counts as force. */
const LENGTH = 0.1;
/** Damping, m: lever arms shorter than this reveal no force, so the result stays small near a singularity. */
const DAMPING = 0.01;
const ROWS = 6;

/**
 * Smallest force and moment at the tool that explain the joint torques. Components that an arm cannot sense, such as a
 * force through all of its axes, are 0.
 *
 * @param q positions of the actuated joints (dof), rad
 * @param torques external torques on these joints (dof), Nm
 * @param axes frame of the result: axes of the base or of the tool
 * @returns force x y z in N, then moment x y z about the tool in Nm
 */
export function toolWrench(chain: Chain, q: Float64Array, torques: Float64Array, axes: 'base' | 'tool'): Float64Array {
  const n = chain.dof;
  const jacobian = new Float64Array(ROWS * n);
  const pose = new Float64Array(12);
  chain.forwardJacobian(q, pose, jacobian);
  for (let at = 3 * n; at < ROWS * n; at++) jacobian[at] = jacobian[at]! * LENGTH;
  const matrix = new Float64Array(ROWS * ROWS);
  const wrench = new Float64Array(ROWS);
  for (let r = 0; r < ROWS; r++) {
    for (let k = 0; k < n; k++) wrench[r] = wrench[r]! + jacobian[r * n + k]! * torques[k]!;
    for (let c = 0; c < ROWS; c++) {
      let sum = r === c ? DAMPING * DAMPING : 0;
      for (let k = 0; k < n; k++) sum += jacobian[r * n + k]! * jacobian[c * n + k]!;
      matrix[r * ROWS + c] = sum;
    }
  }
  solve(matrix, wrench);
  for (let r = 3; r < ROWS; r++) wrench[r] = wrench[r]! * LENGTH;
  if (axes === 'base') return wrench;
  return wrench.map((_, i) => {
    const part = i < 3 ? 0 : 3;
    let sum = 0;
    for (let row = 0; row < 3; row++) sum += pose[3 + 3 * row + (i % 3)]! * wrench[part + row]!;
    return sum;
  });
}

/** Solves a symmetric positive definite system in place by Gaussian elimination, which then needs no pivoting. */
function solve(matrix: Float64Array, x: Float64Array): void {
  for (let p = 0; p < ROWS; p++) {
    for (let r = p + 1; r < ROWS; r++) {
      const factor = matrix[r * ROWS + p]! / matrix[p * ROWS + p]!;
      for (let c = p; c < ROWS; c++) matrix[r * ROWS + c] = matrix[r * ROWS + c]! - factor * matrix[p * ROWS + c]!;
      x[r] = x[r]! - factor * x[p]!;
    }
  }
  for (let r = ROWS - 1; r >= 0; r--) {
    for (let c = r + 1; c < ROWS; c++) x[r] = x[r]! - matrix[r * ROWS + c]! * x[c]!;
    x[r] = x[r]! / matrix[r * ROWS + r]!;
  }
}
