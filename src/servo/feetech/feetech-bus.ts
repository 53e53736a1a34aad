import type { BytePort } from '../port/port.ts';
import type { Register } from '../registers.ts';
import { SyncBus } from '../sync-bus.ts';
import { encodeRead, encodeSyncRead, encodeSyncWrite, FRAME_OVERHEAD, MAX_FRAME } from './feetech-frame.ts';
import { StatusParser } from './feetech-parser.ts';

/** The servos of one arm on one half-duplex Feetech bus; a read is one sync read. */
export class FeetechBus extends SyncBus {
  protected override readonly statusOverhead = FRAME_OVERHEAD;

  constructor(port: BytePort, ids: readonly number[]) {
    super(port, ids, MAX_FRAME, (handler) => new StatusParser(handler));
  }

  protected override askAll(address: number, length: number): number {
    return encodeSyncRead(this.frame, this.ids, address, length);
  }

  protected override askOne(id: number, address: number, length: number): number {
    return encodeRead(this.frame, id, address, length);
  }

  protected override askSome(ids: Uint8Array, address: number, length: number): number {
    return encodeSyncRead(this.frame, ids, address, length);
  }

  protected override encodeWrite(ids: Uint8Array, register: Register, values: ArrayLike<number>): number {
    return encodeSyncWrite(this.frame, ids, register.address, register.size as 1 | 2, values);
  }
}
