import { expect, test } from 'vitest';
import { VirtualHost } from '../../explore/virtual-host.ts';
import type { Arm } from '../../src/arm/types.ts';
import type { RosRoom, RosServices } from '../../src/ros/room.ts';
import { furthest } from '../support/poses.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';

/** How often the other machine tells of its arm, s. */
const PERIOD = 0.01;
const LED = { shoulder_pan: 0.4, elbow_flex: 0.5 };
/** rad */
const NEAR = 0.05;
/** Largest speed at which a follower approaches, rad/s, measured over so many periods, and what a control cycle adds to that. */
const APPROACH = 0.6;
const WINDOW = 20;
const MARGIN = 0.05;

/** A graph on which another machine has arms, which follow what they are told without any delay. */
class HostWithGraph extends VirtualHost {
  /** Whether the other machine is there. */
  alive = true;
  /** What it says against being driven; empty: nothing. */
  blocked = '';
  readonly added: Arm[] = [];
  readonly positions = new Map<Arm, Float64Array>();
  /** Angles that the first joint was asked for, rad, one each period while it was driven. */
  readonly course: number[] = [];

  constructor() {
    super(null);
  }

  override async startRos({ joints }: RosServices): Promise<RosRoom> {
    this.clock.every(PERIOD, () => {
      for (const arm of this.alive ? this.added : []) {
        const positions = this.positions.get(arm)!;
        const { state, setpoints } = arm.read();
        if (state === 'mirroring') {
          positions.set(setpoints);
          this.course.push(setpoints[0]!);
        }
        joints.remoteOwner(arm, true, this.blocked, '');
        joints.remoteState(arm, positions, null, null);
      }
    });
    return {
      distro: 'jazzy',
      graph: { domain: 0, namespace: '/', commands: true, network: true },
      add: (arm) => {
        if (!arm.remote) return;
        this.added.push(arm);
        this.positions.set(arm, new Float64Array(arm.model.joints.length));
      },
      close: async () => {},
    };
  }
}

const FAR = { leader: 'leader', follower: 'far', guest: { model: 'so101', variant: 'follower' } };
const ONE = { ros: { enabled: true }, arms: [{ name: 'leader', bus: 'sim:so101' }] };

async function start(config: object = ONE): Promise<{ bridge: VirtualBridge; host: HostWithGraph }> {
  const host = new HostWithGraph();
  return { bridge: await VirtualBridge.start(config, undefined, host), host };
}

const pairs = async (bridge: VirtualBridge) => (await bridge.get('/api/v1/pairs')).body.pairs;

test('an arm of another machine is here as long as a pair has it, approaches slowly, and can come again', async () => {
  const { bridge, host } = await start();
  await bridge.lead('leader', LED, 0.5);
  await bridge.pass(1);
  for (let round = 0; round < 2; round++) {
    expect(await bridge.post('/api/v1/pairs/start', FAR)).toMatchObject({ status: 200 });
    const far = bridge.arm('far');
    expect(far.remote).toBe(true);
    await bridge.becomes(() => {
      expect(furthest([...host.positions.get(far)!], [...bridge.arm('leader').read().positions])).toBeLessThan(NEAR);
    });
    expect((await bridge.post('/api/v1/pairs/end', { follower: 'far' })).body.status).toBe('ok');
    await bridge.becomes(() => expect(far.detached).toBe(true));
    // It is the other machine's again: this bridge is ready without it, and tells of it no more.
    expect((await bridge.get('/readyz')).status).toBe(200);
    expect((await bridge.get('/api/v1/bridge')).body.arms).toHaveLength(1);
    const speeds = host.course.slice(WINDOW).map((to, i) => Math.abs(to - host.course[i]!) / (WINDOW * PERIOD));
    expect(Math.max(...speeds)).toBeGreaterThan(APPROACH - MARGIN);
    expect(Math.max(...speeds)).toBeLessThan(APPROACH + MARGIN);
    host.positions.get(far)!.fill(0);
    host.course.length = 0;
  }
  // However often it comes, it is heard once.
  expect(host.added).toHaveLength(1);
});

test('a machine that falls silent, or that stops its arm, ends the pair in its words', async () => {
  const { bridge, host } = await start();
  expect((await bridge.post('/api/v1/pairs/start', FAR)).status).toBe(200);
  host.alive = false;
  await bridge.becomes(async () => expect((await pairs(bridge))[0]).toMatchObject({ state: 'idle' }));
  expect((await pairs(bridge))[0].reason).toMatch(/nothing comes on the ROS topic \/far\/joint_states/);
  await bridge.becomes(() => expect(bridge.arm('far').detached).toBe(true));
  const silent = await bridge.post('/api/v1/pairs/start', FAR);
  expect([silent.status, silent.body.detail]).toEqual([400, expect.stringMatching(/^Arm far does not answer/)]);
  expect(bridge.arm('far').detached).toBe(true);

  host.alive = true;
  expect((await bridge.post('/api/v1/pairs/start', FAR)).status).toBe(200);
  host.blocked = 'it is stopped on its own machine: reset it there';
  await bridge.becomes(async () => expect((await pairs(bridge))[0].reason).toMatch(/stopped on its own machine/));
  await bridge.becomes(() => expect(bridge.arm('far').detached).toBe(true));
  host.blocked = '';
});

