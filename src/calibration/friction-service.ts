import type { Arm } from '../arm/arm.ts';
import type { ArmSession } from '../arm/arm-session.ts';
import type { DriveFriction } from '../arm/model.ts';
import { BridgeError, type Caller } from '../arm/types.ts';
import type { FrictionFile } from '../config/calibration.ts';
import type { MoveService } from '../motion/move-service.ts';
import type { ArmPlanning, Planners } from '../motion/planners.ts';
import { FRICTION_SPEED } from '../rt/joint/following.ts';
import { HEADROOM } from '../rt/sources/trajectory.ts';
import { type DragSample, type FrictionFit, fitFriction } from './friction-fit.ts';

/** Pose around which the joints move: clear of obstacles, and familiar to users. */
const HOME = 'init';
/**
 * Speed of the fastest sweep, rad/s, and all sweep speeds as fractions of it: well above the speed at which friction
 * changes sign.
 */
const TOP_SPEED = 0.7;
const SPEEDS = [0.3, 0.55, 1];
/** Lowest top speed that still shows viscous friction, rad/s. */
const LEAST_TOP_SPEED = 0.4;
/** Round trips of a joint at each speed. */
const ROUNDS = 2;
/** Travel of a joint, and its margin to the limits, rad. */
const WAY = 0.6;
const ROOM = 0.1;
/** Shifts of a joint's path, rad, tried in order until one is free of contact. */
const SHIFTS = [0, 0.15, -0.15, 0.3, -0.3];
/** Settling time of the torque estimate after a joint reaches its speed, s. */
const SETTLING = 0.15;
/** Minimum number of samples per sweep. */
const LEAST_SAMPLES = 20;
/** Longest time for one joint, s. */
const JOINT_LIMIT = 120;
/**
 * Largest residual of a fit: Nm, plus a fraction of the largest drag. Covers cogging, backlash and encoder resolution.
 */
const RESIDUAL = 0.03;
const RESIDUAL_SHARE = 0.2;
/** Negative friction up to this counts as zero, Nm. */
const NEGLIGIBLE = 0.01;
/** Largest fraction of its torque limit that a free joint may need to move. */
const MOST_DRAG = 0.5;

/** Motion of one joint while its friction is measured. */
export interface FrictionWay {
  /** Index in the model. */
  readonly joint: number;
  readonly name: string;
  /** rad */
  readonly from: number;
  readonly to: number;
  /** Largest speed, rad/s. */
  readonly speed: number;
}

/** Measured friction of a joint, and the values used before. */
export interface MeasuredFriction extends FrictionFit {
  readonly name: string;
  readonly before: DriveFriction;
}

export interface FrictionOutcome {
  readonly joints: readonly MeasuredFriction[];
  /** Where the values are saved; null if they are not, because the arm is simulated. */
  readonly kept: string | null;
}

/**
 * Measures the friction of an arm's joints: each moves slowly back and forth around the pose `init`. Nobody touches the
 * arm meanwhile, so the estimated external torque is the error of the friction values in use.
 */
export class FrictionService {
  readonly #motion: MoveService;
  readonly #planners: Planners;
  readonly #keep: (arm: Arm, file: FrictionFile) => string;

  /** @param keep saves the result, which takes effect at the next start; returns where */
  constructor(motion: MoveService, planners: Planners, keep: (arm: Arm, file: FrictionFile) => string) {
    this.#motion = motion;
    this.#planners = planners;
    this.#keep = keep;
  }

  /**
   * Plans the motion of each joint; moves nothing.
   * @throws {BridgeError} disconnected, stopped, uncalibrated; unsupported for a remote arm, or if a joint cannot move
   *   freely or fast enough
   */
  async plan(arm: Arm): Promise<FrictionWay[]> {
    arm.requireDrivable();
    const { doubt } = arm;
    if (doubt !== '') {
      const text = `The friction of arm ${arm.name} is not measured: ${doubt}.`;
      throw new BridgeError('uncalibrated', text, { arm, remedy: 'calibrate' });
    }
    if (arm.remote) {
      throw new BridgeError(
        'unsupported',
        `The servos of arm ${arm.name} belong to the bridge of another machine (bus: ros): measure their friction there.`,
      );
    }
    const planning = this.#planners.of(arm);
    const ways: FrictionWay[] = [];
    for (const joint of arm.model.joints.keys()) ways.push(await wayOf(arm, planning, joint));
    return ways;
  }

