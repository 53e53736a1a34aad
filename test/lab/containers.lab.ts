import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { imageOf, sizeOf, VERSION } from './support/images.ts';
import { Inspector } from './support/inspector.ts';
import { Lab } from './support/lab.ts';
import { FOLDER, until } from './support/run.ts';

const MB = 1e6;
const WATCH = '/opt/arm-bridge/docs/watch.py';
const PYTHON = '/opt/arm-bridge/build/ros/bin/python';

let lab: Lab;

beforeAll(async () => {
  lab = await Lab.start('containers');
}, 60_000);
afterAll(() => lab?.stop(), 60_000);

/** What `docker inspect` says of a container's state. */
const state = (name: string, key: string): Promise<string> => lab.engine.inspect(name, `.State.${key}`);
const restarts = async (name: string): Promise<number> => Number(await lab.engine.inspect(name, '.RestartCount'));
/** Waits until the restart policy has started it again, and it is ready. @returns how long that took, s */
async function restarted(name: string, before: number): Promise<number> {
  const begin = performance.now();
  await until(`${name} is started again`, async () => ((await restarts(name)) > before ? true : null), 120_000);
  await lab.ready(name);
  return (performance.now() - begin) / 1000;
}

describe('the images', () => {
  const over = async (image: string, base: string) =>
    ((await sizeOf(lab.engine, image)) - (await sizeOf(lab.engine, base))) / MB;

  test('are small: with ROS 2 at most 700 MB over their base, without at most 250 MB', async () => {
    const bases = (await lab.engine.docker(['images', '--format', '{{.Repository}}:{{.Tag}}'])).split('\n');
    const node = bases.find((name) => name.startsWith('node:'))!;
    const ros = bases.find((name) => name.startsWith('ros:'))!;
    const sizes = {
      http: await over(imageOf('http'), node),
      bookworm: await over(imageOf('bookworm'), node),
      ros: await over(imageOf('ros'), ros),
    };
    console.info('MB over their base:', sizes);
    expect(sizes.http).toBeLessThan(250);
    expect(sizes.bookworm).toBeLessThan(700);
    expect(sizes.ros).toBeLessThan(700);
  });

  test.each(['http', 'bookworm', 'ros', 'foxglove'] as const)(
    '%s is labelled with its version and ends as nobody special',
    async (target) => {
      const labels = JSON.parse(
        await lab.engine.docker(['inspect', '--format', '{{json .Config.Labels}}', imageOf(target)]),
      );
      expect(labels).toMatchObject({
        'org.opencontainers.image.title': expect.stringContaining('Arm Bridge'),
        'org.opencontainers.image.licenses': 'Apache-2.0',
        'org.opencontainers.image.version': VERSION,
        'org.opencontainers.image.revision': expect.stringMatching(/^[0-9a-f]{40}$/),
      });
      expect(await lab.engine.inspect(imageOf(target), '.Config.User')).toBe('1000:1000');
    },
  );
});

describe('the simulated pair of the profile sim', () => {
  beforeAll(() => lab.up('sim', 'sim'), 180_000);
  afterAll(() => lab.down('sim'));

  test('is ready, on this machine alone, and moves', async () => {
    const initialised = await lab.machine.ask('/move/init', { method: 'POST' });
    expect([initialised.status, initialised.body]).toEqual([200, expect.stringContaining('"ok"')]);
  });

  test('writes to its volume and to /tmp, and to nothing else', async () => {
    const { stdout, stderr } = await lab.inside(
      'sim',
      'id -u; touch /tmp/a /var/lib/arm-bridge/a && echo may; touch /opt/arm-bridge/a /etc/a /usr/a',
    );
    expect(stdout).toBe('1000\nmay\n');
    expect(stderr.match(/Read-only file system/g)).toHaveLength(3);
  });

  test('is asked for its health for at most 20 ms of processor time', async () => {
    const asked = 10;
    const { stdout } = await lab.inside(
      'sim',
      `for i in $(seq ${asked}); do arm-bridge health || echo ill; done; times`,
    );
    // What `times` prints: the shell itself, then what it has started: user and system time of each.
    const seconds = [
      ...stdout
        .trim()
        .split('\n')
        .at(-1)!
        .matchAll(/(\d+)m([\d.]+)s/g),
    ].map(([, m, s]) => 60 * Number(m) + Number(s));
    const each = (1000 * (seconds[0]! + seconds[1]!)) / asked;
    console.info(`processor time of a health check: ${each.toFixed(1)} ms`);
    expect(stdout).not.toContain('ill');
    expect(each).toBeLessThan(20);
  });

  test('lowers its arms on docker stop, and ends well within its grace', async () => {
    const begin = performance.now();
    await lab.engine.docker(['stop', 'sim']);
    console.info(`docker stop took ${((performance.now() - begin) / 1000).toFixed(1)} s`);
    expect(await state('sim', 'ExitCode')).toBe('0');
    const log = await lab.logs('sim');
    expect(log).toMatch(/SIGTERM: lowering the arms/);
    expect(log).toMatch(/bye/);
    expect(log).not.toMatch(/was not lowered|took too long/);
  });
});

