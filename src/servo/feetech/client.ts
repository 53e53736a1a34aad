import { type ServoClient, ServoError, type ServoIdentity } from '../client.ts';
import { type ClientOptions, Exchange } from '../exchange.ts';
import type { BytePort } from '../port/port.ts';
import { encodeAction, encodePing, encodeRead, encodeRegWrite, encodeWrite, MAX_FRAME } from './frame.ts';
import { StatusParser } from './parser.ts';
import { STS3215 } from './sts3215.ts';

/** Firmware and model number stand in the first bytes of every STS table. */
const IDENTITY_LENGTH = STS3215.registers.model_number.address + STS3215.registers.model_number.size;

/** One Feetech servo at a time. Status bits of a reply are alarms: its data counts and no request fails on them. */
export class FeetechClient implements ServoClient {
  readonly #exchange: Exchange;
  readonly #frame = new Uint8Array(MAX_FRAME);

  constructor(port: BytePort, options: ClientOptions = {}) {
    this.#exchange = new Exchange(port, (handler) => new StatusParser(handler), options);
  }

  attach(): void {
    this.#exchange.attach();
  }

  async ping(id: number): Promise<ServoIdentity | null> {
    const outcome = await this.#exchange.tryAsk(id, this.#framed(encodePing(this.#frame, id)), isEmpty);
    if (outcome === 'timeout') return null;
    if (outcome === 'corrupt') {
      throw new ServoError(
        'corrupt',
        id,
        `something answers a ping of servo id ${id} with damaged bytes: check the baud rate and the cable, and that no ` +
          'two servos have this id',
      );
    }
    const bytes = await this.read(id, 0, IDENTITY_LENGTH);
    const at = STS3215.registers.model_number.address;
    return { id, modelNumber: bytes[at]! | (bytes[at + 1]! << 8), firmware: `${bytes[0]}.${bytes[1]}` };
  }

  async read(id: number, address: number, length: number): Promise<Uint8Array> {
    const what = `the read of ${length} bytes at register address ${address}`;
    const frame = this.#framed(encodeRead(this.#frame, id, address, length));
    const reply = await this.#exchange.ask(id, frame, what, ({ bytes }) => bytes.length === length);
    return reply.bytes;
  }

  async write(id: number, address: number, bytes: Uint8Array): Promise<void> {
    const what = `the write of ${bytes.length} bytes at register address ${address}`;
    await this.#exchange.ask(id, this.#framed(encodeWrite(this.#frame, id, address, bytes)), what, isEmpty);
  }

  async regWrite(id: number, address: number, bytes: Uint8Array): Promise<void> {
    const what = `the prepared write of ${bytes.length} bytes at register address ${address}`;
    await this.#exchange.ask(id, this.#framed(encodeRegWrite(this.#frame, id, address, bytes)), what, isEmpty);
  }

  action(): void {
    this.#exchange.send(this.#framed(encodeAction(this.#frame)));
  }

  async reboot(id: number): Promise<void> {
    throw new ServoError(
      'refused',
      id,
      `servo ${id} cannot be restarted over the bus, as no Feetech servo can: switch its torque off (register address ` +
        `${STS3215.registers.torque_enable.address}) to clear an overload, or its supply off and on`,
    );
  }

  #framed(length: number): Uint8Array {
    return this.#frame.subarray(0, length);
  }
}

function isEmpty({ bytes }: { readonly bytes: Uint8Array }): boolean {
  return bytes.length === 0;
}
