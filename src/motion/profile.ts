/**
 * One joint's way from a position and velocity to rest at another position, within velocity and acceleration limits:
 * a change of velocity, a cruise, a braking. Units are rad and s (or m and s).
 */
export interface Profile {
  start: number;
  startVelocity: number;
  cruise: number;
  acceleration: number;
  /** Ends of the three phases, s. */
  accelerated: number;
  cruised: number;
  end: number;
  goal: number;
}

/** Way covered while velocity changes from `from` to `to` at `acceleration`. */
function rampWay(from: number, to: number, acceleration: number): number {
  return from === to ? 0 : ((from + to) / 2) * (Math.abs(to - from) / acceleration);
}

function withCruise(start: number, velocity: number, goal: number, cruise: number, acceleration: number): Profile {
  const accelerated = Math.abs(cruise - velocity) / acceleration;
  const braking = Math.abs(cruise) / acceleration;
  const rest = goal - start - rampWay(velocity, cruise, acceleration) - rampWay(cruise, 0, acceleration);
  const cruising = cruise === 0 ? 0 : Math.max(0, rest / cruise);
  const cruised = accelerated + cruising;
  return {
    start,
    startVelocity: velocity,
    cruise,
    acceleration,
    accelerated,
    cruised,
    end: cruised + braking,
    goal,
  };
}

/** Direction of the cruise: where the goal lies from the point at which braking at once would end. */
function cruiseSign(start: number, velocity: number, goal: number, acceleration: number): number {
  const left = goal - start - rampWay(velocity, 0, acceleration);
  return left < 0 ? -1 : 1;
}

/** The quickest profile. @param top largest speed, > 0 @param acceleration > 0 */
export function quickest(start: number, velocity: number, goal: number, top: number, acceleration: number): Profile {
  const sign = cruiseSign(start, velocity, goal, acceleration);
  // Without a cruise the peak speed p satisfies (p^2 - v^2) / 2a + p^2 / 2a = way.
  const way = sign * (goal - start);
  const peak = Math.sqrt(Math.max(0, acceleration * way + (velocity * velocity) / 2));
  return withCruise(start, velocity, goal, sign * Math.min(top, peak), acceleration);
}

const BISECTIONS = 60;

/**
 * The profile that takes `duration` s, which is at least as long as the quickest takes: the slower the cruise the
 * longer the way takes, without bound, so the cruise speed is found by bisection.
 */
export function lasting(duration: number, fastest: Profile): Profile {
  const { start, startVelocity, goal, acceleration } = fastest;
  if (fastest.end >= duration || fastest.cruise === 0) return fastest;
  let slow = 0;
  let fast = fastest.cruise;
  for (let i = 0; i < BISECTIONS; i++) {
    const middle = (slow + fast) / 2;
    if (withCruise(start, startVelocity, goal, middle, acceleration).end > duration) slow = middle;
    else fast = middle;
  }
  return withCruise(start, startVelocity, goal, fast, acceleration);
}

/** Position on the profile `t` s after its start; before it the start, after its end the goal exactly. */
export function positionAt(profile: Profile, t: number): number {
  const { start, startVelocity, cruise, acceleration, accelerated, cruised, end, goal } = profile;
  if (t >= end) return goal;
  if (t <= 0) return start;
  if (t < accelerated) {
    return start + startVelocity * t + (Math.sign(cruise - startVelocity) * acceleration * t * t) / 2;
  }
  if (t < cruised) return start + rampWay(startVelocity, cruise, acceleration) + cruise * (t - accelerated);
  const left = end - t;
  return goal - (Math.sign(cruise) * acceleration * left * left) / 2;
}
