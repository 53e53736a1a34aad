import type { MainModule } from '@mujoco/mujoco';
import type { JointMap } from '../src/rt/messages.ts';
import { BAND, BAND_PER_SPEED, BoundedSpring } from '../src/rt/sources/bounded-spring.ts';
import type { GearOptions } from '../src/sim/gear.ts';
import { pushed, VirtualPair } from './virtual-pair.ts';

/** What an STS3215 is like: a degree of play, 29 places a turn at which it likes to stand. */
const FEETECH_GEAR: GearOptions = { backlash: Math.PI / 180, detents: { perTurn: 29, torque: 0.03 } };
const PAN = 'shoulder_pan';
/** Places of the joints that are pushed. */
const AT = { shoulder_pan: 0, gripper: 5 } as const;
/** Where both arms stand, by joint, rad: free of everything. */
const FREE = { shoulder_pan: 0, shoulder_lift: -1, elbow_flex: 0.4, wrist_flex: 0.3, wrist_roll: 0, gripper: 0.8 };
/** Hands, and what the follower meets, Nm/rad: 20 to 1000 N/m at 0.25 m; foam to steel. */
const HANDS = [1.25, 5, 20, 60];
const WALLS = [5, 20, 1000];
const RATES = [100, 200, 500];
/** An arm that is no quicker than this half a second after its hand has stopped is at rest, rad/s. */
const AT_REST = 0.1;
/** How often it is looked, s. */
const LOOK = 0.01;
/** What the gripper of the follower holds: where, rad (some 20 mm), and how stiff it is, Nm/rad. */
const OBJECT = { at: 0.4, stiffness: 60, damping: 0.5 };
/** Most that a finger closes with, Nm. */
const FINGER = 0.25;

/** Share of the follower's stiffness with which the second law draws the leader to where the follower is. */
const POSITION_SHARE = 0.1;

/**
 * The law that has not been taken: two channels from the follower to the leader. The external torque beyond the band, as it is
 * estimated, and a spring to where the follower is, a tenth as stiff as its servo, that is always there.
 */
class TorqueAndPlace extends BoundedSpring {
  override step(hand: Float64Array, maps: readonly JointMap[]): void {
    const { external, velocities, link, model } = this.follower;
    for (let i = 0; i < this.torques.length; i++) {
      const { from, scale, offset } = maps[i]!;
      if (from < 0) continue;
      const pushed = external[i]!;
      const band = BAND + BAND_PER_SPEED * Math.abs(velocities[i]!);
      const reflected = Math.abs(pushed) > band ? pushed : 0;
      const away = this.place[i]! - (scale * hand[from]! + offset);
      const felt = reflected + POSITION_SHARE * model.stiffness[i]! * link.gain[i]! * away;
      this.torques[i] = Number.isFinite(felt) ? scale * felt : 0;
    }
  }
}

/** What is done while leaders feel by the second law. */
export async function bySecondLaw<T>(work: () => Promise<T>): Promise<T> {
  const law = BoundedSpring.prototype;
  const own = law.step;
  law.step = TorqueAndPlace.prototype.step;
  try {
    return await work();
  } finally {
    law.step = own;
  }
}

/** What the laws are compared by, besides what a hand feels at a wall. */
export interface LawFigures {
  /** Mean torque of a hand that swings the free leader with up to 1 rad/s, with feedback less without, Nm. */
  readonly drag: number;
  /** How far the leader's gripper stands from the follower's, which holds something, rad. */
  readonly gripper: number;
  /** Largest torque that opens it again, Nm. */
  readonly opens: number;
  /** Pairs of a hand and a wall that come to rest, of how many, at all rates. */
  readonly rest: number;
  readonly cases: number;
  /** Most that a hand has got back of what it has pressed into a wall, J. */
  readonly given: number;
}

/** @param rates of the control loop, Hz */
export async function lawFigures(mujoco: MainModule, rates = RATES): Promise<LawFigures> {
  const figures = [];
  for (const rate of rates) figures.push(await stability(mujoco, rate));
  return {
    drag: (await dragOf(mujoco, 1)) - (await dragOf(mujoco, 0)),
    ...(await grip(mujoco)),
    rest: figures.reduce((sum, { rest }) => sum + rest, 0),
    cases: rates.length * HANDS.length * WALLS.length,
    given: Math.max(...figures.map(({ given }) => given)),
  };
}

