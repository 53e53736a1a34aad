import type { ServoBus } from './servo-bus.ts';
import { type RegisterAccess, type ServoClient, ServoError } from './servo-client.ts';

interface Task {
  /** Id of its servo. */
  readonly id: number;
  readonly run: () => Promise<void>;
  readonly fail: (reason: Error) => void;
}

/**
 * Transactions with single servos that wait for their turn in a control loop. Each takes the place of one cycle's read,
 * so that the bus carries one request at a time and goals are still sent. Neither side takes a late answer to the other
 * for its own.
 */
export class OutOfBand implements RegisterAccess {
  /** A transaction is running: the bus must not be used. */
  busy = false;
  readonly #client: ServoClient;
  readonly #bus: ServoBus;
  readonly #turns: number;
  readonly #queue: Task[] = [];

  /**
   * @param client one with a short deadline, because goals wait meanwhile
   * @param turns attempts of a transaction before its timeout is reported
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

  /** Runs the transaction that has waited longest; never rejects. */
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

  /** The bus is gone: fails all waiting transactions with this reason. */
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

/** Tells the bus about an answer to the client that may still come from a servo. */
export function handOver(client: ServoClient, bus: ServoBus, id: number): void {
  const owed = client.owed(id);
  if (owed >= 0) bus.stray(id, owed);
}
