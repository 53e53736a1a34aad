import { beforeEach, expect, test } from 'vitest';
import { VirtualBridge } from '../support/virtual-bridge.ts';

/** Goal register of an STS3215, and the radians of one of its counts. */
const GOAL = 42;
const SERVO_STEP = (2 * Math.PI) / 4096;
/** Cycle of the control loop, s. */
const CYCLE = 0.005;
const CHUNKS = '/api/v1/arms/arm/chunks';
/** Limits of an SO-101 while it follows. */
const FASTEST = 3;
const HARDEST = 25;

let bridge: VirtualBridge;
beforeEach(async () => {
  bridge = await VirtualBridge.startLight();
  await bridge.post('/move/init');
  goals = [];
});

/** Goals of the base's servo as its register has held them, cycle by cycle, steps. */
let goals: number[];

function goal(): number {
  const [servo] = bridge.host.arms!.get('arm').sim.servos[0]!;
  const { memory } = servo as unknown as { memory: Uint8Array };
  return memory[GOAL]! + 256 * memory[GOAL + 1]!;
}

/** Lets time pass and keeps the goals meanwhile. */
async function watch(duration: number): Promise<void> {
  for (let cycle = 0; cycle < Math.round(duration / CYCLE); cycle++) {
    await bridge.pass(CYCLE);
    goals.push(goal());
  }
}

const pan = () => bridge.arm().read().positions[0]!;
const state = async () => (await bridge.status(0)).state;
const wall = () => bridge.host.clock.wall();

interface Wish {
  readonly observed?: number;
  readonly [name: string]: unknown;
}

/** Points of the base from `first` on, 1/30 s apart. */
function chunk(
  way: (t: number) => number,
  { count = 50, first = 1 / 30, ...more }: Wish & { count?: number; first?: number } = {},
) {
  const times = Array.from({ length: count }, (_, k) => first + k / 30);
  return { joints: ['shoulder_pan'], times, positions: times.map((t) => [way(t)]), ...more };
}
const send = (body: object, query = '', headers = {}) => bridge.ask('POST', `${CHUNKS}${query}`, body, headers);
const motions = async () => (await bridge.get('/api/v1/arms/arm/motions')).body.motions;

/** Speeds between goals so many cycles apart, rad/s: a step of the servo is little then. */
function speeds(over = 5): number[] {
  return goals.slice(over).map((at, k) => ((at - goals[k]!) * SERVO_STEP) / (over * CYCLE));
}

/** No goal is further from the one before, and no speed changes quicker, than the limits allow. */
function expectSmooth(acceleration = HARDEST): void {
  const quantum = (2 * SERVO_STEP) / (5 * CYCLE);
  for (let k = 1; k < goals.length; k++) {
    expect(Math.abs(goals[k]! - goals[k - 1]!)).toBeLessThanOrEqual(Math.ceil((FASTEST * CYCLE) / SERVO_STEP) + 1);
  }
  const all = speeds();
  for (let k = 5; k < all.length; k++) {
    expect(Math.abs(all[k]! - all[k - 5]!)).toBeLessThan(acceleration * 5 * CYCLE + quantum);
  }
}

const accepted = async (body: object, query = '', headers = {}) => {
  const answer = await send(body, query, headers);
  expect(answer).toMatchObject({ status: 200, body: { message: null } });
  return answer.body;
};

/** What a policy wants the base to do, by the wall clock. */
function wave(): (at: number) => number {
  const began = wall();
  return (at) => 0.4 * Math.sin(1.5 * (at - began));
}

test('chunks that overlap are one motion along the way they describe, and the arm rests when they have run out', async () => {
  const way = wave();
  let id: string | null = null;
  for (let round = 0; round < 6; round++) {
    const observed = wall();
    await watch(0.15 + 0.05 * round);
    const body = await accepted(chunk((t) => way(observed + t), { observed }));
    expect(body.kept + body.skipped).toBe(50);
    expect(Math.abs(body.skipped + 0.5 - 30 * body.age)).toBeLessThan(0.6);
    expect(body.ends).toBeCloseTo(50 / 30 - body.age, 2);
    id ??= body.motion;
    expect(body.motion).toBe(id);
    await watch(0.4);
  }
  expect((await motions())[0]).toMatchObject({ id, kind: 'chunks', state: 'moving' });
  expect(Math.abs(pan() - way(wall()))).toBeLessThan(0.05);
  expectSmooth(8);
  // Never does it stop on its way: the wave turns back far less often than chunks come.
  const still = speeds().filter((speed, k) => k > 200 && Math.abs(speed) < 0.01).length;
  expect(still).toBeLessThan(40);
  await watch(3);
  expectSmooth(8);
  expect(await state()).toBe('ready');
  expect((await motions())[0]).toMatchObject({ id, state: 'done', message: null });
  const events = (await bridge.get('/api/v1/events')).body.events;
  expect(events.find(({ act }: { act: string }) => act === 'motion')).toMatchObject({ arm: 'arm', outcome: 'done' });
});

