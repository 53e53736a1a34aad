import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import { isLoopback } from '../../src/http/addresses.ts';
import { buildApp, fakeServices } from '../http/fakes.ts';

const FOLDER = fileURLToPath(new URL('../../docker/', import.meta.url));
const DOCKERFILE = join(FOLDER, 'Dockerfile');

const hadolint = join(dirname(process.env.ARM_BRIDGE_WITNESS_PYTHON ?? ''), 'hadolint');
const HAS_HADOLINT = existsSync(hadolint);
if (!HAS_HADOLINT) console.warn('SKIPPED: hadolint does not judge docker/Dockerfile. npm test installs it.');

const COMPOSE = process.env.ARM_BRIDGE_COMPOSE ?? '';
if (COMPOSE === '')
  console.warn('SKIPPED: docker/compose.yaml is not read. npm test builds Docker Compose where Go is.');

test.skipIf(!HAS_HADOLINT)('hadolint finds nothing in the Dockerfile', () => {
  const { status, stdout } = spawnSync(hadolint, ['--no-color', DOCKERFILE], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, '']);
});

describe('each image', () => {
  const stages = readFileSync(DOCKERFILE, 'utf8')
    .split(/^(?=FROM )/m)
    .slice(1)
    .map((text) => ({ name: / AS (\S+)/.exec(text)![1]!, text }));

  test.each(['http', 'ros', 'bookworm', 'foxglove'])('%s ends as another user than root', (name) => {
    const { text } = stages.find((stage) => stage.name === name)!;
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the Dockerfile
    expect([...text.matchAll(/^USER (.*)$/gm)].at(-1)![1]).toBe('${UID}:${UID}');
  });

  test.each(['http', 'ros', 'bookworm'])('%s has a health check, and hands signals on to the bridge', (name) => {
    const { text } = stages.find((stage) => stage.name === name)!;
    expect(text).toMatch(/^HEALTHCHECK .* CMD \["arm-bridge", "health", "--end"\]$/m);
    expect(text).toMatch(/^STOPSIGNAL SIGTERM$/m);
    // A list, not a line: a shell in between would keep the signal. tini passes it on.
    expect(text).toMatch(/^ENTRYPOINT \["tini", "--", "arm-bridge"\]$/m);
    expect(readFileSync(join(FOLDER, 'with-ros.sh'), 'utf8').trimEnd()).toMatch(/\nexec "\$@"$/);
    expect(readFileSync(join(FOLDER, 'arm-bridge'), 'utf8').trimEnd()).toMatch(/\nexec .*main\.js" "\$@"$/);
  });

  test('with a ROS 2 has the definitions of its release, of all packages that would otherwise be built with those of Jazzy', () => {
    const { text } = stages.find(({ name }) => name === 'ros-node')!;
    const packages = readdirSync(join(FOLDER, '../interfaces')).map(
      (name) => `ros-\${ROS_DISTRO}-${name.replaceAll('_', '-')}`,
    );
    for (const name of packages) expect(text).toContain(`"${name}"`);
  });

  test('is made from images whose versions are named', () => {
    const bases = stages.map(({ text }) => /^FROM (\S+)/.exec(text)![1]!);
    const names = new Set(stages.map(({ name }) => name));
    // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of the Dockerfile
    const versioned = ['node:${NODE}-bookworm-slim${NODE_DIGEST}', 'ros:${ROS_DISTRO}-ros-base${ROS_DIGEST}'];
    for (const base of bases) expect(names.has(base) || versioned.includes(base), base).toBe(true);
    expect(readFileSync(DOCKERFILE, 'utf8')).toMatch(/^ARG NODE=\d+\.\d+\.\d+$/m);
  });
});

interface Service {
  readonly network_mode?: string;
  readonly ipc?: string;
  readonly ports?: readonly { readonly host_ip?: string }[];
  readonly privileged?: boolean;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly restart?: string;
  readonly stop_grace_period?: string;
  readonly image?: string;
  readonly command?: readonly string[] | null;
  readonly secrets?: readonly { readonly source: string; readonly target: string }[];
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly device_cgroup_rules?: readonly string[];
  readonly volumes?: readonly { readonly type: string; readonly source?: string; readonly target: string }[];
  readonly ulimits?: Readonly<Record<string, number>>;
  readonly build?: {
    readonly target?: string;
    readonly context: string;
    readonly dockerfile?: string;
    readonly args?: Readonly<Record<string, string>>;
  };
}

/** The services of some profiles as Compose sees them. */
function load(profiles: readonly string[], variables: Readonly<Record<string, string>> = {}): Record<string, Service> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...variables };
  const wanted = profiles.flatMap((profile) => ['--profile', profile]);
  const args = ['-f', join(FOLDER, 'compose.yaml'), ...wanted, 'config', '--format', 'json'];
  return JSON.parse(execFileSync(COMPOSE, args, { env, encoding: 'utf8' })).services;
}

