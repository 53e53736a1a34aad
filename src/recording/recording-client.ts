import { BridgeError, type ErrorCode } from '../arm/types.ts';
import {
  type CameraMessage,
  type FromRecording,
  type RecordedEvent,
  type RecordingCommand,
  type RecordingResults,
  type RefusedWhy,
  type ToRecording,
  UnfitError,
} from './messages.ts';

/** Message channel to a recording thread, which starts with the channel. */
export interface RecordingChannel {
  post(message: ToRecording): void;
  onMessage: (message: FromRecording) => void;
  /** Called once, with the reason, when the thread has ended. */
  onExit: (reason: Error) => void;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Questions whose answers take long: one after the other, so that what is recorded meanwhile loses nothing. */
const READS: ReadonlySet<RecordingCommand['kind']> = new Set(['list', 'facts', 'samples', 'foresee']);
/** Code of each refusal. */
const CODES: Readonly<Record<Exclude<RefusedWhy, 'unfit'>, ErrorCode>> = {
  request: 'bad_request',
  unknown: 'unknown_recording',
  internal: 'internal',
};
/** Most of them that wait. */
const MOST_READS = 64;

/** The main thread's side of the recording thread, which starts on demand. */
export class RecordingClient {
  /** Called with messages for the user. */
  onNotice: (text: string) => void = () => {};
  /** Called with the name of a recording that has ended early, and why. */
  onEnded: (recording: string, problem: string) => void = () => {};
  /** Called with the warning about the room that is left, when it changes; empty while there is enough. */
  onRoom: (warning: string) => void = () => {};
  /** Called when a recording has written so many bytes of camera messages since the last time. */
  onSeen: (recording: string, bytes: number) => void = () => {};
  /** Called when the thread has failed, which ends its recordings. */
  onFailure: (reason: Error) => void = () => {};
  readonly #launch: () => RecordingChannel;
  readonly #waiting = new Map<number, Waiting>();
  #channel: RecordingChannel | null = null;
  #request = 0;
  /** Ends when the reads asked for so far have been answered, and their number. */
  #read: Promise<void> = Promise.resolve();
  #reads = 0;
  /** The bridge is shutting down: the thread is to end, and no new one starts. */
  #closed = false;

  constructor(launch: () => RecordingChannel) {
    this.#launch = launch;
  }

  /** Whether the thread is running. */
  get running(): boolean {
    return this.#channel !== null;
  }

  /**
   * @throws {BridgeError} bad_request, unknown_recording, or internal for an unexpected error
   * @throws {UnfitError} saying what is wrong with a file
   */
  command<C extends RecordingCommand>(command: C): Promise<RecordingResults[C['kind']]> {
    if (!READS.has(command.kind)) return this.#carryOut(command);
    if (this.#reads === MOST_READS) {
      const text = `${MOST_READS} other questions about recordings wait for their answers: ask again in a moment.`;
      return Promise.reject(new BridgeError('unavailable', text));
    }
    this.#reads++;
    const answer = this.#read.then(() => this.#carryOut(command));
    const done = (): void => void this.#reads--;
    this.#read = answer.then(done, done);
    return answer;
  }

  #carryOut<C extends RecordingCommand>(command: C): Promise<RecordingResults[C['kind']]> {
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

  /** Sends an event or camera message of a running recording. */
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
    if (message.kind === 'ended') {
      this.onEnded(message.recording, message.problem);
      return;
    }
    if (message.kind === 'seen') {
      this.onSeen(message.recording, message.bytes);
      return;
    }
    if (message.kind === 'room') {
      this.onRoom(message.warning);
      return;
    }
    const waiting = this.#waiting.get(message.request);
    this.#waiting.delete(message.request);
    if (message.kind === 'reply') waiting?.resolve(message.result);
    else if (message.why === 'unfit') waiting?.reject(new UnfitError(message.text));
    else waiting?.reject(new BridgeError(CODES[message.why], message.text));
  }

  #ended(channel: RecordingChannel, reason: Error): void {
    if (this.#channel !== channel) return;
    this.#channel = null;
    const error = new BridgeError('unavailable', `The thread that records has failed: ${reason.message}. Try again.`);
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    // A thread that was told to end may exit before its last answer is read.
    if (!this.#closed) this.onFailure(reason);
  }

  /** Completes running recordings and ends the thread. */
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
