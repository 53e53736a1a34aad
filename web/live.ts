import { BridgeError } from '../clients/typescript/src/errors.ts';
import { liveFrames } from '../clients/typescript/src/live.ts';
import { bridge } from './bridge.ts';
import type { Hello, Jog, ServerMessage } from './protocol.ts';

/** Frames of the arms per second: as fast as they can be told apart, and half of what a display shows. */
const RATE = 30;
/** Without a frame for so long the connection counts as lost, ms: nothing shown is true any more. */
const SILENCE = 1500;
/** Time before it is asked again after a refusal, or where nobody has answered yet, ms. */
const PAUSE = 1000;

/**
 * `connecting`: not yet. `live`: frames come. `lost`: they came and come no more. `denied`: the bridge wants a token, or
 * another one.
 */
export type Connection = 'connecting' | 'live' | 'lost' | 'denied';

export interface LiveEvents {
  readonly connection: (state: Connection) => void;
  readonly message: (message: ServerMessage) => void;
}

/** The live stream of the bridge as the client of this repository watches over it, on a WebSocket, which carries jogging too. */
export class Live {
  readonly #events: LiveEvents;
  #socket: WebSocket | null = null;
  #state: Connection = 'connecting';
  #ending = new AbortController();
  hello: Hello | null = null;

  constructor(events: LiveEvents) {
    this.#events = events;
  }

  get state(): Connection {
    return this.#state;
  }

  /** Connects at once, whatever it was waiting for. */
  connect(): void {
    this.#ending.abort();
    this.#ending = new AbortController();
    void this.#follow(this.#ending.signal);
  }

  /** Sends a speed of an arm. @returns false when there is no connection that could carry it. */
  jog(arm: number, jog: Jog): boolean {
    if (this.#state !== 'live' || this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify({ type: 'jog', arm, ...jog }));
    return true;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const onConnection = (connected: boolean): void => {
      if (!connected && !signal.aborted) this.#become('lost');
    };
    while (!signal.aborted) {
      try {
        const open = (ending: AbortSignal) => this.#open(ending);
        for await (const message of liveFrames<ServerMessage>(open, { signal, onConnection, silence: SILENCE })) {
          if (message.type === 'hello') this.hello = message;
          this.#events.message(message);
          if (message.type === 'hello') this.#become('live');
        }
      } catch (error) {
        if (!(error instanceof BridgeError)) reportError(error);
        else if (error.status === 401) this.#become('denied');
        await new Promise((resolve) => setTimeout(resolve, PAUSE));
      }
    }
  }

  /** Opens a WebSocket. @throws {BridgeError} why there is none: a browser does not say that, another route does */
  async #open(signal: AbortSignal): Promise<AsyncIterable<string>> {
    const url = new URL('/api/v1/live', location.href);
    url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(url);
    const texts = textsOf(socket, signal);
    const opened = await new Promise<boolean>((resolve) => {
      socket.addEventListener('open', () => resolve(true));
      socket.addEventListener('close', () => resolve(false));
    });
    if (!opened) {
      await bridge.call('get', '/status', { signal });
      throw bridge.unreachable();
    }
    socket.send(JSON.stringify({ type: 'subscribe', rate: RATE }));
    this.#socket = socket;
    return texts;
  }

  #become(state: Connection): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#events.connection(state);
  }
}

/** What a socket says, until it is closed, or a signal closes it. */
function textsOf(socket: WebSocket, signal: AbortSignal): AsyncIterable<string> {
  const waiting: string[] = [];
  let closed = false;
  let wake = (): void => {};
  const close = (): void => {
    closed = true;
    socket.close();
    wake();
  };
  socket.addEventListener('message', ({ data }) => {
    waiting.push(String(data));
    wake();
  });
  socket.addEventListener('close', close);
  signal.addEventListener('abort', close, { once: true });
  return {
    async *[Symbol.asyncIterator]() {
      while (!closed) {
        yield* waiting.splice(0);
        if (waiting.length > 0 || closed) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
