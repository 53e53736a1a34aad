import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Origin } from '../arm/types.ts';
import type { Clock, Timer } from '../clock.ts';
import { copyOf, pathOf } from './addresses.ts';
import type { Client } from './clients.ts';
import { isDeaf, onConnectionClosed } from './connections.ts';

/** When the server closes, motions and their answers get this long to end, s. */
const FAREWELL = 1;
/** Interval at which connections with a running motion are checked for deafness, s. */
const HEARING = 1;

/** Motion options in the query of a request; see `moving` of route.ts. */
export interface Meaning {
  readonly take_over?: boolean | undefined;
  readonly uncalibrated?: boolean | undefined;
}

/**
 * Origin of a request, for the journal, which keeps it longer than the request. It is the same object for each call,
 * because the journal tells requests apart by it.
 */
export function originOf(request: FastifyRequest): Origin {
  request.origin ??= makeOrigin(request);
  return request.origin;
}

function makeOrigin({ client, method, id, raw, named }: FastifyRequest): Origin {
  const what = named === '' ? `${method} ${copyOf(pathOf(raw.url ?? ''))}` : named;
  return { who: client!.owner.name, from: client!.from, what, request: id };
}

/** Caller of a request. */
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

/** Clients with a running request. Aborts a motion when its client disconnects. */
export class Callers {
  /** Each with its connection, and a promise that resolves when its answer ends. */
  readonly #open = new Map<AbortController, { readonly socket: Socket; readonly answered: Promise<unknown> }>();
  /** Connections that were deaf at the last check. */
  #deaf: ReadonlySet<Socket> = new Set();
  readonly #clock: Clock;
  readonly #hearing: Pick<Timer, 'cancel'>;

  constructor(clock: Clock, hearing = HEARING) {
    this.#clock = clock;
    this.#hearing = clock.every(hearing, () => this.#listen(), true);
  }

  /**
   * Ends a connection that stays deaf during a motion: its disconnect could not be detected, and the arm would move on.
   */
  #listen(): void {
    const deaf = [...this.#open.values()].map(({ socket }) => socket).filter(isDeaf);
    for (const socket of deaf) if (this.#deaf.has(socket)) socket.destroy();
    this.#deaf = new Set(deaf);
  }

  /**
   * Runs `work` for a client. The caller's signal aborts when the connection closes before the answer, or when the
   * server closes. The signal is created on first use: work that never reads it has no motion to end.
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
      // From here on, a closed connection has no motion to end.
      working = false;
    }
  }

  /** @returns a signal that aborts when the client disconnects while its request is worked on */
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

  /** Ends all motions that clients wait for, and gives their answers a moment to be sent. */
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
