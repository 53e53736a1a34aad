import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { HAS_ROS } from './support/bridge.ts';
import { Machine } from './support/machines.ts';

const machines = HAS_ROS ? Machine.routed() : 'there is no ROS 2';
if (typeof machines === 'string') console.warn(`SKIPPED: bridges of two networks, since ${machines}`);
afterAll(() => Machine.removeAll());

/** Of the router, in the network of one of the machines. */
const ADDRESS = '10.77.0.254';
const PATIENCE = { timeout: 120_000, interval: 500 };

test.skipIf(typeof machines === 'string')(
  'bridges of two networks find each other by the discovery server of docker/, and do not without it',
  async () => {
    const [here, there, router] = machines as readonly [Machine, Machine, Machine];
    const environment = { ROS_DISCOVERY_SERVER: `${ADDRESS}:11811`, ROS_AUTOMATIC_DISCOVERY_RANGE: 'SUBNET' };
    const [operator, owner] = await Promise.all([
      here.bridge(environment, '--config', 'config/leader_here.yaml'),
      there.bridge(environment, '--config', 'config/follower_here.yaml'),
    ]);
    onTestFinished(async () => {
      await Promise.all([operator, owner].map((bridge) => bridge.end('SIGKILL')));
    });
    const follower = async () => (await here.ask(operator, '/status')).arms[1];
    expect(await follower()).toMatchObject({ name: 'follower', state: 'disconnected' });

    // The file that docker/build.sh writes, for this ROS 2.
    const home = mkdtempSync(join(tmpdir(), 'arm-bridge-discovery-'));
    onTestFinished(() => rmSync(home, { recursive: true }));
    cpSync('docker/discovery.sh', join(home, 'docker/discovery.sh'));
    mkdirSync(join(home, 'build'));
    const names = ['AMENT_PREFIX_PATH', 'ARM_BRIDGE_ROS_LD_LIBRARY_PATH'];
    const lines = names.map((name) => `export ${name}='${process.env[name] ?? ''}'\n`);
    writeFileSync(join(home, 'build/environment.sh'), lines.join(''));
    const server = router.start(join(home, 'docker/discovery.sh'), ADDRESS);
    onTestFinished(async () => {
      server.kill('SIGKILL');
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
    });

    // Limp, as its own bridge says.
    await expect.poll(async () => (await follower()).state, PATIENCE).toBe('connected');
    expect((await there.ask(owner, '/status')).arms[0]).toMatchObject({ name: 'follower', state: 'connected' });
  },
  400_000,
);
