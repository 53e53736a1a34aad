import { type Command, InvalidArgumentError } from 'commander';
import { systemClock } from '../clock.ts';
import { FAMILIES } from '../servo/families.ts';
import { makePort } from '../servo/port/make.ts';
import { countRange, type Quantity, type Register, SI_UNIT, toSI } from '../servo/registers.ts';
import { type ServoClient, ServoError, type ServoIdentity } from '../servo/servo-client.ts';
import type { ServoFamily } from '../servo/servo-family.ts';
import type { ServoModel } from '../servo/servo-model.ts';
import { modelByName, modelByNumber, SERVO_MODELS } from '../servo/servo-models.ts';
import { type Change, configure, readRegister, writeRegister } from '../servo/setup.ts';
import { carryOut, EXIT, endOnMisuse, finishing, PATIENT, portUrl, UsageError } from './servo-access.ts';
import { table } from './table.ts';

const MAX_ID = 252;

interface Options {
  readonly port: string;
  readonly id: number;
  readonly model?: ServoModel;
  readonly json?: boolean;
}

interface WriteOptions extends Options {
  readonly unsafe?: boolean;
}

/** A servo that answers, with its control table. */
interface Reached {
  readonly client: ServoClient;
  readonly model: ServoModel;
  readonly identity: ServoIdentity;
}

/** Unit suffixes of values on the command line, each with its factor to the SI unit of its quantity. */
const SUFFIXES: Readonly<Record<Quantity, Readonly<Record<string, number>>>> = {
  none: {},
  position: { rad: 1, deg: Math.PI / 180 },
  velocity: { 'rad/s': 1, 'deg/s': Math.PI / 180 },
  acceleration: { 'rad/s^2': 1 },
  current: { A: 1, mA: 1e-3 },
  voltage: { V: 1 },
  temperature: { degC: 1, C: 1 },
  share: { '%': 0.01 },
  time: { s: 1, ms: 1e-3, us: 1e-6 },
};

function servoId(text: string): number {
  const id = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(id <= MAX_ID)) throw new InvalidArgumentError(`a whole number from 0 to ${MAX_ID} is expected.`);
  return id;
}

function servoModel(text: string): ServoModel {
  const model = modelByName(text);
  if (model) return model;
  throw new InvalidArgumentError(`there are ${SERVO_MODELS.map((known) => known.model).join(', ')}.`);
}

/** Runs a task with one servo while its port is open. */
async function withServo(options: Options, task: (servo: Reached) => Promise<number>): Promise<number> {
  const port = makePort(options.port, systemClock);
  await port.open();
  try {
    const wanted = options.model ? [options.model.family] : FAMILIES;
    for (const family of wanted) {
      const client = family.makeClient(port, PATIENT);
      const identity = await client.ping(options.id);
      if (identity) return await task({ client, identity, model: fitting(options, family, identity) });
    }
    throw new ServoError(
      'timeout',
      options.id,
      `no servo ${options.id} answers on ${options.port}: check its power, its cable and its baud rate; ` +
        `"arm-bridge scan --port ${options.port}" shows who answers`,
    );
  } finally {
    await port.close();
  }
}

/** @throws {UsageError} if the servo's model is unknown, or not the one that was named */
function fitting({ id, model }: Options, family: ServoFamily, { modelNumber }: ServoIdentity): ServoModel {
  const found = modelByNumber(family, modelNumber);
  if (found && model && found.modelNumber !== model.modelNumber) {
    throw new UsageError(`servo ${id} is a ${found.model}, no ${model.model}: leave --model out`);
  }
  const fits = found ?? model;
  if (fits) return fits;
  const known = family.models.map((other) => other.model);
  throw new UsageError(
    `servo ${id} has the ${family.name} model number ${modelNumber}, whose registers are not known: name a model with the ` +
      `same ones with --model (${known.join(', ')})`,
  );
}

function rowOf(model: ServoModel, name: string): Register {
  const row = Object.hasOwn(model.registers, name) ? model.registers[name] : undefined;
  if (row) return row;
  const names = Object.keys(model.registers).join(', ');
  throw new UsageError(`a ${model.model} has no register "${name}"; its registers are ${names}`);
}

/** Counts in SI units, without the digits that a scale such as 0.1 leaves behind; null for codes and flags. */
function inSI(row: Register, counts: number): number | null {
  return row.quantity === 'none' ? null : Number(toSI(row, counts).toPrecision(6));
}

