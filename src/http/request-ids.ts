import type { Clock } from '../clock.ts';

/** Header with the id of a request, in requests and responses. */
export const REQUEST_HEADER = 'x-request-id';
const REQUEST_ID = /^[\w.:-]{1,64}$/;

/** Request ids for responses, the log and the journal. A valid id from the client is kept. */
export class RequestIds {
  readonly #start: string;
  #count = 0;

  /** @param mark prefix of the thread that generates the ids */
  constructor(clock: Clock, mark = '') {
    // Ids differ between runs of the bridge.
    this.#start = mark + Math.round(clock.wall() * 1000).toString(36);
  }

  next(): string {
    this.#count++;
    return `${this.#start}-${this.#count.toString(36)}`;
  }

  /** @param sent request id from the client */
  of(sent: string | readonly string[] | undefined): string {
    return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : this.next();
  }
}
