import type { Clock, Timer } from '../clock.ts';
import { type Random, seededRandom } from './random.ts';
import type { ServoFault } from './servo-faults.ts';
import type { SimulatedArm } from './simulated-arm.ts';
import { Wire } from './wire.ts';

/** Faults of a line in one direction. Shares are of the host's writes, or of replies, 0..1. */
export interface WayFaults {
  loseRate: number;
  /** Share with one flipped bit. */
  corruptRate: number;
  /** Share that arrives twice. */
  doubleRate: number;
  /** Share that is late by up to `lateness` (s); later bytes wait for late ones. */
  lateRate: number;
  lateness: number;
}

export interface LineOptions {
  /** Baud rate of the line; null: transfers take no time. */
  readonly baudRate: number | null;
  /** See `WireOptions`, s. */
  readonly turnAround?: number;
  readonly delay?: number;
  readonly interval?: number;
}

/** Changes to the faults of an arm, its servos and its line; absent fields stay unchanged. */
export interface SimFault {
  /** Ids of servos that neither obey nor answer. */
  readonly dead?: readonly number[];
  /** Shares of status packets that are lost, have a flipped bit, or arrive twice, 0..1. */
  readonly loseRate?: number;
  readonly corruptRate?: number;
  readonly doubleRate?: number;
  /** Share of requests that a servo misses, drawn for each servo independently, 0..1. */
  readonly missRate?: number;
  readonly requests?: Partial<WayFaults>;
  readonly replies?: Partial<Pick<WayFaults, 'lateRate' | 'lateness'>>;
  /** Blocks both directions for this long, s. */
  readonly stall?: number;
  /** Whether the adapter is unplugged. */
  readonly unplugged?: boolean;
  /** Switches the servos' supply off and on. */
  readonly powerCycle?: boolean;
  /** Supply of all servos, V; null: the usual supply. */
  readonly volts?: number | null;
  /** Faults of single servos, by initial id. */
  readonly servos?: Readonly<Record<number, ServoFault>>;
}

/** A line on which transfers take no time. */
export const TIMELESS: LineOptions = { baudRate: null };

/** Writes that reach the servos within this time are executed at once, s (one physics step); others on arrival. */
const AT_ONCE = 1e-3;

function noFaults(): WayFaults {
  return { loseRate: 0, corruptRate: 0, doubleRate: 0, lateRate: 0, lateness: 0 };
}

/**
 * The servo line of a simulated arm as its host sees it: bytes in, bytes out, with timing and faults in each direction,
 * and an adapter that can stall or be unplugged. The arm's bus loses, damages and doubles replies, because it knows
 * where each one begins.
 */
export class ServoLine {
  readonly requests: WayFaults = noFaults();
  /** Lateness of replies. */
  readonly replies: Pick<WayFaults, 'lateRate' | 'lateness'> = { lateRate: 0, lateness: 0 };
  /** Receives the servos' answers; the bytes are valid during the call only. */
  onBytes: (bytes: Uint8Array) => void = () => {};
  /** Called when the adapter has been unplugged. */
  onUnplugged: () => void = () => {};
  readonly sim: SimulatedArm;
  /** See `LineOptions`. */
  readonly baudRate: number | null;
  readonly #clock: Clock;
  readonly #wire: Wire;
  readonly #timeless: boolean;
  readonly #random: Random;
  #plugged = true;
  #stalledUntil = 0;
  /** Writes that have not reached the servos yet, with their arrival times, s. */
  readonly #waiting: { readonly bytes: Uint8Array; readonly due: number }[] = [];
  readonly #timer: Timer;

