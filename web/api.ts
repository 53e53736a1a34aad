import { BridgeError } from '../clients/typescript/src/errors.ts';
import { bridge } from './bridge.ts';
import { forget, notice, type Way } from './notices.ts';
import type { Store } from './store.ts';

/** Requests that may wait for an arm at once. A browser opens six connections to a host: some stay free for the stop. */
const MOST_WAITING = 3;

export interface Command {
  /** What it is to people, as the beginning of a message: "Init of the leader". */
  readonly name?: string;
  /** POST when it is left out. */
  readonly method?: 'GET' | 'DELETE';
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

/** What the page says where the words of the bridge are for programs. */
const WORDS: Readonly<Record<string, string>> = {
  unreachable: 'The bridge does not answer.',
  not_initialised: 'the arm has no zero yet, which Init sets.',
};

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
    return { ok: false, message: WORDS[code] ?? detail, remedy };
  }
}

/** The words that go with a command that is insisted on. */
const INSISTING: Readonly<Record<string, { readonly label: string; readonly word: string }>> = {
  calibrate: { label: 'Move it slowly', word: 'uncalibrated' },
  take_over: { label: 'Take over', word: 'take_over' },
};

const ownerOf = (store: Store, id: number): string | null => store.frames.get(id)?.owner ?? null;

/** Frames that have come after the bridge had not answered for so long, s, show that it answers again. */
const BACK = 1;

/** One of the pairs of a command that starts them. */
interface PairAsked {
  readonly leader_id: number;
  readonly follower_id: number;
}

/** When the cause of a refusal is gone from an arm, by the next step that the bridge names. */
const GONE_FROM: Readonly<Record<string, (store: Store, id: number) => boolean>> = {
  reset: (store, id) => store.frames.get(id)?.state !== 'stopped',
  torque_on: (store, id) => store.frames.get(id)?.torque === true,
  init: (store, id) => store.frames.get(id)?.initialised === true,
  calibrate: (store, id) => store.frames.get(id)?.doubt === '',
  take_over: (store, id) => ownerOf(store, id) === null || ownerOf(store, id) === store.hello?.client,
};

/** The same where the cause is the bridge's. */
const GONE: Readonly<Record<string, () => (store: Store) => boolean>> = {
  stop_mirroring: () => (store) => !store.mirroring,
  start: () => {
    let first = Number.NaN;
    return ({ connection, time }) => {
      if (Number.isNaN(first)) first = time;
      return connection === 'live' && time > first + BACK;
    };
  },
};

/** When the cause of a refusal is gone from every arm that the command is about; undefined: when the message is closed. */
function goneOf(remedy: string, { query, body }: Command): ((store: Store) => boolean) | undefined {
  const { robot_pairs: pairs = [] } = (body ?? {}) as { readonly robot_pairs?: readonly PairAsked[] };
  const asked = query?.robot_id === undefined ? [] : [Number(query.robot_id)];
  const ids = [...asked, ...pairs.flatMap(({ leader_id, follower_id }) => [leader_id, follower_id])];
  const anyArm = GONE_FROM[remedy];
  if (anyArm !== undefined) return (store) => ids.length > 0 && ids.every((id) => anyArm(store, id));
  return GONE[remedy]?.();
}

/** What may be done about a refusal: another command first, the same with a word, or to ask who is in the way. */
function waysOut(asked: Command, { remedy }: Outcome, done?: string): Way[] {
  const { robot_id } = asked.query ?? {};
  const arm = robot_id === undefined ? {} : { query: { robot_id } };
  const insisting = remedy === null ? undefined : INSISTING[remedy];
  if (insisting !== undefined) {
    const insistent = { ...asked, query: { ...asked.query, [insisting.word]: 'true' } };
    const insist = { label: insisting.label, run: () => void command(insistent, done) };
    if (remedy !== 'take_over' || robot_id === undefined) return [insist];
    const detail = Number(robot_id);
    const ask = (): void => void window.dispatchEvent(new CustomEvent('arm-bridge-ask', { detail }));
    return [insist, { label: 'Ask for it', run: ask }];
  }
  switch (remedy) {
    case 'reset':
      return [{ label: 'Reset', run: () => void resetStop() }];
    case 'init':
      return [
        {
          label: 'Init first',
          run: () => void command({ name: 'Init', path: '/move/init', ...arm }, 'Init done.'),
        },
      ];
    case 'torque_on': {
      const hold = { name: 'Torque', path: '/torque/toggle', ...arm, body: { torque_status: true } };
      return [{ label: 'Hold it first', run: () => void command(hold, 'It holds.') }];
    }
    case 'stop_mirroring':
      return [{ label: 'End it', run: () => void command({ path: '/move/leader/stop' }, 'The followers hold.') }];
    default:
      return [];
  }
}

/** Releases the stop of all arms; nothing moves by itself. */
export async function resetStop(): Promise<void> {
  await command({ name: 'Reset', path: '/stop/reset' }, 'Reset: the arms hold, and nothing moves by itself.');
}

/**
 * Sends a command and tells what became of it: what was not done, why, and a button for what can be done about it. The
 * message goes when its cause is gone, and when the same is asked again.
 * @param done what to say when it is done; left out: nothing
 */
export async function command(asked: Command, done?: string): Promise<Outcome> {
  const about = `${asked.path} ${asked.query?.robot_id ?? ''}`;
  const outcome = await send(asked);
  const { ok, message, remedy } = outcome;
  forget(about);
  if (ok) {
    if (done !== undefined) notice('done', done);
    return outcome;
  }
  const gone = remedy === null ? undefined : goneOf(remedy, asked);
  notice('fault', asked.name === undefined ? message : `${asked.name} was not done: ${message}`, {
    ways: waysOut(asked, outcome, done),
    about,
    gone,
  });
  return outcome;
}
