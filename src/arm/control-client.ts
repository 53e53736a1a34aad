import type { Worker } from 'node:worker_threads';
import type { EndReason } from '../control/arm-runtime.ts';
import type { Command, CommandResult, FromControl, Sample, ToControl } from '../control/messages.ts';
import { BridgeError } from './types.ts';

/** What the control thread tells about an arm without being asked. */
export interface ControlListener {
  ended(motion: number, reason: EndReason): void;
  state(state: number, reason: string): void;
  /** Something that people should know of its servos. */
  warning(text: string): void;
}

/** The main thread's end of the control thread: commands out, answers and events in. */
export class ControlClient {
  /** Called with what people should know of the control thread. */
  onNotice: (text: string) => void = () => {};
  readonly #worker: Worker;
  readonly #listeners = new Map<number, ControlListener>();
  readonly #waiting = new Map<number, { resolve: (result: CommandResult) => void; reject: (error: Error) => void }>();
  #request = 0;
  #dead: Error | null = null;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('message', (message: FromControl) => this.#take(message));
    worker.on('error', (error) => this.#fail(error));
    worker.on('exit', () => this.#fail(new Error('it has ended')));
  }

  /** Events of the arm at `index` go to `listener`. */
  listen(index: number, listener: ControlListener): void {
    this.#listeners.set(index, listener);
  }

  /** @throws {BridgeError} unsupported with the reason, when the control thread refuses the command */
  command(command: Command): Promise<CommandResult> {
    if (this.#dead !== null) return Promise.reject(this.#dead);
    const request = ++this.#request;
    return new Promise((resolve, reject) => {
      this.#waiting.set(request, { resolve, reject });
      this.#post({ request, command });
    });
  }

  /** Hands over a sample of a stream; the newest wins. */
  sample(sample: Sample): void {
    if (this.#dead === null) this.#post({ sample });
  }

  #post(message: ToControl): void {
    this.#worker.postMessage(message);
  }

  #take(message: FromControl): void {
    switch (message.kind) {
      case 'ended':
        this.#listeners.get(message.arm)?.ended(message.motion, message.reason);
        break;
      case 'state':
        this.#listeners.get(message.arm)?.state(message.state, message.reason);
        break;
      case 'warning':
        this.#listeners.get(message.arm)?.warning(message.text);
        break;
      case 'notice':
        this.onNotice(message.text);
        break;
      default: {
        const waiting = this.#waiting.get(message.request);
        this.#waiting.delete(message.request);
        if (message.kind === 'reply') waiting?.resolve(message.result);
        else waiting?.reject(new BridgeError('unsupported', message.reason));
      }
    }
  }

  #fail(error: Error): void {
    if (this.#dead !== null) return;
    this.#dead = new BridgeError('internal', `The control thread does not run: ${error.message}. Restart the bridge.`);
    for (const { reject } of this.#waiting.values()) reject(this.#dead);
    this.#waiting.clear();
  }
}
