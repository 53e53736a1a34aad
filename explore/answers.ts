/** What asking the bridge for something, and its answer, mean to the judge: who may move from when to when, and what must be so. */
import { LightPhysics } from '../src/sim/light-physics.ts';
import type { Feels } from './judge.ts';
import type { Pace } from './pace.ts';
import type { Answer, World } from './world.ts';

/** After a motion has been answered the joints come to rest within this time, s. */
export const SETTLING = 1;
/** `/joints/write` answers when it begins, and takes at most this long, s. */
const JOINT_MOVE = 12;
/** A chunk of a policy is over this long after its last point at most: far from it the arm takes as long to come to it, s. */
const CHUNK_OVER = 12;
/** A leader that held goes limp little by little, in 2 s of cycles that are in time, within this time, s. */
const FADING = 8;
/** Lowering that goes on after an answer takes at most this long, s. */
const LOWERING = 15;
/** An `ok` may be so much off beyond what it says, m, and joints by so much, rad. */
const POSITION_MORE = 0.002;
const JOINT_MORE = 0.06;
const FOREVER = Number.POSITIVE_INFINITY;

/** Who has hung up while torque goes on is heard for so long, s. */
const HUNG_UP = 3;

/** Routes that switch on the torque of an arm that they move. */
const ENERGISED_BY: ReadonlySet<string> = new Set([
  'POST /move/init',
  'POST /move/absolute',
  'POST /move/relative',
  'POST /move/hello',
  'POST /move/sleep',
  'POST /recording/play',
  'POST /joints/write',
  'POST /gravity/start',
]);

/** Routes that move an arm until they are answered. */
const MOVED_BY: ReadonlySet<string> = new Set([
  'POST /move/init',
  'POST /move/absolute',
  'POST /move/relative',
  'POST /move/hello',
  'POST /move/sleep',
  'POST /recording/play',
  'POST /robot/disconnect',
]);

/** Those of them that lead it down. */
const LOWERED_BY: ReadonlySet<string> = new Set(['POST /move/sleep', 'POST /robot/disconnect']);

/** Routes that end what drives an arm, and what they say where nothing did. */
const HALTED_BY = /^(?:DELETE \/api\/v1\/arms\/[^/]+\/motion|POST \/api\/v1\/arms\/[^/]+\/(?:take-over|release))$/;
const NOTHING_ENDED = /^Nothing drove|was free already/;
/** Ends a calibration: the arm goes limp. */
const CALIBRATION = /^DELETE \/api\/v1\/arms\/[^/]+\/calibration$/;

type Body = Readonly<Record<string, unknown>> | undefined;

/** @returns what is to be called with the answer; null for one that never came */
export function watchAnswer(
  world: World,
  route: string,
  meant: readonly string[],
  body: Body,
  query: URLSearchParams,
): (answer: Answer | null) => void {
  const refused: (() => void)[] = [];
  const told = meaningOf(world, route, meant, body, query, refused);
  const energised = torqueAsked(world, route, meant, body, query);
  return (answer) => {
    energised(answer);
    // What was refused has ended nothing.
    const nothing = answer?.body?.trials === 0 || answer?.body?.kept === 0;
    if (answer !== null && (answer.status !== 200 || nothing)) for (const undo of refused) undo();
    told(answer);
  };
}

/** What asking means for who may get torque; returns what its answer means. */
function torqueAsked(world: World, route: string, meant: readonly string[], body: Body, query: URLSearchParams) {
  const { judge } = world;
  const asked = world.now;
  const who = `${route} ${asks}`;
  const arms = armsOf(route, meant, query);
  const wanted = route === 'POST /move/leader/start' ? armedByStart(world, body) : energises(route, body) ? arms : [];
  for (const arm of wanted) if (!judge.isStopped(arm)) judge.allowTorque(arm, who);
  return (answer: Answer | null): void => {
    for (const arm of wanted) judge.endTorqueAsk(arm, who, answer === null ? HUNG_UP : 0);
    if (answer?.body?.status === 'ok' && releases(route, body)) for (const arm of arms) judge.endTorqueAsks(arm, asked);
  };
}

