import type { Arm, ArmSnapshot, LoopStatistics } from '../arm/types.ts';
import type { RosConfig } from '../config/schema.ts';
import { NODE_NAME } from './arguments.ts';
import type { DiagnosticStatus } from './cdr.ts';

/** Levels of diagnostic_msgs/msg/DiagnosticStatus. */
const OK = 0;
const WARN = 1;
const ERROR = 2;
const STALE = 3;

type Thresholds = RosConfig['diagnostics'];

interface Finding {
  readonly level: number;
  readonly text: string;
}

/** Counters at the last report: only changes since then are judged. */
interface Seen {
  cycle: number;
  lost: Float64Array;
}

/** Level of a disconnected arm: no fault if it was taken off its bus on purpose. */
function lossOf(arm: Arm): number {
  return arm.detached ? OK : ERROR;
}

/** Health of arms, servos, buses and loop, judged by the thresholds of the configuration. */
export class Diagnostics {
  readonly #arms: readonly Arm[];
  readonly #loop: () => LoopStatistics;
  #thresholds: Thresholds;
  readonly #doubled: () => readonly Arm[];
  readonly #seen = new Map<Arm, Seen>();
  #cycles = 0;
  #late = 0;

  /** @param doubled arms whose names another bridge on the graph uses too */
  constructor(
    arms: readonly Arm[],
    loop: () => LoopStatistics,
    thresholds: Thresholds,
    doubled: () => readonly Arm[] = () => [],
  ) {
    this.#doubled = doubled;
    this.#arms = arms;
    this.#loop = loop;
    this.#thresholds = thresholds;
  }

  setThresholds(thresholds: Thresholds): void {
    this.#thresholds = thresholds;
  }

