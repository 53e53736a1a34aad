import type { Clock, Timer } from '../clock.ts';
import { fineTimers } from '../thread.ts';

export interface WireOptions {
  /** Baud rate of the line; null: transfers take no time. */
  readonly baudRate: number | null;
  /** Time from the end of a request to the start of a reply, without the servo's return delay, s. */
  readonly turnAround?: number;
  /** Extra latency towards the host, as of a slow adapter, s; it does not occupy the line. */
  readonly delay?: number;
  /** Interval at which the adapter hands over received bytes, s; default: each reply once it is complete. */
  readonly interval?: number;
  readonly clock: Clock;
  /** Hands bytes to the host; they are valid during the call only. */
  readonly send: (bytes: Uint8Array) => void;
}

/** 8N1: start bit, eight data bits, stop bit. */
const BITS_PER_BYTE = 10;
/** Middle of the range assumed for such servos, s. */
const TURN_AROUND = 20e-6;
/** Most replies in transit; more are lost, as in an adapter's full buffer. */
const SLOTS = 256;
/** Longest reply of either family, bytes. */
const SLOT_SIZE = 1024;
/** An event-loop timer may be late by this much, s; the rest of the wait is polled. */
const TIMER_SLACK = 2e-3;
/** Wait below which polling does not sleep, and the longest nap above it, s. */
const WATCH = 60e-6;
const NAP = 200e-6;
/** Oversleep of a nap with working `fineTimers`, s. */
const NAP_EXCESS = 30e-6;
/** Times closer than this count as equal, s: far less than the time of a byte. */
const TOGETHER = 1e-7;

/**
 * The timing of a half-duplex servo line. Requests and replies follow one another at `baudRate`. Each reply begins
 * after the line fell silent, plus the turn-around and the servo's return delay, and reaches the host when its bytes
 * would: never earlier, and in real time at most about 50 us later unless the machine is overloaded. A host that sends
 * during a reply causes no collision: its bytes wait for the line.
 */
export class Wire {
  readonly #byteTime: number;
  readonly #turnAround: number;
  readonly #delay: number;
  readonly #interval: number;
  readonly #clock: Clock;
  /** Whether the thread can sleep; it cannot in virtual time, where timers are exact. */
  readonly #sleeps: boolean;
  readonly #send: (bytes: Uint8Array) => void;
  readonly #bytes = new Uint8Array(SLOTS * SLOT_SIZE);
  readonly #lengths = new Uint16Array(SLOTS);
  /** Bytes of each reply already handed over. */
  readonly #sent = new Uint16Array(SLOTS);
  /** When the last byte of each reply reaches the host, s. */
  readonly #due = new Float64Array(SLOTS);
  #first = 0;
  #count = 0;
  /** Time from which the line is silent, and time until which nothing reaches the host, s. */
  #silentFrom = 0;
  #stalledUntil = 0;
  /** Whether the timer or a poll is pending. */
  #scheduled = false;
  /** Changes with `clear`, which invalidates pending polls. */
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

  /** The host sends `length` bytes at `now`, s. @returns the time at which the last of them has reached the servos */
  request(length: number, now: number): number {
    this.#silentFrom = Math.max(this.#silentFrom, now) + length * this.#byteTime;
    return this.#silentFrom;
  }

  /**
   * A servo answers the last request.
   * @param returnDelay of that servo, s
   * @param late extra latency towards the host, s
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

  /** Holds everything back from the host until this time, s, and then delivers it. */
  stall(until: number): void {
    this.#stalledUntil = Math.max(this.#stalledUntil, until);
  }

  /** Discards all bytes in transit. */
  clear(): void {
    this.#count = 0;
    this.#generation++;
    this.#scheduled = false;
    this.#timer.cancel();
  }

  /** Time of the next delivery, s. */
  #next(): number {
    const due = Math.max(this.#due[this.#first]!, this.#stalledUntil);
    if (this.#interval === 0) return due;
    // The adapter hands over received bytes at the next interval, whether or not the reply is complete.
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
    // Naps, so that two served arms and their host fit on two processors; the event loop takes input after each nap.
    if (this.#count > 0 && this.#sleeps && wait > WATCH) this.#clock.nap(Math.min(NAP, wait - NAP_EXCESS));
    this.#schedule();
  }
}