function energises(route: string, body: Body): boolean {
  if (route !== 'POST /torque/toggle') return ENERGISED_BY.has(route);
  // Torque that is to go off is given to the rest of an arm first, for the way down.
  return body?.torque_status === true || body?.force !== true;
}

function releases(route: string, body: Body): boolean {
  if (route === 'POST /torque/toggle') return body?.torque_status === false;
  return route === 'POST /move/sleep' || route === 'POST /robot/disconnect';
}

/** Arms that may get torque as mirroring starts: followers, and leaders that float, are aligned, or fade from it. */
function armedByStart(world: World, body: Body): readonly string[] {
  const { names } = world.judge;
  const led = body?.enable_gravity_compensation === true || body?.align === 'leader';
  return pairsOf(body).flatMap(({ leader_id, follower_id }) => {
    const leader = names[leader_id];
    const takes = leader !== undefined && (led || world.judge.mayHold(leader));
    return [takes ? leader : [], names[follower_id] ?? []].flat();
  });
}

/** How much leaders are asked to feel; null where nothing is said of it. */
function feltIn(body: Body): Feels | null {
  return (body?.force_feedback as Feels | undefined) ?? null;
}

function pairsOf(body: Body): readonly { readonly leader_id: number; readonly follower_id: number }[] {
  return Array.isArray(body?.robot_pairs) ? body.robot_pairs : [];
}

/** Arms that a request means; without an id many mean the first one. */
function armsOf(route: string, meant: readonly string[], query: URLSearchParams): readonly string[] {
  return query.get('robot_id') === null && !ALL.has(route) ? meant.slice(0, 1) : meant;
}

/** @param refused is given what is to be undone where the request is refused */
function meaningOf(
  world: World,
  route: string,
  meant: readonly string[],
  body: Body,
  query: URLSearchParams,
  refused: (() => void)[],
): (answer: Answer | null) => void {
  const { judge } = world;
  const arms = armsOf(route, meant, query);
  const key = `${route} ${asks++}`;
  const begin = (names: readonly string[], until: number, pace: Pace = 'move'): void => {
    for (const arm of names) {
      refused.push(judge.driven(arm));
      if (!judge.isStopped(arm)) judge.allow(arm, key, until, pace);
    }
  };
  const end = (names: readonly string[], settling: number): void => {
    for (const arm of names) {
      if (judge.allowedUntil(arm, key) > world.now) judge.allow(arm, key, world.now + settling);
    }
  };
  if (MOVED_BY.has(route)) {
    begin(arms, FOREVER, LOWERED_BY.has(route) ? 'lowering' : 'move');
    return (answer) => {
      end(arms, SETTLING);
      if (answer?.status !== 200 || answer.body?.status !== 'ok') return;
      for (const arm of arms) judge.leadsNobody(arm);
      checkPose(world, route, arms, body, answer);
    };
  }
  if (route.endsWith('/chunks')) {
    const times = body?.times as readonly number[];
    begin(arms, world.now + times.at(-1)! + CHUNK_OVER, 'follow');
    return () => {};
  }
  if (HALTED_BY.test(route)) {
    const undo = arms.map((arm) => judge.driven(arm));
    return (answer) => {
      const nothing = NOTHING_ENDED.test(answer?.body?.message ?? '');
      if (answer !== null && (answer.status !== 200 || nothing)) for (const follow of undo) follow();
      if (answer?.status !== 200 || nothing) return;
      for (const arm of arms) judge.end(arm, /^gravity/, world.now + SETTLING);
      // What leads it, or is led by it, is lowered where it floated for that alone.
      for (const arm of judge.names) judge.end(arm, /^mirroring|^leading/, world.now + LOWERING);
      begin(judge.names, world.now + LOWERING, 'lowering');
    };
  }
  if (CALIBRATION.test(route)) {
    return () => {
      for (const arm of arms) judge.allow(arm, 'calibration', world.now + SETTLING);
      release(world, arms, world.now + FADING);
    };
  }
  switch (route) {
    case 'POST /joints/write':
      begin(arms, world.now + JOINT_MOVE);
      return () => {};
    case 'POST /torque/toggle':
      return torque(world, arms, body, begin, end);
    case 'POST /stop':
    case 'POST /api/v1/stop':
      for (const arm of arms) judge.stopped(arm, world.delay(arm));
      return (answer) => {
        if (answer?.status === 200 && answer.body?.status === 'ok') for (const arm of arms) judge.stopAnswered(arm);
      };
    case 'POST /stop/reset':
    case 'POST /api/v1/stop/reset':
      // Of several arms one may be released long before all have answered.
      for (const arm of arms) judge.reset(arm);
      return () => {};
    case 'POST /move/leader/start':
      return leaderStart(world, key, body, begin, end);
    case 'POST /move/leader/stop':
    case 'POST /gravity/stop': {
      const floating = route === 'POST /gravity/stop';
      const names = floating ? arms : judge.names;
      const ended = floating ? /^gravity/ : /^mirroring|^leading/;
      const lowers = query.get('release') !== 'hold';
      if (query.get('release') === 'now') release(world, names, world.now + LOWERING);
      return () => {
        for (const arm of names) judge.end(arm, ended, world.now + (lowers ? LOWERING : SETTLING));
        if (lowers) begin(names, world.now + LOWERING, 'lowering');
      };
    }
    case 'POST /teleop/settings': {
      const feels = feltIn(body);
      if (feels === null) return () => {};
      judge.allFeel(feels, true);
      return (answer) => {
        if (answer?.body?.status === 'ok') judge.allFeel(feels, false);
      };
    }
    case 'POST /gravity/start': {
      const floating = `gravity ${key}`;
      for (const arm of arms) if (!judge.isStopped(arm)) judge.allow(arm, floating, FOREVER);
      return (answer) => {
        if (answer?.body?.status !== 'ok') endOwn(world, arms, floating);
      };
    }
    case 'POST /calibrate':
      for (const arm of arms) judge.allow(arm, 'calibration', FOREVER);
      release(world, arms, FOREVER);
      return () => {};
    default:
      return () => {};
  }
}

