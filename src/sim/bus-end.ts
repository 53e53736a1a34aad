import type { BusFaults, EmulatedServo, EmulatedServoBus } from './emulated-servo.ts';
import { type Random, seededRandom } from './random.ts';

export interface BusOptions<S extends EmulatedServo> {
  readonly servos: readonly S[];
  /** Status packets in answer to one `feed`; the bytes are valid during the call only. */
  readonly onReply: (bytes: Uint8Array) => void;
  /** Seed of the fault generator. */
  readonly seed?: number;
  /** A frame of which nothing more comes for this long is dropped, ms. */
  readonly frameTimeout?: number;
}

/** Default of `BusOptions.frameTimeout`, ms. */
const FRAME_TIMEOUT = 20;

/**
 * What the far ends of servo buses of all families have in common: they find request frames in whatever chunks arrive,
 * let faults take or damage status packets, and hand these out. A family adds its frames and instructions.
 */
export abstract class BusEnd<S extends EmulatedServo> implements EmulatedServoBus {
  readonly faults: BusFaults = { dead: new Set(), loseRate: 0, corruptRate: 0 };
  onStatus: ((bytes: Uint8Array, returnDelay: number) => void) | null = null;

  protected readonly servos: readonly S[];
  /** Bytes that have arrived and belong to no frame yet, `inputLength` of them. */
  protected readonly input: Uint8Array;
  protected inputLength = 0;
  /** Where a family puts a status packet, from what `room` returns on. */
  protected readonly output: Uint8Array;

  readonly #onReply: (bytes: Uint8Array) => void;
  readonly #random: Random;
  readonly #frameTimeout: number;
  #lastByteAt = 0;
  #outputLength = 0;

  constructor(options: BusOptions<S>, maxFrame: number) {
    this.servos = options.servos;
    this.#onReply = options.onReply;
    this.#random = seededRandom(options.seed ?? 1);
    this.#frameTimeout = options.frameTimeout ?? FRAME_TIMEOUT;
    this.input = new Uint8Array(2 * maxFrame);
    this.output = new Uint8Array(16 * maxFrame);
  }

  /**
   * Carries out the frame that begins at `at` of `input`.
   * @returns the bytes that it takes; 1 when none begins there, 0 while it is not complete
   */
  protected abstract frame(at: number): number;

  /** Takes request bytes; answers through `onReply` before it returns, in one piece when it fits. */
  feed(chunk: Uint8Array, now: number): void {
    if (this.inputLength > 0 && now - this.#lastByteAt > this.#frameTimeout) this.inputLength = 0;
    this.#lastByteAt = now;
    let taken = 0;
    while (taken < chunk.length) {
      const room = Math.min(chunk.length - taken, this.input.length - this.inputLength);
      for (let i = 0; i < room; i++) this.input[this.inputLength + i] = chunk[taken + i]!;
      this.inputLength += room;
      taken += room;
      this.#parse();
    }
    this.#flush();
  }

  /** The servo with this id that is not dead. */
  protected find(id: number): S | undefined {
    if (this.faults.dead.has(id)) return undefined;
    for (const servo of this.servos) if (servo.id === id) return servo;
    return undefined;
  }

  /** Makes room for a status packet of `size` bytes; returns where it is to begin in `output`. */
  protected room(size: number): number {
    if (this.#outputLength + size > this.output.length) this.#flush();
    return this.#outputLength;
  }

  /** Lets the status packet in `output[at..end)` go, unless a fault takes it. */
  protected release(servo: S, at: number, end: number): void {
    const { faults, output } = this;
    if (faults.loseRate > 0 && this.#random() < faults.loseRate) return;
    if (faults.corruptRate > 0 && this.#random() < faults.corruptRate) {
      const bit = Math.floor(this.#random() * (end - at) * 8);
      const byte = at + (bit >> 3);
      output[byte] = output[byte]! ^ (1 << (bit & 7));
    }
    if (this.onStatus) this.onStatus(output.subarray(at, end), servo.returnDelay);
    else this.#outputLength = end;
  }

  #parse(): void {
    let at = 0;
    while (at < this.inputLength) {
      const used = this.frame(at);
      if (used === 0) break;
      at += used;
    }
    this.input.copyWithin(0, at, this.inputLength);
    this.inputLength -= at;
  }

  #flush(): void {
    if (this.#outputLength === 0) return;
    const length = this.#outputLength;
    this.#outputLength = 0;
    this.#onReply(this.output.subarray(0, length));
  }
}
