/** What a person does by feel, done by a scripted hand over MuJoCo in virtual time: a cube is picked up, a peg put into its hole, a screw turned. */
import type { MainModule } from '@mujoco/mujoco';
import type { Arm } from '../src/arm/arm.ts';
import { loadScene } from '../src/arm/scene.ts';
import type { GearOptions } from '../src/sim/gear.ts';
import { type Physics, TIME_STEP } from '../src/sim/physics.ts';
import type { SimObjectState } from '../src/sim/sim-object.ts';
import { anglesAt, type Bearing, FeelingHand, type Place } from './feeling-hand.ts';
import { pushed, VirtualPair } from './virtual-pair.ts';

/** Gripper angles, rad: around what is to be taken, and to where a hand that feels nothing closes it. */
const OPEN = 0.9;
const SHUT = -0.1;
/** As the gripper comes to the cube and to the peg: the fingers close towards and away from the arm, and across. */
const FOR_CUBE: Bearing = { down: (80 * Math.PI) / 180, roll: 0.0487 };
const FOR_PEG: Bearing = { down: Math.PI / 3, roll: 0.0487 + Math.PI / 2 };
/** The fixed finger comes down so far from the middle of what it takes, m. */
const BESIDE_CUBE = 0.028;
const BESIDE_PEG = 0.02;
/** Heights of the tool, m: in the air, around the cube, around the peg. */
const ABOVE = 0.1;
const AT_CUBE = 0.012;
const AT_PEG = 0.045;
const SCENE = loadScene('pick');
/** Of its hole, m: the middle, and how high its floor and its rim are. */
const [HOLE_X, HOLE_Y] = SCENE.find(({ name }) => name === 'hole')!.at;
const FLOOR = 0.004;
const RIM = 0.034;
/** Half of the peg's length, m. */
const HALF = 0.03;
/** The hand is so far beside the middle of the hole, m: the peg comes down almost half on its rim. */
const ASIDE = 0.012;
/** A screw: it sits after so much, rad, and a hand that feels nothing turns so much further; Nm/rad beyond its seat, and Nm on the way. */
const SCREW = { seat: 0.5, beyond: 0.3, stiffness: 5, friction: 0.05 };
const WRIST_ROLL = 4;
/** Below this speed a screw's friction falls, rad/s. */
const SLOW = 0.05;
/** Links that hold an object. */
const FINGERS = ['gripper_link', 'jaw'];
/** Forces are smoothed over this time, s: a knock of a hard edge lasts a step of the physics, and is as large as that is short. */
const LASTING = 0.01;

/** What came of a task. */
interface Done {
  /** The hand has felt what it closed on, or put the peg on. */
  readonly felt: boolean;
  /** Largest force between a finger and the object, N, by the physics. */
  readonly grip: number;
  /** From where the fingers begin to close, or the peg to be lowered, to the end, s. */
  readonly time: number;
}

export interface Picked extends Done {
  /** How far the cube has been lifted, m. */
  readonly height: number;
}

export interface Inserted extends Done {
  /** How deep the peg is in its hole when the fingers have let go of it, m. */
  readonly depth: number;
  /** Largest force between peg and block, N: until the hand stops going down for the first time, and in all. */
  readonly rim: number;
  readonly press: number;
}

export interface Screwed extends Pick<Done, 'felt' | 'time'> {
  /** Largest torque at the screw, Nm. */
  readonly torque: number;
}

/** How much the hand is let feel: as `force_feedback` of a pair. */
type Share = 0 | 1;

/**
 * Picks up the cube: closes until it is felt, then lifts.
 * @param gear of both arms; left out: without play @throws {Error} when the bridge refuses the pair
 */
export async function pickCube(mujoco: MainModule, share: Share, gear: GearOptions = {}): Promise<Picked> {
  return withHand(
    mujoco,
    { share, gear, name: 'cube', bearing: FOR_CUBE, beside: BESIDE_CUBE },
    async ({ pair, hand, watch }) => {
      const { place } = hand;
      await hand.carry({ ...place, z: AT_CUBE });
      const from = object(pair, 'cube').position.z;
      const began = pair.host.time.now;
      const felt = await hand.close(SHUT);
      await hand.rest(0.3);
      await hand.carry(place);
      const height = object(pair, 'cube').position.z - from;
      return { felt, height, grip: watch.largest(FINGERS), time: pair.host.time.now - began };
    },
  );
}

/**
 * Puts the peg into its hole by a hand that comes down beside it: goes down until something is felt, slides to the middle until nothing is
 * below, and goes down again. A hand that feels nothing presses on, as deep as the hole is.
 * @param gear of both arms; left out: without play @throws {Error} when the bridge refuses the pair
 */
