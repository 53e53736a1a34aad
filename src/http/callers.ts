import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Origin } from '../arm/types.ts';
import type { Clock, Timer } from '../clock.ts';
import { pathOf } from './addresses.ts';
import type { Client } from './clients.ts';
import { isDeaf, onConnectionClosed } from './connections.ts';

/** Time that motions and their answers have to end when the server closes, s. */
const FAREWELL = 1;
/** How often it is looked whether the connections of those who wait for motions can still be heard, s. */
const HEARING = 1;

/** What the query of a request says about how it is meant; see `moving` of route.ts. */
export interface Meaning {
  readonly take_over?: boolean | undefined;
  readonly uncalibrated?: boolean | undefined;
}

/** What a request is, for the journal. */
export function originOf({ client, method, id, raw, named }: FastifyRequest): Origin {
  const what = named === '' ? `${method} ${pathOf(raw.url ?? '')}` : named;
  return { who: client!.owner.name, from: client!.from, what, request: id };
}

/** Who asks by HTTP, and how. */
export function asking(request: FastifyRequest, meaning: Meaning): Caller {
  return callerOf(request.client!, originOf(request), meaning);
}

export function callerOf(
  { owner }: Client,
  origin: Origin,
  { take_over = false, uncalibrated = false }: Meaning,
): Caller {
  return { owner, takeOver: take_over, uncalibrated, origin };
}

/** The clients whose requests run at this moment: tells each motion when the one that asked for it has gone. */
export class Callers {
  /** Each with its connection and a promise of the end of its answer. */
  readonly #open = new Map<AbortController, { readonly socket: Socket; readonly answered: Promise<unknown> }>();
  /** Connections that could not be heard when they were looked at last. */
  #deaf: ReadonlySet<Socket> = new Set();
  readonly #clock: Clock;
  readonly #hearing: Pick<Timer, 'cancel'>;

  constructor(clock: Clock, hearing = HEARING) {
    this.#clock = clock;
    this.#hearing = clock.every(hearing, () => this.#listen(), true);
  }

  /** An arm must not go on moving for one who may have gone: a connection that stays deaf beside a motion is ended. */
  #listen(): void {
    const deaf = [...this.#open.values()].map(({ socket }) => socket).filter(isDeaf);
    for (const socket of deaf) if (this.#deaf.has(socket)) socket.destroy();
    this.#deaf = new Set(deaf);
  }

  /**
   * Runs `work` for a client; its signal aborts when the connection closes before the answer, or the server does. Whoever does not
   * ask for the signal has no motion that could outlive its client.
   */
  async run<T>(reply: FastifyReply, meaning: Meaning, work: (caller: Caller) => Promise<T>): Promise<T> {
    let working = true;
    let signal: AbortSignal | undefined;
    const hear = (): AbortSignal => this.#hear(reply, () => working);
    const caller: Caller = {
      ...asking(reply.request, meaning),
      get signal() {
        signal ??= hear();
        return signal;
      },
    };
    try {
      return await work(caller);
    } finally {
      // What closes the connection from here on finds no motion to end.
      working = false;
    }
  }

  /** @returns what aborts when the client of an answer goes while it is worked for */
  #hear(reply: FastifyReply, isWorking: () => boolean): AbortSignal {
    const controller = new AbortController();
    const response = reply.raw;
    const { socket } = reply.request.raw;
    const onClose = () => {
      if (isWorking() && !response.writableFinished) controller.abort(new Error('the client has hung up'));
    };
    // The connection may have closed while the body was read.
    if (socket.destroyed) {
      onClose();
    } else if (isWorking()) {
      const answered = new Promise<void>((resolve) => {
        const over = (): void => {
          onClose();
          takeBack();
          this.#open.delete(controller);
          resolve();
        };
        const takeBack = onConnectionClosed(socket, over);
        response.once('close', over);
      });
      this.#open.set(controller, { socket, answered });
    }
    return controller.signal;
  }

  /** Ends all motions that clients wait for, and gives their answers a moment to leave. */
  async dismiss(): Promise<void> {
    this.#hearing.cancel();
    const answers = [...this.#open.values()].map(({ answered }) => answered);
    for (const controller of this.#open.keys()) controller.abort(new Error('the bridge is shutting down'));
    if (answers.length === 0) return;
    let timer: Timer | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = this.#clock.after(FAREWELL, resolve);
    });
    await Promise.race([Promise.all(answers), limit]);
    timer?.cancel();
  }
}
