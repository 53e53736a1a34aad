import { BridgeError } from '../arm/types.ts';
import {
  type CameraMessage,
  type FromRecording,
  type RecordedEvent,
  type RecordingCommand,
  type RecordingResults,
  type ToRecording,
  UnfitError,
} from './messages.ts';

/** Messages to and from a recording thread, which begins when this is made. */
export interface RecordingChannel {
  post(message: ToRecording): void;
  onMessage: (message: FromRecording) => void;
  /** Called once, when the thread has ended, with the reason. */
  onExit: (reason: Error) => void;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The main thread's end of the recording thread, which is started when it is wanted. */
export class RecordingClient {
  /** Called with what people should know. */
  onNotice: (text: string) => void = () => {};
  /** Called when the thread has failed: what it was recording ends. */
  onFailure: (reason: Error) => void = () => {};
  readonly #launch: () => RecordingChannel;
  readonly #waiting = new Map<number, Waiting>();
  #channel: RecordingChannel | null = null;
  #request = 0;
  /** The bridge ends: the thread is to end too, and none is started. */
  #closed = false;

  constructor(launch: () => RecordingChannel) {
    this.#launch = launch;
  }

  /** Whether the thread runs. */
  get running(): boolean {
    return this.#channel !== null;
  }

  /**
   * @throws {BridgeError} bad_request, or internal for what nobody expected
   * @throws {UnfitError} saying what is wrong with a file
   */
  command<C extends RecordingCommand>(command: C): Promise<RecordingResults[C['kind']]> {
    if (this.#closed) return Promise.reject(new BridgeError('unavailable', 'The bridge is ending.'));
    this.#channel ??= this.#start();
    return this.#ask(this.#channel, command);
  }

  #ask<C extends RecordingCommand>(channel: RecordingChannel, command: C): Promise<RecordingResults[C['kind']]> {
    const request = ++this.#request;
    return new Promise((resolve, reject) => {
      this.#waiting.set(request, { resolve: (result) => resolve(result as RecordingResults[C['kind']]), reject });
      channel.post({ request, command });
    });
  }

  /** Tells what has happened while something is recorded. */
  tell(event: RecordedEvent | CameraMessage): void {
    this.#channel?.post({ event });
  }

  #start(): RecordingChannel {
    const channel = this.#launch();
    channel.onMessage = (message) => this.#take(message);
    channel.onExit = (reason) => this.#ended(channel, reason);
    return channel;
  }

  #take(message: FromRecording): void {
    if (message.kind === 'notice') {
      this.onNotice(message.text);
      return;
    }
    const waiting = this.#waiting.get(message.request);
    this.#waiting.delete(message.request);
    if (message.kind === 'reply') waiting?.resolve(message.result);
    else if (message.why === 'unfit') waiting?.reject(new UnfitError(message.text));
    else waiting?.reject(new BridgeError(message.why === 'request' ? 'bad_request' : 'internal', message.text));
  }

  #ended(channel: RecordingChannel, reason: Error): void {
    if (this.#channel !== channel) return;
    this.#channel = null;
    const error = new BridgeError('unavailable', `The thread that records has failed: ${reason.message}. Try again.`);
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    // A thread that has been told to end may be gone before anybody has read its last answer.
    if (!this.#closed) this.onFailure(reason);
  }

  /** Completes what is being recorded, and ends the thread. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#channel === null) return;
    try {
      await this.#ask(this.#channel, { kind: 'shutdown' });
    } catch (error) {
      this.onNotice(`what was being recorded is completed at the next start: ${String(error)}`);
    }
    this.#channel = null;
  }
}