async function withPair<T>(
  mujoco: MainModule,
  feedback: { readonly arm?: number; readonly gripper?: number },
  work: (pair: VirtualPair) => Promise<T>,
  gear: GearOptions = {},
  rate = 200,
): Promise<T> {
  const pair = await VirtualPair.start(mujoco, () => FREE, feedback, null, gear, rate);
  try {
    await pair.lead('leader', null);
    await pair.pass(0.5);
    return await work(pair);
  } finally {
    await pair.close();
  }
}

function dragOf(mujoco: MainModule, arm: number): Promise<number> {
  return withPair(mujoco, { arm }, async (pair) => {
    const leader = pair.sim('leader');
    const start = leader.physics.positions[AT.shoulder_pan]!;
    let time = 0;
    const hand = pushed(
      leader,
      AT.shoulder_pan,
      (position, velocity) => 60 * (start + 0.4 * Math.sin(2.5 * time) - position) - velocity,
    );
    let sum = 0;
    for (; time < 3; time += LOOK) {
      await pair.pass(LOOK);
      sum += (Math.abs(hand()) * LOOK) / 3;
    }
    return sum;
  });
}

function grip(mujoco: MainModule): Promise<{ gripper: number; opens: number }> {
  return withPair(mujoco, { gripper: 1 }, async (pair) => {
    const at = AT.gripper;
    const leader = pair.sim('leader');
    const follower = pair.sim('follower');
    pushed(follower, at, (position, velocity) => {
      const deep = OBJECT.at - position;
      return deep > 0 ? OBJECT.stiffness * deep - OBJECT.damping * Math.min(0, velocity) : 0;
    });
    let wanted = leader.physics.positions[at]!;
    const finger = pushed(
      leader,
      at,
      (position, velocity) => 3 * Math.max(wanted - position, -FINGER / 3) - 0.05 * velocity,
    );
    for (; wanted > 0.1; wanted -= 0.01) await pair.pass(LOOK);
    await pair.pass(1.5);
    const gripper = Math.abs(leader.physics.positions[at]! - follower.physics.positions[at]!);
    let opens = 0;
    for (wanted = leader.physics.positions[at]!; wanted < 1; wanted += 0.01) {
      await pair.pass(LOOK);
      if (wanted > 0.5) opens = Math.max(opens, Math.abs(finger()));
    }
    return { gripper, opens };
  });
}

/** Hands press into walls and come back. */
function stability(mujoco: MainModule, rate: number): Promise<{ rest: number; given: number }> {
  return withPair(
    mujoco,
    { arm: 1 },
    async (pair) => {
      const { physics } = pair.sim('leader');
      let [stiffness, damping, wall, goal, end, put, given] = [0, 0, 0, 0, 0, 0, 0];
      let least = 0;
      pushed(pair.sim('leader'), AT.shoulder_pan, (position, velocity) => {
        const torque = stiffness * (goal - position) - damping * velocity;
        // The physics steps by a millisecond.
        put -= torque * velocity * 0.001;
        least = Math.min(least, put);
        given = Math.max(given, put - least);
        return torque;
      });
      pushed(pair.sim('follower'), AT.shoulder_pan, (position, velocity) => {
        const deep = position - end;
        return wall === 0 || deep <= 0 ? 0 : Math.min(0, -wall * deep - 0.002 * wall * velocity);
      });
      let rest = 0;
      for (const hand of HANDS)
        for (const met of WALLS) {
          const start = physics.positions[AT.shoulder_pan]!;
          [goal, end, stiffness, damping, wall] = [start, start + 0.15, hand, 0.02 * Math.sqrt(hand), met];
          [put, least] = [0, 0];
          const deepest = start + Math.min(0.5, 0.19 + 1 / hand);
          for (; goal < deepest; goal += 0.006) await pair.pass(LOOK);
          await pair.pass(0.7);
          let fastest = 0;
          for (let k = 0; k < 50; k++) {
            await pair.pass(LOOK);
            fastest = Math.max(fastest, Math.abs(physics.velocities[AT.shoulder_pan]!));
          }
          if (fastest < AT_REST) rest++;
          for (; goal > start; goal -= 0.006) await pair.pass(LOOK);
          await pair.pass(0.5);
          [stiffness, damping, wall] = [0, 0, 0];
          await pair.lead('leader', { [PAN]: FREE[PAN] }, 0.5);
          await pair.pass(1);
          await pair.lead('leader', null);
        }
      return { rest, given };
    },
    FEETECH_GEAR,
    rate,
  );
}
