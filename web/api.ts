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
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
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
    return { ok: false, status: 0, message: `${MOST_WAITING} commands are under way: wait for one, or press Stop.` };
  }
  waiting += 1;
  try {
    return await request(command);
  } finally {
    waiting -= 1;
  }
}

/** The same without waiting its turn: for what is answered at once, and for what ends another. */
export async function request(command: Command): Promise<Outcome> {
  try {
    const answer = await fetch(pathOf(command), {
      method: command.method ?? 'POST',
      cache: 'no-store',
      ...(command.body === undefined
        ? {}
        : { body: JSON.stringify(command.body), headers: { 'content-type': 'application/json' } }),
    });
    return outcomeOf(answer.status, await answer.json());
  } catch {
    return { ok: false, status: 0, message: 'The bridge does not answer.' };
  }
}

function outcomeOf(status: number, answer: unknown): Outcome {
  const body = answer as { status?: string; message?: string | null; detail?: unknown };
  if (status === 200) return { ok: body.status !== 'error', message: body.message ?? '', status, answer };
  return { ok: false, message: wordsOf(body.detail) || `HTTP ${status}`, status };
}

/** A refusal in words: a sentence, or the fields that are wrong. */
function wordsOf(detail: unknown): string {
  if (!Array.isArray(detail)) return detail === undefined ? '' : String(detail);
  return (detail as { loc: (string | number)[]; msg: string }[])
    .map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`)
    .join('; ');
}

/** What may be done about a refusal: a word that goes with the same command. */
function wayOut({ status, message }: Outcome): { readonly label: string; readonly word: string } | null {
  if (status !== 409) return null;
  return message.includes('uncalibrated=true')
    ? { label: 'Move it slowly', word: 'uncalibrated' }
    : { label: 'Take over', word: 'take_over' };
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
