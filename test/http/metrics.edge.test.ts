import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { buildApp, fakeServices } from './fakes.ts';

const PYTHON = process.env.ARM_BRIDGE_WITNESS_PYTHON ?? '';
const SCRIPT = fileURLToPath(new URL('metrics.py', import.meta.url));
const HAS_CLIENT = PYTHON !== '' && spawnSync(PYTHON, ['-c', 'import prometheus_client']).status === 0;
if (!HAS_CLIENT) console.warn("SKIPPED: Prometheus' own client does not read /metrics. npm test installs it.");

interface Sample {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

test.skipIf(!HAS_CLIENT)("Prometheus' own client reads what the arms are and do", async () => {
  const app = buildApp(fakeServices());
  // Requests are told from the second on.
  await app.inject({ method: 'GET', url: '/status' });
  const { body: input } = await app.inject({ method: 'GET', url: '/metrics' });
  await app.close();
  const samples = JSON.parse(execFileSync(PYTHON, [SCRIPT], { input, encoding: 'utf8' })) as Sample[];
  const find = (name: string, labels: Readonly<Record<string, string>>) =>
    samples.filter(
      (one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value),
    );

  const states = find('arm_bridge_arm_state', { arm: 'follower' });
  expect(states.filter(({ value }) => value === 1).map(({ labels }) => labels.state)).toEqual(['ready']);
  expect(states).toHaveLength(7);
  expect(find('arm_bridge_servo_temperature_celsius', { arm: 'follower' }).map(({ value }) => value)).toEqual(
    Array(6).fill(31),
  );
  for (const { name, type, help, value } of samples) {
    const kind = /_(sum|count)$/.test(name) ? 'summary' : name.endsWith('_total') ? 'counter' : 'gauge';
    expect(type, name).toBe(kind);
    expect(help, name).not.toBe('');
    expect(Number.isFinite(value), name).toBe(true);
  }
});
