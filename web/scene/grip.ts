import { Vector3 } from 'three';

/** A joint and a place on what it moves, in the world. */
export interface Pivot {
  /** Present angle, rad, or shift, m. */
  readonly angle: number;
  /** Unit vector. */
  readonly axis: Vector3;
  /** From the joint to the place, m. */
  readonly arm: Vector3;
  /** Of the joint. */
  readonly origin: Vector3;
  /** It shifts along its axis instead of turning about it. */
  readonly shifts: boolean;
}

const STEPS = 8;
/** Largest change in one step, rad or m: the way of a turning place is straight for a little while only. */
const LONGEST_STEP = 0.4;
/** A place whose way leads nearly towards the viewer is led no faster than one this far from its axis, m. */
const SHORTEST_ARM = 0.02;

/**
 * The angle at which a place on a moved link is seen nearest to where a pointer points, by Gauss-Newton steps: the joint goes
 * where the pointer wants the place to be, as far as one joint can.
 * @param target where the pointer points, in the world, at about the depth of the place
 * @param view direction in which the camera looks, unit vector: along it nothing can be seen to differ
 * @param guess turn from the present angle that is near the answer, rad
 * @returns rad, or m of a joint that shifts
 */
export function angleTowards(pivot: Pivot, target: Vector3, view: Vector3, guess: number): number {
  const place = new Vector3();
  const away = new Vector3();
  const way = new Vector3();
  let turn = guess;
  for (let step = 0; step < STEPS; step += 1) {
    place.copy(pivot.arm);
    if (pivot.shifts) {
      place.addScaledVector(pivot.axis, turn);
      way.copy(pivot.axis);
    } else {
      place.applyAxisAngle(pivot.axis, turn);
      way.copy(pivot.axis).cross(place);
    }
    away.copy(target).sub(pivot.origin).sub(place).projectOnPlane(view);
    way.projectOnPlane(view);
    const change = away.dot(way) / Math.max(way.lengthSq(), SHORTEST_ARM ** 2);
    turn += Math.min(Math.max(change, -LONGEST_STEP), LONGEST_STEP);
  }
  return pivot.angle + turn;
}
