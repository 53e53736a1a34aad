import type { Logger } from 'pino';
import type { Origin } from '../arm/types.ts';
import type { Clock } from '../clock.ts';
import { ConfigError } from '../config/load.ts';
import { MOST_SESSIONS } from '../http/guard.ts';
import type { FromStop, StopArm, StopChannel, StopSetup, ToStop } from './messages.ts';

/** Delay before a failed thread is restarted, s. */
const PAUSE = 0.5;

/** The main thread's side of the stop thread. Restarts the thread when it fails. */
export class StopListener {
  /** Port on which it listens; null while it does not. */
  port: number | null = null;
  /** Called with the indices of the stopped arms, the reason with its requester, and the time (monotonic, s). */
  onStopped: (arms: readonly number[], by: string, at: number, origin: Origin) => void = () => {};
  readonly #launch: (setup: StopSetup) => StopChannel;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #setup: StopSetup;
  #channel: StopChannel;
  #open = true;
  /** It has listened before, so its port is worth retrying. */
  #listened = false;
  /** The failure has been logged. */
  #told = false;
  /** Sessions of signed-in pages, for a restarted thread. */
  readonly #sessions = new Map<string, Extract<ToStop, { key: string }>>();
  #started: (problem: string | null) => void = () => {};

  constructor(launch: (setup: StopSetup) => StopChannel, setup: StopSetup, clock: Clock, logger: Logger) {
    this.#launch = launch;
    this.#setup = setup;
    this.#clock = clock;
    this.#logger = logger;
    this.#channel = this.#start();
  }

  /** Resolves when it listens. @throws {ConfigError} if it cannot listen on its port */
  async listening(): Promise<void> {
    if (this.port !== null) return;
    const problem = await new Promise<string | null>((resolve) => {
      this.#started = resolve;
    });
    if (problem === null) return;
    const { host, port } = this.#setup;
    throw new ConfigError(
      `http.stop_port: ${host} port ${port} cannot be listened on (${problem}). Choose another one, or 0 for a free one.`,
    );
  }

  /** Adds an arm that stops reach. */
  add(arm: StopArm): void {
    this.#setup = { ...this.#setup, arms: [...this.#setup.arms, arm] };
    this.#channel.post({ arm });
  }

  /** A page has signed in or out. */
  session(message: Extract<ToStop, { key: string }>): void {
    this.#sessions.delete(message.key);
    if (message.session !== null) this.#sessions.set(message.key, message);
    while (this.#sessions.size > MOST_SESSIONS) this.#sessions.delete(this.#sessions.keys().next().value!);
    this.#channel.post(message);
  }

  close(): void {
    this.#open = false;
    this.#channel.close();
  }

  #start(): StopChannel {
    const channel = this.#launch(this.#setup);
    channel.onMessage = (message) => this.#take(message);
    channel.onExit = (reason) => this.#ended(reason);
    for (const session of this.#sessions.values()) channel.post(session);
    return channel;
  }

  #take(message: FromStop): void {
    switch (message.kind) {
      case 'stopped':
        this.onStopped(message.arms, message.by, message.at, message.origin);
        break;
      case 'trouble':
        this.#logger.error(message.text);
        break;
      case 'listening':
        this.port = message.port;
        this.#listened = true;
        this.#told = false;
        // A restarted thread uses the same port, because pages know it.
        this.#setup = { ...this.#setup, port: message.port };
        this.#started(null);
        break;
      case 'failed':
        this.#started(message.code);
        // Another program has taken the port meanwhile, and may release it: end the thread, so that it is restarted.
        if (this.#listened) this.#channel.close();
        break;
    }
  }

  #ended(reason: Error): void {
    this.port = null;
    if (!this.#open) return;
    if (!this.#told) {
      this.#logger.error(
        { err: reason },
        `the stop thread has ended, and is started again until it can listen on port ${this.#setup.port}; ` +
          'meanwhile stops are heard by the main port',
      );
    }
    this.#told = true;
    this.#started(reason.message);
    this.#clock.after(
      PAUSE,
      () => {
        if (this.#open) this.#channel = this.#start();
      },
      true,
    );
  }
}
