import { systemClock } from '../clock.ts';
import { fineTimers } from '../thread.ts';

export interface WireOptions {
  /** Rate of the line, baud; null for a line that takes no time. */
  readonly baudRate: number | null;
  /** Time between the end of a request and the beginning of a reply besides the servo's return delay, s. */
  readonly turnAround?: number;
  /** Further time on the way to the host, as in a slow adapter, s; it does not occupy the line. */
  readonly delay?: number;
  /** Hands a reply to the host; the bytes are valid during the call only. */
  readonly send: (bytes: Uint8Array) => void;
}

/** 8N1: start bit, eight data bits, stop bit. */
const BITS_PER_BYTE = 10;
/** Middle of what servos of this kind are assumed to take, s. */
const TURN_AROUND = 20e-6;
/** Replies that may be under way at once; what comes on top is lost, as in an adapter's full buffer. */
const SLOTS = 256;
/** Longest reply of either family, bytes. */
const SLOT_SIZE = 1024;
/** A timer of the event loop may be late by this much, s; what is left of the wait is watched. */
const TIMER_SLACK = 2e-3;
/** Wait below which the processor is not given away, and the longest nap above it, s. */
const WATCH = 60e-6;
const NAP = 200e-6;
/** What a nap takes longer than it should where `fineTimers` works, s. */
const NAP_EXCESS = 30e-6;

/**
 * The time that a half-duplex servo line takes. Requests and replies follow one another at `baudRate`; each reply
 * begins a turn-around and its servo's return delay after the line fell silent, and reaches the host whole when its
 * last byte would: never sooner, and about 50 us later at most while the machine is not overloaded. A host that talks
 * into a reply is not punished: its bytes wait for the line.
 */
export class Wire {
  readonly #byteTime: number;
  readonly #turnAround: number;
  readonly #delay: number;
  readonly #send: (bytes: Uint8Array) => void;
  readonly #bytes = new Uint8Array(SLOTS * SLOT_SIZE);
  readonly #lengths = new Uint16Array(SLOTS);
  readonly #due = new Float64Array(SLOTS);
  #first = 0;
  #count = 0;
  /** Instant from which the line is silent, s. */
  #silentFrom = 0;
  #timer: NodeJS.Timeout | null = null;
  #watch: NodeJS.Immediate | null = null;

  constructor(options: WireOptions) {
    this.#byteTime = options.baudRate === null ? 0 : BITS_PER_BYTE / options.baudRate;
    this.#turnAround = options.turnAround ?? (options.baudRate === null ? 0 : TURN_AROUND);
    this.#delay = options.delay ?? 0;
    this.#send = options.send;
    fineTimers();
  }

  /** The host has sent `length` bytes at `now` (s, on the clock of `performance.now`). */
  request(length: number, now: number): void {
    this.#silentFrom = Math.max(this.#silentFrom, now) + length * this.#byteTime;
  }

  /**
   * A servo answers what was requested last.
   * @param returnDelay of that servo, s
   */
  reply(bytes: Uint8Array, returnDelay: number): void {
    const start = this.#silentFrom + this.#turnAround + returnDelay;
    this.#silentFrom = start + bytes.length * this.#byteTime;
    if (this.#count === SLOTS || bytes.length > SLOT_SIZE) return;
    const slot = (this.#first + this.#count) % SLOTS;
    this.#bytes.set(bytes, slot * SLOT_SIZE);
    this.#lengths[slot] = bytes.length;
    this.#due[slot] = this.#silentFrom + this.#delay;
    this.#count++;
    this.#schedule();
  }

  /** Forgets what is under way. */
  clear(): void {
    this.#count = 0;
    if (this.#timer) clearTimeout(this.#timer);
    if (this.#watch) clearImmediate(this.#watch);
    this.#timer = null;
    this.#watch = null;
  }

  #schedule(): void {
    if (this.#timer || this.#watch || this.#count === 0) return;
    const wait = this.#due[this.#first]! - performance.now() / 1000 - TIMER_SLACK;
    if (wait >= 1e-3) {
      this.#timer = setTimeout(() => {
        this.#timer = null;
        this.#schedule();
      }, wait * 1000);
      return;
    }
    this.#watch = setImmediate(() => {
      this.#watch = null;
      this.#deliver();
    });
  }

  #deliver(): void {
    let wait = 0;
    while (this.#count > 0) {
      const slot = this.#first;
      wait = this.#due[slot]! - performance.now() / 1000;
      if (wait > 0) break;
      this.#first = (slot + 1) % SLOTS;
      this.#count--;
      const from = slot * SLOT_SIZE;
      this.#send(this.#bytes.subarray(from, from + this.#lengths[slot]!));
    }
    // Naps keep two served arms and their host on two processors; the loop goes round after each for what comes in.
    if (this.#count > 0 && wait > WATCH) systemClock.nap(Math.min(NAP, wait - NAP_EXCESS));
    this.#schedule();
  }
}
