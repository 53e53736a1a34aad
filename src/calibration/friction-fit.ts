import type { DriveFriction } from '../arm/model.ts';
import { FRICTION_SPEED } from '../rt/joint/following.ts';

/** One sample of a joint that moves at constant speed. */
export interface DragSample {
  /** rad */
  readonly position: number;
  /** rad/s, signed. */
  readonly speed: number;
  /** Drive torque without gravity, Nm; same sign as the speed. */
  readonly drag: number;
}

export interface FrictionFit extends DriveFriction {
  /** Residual of the fit (root mean square), Nm. */
  readonly residual: number;
}

/**
 * Fits the Coulomb and viscous friction of a joint by least squares: drag = friction tanh(speed / FRICTION_SPEED) +
 * damping speed + offset + slope position. `ExternalTorque` uses the same first two terms. Offset and slope absorb the
 * error of the gravity model, because it does not change sign with the direction.
 * @param samples in both directions and at two or more speeds; otherwise the results are not finite
 */
export function fitFriction(samples: readonly DragSample[]): FrictionFit {
  const middle = samples.reduce((sum, { position }) => sum + position, 0) / samples.length;
  const rows = samples.map(({ position, speed }) => [Math.tanh(speed / FRICTION_SPEED), speed, 1, position - middle]);
  const matrix = rows[0]!.map((_, i) => rows[0]!.map((__, j) => rows.reduce((sum, row) => sum + row[i]! * row[j]!, 0)));
  const sums = rows[0]!.map((_, i) => rows.reduce((sum, row, k) => sum + row[i]! * samples[k]!.drag, 0));
  const factors = solved(matrix, sums);
  const squares = rows.reduce((sum, row, k) => {
    const left = samples[k]!.drag - row.reduce((drag, value, i) => drag + value * factors[i]!, 0);
    return sum + left * left;
  }, 0);
  return { friction: factors[0]!, damping: factors[1]!, residual: Math.sqrt(squares / samples.length) };
}

/** Solves `matrix` x = `right` for x; the matrix is symmetric and positive definite. Overwrites both. */
function solved(matrix: number[][], right: number[]): number[] {
  const count = right.length;
  for (let i = 0; i < count; i++) {
    for (let row = i + 1; row < count; row++) {
      const part = matrix[row]![i]! / matrix[i]![i]!;
      for (let column = i; column < count; column++) matrix[row]![column]! -= part * matrix[i]![column]!;
      right[row]! -= part * right[i]!;
    }
  }
  for (let i = count - 1; i >= 0; i--) {
    for (let column = i + 1; column < count; column++) right[i]! -= matrix[i]![column]! * right[column]!;
    right[i]! /= matrix[i]![i]!;
  }
  return right;
}
