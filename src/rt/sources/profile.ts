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

/** The profile with the largest cruise speed, in the direction of `fastest`, that is slow enough. */
function slowed(fastest: Profile, slowEnough: (profile: Profile) => boolean): Profile {
  if (fastest.cruise === 0 || slowEnough(fastest)) return fastest;
  const { start, startVelocity, goal, acceleration } = fastest;
  let slow = 0;
  let fast = fastest.cruise;
  for (let i = 0; i < BISECTIONS; i++) {
    const middle = (slow + fast) / 2;
    if (slowEnough(withCruise(start, startVelocity, goal, middle, acceleration))) slow = middle;
    else fast = middle;
  }
  return withCruise(start, startVelocity, goal, fast, acceleration);
}

/**
 * The profile that takes `duration` s, which is at least as long as the quickest takes: the slower the cruise the
 * longer the way takes, without bound, so the cruise speed is found by bisection.
 */
export function lasting(duration: number, fastest: Profile): Profile {
  return slowed(fastest, ({ end }) => end >= duration);
}

/** The quickest profile whose cruise lasts at least `time` s, so that its accelerations stand so far apart. */
export function spaced(time: number, fastest: Profile): Profile {
  return slowed(fastest, ({ accelerated, cruised }) => cruised - accelerated >= time);
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

/** Integral of the position from the goal over the first `t` s; before its start the profile comes at its velocity. */
function integralAt(profile: Profile, t: number): number {
  const { start, startVelocity, cruise, acceleration, accelerated, cruised, end, goal } = profile;
  const from = start - goal;
  if (t <= 0) return from * t + (startVelocity * t * t) / 2;
  const rate = Math.sign(cruise - startVelocity) * acceleration;
  const first = Math.min(t, accelerated);
  let sum = from * first + (startVelocity * first * first) / 2 + (rate * first * first * first) / 6;
  if (t <= accelerated) return sum;
  const second = Math.min(t, cruised) - accelerated;
  sum += (from + rampWay(startVelocity, cruise, acceleration)) * second + (cruise * second * second) / 2;
  if (t <= cruised) return sum;
  const braking = end - cruised;
  const left = Math.max(end - t, 0);
  return sum - (Math.sign(cruise) * acceleration * (braking * braking * braking - left * left * left)) / 6;
}

/**
 * Mean position of the last `window` s, `t` s after the start. Velocity and acceleration of the mean are within those of
 * the profile, its jerk is within acceleration over window as long as the profile's accelerations of opposite sign stand
 * that far apart (`spaced`). It ends `window` after the profile, at the goal exactly.
 */
export function meanPositionAt(profile: Profile, window: number, t: number): number {
  if (window === 0) return positionAt(profile, t);
  if (t >= profile.end + window) return profile.goal;
  return profile.goal + (integralAt(profile, t) - integralAt(profile, t - window)) / window;
}
