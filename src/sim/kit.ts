import type { Clock } from '../clock.ts';
import { seededRandom } from './random.ts';
import type { SimArmOptions, SimulatedArm } from './simulated-arm.ts';
import type { SimulatedArms } from './simulation.ts';

/** A joint of a kit, as the hand needs it. */
export interface KitJoint {
  readonly name: string;
  /** Ids that its servos are meant to get. */
  readonly ids: readonly number[];
  /** Joint limits, rad. */
  readonly lower: number;
  readonly upper: number;
}

/** The operations of the hand on an arm, which may live in this thread or another. */
export interface KitArm {
  /** Connects exactly the servos that are meant to get these ids. */
  connect(ids: readonly number[]): Promise<void>;
  /** See `SimulatedArms.hand`. */
  hand(joints: Readonly<Record<string, number>> | null, duration: number): Promise<void>;
  /** True joint positions, rad. */
  positions(): Promise<ArrayLike<number>>;
}

/** Kit joints from the joints of an arm model. */
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

/** Largest random offset of a horn from its position in the arm's data, steps. */
const HORNS = 300;
/** Time that the hand takes to move joints, and the limit after which it gives up if something blocks them, s. */
const LEADING = 1;
const LIMIT = 5;
/** Tolerance within which a joint has arrived, rad. */
const NEAR = 0.03;
const INTERVAL = 0.02;

/** Turns an arm into a kit: servos factory-new, horns mounted by hand. @param seed of the horn offsets */
export function asKit(arm: SimArmOptions, seed: number): SimArmOptions {
  const random = seededRandom(seed);
  const joints = arm.joints.map((joint) => {
    const beside = Math.round(HORNS * (2 * random() - 1));
    return { ...joint, servos: joint.servos.map((servo) => ({ ...servo, zero: servo.zero + servo.sign * beside })) };
  });
  return { ...arm, joints, factoryNew: true };
}

/** The hand of a person who builds an arm from a kit: it plugs in cables and moves joints. */
export class KitHand {
  readonly #arm: KitArm;
  readonly #joints: readonly KitJoint[];
  readonly #clock: Clock;
  /** Number of the present motion; a newer motion ends the older ones. */
  #leading = 0;

  constructor(arm: KitArm, joints: readonly KitJoint[], clock: Clock) {
    this.#arm = arm;
    this.#joints = joints;
    this.#clock = clock;
  }

  /**
   * Connects one servo only, all, or none.
   * @param what name of a joint that has one servo, id that a servo is meant to get, `all` or `nothing`
   * @returns the ids that the connected servos are meant to get
   * @throws {Error} with a message for the user
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

  /**
   * Moves a joint to an angle (rad) and holds it there.
   * @returns whether it arrived
   * @throws {Error} with a message for the user
   */
  async lead(name: string, angle: number): Promise<boolean> {
    const joint = this.#joints.find((known) => known.name === name);
    if (joint === undefined) throw new Error(this.#unknown(name));
    return this.#lead({ [name]: Math.min(Math.max(angle, joint.lower), joint.upper) });
  }

  /** Moves every joint to the middle of its range and holds the arm there. @returns whether it arrived */
  middle(): Promise<boolean> {
    return this.#leadAll(0.5);
  }

  /** Moves every joint to both limits, then to the middle. @returns whether it arrived everywhere */
  async ends(): Promise<boolean> {
    return (await this.#leadAll(0)) && (await this.#leadAll(1)) && (await this.middle());
  }

  /** Lets go of the arm. */
  async letGo(): Promise<void> {
    this.#leading++;
    await this.#arm.hand(null, 0);
  }

  /** True joint positions, rad, by name. */
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

/** Kit access to an arm in this thread. */
export function kitArm(arm: SimulatedArm): KitArm {
  return {
    connect: async (ids) => arm.connect(ids),
    hand: async (joints, duration) => arm.hand(joints, duration),
    positions: async () => arm.physics.positions,
  };
}

/**
 * Adds one more arm to a simulation, as a kit with factory-new servos.
 * @param seed of the horn offsets
 * @throws {Error} as `SimulatedArms.add`
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
