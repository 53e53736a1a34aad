import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../clock.ts';
import type { RosConfig } from '../../config/schema.ts';
import { messageOf } from '../../message-of.ts';
import { findPeers } from '../../ros/peers.ts';
import { loadRclnodejs, type Rcl } from '../../ros/rclnodejs.ts';
import { UNHEARD_ADVICE } from '../../ros/reach.ts';
import { setPriority } from '../../thread.ts';
import { type Finding, fault, note, ok } from './finding.ts';

/** Oldest Node that runs the bridge: "engines" of package.json. */
const NODE = [20, 20, 2];
const CLOCK_SOURCE = '/sys/devices/system/clocksource/clocksource0/current_clocksource';
/** Clock sources read from a device instead of the processor, which takes 1 us or more per read. */
const SLOW_CLOCKS = ['hpet', 'acpi_pm', 'jiffies'];
/** Exists once systemd-timesyncd has set the clock since boot. */
const TIME_SYNCHRONISED = '/run/systemd/timesync/synchronized';
/** Exists if systemd-timesyncd runs. */
const TIME_SERVICE = '/run/systemd/timesync';
/** Priority to try if the configuration asks for none. */
const USUAL_PRIORITY = 50;

/** @param version such as "20.20.2" */
export function nodeFinding(version: string = process.versions.node): Finding {
  const parts = version.split('.').map(Number);
  const order = NODE.map((least, i) => parts[i]! - least).find((difference) => difference !== 0) ?? 0;
  const found = `${version} at ${process.execPath}, ${process.platform} ${process.arch}`;
  return order >= 0
    ? ok('node', found)
    : fault('node', `${found} is too old`, `install Node ${NODE.join('.')} or newer, for example: nvm install 22`);
}

/**
 * Whether ROS 2 can be used, with which domain and discovery range, and which arms of running bridges are heard by it.
 * Sets the discovery range in the environment of this process, as a bridge does.
 */
export async function rosFindings({ enabled, discovery }: RosConfig): Promise<Finding[]> {
  if (enabled === false) return [ok('ros', 'off by the configuration (ros.enabled)')];
  const load = await loadRclnodejs();
  if (!load.ok) {
    const found = `no ROS 2: ${load.reason}`;
    const advice =
      'source the setup.bash of a ROS 2, or start the bridge in its checkout by npm start, which prepares one on Linux x86_64 ' +
      '(other machines: docs/deployment.md, Containers)';
    return [enabled === true ? fault('ros', found, advice) : note('ros', `${found}; HTTP alone is served`, advice)];
  }
  const { ROS_DOMAIN_ID = '0', RMW_IMPLEMENTATION = 'default', ROS_AUTOMATIC_DISCOVERY_RANGE } = process.env;
  const range = ROS_AUTOMATIC_DISCOVERY_RANGE ?? 'as configured (ros.discovery)';
  const used = `${load.distro}, middleware ${RMW_IMPLEMENTATION}, domain ${ROS_DOMAIN_ID}, discovery ${range}`;
  const graph = await peerFindings(load.rcl, discovery);
  // The bridge starts without a ROS 2 that it may do without.
  const isNeeded = enabled === true && graph.some(({ level }) => level === 'fault');
  return isNeeded ? graph.map((finding) => ({ ...finding, subject: 'ros' })) : [ok('ros', used), ...graph];
}

async function peerFindings(rcl: Rcl, discovery: RosConfig['discovery']): Promise<Finding[]> {
  const subject = 'ros graph';
  try {
    const { heard, unheard } = await findPeers(rcl, discovery, systemClock);
    if (heard.length + unheard.length === 0) return [ok(subject, 'no arm of a bridge is on it')];
    return [
      ...(heard.length > 0 ? [ok(subject, `heard: ${heard.join(', ')}`)] : []),
      ...unheard.map((arm) => note(subject, `${arm} is seen, but its messages do not arrive`, UNHEARD_ADVICE)),
    ];
  } catch (error) {
    return [fault(subject, `ROS 2 does not start: ${messageOf(error)}`, 'docs/troubleshooting.md, ROS 2')];
  }
}

function content(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}

/** Whether time stamps are meaningful, and whether reading the clock is cheap. */
export function clockFindings(now = new Date(1000 * systemClock.wall())): Finding[] {
  const findings: Finding[] = [];
  const made = statSync(fileURLToPath(import.meta.url)).mtime;
  const time = now.toISOString();
  if (now < made) {
    findings.push(
      fault(
        'clock',
        `it is ${time} by the clock, before this program was made: stamps of ROS and recordings would be wrong`,
        'set it: sudo timedatectl set-ntp true (without a network: sudo date -s "2026-01-31 12:00")',
      ),
    );
  } else if (existsSync(TIME_SERVICE) && !existsSync(TIME_SYNCHRONISED)) {
    findings.push(
      note(
        'clock',
        `${time}, not synchronised since boot`,
        'two machines that share an arm compare stamps: sudo timedatectl set-ntp true',
      ),
    );
  } else findings.push(ok('clock', time));
  const source = content(CLOCK_SOURCE);
  if (source !== null && SLOW_CLOCKS.includes(source)) {
    findings.push(
      note(
        'clock source',
        `${source}, which is slow to read`,
        `where it is stable: echo tsc | sudo tee ${CLOCK_SOURCE}; what there is: ${dirname(CLOCK_SOURCE)}/available_clocksource`,
      ),
    );
  } else if (source !== null) findings.push(ok('clock source', source));
  return findings;
}

/**
 * Whether the control thread may get priority over other programs. Sets the priority of the calling thread to find out.
 * @param wanted `control.priority`
 */
export function priorityFinding(wanted: number | null): Finding {
  const refused = setPriority(wanted ?? USUAL_PRIORITY);
  const subject = 'priority';
  if (wanted !== null) {
    return refused === ''
      ? ok(subject, `control.priority ${wanted} can be had`)
      : fault(subject, `control.priority ${wanted} cannot be had`, refused);
  }
  return refused === ''
    ? ok(
        subject,
        `not asked for; control.priority: ${USUAL_PRIORITY} would work and keeps cycles even on a busy machine`,
      )
    : ok(subject, 'not asked for (control.priority), and would need a permission: docs/troubleshooting.md, Timing');
}