/** Counts in SI units with the unit, for users; a share of 1 (full output) is shown as 100 %. */
function shown(row: Register, counts: number): string {
  const value = inSI(row, counts);
  if (value === null) return '';
  return row.quantity === 'share' ? `${Number((100 * value).toPrecision(6))} %` : `${value} ${SI_UNIT[row.quantity]}`;
}

function heading({ identity, model }: Reached): string {
  return `servo ${identity.id}: ${model.model}, firmware ${identity.firmware}`;
}

async function read(names: readonly string[], options: Options): Promise<number> {
  return withServo(options, async (servo) => {
    const { client, model, identity } = servo;
    const wanted = names.length > 0 ? names : Object.keys(model.registers);
    const rows = wanted.map((name) => ({ name, row: rowOf(model, name) }));
    const registers: { name: string; row: Register; counts: number }[] = [];
    for (const { name, row } of rows) {
      registers.push({ name, row, counts: await readRegister(client, model, identity.id, name) });
    }
    if (options.json) {
      const entries = registers.map(({ name, row, counts }) => ({
        register: name,
        address: row.address,
        access: row.access,
        counts,
        countUnit: row.unit,
        value: inSI(row, counts),
        unit: SI_UNIT[row.quantity],
      }));
      const { id, modelNumber, firmware } = identity;
      print({ bus: options.port, id, model: model.model, modelNumber, firmware, registers: entries });
      return EXIT.ok;
    }
    const lines = registers.map(({ name, row, counts }) => {
      return [String(row.address), name, row.access, String(counts), shown(row, counts), row.unit];
    });
    process.stdout.write(
      `${heading(servo)}\n${table(['address', 'register', 'access', 'counts', 'value', 'one count, or meaning'], lines)}\n`,
    );
    return EXIT.ok;
  });
}

interface Assignment {
  readonly name: string;
  readonly row: Register;
  readonly counts: number;
}

/** Parses NAME=VALUE. @throws {UsageError} */
function assignment(text: string, model: ServoModel): Assignment {
  const [, name, number, suffix] = /^([a-z0-9_]+)=(-?\d+(?:\.\d+)?) ?(\S*)$/i.exec(text) ?? [];
  if (name === undefined || number === undefined || suffix === undefined) {
    throw new UsageError(`"${text}" is no NAME=VALUE with a number as value, such as p_coefficient=16`);
  }
  const row = rowOf(model, name);
  if (row.access === 'read') throw new UsageError(`register "${name}" of a ${model.model} is read only`);
  const { min, max } = countRange(row);
  const units = Object.keys(SUFFIXES[row.quantity]);
  const factor = suffix === '' ? row.scale : SUFFIXES[row.quantity][suffix];
  if (factor === undefined) {
    const allowed = units.length === 0 ? 'no unit' : `counts (${row.unit}) without a unit, or ${units.join(', ')}`;
    throw new UsageError(`"${text}": register "${name}" takes ${allowed}`);
  }
  const exact = (Number(number) * factor) / row.scale;
  const counts = suffix === '' ? Number(number) : Math.round(exact);
  if (!Number.isInteger(counts) || counts < min || counts > max) {
    throw new UsageError(`"${text}": register "${name}" of a ${model.model} takes whole counts within ${min}..${max}`);
  }
  return { name, row, counts };
}

/** Refuses writes that move an arm or let it drop, because they bypass the bridge's gate. @throws {UsageError} */
function refuseMotion({ name, row }: Assignment, model: ServoModel, torque: boolean): void {
  const { torqueEnable, homingOffset, operatingMode } = model.common;
  if (row === torqueEnable || name.startsWith('goal_')) {
    throw new UsageError(
      `"${name}" moves a joint or lets it drop. Motion goes through the bridge, whose gate limits it: start the bridge ` +
        'and use /move/... or ROS 2. --unsafe writes it all the same, without any limit',
    );
  }
  if (name === model.family.eepromLock?.register) {
    throw new UsageError(
      `"${name}" is opened and closed by every write that needs it. --unsafe writes it all the same`,
    );
  }
  if (torque && (row === homingOffset || row === operatingMode)) {
    throw new UsageError(
      `the servo holds torque, and another "${name}" would make it jump: end the bridge, so that the arm is lowered and ` +
        'limp, or support the arm and use --unsafe',
    );
  }
}

