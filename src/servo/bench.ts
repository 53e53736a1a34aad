import { messageOf } from '../message-of.ts';
import {
  AssignError,
  type Assigned,
  type AssignFault,
  assign,
  at,
  type Presence,
  presence,
  type SetupLine,
  USUAL_IDS,
} from './assign.ts';
import { type AuditedServo, Contents, deviations, restore } from './audit.ts';
import type { ExpectedServo } from './expected-servo.ts';
import type { ServoClient } from './servo-client.ts';
import { modelByName, modelByNumber } from './servo-models.ts';
import type { Change } from './setup.ts';

/** A register that differs from what the arm's data want, in counts. */
export interface Difference {
  readonly id: number;
  readonly register: string;
  readonly found: number;
  readonly wanted: number;
}

/** Registers written to the servos of an arm. */
export interface RegistersSet {
  readonly servos: readonly { readonly id: number; readonly changes: readonly Change[] }[];
  /** Number of EEPROM registers written. */
  readonly eepromWrites: number;
}

/**
 * The servos of an arm during set-up. Each call opens their line and closes it again, so that the user can plug cables
 * between two calls. No call switches torque on, and none writes to a servo that has torque.
 */
export interface Bench {
  /**
   * Which of these servos answer: one per id, of the right model; see `presence`.
   * @throws {PortError} @throws {ServoError} closed
   */
  presence(servos: readonly ExpectedServo[]): Promise<readonly Presence[]>;
  /** Sets up the only servo on the line; see `assign`. @param reassign also if it has been given another id before */
  assign(servo: ExpectedServo, reassign: boolean): Promise<Assigned>;
  /** Registers that differ from what the arm's data want. Writes nothing. @throws {AssignError} silent */
  differences(servos: readonly ExpectedServo[]): Promise<readonly Difference[]>;
  /** Sets those registers permanently. @throws {AssignError} torque, silent; nothing is written then */
  restore(servos: readonly ExpectedServo[]): Promise<RegistersSet>;
}

export interface BenchOptions {
  /** Ids to ask for a single servo; default: the usual ones. */
  readonly ids?: readonly number[];
  /** Runs what must not be interrupted. */
  readonly whole?: <T>(task: () => Promise<T>) => Promise<T>;
}

/**
 * A bench on a line of this thread.
 * @param baudRate rate of the servos; null: the far end of the line sets it
 */
export function benchAt(line: SetupLine, baudRate: number | null, options: BenchOptions = {}): Bench {
  const { ids = USUAL_IDS, whole = (task) => task() } = options;
  return {
    presence: (servos) => at(line, baudRate, (client) => presence(client, servos)),
    assign: (servo, reassign) => assign(line, servo, { baudRate, ids, reassign, whole }),
    differences: (servos) => at(line, baudRate, (client) => differences(client, servos)),
    restore: (servos) => whole(() => at(line, baudRate, (client) => setRegisters(client, servos))),
  };
}

/** A call of a bench as a message to another thread. */
export interface BenchTask {
  readonly call: keyof Bench;
  /** Servos, with the model by its trade name. */
  readonly servos: readonly (Omit<ExpectedServo, 'model'> & { readonly model: string })[];
  /** Argument of `assign`. */
  readonly reassign: boolean;
}

/** Outcome of a task: the result of the call, or why it failed, for users. */
export type BenchAnswer =
  | { readonly result: readonly Presence[] | Assigned | readonly Difference[] | RegistersSet }
  | { readonly fault: AssignFault; readonly message: string };

/** A bench in another thread. @param ask runs a task there */
export function benchBy(ask: (task: BenchTask) => Promise<BenchAnswer>): Bench {
  const call = async <T>(name: keyof Bench, servos: readonly ExpectedServo[], reassign = false): Promise<T> => {
    const plain = servos.map(({ model, ...rest }) => ({ ...rest, model: model.model }));
    const answer = await ask({ call: name, servos: plain, reassign });
    if ('fault' in answer) throw new AssignError(answer.fault, answer.message);
    return answer.result as T;
  };
  return {
    presence: (servos) => call('presence', servos),
    assign: (servo, reassign) => call('assign', [servo], reassign),
    differences: (servos) => call('differences', servos),
    restore: (servos) => call('restore', servos),
  };
}

/** Runs a task of another thread in this one. Never throws. */
export async function carryOut(bench: Bench, { call, servos: plain, reassign }: BenchTask): Promise<BenchAnswer> {
  const servos = plain.map(({ model, ...rest }) => ({ ...rest, model: modelByName(model)! }));
  try {
    return { result: await (call === 'assign' ? bench.assign(servos[0]!, reassign) : bench[call](servos)) };
  } catch (error) {
    const fault = error instanceof AssignError ? error.code : 'line';
    return { fault, message: messageOf(error) };
  }
}

/** Name of a servo in messages. */
export function servoName({ joint, id, model }: ExpectedServo): string {
  return `${joint} (id ${id}, ${model.model})`;
}

async function audited(client: ServoClient, expected: ExpectedServo): Promise<AuditedServo> {
  const identity = await client.ping(expected.id);
  const model = identity === null ? undefined : modelByNumber(expected.model.family, identity.modelNumber);
  if (model === undefined) {
    throw new AssignError('silent', `${servoName(expected)} does not answer as such: arm-bridge scan shows who does`);
  }
  const contents = new Contents(model);
  await contents.read(client, expected.id);
  return { expected, model, contents };
}

async function differences(client: ServoClient, servos: readonly ExpectedServo[]): Promise<Difference[]> {
  const found: Difference[] = [];
  for (const expected of servos) {
    const servo = await audited(client, expected);
    for (const { register, wanted, remedy } of deviations(servo)) {
      if (remedy !== undefined) continue;
      found.push({ id: expected.id, register, found: servo.contents.named(register), wanted });
    }
  }
  return found;
}

async function setRegisters(client: ServoClient, wanted: readonly ExpectedServo[]): Promise<RegistersSet> {
  const all: AuditedServo[] = [];
  for (const expected of wanted) all.push(await audited(client, expected));
  const holding = all.filter(({ model, contents }) => contents.of(model.common.torqueEnable) !== 0);
  if (holding.length > 0) {
    throw new AssignError(
      'torque',
      `${holding.map(({ expected }) => servoName(expected)).join(', ')} ${holding.length === 1 ? 'holds' : 'hold'} torque, ` +
        'and nothing is written to a servo that does: let the bridge lower the arm, or support it, and switch its supply ' +
        'off and on',
    );
  }
  const servos: RegistersSet['servos'][number][] = [];
  for (const servo of all) servos.push({ id: servo.expected.id, changes: await restore(client, servo) });
  return { servos, eepromWrites: client.eepromWrites.reduce((sum, writes) => sum + writes, 0) };
}

/** Differences as text for users, one line per servo. */
export function listed(servos: readonly ExpectedServo[], found: readonly Difference[]): string {
  return servos
    .flatMap((servo) => {
      const own = found.filter(({ id }) => id === servo.id);
      if (own.length === 0) return [];
      const list = own.map(({ register, found: content, wanted }) => `${register} ${content}, wanted ${wanted}`);
      return [`  ${servoName(servo)}: ${list.join('; ')}`];
    })
    .join('\n');
}
