import type { Hello, Jog, ServerMessage } from './protocol.ts';

/** Frames of the arms per second: as fast as they can be told apart, and half of what a display shows. */
const RATE = 30;
/** Without a frame for so long the connection counts as lost, ms: nothing shown is true any more. */
const MOST_SILENCE = 1500;
/** Time before the next attempt, ms: at first, and at most. */
const FIRST_WAIT = 250;
const LONGEST_WAIT = 2000;

/**
 * `connecting`: not yet. `live`: frames come. `lost`: they came and come no more. `denied`: the bridge wants a token, or
 * another one.
 */
export type Connection = 'connecting' | 'live' | 'lost' | 'denied';

export interface LiveEvents {
  readonly connection: (state: Connection) => void;
  readonly message: (message: ServerMessage) => void;
}

/** The live stream of the bridge: connects, watches over it, and connects again. */
export class Live {
  readonly #events: LiveEvents;
  #socket: WebSocket | null = null;
  #state: Connection = 'connecting';
  #wait = FIRST_WAIT;
  #silence = 0;
  #retry = 0;
  hello: Hello | null = null;

  constructor(events: LiveEvents) {
    this.#events = events;
  }

  get state(): Connection {
    return this.#state;
  }

  /** Connects at once, whatever it was waiting for. */
  connect(): void {
    clearTimeout(this.#retry);
    this.#drop();
    const url = new URL('/api/v1/live', location.href);
    url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(url);
    this.#socket = socket;
    this.#listenFor(MOST_SILENCE * 2);
    socket.onopen = () => socket.send(JSON.stringify({ type: 'subscribe', rate: RATE }));
    socket.onmessage = ({ data }) => this.#take(JSON.parse(String(data)) as ServerMessage);
    socket.onclose = () => this.#lose();
  }

  /** Sends a speed of an arm. @returns false when there is no connection that could carry it. */
  jog(arm: number, jog: Jog): boolean {
    if (this.#state !== 'live' || this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify({ type: 'jog', arm, ...jog }));
    return true;
  }

  #take(message: ServerMessage): void {
    this.#listenFor(MOST_SILENCE);
    this.#wait = FIRST_WAIT;
    if (message.type === 'hello') this.hello = message;
    this.#events.message(message);
    if (message.type === 'hello') this.#become('live');
  }

  #listenFor(time: number): void {
    clearTimeout(this.#silence);
    this.#silence = window.setTimeout(() => this.#lose(), time);
  }

  #drop(): void {
    clearTimeout(this.#silence);
    const socket = this.#socket;
    this.#socket = null;
    if (socket === null) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  #lose(): void {
    this.#drop();
    if (this.#state === 'live') this.#become('lost');
    void this.#askWhy();
    this.#retry = window.setTimeout(() => this.connect(), this.#wait);
    this.#wait = Math.min(2 * this.#wait, LONGEST_WAIT);
  }

  /** A browser does not say why a WebSocket is refused; another route does. */
  async #askWhy(): Promise<void> {
    try {
      const { status } = await fetch('/status', { cache: 'no-store', signal: AbortSignal.timeout(1000) });
      if (status === 401) this.#become('denied');
    } catch {
      // There is nobody: lost, or not yet there.
    }
  }

  #become(state: Connection): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#events.connection(state);
  }
}
