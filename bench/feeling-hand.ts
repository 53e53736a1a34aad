import type { Arm } from '../src/arm/arm.ts';
import type { VirtualPair } from './virtual-pair.ts';

/** How often the hand looks and goes on, s: two control cycles. */
const LOOK = 0.01;
/** What a hand feels changes what it does so much later, s: about a person's reflex to touch. */
const REACTION = 0.1;
/** Its springs at the joints of the arm, and at the trigger, Nm/rad. */
const ARM_STIFFNESS = 40;
const FINGER_STIFFNESS = 3;
/** Speeds: of the closing finger and the turning wrist, rad/s, of the hand through the air and where it may meet something, m/s. */
const TURN_SPEED = 0.4;
const QUICK = 0.06;
const CAREFUL = 0.02;
/** What it takes for contact: more than moving a floating leader takes, Nm at the trigger and the wrist, N at the tool. */
const FELT_BY_FINGER = 0.15;
const FELT_BY_WRIST = 0.3;
const FELT_BY_ARM = 2;
/** Step of the numeric derivatives of the kinematics, m and rad. */
const STEP = 1e-4;
/** A place is found when the tool is this near to it, m. */
const NEAR = 1e-8;

/** A place of the tool in the base frame, m. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** How a gripper comes: so far below the horizontal, and turned about itself, rad. */
export interface Bearing {
  readonly down: number;
  readonly roll: number;
}

/**
 * Angles of an SO-101 with the tool at a place, bearing as asked: Newton's method over the first three joints; the fourth is what the
 * bearing leaves.
 * @param from angles to begin at, rad @param gripper rad @throws {Error} for a place that is out of reach
 */
export function anglesAt(
  arm: Arm,
  place: Place,
  { down, roll }: Bearing,
  gripper: number,
  from: Float64Array,
): Float64Array {
  const [q, moved] = [from.slice(), from.slice()];
  const complete = (angles: Float64Array): Float64Array => {
    angles[3] = down - angles[1]! - angles[2]!;
    angles[4] = roll;
    angles[5] = gripper;
    return angles;
  };
  for (let k = 0; k < 30; k++) {
    const at = arm.toolPose(complete(q)).position;
    const off = [place.x - at.x, place.y - at.y, place.z - at.z] as const;
    if (Math.hypot(...off) < NEAR) return q;
    const columns = [0, 1, 2].map((joint) => {
      moved.set(q);
      moved[joint]! += STEP;
      const { x, y, z } = arm.toolPose(complete(moved)).position;
      return [(x - at.x) / STEP, (y - at.y) / STEP, (z - at.z) / STEP] as const;
    });
    const [a, b, c] = columns as [Column, Column, Column];
    const whole = triple(a, b, c);
    q[0]! += triple(off, b, c) / whole;
    q[1]! += triple(a, off, c) / whole;
    q[2]! += triple(a, b, off) / whole;
  }
  throw new Error(`the tool does not come to ${place.x.toFixed(3)}, ${place.y.toFixed(3)}, ${place.z.toFixed(3)} m`);
}

type Column = readonly [number, number, number];