  /** Status since the last call. */
  report(): DiagnosticStatus[] {
    return [this.#loopStatus(), ...this.#arms.flatMap((arm) => this.#armStatuses(arm))];
  }

  #loopStatus(): DiagnosticStatus {
    const { cycles, rate, late, period, longestPeriod } = this.#loop();
    const ran = cycles - this.#cycles;
    const part = ran > 0 ? (late - this.#late) / ran : 0;
    this.#cycles = cycles;
    this.#late = late;
    const findings: Finding[] = [];
    if (ran === 0) findings.push({ level: ERROR, text: 'the control loop has not run for a second' });
    if (part > this.#thresholds.warn_late_cycles) {
      findings.push({ level: WARN, text: `${(100 * part).toFixed(1)} % of the cycles began late` });
    }
    return statusOf('control loop', NODE_NAME, findings, 'on time', {
      'configured rate (Hz)': rate.toFixed(1),
      'measured rate (Hz)': period > 0 ? (1 / period).toFixed(1) : '0',
      'longest period (ms)': (longestPeriod * 1000).toFixed(2),
      'late cycles': `${late}`,
    });
  }

  #armStatuses(arm: Arm): DiagnosticStatus[] {
    const { reason } = arm;
    const snapshot = arm.read();
    const before = this.#seen.get(arm);
    const cycles = snapshot.cycle - (before?.cycle ?? 0);
    const lost = snapshot.lostReplies.map((count, index) => count - (before?.lost[index] ?? 0));
    this.#seen.set(arm, { cycle: snapshot.cycle, lost: snapshot.lostReplies.slice() });
    const statuses = [this.#armStatus(arm, snapshot, reason)];
    if (arm.remote) return statuses;
    statuses.push(this.#busStatus(arm, snapshot, lost, cycles));
    for (const [index, joint] of arm.model.joints.entries()) {
      const part = cycles > 0 ? lost[index]! / cycles : 0;
      statuses.push(this.#servoStatus(arm, snapshot, index, joint, part));
    }
    return statuses;
  }

  #armStatus(arm: Arm, { state, torque }: ArmSnapshot, reason: string): DiagnosticStatus {
    const findings: Finding[] = [];
    if (state === 'disconnected') findings.push({ level: lossOf(arm), text: `disconnected: ${reason}` });
    if (state === 'stopped') findings.push({ level: WARN, text: `stopped: ${reason}` });
    if (this.#doubled().includes(arm)) findings.push({ level: ERROR, text: 'another bridge has an arm of this name' });
    if (arm.doubt !== '') findings.push({ level: WARN, text: arm.doubt });
    return statusOf(arm.name, `${arm.model.name} ${arm.name}`, findings, state, {
      state,
      torque: torque ? 'on' : 'off',
      owner: arm.held?.owner.name ?? 'nobody',
      owner_since: arm.held ? new Date(arm.held.since * 1000).toISOString() : '',
      initialised: `${arm.initialised}`,
      calibrated: `${arm.read().calibrated}`,
    });
  }

  #busStatus(arm: Arm, snapshot: ArmSnapshot, lost: Float64Array, cycles: number): DiagnosticStatus {
    const replies = cycles * lost.length;
    const part = replies > 0 ? lost.reduce((sum, count) => sum + count, 0) / replies : 0;
    const findings = this.#lossFindings(part);
    if (snapshot.state === 'disconnected') findings.push({ level: lossOf(arm), text: 'no connection' });
    return statusOf(`${arm.name} bus`, arm.bus, findings, 'all replies come', {
      bus: arm.bus,
      'lost replies (%)': (100 * part).toFixed(2),
      'discarded bytes': `${snapshot.discarded}`,
      'round trip, median (ms)': (1000 * snapshot.roundTripMedian).toFixed(2),
      'round trip, 99th percentile (ms)': (1000 * snapshot.roundTripLongest).toFixed(2),
    });
  }

  #servoStatus(
    arm: Arm,
    snapshot: ArmSnapshot,
    index: number,
    { name, servos }: Arm['model']['joints'][number],
    lostPart: number,
  ): DiagnosticStatus {
    const { warn_temperature, error_temperature } = this.#thresholds;
    const { id, model } = servos[0]!;
    const title = `${arm.name} ${name} (servo ${id})`;
    const hardware = `${arm.bus} ${model} ${id}`;
    if (snapshot.state === 'disconnected' || snapshot.detailTime === 0) {
      return statusOf(title, hardware, [{ level: STALE, text: 'no readings' }], '', {});
    }
    const findings = this.#lossFindings(lostPart);
    const temperature = snapshot.temperatures[index]!;
    const alarms = snapshot.alarms[index]!;
    if (temperature >= error_temperature) findings.push({ level: ERROR, text: `${temperature} degrees Celsius` });
    else if (temperature >= warn_temperature) findings.push({ level: WARN, text: `${temperature} degrees Celsius` });
    if (alarms !== 0) findings.push({ level: ERROR, text: `alarm bits ${alarms}` });
    return statusOf(title, hardware, findings, 'healthy', {
      'temperature (degrees Celsius)': `${temperature}`,
      'voltage (V)': snapshot.voltages[index]!.toFixed(2),
      'torque (Nm)': snapshot.efforts[index]!.toFixed(3),
      'position (rad)': snapshot.positions[index]!.toFixed(4),
      'alarm bits': `${alarms}`,
      'lost replies (%)': (100 * lostPart).toFixed(2),
    });
  }

  #lossFindings(part: number): Finding[] {
    const { warn_lost_replies, error_lost_replies } = this.#thresholds;
    if (part <= warn_lost_replies) return [];
    const level = part > error_lost_replies ? ERROR : WARN;
    return [{ level, text: `${(100 * part).toFixed(1)} % of the replies are lost` }];
  }
}

function statusOf(
  part: string,
  hardware_id: string,
  findings: readonly Finding[],
  healthy: string,
  values: Readonly<Record<string, string>>,
): DiagnosticStatus {
  return {
    level: findings.reduce((worst, { level }) => Math.max(worst, level), OK),
    name: `${NODE_NAME}: ${part}`,
    message: findings.length === 0 ? healthy : findings.map(({ text }) => text).join('; '),
    hardware_id,
    values: Object.entries(values).map(([key, value]) => ({ key, value })),
  };
}