/** Routes that mean all arms where they name none. */
const ALL: ReadonlySet<string> = new Set([
  'POST /move/init',
  'POST /torque/toggle',
  'POST /stop',
  'POST /stop/reset',
  'POST /api/v1/stop',
  'POST /api/v1/stop/reset',
]);

let asks = 0;

type Range = (names: readonly string[], until: number, pace?: Pace) => void;

function release(world: World, arms: readonly string[], until: number): void {
  for (const arm of arms) if (!world.judge.isStopped(arm)) world.judge.setRelease(arm, until);
}

function torque(world: World, arms: readonly string[], body: Body, begin: Range, end: Range) {
  const { judge } = world;
  const on = body?.torque_status === true;
  const falls = !on && body?.force === true;
  const before = new Map(arms.map((arm) => [arm, judge.releasedUntil(arm)]));
  if (!on) {
    // It is lowered first; with force it falls.
    begin(arms, FOREVER, 'lowering');
    if (falls) for (const arm of arms) judge.setRelease(arm, FOREVER);
  }
  return (answer: Answer | null): void => {
    if (!on) {
      end(arms, SETTLING);
      const refused = answer !== null && answer.status !== 200;
      const until = (arm: string): number => Math.max(refused ? before.get(arm)! : 0, world.now + 1);
      if (falls) for (const arm of arms) judge.setRelease(arm, until(arm));
    }
    if (answer?.status !== 200 || answer.body?.status !== 'ok') return;
    for (const arm of arms) {
      if (!on || judge.powered(arm) || judge.isExcused(arm)) continue;
      judge.complain('answer', arm, 'torque is said to be on, and some servo has none');
    }
  };
}

/** What one request was allowed has come to nothing; others go on. */
function endOwn(world: World, arms: readonly string[], reason: string): void {
  const { judge } = world;
  for (const arm of arms)
    if (judge.allowedUntil(arm, reason) > world.now) judge.allow(arm, reason, world.now + SETTLING);
}