test('a stop of all arms ends the pair, and after a reset of all it can be started again', async () => {
  const { bridge } = await start();
  expect((await bridge.post('/api/v1/pairs/start', FAR)).status).toBe(200);
  expect((await bridge.post('/api/v1/stop')).status).toBe(200);
  await bridge.becomes(async () => expect((await pairs(bridge))[0]).toMatchObject({ state: 'idle' }));
  await bridge.becomes(() => expect(bridge.arm('far').detached).toBe(true));
  expect((await bridge.post('/api/v1/pairs/start', FAR)).body.detail).toMatch(/is stopped/);
  expect((await bridge.post('/api/v1/stop/reset')).status).toBe(200);
  expect((await bridge.post('/api/v1/pairs/start', FAR)).status).toBe(200);
});

test('a start that was pressed before a stop begins nothing after a reset, when the other machine answers late', async () => {
  const { bridge, host } = await start();
  expect((await bridge.post('/move/init')).body.status).toBe('ok');
  host.alive = false;
  const late = bridge.post('/api/v1/pairs/start', { ...FAR, enable_gravity_compensation: true });
  await bridge.pass(3);
  expect((await bridge.post('/api/v1/stop')).status).toBe(200);
  expect((await bridge.post('/api/v1/stop/reset')).status).toBe(200);
  host.alive = true;
  const { status, body } = await late;
  expect([status, body.detail]).toEqual([400, expect.stringMatching(/^Arm leader has been .* stopped/)]);
  expect(bridge.arm('leader').read()).toMatchObject({ state: 'ready', holding: true });
  expect(host.course).toEqual([]);
  await bridge.becomes(() => expect(bridge.arm('far').detached).toBe(true));
  expect((await bridge.post('/api/v1/pairs/start', FAR)).status).toBe(200);
});

test('an arm of which nothing has ever been heard is no arm of this bridge, and is found when it is there', async () => {
  const { bridge, host } = await start();
  host.alive = false;
  const silent = await bridge.post('/api/v1/pairs/start', FAR);
  expect(silent.status).toBe(400);
  expect(silent.body.detail).toMatch(/nothing comes on the ROS topic \/far\/joint_states/);
  expect(bridge.bridge.arms.byName('far')).toBeUndefined();
  host.alive = true;
  expect((await bridge.post('/api/v1/pairs/start', FAR)).status).toBe(200);
  expect(host.added).toHaveLength(1);
});

test('an arm of another machine that is none of its own name or model is refused', async () => {
  const { bridge } = await start({ ...ONE, arms: [...ONE.arms, { name: 'near', bus: 'sim:so101' }] });
  const refused = async (fields: object) =>
    (await bridge.post('/api/v1/pairs/start', { ...FAR, ...fields })).body.detail;
  expect(await refused({ follower: 'near' })).toMatch(/^This bridge has an arm "near" of its own/);
  expect(await refused({ guest: { model: 'nothing', variant: 'follower' } })).toMatch(/nothing/);
  expect(await refused({ follower: 'No Name' })).toMatch(/a ROS name/);
  expect((await bridge.post('/api/v1/pairs/start', FAR)).status).toBe(200);
  await bridge.post('/api/v1/pairs/end', { follower: 'far' });
  expect(await refused({ guest: { model: 'koch', variant: 'follower' } })).toMatch(
    /^Arm far is so101 \(follower\) here, and koch \(follower\) on its own machine/,
  );
});

test('an arm that the configuration names stays when its pair ends', async () => {
  const { bridge, host } = await start({ ...ONE, arms: [...ONE.arms, { name: 'far', bus: 'ros' }] });
  host.added.push(bridge.arm('far'));
  host.positions.set(bridge.arm('far'), new Float64Array(6));
  expect((await bridge.post('/api/v1/pairs/start', FAR)).status).toBe(200);
  expect((await bridge.post('/api/v1/pairs/end', { follower: 'far' })).body.status).toBe('ok');
  await bridge.pass(1);
  expect(bridge.arm('far')).toMatchObject({ detached: false });
});

test('without ROS 2 no arm of another machine comes, and it is said why', async () => {
  const bridge = await VirtualBridge.startLight({ arms: ONE.arms });
  const refused = await bridge.post('/api/v1/pairs/start', FAR);
  expect([refused.status, refused.body.detail]).toEqual([
    400,
    expect.stringMatching(/^Arms of other machines are reached by ROS 2, which is off here: /),
  ]);
  expect(bridge.bridge.arms.all).toHaveLength(1);
});

test('one pair of several ends, and the other one goes on', async () => {
  const names = ['leader', 'one', 'two'];
  const bridge = await VirtualBridge.startLight({ arms: names.map((name) => ({ name, bus: 'sim:so101' })) });
  const others = ['one', 'two'].map((name) => `/move/init?arm=${name}`);
  for (const url of others) expect((await bridge.post(url)).body.status).toBe('ok');
  const both = [1, 2].map((follower_id) => ({ leader_id: 0, follower_id }));
  expect((await bridge.post('/move/leader/start', { robot_pairs: both })).status).toBe(200);
  expect((await bridge.post('/api/v1/pairs/end', { follower: 'one' })).body.status).toBe('ok');
  const states = (await pairs(bridge)).map(({ follower, state }: { follower: string; state: string }) => [
    follower,
    state,
  ]);
  expect(states).toContainEqual(['one', 'idle']);
  expect(states).toContainEqual(['two', expect.stringMatching(/ramping|mirroring/)]);
});
