import type { ServoBus } from './servo-bus.ts';
import { type RegisterAccess, type ServoClient, ServoError } from './servo-client.ts';

interface Task {
  /** Of the servo that it is for. */
  readonly id: number;
  readonly run: () => Promise<void>;
  readonly fail: (reason: Error) => void;
}

/**
 * Transactions with single servos that wait for their turn in a control loop: each is carried out in place of one cycle's
 * read, so that the bus is never asked two things at once and goals go on being sent. Neither side takes a late answer to
 * the other for its own.
 */
export class OutOfBand implements RegisterAccess {
  /** A transaction is under way: the bus is not to be used. */
  busy = false;
  readonly #client: ServoClient;
  readonly #bus: ServoBus;
  readonly #turns: number;
  readonly #queue: Task[] = [];

  /**
   * @param client whose deadline is short: goals wait meanwhile
   * @param turns that a transaction gets before an answer that does not come in time is told
   */
  constructor(client: ServoClient, bus: ServoBus, turns: number) {
    this.#client = client;
    this.#bus = bus;
    this.#turns = turns;
  }

  get eepromWrites(): Uint32Array {
    return this.#client.eepromWrites;
  }

  get waiting(): boolean {
    return this.#queue.length > 0;
  }

  /** Carries out the transaction that has waited longest; settles, never rejects. */
  async turn(): Promise<void> {
    const next = this.#queue.shift();
    if (next === undefined) return;
    const { id } = next;
    this.busy = true;
    this.#client.attach(!this.#bus.owes(id));
    await next.run();
    handOver(this.#client, this.#bus, id);
    this.busy = false;
  }

  /** The bus is gone: whatever waits fails with this reason. */
  abandon(reason: string): void {
    for (const { fail } of this.#queue.splice(0)) fail(new Error(reason));
  }

  read(id: number, address: number, length: number): Promise<Uint8Array> {
    return this.#wait(id, () => this.#client.read(id, address, length));
  }

  write(id: number, address: number, bytes: Uint8Array): Promise<void> {
    return this.#wait(id, () => this.#client.write(id, address, bytes));
  }

  #wait<T>(id: number, transaction: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let turns = 0;
      const task: Task = {
        id,
        run: () =>
          transaction().then(resolve, (error: unknown) => {
            turns++;
            if (error instanceof ServoError && error.code === 'timeout' && turns < this.#turns)
              this.#queue.unshift(task);
            else reject(error);
          }),
        fail: reject,
      };
      this.#queue.push(task);
    });
  }
}

/** Tells the bus of the answer to the client that may still come of a servo. */
export function handOver(client: ServoClient, bus: ServoBus, id: number): void {
  const owed = client.owed(id);
  if (owed >= 0) bus.stray(id, owed);
}
