import type { Clock } from '../clock.ts';
import { seededRandom } from './random.ts';
import type { SimArmOptions, SimulatedArm } from './simulated-arm.ts';
import type { SimulatedArms } from './simulation.ts';

/** A joint of a kit as its hand knows it. */
export interface KitJoint {
  readonly name: string;
  /** Ids that its servos are to get. */
  readonly ids: readonly number[];
  /** Ends of its travel, rad. */
  readonly lower: number;
  readonly upper: number;
}

/** What the hand does to an arm, in this thread or another. */
export interface KitArm {
  /** Connects the servos that are to get these ids, and no others. */
  connect(ids: readonly number[]): Promise<void>;
  /** See `SimulatedArms.hand`. */
  hand(joints: Readonly<Record<string, number>> | null, duration: number): Promise<void>;
  /** Where its joints really are, rad. */
  positions(): Promise<ArrayLike<number>>;
}

/** The joints of a kit, of those of its model. */
export function kitJoints(
  joints: readonly {
    readonly name: string;
    readonly servos: readonly { readonly id: number }[];
    readonly lower: number;
    readonly upper: number;
  }[],
): KitJoint[] {
  return joints.map(({ name, servos, lower, upper }) => ({ name, ids: servos.map(({ id }) => id), lower, upper }));
}

/** Horns are put on up to so many steps beside where the arm's data have them. */
const HORNS = 300;
/** Time in which the hand leads joints, and the longest that it tries where something holds them, s. */
const LEADING = 1;
const LIMIT = 5;
/** A joint is there when it is this near, rad. */
const NEAR = 0.03;
const INTERVAL = 0.02;

/** An arm as the simulation takes it, of which the servos are new and the horns were put on by hand. @param seed of the horns */
export function asKit(arm: SimArmOptions, seed: number): SimArmOptions {
  const random = seededRandom(seed);
  const joints = arm.joints.map((joint) => {
    const beside = Math.round(HORNS * (2 * random() - 1));
    return { ...joint, servos: joint.servos.map((servo) => ({ ...servo, zero: servo.zero + servo.sign * beside })) };
  });
  return { ...arm, joints, factoryNew: true };
}

/** The hand of somebody who builds an arm of a kit: it plugs cables in and leads joints. */
export class KitHand {
  readonly #arm: KitArm;
  readonly #joints: readonly KitJoint[];
  readonly #clock: Clock;
  /** Which motion is under way: a newer one ends those before. */
  #leading = 0;

  constructor(arm: KitArm, joints: readonly KitJoint[], clock: Clock) {
    this.#arm = arm;
    this.#joints = joints;
    this.#clock = clock;
  }

  /**
   * Connects one servo and no other, or all.
   * @param what name of a joint that has one servo, id that a servo is to get, `all` or `nothing`
   * @returns the ids that the connected servos are to get
   * @throws {Error} for people
   */
  async plug(what: string): Promise<readonly number[]> {
    const all = this.#joints.flatMap(({ ids }) => ids);
    const found = { all, nothing: [] }[what] ?? this.#joints.find(({ name }) => name === what)?.ids;
    const ids = found ?? all.filter((id) => String(id) === what);
    if (found === undefined && ids.length === 0) throw new Error(this.#unknown(what));
    if (what !== 'all' && ids.length > 1) throw new Error(`${what} has several servos: name one, ${ids.join(' or ')}`);
    await this.#arm.connect(ids);
    return ids;
  }

  /** Leads a joint to an angle (rad) and holds it there. @returns whether it came there @throws {Error} for people */
  async lead(name: string, angle: number): Promise<boolean> {
    const joint = this.#joints.find((known) => known.name === name);
    if (joint === undefined) throw new Error(this.#unknown(name));
    return this.#lead({ [name]: Math.min(Math.max(angle, joint.lower), joint.upper) });
  }

  /** Leads every joint to the middle of its travel and holds the arm there. @returns whether it came there */
  middle(): Promise<boolean> {
    return this.#leadAll(0.5);
  }

  /** Leads every joint to both of its ends, and back to its middle. @returns whether it came everywhere */
  async ends(): Promise<boolean> {
    return (await this.#leadAll(0)) && (await this.#leadAll(1)) && (await this.middle());
  }

  /** Lets go of the arm. */
  async letGo(): Promise<void> {
    this.#leading++;
    await this.#arm.hand(null, 0);
  }

  /** Where its joints really are, rad, by name. */
  async where(): Promise<Readonly<Record<string, number>>> {
    const positions = await this.#arm.positions();
    return Object.fromEntries(this.#joints.map(({ name }, i) => [name, positions[i]!]));
  }

  #unknown(what: string): string {
    return `there is no "${what}"; there are ${this.#joints.map(({ name, ids }) => `${name} (${ids.join(', ')})`).join(', ')}`;
  }

  #leadAll(part: number): Promise<boolean> {
    return this.#lead(
      Object.fromEntries(this.#joints.map(({ name, lower, upper }) => [name, lower + part * (upper - lower)])),
    );
  }

  async #lead(goal: Readonly<Record<string, number>>): Promise<boolean> {
    const own = ++this.#leading;
    await this.#arm.hand(goal, LEADING);
    const deadline = this.#clock.now() + LIMIT;
    while (own === this.#leading && this.#clock.now() < deadline) {
      const where = await this.where();
      if (Object.entries(goal).every(([name, angle]) => Math.abs(where[name]! - angle) < NEAR)) return true;
      await this.#clock.sleep(INTERVAL);
    }
    return false;
  }
}

/** The hand's end of an arm of this thread. */
export function kitArm(arm: SimulatedArm): KitArm {
  return {
    connect: async (ids) => arm.connect(ids),
    hand: async (joints, duration) => arm.hand(joints, duration),
    positions: async () => arm.physics.positions,
  };
}

/**
 * Builds the servos of one more arm of a simulation as they come from the shop.
 * @param seed of its horns @throws {Error} as `SimulatedArms.add`
 */
export async function makeKit(
  simulation: SimulatedArms,
  arm: SimArmOptions,
  joints: readonly KitJoint[],
  seed: number,
  clock: Clock,
): Promise<KitHand> {
  const { name } = arm;
  await simulation.add(asKit(arm, seed));
  const end: KitArm = {
    connect: (ids) => simulation.connect(name, ids),
    hand: (goal, duration) => simulation.hand(name, goal, duration),
    positions: async () => (await simulation.truth(name)).positions,
  };
  return new KitHand(end, joints, clock);
}