test('a chunk that is late as a whole, or over its budget, moves nothing, and the one before goes on', async () => {
  const way = wave();
  const observed = wall();
  await watch(0.8);
  const late = { motion: null, kept: 0, skipped: 20, begins: 0, ends: 0 };
  const nothing = await send(chunk((t) => way(observed + t), { observed, count: 20 }));
  expect(nothing).toMatchObject({
    status: 200,
    body: { ...late, message: 'All of its points are late: it is skipped.' },
  });
  const budget = await send(chunk((t) => way(observed + t), { observed, count: 90, latency: 0.5 }));
  expect(budget.body).toMatchObject({ motion: null, kept: 0, skipped: 90 });
  expect(budget.body.message).toMatch(/0\.80 s after its observation, its latency budget is 0\.5 s/);
  // Policies that take more than a second are within the budget unless they name one.
  const slow = await send(chunk((t) => way(observed + t), { observed: observed - 1, count: 20 }));
  expect(slow.body.message).toBe('All of its points are late: it is skipped.');
  const slower = await send(chunk((t) => way(observed + t), { observed: observed - 1.5, count: 20 }));
  expect(slower.body.message).toMatch(/2\.30 s after its observation, its latency budget is 2 s/);
  expect(await state()).toBe('ready');
  expect((await bridge.status(0)).owner).toBeNull();

  const { motion } = await accepted(chunk((t) => 0.3 * t));
  await watch(0.5);
  expect((await send(chunk(() => 1, { observed, count: 5 }))).body).toMatchObject({ motion: null, kept: 0 });
  await watch(0.5);
  expect(pan()).toBeGreaterThan(0.2);
  expect((await motions())[0]).toMatchObject({ id: motion, state: 'moving' });
  expectSmooth();
});

test('a policy that answers a second late lets the arm rest and hold, and it goes on smoothly from there', async () => {
  const way = wave();
  const first = await accepted(chunk((t) => way(wall() + t), { count: 20 }));
  await watch(0.7);
  const observed = wall();
  await watch(1);
  expect(Math.abs(speeds().at(-1)!)).toBeLessThan(1e-9);
  const second = await accepted(chunk((t) => way(observed + t), { observed, latency: 2 }));
  expect(second.skipped).toBe(30);
  // Its first motion has waited for half a second and ended: this is another one.
  expect(second.motion).not.toBe(first.motion);
  await watch(0.8);
  expect(Math.abs(pan() - way(wall()))).toBeLessThan(0.05);
  await watch(2);
  expect(await state()).toBe('ready');
  expectSmooth();
});

test('one that comes within half a second after the last has run out goes on with its motion', async () => {
  const first = await accepted(chunk((t) => 0.2 * t, { count: 15 }));
  await watch(0.8);
  const second = await accepted(chunk((t) => 0.1 + 0.2 * t, { count: 15 }));
  expect(second.motion).toBe(first.motion);
  await watch(1);
  expectSmooth();
});

test('a chunk that jumps is approached smoothly at half of the limits', async () => {
  await accepted(chunk((t) => 0.2 * t));
  await watch(0.4);
  await accepted(chunk(() => 1.2, { count: 100 }));
  await watch(3);
  expect(pan()).toBeGreaterThan(1.17);
  expect(Math.max(...speeds().map(Math.abs))).toBeLessThan(1.2);
  expectSmooth(6);
  expect(Math.max(...goals)).toBeLessThanOrEqual(2048 + Math.ceil(1.21 / SERVO_STEP));
});

test('points between which a joint would have to be too fast are named, and gone to within the limits', async () => {
  const body = await accepted(chunk((t) => (t > 0.5 ? 0.5 : -0.2)));
  expect(body.slowed).toEqual(['shoulder_pan']);
  await watch(1.6);
  expect(Math.abs(pan() - 0.5)).toBeLessThan(0.03);
  expectSmooth();
});

