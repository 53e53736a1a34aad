import type { Arm } from '../arm/types.ts';
import { ARM_STATES } from '../arm/types.ts';
import type { HttpServices } from './services.ts';

type Labels = Readonly<Record<string, string | number>>;
type Kind = 'gauge' | 'counter' | 'summary';

/** Requests with the same method, route and status, and their total time, s. */
interface Answered {
  readonly labels: Labels;
  count: number;
  time: number;
}

/** Counts requests by route, method and status. */
export class RequestCounts {
  readonly #answered: Answered[] = [];
  /** The same entries by route, status and method, so that counting builds no key string. */
  readonly #routes = new Map<string, Map<number, Map<string, Answered>>>();

  /** @param route declared path, which bounds the number of series @param time s */
  add(method: string, route: string, status: number, time: number): void {
    const entry = this.#routes.get(route)?.get(status)?.get(method) ?? this.#entry(method, route, status);
    entry.count++;
    entry.time += time;
  }

  get all(): readonly Answered[] {
    return this.#answered;
  }

  #entry(method: string, route: string, status: number): Answered {
    const statuses = this.#routes.get(route) ?? new Map<number, Map<string, Answered>>();
    const methods = statuses.get(status) ?? new Map<string, Answered>();
    const entry = { labels: { method, route, status }, count: 0, time: 0 };
    this.#routes.set(route, statuses.set(status, methods.set(method, entry)));
    this.#answered.push(entry);
    return entry;
  }
}

/** Builds a metrics page in the Prometheus text format, version 0.0.4. */
class Exposition {
  readonly #families = new Map<string, string[]>();

  /** Adds a value; a non-finite (unknown) one is left out. */
  add(name: string, kind: Kind, help: string, labels: Labels, value: number, suffix = ''): void {
    if (!Number.isFinite(value)) return;
    const full = `arm_bridge_${name}`;
    let lines = this.#families.get(full);
    if (lines === undefined) {
      lines = [`# HELP ${full} ${help}`, `# TYPE ${full} ${kind}`];
      this.#families.set(full, lines);
    }
    const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(String(text))}"`);
    lines.push(`${full}${suffix}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`);
  }

  toString(): string {
    return `${[...this.#families.values()].flat().join('\n')}\n`;
  }
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/** Prometheus metrics of loop, arms, buses, servos, pairs, planning, HTTP and ROS. @param live number of live-stream clients */
export function metricsText(services: HttpServices, requests: RequestCounts, live: number): string {
  const page = new Exposition();
  const now = services.clock.wall();
  page.add('info', 'gauge', 'Version of the bridge.', { version: services.version }, 1);
  addLoop(page, services);
  for (const arm of services.arms.all) addArm(page, arm, now);
  for (const { leader, follower, rate, latency } of services.mirror.status().pairs) {
    const labels = { leader, follower };
    page.add('pair_goals_per_second', 'gauge', 'Goals written to the follower.', labels, rate);
    page.add('pair_latency_seconds', 'gauge', 'From sample to goal.', labels, latency);
  }
  for (const [question, { count, time }] of services.planning()) {
    const help = 'From a question to the planner thread to its answer.';
    page.add('planning_seconds', 'summary', help, { question }, time, '_sum');
    page.add('planning_seconds', 'summary', help, { question }, count, '_count');
  }
  for (const { labels, count, time } of requests.all) {
    const help = 'Requests that were answered.';
    page.add('http_request_seconds', 'summary', help, labels, time, '_sum');
    page.add('http_request_seconds', 'summary', help, labels, count, '_count');
  }
  page.add('live_clients', 'gauge', 'Clients of the live stream.', {}, live);
  if (services.configuration().ros.enabled !== false) {
    const help = 'ROS 2 is on; absent where the configuration turns it off.';
    page.add('ros_enabled', 'gauge', help, {}, services.ros().enabled ? 1 : 0);
  }
  page.add('resident_memory_bytes', 'gauge', 'Memory of the process.', {}, process.memoryUsage.rss());
  const { user, system } = process.cpuUsage();
  page.add('cpu_seconds_total', 'counter', 'Processor time of the process.', {}, (user + system) / 1e6);
  return page.toString();
}

function addLoop(page: Exposition, services: HttpServices): void {
  const loop = services.loop();
  page.add('loop_cycles_total', 'counter', 'Cycles of the control loop.', {}, loop.cycles);
  page.add('loop_late_cycles_total', 'counter', 'Cycles that began later than half a period.', {}, loop.late);
  for (const [name, { recent }, help] of [
    ['loop_period_seconds', loop.periods, 'From a cycle to the next, last 10 s.'],
    ['loop_lateness_seconds', loop.lateness, 'Time by which a cycle began too late, last 10 s.'],
    ['loop_latency_seconds', loop.latency, 'From read to written goals, last 10 s.'],
  ] as const) {
    page.add(name, 'gauge', help, { statistic: 'median' }, recent.p50);
    page.add(name, 'gauge', help, { statistic: 'p99' }, recent.p99);
    page.add(name, 'gauge', help, { statistic: 'longest' }, recent.longest);
  }
}

/** @param now seconds since the epoch */
function addArm(page: Exposition, arm: Arm, now: number): void {
  const snapshot = arm.read();
  const labels = { arm: arm.name };
  // Nobody is to be called for an arm that somebody has disconnected.
  for (const state of arm.detached ? [] : ARM_STATES) {
    const help = '1 for the state of the arm; absent while it is disconnected on purpose.';
    page.add('arm_state', 'gauge', help, { ...labels, state }, state === snapshot.state ? 1 : 0);
  }
  page.add('arm_torque', 'gauge', 'Some servo has torque.', labels, snapshot.torque ? 1 : 0);
  const age = snapshot.sampleTime === 0 ? Number.NaN : now - snapshot.sampleTime;
  page.add('arm_sample_age_seconds', 'gauge', 'Age of the newest bus read.', labels, age);
  page.add('bus_discarded_bytes_total', 'counter', 'Bytes of no valid reply.', labels, snapshot.discarded);
  const trip = 'From request to last reply.';
  page.add('bus_round_trip_seconds', 'gauge', trip, { ...labels, statistic: 'median' }, snapshot.roundTripMedian);
  page.add('bus_round_trip_seconds', 'gauge', trip, { ...labels, statistic: 'p99' }, snapshot.roundTripLongest);
  const detailed = !arm.remote && snapshot.detailTime > 0;
  for (const [i, { name }] of arm.model.joints.entries()) {
    const joint = { ...labels, joint: name };
    page.add('servo_lost_replies_total', 'counter', 'Replies that never came.', joint, snapshot.lostReplies[i]!);
    page.add('servo_alarms', 'gauge', 'Alarm bits; 0 = healthy.', joint, snapshot.alarms[i]!);
    if (!detailed) continue;
    page.add('servo_temperature_celsius', 'gauge', 'Temperature.', joint, snapshot.temperatures[i]!);
    page.add('servo_voltage_volts', 'gauge', 'Supply.', joint, snapshot.voltages[i]!);
    page.add('servo_effort_newton_metres', 'gauge', 'Torque, estimated by the servo.', joint, snapshot.efforts[i]!);
  }
}