/** Determinant of three columns. */
function triple(a: Column, b: Column, c: Column): number {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/**
 * A person's hand on a floating leader, who goes by what it feels: it follows a plan until something pushes back, a reaction time late.
 * It knows nothing of the follower but what the leader lets it feel: its own torques.
 */
export class FeelingHand {
  place: Place;
  readonly #pair: VirtualPair;
  readonly #arm: Arm;
  #bearing: Bearing;
  readonly #names: readonly string[];
  readonly #stiffness: Readonly<Record<string, number>>;
  /** Torques of the newest looks, the oldest first, Nm by joint. */
  readonly #torques: (readonly number[])[] = [];
  #gripper: number;
  #goal: Float64Array;

  /** Takes a leader that stands at a place with its gripper open so far, rad. */
  constructor(pair: VirtualPair, place: Place, bearing: Bearing, gripper: number) {
    this.#pair = pair;
    this.#arm = pair.bridge.arms.byName('follower')!;
    this.#bearing = bearing;
    this.#names = this.#arm.model.joints.map(({ name }) => name);
    this.#stiffness = Object.fromEntries(
      this.#names.map((name) => [name, name === 'gripper' ? FINGER_STIFFNESS : ARM_STIFFNESS]),
    );
    this.#gripper = gripper;
    this.place = place;
    this.#goal = Float64Array.from(pair.sim('leader').physics.positions);
    this.#goal = this.#anglesAt(place);
  }

  /** Leads the tool straight to a place, whatever it feels. */
  async carry(to: Place): Promise<void> {
    await this.#go(to, QUICK, () => false);
    await this.rest(0.5);
  }

  /** Leads the tool towards a place until it feels something in its way. @returns whether it has */
  feelTo(to: Place): Promise<boolean> {
    const way = direction(this.place, to);
    return this.#go(to, CAREFUL, () => this.#push(way) > FELT_BY_ARM);
  }

  /** Slides towards a place while it feels what is below. @returns whether that has gone from below it */
  slideTo(to: Place): Promise<boolean> {
    return this.#go(to, CAREFUL, () => this.#push({ x: 0, y: 0, z: -1 }) < FELT_BY_ARM / 2);
  }

  /** Closes the gripper until it feels that it holds something, or to an angle, rad. @returns whether it has felt something */
  close(to: number): Promise<boolean> {
    return this.#finger(to, () => -this.#felt[5]! > FELT_BY_FINGER);
  }

  /** Opens the gripper to an angle, rad. */
  async open(to: number): Promise<void> {
    await this.#finger(to, () => false);
    await this.rest(0.5);
  }

  /** Turns the gripper to a larger angle, rad, until it feels that this takes force. @returns whether it has */
  async turn(to: number): Promise<boolean> {
    const tight = await this.#toAngle(4, to, () => this.#felt[4]! > FELT_BY_WRIST);
    this.#bearing = { ...this.#bearing, roll: this.#goal[4]! };
    return tight;
  }

  /** Stays where it is, s. */
  async rest(duration: number): Promise<void> {
    for (let left = duration; left > LOOK / 2; left -= LOOK) await this.#look();
  }

  /** Torques of a reaction time ago, Nm by joint: positive where the hand pushes to larger angles. */
  get #felt(): readonly number[] {
    return this.#torques[0]!;
  }

  async #go(to: Place, speed: number, ends: () => boolean): Promise<boolean> {
    const from = this.place;
    const steps = Math.max(1, Math.ceil(distance(from, to) / (speed * LOOK)));
    for (let k = 1; k <= steps; k++) {
      const part = k / steps;
      this.place = {
        x: from.x + part * (to.x - from.x),
        y: from.y + part * (to.y - from.y),
        z: from.z + part * (to.z - from.z),
      };
      this.#goal = this.#anglesAt(this.place);
      await this.#look();
      if (ends()) return true;
    }
    return false;
  }

  async #finger(to: number, ends: () => boolean): Promise<boolean> {
    const ended = await this.#toAngle(5, to, ends);
    this.#gripper = this.#goal[5]!;
    return ended;
  }

  async #toAngle(joint: number, to: number, ends: () => boolean): Promise<boolean> {
    const by = Math.sign(to - this.#goal[joint]!) * TURN_SPEED * LOOK;
    while (Math.abs(to - this.#goal[joint]!) > Math.abs(by)) {
      this.#goal[joint] = this.#goal[joint]! + by;
      await this.#look();
      if (ends()) return true;
    }
    return false;
  }

  async #look(): Promise<void> {
    const goals = Object.fromEntries(this.#names.map((name, i) => [name, this.#goal[i]!]));
    await this.#pair.lead('leader', goals, LOOK, this.#stiffness);
    await this.#pair.pass(LOOK);
    this.#torques.push(this.#pair.sim('leader').truth(0).handTorques);
    if (this.#torques.length > REACTION / LOOK + 1) this.#torques.shift();
  }

  /** Force with which the hand pushes the tool in a direction, N, by the work of its torques on the way. */
  #push({ x, y, z }: Place): number {
    const { place } = this;
    const ahead = this.#anglesAt({ x: place.x + STEP * x, y: place.y + STEP * y, z: place.z + STEP * z });
    let work = 0;
    for (let i = 0; i < 5; i++) work += this.#felt[i]! * (ahead[i]! - this.#goal[i]!);
    return work / STEP;
  }

  #anglesAt(place: Place): Float64Array {
    return anglesAt(this.#arm, place, this.#bearing, this.#gripper, this.#goal);
  }
}

function distance(a: Place, b: Place): number {
  return Math.hypot(b.x - a.x, b.y - a.y, b.z - a.z);
}

function direction(from: Place, to: Place): Place {
  const way = distance(from, to);
  return { x: (to.x - from.x) / way, y: (to.y - from.y) / way, z: (to.z - from.z) / way };
}
