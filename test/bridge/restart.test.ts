import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Arm } from '../../src/arm/arm.ts';
import { ArmRecords } from '../../src/arm/arm-records.ts';
import type { Disk } from '../../src/disk.ts';
import { AUTOSTART } from '../../src/mirror/autostart.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';

const ARMS = [
  { name: 'leader', id: 0, bus: 'sim:so101' },
  { name: 'follower', id: 1, bus: 'sim:so101' },
];
/** There is no ROS 2 in virtual time. */
const FAILING = { ros: { enabled: true } };
const PAIR = { arms: ARMS, pairs: [{ leader: 'leader', follower: 'follower', autostart: true }] };

/** By how far any joint of an arm's physics moves in a time, rad. */
async function moved(bridge: VirtualBridge, arm: string, duration: number): Promise<number> {
  const truth = async () => (await bridge.host.arms!.truth(arm)).positions;
  const before = await truth();
  await bridge.pass(duration);
  return Math.max(...(await truth()).map((angle, i) => Math.abs(angle - before[i]!)));
}

const mirrors = (bridge: VirtualBridge) => bridge.bridge.mirror.status().active;
const told = (bridge: VirtualBridge, text: RegExp) => bridge.lines.filter(({ msg }) => text.test(msg));
const lead = (bridge: VirtualBridge, pan: number) =>
  bridge.until(bridge.host.arms!.hand('leader', { shoulder_pan: pan }, 1));

test('an arm that was stopped when its bridge was killed is stopped by the next one, for the same reason', async () => {
  const before = await VirtualBridge.start(PAIR);
  await before.pass(3);
  expect(mirrors(before)).toBe(true);
  await before.until(before.arm('follower').stop('the red button'));
  // It is on disk already, so another stop is not written again.
  await before.until(before.arm('follower').stop('another button'));
  const after = await before.killAndStart();
  await lead(after, 0.6);
  expect(await moved(after, 'follower', 5)).toBeLessThan(0.02);
  const follower = after.arm('follower');
  expect(follower.read().state).toBe('stopped');
  expect(follower.reason).toBe('the red button');
  expect(told(after, /follower is stopped until somebody resets it: the red button/)).toHaveLength(1);
  expect(mirrors(after)).toBe(false);
  // A reset is no start.
  await after.until(follower.reset());
  expect(await moved(after, 'follower', 3)).toBeLessThan(0.02);
  expect(mirrors(after)).toBe(false);
});

test('a stop outlives a proper end as well, and is gone once it has been reset', async () => {
  const first = await VirtualBridge.start();
  await first.until(first.arm().stop('test'));
  const second = await first.restart();
  expect(second.arm().latched).toBe(true);
  await second.until(second.arm().reset());
  const third = await second.restart();
  expect(third.arm().latched).toBe(false);
  expect(third.arm().read().state).toBe('connected');
});

test('the stop is on disk before it is answered', async () => {
  const bridge = await VirtualBridge.start();
  const { status } = await bridge.post('/stop');
  expect(status).toBe(200);
  const next = await bridge.killAndStart(0.001);
  expect(next.arm().latched).toBe(true);
});

test('a servo that stops its arm by itself has it stopped after a restart too', async () => {
  const bridge = await VirtualBridge.start();
  await bridge.until(bridge.bridge.torque.on(bridge.arm(), { owner: { key: 'a', name: 'a' }, takeOver: false }));
  await bridge.fault('arm', { servos: { 3: { misreads: { temperature: { share: 1, by: 41 } } } } });
  await bridge.becomes(() => expect(bridge.arm().latched).toBe(true));
  const next = await bridge.killAndStart();
  expect(next.arm().latched).toBe(true);
  expect(next.arm().reason).toMatch(/^servo 3 \(elbow_flex\) has \d\d degC/);
});

test('after a crash nothing starts by itself before somebody resets the arms; then it does', async () => {
  const before = await VirtualBridge.start(PAIR);
  await before.pass(3);
  expect(mirrors(before)).toBe(true);
  const after = await before.killAndStart();
  await lead(after, 0.6);
  expect(await moved(after, 'follower', 4)).toBeLessThan(0.02);
  expect(after.arm('follower').reason).toMatch(/did not end properly: .* reset it/);
  expect((await after.ask('GET', '/status')).body.arms[1].reason).toMatch(/did not end properly/);
  await after.until(after.arm('leader').reset());
  expect(await moved(after, 'follower', 2)).toBeLessThan(0.02);
  await after.until(after.arm('follower').reset());
  await after.pass(3);
  expect(mirrors(after)).toBe(true);
});

