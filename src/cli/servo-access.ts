import { type Command, InvalidArgumentError } from 'commander';
import { ArmModelError } from '../arm/model.ts';
import { AssignError } from '../servo/assign.ts';
import type { ClientOptions } from '../servo/exchange.ts';
import { PortError } from '../servo/port/port.ts';
import { BusUrlError, parseBusUrl } from '../servo/port/url.ts';
import { ServoError } from '../servo/servo-client.ts';
import { onEndingSignal } from './signals.ts';

const MAX_ID = 252;

/** Exit codes of a command: found or done; not found or failed; wrong arguments. */
export const EXIT = { ok: 0, failed: 1, arguments: 2 } as const;

/** A command cannot be carried out as given; the message says what is allowed. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** For servos that should be there: waiting is better than reporting one as missing because the machine is busy. */
export const PATIENT: ClientOptions = { deadline: 150 };

/** Rates, separated by commas, as an option of the command line. @throws {InvalidArgumentError} */
export function baudRates(text: string): number[] {
  const rates = text.split(',').map((part) => (/^[1-9]\d{0,6}$/.test(part.trim()) ? Number(part) : Number.NaN));
  if (!rates.every(Number.isInteger)) throw new InvalidArgumentError('rates such as 1000000,57600 are expected.');
  return [...new Set(rates)];
}

/** Ids and ranges of them, separated by commas, as an option of the command line. @throws {InvalidArgumentError} */
export function servoIds(text: string): number[] {
  const found = text.split(',').flatMap((part) => {
    const [, from, to = from] = /^(\d{1,3})(?:-(\d{1,3}))?$/.exec(part.trim()) ?? [];
    if (from === undefined || Number(from) > Number(to) || Number(to) > MAX_ID) {
      throw new InvalidArgumentError(`ids within 0..${MAX_ID} such as 1-6 or 1,2,5 are expected.`);
    }
    return Array.from({ length: Number(to) - Number(from) + 1 }, (_, i) => Number(from) + i);
  });
  return [...new Set(found)].sort((a, b) => a - b);
}

/** Runs a task to its end despite signals, because an interrupted write would leave a servo's EEPROM open. */
export async function finishing<T>(task: () => Promise<T>): Promise<T> {
  const letGo = onEndingSignal(() => void process.stderr.write('finishing the write\n'));
  try {
    return await task();
  } finally {
    letGo();
  }
}

/** A port that servos can be reached by, as an option of the command line. @throws {InvalidArgumentError} */
export function portUrl(text: string): string {
  try {
    const { kind } = parseBusUrl(text);
    if (kind === 'serial' || kind === 'tcp') return text;
  } catch (error) {
    if (!(error instanceof BusUrlError)) throw error;
    throw new InvalidArgumentError(`${error.message}.`);
  }
  throw new InvalidArgumentError(
    `"${text}" has no port of its own: name serial:... or tcp://... ("arm-bridge simulate" serves an emulated arm on one).`,
  );
}

/** Makes wrong arguments of a command end with `EXIT.arguments`. */
export function endOnMisuse(command: Command): Command {
  return command.exitOverride((error) => process.exit(error.exitCode === 0 ? EXIT.ok : EXIT.arguments));
}

/** Runs a command; errors meant for users become one line and an exit code. */
export async function carryOut(name: string, task: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await task();
  } catch (error) {
    const misused = error instanceof UsageError || error instanceof RangeError || error instanceof ArmModelError;
    const told = error instanceof PortError || error instanceof ServoError || error instanceof AssignError;
    if (!(misused || told)) throw error;
    process.stderr.write(`arm-bridge ${name}: ${error.message}\n`);
    process.exitCode = misused ? EXIT.arguments : EXIT.failed;
  }
}