test('a chunk in the future is checked for contact from where the one before will have led the arm', async () => {
  // From `init` both ways are free, as is the way to `far`; on the straight way from `far` to `near` the gripper dips into the table.
  const start = [-0.7, 0.7, 0];
  const far = [0.18, 1.38, -1.15];
  const near = [-0.43, 1.08, 0.34];
  const joints = ['shoulder_lift', 'elbow_flex', 'wrist_flex'];
  const shares = Array.from({ length: 20 }, (_, k) => (k + 1) / 20);
  const toFar = shares.map((share) => start.map((angle, i) => angle + share * (far[i]! - angle)));
  const toNear = { joints, times: [2.5, 4], positions: [near, near] };
  await accepted(toNear);
  await bridge.post('/stop');
  await bridge.post('/stop/reset');
  await bridge.pass(6);
  await accepted({ joints, times: shares.map((share) => 2 * share), positions: toFar });
  await bridge.pass(0.1);
  expect(await send(toNear)).toMatchObject({
    status: 400,
    body: { detail: expect.stringMatching(/gripper_link and floor would touch.*Nothing of the chunk is followed/) },
  });
  await bridge.pass(2.5);
  expect(bridge.arm().read().positions[2]).toBeCloseTo(far[1]!, 1);
});

test.each([1, -1])(
  'a last point that no joint reaches in time is gone to, and nothing beyond it (%d)',
  async (side) => {
    await accepted({ joints: ['shoulder_pan'], times: [0.1, 0.2], positions: [[0], [side * 1.5]] });
    await watch(4);
    // Between where it was and a little beyond the last point, where it brakes.
    const ways = goals.map((at) => ((side * (at - 2048)) / 2048) * Math.PI);
    expect(Math.min(...ways)).toBeGreaterThan(-0.02);
    expect(Math.max(...ways)).toBeLessThan(1.93);
    expect(side * pan()).toBeGreaterThan(1.4);
  },
);

test('a chunk in the future waits for its time; the newest wins', async () => {
  await accepted(chunk((t) => 0.3 * t, { count: 30 }));
  await watch(0.2);
  await accepted(chunk(() => -0.4, { first: 0.5 }));
  await watch(0.4);
  expect(pan()).toBeGreaterThan(0.12);
  await accepted(chunk(() => 0.1, { first: 0.4 }));
  await watch(2);
  expect(Math.abs(pan() - 0.1)).toBeLessThan(0.02);
  expectSmooth();
});

const BOTH = [
  ['', ''],
  ['?take_over=true', ', even to take over'],
] as const;

test.each(BOTH)(
  'a stop ends it%.0s, and what goes on after the reset does not take the arm%s: a pause does',
  async (query) => {
    const way = wave();
    const next = () =>
      send(
        chunk((t) => way(wall() + t)),
        query,
      );
    const { motion } = (await next()).body;
    await watch(0.5);
    await bridge.post('/stop');
    await watch(0.5);
    expect((await motions())[0]).toMatchObject({
      id: motion,
      state: 'failed',
      message: expect.stringContaining('stop'),
    });
    expect((await next()).status).toBe(409);
    await bridge.post('/stop/reset');
    const held = goal();
    for (let round = 0; round < 4; round++) {
      const refused = await next();
      expect(refused).toMatchObject({ status: 400 });
      expect(refused.body.detail).toMatch(/send none for 1\.\d s, then begin anew/);
      await watch(0.4);
    }
    expect(goal()).toBe(held);
    await watch(2);
    await accepted(chunk((t) => way(wall() + t)));
    await watch(1);
    expect(await state()).toBe('moving');
  },
);

test('chunks that go on through a long stop do not take the arm by its reset alone', async () => {
  const way = wave();
  const next = () => send(chunk((t) => way(wall() + t)));
  expect((await next()).status).toBe(200);
  await watch(0.5);
  await bridge.post('/stop');
  for (let round = 0; round < 20; round++) {
    expect((await next()).status).toBe(409);
    await watch(0.4);
  }
  await bridge.post('/stop/reset');
  const held = goal();
  for (let round = 0; round < 4; round++) {
    expect((await next()).body.detail).toMatch(/then begin anew/);
    await watch(0.4);
  }
  expect(goal()).toBe(held);
});

test.each(BOTH)('what was observed before a stop%.0s is not followed after its reset%s', async (query) => {
  await accepted(chunk(() => 0));
  await watch(3);
  const before = wall();
  await bridge.post('/stop');
  await bridge.post('/stop/reset');
  await watch(3);
  expect(
    (
      await send(
        chunk(() => 0.5, { observed: before, latency: 9, first: 4 }),
        query,
      )
    ).status,
  ).toBe(400);
  expect(
    (
      await send(
        chunk(() => 0.5, { observed: wall() }),
        query,
      )
    ).body.detail,
  ).toMatch(/send none for/);
  await watch(3);
  await accepted(chunk(() => 0.5, { observed: wall() }));
});