test('that it did not end properly is not forgotten by a proper end without a reset', async () => {
  const first = await VirtualBridge.start(PAIR);
  await first.pass(1);
  const second = await first.killAndStart();
  await second.pass(1);
  const third = await second.restart();
  await third.pass(3);
  expect(mirrors(third)).toBe(false);
  expect(third.arm('follower').latched).toBe(true);
});

test('a leader whose pair says how much of its weight it holds floats from the start, and feels as configured', async () => {
  const pairs = [{ ...PAIR.pairs[0]!, gravity_compensation: { elbow: 80 }, force_feedback: { arm: 0.5 } }];
  const bridge = await VirtualBridge.start({ ...PAIR, pairs });
  await bridge.pass(3);
  expect(bridge.arm('leader').read().state).toBe('floating');
  expect(bridge.bridge.mirror.status().pairs[0]).toMatchObject({ forceFeedback: { arm: 0.5, gripper: 0 }, reason: '' });
});

test('after a proper end pairs start by themselves, and are tried until both arms answer', async () => {
  const first = await VirtualBridge.start(PAIR);
  await first.pass(2);
  first.host.arms!.get('follower').unplug();
  const second = await first.restart();
  await second.pass(4);
  expect(mirrors(second)).toBe(false);
  expect(
    told(second, /^autostart of mirroring of leader: Arm follower is disconnected.* tried until it works/),
  ).toHaveLength(1);
  second.host.arms!.get('follower').plugIn();
  await second.pass(8);
  expect(mirrors(second)).toBe(true);
});

test.each([
  [
    'a stop and a reset',
    async (arm: Arm) => {
      await arm.stop('test');
      await arm.reset();
    },
  ],
  ['a client that takes an arm', (arm: Arm) => arm.takeOver({ owner: { key: 'a', name: 'owner a' }, takeOver: false })],
])('%s end what the configuration wants to be started', async (_, act) => {
  const first = await VirtualBridge.start(PAIR);
  first.host.arms!.get('follower').unplug();
  const second = await first.restart();
  const leader = second.arm('leader');
  await second.until(Promise.resolve(act(leader)));
  await second.until(leader.release({ owner: { key: 'a', name: 'owner a' }, takeOver: false }));
  second.host.arms!.get('follower').plugIn();
  await second.pass(8);
  expect(second.arm('follower').read().state).not.toBe('disconnected');
  expect(mirrors(second)).toBe(false);
  expect(told(second, /not tried any more/)).toHaveLength(1);
});

test('the table of autostart begins nothing but by a reset, and nothing again that is over', () => {
  const { table } = AUTOSTART;
  for (const state of ['done', 'over'] as const)
    for (const { to, effects } of Object.values(table[state])) expect([to, effects]).toEqual([state, []]);
  expect(
    Object.entries(table.waiting)
      .filter(([, { to }]) => to === 'trying')
      .map(([input]) => input),
  ).toEqual(['reset']);
});

test('a second bridge whose start fails leaves the records of the first as they were', async () => {
  const first = await VirtualBridge.start(PAIR);
  await first.pass(3);
  expect(mirrors(first)).toBe(true);
  // It fails once it has its arms.
  await expect(VirtualBridge.start({ ...PAIR, ...FAILING }, first.folder)).rejects.toThrow(/ros\.enabled/);
  const next = await first.restart();
  await next.pass(3);
  expect(mirrors(next)).toBe(true);
});

test('a start that fails moves no arm that it has found holding', async () => {
  const first = await VirtualBridge.start();
  expect((await first.post('/move/init')).body.status).toBe('ok');
  const raised = await first.truth('arm');
  const next = first.kill();
  next.armsOutlive = true;
  await expect(VirtualBridge.start(FAILING, first.folder, next)).rejects.toThrow(/ros\.enabled/);
  await first.pass(10);
  expect(Math.max(...(await first.truth('arm')).map((angle, i) => Math.abs(angle - raised[i]!)))).toBeLessThan(0.02);
});

