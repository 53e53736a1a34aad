import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Target, VERSION } from './support/images.ts';
import { Machine } from './support/machine.ts';
import { Booted } from './support/nspawn.ts';
import { until } from './support/run.ts';

const NEWER = `${VERSION}-newer`;

let machine: Machine;
let booted: Booted;

/** Boots a machine on which the bridge of a target has been built, by root. */
async function boot(target: Target): Promise<void> {
  machine = await Machine.start();
  booted = await Booted.start(machine, target);
}

async function shutDown(): Promise<void> {
  await booted?.stop();
  machine?.stop();
}

const program = '/opt/arm-bridge/docker/arm-bridge';
const token = async (): Promise<string> => (await booted.run('cat', ['/etc/arm-bridge/token'])).trim();
/** Waits until the bridge is ready, and systemd knows it: the watchdog counts from then on. */
async function ready(): Promise<void> {
  await until(
    'the bridge is ready',
    async () => ((await machine.ask('/readyz')).status === 200 ? true : null),
    120_000,
  );
  await until(
    'the service has started',
    async () => ((await booted.property('ActiveState')) === 'active' ? true : null),
    120_000,
  );
}

/** Waits until another process than this one is ready. @returns how long that took, s */
async function replaced(pid: string): Promise<number> {
  const begin = performance.now();
  await until(
    `another process than ${pid} runs`,
    async () => (!['0', pid].includes(await booted.property('MainPID')) ? true : null),
    120_000,
  );
  await ready();
  return (performance.now() - begin) / 1000;
}

/** That a program of this user gets messages. */
async function heardBy(user: string): Promise<void> {
  const watch = ['/opt/arm-bridge/build/ros/bin/python', '-B', '/opt/arm-bridge/docs/watch.py', 'leader', '--once'];
  const env = { HOME: '/tmp', ROS_LOG_DIR: `/tmp/ros-${user}` };
  const args = ['30', '/opt/arm-bridge/docker/with-ros.sh', ...watch];
  const { stdout, stderr } = await booted.outcome('timeout', args, { user, env });
  expect(stdout, stderr).toMatch(/^joints \(deg\): shoulder_pan/m);
}

