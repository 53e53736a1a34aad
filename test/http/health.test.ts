import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildApp, type FakeServices, fakeServices } from './fakes.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';

let services: FakeServices;
let app: ReturnType<typeof buildApp>;
let alive = true;

beforeEach(() => {
  services = fakeServices({ token: TOKEN });
  alive = true;
  app = buildApp({ ...services, alive: async () => alive });
});
afterEach(() => app.close());

test('probes need no token and are told whether the loop runs and the arms are there', async () => {
  expect((await app.inject('/healthz')).json()).toEqual({ status: 'ok', message: null });
  expect((await app.inject('/readyz')).statusCode).toBe(200);
  alive = false;
  services.arms.all[1]!.state = 'disconnected';
  const health = await app.inject('/healthz');
  expect([health.statusCode, health.json().message]).toEqual([503, 'The control loop does not run.']);
  expect(health.json().request_id).toBe(health.headers['x-request-id']);
  expect(health.headers['retry-after']).toBe('1');
  const ready = await app.inject('/readyz');
  expect([ready.statusCode, ready.json().message]).toEqual([503, '1 of 2 arms are disconnected.']);
  expect(ready.json().request_id).toBe(ready.headers['x-request-id']);
});

test('readiness waits for a ROS 2 that is demanded, and tells of one that is only wished for', async () => {
  const ready = async (enabled: boolean | 'auto', isOn: boolean) => {
    const configuration = () => ({ ...services.configuration(), ros: { ...services.configuration().ros, enabled } });
    const ros = () => ({ enabled: isOn, reason: '', distro: null, graph: null, preparing: null });
    const own = buildApp({ ...services, alive: async () => true, configuration, ros });
    const answer = await own.inject('/readyz');
    await own.close();
    return [answer.statusCode, answer.json().message];
  };
  expect(await ready(true, false)).toEqual([503, 'ROS 2 is off, and ros.enabled demands it.']);
  expect(await ready('auto', false)).toEqual([200, 'ROS 2 is off: HTTP alone is served.']);
  for (const [wish, isOn] of [
    [true, true],
    ['auto', true],
    [false, false],
  ] as const)
    expect(await ready(wish, isOn)).toEqual([200, null]);
});

test('metrics are in the text format of Prometheus: each name described once, and no series twice', async () => {
  expect((await app.inject('/metrics')).statusCode).toBe(401);
  const headers = { authorization: `Bearer ${TOKEN}` };
  await app.inject({ url: '/status', headers });
  await app.inject({ url: '/status', headers });
  services.arms.all[0]!.state = 'moving';
  const reply = await app.inject({ url: '/metrics', headers });
  expect(reply.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  const lines = reply.body.trimEnd().split('\n');
  const described = new Map<string, number>();
  const series = new Set<string>();
  let family = '';
  for (const line of lines) {
    const help = /^# HELP (\S+) \S/.exec(line);
    if (help !== null) {
      family = help[1]!;
      described.set(family, (described.get(family) ?? 0) + 1);
      continue;
    }
    if (line.startsWith('# TYPE ')) {
      expect(line).toMatch(new RegExp(`^# TYPE ${family} (gauge|counter|summary)$`));
      continue;
    }
    const sample = /^([a-z_]+?)(_sum|_count)?((?:\{(?:[a-z]+="[^"\n]*",?)+\})?) (\S+)$/.exec(line);
    expect(line).toBe(sample?.[0]);
    expect(Number.isFinite(Number(sample![4]))).toBe(true);
    expect(line.startsWith(family)).toBe(true);
    const name = line.slice(0, line.lastIndexOf(' '));
    expect(series.has(name)).toBe(false);
    series.add(name);
  }
  expect([...described.values()].every((count) => count === 1)).toBe(true);
  for (const line of [
    'arm_bridge_loop_cycles_total 12',
    'arm_bridge_loop_period_seconds{statistic="p99"} 0.01',
    'arm_bridge_arm_state{arm="leader",state="moving"} 1',
    'arm_bridge_arm_state{arm="follower",state="moving"} 0',
    'arm_bridge_servo_temperature_celsius{arm="follower",joint="elbow_flex"} 31',
    'arm_bridge_http_request_seconds_count{method="GET",route="/status",status="200"} 2',
    'arm_bridge_ros_enabled 0',
  ]) {
    expect(lines).toContain(line);
  }
});

test('Prometheus, which sends its token there, is given the bridges that are vouched for', async () => {
  const services = fakeServices();
  const others = [
    { url: 'https://bench-1.lab:8020', vouchedFor: true, overview: null },
    { url: 'http://192.0.2.1:8020', vouchedFor: false, overview: { name: 'bench-3' } },
    { url: 'https://192.0.2.2:8020', vouchedFor: true, overview: { name: 'bench-2' } },
  ];
  Object.defineProperty(services.fleet, 'neighbours', { value: others });
  const open = buildApp(services);
  const told = (await open.inject('/api/v1/bridges/targets')).json();
  await open.close();
  expect(told.slice(1)).toEqual([
    { targets: ['bench-1.lab:8020'], labels: { __scheme__: 'https', bridge: 'https://bench-1.lab:8020' } },
    { targets: ['192.0.2.2:8020'], labels: { __scheme__: 'https', bridge: 'bench-2' } },
  ]);
});