describe.skipIf(COMPOSE === '')('the compose file', () => {
  const ROS = { sim: ['sim'], lab: ['lab'], setup: ['setup'], foxglove: ['foxglove'], discovery: ['discovery'] };
  const PROFILES = { ...ROS, monitoring: ['grafana', 'prometheus'] };

  test.each(Object.entries(PROFILES))('starts in the profile %s exactly %j', (profile, services) => {
    expect(Object.keys(load([profile])).sort()).toEqual(services);
  });

  test('starts nothing without a profile, and all profiles fit together', () => {
    expect(load([])).toEqual({});
    expect(Object.keys(load(Object.keys(PROFILES))).sort()).toEqual(Object.values(PROFILES).flat().sort());
  });

  test.each(Object.values(PROFILES).flat())('%s has no more rights than it needs', (name) => {
    const service = load(Object.keys(PROFILES))[name]!;
    expect(service.privileged ?? false).toBe(false);
    expect(service.read_only).toBe(true);
    expect(service.cap_drop).toEqual(['ALL']);
    expect(service.cap_add ?? []).toEqual([]);
    for (const { host_ip: address } of service.ports ?? []) expect(address).toBe('127.0.0.1');
  });

  test('lets nodes of different containers hear each other, on this machine alone', () => {
    for (const service of Object.values(load(Object.keys(ROS)))) {
      expect(service).toMatchObject({ network_mode: 'host', ipc: 'host' });
      expect(service.environment).toMatchObject({ ROS_DOMAIN_ID: '0', ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST' });
    }
  });

  test('tells nobody beyond this machine of the others, until an address is given', () => {
    expect(load(['discovery']).discovery!.command).toEqual(['127.0.0.1']);
    const { discovery } = load(['discovery'], { ARM_BRIDGE_DISCOVERY_ADDRESS: '192.0.2.1' });
    expect(discovery!.command).toEqual(['192.0.2.1']);
    const { lab } = load(['lab'], { ROS_DISCOVERY_SERVER: '192.0.2.1:11811' });
    expect(lab!.environment!.ROS_DISCOVERY_SERVER).toBe('192.0.2.1:11811');
  });

  test('gives a bridge the time to lower its arms', () => {
    for (const service of Object.values(load(['sim', 'lab']))) expect(service.stop_grace_period).toBe('40s');
  });

  test('gives the lab its token as a secret, its adapters whatever their number, and starts it again', () => {
    const { lab } = load(['lab']);
    expect(lab!.restart).toBe('unless-stopped');
    const { ARM_BRIDGE_HTTP_TOKEN_FILE: token, ARM_BRIDGE_HTTP_READ_TOKEN_FILE: readToken } = lab!.environment!;
    expect(lab!.secrets!.map(({ target }) => target)).toEqual([token, readToken]);
    expect(lab!.volumes).toContainEqual({ type: 'bind', source: '/dev', target: '/dev' });
    // Major numbers of ttyUSB and ttyACM, see devices.txt of the Linux kernel.
    expect(lab!.device_cgroup_rules).toEqual(['c 188:* rw', 'c 166:* rw']);
  });

  test('keeps Prometheus and Grafana on this machine, and gives Grafana no default password', () => {
    const { prometheus, grafana } = load(['monitoring']);
    expect(prometheus!.command).toContain('--web.listen-address=127.0.0.1:9090');
    expect(grafana!.environment!.GF_SERVER_HTTP_ADDR).toBe('127.0.0.1');
    const [password] = grafana!.secrets!;
    expect(grafana!.environment!.GF_SECURITY_ADMIN_PASSWORD__FILE).toBe(password!.target);
    for (const { image } of [prometheus!, grafana!]) expect(image).toMatch(/:v?\d+\.\d+\.\d+$/);
    // It may read the arms, not move them.
    expect(prometheus!.secrets!.map(({ target }) => target)).toEqual([
      parse(readFileSync(join(FOLDER, 'monitoring/prometheus.yaml'), 'utf8')).scrape_configs[0].authorization
        .credentials_file,
    ]);
    expect(load(['lab']).lab!.environment!.ARM_BRIDGE_HTTP_READ_TOKEN_FILE).toBe(prometheus!.secrets![0]!.target);
  });

  test('takes another image, configuration and ROS 2 from variables', () => {
    const { lab } = load(['lab'], {
      ARM_BRIDGE_TARGET: 'bookworm',
      ARM_BRIDGE_CONFIG: '/etc/arms',
      ROS_DOMAIN_ID: '7',
    });
    expect(lab!.image).toMatch(/^arm-bridge:.*-bookworm$/);
    expect(lab!.build!.target).toBe('bookworm');
    expect(lab!.volumes).toContainEqual(expect.objectContaining({ type: 'bind', source: '/etc/arms' }));
    expect(lab!.environment!.ROS_DOMAIN_ID).toBe('7');
  });

  test('is built from base images of a version, and of a digest where one is given', () => {
    const digests = (variables: Record<string, string>) => {
      const { NODE_DIGEST: node, ROS_DIGEST: ros } = load(['lab'], variables).lab!.build!.args!;
      return [node, ros];
    };
    expect(digests({})).toEqual(['', '']);
    const given = { ARM_BRIDGE_NODE_DIGEST: '@sha256:12', ARM_BRIDGE_ROS_DIGEST: '@sha256:34' };
    expect(digests(given)).toEqual(['@sha256:12', '@sha256:34']);
  });

  test('gives every build argument of the Dockerfile but the version of Node, and the labels what it is told', () => {
    const dockerfile = readFileSync(DOCKERFILE, 'utf8');
    const asked = new Set([...dockerfile.matchAll(/^ARG (\w+)/gm)].map(([, name]) => name!));
    asked.delete('NODE');
    const told = { ARM_BRIDGE_VERSION: '9.8.7', ARM_BRIDGE_REVISION: '0123abc' };
    for (const { build } of Object.values(load(Object.keys(ROS), told))) {
      expect(Object.keys(build!.args!).sort()).toEqual([...asked].sort());
      expect(build!.args).toMatchObject({ VERSION: '9.8.7', REVISION: '0123abc' });
    }
  });

  test('finds what it is built from', () => {
    for (const { build } of Object.values(load(Object.keys(ROS)))) {
      expect(existsSync(join(build!.context, build!.dockerfile!))).toBe(true);
      expect(readFileSync(DOCKERFILE, 'utf8')).toMatch(new RegExp(`^FROM \\S+ AS ${build!.target}$`, 'm'));
    }
  });

  test('asks for no limit that an engine may refuse; docker/realtime.yaml does, and for the priority that it allows', () => {
    for (const { ulimits } of Object.values(load(Object.keys(PROFILES)))) expect(ulimits).toBeUndefined();
    const { services } = parse(readFileSync(join(FOLDER, 'realtime.yaml'), 'utf8'));
    expect(Object.keys(services)).toEqual(['lab']);
    expect(services.lab.environment.ARM_BRIDGE_CONTROL_PRIORITY).toBe(String(services.lab.ulimits.rtprio));
  });

  test('keeps what was set up in volumes, which the lab and its set-up share', () => {
    const { lab, setup } = load(['lab', 'setup']);
    const kept = ({ volumes }: Service) => volumes!.map(({ source, target }) => [source, target]);
    expect(kept(lab!)).toEqual(kept(setup!));
    expect(kept(lab!)).toContainEqual(['config', '/etc/arm-bridge']);
    expect(kept(lab!)).toContainEqual(['state', '/var/lib/arm-bridge']);
    // What was set up is what runs, whoever asks for a shell in it or not.
    expect(readFileSync(DOCKERFILE, 'utf8')).toContain('ARM_BRIDGE_CONFIG_FILE=/etc/arm-bridge/config.yaml');
  });

  test('names the version of this checkout in its images', () => {
    const { version } = JSON.parse(readFileSync(join(FOLDER, '../package.json'), 'utf8'));
    for (const { image } of Object.values(load(Object.keys(ROS)))) expect(image).toMatch(`arm-bridge:${version}-`);
  });
});

test('the configuration of a lab demands ROS 2, finds other bridges, serves this machine alone, and leaves the token to who starts it', () => {
  const { fleet, http, pairs, ros } = loadConfig(join(FOLDER, 'lab.yaml'));
  expect(ros.enabled).toBe(true);
  expect(fleet.discovery).toBe(true);
  expect(isLoopback(http.host)).toBe(true);
  expect(http.token_file).toBeNull();
  expect(pairs.map(({ autostart }) => autostart)).toEqual([false]);
});

test('the dashboard draws nothing that the bridge does not tell', async () => {
  const services = fakeServices();
  const pair = {
    leader: 'leader',
    follower: 'follower',
    state: 'mirroring',
    owner: 'mirroring',
    since: 1785240000,
    rate: 200,
    forceFeedback: { arm: 0, gripper: 0 },
    reason: '',
  } as const;
  services.mirror.status = () => ({ active: true, reason: '', pairs: [{ ...pair, latency: 0.002 }] });
  const app = buildApp(services);
  // Requests are told from the second on.
  await app.inject({ method: 'GET', url: '/metrics' });
  const { body } = await app.inject({ method: 'GET', url: '/metrics' });
  await app.close();
  const told = new Set([...body.matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1]));
  const dashboard = readFileSync(join(FOLDER, 'monitoring/dashboards/arms.json'), 'utf8');
  const { panels, templating } = JSON.parse(dashboard) as {
    panels: { targets: { expr: string; legendFormat: string }[] }[];
    templating: { list: { name: string }[] };
  };
  const drawn = panels.flatMap(({ targets }) =>
    targets.flatMap(({ expr }) => expr.match(/arm_bridge_\w+?(?=_sum|_count|\b)/g) ?? []),
  );
  expect(drawn.length).toBeGreaterThan(8);
  for (const name of drawn) expect([...told]).toContain(name);
  // Arms of several bridges have the same names, and their lines would be one.
  expect(templating.list.map(({ name }) => name)).toEqual(['instance']);
  for (const { expr, legendFormat } of panels.flatMap(({ targets }) => targets)) {
    for (const [, selected] of expr.matchAll(/arm_bridge_\w+(\{.*?\})?/g))
      expect(selected, expr).toBe('{instance=~"$instance"}');
    for (const [, kept] of expr.matchAll(/ by \((.*?)\)/g)) expect(kept).toMatch(/^instance, /);
    expect(legendFormat).toMatch(/^\{\{instance\}\} /);
  }
});