/** Writes a single register; returns the change with its former content. */
async function change({ client, model, identity }: Reached, { name, row, counts }: Assignment): Promise<Change[]> {
  const from = await readRegister(client, model, identity.id, name);
  if (from === counts) return [];
  if (row === model.common.id) {
    if (counts > MAX_ID) throw new UsageError(`id ${counts} is not within 0..${MAX_ID}, which single servos can have`);
    if (await client.ping(counts)) {
      throw new UsageError(`id ${counts} belongs to another servo of this bus: give each servo an id of its own`);
    }
  }
  if (row === model.common.baudCode && model.baudRates[counts] === undefined) {
    const codes = Object.entries(model.baudRates).map(([code, rate]) => `${code} (${rate})`);
    throw new UsageError(`a ${model.model} has no baud code ${counts}; there are ${codes.join(', ')}`);
  }
  await writeRegister(client, model, identity.id, name, counts);
  return [{ register: name, from, to: counts }];
}

async function write(texts: readonly string[], options: WriteOptions): Promise<number> {
  return withServo(options, async (servo) => {
    const { client, model, identity } = servo;
    const wanted = texts.map((text) => assignment(text, model));
    const twice = wanted.find(({ name }, at) => wanted.findIndex((other) => other.name === name) !== at);
    if (twice) throw new UsageError(`"${twice.name}" is given twice`);
    const own = wanted.filter(({ row }) => row === model.common.id || row === model.common.baudCode);
    if (own.length > 0 && wanted.length > 1) {
      throw new UsageError(`"${own[0]!.name}" changes how the servo is reached: write it by itself`);
    }
    if (!options.unsafe) {
      const torque = (await client.read(identity.id, model.common.torqueEnable.address, 1))[0] === 1;
      for (const item of wanted) refuseMotion(item, model, torque);
    }
    const changes =
      own.length > 0
        ? await change(servo, own[0]!)
        : await configure(
            client,
            model,
            identity.id,
            Object.fromEntries(wanted.map(({ name, counts }) => [name, counts])),
          );
    report(servo, changes, wanted, options);
    return EXIT.ok;
  });
}

function report(servo: Reached, changes: readonly Change[], wanted: readonly Assignment[], options: Options): void {
  const { model, identity } = servo;
  if (options.json) {
    print({ bus: options.port, id: identity.id, model: model.model, changes });
    return;
  }
  const lines = wanted.map(({ name, row, counts }) => {
    const done = changes.find(({ register }) => register === name);
    const value = shown(row, counts);
    const unit = value === '' ? '' : ` (${value})`;
    return done ? `  ${name}: ${done.from} -> ${done.to}${unit}` : `  ${name}: ${counts}${unit}, as it was`;
  });
  process.stdout.write(`${heading(servo)}\n${lines.join('\n')}\n`);
  if (changes.some(({ register }) => model.registers[register] === model.common.baudCode)) {
    const rate = model.baudRates[changes[0]!.to];
    process.stdout.write(
      `  It is heard at ${rate} baud from here on.${model.family.eepromLock === null ? '' : ' Switch its supply off and on, which locks its EEPROM again.'}\n`,
    );
  }
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

function servoOptions(command: Command): Command {
  return endOnMisuse(command)
    .requiredOption('--port <url>', 'bus of the servo, as in the configuration: serial:... or tcp://...', portUrl)
    .requiredOption('--id <id>', 'id of the servo', servoId)
    .option('--model <name>', 'model whose registers are meant, for a servo that is not known', servoModel)
    .option('--json', 'as JSON, for programs');
}

/** Adds `arm-bridge registers read|write` to the program: the control table of one servo, by name. */
export function addRegisters(program: Command): void {
  const registers = endOnMisuse(program.command('registers')).description(
    'Reads and writes registers of one servo by name.',
  );
  servoOptions(registers.command('read'))
    .description('Shows registers in counts and in SI units.')
    .argument('[names...]', 'registers to read; all when none is named')
    .action((names: string[], options: Options) => carryOut('registers read', () => read(names, options)));
  servoOptions(registers.command('write'))
    .description(
      'Writes registers so that they last, only those that differ, and reads them back. Where the EEPROM has a lock, it is ' +
        'opened for it and closed again.',
    )
    .argument('<name=value...>', 'whole counts (p_coefficient=16), or a value with its unit (max_temperature=65degC)')
    .option('--unsafe', 'also torque, goals, and the lock: no gate limits the motion that follows')
    .action((texts: string[], options: WriteOptions) =>
      carryOut('registers write', () => finishing(() => write(texts, options))),
    );
}
