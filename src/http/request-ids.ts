import type { Clock } from '../clock.ts';

/** Header that carries the id of a request, asked and answered. */
export const REQUEST_HEADER = 'x-request-id';
const REQUEST_ID = /^[\w.:-]{1,64}$/;

/** Ids by which a request is found in answers, the log and the journal: those of the client where it sends one that is fit. */
export class RequestIds {
  readonly #start: string;
  #count = 0;

  /** @param mark of the thread that gives them */
  constructor(clock: Clock, mark = '') {
    // Ids of one run of the bridge are not those of another.
    this.#start = mark + Math.round(clock.wall() * 1000).toString(36);
  }

  next(): string {
    this.#count++;
    return `${this.#start}-${this.#count.toString(36)}`;
  }

  /** @param sent what the client calls its request */
  of(sent: string | readonly string[] | undefined): string {
    return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : this.next();
  }
}
