import type { GearOptions } from '../../../src/sim/gear.ts';
import type { LineOptions } from '../../../src/sim/servo-line.ts';
import type { SimulatedArm } from '../../../src/sim/simulated-arm.ts';
import { hostWithContacts, VirtualBridge } from '../../support/virtual-bridge.ts';
import { type Network, VirtualGraph } from '../../support/virtual-graph.ts';

/** What an STS3215 is like: a degree of play, 29 places a turn at which it likes to stand. */
export const FEETECH_GEAR: GearOptions = {
  backlash: Math.PI / 180,
  detents: { perTurn: 29, torque: 0.03 },
};

/** Where a pair stands free of everything, by joint of an SO-101, rad. */
export const FREE: Readonly<Record<string, number>> = {
  shoulder_pan: 0,
  shoulder_lift: -1,
  elbow_flex: 0.4,
  wrist_flex: 0.3,
  wrist_roll: 0,
  gripper: 0.8,
};
export const NAMES = Object.keys(FREE);

/** Of this delay, s: one of a hundred messages is lost, and others take up to a fifth longer. */
export const networkOf = (delay: number): Network => ({ delay, jitter: delay / 5, loss: 0.01 });

/** Of bridges that are on a graph. */
const ROS = { enabled: true };

/** Joint of an SO-101 that carries no weight. */
export const PAN = 'shoulder_pan';

/** Step of the physics, s. */
const STEP = 0.001;

/** A spring and damper on one joint of a simulated arm, a wall or a hand, in each step of its physics. */
interface Push {
  readonly joint: number;
  /** @returns Nm */
  readonly torque: (position: number, velocity: number) => number;
  /** Of the last step, Nm. */
  felt: number;
}

/** A leader and its follower in virtual time, with walls and hands of any stiffness. */
export class FeltPair {
  /** That of the leader. */
  readonly bridge: VirtualBridge;
  /** That of the follower, and what lies between both where it is another one. */
  readonly owner: VirtualBridge;
  readonly graph: VirtualGraph | null;
  /** What hands have been given by the leader since, J; below 0 where they have put in more. */
  given = 0;
  readonly #pushes: Readonly<Record<'leader' | 'follower', Push[]>> = { leader: [], follower: [] };

  private constructor(bridge: VirtualBridge, owner: VirtualBridge, graph: VirtualGraph | null) {
    this.bridge = bridge;
    this.owner = owner;
    this.graph = graph;
    for (const name of ['leader', 'follower'] as const) {
      const { physics } = this.sim(name);
      const step = physics.step.bind(physics);
      physics.step = () => {
        for (const push of this.#pushes[name]) {
          push.felt = push.torque(physics.positions[push.joint]!, physics.velocities[push.joint]!);
          physics.torques[push.joint] = physics.torques[push.joint]! + push.felt;
          if (name === 'leader') this.given -= push.felt * physics.velocities[push.joint]! * STEP;
        }
        return step();
      };
    }
  }

  /**
   * Both stand at `FREE`, or, where they are of other models, at their own pose init; the leader floats with all of its weight carried,
   * and the follower follows it. With a network the follower belongs to another bridge.
   */
  static async start(
    feedback: object | undefined,
    {
      variant = 'leader',
      rate = 200,
      gear = {} as GearOptions,
      models = ['so101', 'so101'] as readonly string[],
      network = null as Network | null,
      carried = 100,
      line = undefined as LineOptions | undefined,
    } = {},
  ): Promise<FeltPair> {
    const host = hostWithContacts(undefined, line);
    host.gear = gear;
    const leader = { name: 'leader', id: 0, bus: `sim:${models[0]}`, model: models[0], variant };
    const follower = { name: 'follower', id: 1, bus: `sim:${models[1]}`, model: models[1] };
    const graph = network === null ? null : new VirtualGraph(network);
    let owner: VirtualBridge | null = null;
    if (graph !== null) {
      const other = hostWithContacts(host.time);
      other.gear = gear;
      graph.join(host);
      graph.join(other);
      owner = await VirtualBridge.start({ control: { rate }, ros: ROS, arms: [follower] }, undefined, other);
    }
    const bridge = await VirtualBridge.start(
      {
        control: { rate },
        ...(owner === null ? {} : { ros: ROS }),
        arms: [leader, owner === null ? follower : { ...follower, bus: 'ros' }],
      },
      undefined,
      host,
    );
    const owners = { leader: bridge, follower: owner ?? bridge };
    await bridge.pass(0.3);
    for (const [arm, at] of Object.entries(owners)) {
      const { joints, poses } = at.arm(arm).model;
      const init = joints.map(({ name }, i) => [name, poses.get('init')![i]!]);
      await at.lead(arm, models.every((model) => model === 'so101') ? FREE : Object.fromEntries(init), 1);
    }
    await bridge.pass(2);
    if (owner !== null) {
      const { status, body } = await owner.post('/torque/toggle?robot_id=1', { torque_status: true });
      if (status !== 200) throw new Error(JSON.stringify(body));
      await bridge.pass(0.5);
    }
    const { status, body } = await bridge.post('/move/leader/start', {
      robot_pairs: [{ leader_id: 0, follower_id: 1 }],
      enable_gravity_compensation: true,
      gravity_compensation_values: { shoulder: carried, elbow: carried, wrist: carried },
      ...(feedback === undefined ? {} : { force_feedback: feedback }),
    });
    if (status !== 200) throw new Error(JSON.stringify(body));
    await owners.follower.lead('follower', null);
    await bridge.pass(2);
    await bridge.lead('leader', null);
    await bridge.pass(0.5);
    return new FeltPair(bridge, owners.follower, graph);
  }