describe('ROS 2 of a bridge in a container', () => {
  beforeAll(() => lab.up('sim', 'sim'), 180_000);
  afterAll(() => lab.down('sim'));

  /** Prints a line of the joints of an arm, if its messages come. */
  const watch = [PYTHON, '-B', WATCH, 'leader', '--once'];

  test('is heard in the same container', async () => {
    const { stdout } = await lab.inside('sim', `timeout 30 ${watch.join(' ')}`);
    expect(stdout).toMatch(/^joints \(deg\): shoulder_pan/m);
  });

  test.each(['1000', '4321', '0'])('is heard in another container, by user %s', async (user) => {
    const args = await lab.compose.arguments('sim', {
      variables: { ARM_BRIDGE_TARGET: 'bookworm' },
      more: ['--user', user, '--rm', '--no-healthcheck', '--entrypoint', '/opt/arm-bridge/docker/with-ros.sh'],
      command: ['timeout', '30', ...watch],
    });
    const { stdout, stderr } = await lab.engine.outcome(['run', ...args], { timeout: 90_000 });
    expect(stdout, stderr).toMatch(/^joints \(deg\): shoulder_pan/m);
  });

  test.each([4321, 0])('is heard on the host, by user %s', async (user) => {
    const { stdout, stderr } = await lab.onHost(user, 'leader');
    expect(stdout, stderr).toMatch(/^joints \(deg\): shoulder_pan/m);
  });
});

describe('the profile discovery', () => {
  const variables = { ARM_BRIDGE_TARGET: 'bookworm', ROS_DISCOVERY_SERVER: '127.0.0.1:11811' };
  afterAll(async () => {
    await lab.down('sim');
    await lab.down('discovery');
  });

  /** What a program in a container of its own hears of a bridge, if the server tells it of that. */
  async function heard(): Promise<string> {
    const args = await lab.compose.arguments('sim', {
      variables,
      more: ['--rm', '--no-healthcheck', '--entrypoint', '/opt/arm-bridge/docker/with-ros.sh'],
      command: ['timeout', '20', PYTHON, '-B', WATCH, 'leader', '--once'],
    });
    return (await lab.engine.outcome(['run', ...args], { timeout: 90_000 })).stdout;
  }

  test('tells those that name it of each other, and without it they do not meet', async () => {
    const args = await lab.compose.arguments('discovery', { variables });
    await lab.engine.docker(['run', '-d', '--name', 'discovery', ...args]);
    await lab.up('sim', 'sim', { variables });
    expect(await heard()).toMatch(/^joints \(deg\): shoulder_pan/m);
    await lab.engine.docker(['stop', 'discovery']);
    expect(await heard()).not.toContain('joints');
  }, 240_000);
});

describe('the profile lab', () => {
  beforeAll(() => lab.up('lab', 'lab'), 180_000);
  afterAll(() => lab.down('lab'));

  test('answers whoever has the token, lets the other one read, and nobody else', async () => {
    const status = async (token?: string) =>
      (await lab.machine.ask('/status', token === undefined ? {} : { token })).status;
    expect([await status(), await status('wrong'), await status(lab.token), await status(lab.readToken)]).toEqual([
      401, 401, 200, 200,
    ]);
    const move = (token: string) => lab.machine.ask('/move/init', { method: 'POST', token });
    expect([(await move(lab.readToken)).status, (await move(lab.token)).status]).toEqual([403, 200]);
  });

  test('says that ROS 2 is on, which it demands', async () => {
    const { body } = await lab.machine.ask('/status', { token: lab.token });
    expect(JSON.parse(body).ros).toMatchObject({ enabled: true });
  });

  test('is started again when its process is killed', async () => {
    const before = await restarts('lab');
    await lab.inside('lab', 'pkill -KILL -f dist/main.js || kill -KILL $(cut -d" " -f2 "$ARM_BRIDGE_BEAT_FILE")');
    console.info(`back ${(await restarted('lab', before)).toFixed(1)} s after its process was killed`);
  }, 180_000);

  test('is started again when its process stands still', async () => {
    const before = await restarts('lab');
    await lab.inside('lab', 'kill -STOP $(cut -d" " -f2 "$ARM_BRIDGE_BEAT_FILE")');
    console.info(`back ${(await restarted('lab', before)).toFixed(1)} s after SIGSTOP`);
  }, 240_000);

  test('is started again when it stands still while it starts', async () => {
    await lab.engine.docker(['restart', 'lab']);
    const before = await restarts('lab');
    const starting = 'until grep -qs "^0 " "$ARM_BRIDGE_BEAT_FILE"; do :; done';
    await lab.inside('lab', `${starting}; kill -STOP $(cut -d" " -f2 "$ARM_BRIDGE_BEAT_FILE")`);
    console.info(`back ${(await restarted('lab', before)).toFixed(1)} s after SIGSTOP in its start`);
  }, 300_000);

  test('is started again when its main thread stands still, and its control loop goes on', async () => {
    const before = await restarts('lab');
    await lab.inside('lab', 'kill -USR1 $(cut -d" " -f2 "$ARM_BRIDGE_BEAT_FILE")');
    const inspector = await Inspector.attach(lab.machine);
    await inspector.evaluate('for (;;);');
    console.info(`back ${(await restarted('lab', before)).toFixed(1)} s after its main thread stood still`);
  }, 240_000);

  test('stays off after docker stop and docker kill, until it is started', async () => {
    await lab.engine.docker(['kill', 'lab']);
    await sleep(5000);
    expect(await state('lab', 'Running')).toBe('false');
    await lab.engine.docker(['start', 'lab']);
    await lab.ready('lab');
  }, 180_000);

  test('lowers its arms when the machine is shut down, and is there again after it has started', async () => {
    const { status } = await lab.machine.ask('/move/init', { method: 'POST', token: lab.token });
    expect(status).toBe(200);
    const begin = performance.now();
    await lab.engine.reboot();
    await lab.ready('lab');
    console.info(`engine down and up, bridge ready: ${((performance.now() - begin) / 1000).toFixed(1)} s`);
    const log = await lab.logs('lab');
    expect(log.slice(log.lastIndexOf('lowering the arms'))).toMatch(/bye[\s\S]*arm-bridge \d/);
  }, 240_000);
});