  /**
   * @param arm its bus must pass replies to `answer`
   * @param seed of request faults and lateness
   */
  constructor(arm: SimulatedArm, clock: Clock, options: LineOptions = TIMELESS, seed = 1) {
    this.sim = arm;
    this.#clock = clock;
    this.baudRate = options.baudRate;
    this.#timeless = options.baudRate === null && !options.delay && !options.interval;
    this.#wire = new Wire({ ...options, clock, send: (bytes) => this.onBytes(bytes) });
    this.#random = seededRandom(seed);
    this.#timer = clock.timer(() => this.#carryOut());
    // A line that takes no time passes the answers on in one piece.
    if (!this.#timeless) arm.bus.onStatus = (bytes, returnDelay) => this.answer(bytes, returnDelay);
  }

  get plugged(): boolean {
    return this.#plugged;
  }

  /** Takes a write of the host; the buffer may be reused at once. */
  write(bytes: Uint8Array): void {
    if (!this.#plugged) return;
    const { loseRate, corruptRate, doubleRate } = this.requests;
    if (loseRate > 0 && this.#random() < loseRate) return;
    let sent = bytes;
    if (corruptRate > 0 && this.#random() < corruptRate) {
      sent = bytes.slice();
      const bit = Math.floor(this.#random() * bytes.length * 8);
      sent[bit >> 3] = sent[bit >> 3]! ^ (1 << (bit & 7));
    }
    const times = doubleRate > 0 && this.#random() < doubleRate ? 2 : 1;
    for (let i = 0; i < times; i++) this.#send(sent);
  }

  /** Takes an answer of the servos. @param returnDelay of the answering servo, s */
  answer(bytes: Uint8Array, returnDelay = 0): void {
    const { lateRate, lateness } = this.replies;
    const late = lateRate > 0 && this.#random() < lateRate ? this.#random() * lateness : 0;
    if (this.#timeless && late === 0 && this.#stalledUntil <= this.#clock.now()) this.onBytes(bytes);
    else this.#wire.reply(bytes, returnDelay, late);
  }

  /** Changes the faults. @throws {Error} for an unknown servo or register */
  fault(fault: SimFault): void {
    const { sim: arm } = this;
    const { faults } = arm.bus;
    for (const [id, servo] of Object.entries(fault.servos ?? {})) arm.faultServo(Number(id), servo);
    if (fault.dead) {
      faults.dead.clear();
      for (const id of fault.dead) faults.dead.add(id);
    }
    faults.loseRate = fault.loseRate ?? faults.loseRate;
    faults.corruptRate = fault.corruptRate ?? faults.corruptRate;
    faults.doubleRate = fault.doubleRate ?? faults.doubleRate;
    faults.missRate = fault.missRate ?? faults.missRate;
    Object.assign(this.requests, fault.requests);
    Object.assign(this.replies, fault.replies);
    if (fault.volts !== undefined) arm.supply(fault.volts);
    if (fault.powerCycle) arm.powerCycle();
    if (fault.stall !== undefined) this.stall(fault.stall);
    if (fault.unplugged === true) this.unplug();
    if (fault.unplugged === false) this.plugIn();
  }

  /** Blocks both directions for `duration` (s); afterwards everything written meanwhile passes. */
  stall(duration: number): void {
    this.#stalledUntil = Math.max(this.#stalledUntil, this.#clock.now() + duration);
    this.#wire.stall(this.#stalledUntil);
  }

  /** Unplugs the adapter; the arm keeps its supply. */
  unplug(): void {
    if (!this.#plugged) return;
    this.#plugged = false;
    this.clear();
    this.onUnplugged();
  }

  plugIn(): void {
    this.#plugged = true;
  }

  /** Discards all bytes in transit. */
  clear(): void {
    this.#wire.clear();
    this.#waiting.length = 0;
    this.#timer.cancel();
  }

  #send(bytes: Uint8Array): void {
    const now = this.#clock.now();
    const { lateRate, lateness } = this.requests;
    const late = lateRate > 0 && this.#random() < lateRate ? this.#random() * lateness : 0;
    const before = this.#waiting.at(-1)?.due ?? 0;
    const start = Math.max(now + late, this.#stalledUntil, before);
    const due = this.#wire.request(bytes.length, start);
    if (due - now <= AT_ONCE && before === 0) {
      this.sim.feed(bytes, now);
      return;
    }
    this.#waiting.push({ bytes: bytes.slice(), due });
    if (this.#waiting.length === 1) this.#timer.start(due - now);
  }

  #carryOut(): void {
    const now = this.#clock.now();
    while (this.#waiting.length > 0 && this.#waiting[0]!.due <= now) this.sim.feed(this.#waiting.shift()!.bytes, now);
    const next = this.#waiting[0];
    if (next) this.#timer.start(next.due - now);
  }
}
