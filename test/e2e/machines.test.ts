import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type BridgeProcess, HAS_ROS, sleep } from './support/bridge.ts';
import { Machine } from './support/machines.ts';

const machines = HAS_ROS ? Machine.pair() : 'there is no ROS 2';
if (typeof machines === 'string') console.warn(`SKIPPED: two bridges on two machines, since ${machines}`);

/** Droop that the model does not know, friction and the servos' steps, rad. */
const NEAR = 0.03;
/** A follower that nobody commands has come to rest after this: 0.1 s until that is noticed, and 0.25 s to brake. */
const AT_REST = 0.6;
const START = { shoulder_pan: 0, shoulder_lift: -0.7, elbow_flex: 0.7, wrist_flex: 0, wrist_roll: 0.05, gripper: 0 };

describe.skipIf(typeof machines === 'string')(
  'leader and follower on two machines with the files of the manual',
  () => {
    const [here, there] = machines as readonly [Machine, Machine];
    let operator: BridgeProcess;
    let owner: BridgeProcess;
    const running: BridgeProcess[] = [];
    beforeAll(async () => {
      // No shared memory, which both machines have in common here.
      const environment = { FASTDDS_BUILTIN_TRANSPORTS: 'UDPv4' };
      const start = async (machine: Machine, file: string): Promise<BridgeProcess> => {
        const bridge = await machine.bridge(environment, '--config', file);
        running.push(bridge);
        return bridge;
      };
      [operator, owner] = await Promise.all([
        start(here, 'config/leader_here.yaml'),
        start(there, 'config/follower_here.yaml'),
      ]);
    });
    afterEach(() => {
      for (const machine of [here, there]) machine.setCable(true);
    });
    afterAll(async () => {
      // What its arms do then concerns nobody.
      await Promise.all(running.map((bridge) => bridge.end('SIGKILL')));
      Machine.removeAll();
    });

    const leader = async (): Promise<Record<string, number>> =>
      (await here.ask(operator, '/sim/truth?robot_id=0')).joints;
    const follower = async (): Promise<Record<string, number>> => (await there.ask(owner, '/sim/truth')).joints;
    const status = () => here.ask(operator, '/status');

    function furthest(a: Record<string, number>, b: Record<string, number>): number {
      return Math.max(...Object.keys(START).map((joint) => Math.abs(a[joint]! - b[joint]!)));
    }

    /** The leader is led away from where the follower is, which then ramps to it. */
    async function mirror(): Promise<void> {
      await here.ask(operator, '/sim/hand', { robot_id: 0, joints: START, duration: 0.5 });
      // What the operator sent before a cable was pulled may arrive once it is back, and has the arm until it ends.
      await expect.poll(() => there.ask(owner, '/move/init', {}), { timeout: 20_000 }).toMatchObject({ status: 'ok' });
      await expect.poll(async () => (await status()).arms[1].state, { timeout: 10_000 }).toBe('ready');
      const body = { robot_pairs: [{ leader_id: 0, follower_id: 1 }] };
      // Again where a busy machine has ended the pair.
      const started = async (): Promise<string> => {
        const { state } = (await status()).mirror.pairs[0] ?? { state: 'idle' };
        return state === 'idle' ? JSON.stringify(await here.ask(operator, '/move/leader/start', body)) : state;
      };
      await expect.poll(started, { timeout: 20_000 }).toBe('mirroring');
    }

    async function follows(pan: number): Promise<void> {
      await here.ask(operator, '/sim/hand', {
        robot_id: 0,
        joints: { shoulder_pan: pan, wrist_flex: pan / 2 },
        duration: 1,
      });
      const arrived = async (): Promise<number> => Math.abs((await leader()).shoulder_pan! - pan);
      await expect.poll(arrived, { timeout: 20_000 }).toBeLessThan(NEAR);
      await sleep(0.3);
      expect(furthest(await leader(), await follower())).toBeLessThan(NEAR);
    }

    test('the follower goes where its leader goes', async () => {
      await mirror();
      await follows(0.6);
    });

    test('when the cable is pulled in the middle of a movement it holds where it is, and both sides say what is the case; then they go on', async () => {
      // So slow that a busy machine pulls the cable before the arm is there.
      await here.ask(operator, '/sim/hand', { robot_id: 0, joints: { shoulder_pan: -0.8 }, duration: 8 });
      await sleep(0.6);
      here.setCable(false);
      await sleep(AT_REST);
      const held = await follower();
      await expect
        .poll(async () => Math.abs((await leader()).shoulder_pan! + 0.8), { timeout: 20_000 })
        .toBeLessThan(NEAR);
      expect(furthest(await follower(), held)).toBeLessThan(0.01);
      expect(Math.abs(held.shoulder_pan! + 0.8)).toBeGreaterThan(0.2);
      expect((await there.ask(owner, '/status')).arms[0]).toMatchObject({ state: 'ready', torque: true, owner: null });
      const { arms, mirror: told } = await status();
      expect(arms[1]).toMatchObject({ state: 'disconnected' });
      expect(arms[1].reason).toMatch(/\/follower\/joint_states/);
      expect(told.reason).toMatch(/follower: .*disconnected/);

      here.setCable(true);
      await mirror();
      await follows(0.5);
    });
  },
);
