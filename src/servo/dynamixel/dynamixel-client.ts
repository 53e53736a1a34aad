import type { ClientOptions, Reply } from '../exchange.ts';
import { ExchangeClient } from '../exchange-client.ts';
import type { BytePort } from '../port/port.ts';
import { ServoError, type ServoIdentity } from '../servo-client.ts';
import { ALERT, BROADCAST_ID, ErrorNumber, type ResetOption } from './dynamixel-constants.ts';
import * as frames from './dynamixel-frame.ts';
import { StatusParser } from './dynamixel-parser.ts';

/** The EEPROM area ends here on every X model. */
const EEPROM_END = 64;

/** Model number and firmware. */
const PING_LENGTH = 3;

/** A block of registers of one servo. */
export interface Block {
  readonly id: number;
  readonly address: number;
  readonly length: number;
}

/**
 * Talks to one Dynamixel servo at a time. The alert bit of a reply is an alarm: the data is valid, and no request fails
 * on it.
 */
export class DynamixelClient extends ExchangeClient {
  constructor(port: BytePort, options: ClientOptions = {}) {
    super(port, frames, (handler) => new StatusParser(handler), options);
  }

  async ping(id: number): Promise<ServoIdentity | null> {
    const reply = await this.pinged(id, PING_LENGTH);
    if (reply === null) return null;
    const { bytes } = reply;
    return { id, modelNumber: bytes[0]! | (bytes[1]! << 8), firmware: String(bytes[2]) };
  }

  async reboot(id: number): Promise<void> {
    await this.ask(id, this.framed(frames.encodeReboot(this.out, id)), 'the restart', null, 0);
  }

  /** Resets a servo to factory settings. Its torque goes off. @throws {ServoError} */
  async factoryReset(id: number, option: (typeof ResetOption)[keyof typeof ResetOption]): Promise<void> {
    await this.ask(id, this.framed(frames.encodeFactoryReset(this.out, id, option)), 'the factory reset', null, 0);
  }

  /**
   * Reads one block of each servo with a single bulk read; servos that do not answer it are read one by one.
   * @returns the blocks in the order of the requests @throws {ServoError}
   */
  async bulkRead(requests: readonly Block[]): Promise<Uint8Array[]> {
    const replies = await this.exchange.collect(
      BROADCAST_ID,
      this.framed(frames.encodeBulkRead(this.out, requests)),
      requests.length,
    );
    const blocks: Uint8Array[] = [];
    for (const { id, address, length } of requests) {
      const clear = this.exchange.isClear(id);
      const reply = clear && replies.find((packet) => packet.id === id && packet.bytes.length === length);
      if (clear && !reply) this.exchange.owe(id, length);
      blocks.push(reply ? reply.bytes : await this.read(id, address, length));
    }
    return blocks;
  }

  /** Turns the error number of an answer into a refusal. */
  protected async ask(
    id: number,
    frame: Uint8Array,
    what: string,
    address: number | null,
    length: number,
  ): Promise<Reply> {
    const accepts = ({ error, bytes }: Reply): boolean => {
      const number = error & ~ALERT;
      return number === 0 ? bytes.length === length : number !== ErrorNumber.crc;
    };
    const reply = await this.exchange.ask(id, frame, what, length, accepts);
    const number = reply.error & ~ALERT;
    if (number !== 0) throw new ServoError('refused', id, `servo ${id} refused ${what}: ${reason(number, address)}`);
    return reply;
  }
}

/** What an error number means and what to do next (https://emanual.robotis.com/docs/en/dxl/protocol2/#error). */
function reason(number: number, address: number | null): string {
  switch (number) {
    case ErrorNumber.resultFail:
      return 'it could not carry it out; read its hardware error status (register address 70), a restart clears it';
    case ErrorNumber.instruction:
      return 'it does not know this instruction; check its firmware version';
    case ErrorNumber.dataRange:
      return (
        'the value is outside the range that the register takes; if this is a goal, check that the bus watchdog ' +
        '(register address 98) has not run out: writing 0 to it releases the goals'
      );
    case ErrorNumber.dataLength:
      return 'the write does not cover the register as a whole; write as many bytes as the control table says';
    case ErrorNumber.dataLimit:
      return 'the value is beyond the limit that the servo is set to; check its position, velocity, current and PWM limits';
    case ErrorNumber.access:
      return address !== null && address < EEPROM_END
        ? 'access error: registers below address 64 can only be written with torque off; support the arm, write 0 to ' +
            'torque enable (register address 64) and try again'
        : 'access error: the register is read only, or this model has none at this address';
    default:
      return `it gives the error number ${number}, which the protocol does not explain`;
  }
}
