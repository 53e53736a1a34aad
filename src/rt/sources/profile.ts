/**
 * One joint's path from a position and velocity to rest at another position, within velocity and acceleration limits:
 * a velocity change, a cruise, and braking. Units are rad and s (or m and s).
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

/** Distance covered while velocity changes from `from` to `to` at `acceleration`. */
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

/** Direction of the cruise: that of the goal, seen from the point where braking at once would end. */
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

/** The profile with the largest cruise speed, in the direction of `fastest`, that passes `slowEnough`. */
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
 * The profile that takes `duration` s, which is no less than the quickest takes. The cruise speed is found by
 * bisection, because a slower cruise takes longer, without bound.
 */
export function lasting(duration: number, fastest: Profile): Profile {
  return slowed(fastest, ({ end }) => end >= duration);
}

/** The quickest profile whose cruise lasts at least `time` s, so that its accelerations are that far apart. */
export function spaced(time: number, fastest: Profile): Profile {
  return slowed(fastest, ({ accelerated, cruised }) => cruised - accelerated >= time);
}

/** Position on the profile `t` s after its start; the start before that, exactly the goal after its end. */
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

/** Integral of the position relative to the goal over the first `t` s; for t < 0 the start velocity is constant. */
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
 * Mean position over the last `window` s, `t` s after the start. The mean's velocity and acceleration stay within the
 * profile's. Its jerk stays within acceleration over window if the profile's accelerations of opposite sign are a
 * window apart (`spaced`). It ends `window` s after the profile, exactly at the goal.
 */
export function meanPositionAt(profile: Profile, window: number, t: number): number {
  if (window === 0) return positionAt(profile, t);
  if (t >= profile.end + window) return profile.goal;
  return profile.goal + (integralAt(profile, t) - integralAt(profile, t - window)) / window;
}
