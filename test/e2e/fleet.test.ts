import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { hearsGroups } from '../support/multicast.ts';
import { BridgeProcess } from './support/bridge.ts';

const PATIENCE = { timeout: 40_000, interval: 100 };
const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-fleet-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A bridge with one simulated arm. @param fleet of its configuration */
function start(name: string, fleet: object): Promise<BridgeProcess> {
  const path = join(folder, `${name}.json`);
  const config = {
    ros: { enabled: false },
    arms: [{ name: `arm_${name}`, bus: 'sim:so101' }],
    fleet: { name, ...fleet },
  };
  writeFileSync(path, JSON.stringify(config));
  return BridgeProcess.start('--config', path);
}

interface Other {
  readonly state: string;
  readonly configured: boolean;
  readonly bridge: {
    readonly name: string;
    readonly arms: readonly { readonly name: string; readonly state: string }[];
  };
}

/** The other bridges that one tells of, by name. */
async function othersOf(bridge: BridgeProcess): Promise<Map<string, Other>> {
  const { others } = (await bridge.get('/api/v1/bridges')).body as { others: readonly Other[] };
  return new Map(others.flatMap((other) => (other.bridge === null ? [] : [[other.bridge.name, other] as const])));
}

test('one stop reaches the arms of all bridges that the configuration names, and says which one did not answer', async () => {
  const left = await start('left', {});
  const right = await start('right', {});
  const desk = await start('desk', { bridges: [left.url, right.url] });
  await expect.poll(async () => [...(await othersOf(desk)).keys()].sort(), PATIENCE).toEqual(['left', 'right']);
  for (const bridge of [left, right, desk]) await bridge.raise();
  const told = (await othersOf(desk)).get('left')!;
  expect(told).toMatchObject({ configured: true, bridge: { arms: [{ name: 'arm_left', simulated: true }] } });

  const stopAll = async () => (await desk.post('/api/v1/bridges/stop')).body;
  // On a busy machine a bridge may need longer for its answer than it is waited for; it is stopped by then.
  await expect.poll(stopAll, PATIENCE).toMatchObject({ status: 'ok', message: 'Stopped: desk, left, right.' });
  for (const bridge of [left, right, desk]) expect((await bridge.arm(0)).state).toBe('stopped');
  await expect.poll(async () => (await othersOf(desk)).get('right')!.bridge.arms[0]!.state, PATIENCE).toBe('stopped');

  await right.end('SIGKILL');
  await expect
    .poll(stopAll, PATIENCE)
    .toMatchObject({ status: 'error', message: 'Stopped: desk, left. Not stopped: right.' });
  expect((await stopAll()).bridges[2].message).toMatch(/^Not stopped: .*Use its power switch\.$/);
  await expect.poll(async () => (await othersOf(desk)).get('right')!.state, PATIENCE).toBe('silent');

  const targets = (await desk.get('/api/v1/bridges/targets')).body as { targets: string[]; labels: object }[];
  expect(targets.map(({ labels }) => labels)).toContainEqual({ __scheme__: 'http', bridge: 'left' });
  expect(targets.flatMap((target) => target.targets)).toContain(new URL(left.url).host);
  await left.end('SIGINT');
  await desk.end('SIGINT');
});

const HEARS_GROUPS = await hearsGroups();
if (!HEARS_GROUPS)
  console.warn('SKIPPED: bridges that find each other. The loopback network carries no multicast here.');

test.skipIf(!HEARS_GROUPS)(
  'bridges find each other by DNS-SD where the configuration says so, and those that have not said so are not found',
  async () => {
    const names = ['one', 'two'].map((name) => `${name}-${process.pid}`);
    const bridges = await Promise.all(names.map((name, i) => start(`${'ab'[i]}`, { name, discovery: true })));
    const quiet = await start('quiet', {});
    const found = async (of: number): Promise<readonly string[]> => [...(await othersOf(bridges[of]!)).keys()];
    await expect.poll(() => found(0), PATIENCE).toContain(names[1]);
    await expect.poll(() => found(1), PATIENCE).toContain(names[0]);
    expect(await found(0)).not.toContain('quiet');
    expect(await found(0)).not.toContain(names[0]);
    expect((await othersOf(quiet)).size).toBe(0);
    for (const bridge of [...bridges, quiet]) await bridge.end('SIGINT');
  },
);
