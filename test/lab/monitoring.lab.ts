import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { selfSigned } from '../support/certificate.ts';
import { Lab } from './support/lab.ts';
import { outcome, ROOT, run, until } from './support/run.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

const MONITORING = join(ROOT, 'docker/monitoring');
const rules: Rule[] = parse(readFileSync(join(MONITORING, 'alerts.yaml'), 'utf8')).groups.flatMap(
  ({ rules }: { rules: Rule[] }) => rules,
);
const panels: { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[] = JSON.parse(
  readFileSync(join(MONITORING, 'dashboards/arms.json'), 'utf8'),
).panels;

let lab: Lab;
let prometheus: ChildProcess;
let folder: string;

/** Debian's Prometheus in the place of the image of the compose file, with the files and the arguments that it has there. */
beforeAll(async () => {
  lab = await Lab.start('monitoring');
  await lab.up('lab', 'lab');
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-prometheus-'));
  const { services } = await lab.compose.load(['monitoring']);
  const { command, volumes } = services.prometheus as {
    command: string[];
    volumes: { source: string; target: string }[];
  };
  for (const { source, target } of volumes.filter((mount) => mount.source.startsWith('/'))) {
    await lab.machine.run('mkdir', ['-p', '/run/prometheus']);
    await lab.machine.run('cp', [source, target.replace('/etc/prometheus', '/run/prometheus')]);
  }
  await lab.machine.run('mkdir', ['-p', '/run/secrets']);
  writeFileSync(join(folder, 'read_token'), `${lab.readToken}\n`);
  await lab.machine.run('cp', [join(folder, 'read_token'), '/run/secrets/arm_bridge_read_token']);
  const args = command.map((arg) =>
    arg.replace('/etc/prometheus', '/run/prometheus').replace('=/prometheus', `=${folder}/data`),
  );
  const [program, all] = lab.machine.command('/usr/bin/prometheus', args);
  prometheus = spawn(program, all, { stdio: 'ignore' });
  // Until it is ready it answers queries by a text.
  const said = async () => (await lab.machine.outcome('curl', ['-sS', 'http://127.0.0.1:9090/-/ready'])).stdout;
  await until('Prometheus is ready', async () => (/is Ready/.test(await said()) ? true : null), 60_000);
  const mirror = await lab.machine.ask('/move/leader/start', {
    method: 'POST',
    token: lab.token,
    body: { robot_pairs: [{ leader_id: 0, follower_id: 1 }] },
  });
  expect(mirror.status, mirror.body).toBe(200);
});
afterAll(async () => {
  prometheus?.kill('SIGKILL');
  await lab?.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

/** What a Prometheus answers to a query. */
async function query(
  expr: string,
  server = '127.0.0.1:9090',
): Promise<{ readonly metric: Readonly<Record<string, string>>; readonly value: [number, string] }[]> {
  const { stdout } = await lab.machine.outcome('curl', [
    '-sS',
    '-G',
    `http://${server}/api/v1/query`,
    '--data-urlencode',
    `query=${expr}`,
  ]);
  const { status, data, error } = JSON.parse(stdout);
  if (status !== 'success') throw new Error(`${expr}: ${error}`);
  return data.result;
}

test('Prometheus reads the bridge with the token that may only read', async () => {
  await until(
    'a first scrape',
    async () => ((await query('up{job="arm-bridge"} == 1')).length > 0 ? true : null),
    60_000,
  );
});

test('every panel of the dashboard shows something of a pair that mirrors', async () => {
  for (const { title, targets } of panels) {
    for (const { expr } of targets) {
      // What Grafana puts there for all bridges.
      const every = expr.replaceAll('$instance', '.+');
      await until(`${title}: ${expr}`, async () => ((await query(every)).length > 0 ? true : null), 90_000);
    }
  }
  expect((await query('arm_bridge_arm_state{arm="follower",state="mirroring"} == 1')).length).toBe(1);
}, 200_000);

test('no alert is raised for a pair that mirrors, and every rule can be evaluated', async () => {
  const { stdout } = await lab.machine.outcome('curl', ['-sS', 'http://127.0.0.1:9090/api/v1/rules']);
  const told = JSON.parse(stdout).data.groups.flatMap(
    ({ rules: all }: { rules: { name: string; health: string; lastError?: string }[] }) => all,
  );
  expect(told.map(({ name }: { name: string }) => name)).toEqual(rules.map(({ alert }) => alert));
  for (const { name, health, lastError } of told) expect([name, health, lastError]).toEqual([name, 'ok', undefined]);
  // A busy machine may well have late cycles.
  expect(
    (await query('ALERTS{alertstate="firing",alertname!="CyclesLate"}')).map(({ metric }) => metric.alertname),
  ).toEqual([]);
});

test('a bridge that goes is told within a minute', async () => {
  await lab.engine.docker(['kill', 'lab']);
  const down = await until(
    'BridgeDown',
    async () => {
      const firing = await query('ALERTS{alertname="BridgeDown",alertstate="firing"}');
      return firing.length > 0 ? firing : null;
    },
    90_000,
  );
  expect(down[0]!.metric.severity).toBe('critical');
}, 120_000);

test('promtool finds that the rules fire when they should, and nothing wrong with configuration and metrics', async () => {
  await lab.engine.docker(['start', 'lab']);
  await lab.ready('lab');
  for (const args of [
    ['check', 'rules', 'alerts.yaml'],
    ['check', 'config', '--syntax-only', 'prometheus.yaml'],
    ['test', 'rules', join(ROOT, 'test/lab/alerts.rules.yaml')],
  ]) {
    const { code, stdout, stderr } = await outcome('promtool', args, { cwd: MONITORING });
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('SUCCESS')]);
  }
  const { body } = await lab.machine.ask('/metrics', { token: lab.readToken });
  const { code, stdout, stderr } = await outcome('promtool', ['check', 'metrics'], { input: body });
  expect([code, stdout + stderr]).toEqual([0, '']);
}, 180_000);

test('Prometheus finds all bridges by one of them and checks their certificates, with the words of the document', async () => {
  const own = join(folder, 'tls');
  mkdirSync(own);
  const ports = [8120, 8220];
  const urls = ports.map((port) => `https://127.0.0.1:${port}`);
  const certificates: string[] = [];
  for (const [place, port] of ports.entries()) {
    const { certificate } = selfSigned(own, `bench-${place}`, 'IP:127.0.0.1');
    certificates.push(readFileSync(certificate, 'utf8'));
    const config = {
      http: {
        port,
        read_token_file: '/conf/read_token',
        token_file: '/conf/token',
        tls: { certificate: `/conf/bench-${place}.pem`, key: `/conf/bench-${place}.key` },
      },
      arms: [{ name: `arm_${place}`, bus: 'sim:so101' }],
      ros: { enabled: false },
      state_folder: '/tmp/state',
      recording: { folder: '/tmp/recordings' },
      fleet: { name: `bench-${place}`, bridges: urls, token_file: '/conf/read_token', authority: '/conf/lab-ca.pem' },
    };
    writeFileSync(join(own, `${place}.json`), JSON.stringify(config));
  }
  writeFileSync(join(own, 'lab-ca.pem'), certificates.join(''));
  writeFileSync(join(own, 'read_token'), `${lab.readToken}\n`);
  writeFileSync(join(own, 'token'), `${lab.token}\n`);
  await run('chown', ['-R', '1000:1000', own]);
  for (const place of ports.keys()) {
    const args = await lab.compose.arguments('sim', {
      variables: { ARM_BRIDGE_TARGET: 'bookworm' },
      more: ['-v', `${own}:/conf:ro`, '--no-healthcheck'],
      command: ['--config', `/conf/${place}.json`],
    });
    await lab.engine.docker(['run', '-d', '--name', `bench-${place}`, ...args]);
  }
  for (const [place, url] of urls.entries()) {
    const ready = async () =>
      (await lab.machine.outcome('curl', ['-skf', '--cacert', join(own, 'lab-ca.pem'), `${url}/readyz`])).code === 0;
    await until(`bench-${place} is ready`, async () => ((await ready()) ? true : null), 90_000).catch(async (error) => {
      throw new Error(await lab.logs(`bench-${place}`), { cause: error });
    });
  }
  const document = readFileSync(join(ROOT, 'docs/deployment.md'), 'utf8');
  const [, text] = /```yaml\n(scrape_configs:\n[\s\S]*?)```/.exec(document)!;
  const here = text!
    .replaceAll('/etc/prometheus/lab-ca.pem', join(own, 'lab-ca.pem'))
    .replace('https://desk.lab:8020', urls[0]!);
  const file = join(folder, 'discovery.yaml');
  writeFileSync(file, `global: { scrape_interval: 1s }\n${here}`);
  const { code, stdout, stderr } = await outcome('promtool', ['check', 'config', '--syntax-only', file]);
  expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('SUCCESS')]);
  const listen = '127.0.0.1:9091';
  const args = [`--config.file=${file}`, `--storage.tsdb.path=${folder}/found`, `--web.listen-address=${listen}`];
  const [program, all] = lab.machine.command('/usr/bin/prometheus', args);
  const other = spawn(program, all, { stdio: 'ignore' });
  try {
    const found = (): Promise<string[]> =>
      query('up == 1', listen).then(
        (up) => up.map(({ metric }) => metric.instance!).sort(),
        () => [],
      );
    // Targets are asked for once a minute.
    await until('both bridges are read', async () => ((await found()).length === 2 ? true : null), 150_000);
    expect(await found()).toEqual(ports.map((port) => `127.0.0.1:${port}`));
  } finally {
    other.kill('SIGKILL');
    for (const place of ports.keys()) await lab.down(`bench-${place}`);
  }
}, 240_000);

test('each alert says what to do about it, in a document that does', () => {
  const document = readFileSync(join(ROOT, 'docs/deployment.md'), 'utf8');
  for (const { alert, annotations } of rules) {
    expect(annotations.runbook).toBe(`docs/deployment.md#${alert.toLowerCase()}`);
    expect(document).toContain(`#### ${alert}\n`);
  }
});