test('another owner is named, and takes the arm when it says so: then the policy must pause', async () => {
  const other = { 'user-agent': 'another' };
  await accepted(chunk((t) => 0.3 * t));
  await watch(0.3);
  const refused = await send(
    chunk(() => 0),
    '',
    other,
  );
  expect(refused.status).toBe(409);
  expect(refused.body.detail).toMatch(/arm is driven by an HTTP client/);
  const taken = await accepted(
    chunk(() => 0),
    '?take_over=true',
    other,
  );
  await watch(0.1);
  const [newer, older] = await motions();
  expect(newer).toMatchObject({ id: taken.motion, state: 'moving' });
  expect(older).toMatchObject({ state: 'failed', message: expect.stringMatching(/taken over/) });
  expect((await send(chunk(() => 0.4))).status).toBe(409);
  await watch(3);
  expectSmooth();
});

test('torque off ends it, and no chunk switches it on again', async () => {
  await accepted(chunk((t) => 0.3 * t));
  await watch(0.3);
  await bridge.post('/torque/toggle', { torque_status: false, force: true });
  const refused = await send(chunk(() => 0));
  expect(refused).toMatchObject({ status: 400 });
  expect(refused.body.detail).toMatch(/not ready/);
  expect(await bridge.status(0)).toMatchObject({ torque: false });
});

test('without a newer chunk the arm rests within the dead man’s time, though points are left', async () => {
  const { motion } = await accepted(chunk((t) => 0.1 * t, { count: 200, dead_man: 1 }));
  await watch(1.6);
  const at = pan();
  expect(at).toBeLessThan(0.13);
  await watch(0.5);
  expect(Math.abs(pan() - at)).toBeLessThan(0.003);
  expect((await motions())[0]).toMatchObject({
    id: motion,
    state: 'failed',
    message: 'no newer chunk has come; the arm holds where it is',
  });
  // Nobody has ended it but its policy.
  await accepted(chunk((t) => 0.1 + 0.1 * t));
  await watch(0.5);
  expectSmooth();
});

test('its motion can be cancelled, and other joints be driven meanwhile', async () => {
  const { motion } = await accepted(chunk((t) => 0.3 * t));
  await watch(0.3);
  const jaw = await accepted({ joints: ['gripper'], times: [0.5, 1], positions: [[0.3], [0.6]] }, '', {
    'user-agent': 'another',
  });
  expect(jaw.motion).not.toBe(motion);
  await watch(0.2);
  expect((await bridge.ask('DELETE', `/api/v1/arms/arm/motions/${motion}`)).status).toBe(200);
  await watch(0.4);
  const [gripping, cancelled] = await motions();
  expect(gripping).toMatchObject({ id: jaw.motion, state: 'moving' });
  expect(cancelled).toMatchObject({ id: motion, state: 'cancelled' });
  expect((await send(chunk((t) => 0.3 * t))).body.detail).toMatch(/begin anew/);
  expectSmooth();
});

test('a chunk that would hit something is refused as a whole, and the one before goes on', async () => {
  await accepted({ joints: ['shoulder_pan'], times: [0.5, 4], positions: [[0.1], [0.4]] });
  await watch(0.5);
  const down = {
    joints: ['shoulder_lift', 'elbow_flex'],
    times: [1, 3],
    positions: [
      [0.5, 0.5],
      [1.7, 0.9],
    ],
  };
  const refused = await send(down);
  expect(refused.status).toBe(400);
  expect(refused.body.detail).toMatch(/would hit something: .*Nothing of the chunk is followed/);
  await watch(1);
  expect(pan()).toBeGreaterThan(0.15);
  expect(await state()).toBe('moving');
});