  /**
   * Moves the arm to its pose `init`, moves its joints one by one as `plan` says, and saves the result. If anything
   * ends it early, the arm holds and nothing is saved.
   * @param told called after each measured joint
   * @throws {BridgeError} as `plan`; owned; unavailable, with the joint and the cause, if something ended it or a fit
   *   is implausible
   */
  async measure(
    arm: Arm,
    caller: Caller,
    told: (measured: MeasuredFriction) => void = () => {},
  ): Promise<FrictionOutcome> {
    const ask = arm.ask();
    const ways = await this.plan(arm);
    arm.requireWanted(ask);
    const { ok, message } = await this.#motion.toPose(arm, HOME, caller);
    if (!ok) throw failure(arm, `it has not come to its pose ${HOME} (${message?.replace(/\.$/, '')})`);
    const session = arm.claim(caller, { timeLimit: JOINT_LIMIT });
    const home = this.#planners.of(arm).pose(HOME);
    const joints: MeasuredFriction[] = [];
    try {
      for (const way of ways) {
        session.renew();
        const measured = await measureJoint(session, home, way);
        if (typeof measured === 'string') {
          session.problem = `${way.name}: ${measured}`;
          throw failure(arm, session.problem);
        }
        joints.push(measured);
        told(measured);
      }
    } finally {
      session.end();
    }
    return { joints, kept: arm.simulated ? null : this.#keep(arm, fileOf(arm, joints)) };
  }
}

/** @throws {BridgeError} unsupported */
async function wayOf(arm: Arm, planning: ArmPlanning, joint: number): Promise<FrictionWay> {
  const { joints, gripper } = arm.model;
  const { name, lower, upper, move } = joints[joint]!;
  const speed = Math.min(TOP_SPEED, move.velocity * arm.pace);
  if (speed < LEAST_TOP_SPEED) {
    throw new BridgeError(
      'unsupported',
      `${name} of arm ${arm.name} may move at ${speed.toFixed(2)} rad/s at most, and measuring its friction takes ` +
        `${LEAST_TOP_SPEED} rad/s: raise the arm's speed_scale.`,
      { arm },
    );
  }
  // A closed gripper presses on itself.
  const ends = gripper?.index === joint ? [gripper.closed, gripper.open] : [lower, upper];
  const [least, most] = [Math.min(...ends) + ROOM, Math.max(...ends) - ROOM];
  const half = Math.min(WAY, most - least) / 2;
  const home = planning.pose(HOME);
  let contact = '';
  for (const shift of SHIFTS) {
    const middle = Math.min(Math.max(home[joint]! + shift, least + half), most - half);
    const way = { joint, name, from: middle - half, to: middle + half, speed };
    const hit =
      (await planning.touches(home, posed(home, joint, way.from))) ??
      (await planning.touches(home, posed(home, joint, way.to)));
    if (hit === null) return way;
    contact ||= hit;
  }
  throw new BridgeError(
    'unsupported',
    `${name} of arm ${arm.name} is not free to move about its pose ${HOME}: ${contact}. Nothing has moved.`,
    { arm },
  );
}

/** @returns the measurement, or why there is none, for users */
async function measureJoint(
  session: ArmSession,
  home: Float64Array,
  { joint, name, from, to, speed }: FrictionWay,
): Promise<MeasuredFriction | string> {
  const { arm } = session;
  const { friction, damping, torqueLimit } = arm.model.joints[joint]!;
  const samples: DragSample[] = [];
  const first = await session.drive({ kind: 'trajectory', goal: posed(home, joint, from), speed });
  if (first !== null) return first;
  for (const part of SPEEDS) {
    for (let leg = 0; leg < 2 * ROUNDS; leg++) {
      const goal = posed(home, joint, leg % 2 === 0 ? to : from);
      const swept = await sweep(session, goal, joint, part * speed);
      if (typeof swept === 'string') return swept;
      samples.push(...swept);
    }
  }
  const last = await session.drive({ kind: 'trajectory', goal: home, speed });
  if (last !== null) return last;
  const fit = fitFriction(samples);
  const fault = faultOf(fit, speed, torqueLimit);
  if (fault !== null) return fault;
  return {
    name,
    friction: Math.max(0, fit.friction),
    damping: Math.max(0, fit.damping),
    residual: fit.residual,
    before: { friction, damping },
  };
}

/**
 * Drives one joint to `goal` and samples it while its speed is constant.
 * @returns the samples, or why there are none
 */
async function sweep(
  session: ArmSession,
  goal: Float64Array,
  joint: number,
  speed: number,
): Promise<readonly DragSample[] | string> {
  const { arm } = session;
  const { move, friction, damping } = arm.model.joints[joint]!;
  const gaining = HEADROOM * move.acceleration * arm.accelerationScale;
  const ramp = speed * (speed / gaining + (move.jerk === undefined ? 0 : gaining / (HEADROOM * move.jerk)));
  const start = arm.read().setpoints[joint]!;
  const way = Math.abs(goal[joint]! - start);
  const [begin, end] = [ramp + speed * SETTLING, way - ramp];
  const seen: { readonly at: number; readonly position: number; readonly external: number }[] = [];
  let over = false;
  const drive = async (): Promise<string | null> => {
    try {
      return await session.drive({ kind: 'trajectory', goal, speed });
    } finally {
      over = true;
    }
  };
  const watch = async (): Promise<void> => {
    while (!over) {
      await arm.nextCycle();
      const { setpoints, positions, external, sampleInstant: at } = arm.read();
      const gone = Math.abs(setpoints[joint]! - start);
      if (over || gone < begin || gone > end || at === seen.at(-1)?.at) continue;
      seen.push({ at, position: positions[joint]!, external: external[joint]! });
    }
  };
  const [problem] = await Promise.all([drive(), watch()]);
  if (problem !== null) return problem;
  if (seen.length < LEAST_SAMPLES) {
    return `${seen.length} samples of a sweep are too few: this computer is too busy, or the arm's bus too slow`;
  }
  const [one, other] = [seen[0]!, seen.at(-1)!];
  const measured = (other.position - one.position) / (other.at - one.at);
  const expected = friction * Math.tanh(measured / FRICTION_SPEED) + damping * measured;
  return seen.map(({ position, external }) => ({ position, speed: measured, drag: expected - external }));
}

/**
 * Why a fit is implausible for a freely moving joint, for users; null if it is plausible.
 * @param speed largest, rad/s
 */
function faultOf({ friction, damping, residual }: FrictionFit, speed: number, torqueLimit: number): string | null {
  const numbers = `friction ${friction.toFixed(3)} Nm, damping ${damping.toFixed(3)} Nm s/rad, ${residual.toFixed(3)} Nm left over`;
  const drag = friction + damping * speed;
  if (!(friction > -NEGLIGIBLE && damping * speed > -NEGLIGIBLE)) {
    return `its friction comes out negative (${numbers}): its stiffness is not that of its data, or something has moved it`;
  }
  if (!(residual < RESIDUAL + RESIDUAL_SHARE * drag)) {
    return `its torque is not that of friction (${numbers}): something has touched it, or its gears bind`;
  }
  if (!(drag < MOST_DRAG * torqueLimit)) {
    return `it moves too hard (${numbers}, of ${torqueLimit.toFixed(2)} Nm that it may exert): something holds it, or its gears bind`;
  }
  return null;
}

function posed(home: Float64Array, joint: number, angle: number): Float64Array {
  const pose = home.slice();
  pose[joint] = angle;
  return pose;
}

function fileOf({ name, model, clock }: Arm, joints: readonly MeasuredFriction[]): FrictionFile {
  return {
    version: 1,
    arm: name,
    model: model.name,
    variant: model.variant,
    written: new Date(1000 * clock.wall()).toISOString(),
    joints: Object.fromEntries(
      joints.map(({ name: joint, friction, damping }) => [
        joint,
        { friction: Number(friction.toFixed(4)), damping: Number(damping.toFixed(4)) },
      ]),
    ),
  };
}

function failure(arm: Arm, why: string): BridgeError {
  return new BridgeError(
    'unavailable',
    `The friction of arm ${arm.name} is not measured: ${why}. Nothing has been kept.`,
    { arm },
  );
}
