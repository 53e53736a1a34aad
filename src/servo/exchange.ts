import type { Clock } from '../clock.ts';
import type { BytePort, PortError } from './port/port.ts';
import type { ReplyParser, StatusHandler } from './reply.ts';
import { type Asks, type Echo, type Oddities, ServoError } from './servo-client.ts';

/** Reply timeout, ms: two periods of a USB adapter's 16 ms latency timer, and a margin. */
export const DEFAULT_DEADLINE = 40;

export interface ClientOptions {
  /** How long an answer may take, ms. An unanswered request is sent a second time. */
  readonly deadline?: number;
}

/** A copy of a status packet. */
export interface Reply {
  readonly id: number;
  readonly error: number;
  readonly bytes: Uint8Array;
}

interface Waiting {
  /** @returns whether it was waiting for this packet */
  take(reply: Reply): boolean;
  fail(reason: PortError): void;
}

type Outcome = Reply | 'timeout' | 'corrupt';

/** Makes a frame that asks a servo for the first `length` bytes of its table. */
type Probe = (id: number, length: number) => Uint8Array;

/**
 * Shortest probe, bytes, and number of probe lengths: longer than any read of the control loop, whose late answers may
 * still come, and within the EEPROM of every servo.
 */
export const SHORTEST_PROBE = 30;
export const PROBE_LENGTHS = 6;
/** Probes sent to a servo that does not answer. */
const PROBES = 2;
/** Deadlines that a repeated request waits for a servo that has answered before: a busy computer delays answers. */
const PATIENCE = 3;
/** A timer that runs later than this shows that the computer kept this thread waiting, s. */
const LATE = 0.005;
/** Ids fit a byte. */
const IDS = 256;
/** No answer of a servo is outstanding; one of unknown length is. */
const NONE = -1;
const UNKNOWN = -2;

/**
 * One request and its answer at a time, over a port that several callers share. An answer does not name its request, so
 * a late one cannot be told from the answer to a later request. Therefore a servo that may still owe an answer is first
 * probed with a length that nothing else asks for. A servo answers its requests in order, so once it has answered the
 * probe nothing is outstanding.
 */
export class Exchange {
  readonly #port: BytePort;
  readonly #clock: Clock;
  readonly #parser: ReplyParser;
  readonly #deadline: number;
  readonly #probe: Probe;
  #probes = 0;
  /** Bytes of an answer that may still come, by servo: `NONE`, `UNKNOWN`, or the length. */
  readonly #owed = new Int16Array(IDS).fill(NONE);
  /** Length of the last expected answer, bytes, by servo. */
  readonly #answered = new Int16Array(IDS).fill(NONE);
  /** See `Oddities`, by servo. */
  readonly #doubled = new Uint16Array(IDS);
  readonly #damaged = new Uint16Array(IDS);
  readonly #asks = { made: 0, missed: 0 };
  #tail: Promise<unknown> = Promise.resolve();
  #waiting: Waiting | null = null;

