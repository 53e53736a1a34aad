import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { jointStates } from '../recording/mcap.ts';
import { type BridgeProcess, HAS_ROS } from './support/bridge.ts';
import { FaultyBridge } from './support/faulty-bridge.ts';
import { Peer } from './support/peer.ts';

/** The main thread stands still for so long, s. */
const BUSY = 4;
/** What a machine that is busy with other things may take for anything, ms. */
const PATIENCE = { timeout: 60_000 };
/** An arm that rests does not move by more, rad. */
const RESTS = 0.01;
/** By then all arms have rested for long: 0.55 s is what is promised, on a machine that does nothing else, s. */
const SURELY = 2.5;

let faulty: FaultyBridge;
let bridge: BridgeProcess;
const start = async (withRos: boolean): Promise<void> => {
  faulty = await FaultyBridge.start(
    'main',
    `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${1000 * BUSY});`,
    withRos,
  );
  bridge = faulty.process;
};
afterEach(() => faulty?.end());

async function pan(id: number): Promise<number> {
  return (await bridge.get(`/sim/truth?robot_id=${id}`)).body.joints.shoulder_pan;
}

/** The follower goes with its leader, which a hand leads at 0.15 rad/s. */
async function follow(): Promise<void> {
  await bridge.raise('?robot_id=1');
  const pairs = { robot_pairs: [{ leader_id: 0, follower_id: 1 }], enable_gravity_compensation: false };
  // On a machine that is busy with other things an arm can be silent for a moment, which ends mirroring: then anew.
  const following = async (): Promise<string> => {
    const { mirror } = (await bridge.get('/status')).body;
    if (!mirror.active) await bridge.post('/move/leader/start', pairs);
    return mirror.pairs[0]?.state ?? 'idle';
  };
  await expect.poll(following, PATIENCE).toBe('mirroring');
  await bridge.post('/sim/hand?robot_id=0', { joints: { shoulder_pan: 1.2 }, duration: 8 });
  const moved = async (): Promise<number> => {
    await following();
    return pan(1);
  };
  await expect.poll(moved, PATIENCE).toBeGreaterThan(0.05);
}

describe('what comes while the main thread stands still', () => {
  /** The instant from which the arms rest for sure, and until which the main thread stands still for sure, epoch s. */
  let window: { from: number; until: number };
  /** Provoked while the follower moves and is recorded. */
  async function standStill(): Promise<void> {
    await bridge.post('/recording/start?robot_id=1', { name: 'still', rate: 200 });
    await follow();
    const asked = Date.now() / 1000;
    await faulty.provoked();
    window = { from: Date.now() / 1000 + SURELY, until: asked + BUSY };
  }
  /** The follower moved before, and rested while nobody would have heard anything. */
  async function expectRested(): Promise<void> {
    const states = await jointStates(join(faulty.folder, 'still.mcap'));
    const turned = (from: number, until: number): number => {
      const angles = states.filter(({ stamp }) => stamp > from && stamp < until).map(({ positions }) => positions[0]!);
      expect(angles.length).toBeGreaterThan(2);
      return Math.max(...angles) - Math.min(...angles);
    };
    expect(turned(0, window.from)).toBeGreaterThan(2 * RESTS);
    expect(turned(window.from, window.until)).toBeLessThan(RESTS);
  }

  test('a signal finds the arms at rest, and is obeyed when it runs again', async () => {
    await start(false);
    await standStill();
    expect(await bridge.end('SIGINT')).toMatchObject({ code: 0 });
    expect(bridge.log).toMatch(/SIGINT: lowering the arms/);
    await expectRested();
  });

  test.skipIf(!HAS_ROS)('a stop by ROS 2 finds the arms at rest, and is latched when it runs again', async () => {
    await start(true);
    const peer = await Peer.start();
    try {
      await peer.find('/follower/arm_bridge/stop');
      await standStill();
      expect(await peer.call('/follower/arm_bridge/stop')).toMatchObject({ success: true });
      expect((await bridge.arm(1)).state).toBe('stopped');
      await bridge.post('/recording/stop?robot_id=1');
      await expectRested();
    } finally {
      await peer.close();
    }
  });
});
