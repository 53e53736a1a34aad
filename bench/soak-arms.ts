import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { SoakArmOptions, SoakArmOrder, SoakArmReport } from './soak-arm.ts';

/** An emulated arm in a process of its own, which nothing that loads this one delays. */
export class SoakArm {
  readonly #process: ChildProcess;
  readonly #gone: Promise<never>;
  /** Orders are carried out one after another. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(options: SoakArmOptions) {
    this.#process = fork(fileURLToPath(new URL('soak-arm.js', import.meta.url)), [JSON.stringify(options)]);
    this.#gone = once(this.#process, 'exit').then(() => {
      throw new Error(`the emulated arm at ${options.link} has ended`);
    });
    this.#gone.catch(() => {});
  }

  /** @throws {Error} when it cannot be served */
  static async start(model: string, link: string): Promise<SoakArm> {
    const arm = new SoakArm({ model, link });
    await arm.#report();
    return arm;
  }

  /** @returns what its servos were sent since the last call @throws {Error} when it has ended */
  tell(order: SoakArmOrder): Promise<SoakArmReport> {
    const report = this.#last.then(() => {
      this.#process.send(order);
      return this.#report();
    });
    this.#last = report.catch(() => {});
    return report;
  }

  async end(): Promise<void> {
    this.#process.disconnect();
    await this.#gone.catch(() => {});
  }

  async #report(): Promise<SoakArmReport> {
    const [report] = (await Promise.race([once(this.#process, 'message'), this.#gone])) as [SoakArmReport];
    return report;
  }
}
