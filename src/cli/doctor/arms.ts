import { type ArmModel, mounted } from '../../arm/model.ts';
import { BASE_VARIANT } from '../../arm/variant.ts';
import { mountsOf } from '../../calibration/calibration-store.ts';
import { systemClock } from '../../clock.ts';
import type { CalibrationFile } from '../../config/calibration.ts';
import type { Finding as AuditFinding } from '../../servo/audit.ts';
import { stepsToRadians } from '../../servo/calibration.ts';
import { familyByName } from '../../servo/families.ts';
import { inTurn } from '../../servo/homing.ts';
import { makePort } from '../../servo/port/make.ts';
import { PortError } from '../../servo/port/port.ts';
import { ServoError } from '../../servo/servo-client.ts';
import { type FoundServo, inspect, StartUpError } from '../../servo/start-up.ts';
import { expectedServos } from '../../setup/expected-servos.ts';
import { PATIENT } from '../servo-access.ts';
import { type Finding, fault, note, ok } from './finding.ts';

/** Degrees below its own limit from which a servo counts as hot. */
const HOT = 10;
/** A joint further outside its limits than this has a wrong zero, rad. */
const BEYOND = 0.1;

/** An arm of the configuration. */
export interface ArmToSee {
  readonly name: string;
  readonly bus: string;
  /** The model from the arm's data, without the calibration. */
  readonly model: ArmModel;
  /** Null for an arm that has not been calibrated here. */
  readonly calibration: CalibrationFile | null;
}

/** A servo of the arm with its readings. */
interface Reading extends FoundServo {
  readonly joint: string;
  readonly id: number;
}

function judge(subject: string, model: ArmModel, readings: readonly Reading[]): Finding[] {
  const findings: Finding[] = [];
  for (const { joint, id, voltage, minVoltage, maxVoltage, temperature, maxTemperature } of readings) {
    const servo = `servo ${id} (${joint})`;
    if (voltage < minVoltage || voltage > maxVoltage) {
      findings.push(
        fault(
          subject,
          `${servo} has ${voltage.toFixed(1)} V and allows ${minVoltage.toFixed(1)} to ${maxVoltage.toFixed(1)} V`,
          'check that the power supply is that of this arm (7.4 V and 12 V servos look alike), and its cable',
        ),
      );
    }
    if (temperature > maxTemperature - HOT) {
      findings.push(
        note(
          subject,
          `${servo} is at ${temperature.toFixed(0)} degC and switches itself off at ${maxTemperature.toFixed(0)}`,
          'support the arm, switch its torque off and let it cool',
        ),
      );
    }
  }
  for (const joint of model.joints) {
    const first = joint.servos[0]!;
    const { presentPosition, countsTurns } = readings.find(({ id }) => id === first.id)!;
    const mount = countsTurns ? inTurn(first, (joint.lower + joint.upper) / 2, presentPosition) : first;
    const angle = stepsToRadians(mount, presentPosition);
    if (angle >= joint.lower - BEYOND && angle <= joint.upper + BEYOND) continue;
    findings.push(
      fault(
        subject,
        `calibration: ${joint.name} would stand at ${angle.toFixed(2)} rad, outside its limits of ` +
          `${joint.lower.toFixed(2)} to ${joint.upper.toFixed(2)} rad`,
        'its zero is not that of the arm’s data: calibrate the arm, or check that this is the arm that the configuration names',
      ),
    );
  }
  return findings;
}

function span(values: readonly number[], digits: number): string {
  const [least, most] = [Math.min(...values).toFixed(digits), Math.max(...values).toFixed(digits)];
  return least === most ? least : `${least} to ${most}`;
}

/** Servos whose homing offset differs from the arm's calibration. */
function compare(subject: string, bus: string, calibration: CalibrationFile, readings: readonly Reading[]): Finding[] {
  return Object.entries(calibration.joints).flatMap(([joint, { id, homing_offset: wanted }]) => {
    const { homingOffset: offset } = readings.find((reading) => reading.id === id)!;
    if (offset === wanted) return [];
    return fault(
      subject,
      `calibration: servo ${id} (${joint}) has homing offset ${offset}, and its calibration of ${calibration.written} has ${wanted}`,
      'calibrate the arm again (docs/hardware.md, Calibration), or write the offset back: ' +
        `arm-bridge registers write --port '${bus}' --id ${id} homing_offset=${wanted}`,
    );
  });
}

