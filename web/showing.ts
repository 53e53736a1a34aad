/** What “Show me” does at each state of the tour, by the same calls as a person on the page. */
import type { ArmInfo } from './protocol.ts';
import type { Sight, TourState } from './tour.ts';

export interface Asked {
  /** What it is to people, as the beginning of a message. */
  readonly name: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, number>>;
  readonly body?: object;
}

/** What it is shown by. All of it refuses, and waits no longer, once the showing has been ended. */
export interface Means {
  readonly leader: ArmInfo;
  readonly follower: ArmInfo;
  readonly now: () => Sight | null;
  /** Asks the bridge for something. @returns its answer; null where it is refused, which people have been told */
  readonly ask: (asked: Asked) => Promise<unknown>;
  /** Where the cube is in the base frame of the follower, m; null where nobody knows. */
  readonly cube: () => Promise<{ readonly x: number; readonly y: number } | null>;
  /** Has a hand lead all joints of the leader to these angles, rad, in so much time, s. @returns whether it does */
  readonly lead: (angles: readonly number[], duration: number) => Promise<boolean>;
  /** Waits until it is so. @returns false where it does not come to be so */
  readonly until: (is: () => boolean) => Promise<boolean>;
  /** Presses a button of the header. */
  readonly press: (id: 'stop' | 'reset') => void;
  readonly tell: (text: string) => void;
}

/** How far to the side the target is dragged, cm. */
const ASIDE = 5;
/** The leader is led to its zero, with its base turned so far, rad. */
const TURN = 0.5;
/** The tool points down, or nearly, degrees from its zero. */
const DOWN = -80;
/** The tip of the fixed finger comes down so far before the middle of the cube, m. */
const BESIDE = 0.028;
/** Heights of the tool above the table, m. */
const ABOVE = 0.1;
const AROUND = 0.012;
/** How far the gripper opens for the cube: part of all that it can. */
const OPENING = 0.56;
/** A joint is where it is to be, rad. */
const NEAR = 0.06;
/** A follower whose joints have moved by less than this, rad, for so long, s, rests: its fingers have closed on what they hold. */
const STILL = 0.01;
const REST = 0.4;

const near = (a: readonly (number | null)[], b: readonly (number | null)[], most: number, except = -1): boolean =>
  a.every((angle, i) => i === except || Math.abs((angle ?? 0) - (b[i] ?? 0)) < most);

/** Leads the leader to a pose and waits until its follower has come along, as far as it can. @returns whether it has */
async function leadTo({ lead, until, now, follower }: Means, pose: readonly number[], time: number): Promise<boolean> {
  let at: readonly (number | null)[] = [];
  let since = 0;
  const settled = (): boolean => {
    const seen = now();
    if (seen === null) return false;
    const { joints, sampled } = seen.follower;
    if (at.length === 0 || !near(joints.position, at, STILL)) {
      at = joints.position;
      since = sampled;
    }
    const leads = seen.leader.joints.position;
    return (
      near(leads, pose, NEAR) && near(joints.position, leads, NEAR, follower.gripper?.index) && sampled - since > REST
    );
  };
  return (await lead(pose, time)) && until(settled);
}

/** Leads the follower's open fingers to the cube from above, closes them and raises it. */
async function pick(means: Means): Promise<void> {
  const { follower, now, ask } = means;
  const query = { robot_id: follower.id };
  const whole = { name: 'Reset objects', path: '/sim/objects/reset', body: query };
  if ((await ask(whole)) === null) return;
  const cube = await means.cube();
  const read = (await ask({ name: 'Reading the tool', path: '/end-effector/read', query })) as Place | null;
  const tool = now()?.follower.tool?.position;
  const { gripper } = follower;
  if (cube === null || read === null || tool === undefined || gripper === null) return;
  // Targets count from the tool at init, in axes of the base.
  const zero = { x: tool[0] - read.x / 100, y: tool[1] - read.y / 100, z: tool[2] - read.z / 100 };
  const way = Math.hypot(cube.x, cube.y);
  const [x, y] = [cube.x - (BESIDE * cube.x) / way, cube.y - (BESIDE * cube.y) / way];
  const poses: number[][] = [];
  for (const z of [ABOVE, AROUND]) {
    const body = { x: 100 * (x - zero.x), y: 100 * (y - zero.y), z: 100 * (z - zero.z), rx: DOWN };
    const path = `/api/v1/arms/${encodeURIComponent(follower.name)}/reachable`;
    const foreseen = (await ask({ name: 'The way to the cube', path, body })) as Forecast | null;
    if (foreseen === null) return;
    if (foreseen.joints === null) {
      means.tell(foreseen.message ?? 'The follower cannot reach the cube.');
      return;
    }
    poses.push([...foreseen.joints]);
  }
  const open = gripper.closed + OPENING * (gripper.open - gripper.closed);
  const held = (pose: readonly number[], opening: number): number[] => pose.with(gripper.index, opening);
  const [above, around] = [poses[0]!, poses[1]!];
  const steps: readonly [pose: number[], time: number][] = [
    [held(above, open), 2],
    [held(around, open), 1.5],
    [held(around, gripper.closed), 1.5],
    [held(above, gripper.closed), 2],
  ];
  for (const [pose, time] of steps) if (!(await leadTo(means, pose, time))) return;
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

interface Forecast {
  readonly joints: readonly number[] | null;
  readonly message: string | null;
}

export const SHOWS: Readonly<Partial<Record<TourState, (means: Means) => unknown>>> = {
  init: ({ ask, follower: { id, name } }) =>
    ask({ name: `Init of ${name}`, path: '/move/init', query: { robot_id: id } }),
  drag: ({ ask, now, follower: { id, name } }) => {
    const body = { x: 0, y: (now()?.follower.tool?.position[1] ?? 0) > 0 ? -ASIDE : ASIDE, z: 0 };
    return ask({ name: `The move of ${name}`, path: '/move/absolute', query: { robot_id: id }, body });
  },
  pair: ({ ask, leader, follower }) => {
    const body = { robot_pairs: [{ leader_id: leader.id, follower_id: follower.id }] };
    return ask({ name: 'The start', path: '/move/leader/start', body });
  },
  lead: (means) => {
    const turned = (means.now()?.leader.joints.position[0] ?? 0) > 0 ? -TURN : TURN;
    return leadTo(means, means.leader.poses.init!.with(0, turned), 2);
  },
  pick,
  record: ({ ask }) => ask({ name: 'The recording', path: '/api/v1/episode/start', body: { task: 'Tour' } }),
  recording: ({ ask }) => ask({ name: 'The end', path: '/api/v1/episode/stop', body: {} }),
  stop: ({ press }) => press('stop'),
  reset: ({ press }) => press('reset'),
};
