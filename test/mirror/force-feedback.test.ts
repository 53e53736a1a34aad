import { expect, test } from 'vitest';
import { VirtualBridge } from '../support/virtual-bridge.ts';
import { FEETECH_GEAR, FeltPair, fadeTime, motor, NAMES, PAN, pressing, steadiness } from './support/felt.ts';

/** Half of what the leader's shoulder_pan gives, Nm: most that floating may ask of it. */
const CAP = 1.63 / 2;
const CYCLE = 0.005;

test('a hand feels most of what pushes the follower, no more than half of what its servo gives, and nothing in free motion', async () => {
  const told: { free: number; pushed: number; wall: number; early: number }[] = [];
  for (const arm of [0, 1]) {
    const pair = await FeltPair.start({ arm });
    const start = pair.place('leader', PAN);
    let time = 0;
    const goal = (): number => start + 0.4 * Math.sin(2.5 * time);
    const hand = pair.hand(PAN, 60, 1, goal);
    let free = 0;
    for (; time < 3; time += 0.01) {
      await pair.bridge.pass(0.01);
      free += (Math.abs(hand()) * 0.01) / 3;
    }
    pair.clear();
    await pair.bridge.lead('leader', { [PAN]: start }, 0.5);
    await pair.bridge.pass(1);
    await pair.bridge.lead('leader', null);
    // The hand goes on at 0.15 rad/s, whatever it meets. What it feels is held against what has pushed for 30 ms.
    let at = start;
    pair.hand(PAN, 200, 2, () => at);
    const wall = pair.wall(PAN, start + 0.15, 200);
    let early = Number.POSITIVE_INFINITY;
    const walls: number[] = [];
    while (at < start + 0.25) {
      at += 0.15 * CYCLE;
      await pair.bridge.pass(CYCLE);
      walls.push(-wall());
      const lasting = Math.min(CAP, ...walls.slice(-7));
      if (walls.length > 7 && lasting > 0.3) early = Math.min(early, -motor(pair) / lasting);
    }
    pair.clear();
    await pair.bridge.lead('leader', { [PAN]: start }, 0.5);
    await pair.bridge.pass(1);
    await pair.bridge.lead('leader', null);
    const { wall: pressed } = await pressing(pair);
    told.push({ free, pushed: -motor(pair), wall: -pressed(), early });
  }
  const [without, felt] = told as [(typeof told)[0], (typeof told)[0]];
  expect(felt.free - without.free).toBeLessThan(0.05);
  expect(Math.abs(without.pushed)).toBeLessThan(0.1);
  expect(felt.pushed).toBeGreaterThan(0.6 * Math.min(felt.wall, CAP));
  expect(felt.pushed).toBeLessThan(CAP + 0.05);
  expect(felt.early).toBeGreaterThan(0.6);
}, 300_000);

test.each([
  [0.22, 0.8],
  [0.27, 0.85],
  [0.3, 0.85],
])(
  'through an adapter with a latency timer of 16 ms that loses replies a push of %s rad stays, and a stuck line ends it in time',
  async (depth, least) => {
    const pair = await FeltPair.start({ arm: 1 }, { line: { baudRate: 1_000_000, interval: 0.016 } });
    await pressing(pair, depth);
    expect(await steadiness(pair, 1)).toBeGreaterThan(0.95);
    expect(await steadiness(pair, 2, () => pair.bridge.fault('follower', { loseRate: 0.02 }))).toBeGreaterThan(least);
    await pair.bridge.fault('follower', { loseRate: 0 });
    const stuck = await fadeTime(pair, PAN, () => pair.bridge.fault('follower', { stall: 1 }));
    expect(stuck).toBeLessThan(0.1 + 0.02);
  },
  300_000,
);