function leaderStart(
  world: World,
  key: string,
  body: Body,
  begin: Range,
  end: (names: readonly string[], settling: number) => void,
) {
  const { judge } = world;
  const all = judge.names;
  const rows = pairsOf(body);
  const named = [...new Set(rows.flatMap(({ leader_id, follower_id }) => [leader_id, follower_id]))];
  const names = named.flatMap((id) => all[id] ?? []);
  const leaders = rows.flatMap(({ leader_id }) => all[leader_id] ?? []);
  const leading = `leading ${key}`;
  const asked = world.now;
  for (const arm of leaders)
    if (!judge.isStopped(arm)) judge.allow(arm, leading, FOREVER, body?.align === 'leader' ? 'align' : 'follow');
  const feels = feltIn(body) ?? { arm: 0, gripper: 0 };
  const unfeel = rows.flatMap(({ leader_id, follower_id }) => {
    const [leader, follower] = [all[leader_id], all[follower_id]];
    return leader && follower && feels.arm + feels.gripper > 0 ? judge.feels(follower, leader, feels) : [];
  });
  begin(names, FOREVER, 'approach');
  // A leader that held goes limp, where it does not float.
  const limp = body?.enable_gravity_compensation === true ? [] : leaders;
  release(world, limp, FOREVER);
  return (answer: Answer | null): void => {
    for (const arm of limp) judge.setRelease(arm, world.now + FADING);
    end(names, SETTLING);
    for (const arm of leaders)
      if (judge.allowedUntil(arm, leading) > world.now) judge.allow(arm, leading, FOREVER, 'follow');
    if (answer?.body?.status === 'ok') {
      for (const { leader_id, follower_id } of rows) {
        const [leader, follower] = [all[leader_id], all[follower_id]];
        if (leader && follower && !judge.isStopped(follower))
          judge.follows(follower, leader, body?.invert_controls === true, asked);
        if (leader && follower) judge.feels(follower, leader, feels);
      }
    } else for (const undo of unfeel) undo();
    if (answer?.body?.status !== 'ok') endOwn(world, leaders, leading);
  };
}

/** Whether an arm is where an answer says that it is. */
function checkPose(world: World, route: string, arms: readonly string[], body: Body, answer: Answer): void {
  const { judge } = world;
  for (const arm of arms) {
    if (judge.isExcused(arm) || judge.isMisread(arm)) continue;
    const model = world.models.get(arm)!;
    const truth = world.simulation.truthNow(arm);
    if (route === 'POST /move/init') {
      const pose = model.poses.get('init')!;
      const worst = Math.max(...model.joints.map((_, j) => Math.abs(truth.positions[j]! - pose[j]!)));
      if (worst > JOINT_MORE) judge.complain('answer', arm, `init is ok, and a joint is ${worst.toFixed(3)} rad off`);
    }
    if (route !== 'POST /move/absolute' || typeof answer.body.position_error !== 'number') continue;
    const { x, y, z } = body as { x?: number; y?: number; z?: number };
    const zero = initTool(world, arm);
    const { position } = truth.tool;
    const off = Math.hypot(
      ...(
        [
          ['x', x],
          ['y', y],
          ['z', z],
        ] as const
      ).map(([axis, value]) => (typeof value === 'number' ? position[axis] - zero[axis] - value / 100 : 0)),
    );
    if (off > answer.body.position_error / 100 + POSITION_MORE)
      judge.complain(
        'answer',
        arm,
        `a move is ok within ${answer.body.position_error} cm, and ${(100 * off).toFixed(2)} cm off`,
      );
  }
}

/** Where the tool is at the pose `init`, m. */
function initTool(world: World, arm: string): { x: number; y: number; z: number } {
  const model = world.models.get(arm)!;
  const { urdf, toolLink, joints } = model;
  const resistances = { damping: 1, frictionLoss: 1, armature: 1 };
  const physics = new LightPhysics({
    name: arm,
    urdf,
    toolLink,
    joints: joints.map(({ name }) => ({ name, ...resistances })),
    initial: [...model.poses.get('init')!],
  });
  return physics.toolPose().position;
}
