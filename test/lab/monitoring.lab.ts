import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { Lab } from './support/lab.ts';
import { outcome, ROOT, until } from './support/run.ts';

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

/** What Prometheus answers to a query. */
async function query(
  expr: string,
): Promise<{ readonly metric: Readonly<Record<string, string>>; readonly value: [number, string] }[]> {
  const { stdout } = await lab.machine.outcome('curl', [
    '-sS',
    '-G',
    'http://127.0.0.1:9090/api/v1/query',
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

test('promtool takes the discovery of all bridges as the document has it', async () => {
  const document = readFileSync(join(ROOT, 'docs/deployment.md'), 'utf8');
  const [, text] = /```yaml\n(scrape_configs:\n[\s\S]*?)```/.exec(document)!;
  const file = join(folder, 'discovery.yaml');
  writeFileSync(file, text!);
  const { code, stdout, stderr } = await outcome('promtool', ['check', 'config', '--syntax-only', file]);
  expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('SUCCESS')]);
}, 60_000);

test('each alert says what to do about it, in a document that does', () => {
  const document = readFileSync(join(ROOT, 'docs/deployment.md'), 'utf8');
  for (const { alert, annotations } of rules) {
    expect(annotations.runbook).toBe(`docs/deployment.md#${alert.toLowerCase()}`);
    expect(document).toContain(`#### ${alert}\n`);
  }
});