test('feedback that is asked for while the follower presses comes without a kick, with the servos’ own gains, and goes with soft ones', async () => {
  const pair = await FeltPair.start({ arm: 0 });
  await pressing(pair);
  const leader = pair.bridge.arm('leader');
  const { stiffness } = leader.model.joints[0]!;
  /** @returns largest step of a goal, rad, and largest push of the motor meanwhile, Nm */
  const ask = async (arm: number): Promise<{ step: number; push: number }> => {
    let last = leader.read().goals.slice();
    let [step, push] = [0, 0];
    const asked = pair.bridge.post('/teleop/settings', { force_feedback: { arm } });
    for (let k = 0; k < 400; k++) {
      await pair.bridge.pass(CYCLE);
      const { goals } = leader.read();
      for (const [i, goal] of goals.entries()) step = Math.max(step, Math.abs(goal - last[i]!));
      push = Math.max(push, Math.abs(motor(pair)));
      last = goals.slice();
    }
    expect((await pair.bridge.until(asked)).status).toBe(200);
    return { step, push };
  };
  const softness = (): number => {
    const { goals, positions } = leader.read();
    return motor(pair) / (stiffness * (goals[0]! - positions[0]!));
  };
  const on = await ask(1);
  expect(-motor(pair)).toBeGreaterThan(0.3);
  expect(softness()).toBeCloseTo(1, 1);
  await ask(0.5);
  expect(softness()).toBeCloseTo(1, 1);
  const off = await ask(0);
  expect(Math.abs(motor(pair))).toBeLessThan(0.15);
  for (const { step, push } of [on, off]) {
    expect(step).toBeLessThan(2 * 3 * CYCLE + 1e-6);
    expect(push).toBeLessThan(CAP + 0.05);
  }
}, 300_000);

test('a soft hand on the leader is pushed back where a firm one holds the follower, and the leader tells how hard', async () => {
  const reached: number[] = [];
  const told: number[] = [];
  for (const arm of [0, 1]) {
    const pair = await FeltPair.start({ arm });
    const start = pair.place('leader', PAN);
    const hand = (robot_id: number, angle: number, stiffness: object) =>
      pair.bridge.post('/sim/hand', { robot_id, joints: { [PAN]: angle }, duration: 0.5, stiffness });
    expect((await hand(1, start, {})).status).toBe(200);
    expect((await hand(0, start + 0.3, { [PAN]: 4 })).status).toBe(200);
    await pair.bridge.pass(2);
    reached.push(pair.place('leader', PAN) - start);
    told.push(pair.bridge.arm('leader').read().external[0]!);
    expect((await hand(0, start, { hand: 4 })).body.detail[0].loc).toEqual(['body', 'stiffness', 'hand']);
  }
  expect(reached[0]).toBeGreaterThan(0.25);
  expect(reached[1]).toBeLessThan(0.2);
  expect(Math.abs(told[0]!)).toBeLessThan(0.1);
  expect(told[1]).toBeGreaterThan(0.3);
}, 300_000);

test('a leader whose servos get warm pushes less, and has its push back when they have cooled', async () => {
  const pair = await FeltPair.start({ arm: 1 });
  await pressing(pair);
  const leader = pair.bridge.arm('leader');
  const cold = -motor(pair);
  expect(cold).toBeGreaterThan(0.5);
  /** The servo of its shoulder_pan tells another temperature. @returns what it pushes with then, Nm */
  const at = async (celsius: number): Promise<number> => {
    await pair.bridge.fault('leader', { servos: { 1: { misreads: { temperature: null } } } });
    await pair.bridge.pass(0.2);
    const by = celsius - leader.read().temperatures[0]!;
    await pair.bridge.fault('leader', { servos: { 1: { misreads: { temperature: { share: 1, by } } } } });
    await pair.bridge.becomes(() => expect(Math.abs(leader.read().temperatures[0]! - celsius)).toBeLessThan(3));
    await pair.bridge.pass(1);
    return -motor(pair);
  };
  expect(await at(44)).toBeGreaterThan(0.8 * cold);
  const warm = await at(55);
  expect(warm).toBeGreaterThan(0.1);
  expect(warm).toBeLessThan(0.8 * cold);
  expect(await at(62)).toBeLessThan(0.1);
  expect(leader.read().state).toBe('floating');
  // The hand has come on meanwhile, and gives way to what comes back.
  expect(await at(40)).toBeGreaterThan(0.5 * cold);
}, 300_000);

test.each([
  ['without play', {}],
  ['of an STS3215', FEETECH_GEAR],
])(
  'a follower that is pushed moves a leader with gears %s that nobody holds by no more than 7 degrees',
  async (_, gear) => {
    const pair = await FeltPair.start({ arm: 1, gripper: 1 }, { gear });
    const { bridge } = pair;
    const start = pair.place('leader', PAN);
    const push = (by: number) =>
      bridge.post('/sim/hand', { robot_id: 1, joints: { [PAN]: start + by }, duration: 0.5 });
    let farthest = 0;
    for (const by of [0.5, 0.5, 0.5, -0.5, 0.4, -0.4, 0.4]) {
      expect((await push(by)).status).toBe(200);
      for (let k = 0; k < 10; k++) {
        await bridge.pass(0.1);
        farthest = Math.max(farthest, Math.abs(pair.place('leader', PAN) - start));
      }
    }
    expect(farthest).toBeGreaterThan(0.02);
    expect(farthest).toBeLessThan(0.12);
    expect(bridge.told('by itself')).toHaveLength(1);
    // A hand that takes the leader and moves it against the push feels it.
    let goal = pair.place('leader', PAN);
    const hand = pair.hand(PAN, 20, 0.1, () => goal);
    for (const end = goal - 0.2; goal > end; goal -= 0.002) await bridge.pass(0.02);
    expect(-hand()).toBeGreaterThan(0.4);
  },
  300_000,
);

