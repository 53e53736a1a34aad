import type { Clock, Timer } from '../clock.ts';
import { messageOf } from '../message-of.ts';
import type { RclAddon } from './rclnodejs.ts';

/** How long a client that is not known yet is waited for, s: a graph of fifty nodes takes several to know them all. */
const PATIENCE = 10;
/** Between two tries, s. Each keeps this thread for up to 0.1 s, in which Fast DDS waits for the client. */
const INTERVAL = 0.5;
/** So many responses wait at most. */
const WAITING = 8;

/** What Fast DDS says of a client whose request has come before what tells how to answer it. */
const UNKNOWN_CLIENT = /client will not receive response/;

export type ResponseSender = Pick<Responses, 'send' | 'handleGoalRequest'>;

/**
 * Sends responses to clients. On a busy graph a request can arrive before Fast DDS knows how its client is answered; rcl
 * then drops the response, and the client waits for ever. Here it is sent again, until the client is known.
 */
export class Responses {
  readonly #addon: RclAddon;
  readonly #onError: (error: unknown) => void;
  readonly #clock: Clock;
  readonly #timer: Timer;
  readonly #waiting: { readonly send: () => void; readonly until: number }[] = [];

  /** @param onError called with what the last try throws, and when too many wait already */
  constructor(addon: RclAddon, clock: Clock, onError: (error: unknown) => void) {
    this.#addon = addon;
    this.#clock = clock;
    this.#onError = onError;
    this.#timer = clock.timer(() => this.#retry(), true);
  }

  /**
   * @param send sends the response; throws if it cannot
   * @throws what `send` throws, unless its client is not known
   */
  send(send: () => void): void {
    try {
      send();
    } catch (error) {
      if (!UNKNOWN_CLIENT.test(messageOf(error))) throw error;
      if (this.#waiting.length >= WAITING) {
        this.#onError(error);
        return;
      }
      if (this.#waiting.length === 0) this.#timer.start(INTERVAL);
      this.#waiting.push({ send, until: this.#clock.now() + PATIENCE });
    }
  }

  /**
   * Has rclnodejs handle the request for a goal. It starts an accepted one after its response, and not at all if that
   * throws; the response is made in the midst of its work, of bytes that refer to no other memory.
   */
  handleGoalRequest(work: () => void): void {
    const addon = this.#addon;
    const send = addon.actionSendGoalResponse;
    addon.actionSendGoalResponse = (...parts) => this.send(() => send(...parts));
    try {
      work();
    } finally {
      addon.actionSendGoalResponse = send;
    }
  }

  #retry(): void {
    const response = this.#waiting.shift()!;
    try {
      response.send();
    } catch (error) {
      const again = UNKNOWN_CLIENT.test(messageOf(error)) && this.#clock.now() < response.until;
      if (again) this.#waiting.push(response);
      else this.#onError(error);
    }
    if (this.#waiting.length > 0) this.#timer.start(INTERVAL);
  }

  close(): void {
    this.#timer.cancel();
    this.#waiting.length = 0;
  }
}
