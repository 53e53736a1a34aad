import { type ServoClient, ServoError, type ServoIdentity } from '../servo/client.ts';

/** Turns that a transaction gets before an answer that does not come in time is told. */
const TURNS = 3;

/**
 * A client whose transactions wait for their turn in a control loop: each is carried out in place of one cycle's read, so
 * that the bus is never asked two things at once and goals go on being sent.
 */
export class Aside implements ServoClient {
  /** A transaction is under way: the bus is not to be used. */
  busy = false;
  readonly #client: ServoClient;
  readonly #queue: { run: () => Promise<void>; fail: (reason: Error) => void }[] = [];

  constructor(client: ServoClient) {
    this.#client = client;
  }

  get waiting(): boolean {
    return this.#queue.length > 0;
  }

  /** Carries out the transaction that has waited longest; settles, never rejects. */
  async turn(): Promise<void> {
    const next = this.#queue.shift();
    if (next === undefined) return;
    this.busy = true;
    this.#client.attach();
    await next.run();
    this.busy = false;
  }

  /** The bus is gone: whatever waits fails with this reason. */
  abandon(reason: string): void {
    for (const { fail } of this.#queue.splice(0)) fail(new Error(reason));
  }

  attach(): void {}

  ping(id: number): Promise<ServoIdentity | null> {
    return this.#wait(() => this.#client.ping(id));
  }

  read(id: number, address: number, length: number): Promise<Uint8Array> {
    return this.#wait(() => this.#client.read(id, address, length));
  }

  write(id: number, address: number, bytes: Uint8Array): Promise<void> {
    return this.#wait(() => this.#client.write(id, address, bytes));
  }

  regWrite(id: number, address: number, bytes: Uint8Array): Promise<void> {
    return this.#wait(() => this.#client.regWrite(id, address, bytes));
  }

  action(): void {
    void this.#wait(async () => this.#client.action());
  }

  reboot(id: number): Promise<void> {
    return this.#wait(() => this.#client.reboot(id));
  }

  #wait<T>(transaction: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let turns = 0;
      const task = {
        run: () =>
          transaction().then(resolve, (error: unknown) => {
            turns++;
            if (error instanceof ServoError && error.code === 'timeout' && turns < TURNS) this.#queue.unshift(task);
            else reject(error);
          }),
        fail: reject,
      };
      this.#queue.push(task);
    });
  }
}
