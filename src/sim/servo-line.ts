import type { Clock, Timer } from '../clock.ts';
import { type Random, seededRandom } from './random.ts';
import type { ServoFault } from './servo-faults.ts';
import type { SimulatedArm } from './simulated-arm.ts';
import { Wire } from './wire.ts';

/** What a line does to bytes on their way, one of the two ways. Shares are of writes of the host, or of replies; 0..1. */
export interface WayFaults {
  loseRate: number;
  /** One bit is flipped. */
  corruptRate: number;
  /** They come twice. */
  doubleRate: number;
  /** They come late, by up to `lateness` (s), and what follows them waits for them. */
  lateRate: number;
  lateness: number;
}

export interface LineOptions {
  /** Rate of the line, baud; null for a line that takes no time. */
  readonly baudRate: number | null;
  /** See `WireOptions`, s. */
  readonly turnAround?: number;
  readonly delay?: number;
  readonly interval?: number;
}

/** Changes to what goes wrong with an arm, its servos and its line; what is left out stays as it is. */
export interface SimFault {
  /** Ids of the servos that neither obey nor answer. */
  readonly dead?: readonly number[];
  /** Share of status packets that are lost, that have a flipped bit, that come twice, 0..1. */
  readonly loseRate?: number;
  readonly corruptRate?: number;
  readonly doubleRate?: number;
  /** Share of requests that a servo by itself does not understand while others do, 0..1. */
  readonly missRate?: number;
  readonly requests?: Partial<WayFaults>;
  readonly replies?: Partial<Pick<WayFaults, 'lateRate' | 'lateness'>>;
  /** Nothing passes either way for so long, s. */
  readonly stall?: number;
  /** Whether the adapter is pulled out. */
  readonly unplugged?: boolean;
  /** Switches the servos' supply off and on. */
  readonly powerCycle?: boolean;
  /** Supply of all servos, V; null: the usual one. */
  readonly volts?: number | null;
  /** What is wrong with single servos, by the ids that they had at the start. */
  readonly servos?: Readonly<Record<number, ServoFault>>;
}

/** A line on which nothing takes time. */
export const TIMELESS: LineOptions = { baudRate: null };

/** Writes that take longer than this to reach the servos are carried out then and not at once, s: the step of the physics. */
const AT_ONCE = 1e-3;

function noFaults(): WayFaults {
  return { loseRate: 0, corruptRate: 0, doubleRate: 0, lateRate: 0, lateness: 0 };
}

/**
 * The servo line of a simulated arm as its host has it: bytes in, bytes out, each way with its time and its faults, and an
 * adapter that can be stuck or pulled out. Replies are lost, damaged and doubled by the arm's bus, which knows where each
 * begins.
 */
export class ServoLine {
  readonly requests: WayFaults = noFaults();
  /** How late replies come. */
  readonly replies: Pick<WayFaults, 'lateRate' | 'lateness'> = { lateRate: 0, lateness: 0 };
  /** Takes what servos answer; the bytes are valid during the call only. */
  onBytes: (bytes: Uint8Array) => void = () => {};
  /** The adapter has been pulled out. */
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
  /** Writes that have not reached the servos, and when each does, s. */
  readonly #waiting: { readonly bytes: Uint8Array; readonly due: number }[] = [];
  readonly #timer: Timer;

  /**
   * @param arm whose bus gives its replies to `answer`
   * @param seed of the faults of requests and of what is late
   */
  constructor(arm: SimulatedArm, clock: Clock, options: LineOptions = TIMELESS, seed = 1) {
    this.sim = arm;
    this.#clock = clock;
    this.baudRate = options.baudRate;
    this.#timeless = options.baudRate === null && !options.delay && !options.interval;
    this.#wire = new Wire({ ...options, clock, send: (bytes) => this.onBytes(bytes) });
    this.#random = seededRandom(seed);
    this.#timer = clock.timer(() => this.#carryOut());
    // What takes no time goes in one piece.
    if (!this.#timeless) arm.bus.onStatus = (bytes, returnDelay) => this.answer(bytes, returnDelay);
  }

  get plugged(): boolean {
    return this.#plugged;
  }

  /** The host writes; the buffer may be used again at once. */
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

  /** Takes what servos answer. @param returnDelay of who sends it, s */
  answer(bytes: Uint8Array, returnDelay = 0): void {
    const { lateRate, lateness } = this.replies;
    const late = lateRate > 0 && this.#random() < lateRate ? this.#random() * lateness : 0;
    if (this.#timeless && late === 0 && this.#stalledUntil <= this.#clock.now()) this.onBytes(bytes);
    else this.#wire.reply(bytes, returnDelay, late);
  }

  /** Changes what goes wrong. @throws {Error} on a servo or register that there is not */
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

  /** Nothing passes either way for so long (s); then all does that was written meanwhile. */
  stall(duration: number): void {
    this.#stalledUntil = Math.max(this.#stalledUntil, this.#clock.now() + duration);
    this.#wire.stall(this.#stalledUntil);
  }

  /** Pulls the adapter out; the arm keeps its supply. */
  unplug(): void {
    if (!this.#plugged) return;
    this.#plugged = false;
    this.clear();
    this.onUnplugged();
  }

  plugIn(): void {
    this.#plugged = true;
  }

  /** Forgets what is under way. */
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
