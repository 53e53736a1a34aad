import { type ArmModel, mounted } from '../../arm/model.ts';
import { mountsOf } from '../../calibration/calibration-store.ts';
import { systemClock } from '../../clock.ts';
import type { CalibrationFile } from '../../config/calibration.ts';
import { stepsToRadians } from '../../servo/calibration.ts';
import { makePort } from '../../servo/port/make.ts';
import { PortError } from '../../servo/port/port.ts';
import type { Register } from '../../servo/registers.ts';
import { type ServoClient, ServoError } from '../../servo/servo-client.ts';
import type { ServoModel } from '../../servo/servo-model.ts';
import { readRow } from '../../servo/setup.ts';
import { type ExpectedServo, identify, StartUpError } from '../../servo/start-up.ts';
import { expectedServos } from '../expected-servos.ts';
import { makeClient, PATIENT } from '../servo-access.ts';
import { type Finding, fault, note, ok } from './finding.ts';

/** Degrees below its own limit from which a servo counts as hot. */
const HOT = 10;
/** A joint that stands further outside its limits than this has another zero than its data say, rad. */
const BEYOND = 0.1;

/** An arm of the configuration. */
export interface ArmToSee {
  readonly name: string;
  readonly bus: string;
  /** As its data describe it. */
  readonly model: ArmModel;
  /** Null for an arm that has not been calibrated here. */
  readonly calibration: CalibrationFile | null;
}

/** What one servo tells, SI. */
interface Reading {
  readonly joint: string;
  readonly id: number;
  readonly model: ServoModel;
  readonly firmware: string;
  readonly voltage: number;
  readonly voltages: readonly [number, number];
  readonly temperature: number;
  readonly hottest: number;
  readonly steps: number;
  readonly offset: number;
}

async function readingOf(client: ServoClient, { joint, id }: ExpectedServo, model: ServoModel): Promise<Reading> {
  const { common } = model;
  const counts = (register: Register) => readRow(client, id, register);
  const si = async (register: Register) => (await counts(register)) * register.scale;
  return {
    joint,
    id,
    model,
    firmware: (await client.ping(id))?.firmware ?? 'unknown',
    voltage: await si(common.presentVoltage),
    voltages: [await si(common.minVoltage), await si(common.maxVoltage)],
    temperature: await si(common.presentTemperature),
    hottest: await si(common.maxTemperature),
    steps: await counts(common.presentPosition),
    offset: await counts(common.homingOffset),
  };
}

function judge(subject: string, model: ArmModel, readings: readonly Reading[]): Finding[] {
  const findings: Finding[] = [];
  for (const { joint, id, voltage, voltages, temperature, hottest } of readings) {
    const servo = `servo ${id} (${joint})`;
    const [least, most] = voltages;
    if (voltage < least || voltage > most) {
      findings.push(
        fault(
          subject,
          `${servo} has ${voltage.toFixed(1)} V and allows ${least.toFixed(1)} to ${most.toFixed(1)} V`,
          'check that the power supply is that of this arm (7.4 V and 12 V servos look alike), and its cable',
        ),
      );
    }
    if (temperature > hottest - HOT) {
      findings.push(
        note(
          subject,
          `${servo} is at ${temperature.toFixed(0)} degC and switches itself off at ${hottest.toFixed(0)}`,
          'support the arm, switch its torque off and let it cool',
        ),
      );
    }
  }
  for (const joint of model.joints) {
    const first = joint.servos[0]!;
    const { steps, model: servo } = readings.find(({ id }) => id === first.id)!;
    const angle = stepsToRadians({ sign: first.sign, zero: first.zero, stepsPerTurn: servo.stepsPerTurn }, steps);
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

/** Servos that count from elsewhere than their arm's calibration says. */
function compare(subject: string, bus: string, calibration: CalibrationFile, readings: readonly Reading[]): Finding[] {
  return Object.entries(calibration.joints).flatMap(([joint, { id, homing_offset: wanted }]) => {
    const { offset } = readings.find((reading) => reading.id === id)!;
    if (offset === wanted) return [];
    return fault(
      subject,
      `calibration: servo ${id} (${joint}) has homing offset ${offset}, and its calibration of ${calibration.written} has ${wanted}`,
      'calibrate the arm again (docs/hardware.md, Calibration), or write the offset back: ' +
        `arm-bridge registers write --port '${bus}' --id ${id} homing_offset=${wanted}`,
    );
  });
}

async function seen(subject: string, { bus, model, calibration }: ArmToSee): Promise<Finding[]> {
  const port = makePort(bus, systemClock);
  await port.open();
  try {
    const client = makeClient(model.family, port, PATIENT);
    const expected = expectedServos(model);
    const { models, warnings } = await identify(client, expected);
    const readings: Reading[] = [];
    for (const [i, servo] of expected.entries()) readings.push(await readingOf(client, servo, models[i]!));
    const findings = warnings.map((warning) => note(subject, warning, 'it works; see docs/hardware.md'));
    if (calibration !== null) findings.push(...compare(subject, bus, calibration, readings));
    findings.push(...judge(subject, calibration === null ? model : mounted(model, mountsOf(calibration)), readings));
    const kinds = [...new Set(readings.map(({ model: servo, firmware }) => `${servo.model} ${firmware}`))].join(
      ' and ',
    );
    const calibrated = calibration === null ? 'not calibrated here' : `calibrated ${calibration.written}`;
    const offsets = readings.map(({ offset }) => offset).join(', ');
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

/** The servos of an arm, as they answer. Reads alone: nothing is written to them. */
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
