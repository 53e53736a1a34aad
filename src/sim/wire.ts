import type { Clock, Timer } from '../clock.ts';
import { fineTimers } from '../thread.ts';

export interface WireOptions {
  /** Rate of the line, baud; null for a line that takes no time. */
  readonly baudRate: number | null;
  /** Time between the end of a request and the beginning of a reply besides the servo's return delay, s. */
  readonly turnAround?: number;
  /** Further time on the way to the host, as in a slow adapter, s; it does not occupy the line. */
  readonly delay?: number;
  /** The adapter hands over what it has at these intervals, s; default: each reply when it is whole. */
  readonly interval?: number;
  readonly clock: Clock;
  /** Hands bytes to the host; they are valid during the call only. */
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
/** Instants that are closer than this are one, s: far less than the time of a byte. */
const TOGETHER = 1e-7;

/**
 * The time that a half-duplex servo line takes. Requests and replies follow one another at `baudRate`; each reply begins a
 * turn-around and its servo's return delay after the line fell silent, and reaches the host when its bytes would: never
 * sooner, and in real time about 50 us later at most while the machine is not overloaded. A host that talks into a reply is
 * not punished: its bytes wait for the line.
 */
export class Wire {
  readonly #byteTime: number;
  readonly #turnAround: number;
  readonly #delay: number;
  readonly #interval: number;
  readonly #clock: Clock;
  /** Whether the thread can sleep; in virtual time it cannot, and timers are exact. */
  readonly #sleeps: boolean;
  readonly #send: (bytes: Uint8Array) => void;
  readonly #bytes = new Uint8Array(SLOTS * SLOT_SIZE);
  readonly #lengths = new Uint16Array(SLOTS);
  /** Bytes of the reply that have been handed over. */
  readonly #sent = new Uint16Array(SLOTS);
  /** When the reply's last byte reaches the host, s. */
  readonly #due = new Float64Array(SLOTS);
  #first = 0;
  #count = 0;
  /** Instant from which the line is silent, and until which nothing reaches the host, s. */
  #silentFrom = 0;
  #stalledUntil = 0;
  /** Whether the timer or the watch below will look what is due. */
  #scheduled = false;
  /** Changes with `clear`, after which no watch that was begun before counts. */
  #generation = 0;
  readonly #timer: Timer;

  constructor(options: WireOptions) {
    this.#byteTime = options.baudRate === null ? 0 : BITS_PER_BYTE / options.baudRate;
    this.#turnAround = options.turnAround ?? (options.baudRate === null ? 0 : TURN_AROUND);
    this.#delay = options.delay ?? 0;
    this.#interval = options.interval ?? 0;
    this.#clock = options.clock;
    this.#sleeps = options.clock.nap(0);
    this.#send = options.send;
    this.#timer = options.clock.timer(() => {
      this.#scheduled = false;
      if (this.#sleeps) this.#schedule();
      else this.#deliver();
    });
    if (this.#sleeps) fineTimers();
  }

  /** The host has sent `length` bytes at `now`, s. @returns when the last of them has reached the servos */
  request(length: number, now: number): number {
    this.#silentFrom = Math.max(this.#silentFrom, now) + length * this.#byteTime;
    return this.#silentFrom;
  }

  /**
   * A servo answers what was requested last.
   * @param returnDelay of that servo, s
   * @param late further time on the way to the host, s
   */
  reply(bytes: Uint8Array, returnDelay: number, late = 0): void {
    const start = this.#silentFrom + this.#turnAround + returnDelay;
    this.#silentFrom = start + bytes.length * this.#byteTime;
    if (this.#count === SLOTS || bytes.length > SLOT_SIZE) return;
    const slot = (this.#first + this.#count) % SLOTS;
    this.#bytes.set(bytes, slot * SLOT_SIZE);
    this.#lengths[slot] = bytes.length;
    this.#sent[slot] = 0;
    this.#due[slot] = this.#silentFrom + this.#delay + late;
    this.#count++;
    this.#schedule();
  }

  /** Nothing reaches the host before this instant, s; then all does that came meanwhile. */
  stall(until: number): void {
    this.#stalledUntil = Math.max(this.#stalledUntil, until);
  }

  /** Forgets what is under way. */
  clear(): void {
    this.#count = 0;
    this.#generation++;
    this.#scheduled = false;
    this.#timer.cancel();
  }

  /** When there is something to hand over next, s. */
  #next(): number {
    const due = Math.max(this.#due[this.#first]!, this.#stalledUntil);
    if (this.#interval === 0) return due;
    // Bytes of a reply that are there go with the next look, whether it is whole or not.
    const left = this.#lengths[this.#first]! - this.#sent[this.#first]! - 1;
    const earliest = Math.max(this.#due[this.#first]! - left * this.#byteTime, this.#stalledUntil);
    return Math.ceil((earliest - TOGETHER / 2) / this.#interval) * this.#interval;
  }

  #schedule(): void {
    if (this.#scheduled || this.#count === 0) return;
    this.#scheduled = true;
    const wait = this.#next() - this.#clock.now();
    if (!this.#sleeps) {
      this.#timer.start(Math.max(0, wait));
      return;
    }
    if (wait - TIMER_SLACK >= 1e-3) {
      this.#timer.start(wait - TIMER_SLACK);
      return;
    }
    const generation = this.#generation;
    this.#clock.soon(() => {
      if (generation !== this.#generation) return;
      this.#scheduled = false;
      this.#deliver();
    });
  }

  #deliver(): void {
    let wait = 0;
    while (this.#count > 0) {
      const now = this.#clock.now();
      wait = this.#next() - now;
      if (wait > TOGETHER) break;
      const slot = this.#first;
      const length = this.#lengths[slot]!;
      const sent = this.#sent[slot]!;
      const missing = Math.max(0, this.#due[slot]! - now - TOGETHER);
      const there = this.#byteTime === 0 ? length : length - Math.ceil(missing / this.#byteTime);
      if (there === length) {
        this.#first = (slot + 1) % SLOTS;
        this.#count--;
      } else if (there <= sent) {
        break;
      } else {
        this.#sent[slot] = there;
      }
      const from = slot * SLOT_SIZE;
      this.#send(this.#bytes.subarray(from + sent, from + there));
    }
    // Naps keep two served arms and their host on two processors; the loop goes round after each for what comes in.
    if (this.#count > 0 && this.#sleeps && wait > WATCH) this.#clock.nap(Math.min(NAP, wait - NAP_EXCESS));
    this.#schedule();
  }
}
