import type { Command } from 'commander';
import { systemClock } from '../clock.ts';
import { USUAL_IDS } from '../servo/assign.ts';
import { FAMILIES } from '../servo/families.ts';
import { describePorts, discoverPorts, lastingUrl, type PortInfo } from '../servo/port/discovery.ts';
import { makePort } from '../servo/port/make.ts';
import { PortError } from '../servo/port/port.ts';
import { atRate, DEFAULT_BAUD_RATE, parseBusUrl } from '../servo/port/url.ts';
import { type Register, toSI } from '../servo/registers.ts';
import { type ServoClient, ServoError, type ServoIdentity } from '../servo/servo-client.ts';
import type { ServoFamily } from '../servo/servo-family.ts';
import type { ServoModel } from '../servo/servo-model.ts';
import { modelByNumber } from '../servo/servo-models.ts';
import { readRow, scan } from '../servo/setup.ts';
import { baudRates, carryOut, EXIT, endOnMisuse, portUrl, servoIds } from './servo-access.ts';
import { table } from './table.ts';

/** The rate of arms that are set up, then the usual rates of all families. */
const DEFAULT_BAUDS: readonly number[] = [
  ...new Set([DEFAULT_BAUD_RATE, ...FAMILIES.flatMap(({ usualBaudRates }) => usualBaudRates)]),
];

interface ScanOptions {
  readonly port?: readonly string[];
  readonly baud?: readonly number[];
  readonly ids: readonly number[];
  readonly json?: boolean;
}

/** A servo that answered; values that could not be read are null. */
interface FoundServo {
  readonly family: string;
  /** Rate at which it answered, baud; null over TCP, where the server sets it. */
  readonly baudRate: number | null;
  readonly id: number;
  /** Trade name; null for a model whose control table is unknown. */
  readonly model: string | null;
  readonly modelNumber: number;
  readonly firmware: string;
  /** V */
  readonly voltage: number | null;
  /** degC */
  readonly temperature: number | null;
  readonly torque: boolean | null;
  /** Present position: in servo steps, and in rad from the servo's own step 0. */
  readonly positionSteps: number | null;
  readonly position: number | null;
}

/** A servo, and whether it answered at the rate that its baud code register names. */
interface Hearing {
  readonly servo: FoundServo;
  readonly own: boolean;
}

/** Scan result of one port. */
interface ScannedPort {
  /** Bus URL for the configuration. */
  readonly bus: string;
  readonly info: PortInfo | null;
  /** Why it was not scanned; null when it was. */
  readonly error: { readonly code: PortError['code']; readonly message: string } | null;
  readonly servos: readonly FoundServo[];
  /** Unintelligible answers, as messages for users. */
  readonly unclear: readonly string[];
}

function collectPort(text: string, before: readonly string[] = []): string[] {
  return [...before, portUrl(text)];
}

function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Reads a register; null if the servo does not give it. @throws {ServoError} closed */
async function counts(client: ServoClient, id: number, register: Register): Promise<number | null> {
  try {
    return await readRow(client, id, register);
  } catch (error) {
    if (!(error instanceof ServoError) || error.code === 'closed') throw error;
    return null;
  }
}

/** Reads what a servo reports about itself. @throws {ServoError} closed */
async function inspect(
  client: ServoClient,
  family: ServoFamily,
  { id, modelNumber, firmware }: ServoIdentity,
  baudRate: number | null,
): Promise<Hearing> {
  const model: ServoModel | undefined = modelByNumber(family, modelNumber);
  const read = async (pick: (of: ServoModel['common']) => Register): Promise<{ counts: number; si: number } | null> => {
    if (!model) return null;
    const register = pick(model.common);
    const content = await counts(client, id, register);
    // Scales such as 0.1 leave digits behind that the servo has not measured.
    return content === null ? null : { counts: content, si: Number(toSI(register, content).toPrecision(9)) };
  };
  const torque = await read((common) => common.torqueEnable);
  const position = await read((common) => common.presentPosition);
  const code = await read((common) => common.baudCode);
  const servo: FoundServo = {
    family: family.name,
    baudRate,
    id,
    model: model?.model ?? null,
    modelNumber,
    firmware,
    voltage: (await read((common) => common.presentVoltage))?.si ?? null,
    temperature: (await read((common) => common.presentTemperature))?.si ?? null,
    torque: torque === null ? null : torque.counts === 1,
    positionSteps: position?.counts ?? null,
    position: position?.si ?? null,
  };
  return { servo, own: code !== null && model?.baudRates[code.counts] === baudRate };
}