test.each([
  [
    { joints: ['shoulder'], times: [1], positions: [[0]] },
    /joints: arm arm has no joint "shoulder", only shoulder_pan/,
  ],
  [{ joints: ['gripper', 'gripper'], times: [1], positions: [[0, 0]] }, /joints: gripper stands twice/],
  [{ joints: ['gripper'], times: [1, 2], positions: [[0]] }, /times has 2 elements for 1 rows of positions/],
  [{ joints: ['gripper'], times: [1, 1], positions: [[0], [0]] }, /times\.1 \(1 s\) is not at least 0\.001 s after/],
  [{ times: [1], positions: [[0, 0]] }, /positions\.0 has 2 numbers for 6 joints of arm arm/],
  [
    { joints: ['shoulder_pan'], times: [1, 2], positions: [[0], [4]] },
    /positions\.1\.0: shoulder_pan of arm arm cannot go to 4\.000 rad, its limits are/,
  ],
  [{ joints: ['gripper'], times: [1], positions: [[0]], observed: 4e9 }, /observed is .* ahead of the bridge's clock/],
])('bad input is named and moves nothing: %j', async (body, problem) => {
  await accepted(chunk((t) => 0.3 * t));
  await watch(0.2);
  const { status, body: answer } = await send(body);
  expect(status).toBe(400);
  expect(answer.detail).toMatch(problem);
  await watch(0.5);
  expect(pan()).toBeGreaterThan(0.15);
});

test('too many points, and numbers that are none, are refused by the schema', async () => {
  for (const body of [
    chunk(() => 0, { count: 501 }),
    { joints: ['gripper'], times: [], positions: [] },
    { joints: ['gripper'], times: [-1], positions: [[0]] },
    { joints: ['gripper'], times: [1], positions: [[null]] },
    { joints: ['gripper'], times: [1], positions: [[0]], dead_man: 100 },
  ]) {
    expect((await send(body)).status).toBe(422);
  }
  expect(await state()).toBe('ready');
});

test('when the connection of its newest chunk closes, the arm brakes and holds', async () => {
  const arm = bridge.arm();
  const caller = { owner: { key: 'policy', name: 'a policy' }, takeOver: false };
  const times = Array.from({ length: 50 }, (_, k) => k / 10);
  const follow = (sender: unknown) =>
    bridge.bridge.chunks.take(
      arm,
      {
        joints: ['shoulder_pan'],
        times,
        positions: times.map((t) => [0.1 * t]),
        observed: null,
        latency: 1,
        blend: 0.2,
        deadMan: 5,
      },
      caller,
      sender,
      async (work) => {
        ended = work({ ...caller, onTaken: () => {} });
        return 'm-1';
      },
    );
  let ended: Promise<{ readonly message: string | null }> | null = null;
  const socket = {};
  await bridge.until(follow(socket));
  await watch(0.5);
  bridge.bridge.chunks.leave({});
  await watch(0.2);
  expect(arm.read().state).toBe('moving');
  bridge.bridge.chunks.leave(socket);
  const { message } = await bridge.until(ended!);
  expect(message).toBe('the connection that sent the chunks has closed; the arm holds where it is');
  await watch(0.3);
  expect(arm.owner).toBeNull();
  const held = goal();
  await watch(0.3);
  expect(goal()).toBe(held);
  expectSmooth();
});

test('several chunks at once for one arm are refused beyond four that wait', async () => {
  const answers = await Promise.all(Array.from({ length: 12 }, () => send(chunk((t) => 0.1 * t))));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.length).toBeLessThan(12);
  for (const { status, body } of refused) {
    expect(status).toBeGreaterThanOrEqual(400);
    expect(body.detail).toMatch(/send one after the other|asked for something newer/);
  }
  await watch(1);
  expect(await state()).toBe('moving');
});

test('a run whose joint is held back fails and names the joint, and one that is free again goes on', async () => {
  const elbow = () => bridge.arm().read().positions[2]!;
  const from = elbow();
  const body = (to: number) => ({
    joints: ['elbow_flex'],
    times: [0.5, 1],
    positions: [[(elbow() + to) / 2], [to]],
  });
  await bridge.lead('arm', { elbow_flex: from });
  await accepted(body(from - 0.4));
  await bridge.becomes(async () => expect((await motions())[0].state).toBe('failed'));
  expect((await motions())[0].message).toMatch(/something holds its elbow_flex back/);
  await bridge.lead('arm', null);
  await bridge.pass(2);
  await accepted(body(from));
  await bridge.becomes(async () => expect((await motions())[0].state).toBe('done'));
  expect((await motions())[0].message).toBe(null);
});

test('a run that its limits slow down is given the time to arrive', async () => {
  bridge.arm().limitSpeed(0.1);
  const body = await accepted(chunk((t) => (t > 0.5 ? 1 : 0)));
  expect(body.slowed).toEqual(['shoulder_pan']);
  await bridge.pass(2);
  expect(pan()).toBeLessThan(0.8);
  expect((await motions())[0].state).toBe('moving');
  await bridge.becomes(async () => expect((await motions())[0].state).toBe('done'));
  expect(Math.abs(pan() - 1)).toBeLessThan(0.03);
});