export async function insertPeg(mujoco: MainModule, share: Share, gear: GearOptions = {}): Promise<Inserted> {
  return withHand(
    mujoco,
    { share, gear, name: 'peg', bearing: FOR_PEG, beside: BESIDE_PEG },
    async ({ pair, hand, watch, across }) => {
      const above = hand.place;
      await hand.carry({ ...above, z: AT_PEG });
      await hand.close(SHUT);
      await hand.rest(0.3);
      await hand.carry(above);
      // The peg is where the fingers have taken it.
      const grip = watch.largest(FINGERS);
      const { position } = object(pair, 'peg');
      const tool = pair.sim('follower').physics.toolPose().position;
      const over = (aside: number, z: number): Place => ({
        x: HOLE_X + aside * across.x + tool.x - position.x,
        y: HOLE_Y + aside * across.y + tool.y - position.y,
        z,
      });
      const deepest = FLOOR + HALF + tool.z - position.z;
      await hand.carry(over(ASIDE, above.z));
      const began = pair.host.time.now;
      const felt = await hand.feelTo(over(ASIDE, deepest));
      const rim = watch.largest(['hole']);
      if (felt && (await hand.slideTo(over(-ASIDE, hand.place.z)))) await hand.feelTo({ ...hand.place, z: deepest });
      const time = pair.host.time.now - began;
      await hand.rest(0.5);
      const press = watch.largest(['hole']);
      await hand.open(OPEN);
      const { position: end, orientation } = object(pair, 'peg');
      const upright = 1 - 2 * (orientation.x ** 2 + orientation.y ** 2);
      return { felt, depth: RIM - (end.z - HALF * upright), grip, rim, press, time };
    },
  );
}

/**
 * Turns a screw, whose driver the follower's gripper has for its fingers, until it is felt to be tight; a hand that feels nothing turns
 * on to an angle. The screw is a spring in the physics, beyond where it sits.
 * @param gear of both arms; left out: without play @throws {Error} when the bridge refuses the pair
 */
export async function turnScrew(mujoco: MainModule, share: Share, gear: GearOptions = {}): Promise<Screwed> {
  return withHand(mujoco, { share, gear, name: 'cube', bearing: FOR_CUBE, beside: 0 }, async ({ pair, hand }) => {
    const seat = FOR_CUBE.roll + SCREW.seat;
    let torque = 0;
    pushed(pair.sim('follower'), WRIST_ROLL, (position, velocity) => {
      const tight = Math.max(0, position - seat) * SCREW.stiffness;
      const resists = tight + SCREW.friction * Math.tanh(velocity / SLOW);
      torque = Math.max(torque, resists);
      return -resists;
    });
    const began = pair.host.time.now;
    const felt = await hand.turn(seat + SCREW.beyond);
    const time = pair.host.time.now - began;
    await hand.rest(0.5);
    return { felt, torque, time };
  });
}

/** How an object is come to. */
interface Approach {
  readonly share: Share;
  readonly gear: GearOptions;
  readonly name: string;
  readonly bearing: Bearing;
  /** From the fixed finger to the middle of the object, m. */
  readonly beside: number;
}

interface Scene {
  readonly pair: VirtualPair;
  readonly hand: FeelingHand;
  readonly watch: ForceWatch;
  /** From the fixed finger to the other one: a direction along the table. */
  readonly across: { readonly x: number; readonly y: number };
}

/** A pair before the scene `pick`, with a hand whose follower stands open above an object. */
async function withHand<Result>(
  mujoco: MainModule,
  { share, gear, name, bearing, beside }: Approach,
  task: (scene: Scene) => Promise<Result>,
): Promise<Result> {
  let place: Place = { x: 0, y: 0, z: 0 };
  let across = { x: 0, y: 0 };
  const stand = (follower: Arm): Record<string, number> => {
    const { at } = SCENE.find((other) => other.name === name)!;
    const init = follower.model.poses.get('init')!;
    let angles = anglesAt(follower, { x: at[0], y: at[1], z: ABOVE }, bearing, OPEN, init);
    const { orientation: o } = follower.toolPose(angles);
    const [x, y] = [2 * (o.x * o.z + o.w * o.y), 2 * (o.y * o.z - o.w * o.x)];
    across = { x: x / Math.hypot(x, y), y: y / Math.hypot(x, y) };
    place = { x: at[0] - beside * across.x, y: at[1] - beside * across.y, z: ABOVE };
    angles = anglesAt(follower, place, bearing, OPEN, angles);
    return Object.fromEntries(follower.model.joints.map((joint, i) => [joint.name, angles[i]!]));
  };
  const pair = await VirtualPair.start(mujoco, stand, { arm: share, gripper: share }, 'pick', gear);
  try {
    const hand = new FeelingHand(pair, place, bearing, OPEN);
    await hand.rest(0.5);
    return await task({ pair, hand, watch: new ForceWatch(pair, name), across });
  } finally {
    await pair.close();
  }
}

function object(pair: VirtualPair, name: string): SimObjectState {
  return state(pair.sim('follower').physics, name);
}

function state({ objects }: Physics, name: string): SimObjectState {
  return objects!.state().find((other) => other.name === name)!;
}

/** Looks in each step of the physics what presses on an object. */
class ForceWatch {
  /** By what presses on it: force over the last few steps, and the largest one of these, N. */
  readonly #forces = new Map<string, { mean: number; largest: number }>();

  constructor(pair: VirtualPair, name: string) {
    const { physics } = pair.sim('follower');
    const step = physics.step.bind(physics);
    physics.step = () => {
      const fine = step();
      const { touches } = state(physics, name);
      for (const { by } of touches) if (!this.#forces.has(by)) this.#forces.set(by, { mean: 0, largest: 0 });
      for (const [other, force] of this.#forces) {
        const now = touches.find(({ by }) => by === other)?.force ?? 0;
        force.mean += (now - force.mean) * (TIME_STEP / LASTING);
        force.largest = Math.max(force.largest, force.mean);
      }
      return fine;
    };
  }

  /** Largest force of one of these until now, N. */
  largest(by: readonly string[]): number {
    return Math.max(...by.map((other) => this.#forces.get(other)?.largest ?? 0));
  }
}