/** Families to try, starting with the usual one for this adapter. */
function families(info: PortInfo | null): ServoFamily[] {
  const likely = FAMILIES.filter(({ name }) => name === info?.adapter?.family);
  return [...new Set([...likely, ...FAMILIES])];
}

/** Scans one port at one rate for one family; adds what it finds. @throws {PortError} @throws {ServoError} closed */
async function scanOnce(
  url: string,
  family: ServoFamily,
  wanted: readonly number[],
  hearings: Hearing[],
  unclear: string[],
): Promise<void> {
  const target = parseBusUrl(url);
  const baudRate = target.kind === 'serial' ? target.baudRate : null;
  const port = makePort(url, systemClock);
  await port.open();
  try {
    const client = family.makeClient(port);
    const { found, failed } = await scan(client, wanted);
    for (const error of failed)
      unclear.push(`${family.name}${baudRate === null ? '' : ` at ${baudRate} baud`}: ${error.message}`);
    for (const identity of found) {
      const hearing = await inspect(client, family, identity, baudRate);
      const same = hearings.findIndex(({ servo }) => servo.family === family.name && servo.id === identity.id);
      const before = hearings[same];
      // On a line without a baud rate, such as a pseudo-terminal, a servo answers at every rate: its own rate counts.
      // Two servos with one id, each at its own rate, count as two.
      if (!before || (before.own && hearing.own)) hearings.push(hearing);
      else if (hearing.own) hearings[same] = hearing;
    }
  } finally {
    await port.close();
  }
}

async function scanPort(bus: string, info: PortInfo | null, options: ScanOptions): Promise<ScannedPort> {
  const target = parseBusUrl(bus);
  const named = target.kind === 'serial' && /[?&]baud=/.test(bus);
  const rates = target.kind !== 'serial' ? [null] : (options.baud ?? (named ? [target.baudRate] : DEFAULT_BAUDS));
  const hearings: Hearing[] = [];
  const unclear: string[] = [];
  const result = (error: ScannedPort['error']): ScannedPort => ({
    bus,
    info,
    error,
    servos: hearings.map(({ servo }) => servo),
    unclear,
  });
  for (const rate of rates) {
    const url = rate === null ? bus : atRate(bus, rate);
    for (const family of families(info)) {
      const at = rate === null ? '' : ` at ${rate} baud`;
      tell(`${info?.path ?? bus}: asking ${family.name} servos ${shownIds(options.ids)}${at}`);
      try {
        await scanOnce(url, family, options.ids, hearings, unclear);
      } catch (error) {
        if (error instanceof PortError) return result({ code: error.code, message: error.message });
        if (error instanceof ServoError) return result({ code: 'closed', message: error.message });
        throw error;
      }
    }
  }
  return result(null);
}

