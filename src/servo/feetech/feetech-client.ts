import type { ClientOptions, Reply } from '../exchange.ts';
import { ExchangeClient } from '../exchange-client.ts';
import type { BytePort } from '../port/port.ts';
import { ServoError, type ServoIdentity } from '../servo-client.ts';
import * as frames from './feetech-frame.ts';
import { StatusParser } from './feetech-parser.ts';
import { STS3215 } from './sts3215.ts';

/** Firmware and model number are the first bytes of every STS table. */
const IDENTITY_LENGTH = STS3215.registers.model_number.address + STS3215.registers.model_number.size;

/**
 * Talks to one Feetech servo at a time. Status bits of a reply are alarms: the data is valid, and no request fails on
 * them.
 */
export class FeetechClient extends ExchangeClient {
  constructor(port: BytePort, options: ClientOptions = {}) {
    super(port, frames, (handler) => new StatusParser(handler), options);
  }

  async ping(id: number): Promise<ServoIdentity | null> {
    if ((await this.pinged(id, 0)) === null) return null;
    const bytes = await this.read(id, 0, IDENTITY_LENGTH);
    const at = STS3215.registers.model_number.address;
    return { id, modelNumber: bytes[at]! | (bytes[at + 1]! << 8), firmware: `${bytes[0]}.${bytes[1]}` };
  }

  async reboot(id: number): Promise<void> {
    throw new ServoError(
      'refused',
      id,
      `servo ${id} cannot be restarted over the bus, as no Feetech servo can: switch its torque off (register address ` +
        `${STS3215.registers.torque_enable.address}) to clear an overload, or its supply off and on`,
    );
  }

  /** A Feetech servo never refuses a request in its answer. */
  protected ask(id: number, frame: Uint8Array, what: string, _: number | null, length: number): Promise<Reply> {
    return this.exchange.ask(id, frame, what, length);
  }
}
