import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BridgeProcess, HAS_ROS, sleep } from './support/bridge.ts';
import { type JointRow, Peer, topSpeed } from './support/peer.ts';

/** What the design promises of an exit: within 10 s, at 1 rad/s or less, down to the rest pose. */
const EXIT_LIMIT = 10;
const LOWERING_SPEED = 1;
/** Long enough for a process to end on a busy machine, and too short for an arm to be lowered, s. */
const AT_ONCE = 3;
/** A peer that is sent something takes it within this time, s. */
const PEER_DELAY = 0.5;
const REST: Readonly<Record<string, number>> = { shoulder_lift: -1.73, elbow_flex: 1.6, wrist_flex: 1.02 };
const JOINTS = ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll', 'gripper'];

const RAISED = { x: -5, y: 12, z: 6 };

/** Makes the main thread throw on SIGUSR2, as a fault nobody has thought of would. */
const FAULT =
  'data:text/javascript,' +
  encodeURIComponent(
    "import { isMainThread } from 'node:worker_threads';" +
      "if (isMainThread) process.on('SIGUSR2', () => { throw new Error('a fault of the test'); });",
  );

interface Recorded {
  readonly states: JointRow[];
  readonly goals: JointRow[];
}

/** Epoch s at which the log said `text` last. */
function lastLogged(bridge: BridgeProcess, text: string): number {
  const line = bridge.log.split('\n').findLast((candidate) => candidate.includes(text));
  if (line === undefined) throw new Error(`the log does not say ${text}:\n${bridge.log}`);
  return Date.parse(JSON.parse(line).time) / 1000;
}

/** A way down that began at rest was slow. */
function expectSlow({ goals }: Recorded): void {
  // Over 0.1 s: a cycle that is late steps for two.
  expect(topSpeed(goals, 10)).toBeLessThan(LOWERING_SPEED * 1.05);
}

/** The follower went down; at rest its torque went off, and with it its goals. */
function expectLowered(bridge: BridgeProcess, { states, goals }: Recorded): void {
  for (const [joint, angle] of Object.entries(REST)) {
    expect(Math.abs(states.at(-1)!.position[JOINTS.indexOf(joint)]! - angle), joint).toBeLessThan(0.06);
  }
  const limp = lastLogged(bridge, 'follower is connected');
  expect(limp).toBeGreaterThan(lastLogged(bridge, 'lowering the arms'));
  expect(goals.at(-1)!.stamp).toBeLessThan(limp + 0.05);
}

