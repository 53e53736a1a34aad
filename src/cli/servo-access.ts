import { type Command, InvalidArgumentError } from 'commander';
import type { ServoClient } from '../servo/client.ts';
import { ServoError } from '../servo/client.ts';
import { DynamixelClient } from '../servo/dynamixel/client.ts';
import { FeetechClient } from '../servo/feetech/client.ts';
import type { ServoFamily } from '../servo/model.ts';
import { type BytePort, PortError } from '../servo/port/port.ts';
import { BusUrlError, parseBusUrl } from '../servo/port/url.ts';

/** What ends a command: found or done, not found or failed, asked for something that cannot be. */
export const EXIT = { ok: 0, failed: 1, arguments: 2 } as const;

/** A command that cannot be carried out as it was given; the message says what is allowed. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const CLIENTS: Readonly<Record<ServoFamily, (port: BytePort) => ServoClient>> = {
  feetech: (port) => new FeetechClient(port),
  dynamixel: (port) => new DynamixelClient(port),
};

/** A client of this family on an open port, whose bytes it takes. */
export function makeClient(family: ServoFamily, port: BytePort): ServoClient {
  return CLIENTS[family](port);
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

/** Lets wrong arguments of a command end with the code that says so. */
export function endOnMisuse(command: Command): Command {
  return command.exitOverride((error) => process.exit(error.exitCode === 0 ? EXIT.ok : EXIT.arguments));
}

/** Runs a command; errors that are meant for people become one line and an exit code. */
export async function carryOut(name: string, task: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await task();
  } catch (error) {
    const misused = error instanceof UsageError || error instanceof RangeError;
    if (!(misused || error instanceof PortError || error instanceof ServoError)) throw error;
    process.stderr.write(`arm-bridge ${name}: ${error.message}\n`);
    process.exitCode = misused ? EXIT.arguments : EXIT.failed;
  }
}
