import { type BusFaults, type EmulatedServo, type EmulatedServoBus, noBusFaults } from './emulated-servo.ts';
import { type Random, seededRandom } from './random.ts';

export interface BusOptions<S extends EmulatedServo> {
  readonly servos: readonly S[];
  /** Receives the status packets that one `feed` causes; the bytes are valid during the call only. */
  readonly onReply: (bytes: Uint8Array) => void;
  /** Seed of the fault generator. */
  readonly seed?: number;
  /** An incomplete frame is dropped after this long without another byte, ms. */
  readonly frameTimeout?: number;
}

/** Default of `BusOptions.frameTimeout`, ms. */
const FRAME_TIMEOUT = 20;

/**
 * The servo side of a bus, common to all families: finds request frames in chunks of any size, loses or damages
 * requests and status packets as the faults say, and sends the status packets. Servos with the same id answer together,
 * and their packets collide. A family adds its frames and instructions.
 */
export abstract class BusEnd<S extends EmulatedServo> implements EmulatedServoBus {
  readonly faults: BusFaults = noBusFaults();
  onStatus: ((bytes: Uint8Array, returnDelay: number) => void) | null = null;

  protected readonly servos: readonly S[];
  /** Received bytes that do not yet form a complete frame; the first `inputLength` are valid. */
  protected readonly input: Uint8Array;
  protected inputLength = 0;
  /** A family builds its status packets here. */
  protected readonly output: Uint8Array;

  readonly #onReply: (bytes: Uint8Array) => void;
  readonly #random: Random;
  readonly #frameTimeout: number;
  #lastByteAt = 0;
  readonly #addressed: S[] = [];
  /** Number of the present answering slot; servos that answer in the same slot collide. */
  #turn = 0;
  /** The newest status packet, held back until no other servo can answer in the same slot. */
  readonly #held: Uint8Array;
  #heldLength = 0;
  #heldTurn = 0;
  #heldDelay = 0;
  /** Status packets that are sent together. */
  readonly #replies: Uint8Array;
  #repliesLength = 0;

  constructor(options: BusOptions<S>, maxFrame: number) {
    this.servos = options.servos;
    this.#onReply = options.onReply;
    this.#random = seededRandom(options.seed ?? 1);
    this.#frameTimeout = options.frameTimeout ?? FRAME_TIMEOUT;
    this.input = new Uint8Array(2 * maxFrame);
    // A packet grows by stuffing before its length is checked.
    this.output = new Uint8Array(2 * maxFrame);
    this.#held = new Uint8Array(4 * maxFrame);
    this.#replies = new Uint8Array(16 * maxFrame);
  }

  /**
   * Executes the frame that begins at `at` in `input`.
   * @returns the number of bytes consumed; 1 if no frame begins there, 0 if the frame is not complete yet
   */
  protected abstract frame(at: number): number;

  /** Takes request bytes; answers through `onReply` before it returns, in one call if the answers fit. */
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
    this.#emit();
    this.#flush();
  }

  /** Whether a servo receives the present request. */
  protected hears(servo: S): boolean {
    const { dead, missRate } = this.faults;
    return servo.awake && !dead.has(servo.id) && (missRate === 0 || this.#random() >= missRate);
  }

  /**
   * The servos with this id that receive the present request, usually one; they answer at the same time. Valid until
   * the next call.
   */
  protected addressed(id: number): readonly S[] {
    const found = this.#addressed;
    found.length = 0;
    for (const servo of this.servos) if (servo.id === id && this.hears(servo)) found.push(servo);
    this.#turn++;
    return found;
  }

  /** All ids on the bus, without duplicates, in ascending order. */
  protected ids(): number[] {
    return [...new Set(this.servos.map(({ id }) => id))].sort((a, b) => a - b);
  }

  /** Sends the status packet in `output[0..length)`, unless a fault loses it. */
  protected release(servo: S, length: number): void {
    const { faults, output } = this;
    if (faults.loseRate > 0 && this.#random() < faults.loseRate) return;
    if (faults.corruptRate > 0 && this.#random() < faults.corruptRate) {
      const bit = Math.floor(this.#random() * length * 8);
      output[bit >> 3] = output[bit >> 3]! ^ (1 << (bit & 7));
    }
    if (this.#heldLength > 0 && this.#heldTurn === this.#turn) {
      this.#collide(length);
      return;
    }
    this.#emit();
    this.#hold(length);
    this.#heldTurn = this.#turn;
    this.#heldDelay = servo.returnDelay;
  }

  #hold(length: number): void {
    for (let i = 0; i < length; i++) this.#held[i] = this.output[i]!;
    this.#heldLength = length;
  }

  /** The status packet in `output[0..length)` collides with the held one. */
  #collide(length: number): void {
    const held = this.#held;
    const { collisions } = this.faults;
    switch (collisions[Math.floor(this.#random() * collisions.length)]) {
      case 'mixed':
        // The line idles high, and a servo that sends a 0 pulls it down.
        for (let i = 0; i < length; i++) held[i] = i < this.#heldLength ? held[i]! & this.output[i]! : this.output[i]!;
        this.#heldLength = Math.max(length, this.#heldLength);
        break;
      case 'first':
        break;
      case 'second':
        this.#hold(length);
        break;
      case 'both':
        if (this.#heldLength + length > held.length) return;
        for (let i = 0; i < length; i++) held[this.#heldLength + i] = this.output[i]!;
        this.#heldLength += length;
        break;
    }
  }

  /** Sends the held packet. */
  #emit(): void {
    const length = this.#heldLength;
    if (length === 0) return;
    this.#heldLength = 0;
    const times = this.faults.doubleRate > 0 && this.#random() < this.faults.doubleRate ? 2 : 1;
    for (let i = 0; i < times; i++) {
      if (this.onStatus) {
        this.onStatus(this.#held.subarray(0, length), this.#heldDelay);
        continue;
      }
      if (this.#repliesLength + length > this.#replies.length) this.#flush();
      for (let at = 0; at < length; at++) this.#replies[this.#repliesLength + at] = this.#held[at]!;
      this.#repliesLength += length;
    }
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
    if (this.#repliesLength === 0) return;
    const length = this.#repliesLength;
    this.#repliesLength = 0;
    this.#onReply(this.#replies.subarray(0, length));
  }
}
