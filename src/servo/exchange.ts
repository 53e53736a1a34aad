import { ServoError } from './client.ts';
import type { BytePort, PortError } from './port/port.ts';
import type { ReplyParser, StatusHandler } from './reply.ts';

/** Time for one answer, ms: two turns of a USB adapter's 16 ms timer, and some. */
export const DEFAULT_DEADLINE = 40;

export interface ClientOptions {
  /** How long an answer may take, ms. Every request that is not answered is sent a second time. */
  readonly deadline?: number;
}

/** A status packet, kept. */
export interface Reply {
  readonly id: number;
  readonly error: number;
  readonly bytes: Uint8Array;
}

interface Waiting {
  take(reply: Reply): void;
  fail(reason: PortError): void;
}

type Outcome = Reply | 'timeout' | 'corrupt';

/**
 * One request and its answer at a time over a port that several callers share. A reply that comes after its deadline
 * cannot be told from the answer to the next request of the same kind; therefore a request that follows one with missing
 * answers, to the same servo, first waits for those.
 */
export class Exchange {
  readonly #port: BytePort;
  readonly #parser: ReplyParser;
  readonly #deadline: number;
  #tail: Promise<unknown> = Promise.resolve();
  #waiting: Waiting | null = null;
  #owedBy = -1;
  #owed = 0;

  constructor(port: BytePort, makeParser: (handler: StatusHandler) => ReplyParser, options: ClientOptions = {}) {
    this.#port = port;
    this.#deadline = options.deadline ?? DEFAULT_DEADLINE;
    this.#parser = makeParser((id, error, bytes, from, length) => {
      this.#waiting?.take({ id, error, bytes: bytes.slice(from, from + length) });
    });
    const onClose = port.onClose;
    port.onClose = (reason) => {
      this.#waiting?.fail(reason);
      onClose(reason);
    };
    this.attach();
  }

  /** Takes the port's bytes (again), after somebody else has used the port. */
  attach(): void {
    this.#port.onBytes = (chunk) => this.#parser.push(chunk);
  }

  /** Sends a frame that nobody answers, after what is under way. */
  send(frame: Uint8Array): void {
    const bytes = frame.slice();
    void this.#queue(async () => this.#port.write(bytes));
  }

  /**
   * Sends a frame and waits for the answer of servo `id`, twice if need be.
   * @param what the request in words, for messages: "the read of 2 bytes at register address 56"
   * @param accepts whether a packet of this servo can be the answer
   * @throws {ServoError} timeout, corrupt or closed
   */
  async ask(id: number, frame: Uint8Array, what: string, accepts: (reply: Reply) => boolean): Promise<Reply> {
    const outcome = await this.tryAsk(id, frame, accepts);
    if (outcome === 'timeout') {
      throw new ServoError(
        'timeout',
        id,
        `servo ${id} did not answer ${what} within ${this.#deadline} ms, twice: ` +
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

  /** As `ask`, with a failure as a value. @throws {ServoError} closed */
  tryAsk(id: number, frame: Uint8Array, accepts: (reply: Reply) => boolean): Promise<Outcome> {
    const bytes = frame.slice();
    return this.#queue(async () => {
      if (this.#owedBy === id && this.#owed > 0) await this.#drain(id);
      this.#parser.reset();
      const before = this.#parser.discarded;
      let reply = await this.#attempt(id, bytes, accepts);
      if (!reply) {
        reply = await this.#attempt(id, bytes, accepts);
        this.#owedBy = id;
        this.#owed = reply ? 1 : 2;
      }
      if (reply) return reply;
      return this.#parser.discarded > before ? 'corrupt' : 'timeout';
    });
  }

  /**
   * Sends a frame that several servos answer, once, and gives the answers that come within the deadline of the last one,
   * in their order of arrival.
   * @param id the one that the frame is sent to, for messages
   * @param count answers after which there is nothing more to wait for
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

  #queue<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(task);
    this.#tail = result.catch(() => {});
    return result;
  }

  async #attempt(id: number, frame: Uint8Array, accepts: (reply: Reply) => boolean): Promise<Reply | null> {
    this.#parser.reset();
    let answer: Reply | null = null;
    const answered = this.#listen(id, this.#deadline, (reply) => {
      if (reply.id !== id || !accepts(reply)) return 'other';
      answer = reply;
      return 'done';
    });
    this.#port.write(frame);
    await answered;
    return answer;
  }

  /** Lets the late answers of a servo pass; the one to a repeated request may be a deadline behind the first. */
  async #drain(id: number): Promise<void> {
    await this.#listen(id, 2 * this.#deadline, (reply) => {
      if (reply.id !== id) return 'other';
      this.#owed--;
      return this.#owed === 0 ? 'done' : 'more';
    });
    this.#owed = 0;
  }

  /**
   * Shows packets to `take` until it is done, or has seen none of its own for `patience` (ms).
   * @throws {ServoError} closed
   */
  #listen(id: number, patience: number, take: (reply: Reply) => 'other' | 'more' | 'done'): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#waiting = null;
      };
      const expired = (): void => {
        const due = timer;
        const over = (): boolean => this.#waiting !== waiting || timer !== due;
        // Bytes may have come while this thread was held up: they are looked at before the servo is called silent.
        setImmediate(() => {
          if (over()) return;
          this.#parser.flush();
          if (over()) return;
          end();
          resolve();
        });
      };
      let timer = setTimeout(expired, patience);
      const waiting: Waiting = {
        take(reply) {
          const answer = take(reply);
          if (answer === 'other') return;
          clearTimeout(timer);
          if (answer === 'more') {
            timer = setTimeout(expired, patience);
            return;
          }
          end();
          resolve();
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