/** Consecutive ids as ranges: "0-20, 30". */
function shownIds(list: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const id of list) {
    const last = ranges.at(-1);
    if (last && last[1] === id - 1) last[1] = id;
    else ranges.push([id, id]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
}

function cells(servo: FoundServo): string[] {
  const { voltage, temperature, torque, positionSteps, position } = servo;
  return [
    servo.family,
    servo.baudRate === null ? '-' : String(servo.baudRate),
    String(servo.id),
    servo.model ?? `unknown (${servo.modelNumber})`,
    servo.firmware,
    voltage === null ? '?' : `${voltage.toFixed(1)} V`,
    temperature === null ? '?' : `${temperature} degC`,
    torque === null ? '?' : torque ? 'on' : 'off',
    positionSteps === null || position === null ? '?' : `${positionSteps} (${position.toFixed(3)} rad)`,
  ];
}

const HEAD = ['family', 'baud', 'id', 'model', 'firmware', 'voltage', 'temperature', 'torque', 'position'];

function text({ bus, info, error, servos, unclear }: ScannedPort, options: ScanOptions): string {
  const parts = [info?.vendor, info?.product, info?.serialNumber ? `serial ${info.serialNumber}` : null];
  if (info?.adapter) {
    const { name, arms } = info.adapter;
    parts.push(arms.length > 0 ? `(${name}, likely ${arms.join(' or ')})` : `(${name})`);
  }
  const about = parts.filter((part): part is string => typeof part === 'string').join(' ');
  const path = info && !bus.includes(info.path) ? `${info.path} ` : '';
  const lines = [`${bus}  ${path}${about}`.trimEnd()];
  if (servos.length > 0) lines.push(table(HEAD, servos.map(cells), '  '));
  for (const note of unclear) lines.push(`  ${note}`);
  if (error) lines.push(`  ${error.code === 'busy' ? 'skipped' : 'failed'}: ${error.message}`);
  else if (servos.length === 0) {
    lines.push(
      `  no servo with an id of ${shownIds(options.ids)} answers: check the arm's supply and its bus cable, ` +
        'and try further rates (--baud) and ids (--ids)',
    );
  }
  return lines.join('\n');
}

/** Ports to scan: the named ones, with what the system knows about them, or all ports of this machine. */
async function targets(options: ScanOptions): Promise<{ bus: string; info: PortInfo | null }[]> {
  const known = await discoverPorts();
  if (options.port === undefined) return known.map((info) => ({ bus: lastingUrl(info, known), info }));
  return options.port.map((bus) => {
    const target = parseBusUrl(bus);
    if (target.kind !== 'serial') return { bus, info: null };
    const { path, serialNumber } = target;
    const info =
      known.find((port) =>
        path === null ? port.serialNumber === serialNumber : port.path === path || port.byId === path,
      ) ?? null;
    return { bus, info };
  });
}

/** @returns the exit code */
async function run(options: ScanOptions): Promise<number> {
  const list = await targets(options);
  const scanned: ScannedPort[] = [];
  for (const { bus, info } of list) scanned.push(await scanPort(bus, info, options));
  if (options.json)
    process.stdout.write(
      `${JSON.stringify({ ports: scanned.map(({ info, ...rest }) => ({ ...rest, port: info })) }, null, 2)}\n`,
    );
  else if (scanned.length === 0) process.stdout.write(`${describePorts([])}\n`);
  else process.stdout.write(`${scanned.map((port) => text(port, options)).join('\n')}\n`);
  return scanned.some(({ servos }) => servos.length > 0) ? EXIT.ok : EXIT.failed;
}

/** Adds `arm-bridge scan` to the program: which servos answer on which port, at which rate. Writes nothing to them. */
export function addScan(program: Command): void {
  endOnMisuse(program.command('scan'))
    .description(
      'Asks which servos answer on the serial ports of this machine, and how they are. Writes nothing to them.',
    )
    .option(
      '--port <url>',
      'bus to scan, as in the configuration; may be repeated (default: all serial ports)',
      collectPort,
    )
    .option('--baud <rates>', `rates to try (default: that of the URL, else ${DEFAULT_BAUDS.join(',')})`, baudRates)
    .option('--ids <ids>', 'ids to ask, such as 1-6 or 1,2,5 (default: 0-20)', servoIds)
    .option('--json', 'as JSON, for programs')
    .addHelpText(
      'after',
      '\nPorts that another program has open are named and skipped. Ends with 0 when a servo was found, 1 when none was,\n' +
        '2 on wrong arguments.',
    )
    .action((options: Omit<ScanOptions, 'ids'> & { readonly ids?: readonly number[] }) =>
      carryOut('scan', () => run({ ...options, ids: options.ids ?? USUAL_IDS })),
    );
}