describe.skipIf(!HAS_ROS)('the way out, as rclpy records it', () => {
  let peer: Peer;
  beforeAll(async () => {
    peer = await Peer.start();
  });
  afterAll(async () => {
    await peer.close();
  });

  /** A bridge, what it publishes of its follower, and the words of its log since then. */
  async function start(environment: NodeJS.ProcessEnv = {}) {
    const bridge = await BridgeProcess.startWith(environment);
    const states = await peer.record('joints', '/follower/joint_states');
    const goals = await peer.record('joints', '/follower/joint_goals');
    let since = 0;
    // A peer on a busy machine is behind: what was published before comes later, and the end when the bridge has gone.
    const newer = async (take: () => Promise<JointRow[]>): Promise<JointRow[]> => {
      const rows: JointRow[] = [];
      for (let more = await take(); more.length > 0; more = await take()) {
        rows.push(...more);
        await sleep(PEER_DELAY);
      }
      return rows.filter(({ stamp }) => stamp >= since);
    };
    return {
      bridge,
      forget: () => {
        since = Date.now() / 1000;
      },
      recorded: async (): Promise<Recorded> => ({ states: await newer(states), goals: await newer(goals) }),
    };
  }

  test('three SIGTERM within a millisecond during a move: its client learns why, the arm is lowered once, code 0', async () => {
    const { bridge, forget, recorded } = await start();
    await bridge.post('/move/init?robot_id=1');
    const move = bridge.post('/move/absolute?robot_id=1', RAISED);
    await expect.poll(async () => (await bridge.arm(1)).state).toBe('moving');
    bridge.child.kill('SIGTERM');
    bridge.child.kill('SIGTERM');
    const ended = bridge.end('SIGTERM');
    expect((await move).body).toMatchObject({ status: 'error' });
    forget();
    const { code, time } = await ended;
    expect(code).toBe(0);
    expect(time).toBeLessThan(EXIT_LIMIT);
    expect(bridge.log.match(/lowering the arms/g)).toHaveLength(1);
    expectLowered(bridge, await recorded());
  });

  test('a second signal after a second exits at once, not zero, with torque on where the arm is', async () => {
    const { bridge, forget, recorded } = await start();
    await bridge.post('/move/init?robot_id=1');
    await bridge.post('/move/absolute?robot_id=1', { x: 5, y: 8, z: 8 });
    forget();
    const exited = once(bridge.child, 'exit');
    bridge.child.kill('SIGINT');
    await sleep(1.2);
    expect(bridge.child.exitCode).toBeNull();
    const asked = Date.now();
    bridge.child.kill('SIGINT');
    expect((await exited)[0]).toBe(1);
    expect((Date.now() - asked) / 1000).toBeLessThan(AT_ONCE);
    expect(bridge.log).toMatch(/SIGINT again: exit at once; arms with torque on hold where they are/);
    const { states, goals } = await recorded();
    // Goals come to the very end: torque has never gone off.
    expect(Math.abs(states.at(-1)!.stamp - goals.at(-1)!.stamp)).toBeLessThan(0.1);
    const lift = JOINTS.indexOf('shoulder_lift');
    expect(states.at(-1)!.position[lift]!).toBeGreaterThan(REST.shoulder_lift! + 0.1);
  });

  test('a signal while it starts ends it in the same way as soon as it has started', async () => {
    const starting = BridgeProcess.starting();
    await expect.poll(() => starting.log).toMatch(/Server listening/);
    const { code } = await starting.end('SIGINT');
    expect([code, starting.log]).toEqual([0, expect.stringMatching(/lowering the arms[\s\S]*bye/)]);
  });

  test('an uncaught error takes the same way, and the exit code tells of it', async () => {
    const { bridge, forget, recorded } = await start({ NODE_OPTIONS: `--import=${FAULT}` });
    await bridge.post('/move/init?robot_id=1');
    forget();
    const { code, time } = await bridge.end('SIGUSR2');
    expect(code).toBe(1);
    expect(time).toBeLessThan(EXIT_LIMIT);
    const taken = await recorded();
    expectSlow(taken);
    expectLowered(bridge, taken);
    expect(bridge.log).toMatch(/a fault of the test/);
  });
});

test('arms that are limp are left as they are: the exit waits for nothing', async () => {
  const bridge = await BridgeProcess.start('--no-ros');
  const { code } = await bridge.end('SIGHUP');
  expect(code).toBe(0);
  expect(bridge.log).not.toMatch(/(leader|follower) is (ready|moving)/);
});

test('a stop is heard while the arms are being lowered, and nobody can take one of them any more', async () => {
  const bridge = await BridgeProcess.start('--no-ros');
  await bridge.post('/move/init');
  const ended = bridge.end('SIGTERM');
  await expect.poll(() => bridge.log).toMatch(/lowering the arms/);
  expect(await bridge.post('/move/init?take_over=true')).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('the shutdown of the bridge') },
  });
  expect((await bridge.post('/stop')).body.status).toBe('ok');
  const { code, time } = await ended;
  expect(code).toBe(0);
  expect(time).toBeLessThan(10);
  expect(bridge.log).toMatch(/leader was not lowered .*holds/);
  expect(bridge.log).not.toMatch(/leader is connected.*leader is stopped.*leader is connected/s);
});