  constructor(
    port: BytePort,
    makeParser: (handler: StatusHandler) => ReplyParser,
    probe: Probe,
    options: ClientOptions = {},
  ) {
    this.#port = port;
    this.#clock = port.clock;
    this.#probe = probe;
    this.#deadline = options.deadline ?? DEFAULT_DEADLINE;
    this.#parser = makeParser((id, error, bytes, from, length) => {
      const expected = this.#waiting?.take({ id, error, bytes: bytes.slice(from, from + length) }) ?? false;
      if (expected) this.#answered[id] = length;
      // A servo that owes nothing has already answered. An answer of another length belongs to the previous user of the
      // port.
      else if (this.#owed[id] === NONE && this.#answered[id] === length) this.#doubled[id]!++;
    });
    const onClose = port.onClose;
    port.onClose = (reason) => {
      this.#waiting?.fail(reason);
      onClose(reason);
    };
    this.#listenToPort();
  }

  /** See `ServoClient`. */
  attach(silent = false): void {
    this.#owed.fill(silent ? NONE : UNKNOWN);
    this.#doubled.fill(0);
    this.#damaged.fill(0);
    this.#listenToPort();
  }

  /** See `ServoClient`. */
  oddities(id: number): Oddities {
    return { doubled: this.#doubled[id]!, damaged: this.#damaged[id]! };
  }

  /** See `ServoClient`. */
  get asks(): Asks {
    return this.#asks;
  }

  /** See `ServoClient`. */
  owed(id: number): number {
    return Math.max(NONE, this.#owed[id]!);
  }

  /** Notes that an answer of this length may still come, because a caller has timed out on it. */
  owe(id: number, length: number): void {
    this.#owed[id] = length;
  }

  /** True if no answer of a servo can be outstanding. */
  isClear(id: number): boolean {
    return this.#owed[id] === NONE;
  }

  #listenToPort(): void {
    this.#port.onBytes = (chunk) => this.#parser.push(chunk);
  }

  /** Sends a frame that no servo answers, after all queued requests. */
  send(frame: Uint8Array): void {
    const bytes = frame.slice();
    void this.#queue(async () => this.#port.write(bytes));
  }

  /** Sends a frame that servo `id` may answer, without waiting for it. */
  post(id: number, frame: Uint8Array): void {
    const bytes = frame.slice();
    void this.#queue(async () => {
      this.#port.write(bytes);
      if (this.isClear(id)) this.owe(id, 0);
    });
  }

  /**
   * Sends a frame and waits for the answer of servo `id`, twice if need be.
   * @param what the request in words, for messages: "the read of 2 bytes at register address 56"
   * @param length of the data of its answer, bytes
   * @param accepts whether a packet of this servo can be the answer; left out: by its length
   * @throws {ServoError} timeout, corrupt or closed
   */
  async ask(
    id: number,
    frame: Uint8Array,
    what: string,
    length: number,
    accepts?: (reply: Reply) => boolean,
  ): Promise<Reply> {
    const outcome = await this.tryAsk(id, frame, length, accepts);
    if (outcome === 'timeout') {
      throw new ServoError(
        'timeout',
        id,
        `servo ${id} did not answer ${what} in time, twice: ` +
          'check its power, the cable into it, and that its id and baud rate are the ones asked for',
      );
    }
    if (outcome === 'corrupt') {
      throw new ServoError(
        'corrupt',
        id,
        `the answer of servo ${id} to ${what} came damaged, twice: check the cable and the baud rate, that no other ` +
          'program uses the port, and that no second servo has this id',
      );
    }
    return outcome;
  }

  /** Like `ask`, but returns failures as values. @throws {ServoError} closed */
  tryAsk(
    id: number,
    frame: Uint8Array,
    length: number,
    accepts: (reply: Reply) => boolean = ({ bytes }) => bytes.length === length,
  ): Promise<Outcome> {
    const bytes = frame.slice();
    return this.#queue(async () => {
      this.#parser.reset();
      const before = this.#parser.discarded;
      if (this.isClear(id) || (await this.#clear(id))) {
        let reply = await this.#attempt(id, bytes, accepts);
        if (!reply) {
          this.owe(id, length);
          const known = this.#answered[id] !== NONE;
          reply = await this.#attempt(id, bytes, accepts, (known ? PATIENCE : 1) * this.#deadline);
        }
        if (reply) return reply;
      }
      return this.#parser.discarded > before ? 'corrupt' : 'timeout';
    });
  }

  /**
   * Sends a frame that several servos answer, once, and collects their answers in order of arrival, until none has come
   * for one deadline.
   * @param id the one that the frame is sent to, for messages
   * @param count number of answers after which it stops waiting
   */
  collect(id: number, frame: Uint8Array, count: number): Promise<readonly Reply[]> {
    const bytes = frame.slice();
    return this.#queue(async () => {
      this.#parser.reset();
      const replies: Reply[] = [];
      const all = this.#listen(id, this.#deadline, (reply) => {
        replies.push(reply);
        return replies.length === count ? 'done' : 'more';
      });
      this.#port.write(bytes);
      await all;
      return replies;
    });
  }

  /** Sends a frame once and counts the answers of servo `id`, until none has come for one deadline. */
  echo(id: number, frame: Uint8Array): Promise<Echo> {
    const bytes = frame.slice();
    return this.#queue(async () => {
      if (!this.isClear(id)) await this.#drain(id);
      this.#parser.reset();
      const before = this.#parser.discarded;
      let answers = 0;
      const silent = this.#listen(id, this.#deadline, (reply) => {
        if (reply.id !== id) return 'other';
        answers++;
        return 'more';
      });
      this.#port.write(bytes);
      await silent;
      return { answers, noise: this.#parser.discarded > before };
    });
  }

  #queue<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(task);
    this.#tail = result.catch(() => {});
    return result;
  }

  async #attempt(
    id: number,
    frame: Uint8Array,
    accepts: (reply: Reply) => boolean,
    patience = this.#deadline,
  ): Promise<Reply | null> {
    this.#parser.reset();
    const before = this.#parser.discarded;
    let answer: Reply | null = null;
    const answered = this.#listen(id, patience, (reply) => {
      if (reply.id !== id || !accepts(reply)) return 'other';
      answer = reply;
      return 'done';
    });
    this.#asks.made++;
    this.#port.write(frame);
    await answered;
    if (answer === null) this.#asks.missed++;
    if (this.#parser.discarded > before) this.#damaged[id]!++;
    return answer;
  }

  /**
   * Lets late answers pass until none has come for two deadlines. A probe would not do: two servos with one id garble
   * its answer.
   */
  #drain(id: number): Promise<void> {
    return this.#listen(id, 2 * this.#deadline, (reply) => (reply.id === id ? 'more' : 'other'));
  }

  /** Probes a servo until no late answer of it can be outstanding. @returns whether it has answered, so that none is */
  async #clear(id: number): Promise<boolean> {
    const asked: number[] = [];
    for (let attempt = 1; attempt <= PROBES; attempt++) {
      const length = SHORTEST_PROBE + (this.#probes++ % PROBE_LENGTHS);
      asked.push(length);
      const probe = this.#probe(id, length).slice();
      // A late answer to the first probe will do: the second answer cannot pass for the answer to a request.
      const answered = ({ bytes }: Reply): boolean => asked.includes(bytes.length);
      if ((await this.#attempt(id, probe, answered, attempt * this.#deadline)) === null) continue;
      this.#owed[id] = NONE;
      return true;
    }
    return false;
  }

  /**
   * Passes packets to `take` until it says done, or none of its own has come for `patience` (ms).
   * @throws {ServoError} closed
   */
  #listen(id: number, patience: number, take: (reply: Reply) => 'other' | 'more' | 'done'): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        timer.cancel();
        this.#waiting = null;
      };
      let heard = 0;
      let due = 0;
      let excused = false;
      const wait = (time: number): void => {
        due = this.#clock.now() + time;
        timer.start(time);
      };
      const timer = this.#clock.timer((): void => {
        // Answers were late by as much as this thread was: wait for them once.
        const late = this.#clock.now() - due;
        if (late > LATE && !excused) {
          excused = true;
          wait(Math.min(late, patience / 1000));
          return;
        }
        const before = heard;
        const over = (): boolean => this.#waiting !== waiting || heard !== before;
        // Bytes may have arrived while this thread was blocked: process them before calling the servo silent.
        this.#clock.soon(() => {
          if (over()) return;
          this.#parser.flush();
          if (over()) return;
          end();
          resolve();
        });
      });
      wait(patience / 1000);
      const waiting: Waiting = {
        take(reply) {
          const answer = take(reply);
          if (answer === 'other') return false;
          heard++;
          if (answer === 'more') {
            wait(patience / 1000);
          } else {
            end();
            resolve();
          }
          return true;
        },
        fail(reason) {
          end();
          reject(new ServoError('closed', id, reason.message));
        },
      };
      this.#waiting = waiting;
    });
  }
}