test.each([
  ['without play', {}],
  ['of an STS3215', FEETECH_GEAR],
])(
  'a hand at a leader with gears %s that has lowered a load by 0.8 rad feels at once where it lands, and the load when it lifts it',
  async (_, gear) => {
    const pair = await FeltPair.start({ arm: 1 }, { gear });
    const load = 0.35;
    pair.load(PAN, load);
    const start = pair.place('leader', PAN);
    let goal = start;
    pair.hand(PAN, 20, 0.1, () => goal);
    await pair.bridge.pass(1);
    expect(motor(pair)).toBeGreaterThan(0.6 * load);
    for (; goal < start + 0.8; goal += 0.004) await pair.bridge.pass(0.01);
    await pair.bridge.pass(0.5);
    expect(Math.abs(motor(pair))).toBeLessThan(0.1);
    const wall = pair.wall(PAN, pair.place('follower', PAN) + 0.05, 200);
    // 0.15 rad/s: what is felt is held against what has pushed for 0.1 s.
    const pushes: number[] = [];
    let early = Number.POSITIVE_INFINITY;
    for (const end = goal + 0.2; goal < end; goal += 0.0015) {
      await pair.bridge.pass(0.01);
      pushes.push(-wall() - load);
      const lasting = Math.min(CAP, ...pushes.slice(-10));
      if (lasting > 0.3) early = Math.min(early, -motor(pair) / lasting);
    }
    expect(Math.min(...pushes.slice(-10))).toBeGreaterThan(0.3);
    expect(early).toBeGreaterThan(0.6);
    for (const end = goal - 0.5; goal > end; goal -= 0.004) await pair.bridge.pass(0.01);
    await pair.bridge.pass(0.5);
    expect(motor(pair)).toBeGreaterThan(0.6 * load);
  },
  300_000,
);

test('a follower that is pushed to and fro does not drive away a leader that nobody holds', async () => {
  const pair = await FeltPair.start({ arm: 1 });
  const { bridge } = pair;
  const joints = [PAN, 'wrist_flex'];
  const starts = joints.map((joint) => pair.place('leader', joint));
  let farthest = 0;
  // More than a right angle apart: neither push brings the leader back the whole way that the other one has moved it.
  const pushes = [
    [0.5, 0],
    [-0.25, 0.5],
  ] as const;
  for (let k = 0; k < 12; k++) {
    const to = joints.map((joint, j) => [joint, starts[j]! + pushes[k % 2]![j]!]);
    const asked = { robot_id: 1, joints: Object.fromEntries(to), duration: 0.5 };
    expect((await bridge.post('/sim/hand', asked)).status).toBe(200);
    for (let i = 0; i < 8; i++) {
      await bridge.pass(0.1);
      const gone = joints.map((joint, j) => pair.place('leader', joint) - starts[j]!);
      farthest = Math.max(farthest, Math.hypot(...gone));
    }
  }
  expect(farthest).toBeGreaterThan(0.02);
  expect(farthest).toBeLessThan(0.16);
}, 300_000);

test('a leader that is let go at a wall comes to rest', async () => {
  const pair = await FeltPair.start({ arm: 1 });
  const start = pair.place('leader', PAN);
  await pressing(pair);
  pair.clear();
  await pair.bridge.pass(1.5);
  expect(Math.abs(pair.place('leader', PAN) - start)).toBeLessThan(0.16);
  expect(Math.abs(pair.sim('leader').physics.velocities[0]!)).toBeLessThan(0.01);
}, 300_000);