/** Command that sets the registers to what the arm's data want. */
function setUp({ bus, model: { name, variant } }: ArmToSee): string {
  const build = variant === BASE_VARIANT ? '' : ` --variant ${variant}`;
  return `arm-bridge setup registers --port '${bus}' --model ${name}${build}`;
}

/** Registers that differ harmlessly, or that the bridge sets itself: in one line, because most arms have some. */
function minor(subject: string, findings: readonly AuditFinding[]): Finding[] {
  const kinds = new Map<string, number[]>();
  for (const { register, found, wanted, action, servo } of findings) {
    const kind = `${register} ${found} (${wanted} is wanted${action === 'set' ? ', and set on connecting' : ''})`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), servo]);
  }
  if (kinds.size === 0) return [];
  const list = [...kinds].map(([kind, ids]) => `${kind} of servo ${ids.join(', ')}`);
  return [ok(subject, `registers: ${list.join('; ')}`)];
}

function audited(subject: string, arm: ArmToSee, findings: readonly AuditFinding[]): Finding[] {
  const serious = findings.filter(({ severity, action }) => action === 'told' && severity !== 'note');
  return [
    ...serious.map(({ severity, text }) => (severity === 'fault' ? fault : note)(subject, text, setUp(arm))),
    ...minor(
      subject,
      findings.filter((finding) => !serious.includes(finding)),
    ),
  ];
}

async function seen(subject: string, arm: ArmToSee): Promise<Finding[]> {
  const { bus, calibration } = arm;
  const model = calibration === null ? arm.model : mounted(arm.model, mountsOf(calibration));
  const port = makePort(bus, systemClock);
  await port.open();
  try {
    const client = familyByName(model.family).makeClient(port, PATIENT);
    const expected = expectedServos(model);
    const { servos, audit, warnings, faults } = await inspect(client, expected);
    const readings = servos.map((servo, i): Reading => ({ ...servo, joint: expected[i]!.joint, id: expected[i]!.id }));
    const told = audit.map(({ text }) => text);
    const findings = [
      ...faults.filter((text) => !told.includes(text)).map((text) => fault(subject, text, 'see docs/hardware.md')),
      ...warnings
        .filter((text) => !told.includes(text))
        .map((text) => note(subject, text, 'it works; see docs/hardware.md')),
      ...audited(subject, arm, audit),
    ];
    if (calibration !== null) findings.push(...compare(subject, bus, calibration, readings));
    findings.push(...judge(subject, model, readings));
    const kinds = [...new Set(readings.map(({ model: servo, firmware }) => `${servo.model} ${firmware}`))].join(
      ' and ',
    );
    const calibrated = calibration === null ? 'not calibrated here' : `calibrated ${calibration.written}`;
    const offsets = readings.map(({ homingOffset }) => homingOffset).join(', ');
    findings.push(
      ok(
        subject,
        `${bus}: ${readings.length} servos answer (${kinds}), ${span(
          readings.map(({ voltage }) => voltage),
          1,
        )} V, ` +
          `${span(
            readings.map(({ temperature }) => temperature),
            0,
          )} degC, homing offsets ${offsets}, ${calibrated}`,
      ),
    );
    return findings;
  } finally {
    await port.close();
  }
}

/** Findings about the servos of an arm. Only reads; writes nothing to them. */
export async function armFindings(arm: ArmToSee): Promise<Finding[]> {
  const subject = `arm ${arm.name}`;
  if (arm.bus === 'ros') return [ok(subject, 'on another machine (ros), whose doctor sees its servos')];
  if (arm.bus.startsWith('sim:')) return [ok(subject, `simulated (${arm.bus})`)];
  try {
    return await seen(subject, arm);
  } catch (error) {
    if (error instanceof PortError) return [fault(subject, error.message, portAdvice(error))];
    if (error instanceof StartUpError) {
      return [
        fault(subject, error.message, 'arm-bridge scan shows who answers, at which rate; docs/hardware.md has more'),
      ];
    }
    if (error instanceof ServoError)
      return [fault(subject, error.message, 'check the bus cable and the supply, then try again')];
    throw error;
  }
}

function portAdvice({ code }: PortError): string {
  return code === 'busy'
    ? 'if that is the bridge, ask it instead (GET /status), or end it first'
    : 'arm-bridge ports lists the ports that there are';
}
