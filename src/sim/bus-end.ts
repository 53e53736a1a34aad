import { type BusFaults, type EmulatedServo, type EmulatedServoBus, noBusFaults } from './emulated-servo.ts';
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
 * let faults take or damage requests and status packets, and hand these out. Servos with one id answer together, and their
 * packets collide. A family adds its frames and instructions.
 */
export abstract class BusEnd<S extends EmulatedServo> implements EmulatedServoBus {
  readonly faults: BusFaults = noBusFaults();
  onStatus: ((bytes: Uint8Array, returnDelay: number) => void) | null = null;

  protected readonly servos: readonly S[];
  /** Bytes that have arrived and belong to no frame yet, `inputLength` of them. */
  protected readonly input: Uint8Array;
  protected inputLength = 0;
  /** Where a family puts a status packet. */
  protected readonly output: Uint8Array;

  readonly #onReply: (bytes: Uint8Array) => void;
  readonly #random: Random;
  readonly #frameTimeout: number;
  #lastByteAt = 0;
  readonly #addressed: S[] = [];
  /** Whose turn it is to answer; servos that answer in one turn collide. */
  #turn = 0;
  /** The newest status packet, until it is known that no other servo answers at the same time. */
  readonly #held: Uint8Array;
  #heldLength = 0;
  #heldTurn = 0;
  #heldDelay = 0;
  /** Status packets that leave together. */
  readonly #replies: Uint8Array;
  #repliesLength = 0;

  constructor(options: BusOptions<S>, maxFrame: number) {
    this.servos = options.servos;
    this.#onReply = options.onReply;
    this.#random = seededRandom(options.seed ?? 1);
    this.#frameTimeout = options.frameTimeout ?? FRAME_TIMEOUT;
    this.input = new Uint8Array(2 * maxFrame);
    // Stuffing makes a packet longer before its length is judged.
    this.output = new Uint8Array(2 * maxFrame);
    this.#held = new Uint8Array(4 * maxFrame);
    this.#replies = new Uint8Array(16 * maxFrame);
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
    this.#emit();
    this.#flush();
  }

  /** Whether a servo understands the request at hand. */
  protected hears(servo: S): boolean {
    const { dead, missRate } = this.faults;
    return servo.awake && !dead.has(servo.id) && (missRate === 0 || this.#random() >= missRate);
  }

  /**
   * The servos with this id that understand the request at hand, usually one; they answer at one time. Valid until the
   * next call.
   */
  protected addressed(id: number): readonly S[] {
    const found = this.#addressed;
    found.length = 0;
    for (const servo of this.servos) if (servo.id === id && this.hears(servo)) found.push(servo);
    this.#turn++;
    return found;
  }

  /** All ids on the bus, each once, in their order. */
  protected ids(): number[] {
    return [...new Set(this.servos.map(({ id }) => id))].sort((a, b) => a - b);
  }

  /** Lets the status packet in `output[0..length)` go, unless a fault takes it. */
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

  /** The status packet in `output[0..length)` meets the one that is held. */
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

  /** Lets the packet that is held go. */
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