test('the gripper of the leader stands at what that of the follower holds, and opens freely', async () => {
  const pair = await FeltPair.start({ gripper: 1 });
  const at = NAMES.indexOf('gripper');
  const follower = pair.sim('follower').physics;
  const step = follower.step.bind(follower);
  const object = 0.4;
  follower.step = () => {
    const deep = object - follower.positions[at]!;
    if (deep > 0)
      follower.torques[at] = follower.torques[at]! + 60 * deep - 0.5 * Math.min(0, follower.velocities[at]!);
    return step();
  };
  // A finger that closes with no more than 0.25 Nm.
  const { positions } = pair.sim('leader').physics;
  let wanted = pair.place('leader', 'gripper');
  const finger = pair.hand('gripper', 3, 0.05, () => Math.max(wanted, positions[at]! - 0.25 / 3));
  for (; wanted > 0.1; wanted -= 0.01) await pair.bridge.pass(0.01);
  await pair.bridge.pass(1.5);
  const apart = Math.abs(pair.place('leader', 'gripper') - pair.place('follower', 'gripper'));
  expect(apart).toBeLessThan((2 * Math.PI) / 180);
  let most = 0;
  for (wanted = pair.place('leader', 'gripper'); wanted < 1; wanted += 0.01) {
    await pair.bridge.pass(0.01);
    if (wanted > 0.5) most = Math.max(most, Math.abs(finger()));
  }
  expect(most).toBeLessThan(0.3);
}, 300_000);

test('a leader that is limp feels nothing, and says so', async () => {
  const bridge = await VirtualBridge.startLight({
    arms: [
      { name: 'leader', id: 0, bus: 'sim:so101' },
      { name: 'follower', id: 1, bus: 'sim:so101' },
    ],
  });
  const start = (more: object) =>
    bridge.post('/move/leader/start', { robot_pairs: [{ leader_id: 0, follower_id: 1 }], ...more });
  const { status, body } = await start({ force_feedback: { arm: 0.5 } });
  expect([status, body.detail]).toEqual([400, expect.stringContaining('enable_gravity_compensation')]);
  expect((await start({ force_feedback: { arm: 2 }, enable_gravity_compensation: true })).status).toBe(422);
  const settings = await bridge.post('/teleop/settings', { vr_scaling: 2, force_feedback: { arm: 1 } });
  expect(settings.body.status).toBe('error');
  expect((await bridge.post('/teleop/settings/read')).body).toEqual({ vr_scaling: 1 });
  expect((await start({})).body.status).toBe('ok');
  const told = () => bridge.bridge.mirror.status().pairs[0]!;
  const change = await bridge.post('/teleop/settings', { vr_scaling: 2, force_feedback: { arm: 1 } });
  expect(change.body).toMatchObject({
    status: 'error',
    message: expect.stringContaining('enable_gravity_compensation'),
  });
  expect(told()).toMatchObject({ forceFeedback: { arm: 0, gripper: 0 }, reason: '' });
  // As a ROS parameter or the configuration may: for the next start too, at which the leader may float.
  bridge.bridge.mirror.setFeedback(bridge.arm('follower'), { arm: 0.5, gripper: 0 });
  await bridge.becomes(() => expect(told().reason).toMatch(/^leader feels nothing while it is limp: .*gravity/));
  await bridge.post('/move/leader/stop');
  expect((await start({ enable_gravity_compensation: true })).body.status).toBe('ok');
  await bridge.pass(0.5);
  expect(told()).toMatchObject({ forceFeedback: { arm: 0.5, gripper: 0 }, reason: '' });
}, 300_000);

