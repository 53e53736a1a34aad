import type { Clock } from '../clock.ts';
import type { Ailment } from '../rt/driver/arm-link.ts';
import type { EndReason } from '../rt/joint/motions.ts';
import type { Command, CommandResult, FromControl, Sample, ToControl } from '../rt/messages.ts';
import { StateCode } from '../rt/snapshot/arm-fields.ts';
import type { SharedState } from '../rt/snapshot/shared-snapshot.ts';
import { BridgeError } from './types.ts';

/** A failed control thread is restarted at most this many times within the window below, s. */
const MOST_RESTARTS = 3;
const RESTART_WINDOW = 60;

/** Messages to and from a control thread, which starts when the channel is created. */
export interface ControlChannel {
  post(message: ToControl): void;
  onMessage: (message: FromControl) => void;
  /** Called once, with the reason, when the thread has ended. */
  onExit: (reason: Error) => void;
}

/** Unsolicited reports of the control thread about one arm. */
export interface ControlListener {
  ended(motion: number, reason: EndReason, text: string): void;
  /** The control thread began this epoch by itself because the main thread did not run: earlier requests are void. */
  abandoned(epoch: number, driven: boolean): void;
  state(state: number, reason: string): void;
  /** A warning about the arm's servos. */
  warning(text: string): void;
  /** The servo of this joint can no longer carry its load: the arm must be lowered. */
  ailing(joint: number, text: string, ailment: Ailment): void;
}

/** The main thread's end of the control thread: commands out, replies and events in. */
export class ControlClient {
  /** Called with notices about the control thread. */
  onNotice: (text: string) => void = () => {};
  /** Called when the control thread has failed; it is restarted afterwards. */
  onFailure: (error: Error) => void = () => {};
  /** Called when it has failed too often to be restarted again. */
  onGone: () => void = () => {};
  readonly #launch: () => ControlChannel;
  readonly #shared: SharedState;
  readonly #clock: Clock;
  #channel: ControlChannel;
  #closing = false;
  /** Times of recent restarts, s. */
  #restarts: number[] = [];
  readonly #listeners = new Map<number, ControlListener>();
  readonly #waiting = new Map<number, { resolve: (result: CommandResult) => void; reject: (error: Error) => void }>();
  #request = 0;
  #dead: Error | null = null;

  /**
   * @param launch starts the control thread, each time with new links to the buses
   * @param shared memory to which the thread publishes
   */
  constructor(launch: () => ControlChannel, shared: SharedState, clock: Clock) {
    this.#launch = launch;
    this.#shared = shared;
    this.#clock = clock;
    this.#channel = this.#start();
  }

  #start(): ControlChannel {
    const channel = this.#launch();
    channel.onMessage = (message) => this.#take(message);
    channel.onExit = (reason) => this.#ended(reason);
    return channel;
  }

  /**
   * The control thread has ended. Unless it was closed on purpose, servos hold their last goals, owners lose their
   * arms, and a new thread takes over the arms as it finds them.
   */
  #ended(error: Error): void {
    this.#fail(error);
    if (this.#closing) return;
    this.#shared.orphan();
    const reason = `the control thread has failed (${error.message}); its servos hold`;
    for (const listener of this.#listeners.values()) listener.state(StateCode.disconnected, reason);
    const now = this.#clock.now();
    this.#restarts = this.#restarts.filter((time) => now - time < RESTART_WINDOW);
    this.onFailure(error);
    if (this.#restarts.length >= MOST_RESTARTS) {
      this.onGone();
      return;
    }
    this.#restarts.push(now);
    this.#dead = null;
    this.#channel = this.#start();
  }

  /** Sends events of the arm at `index` to `listener`. */
  listen(index: number, listener: ControlListener): void {
    this.#listeners.set(index, listener);
  }

  /** @throws {BridgeError} unsupported, with the reason, when the control thread refuses the command */
  command(command: Command): Promise<CommandResult> {
    if (this.#dead !== null) return Promise.reject(this.#dead);
    if (command.kind === 'close') this.#closing = true;
    const request = ++this.#request;
    // A command shows that this thread runs, even before its next beat.
    this.#shared.beat();
    return new Promise((resolve, reject) => {
      this.#waiting.set(request, { resolve, reject });
      this.#channel.post({ request, command });
    });
  }

  /** Sends a sample of a stream; the newest wins. */
  sample(sample: Sample): void {
    if (this.#dead === null) this.#channel.post({ sample });
  }

  #take(message: FromControl): void {
    switch (message.kind) {
      case 'ended':
        this.#listeners.get(message.arm)?.ended(message.motion, message.reason, message.text);
        break;
      case 'abandoned':
        this.#listeners.get(message.arm)?.abandoned(message.epoch, message.driven);
        break;
      case 'state':
        this.#listeners.get(message.arm)?.state(message.state, message.reason);
        break;
      case 'warning':
        this.#listeners.get(message.arm)?.warning(message.text);
        break;
      case 'ailing':
        this.#listeners.get(message.arm)?.ailing(message.joint, message.text, message.ailment);
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
    this.#dead = new BridgeError(
      'unavailable',
      `The control thread does not run: ${error.message}. Restart the bridge.`,
    );
    for (const { reject } of this.#waiting.values()) reject(this.#dead);
    this.#waiting.clear();
  }
}
