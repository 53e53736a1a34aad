import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { BridgeProcess, sleep } from './support/bridge.ts';

const DEAD_MAN = 0.2;
const SPEED = 0.3;
/** A stop takes 0.25 s at most; a loaded machine may hand a message over late. */
const BRAKING = 0.5;
/** A stream that was ended takes an arm again when it has been silent for longer than half a second, ms. */
const SILENCE = 700;

// biome-ignore lint/suspicious/noExplicitAny: frames are checked field by field
type Frame = any;

let bridge: BridgeProcess;

beforeAll(async () => {
  bridge = await BridgeProcess.start('--no-ros');
  await bridge.post('/torque/toggle?robot_id=1', { torque_status: true });
});
afterAll(() => bridge.endStopped());

/** A live client that jogs the follower's shoulder as long as it is asked to. */
class Jogger {
  readonly frames: Frame[] = [];
  readonly socket: WebSocket;
  #timer: NodeJS.Timeout | undefined;
  #refused: Frame;

  constructor() {
    this.socket = new WebSocket(`${bridge.url.replace('http', 'ws')}/api/v1/live`);
    this.socket.on('message', (data) => this.frames.push(JSON.parse(String(data))));
    this.socket.on('open', () => this.socket.send('{"type":"subscribe","topics":["arms"],"rate":100}'));
  }

  get follower(): Frame {
    return this.frames.findLast(({ type }) => type === 'arms')?.arms[1];
  }

  jog(): void {
    const message = JSON.stringify({ type: 'jog', arm: 1, joints: { shoulder_pan: SPEED } });
    let pausesUntil = 0;
    this.#timer = setInterval(() => {
      // Where a busy machine has ended it, a stream begins again after a silence.
      const refused = this.frames.findLast(({ type }) => type === 'refused');
      if (refused !== this.#refused) pausesUntil = Date.now() + SILENCE;
      this.#refused = refused;
      if (Date.now() >= pausesUntil) this.socket.send(message);
    }, 50);
  }

  let(): void {
    clearInterval(this.#timer);
  }
}

async function until(what: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!what()) {
    if (Date.now() > deadline) throw new Error(`not within 20 s: ${what}; the bridge says:\n${bridge.log}`);
    await sleep(0.02);
  }
}

/** Position of the shoulder by the physics, once it has come to rest. */
async function standing(): Promise<number> {
  let before = await truth();
  for (let i = 0; i < 50; i++) {
    await sleep(0.1);
    const now = await truth();
    if (Math.abs(now - before) < 0.001) return now;
    before = now;
  }
  throw new Error('the shoulder does not come to rest');
}

const truth = async (): Promise<number> => (await bridge.get('/sim/truth?robot_id=1')).body.joints.shoulder_pan;

test('an arm is jogged while its client sends, holds when it falls silent, and belongs to nobody afterwards', async () => {
  const jogger = new Jogger();
  await until(() => jogger.follower?.state === 'ready');
  const from = await truth();
  jogger.jog();
  await until(() => jogger.follower.joints.position[0] > from + 0.2);
  expect(jogger.follower).toMatchObject({
    state: 'moving',
    owner: expect.stringMatching(/^an HTTP client on this computer/),
    motion: { kind: 'jog', progress: null },
  });
  jogger.let();
  const goal = jogger.follower.joints.goal[0];
  await until(() => jogger.follower.state === 'ready' && jogger.follower.owner === null);
  const frames = jogger.frames.filter(({ type }) => type === 'arms');
  const speeds = frames.map(({ arms }: Frame) => Math.abs(arms[1].joints.velocity[0]));
  // One cycle that a busy machine ran late is a quick step; the middle of the speeds is the speed.
  const moving = speeds.filter((speed) => speed > SPEED / 4).sort((a, b) => a - b);
  expect(moving[moving.length >> 1]).toBeLessThan(1.3 * SPEED);
  // It went on for the dead man's time and the way of braking, by the physics.
  const rest = await standing();
  expect(rest - goal).toBeLessThan(SPEED * (DEAD_MAN + BRAKING));
  await sleep(0.3);
  expect(Math.abs((await truth()) - rest)).toBeLessThan(0.01);
  jogger.socket.close();
});

test('a hand leads the tool: by the physics it moves as the hand does, and holds when the hand falls silent', async () => {
  await bridge.post('/move/init?robot_id=1');
  const tool = async () => (await bridge.get('/sim/truth?robot_id=1')).body.tool.position;
  const height = async () => (await tool()).z;
  const from = await tool();
  const socket = new WebSocket(`${bridge.url.replace('http', 'ws')}/move/teleop/ws`);
  const refusals: string[] = [];
  socket.on('message', (data) => {
    const { status, message } = JSON.parse(String(data));
    if (status === 'error') refusals.push(message);
  });
  await new Promise((resolve) => socket.once('open', resolve));
  // The hand begins somewhere: only its way counts. Left without a robot_id is the second arm.
  let hand = 140;
  let speed = 0.2;
  const timer = setInterval(() => {
    hand = Math.min(143, Math.max(140, hand + speed));
    const message = { x: 25, y: -60, z: hand, rx: 20, ry: -70, rz: 5, open: 0.5, source: 'left' };
    socket.send(JSON.stringify({ ...message, timestamp: performance.now() / 1000 }));
  }, 25);
  try {
    await until(() => hand === 143);
    expect((await bridge.arm(1)).state).toBe('moving');
    let z = await height();
    for (let i = 0; i < 200 && Math.abs(z - from.z - 0.03) > 0.004; i++) {
      await sleep(0.05);
      z = await height();
    }
    const there = await tool();
    expect(there.z - from.z).toBeCloseTo(0.03, 2);
    expect(Math.hypot(there.x - from.x, there.y - from.y)).toBeLessThan(0.005);
    expect(refusals).toEqual([]);
    speed = -0.2;
    await until(() => hand < 142);
  } finally {
    clearInterval(timer);
  }
  for (let i = 0; i < 200 && (await bridge.arm(1)).owner !== null; i++) await sleep(0.05);
  expect(await bridge.arm(1)).toMatchObject({ state: 'ready', owner: null, torque: true });
  await standing();
  const held = await tool();
  // Between where it was and where the hand began: it has not fallen.
  expect(held.z - from.z).toBeGreaterThan(-0.004);
  expect(held.z - from.z).toBeLessThan(0.034);
  socket.close();
});

test('an arm whose client is cut off holds', async () => {
  const jogger = new Jogger();
  await until(() => jogger.follower?.state === 'ready');
  const from = await truth();
  jogger.jog();
  await until(() => jogger.follower.joints.position[0] > from + 0.1);
  jogger.let();
  jogger.socket.terminate();
  const watcher = new Jogger();
  await until(() => watcher.follower?.state === 'ready' && watcher.follower.owner === null);
  const rest = await standing();
  expect(rest - from).toBeLessThan(0.1 + SPEED * (DEAD_MAN + BRAKING) + 0.1);
  await sleep(0.3);
  expect(Math.abs((await truth()) - rest)).toBeLessThan(0.01);
  watcher.socket.close();
});