describe('a bridge that runs out of memory', () => {
  afterEach(() => lab.down('lab'));

  test('is killed by the kernel and started again', async () => {
    await lab.up('lab', 'lab', { more: ['--memory', '450m', '--memory-swap', '450m'] });
    const before = await restarts('lab');
    const since = String(Math.floor(Date.now() / 1000));
    await lab.inside('lab', 'kill -USR1 $(cut -d" " -f2 "$ARM_BRIDGE_BEAT_FILE")');
    const inspector = await Inspector.attach(lab.machine);
    await inspector.evaluate('const kept = []; for (;;) kept.push(Buffer.alloc(2 ** 24, 1));');
    console.info(`back ${(await restarted('lab', before)).toFixed(1)} s after it ran out of memory`);
    const until = String(Math.ceil(Date.now() / 1000));
    const events = ['events', '--since', since, '--until', until, '--filter', 'container=lab', '--filter', 'event=oom'];
    expect(await lab.engine.docker(events)).toContain('container oom');
  }, 240_000);
});

describe('what the engine refuses', () => {
  test('is told by a bridge that asked for it in its configuration, and the bridge runs', async () => {
    await lab.up('sim', 'sim', { more: ['-e', 'ARM_BRIDGE_CONTROL_PRIORITY=50'] });
    expect(await lab.logs('sim')).toMatch(/control\.priority[\s\S]*realtime\.yaml/);
    await lab.down('sim');
  }, 180_000);

  test('an image without ROS 2 is refused by a laboratory that demands it, and serves HTTP to one that does not', async () => {
    const variables = { ARM_BRIDGE_TARGET: 'http' };
    const args = await lab.compose.arguments('lab', { variables, more: ['--restart', 'no', '--rm'] });
    const { code, stdout, stderr } = await lab.engine.outcome(['run', ...args]);
    expect([code, stdout + stderr]).toEqual([
      2,
      expect.stringContaining('ros.enabled is true, but ROS 2 cannot be used'),
    ]);
    await lab.up('lab', 'lab', { variables: { ...variables, ARM_BRIDGE_ROS: 'auto' } });
    const { body } = await lab.machine.ask('/status', { token: lab.token });
    expect(JSON.parse(body).ros).toMatchObject({ enabled: false, reason: expect.stringContaining('without ROS 2') });
    await lab.down('lab');
  }, 180_000);
});

describe('the log of a container', () => {
  afterEach(() => lab.down('sim'));

  test('takes no more room than the compose file gives it', async () => {
    await lab.up('sim', 'sim', {
      more: ['-e', 'ARM_BRIDGE_LOG_LEVEL=trace', '--log-opt', 'max-size=20k', '--log-opt', 'max-file=2'],
    });
    const loop =
      'const ask = async () => { for (let i = 0; i < 1000; i++) await (await fetch("http://127.0.0.1:8020/status")).text(); }; ask()';
    await lab.inside('sim', `node -e '${loop}'`);
    const log = await lab.engine.inspect('sim', '.Id');
    const { stdout } = await lab.machine.outcome('du', ['-sb', `${FOLDER}/docker/containers/${log}/local-logs`]);
    expect(Number.parseInt(stdout, 10)).toBeGreaterThan(1000);
    expect(Number.parseInt(stdout, 10)).toBeLessThan(60_000);
  }, 180_000);
});