describe('the service of systemd', () => {
  beforeAll(() => boot('bookworm'));
  afterAll(shutDown, 60_000);

  test('is installed by one command, which makes its user and tokens, and looks at all of it as that user', async () => {
    const { code, stderr, stdout } = await booted.outcome(program, ['install'], { timeout: 120_000 });
    expect([code, stderr]).toEqual([0, expect.stringContaining('arm-bridge runs; its log: journalctl -u arm-bridge')]);
    expect(stdout).toMatch(/ros.*jazzy/i);
    expect(await booted.run('stat', ['-c', '%U %a', '/etc/arm-bridge/token', '/etc/arm-bridge/config.yaml'])).toBe(
      'root 600\nroot 644\n',
    );
    await ready();
    expect(await booted.run('systemctl', ['is-enabled', 'arm-bridge'])).toBe('enabled\n');
  }, 180_000);

  test('runs as a user of its own, not as the one that has built it', async () => {
    const pid = await booted.property('MainPID');
    expect((await booted.run('ps', ['-o', 'user=', '-p', pid])).trim()).toBe('arm-bridge');
    expect((await booted.run('stat', ['-c', '%U', '/opt/arm-bridge'])).trim()).toBe('root');
  });

  test('answers whoever has the token, and drives its arms', async () => {
    const given = await token();
    expect((await machine.ask('/status')).status).toBe(401);
    expect((await machine.ask('/move/init', { method: 'POST', token: given })).status).toBe(200);
  });

  test('is exposed at most 2.0 by the word of systemd', async () => {
    const { stdout, code } = await booted.outcome('systemd-analyze', [
      'security',
      '--threshold=20',
      '--no-pager',
      'arm-bridge',
    ]);
    console.info(stdout.trim().split('\n').at(-1));
    expect(code, stdout).toBe(0);
  });

  test('says what it is allowed to itself: its health without Node, and nothing written beside its folders', async () => {
    const beat = '/run/arm-bridge/beat';
    const { code } = await booted.outcome(program, ['health'], { env: { ARM_BRIDGE_BEAT_FILE: beat } });
    expect(code).toBe(0);
    expect(await booted.run('find', ['/opt', '-newer', '/etc/arm-bridge/token', '-type', 'f'])).toBe('');
  });

  test.each(['root', 'nobody'])('is heard on ROS 2 by %s', heardBy);

  test('is started again after a crash', async () => {
    const pid = await booted.property('MainPID');
    await booted.run('kill', ['-KILL', pid]);
    console.info(`back ${(await replaced(pid)).toFixed(1)} s after its process was killed`);
  }, 180_000);

  test('is started again when it stands still, by the watchdog', async () => {
    const pid = await booted.property('MainPID');
    await booted.run('kill', ['-STOP', pid]);
    console.info(`back ${(await replaced(pid)).toFixed(1)} s after SIGSTOP`);
    expect(await booted.journal()).toMatch(/Watchdog timeout/);
  }, 240_000);

  test('is set up by root, whose calibrations and tokens it finds, may replace, and has in its backup', async () => {
    const config = ['--config', '/etc/arm-bridge/config.yaml'];
    const bus = 'tcp://127.0.0.1:5555';
    await booted.run('systemctl', ['stop', 'arm-bridge'], { timeout: 60_000 });
    // An emulated arm, with its calibration as another program would have it.
    const simulate = ['simulate', '--tcp', '5555', '--calibration', '/root/built/follower.json'];
    await booted.run('systemd-run', ['--unit=emulated-arm', program, ...simulate]);
    const entry = ['--port', bus, '--model', 'so101', '--name', 'follower', '--role', 'follower'];
    await until(
      'the arm is set up',
      async () => ((await booted.outcome(program, ['setup', 'arm', ...entry, ...config])).code === 0 ? true : null),
      60_000,
    );
    const built = `calibration_folder: /root/built\narms: [{ name: follower, bus: "${bus}" }]`;
    await booted.run('sh', ['-c', `echo '${built}' > /root/built.yaml`]);
    const theirs = ['--format', 'lerobot', '/root/lerobot.json'];
    await booted.run(program, ['calibrate', 'export', '--config', '/root/built.yaml', ...theirs]);
    await booted.run(program, ['calibrate', 'import', '--arm', 'follower', ...config, ...theirs]);
    const named = (await booted.run(program, ['token', 'add', 'bench', ...config])).trim();
    const doctor = await booted.outcome(program, ['doctor', ...config]);
    expect(doctor.stdout).toMatch(/arm follower .*calibrated 20/);

    const state = '/var/lib/arm-bridge/.local/state/arm-bridge';
    const written = ['', '/calibration', '/calibration/follower.json', '/tokens.json'].map((name) => `${state}${name}`);
    expect(await booted.run('stat', ['-c', '%U:%G', ...written])).toBe('arm-bridge:arm-bridge\n'.repeat(4));
    await booted.run('systemctl', ['start', 'arm-bridge'], { timeout: 60_000 });
    await ready();
    const called = await booted.run(program, ['call', 'GET', '/api/v1/arms', ...config]);
    const { body } = await machine.ask('/api/v1/arms', { token: named });
    expect(JSON.parse(called).arms).toHaveLength(JSON.parse(body).arms.length);
    const arms: { name: string; bus: string; now: { doubt: string } }[] = JSON.parse(body).arms;
    expect(arms.find(({ name }) => name === 'follower')).toMatchObject({ bus, now: { doubt: '' } });
    expect((await machine.ask('/move/init?robot_id=1', { method: 'POST', token: named })).status).toBe(200);
  }, 240_000);

  test('lowers its arms when it is stopped', async () => {
    await booted.run('systemctl', ['stop', 'arm-bridge'], { timeout: 60_000 });
    expect(await booted.property('Result')).toBe('success');
    const log = await booted.journal();
    expect(log.slice(log.lastIndexOf('SIGTERM'))).toMatch(/lowering the arms[\s\S]*bye/);
  });

  test('is updated as the document says, with its ROS 2 in a folder that it may read', async () => {
    const config = ['--config', '/etc/arm-bridge/config.yaml'];
    await booted.run(program, ['backup', '--tokens', ...config, '/root/tokens.tar.gz']);
    const held = (await booted.run('tar', ['-tzf', '/root/tokens.tar.gz'])).split('\n');
    expect(held).toEqual(expect.arrayContaining(['./tokens/token', './tokens/read_token']));
    const kept = await booted.outcome(program, ['backup', ...config, '/root/before.tar.gz']);
    expect([kept.code, kept.stderr]).toEqual([0, expect.stringContaining('calibration 1')]);
    const build = '/opt/arm-bridge/docker/build.sh';
    const refused = await booted.outcome(build, []);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('XDG_CACHE_HOME=/opt/cache')]);
    const before = await token();
    // As another version would have another unit.
    await booted.run('sed', ['-i', 's/^WatchdogSec=.*/WatchdogSec=99/', '/etc/systemd/system/arm-bridge.service']);
    await booted.run(program, ['install'], { timeout: 120_000 });
    await ready();
    expect(await booted.run('grep', ['WatchdogSec', '/etc/systemd/system/arm-bridge.service'])).toBe(
      'WatchdogSec=15\n',
    );
    expect(await token()).toBe(before);
    const { body } = await machine.ask('/status', { token: before });
    expect(JSON.parse(body).ros).toMatchObject({ enabled: true, distro: 'jazzy' });
  }, 240_000);

  test('goes to a newer version and back, with what was set up and a stop that nobody has reset', async () => {
    const config = ['--config', '/etc/arm-bridge/config.yaml'];
    const given = await token();
    const status = async () => JSON.parse((await machine.ask('/status', { token: given })).body);
    const end = () => booted.run('systemctl', ['stop', 'arm-bridge'], { timeout: 60_000 });
    // What a pull and a build leave there, but for all that is the same in both.
    const become = (from: string, to: string) =>
      booted.run('sed', ['-i', `s/"version": "${from}"/"version": "${to}"/`, '/opt/arm-bridge/package.json']);
    const arms = ['leader', 'follower'].map((name) => expect.objectContaining({ name, state: 'stopped', doubt: '' }));
    expect((await machine.ask('/stop', { method: 'POST', token: given })).status).toBe(200);
    await end();
    await booted.run(program, ['backup', ...config, '/root/older.tar.gz']);
    await become(VERSION, NEWER);
    await booted.run(program, ['install'], { timeout: 120_000 });
    await ready();
    expect(await status()).toMatchObject({ version_id: NEWER, arms: expect.arrayContaining(arms) });
    await end();
    await become(NEWER, VERSION);
    // As a newer version may write it.
    await booted.run('sed', ['-i', 's/^version: [0-9]*/version: 99/', '/etc/arm-bridge/config.yaml']);
    const refused = await booted.outcome(program, ['install'], { timeout: 120_000 });
    expect(refused.code).not.toBe(0);
    expect(refused.stdout + refused.stderr).toContain('restore the backup from before the update');
    await booted.run(program, ['restore', '--force', ...config, '/root/older.tar.gz']);
    await booted.run(program, ['install'], { timeout: 120_000 });
    await ready();
    expect(await status()).toMatchObject({ version_id: VERSION, arms: expect.arrayContaining(arms) });
    const calibrated = (await status()).arms.find(({ name }: { name: string }) => name === 'follower').calibrated;
    expect(calibrated).toBe(true);
  }, 300_000);

  test('is installed again without losing anything, with a priority for its control thread', async () => {
    await booted.run('systemctl', ['stop', 'arm-bridge'], { timeout: 60_000 });
    const before = await token();
    await booted.run(program, ['install', '--realtime', '--no-start'], { timeout: 120_000 });
    expect(await token()).toBe(before);
    expect(await booted.property('LimitRTPRIO')).toBe('50');
  }, 120_000);
});

describe('the service of systemd with a ROS 2 below /opt/ros, as a Raspberry Pi has it', () => {
  beforeAll(() => boot('ros'));
  afterAll(shutDown, 60_000);

  test('finds it without an environment that names it, and is heard by another user', async () => {
    expect(await booted.run('cat', ['/opt/arm-bridge/build/environment.sh'])).toMatch(
      /^\. \/opt\/ros\/jazzy\/setup\.sh$/m,
    );
    await booted.run(program, ['install'], { timeout: 120_000 });
    await ready();
    const { body } = await machine.ask('/status', { token: await token() });
    expect(JSON.parse(body).ros).toMatchObject({ enabled: true, distro: 'jazzy' });
    await heardBy('nobody');
  }, 180_000);
});