test('only who started a pair changes what its leader feels, or whoever takes over', async () => {
  const bridge = await VirtualBridge.startLight({
    arms: [0, 1, 2, 3].map((id) => ({ name: `arm${id}`, id, bus: 'sim:so101' })),
  });
  const as = (name: string, url: string, body: object) =>
    bridge.ask('POST', url, body, { 'x-arm-bridge-client': name });
  const start = (name: string, leader_id: number, follower_id: number) =>
    as(name, '/move/leader/start', { robot_pairs: [{ leader_id, follower_id }], enable_gravity_compensation: true });
  expect((await start('anna', 0, 1)).status).toBe(200);
  await bridge.pass(0.5);
  const feel = (name: string, arm: number, query = '') =>
    as(name, `/teleop/settings${query}`, { vr_scaling: 2, force_feedback: { arm } });
  const felt = () => bridge.bridge.mirror.status().pairs.map(({ forceFeedback }) => forceFeedback.arm);
  const refused = await feel('ben', 1);
  expect([refused.status, refused.body.detail]).toEqual([
    409,
    expect.stringMatching(/Arm arm0 pushes the hand of .*anna.*take_over/),
  ]);
  expect(felt()).toEqual([0]);
  expect((await bridge.post('/teleop/settings/read')).body).toEqual({ vr_scaling: 1 });
  expect((await start('ben', 2, 3)).status).toBe(200);
  await bridge.pass(0.5);
  expect((await feel('ben', 1)).status).toBe(200);
  expect(felt()).toEqual([0, 1]);
  expect((await feel('ben', 0.5, '?take_over=true')).status).toBe(200);
  expect(felt()).toEqual([0.5, 0.5]);
  // Anybody may lower what pushes a hand, as anybody may end its pair.
  expect((await feel('carl', 0.75)).status).toBe(409);
  expect(felt()).toEqual([0.5, 0.5]);
  expect((await feel('carl', 0.25)).status).toBe(200);
  expect(felt()).toEqual([0.25, 0.25]);
  const mixed = await as('carl', '/teleop/settings', { force_feedback: { arm: 0, gripper: 0.5 } });
  expect(mixed.status).toBe(409);
  expect(felt()).toEqual([0.25, 0.25]);
  // Of one pair alone, by its follower.
  const of = (name: string, follower_id: number, arm: number) =>
    as(name, '/teleop/settings', { follower_id, force_feedback: { arm } });
  expect((await of('ben', 3, 0.75)).status).toBe(200);
  expect(felt()).toEqual([0.25, 0.75]);
  expect((await of('carl', 1, 0)).status).toBe(200);
  expect(felt()).toEqual([0, 0.75]);
  expect((await of('ben', 1, 0.5)).status).toBe(409);
  expect((await of('ben', 0, 0.5)).body).toMatchObject({ status: 'error', message: expect.stringContaining('arm0') });
  const unknown = await of('ben', 9, 0.5);
  expect([unknown.status, unknown.body.detail]).toEqual([400, expect.stringContaining('9')]);
  expect(felt()).toEqual([0, 0.75]);
}, 300_000);

test('what a leader feels is as the configuration, the start or who changes it last says, and is told', async () => {
  const bridge = await VirtualBridge.startLight({
    arms: [
      { name: 'leader', id: 0, bus: 'sim:so101' },
      { name: 'follower', id: 1, bus: 'sim:so101' },
    ],
    pairs: [{ leader: 'leader', follower: 'follower', force_feedback: { arm: 0.25 } }],
  });
  const robot_pairs = [{ leader_id: 0, follower_id: 1 }];
  const start = async (more: object = {}) => {
    const body = { robot_pairs, enable_gravity_compensation: true, ...more };
    expect((await bridge.post('/move/leader/start', body)).status).toBe(200);
  };
  const told = () => bridge.bridge.mirror.status().pairs[0]!.forceFeedback;
  const stop = () => bridge.post('/move/leader/stop?release=hold');
  await start();
  expect(told()).toEqual({ arm: 0.25, gripper: 0 });
  expect((await bridge.post('/teleop/settings', { vr_scaling: 0.5 })).body.status).toBe('ok');
  expect(told()).toEqual({ arm: 0.25, gripper: 0 });
  expect((await bridge.post('/teleop/settings', { force_feedback: { arm: 1, gripper: 0.5 } })).body.status).toBe('ok');
  expect(told()).toEqual({ arm: 1, gripper: 0.5 });
  // A part that is left out stays as it is.
  expect((await bridge.post('/teleop/settings', { force_feedback: { gripper: 1 } })).body.status).toBe('ok');
  expect(told()).toEqual({ arm: 1, gripper: 1 });
  expect((await bridge.post('/teleop/settings', { force_feedback: { arm: 0.5 } })).body.status).toBe('ok');
  expect(told()).toEqual({ arm: 0.5, gripper: 1 });
  const nothing = await bridge.post('/teleop/settings', { force_feedback: {} });
  expect([nothing.status, nothing.body.detail[0].loc]).toEqual([422, ['body', 'force_feedback', 'arm']]);
  expect(told()).toEqual({ arm: 0.5, gripper: 1 });
  expect((await bridge.post('/teleop/settings/read')).body).toEqual({ vr_scaling: 0.5 });
  await stop();
  await start({ force_feedback: { gripper: 1 } });
  expect(told()).toEqual({ arm: 0, gripper: 1 });
  bridge.bridge.mirror.setFeedback(bridge.arm('follower'), { arm: 0.75, gripper: 0 });
  expect(told()).toEqual({ arm: 0.75, gripper: 0 });
  await stop();
  await start();
  expect(told()).toEqual({ arm: 0.75, gripper: 0 });
}, 300_000);