test('a start that fails forgets no bridge that did not end properly', async () => {
  const first = await VirtualBridge.start(PAIR);
  await first.pass(3);
  await expect(VirtualBridge.start({ ...PAIR, ...FAILING }, first.folder)).rejects.toThrow(/ros\.enabled/);
  const next = await first.killAndStart();
  expect(next.arm('follower').reason).toMatch(/did not end properly/);
});

test('what cannot be kept is told with what to do, and a stop holds all the same', () => {
  const disk: Disk = {
    read: () => null,
    write: () => {
      throw new Error('EROFS: read-only file system');
    },
    remove: () => {},
  };
  const warnings: string[] = [];
  const records = new ArmRecords(disk, '/state', (text) => warnings.push(text));
  const arm = { name: 'arm', bus: 'sim:so101' };
  records.begin(arm);
  records.stop(arm, 'test');
  expect(warnings.at(-1)).toBe(
    'arm: its stop is not kept for the next start (EROFS: read-only file system): make state_folder writable',
  );
});

test('a record that cannot be read counts as a bridge that did not end properly', () => {
  const disk: Disk = { read: () => '{"runn', write: () => {}, remove: () => {} };
  const records = new ArmRecords(disk, '/state', () => {});
  expect(records.begin({ name: 'arm', bus: 'sim:so101' })).toEqual({ stopped: null, unclean: true, kept: true });
});

test('where an improper end would leave no trace, no pair starts before somebody resets its arms', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-file-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // Nobody can write below a file, not even root.
  writeFileSync(join(folder, 'file'), '');
  const bridge = await VirtualBridge.start({ ...PAIR, state_folder: join(folder, 'file', 'state') });
  await bridge.pass(3);
  expect(mirrors(bridge)).toBe(false);
  expect(bridge.arm('leader').reason).toMatch(/^state_folder cannot be written, .*reset it/);
  for (const name of ['leader', 'follower']) await bridge.until(bridge.arm(name).reset());
  await bridge.pass(3);
  expect(mirrors(bridge)).toBe(true);
});

/** A bridge that finds its arm raised and holding, since the one before was killed. */
async function inheriting(): Promise<VirtualBridge> {
  const first = await VirtualBridge.start();
  expect((await first.post('/move/init')).body.status).toBe('ok');
  first.host.armsOutlive = true;
  const next = first.kill();
  next.armsOutlive = true;
  const bridge = await VirtualBridge.start({}, first.folder, next);
  expect(bridge.arm().read().state).toBe('ready');
  return bridge;
}

/** Messages of streams that turn the base. @returns why one is refused; null when it is taken */
const STREAMS: Record<string, (bridge: VirtualBridge) => string | null | Promise<string | null>> = {
  'joint goals by HTTP': async (bridge) => {
    const { status, body } = await bridge.post('/joints/write', { angles: [0.3], joints_ids: [0] });
    return status === 200 ? null : body.detail;
  },
  'joint goals on a topic': ({ bridge }) => {
    const arm = bridge.arms.byName('arm')!;
    return bridge.streams.command(arm, ['shoulder_pan'], Float64Array.of(0.3), ROS)?.message ?? null;
  },
  jogging: ({ bridge }) => {
    const arm = bridge.arms.byName('arm')!;
    const velocities = Float64Array.from(arm.model.joints, (_, i) => (i === 0 ? 0.3 : 0));
    return bridge.jog.feed(arm, { kind: 'joints', velocities }, ROS)?.message ?? null;
  },
};
const ROS = { owner: { key: 'ros', name: 'a node' }, takeOver: false };

test.each(Object.entries(STREAMS))(
  '%s that go on after a kill move nothing until they have paused',
  async (_, send) => {
    const bridge = await inheriting();
    const pan = async () => (await bridge.truth('arm'))[0]!;
    const before = await pan();
    for (let i = 0; i < 20; i++) {
      expect(await send(bridge)).toMatch(/left holding by an earlier bridge: pause/);
      await bridge.pass(0.1);
    }
    expect(Math.abs((await pan()) - before)).toBeLessThan(0.02);
    await bridge.pass(0.6);
    expect(await send(bridge)).toBeNull();
  },
);

test('a new stream drives an arm that was found holding at once after somebody has asked it for something', async () => {
  const bridge = await inheriting();
  expect((await bridge.post('/move/init')).body.status).toBe('ok');
  for (const send of Object.values(STREAMS)) {
    expect(await send(bridge)).toBeNull();
    await bridge.pass(1);
  }
});