  sim(name: string): SimulatedArm {
    return (name === 'leader' ? this.bridge : this.owner).host.arms!.get(name).sim;
  }

  place(name: string, joint: string): number {
    return this.sim(name).physics.positions[this.#joint(name, joint)]!;
  }

  /**
   * A wall that a joint of the follower meets beyond `at`, rad, Nm/rad.
   * @param side 1: beyond is at larger angles @returns what it pushes with, Nm
   */
  wall(joint: string, at: number, stiffness: number, side: 1 | -1 = 1): () => number {
    const push: Push = {
      joint: this.#joint('follower', joint),
      torque: (position, velocity) => {
        const depth = side * (position - at);
        return depth <= 0 ? 0 : side * Math.min(0, -stiffness * depth - 0.002 * stiffness * side * velocity);
      },
      felt: 0,
    };
    this.#pushes.follower.push(push);
    return () => push.felt;
  }

  /** A load that pulls a joint of the follower, Nm. */
  load(joint: string, torque: number): void {
    this.#pushes.follower.push({ joint: this.#joint('follower', joint), torque: () => torque, felt: 0 });
  }

  /** A hand that has a joint of the leader by a spring, Nm/rad, with its own damping. @returns what it pushes with, Nm */
  hand(joint: string, stiffness: number, damping: number, goal: () => number): () => number {
    const push: Push = {
      joint: this.#joint('leader', joint),
      torque: (position, velocity) => stiffness * (goal() - position) - damping * velocity,
      felt: 0,
    };
    this.#pushes.leader.push(push);
    return () => push.felt;
  }

  /** A hand holds a joint of the leader so firmly where it is that only its motor's torque changes. */
  grasp(joint: string): void {
    const at = this.place('leader', joint);
    this.#pushes.leader.length = 0;
    this.hand(joint, 400, 4, () => at);
  }

  #joint(arm: string, joint: string): number {
    return this.bridge.arm(arm).model.joints.findIndex(({ name }) => name === joint);
  }

  /** Somebody leads the leader back to `FREE`. */
  async stand(): Promise<void> {
    await this.bridge.lead('leader', FREE, 0.5);
    await this.bridge.pass(1);
    await this.bridge.lead('leader', null);
    await this.bridge.pass(0.2);
  }

  /** No hand and no wall is there any more. */
  clear(): void {
    this.#pushes.leader.length = 0;
    this.#pushes.follower.length = 0;
  }
}

/** Torque of the leader's motor at its shoulder_pan, which carries no weight, Nm. */
export function motor(pair: FeltPair): number {
  return pair.sim('leader').truth(0).motorTorques[0]!;
}

/**
 * How much of its push on a hand that holds its shoulder_pan firmly a leader keeps at least, 0 to 1.
 * @param prepare what begins once the hand holds it @param time s
 */
export async function steadiness(pair: FeltPair, time: number, prepare?: () => Promise<unknown>): Promise<number> {
  const period = 0.005;
  pair.grasp('shoulder_pan');
  await prepare?.();
  await pair.bridge.pass(0.3);
  const pushes: number[] = [];
  for (let k = 0; k < time / period; k++) {
    await pair.bridge.pass(period);
    pushes.push(-motor(pair));
  }
  const most = Math.max(...pushes);
  return most > 0 ? Math.min(...pushes) / most : 0;
}

/**
 * A hand pushes the leader's shoulder_pan until the follower presses on a wall.
 * @param depth how far the hand goes, rad @param rest how long it stays there, s
 * @returns what hand and wall push with, Nm
 */
export async function pressing(
  pair: FeltPair,
  depth = 0.3,
  rest = 1,
): Promise<{ hand: () => number; wall: () => number }> {
  const start = pair.place('leader', PAN);
  let goal = start;
  const hand = pair.hand(PAN, 8, 0.1, () => goal);
  const wall = pair.wall(PAN, start + 0.15, 200);
  for (; goal < start + depth; goal += 0.005) await pair.bridge.pass(0.01);
  await pair.bridge.pass(rest);
  return { hand, wall };
}

/** How often the torque of a motor is looked at, s. */
const LOOK = 0.001;
/** Torque of a joint that is let go, Nm: damping, and the friction of its gears. */
const GONE = 0.05;

/**
 * Time from an event until the leader's motor no longer pushes a hand that holds its joint firmly, s.
 * @param joint that carries no weight @param least torque before the event, Nm @param limit s
 */
export async function fadeTime(
  pair: FeltPair,
  joint: string,
  event: (pair: FeltPair) => unknown,
  { least = 0.3, limit = 0.6 } = {},
): Promise<number> {
  const index = NAMES.indexOf(joint);
  const push = (): number => Math.abs(pair.sim('leader').truth(0).motorTorques[index]!);
  pair.grasp(joint);
  await pair.bridge.pass(0.3);
  if (push() < least) throw new Error(`the leader pushes with ${push().toFixed(2)} Nm alone`);
  const began = pair.bridge.host.time.now;
  let last = began;
  const ended = event(pair);
  while (pair.bridge.host.time.now < began + limit) {
    await pair.bridge.pass(LOOK);
    if (push() > GONE) last = pair.bridge.host.time.now;
  }
  await pair.bridge.until(Promise.resolve(ended));
  return last - began;
}

/** Largest speed of a leader's joint in half a second, once it has had time to come to rest, rad/s. @param settling s */
export async function fastestAtRest(pair: FeltPair, joint: number, settling = 0.7): Promise<number> {
  await pair.bridge.pass(settling);
  const { physics } = pair.sim('leader');
  let fastest = 0;
  for (let k = 0; k < 50; k++) {
    await pair.bridge.pass(0.01);
    fastest = Math.max(fastest, Math.abs(physics.velocities[joint]!));
  }
  return fastest;
}
