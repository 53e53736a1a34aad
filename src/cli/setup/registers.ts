import { at, type SetupLine } from '../../servo/assign.ts';
import { type AuditedServo, Contents, deviations, restore } from '../../servo/audit.ts';
import type { ExpectedServo } from '../../servo/expected-servo.ts';
import type { ServoClient } from '../../servo/servo-client.ts';
import { modelByNumber } from '../../servo/servo-models.ts';
import type { Change } from '../../servo/setup.ts';
import { UsageError } from '../servo-access.ts';
import { servoName } from './arm.ts';

/** A register of a servo that does not hold what the data of its arm want, in counts. */
export interface Difference {
  readonly servo: ExpectedServo;
  readonly register: string;
  readonly found: number;
  readonly wanted: number;
}

/** What was written to one servo. */
export interface Restored {
  readonly servo: ExpectedServo;
  readonly changes: readonly Change[];
}

/** What was written to an arm. */
export interface RegistersSet {
  readonly servos: readonly Restored[];
  /** EEPROM registers that were written. */
  readonly eepromWrites: number;
}

async function audited(client: ServoClient, expected: ExpectedServo): Promise<AuditedServo> {
  const identity = await client.ping(expected.id);
  const model = identity === null ? undefined : modelByNumber(expected.model.family, identity.modelNumber);
  if (model === undefined) {
    throw new UsageError(`${servoName(expected)} does not answer as such: arm-bridge scan shows who does`);
  }
  const contents = new Contents(model);
  await contents.read(client, expected.id);
  return { expected, model, contents };
}

/** Registers of an arm's servos that hold something else than its data want. Writes nothing. */
export function differences(
  line: SetupLine,
  servos: readonly ExpectedServo[],
  baudRate: number | null,
): Promise<Difference[]> {
  return at(line, baudRate, async (client) => {
    const found: Difference[] = [];
    for (const expected of servos) {
      const servo = await audited(client, expected);
      for (const { register, wanted, remedy } of deviations(servo)) {
        if (remedy !== undefined) continue;
        found.push({ servo: expected, register, found: servo.contents.named(register), wanted });
      }
    }
    return found;
  });
}

/** Sets them so that they last. @throws {UsageError} when a servo holds torque; nothing is written then */
export function setRegisters(
  line: SetupLine,
  wanted: readonly ExpectedServo[],
  baudRate: number | null,
): Promise<RegistersSet> {
  return at(line, baudRate, async (client) => {
    const all: AuditedServo[] = [];
    for (const expected of wanted) all.push(await audited(client, expected));
    const holding = all.filter(({ model, contents }) => contents.of(model.common.torqueEnable) !== 0);
    if (holding.length > 0) {
      throw new UsageError(
        `${holding.map(({ expected }) => servoName(expected)).join(', ')} ${holding.length === 1 ? 'holds' : 'hold'} torque, ` +
          'and nothing is written to a servo that does: let the bridge lower the arm, or support it, and switch its supply ' +
          'off and on',
      );
    }
    const servos: Restored[] = [];
    for (const servo of all) servos.push({ servo: servo.expected, changes: await restore(client, servo) });
    return { servos, eepromWrites: client.eepromWrites.reduce((sum, writes) => sum + writes, 0) };
  });
}

/** Differences for people, a line for each servo. */
export function listed(found: readonly Difference[]): string {
  const servos = [...new Set(found.map(({ servo }) => servo))];
  return servos
    .map((servo) => {
      const own = found.filter((difference) => difference.servo === servo);
      const list = own.map(({ register, found: content, wanted }) => `${register} ${content}, wanted ${wanted}`);
      return `  ${servoName(servo)}: ${list.join('; ')}`;
    })
    .join('\n');
}
