import { BridgeError } from '../clients/typescript/src/errors.ts';
import { bridge } from './bridge.ts';
import { notice } from './notices.ts';

/** Requests that may wait for an arm at once. A browser opens six connections to a host: some stay free for the stop. */
const MOST_WAITING = 3;

export interface Command {
  /** POST when it is left out. */
  readonly method?: 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: object;
}

export interface Outcome {
  readonly ok: boolean;
  readonly message: string;
  /** The next step, where there is one. */
  readonly remedy: string | null;
  readonly answer?: unknown;
}

let waiting = 0;

/** Path and query of a command. */
export function pathOf({ path, query = {} }: Command): string {
  const text = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? path : `${path}?${text}`;
}

/** The command as a line for a shell. */
export function curlOf(command: Command): string {
  const url = `${location.origin}${pathOf(command)}`;
  const line = `curl -X ${command.method ?? 'POST'} '${url}'`;
  if (command.body === undefined) return line;
  return `${line} -H 'Content-Type: application/json' -d '${JSON.stringify(command.body)}'`;
}

/** Sends a command and waits for its answer; never throws. */
export async function send(command: Command): Promise<Outcome> {
  if (waiting >= MOST_WAITING) {
    const message = `${MOST_WAITING} commands are under way: wait for one, or press Stop.`;
    return { ok: false, message, remedy: null };
  }
  waiting += 1;
  try {
    return await request(command);
  } finally {
    waiting -= 1;
  }
}

/** The same without waiting its turn: for what is answered at once, and for what ends another. */
export async function request({ method, path, query = {}, body }: Command): Promise<Outcome> {
  try {
    const answer = await bridge.read(await bridge.send(method ?? 'POST', path, { query, body }));
    const { message } = answer as { readonly message?: string | null };
    return { ok: true, message: message ?? '', remedy: null, answer };
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    const { code, detail, remedy } = error;
    return { ok: false, message: code === 'unreachable' ? 'The bridge does not answer.' : detail, remedy };
  }
}

/** What may be done about a refusal: a word that goes with the same command. */
function wayOut({ remedy }: Outcome): { readonly label: string; readonly word: string } | null {
  if (remedy === 'calibrate') return { label: 'Move it slowly', word: 'uncalibrated' };
  return remedy === 'take_over' ? { label: 'Take over', word: 'take_over' } : null;
}

/**
 * Sends a command and tells what became of it. A refusal because somebody else drives the arm offers to take it over; one
 * because its angles may be wrong, to move it slowly.
 * @param done what to say when it is done; left out: nothing
 */
export async function command(asked: Command, done?: string): Promise<Outcome> {
  const outcome = await send(asked);
  if (outcome.ok) {
    if (done !== undefined) notice('done', done);
    return outcome;
  }
  const way = wayOut(outcome);
  if (way === null) {
    notice('fault', outcome.message);
  } else {
    const insistent = { ...asked, query: { ...asked.query, [way.word]: 'true' } };
    notice('fault', outcome.message, { label: way.label, run: () => void command(insistent, done) });
  }
  return outcome;
}
