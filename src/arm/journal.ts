import type { Clock } from '../clock.ts';
import { messageOf } from '../message-of.ts';
import type { Caller, Origin } from './types.ts';

/** Kinds of actions on arms by people and programs. */
export const ACTS = [
  'motion',
  'torque',
  'halt',
  'stop',
  'reset',
  'ask',
  'take_over',
  'release',
  'mirroring',
  'calibration',
  'configuration',
  'recording',
  'simulation',
] as const;
export type Act = (typeof ACTS)[number];

/** `ended`: someone or something else ended it. */
export const OUTCOMES = ['under_way', 'done', 'failed', 'refused', 'ended'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Number of entries kept. */
export const MOST_ENTRIES = 1000;
/** Characters kept of a message. */
const LONGEST_MESSAGE = 300;
/** An action that is under way for so long, s, is logged before it is over: a bridge that is killed leaves who began it. */
const LASTING = 1;
/** Repetitions by the same client within this time, s, form one entry: messages of a stream, not consecutive moves. */
const TOGETHER = 0.25;

/** One action that someone took, or tried to take. */
export interface Entry extends Origin {
  readonly id: number;
  /** When it began, seconds since the epoch. */
  readonly time: number;
  readonly act: Act;
  /** Null: all arms, or none. */
  readonly arm: string | null;
  /** Previous owner of the arm; null if it was free. */
  readonly takenFrom: string | null;
  readonly outcome: Outcome;
  /** Why it failed, was refused or ended; null otherwise. */
  readonly message: string | null;
  /** When it was over, seconds since the epoch; null while it is under way. */
  readonly ended: number | null;
  /** Number of repetitions, for streams. */
  readonly count: number;
}

type Draft = { -readonly [Field in keyof Entry]: Entry[Field] } & {
  /** How often a repeated action has begun, and when it last did, s. */
  turn: number;
  begun: number;
  /** What the entry said before its latest repetition began; null if that repetition is the first. */
  past: Past | null;
  changed: number;
  next: number;
  /** Whose action it is: that of its latest repetition. Ids of requests do not tell, because clients may choose them. */
  by: Origin;
};

type Past = Pick<Draft, 'by' | 'request' | 'outcome' | 'message' | 'ended' | 'begun'>;

/** Variable parts of a message: quoted names and stand-alone numbers. */
const VARIABLE = /"(?:[^"\\]|\\.)*"|(?<!\w)-?\d+(\.\d+)?/g;

/** Messages that differ only in quotes and numbers are of one kind. */
export function kindOf(message: string | null): string {
  return message?.replace(VARIABLE, '#') ?? '';
}

/** An action under way. */
export interface Doing {
  /** Only the first call counts. */
  end(outcome: Exclude<Outcome, 'under_way'>, message?: string | null): void;
}

export interface EntryFilter {
  /** Name of an arm. Entries about all arms match every name. */
  readonly arm?: string | undefined;
  readonly act?: Act | undefined;
  /** Began at this time or later, seconds since the epoch. */
  readonly since?: number | undefined;
  /** Entries with a smaller id than this. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** Origin of a caller for the journal; the owner itself if no origin is named. */
export function originOf({ origin, owner }: Caller): Origin {
  const from = (owner.client ?? owner).key.startsWith('ros:') ? 'ROS 2' : 'the bridge';
  return origin ?? { who: owner.name, from, what: owner.name, request: null };
}

/**
 * Who did what to which arm, and with what outcome: the newest entries in memory, each also a line of the log. Arms
 * record their sessions and stops; HTTP and ROS 2 record the rest.
 */
export class Journal {
  readonly #clock: Clock;
  readonly #log: (entry: Entry) => void;
  /** Oldest first. */
  readonly #entries: Draft[] = [];
  #next = 0;
  #changes = 0;

  /**
   * @param log receives each entry once it is over, and one that lasts a second after its begin too; of repetitions the first,
   *   the tenth, the hundredth, ...
   */
  constructor(clock: Clock, log: (entry: Entry) => void) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Changes so far, for {@link changedSince}. */
  get changes(): number {
    return this.#changes;
  }

  /** Begins an entry. @param arm its name; null: none, or all @param ago how long ago it began, s */
  begin(act: Act, arm: string | null, origin: Origin, takenFrom: string | null = null, ago = 0): Doing {
    const now = this.#clock.wall() - ago;
    const draft = this.#repeated(act, arm, origin, takenFrom, now) ?? this.#add(act, arm, origin, takenFrom, now);
    this.#change(draft);
    const { turn } = draft;
    let open = true;
    const lasting = this.#clock.after(
      LASTING,
      () => {
        if (draft.turn === turn && draft.count >= draft.next) this.#log(draft);
      },
      true,
    );
    return {
      end: (outcome, message = null) => {
        if (!open) return;
        open = false;
        lasting.cancel();
        // A repetition has begun already.
        if (draft.turn !== turn) return;
        const told = message === null ? null : message.slice(0, LONGEST_MESSAGE);
        const entry = this.#entryFor(draft, outcome, told);
        entry.outcome = outcome;
        entry.message = told;
        entry.ended = this.#clock.wall();
        this.#change(entry);
        if (entry.count < entry.next) return;
        entry.next = entry.count * 10;
        this.#log(entry);
      },
    };
  }

  /** Records an action as done or refused. A repetition of an action still under way is counted there. */
  record(
    act: Act,
    arm: string | null,
    origin: Origin,
    outcome: Exclude<Outcome, 'under_way'> = 'done',
    message: string | null = null,
  ): void {
    const underWay = (entry: Entry): boolean => entry.outcome === 'under_way';
    const open = outcome === 'done' ? this.#latest(act, arm, origin, underWay) : null;
    if (open !== null) {
      open.count++;
      this.#change(open);
    } else {
      this.begin(act, arm, origin).end(outcome, message);
    }
  }

  /** Records `work`, and whether it succeeded. @param ago how long ago it began, s */
  async during<T>(act: Act, arm: string | null, origin: Origin, work: () => Promise<T>, ago = 0): Promise<T> {
    const doing = this.begin(act, arm, origin, null, ago);
    try {
      const result = await work();
      doing.end('done');
      return result;
    } catch (error) {
      doing.end('failed', messageOf(error));
      throw error;
    }
  }

  /** Whether an action of this origin, the object itself, has been written since the change count `changes`. */
  hasWritten(origin: Origin, changes: number): boolean {
    if (changes === this.#changes) return false;
    return this.#entries.some((entry) => entry.changed > changes && entry.by === origin);
  }

  /** Newest first. */
  list({ arm, act, since = 0, before = Number.POSITIVE_INFINITY, limit }: EntryFilter): Entry[] {
    const found: Entry[] = [];
    for (let i = this.#entries.length - 1; i >= 0 && found.length < limit; i--) {
      const entry = this.#entries[i]!;
      if (entry.id >= before || entry.time < since || (act !== undefined && entry.act !== act)) continue;
      if (arm === undefined || entry.arm === null || entry.arm === arm) found.push(entry);
    }
    return found;
  }

  /** Entries new or changed since the change count `changes`, newest first; at most the newest `most`. */
  changedSince(changes: number, most: number): Entry[] {
    if (changes >= this.#changes) return [];
    return this.#entries
      .filter(({ changed }) => changed > changes)
      .slice(-most)
      .reverse();
  }

  #change(draft: Draft): void {
    draft.changed = ++this.#changes;
  }

  #add(act: Act, arm: string | null, origin: Origin, takenFrom: string | null, time: number): Draft {
    const { who, from, what, request } = origin;
    const draft: Draft = {
      id: ++this.#next,
      time,
      act,
      arm,
      who,
      from,
      what,
      request,
      takenFrom,
      outcome: 'under_way',
      message: null,
      ended: null,
      count: 1,
      turn: 1,
      begun: time,
      past: null,
      changed: 0,
      next: 1,
      by: origin,
    };
    this.#entries.push(draft);
    if (this.#entries.length > MOST_ENTRIES) this.#entries.shift();
    return draft;
  }

  /** A recent finished entry of the same action, which now counts this one too. */
  #repeated(act: Act, arm: string | null, origin: Origin, takenFrom: string | null, now: number): Draft | null {
    const entry = this.#latest(act, arm, origin);
    if (entry === null || entry.ended === null || takenFrom !== null) return null;
    if (now - entry.begun > TOGETHER) return null;
    const { by, request, outcome, message, ended, begun } = entry;
    entry.count++;
    entry.turn++;
    return Object.assign(entry, {
      past: { by, request, outcome, message, ended, begun },
      begun: now,
      by: origin,
      request: origin.request,
      outcome: 'under_way',
      message: null,
      ended: null,
    });
  }

  /**
   * The entry for a repetition that is over. An entry has one outcome and one reason: if its repetition ended
   * differently, the entry becomes what it was, and the repetition counts in a recent entry of its own end, or gets one.
   */
  #entryFor(draft: Draft, outcome: Outcome, message: string | null): Draft {
    const { past, act, arm, by, request, begun } = draft;
    draft.past = null;
    const like = (entry: Past): boolean => entry.outcome === outcome && kindOf(entry.message) === kindOf(message);
    if (past === null || like(past)) return draft;
    Object.assign(draft, past);
    draft.count--;
    this.#change(draft);
    const same = this.#latest(act, arm, draft, like);
    if (same === null || begun - same.begun > TOGETHER) return this.#add(act, arm, by, null, begun);
    same.count++;
    same.turn++;
    return Object.assign(same, { by, begun, request });
  }

  /** The latest entry of the same client, arm and action, if any. @param fits left out: any */
  #latest(
    act: Act,
    arm: string | null,
    { who, from, what }: Origin,
    fits: (entry: Draft) => boolean = () => true,
  ): Draft | null {
    const same = (entry: Draft): boolean =>
      entry.act === act &&
      entry.arm === arm &&
      entry.who === who &&
      entry.from === from &&
      entry.what === what &&
      fits(entry);
    return this.#entries.findLast(same) ?? null;
  }
}

/**
 * Log level of an entry. What ROS 2 asks for in vain is a warning, because `/rosout` alone tells why a goal was rejected;
 * HTTP answers its client.
 */
export function levelOf({ from, outcome }: Entry): 'info' | 'warn' {
  return from === 'ROS 2' && (outcome === 'refused' || outcome === 'failed') ? 'warn' : 'info';
}

/** An entry as a sentence. */
export function inSentence({ act, arm, who, from, what, takenFrom, outcome, message, count }: Entry): string {
  const taken = takenFrom === null ? '' : `, taken from ${takenFrom}`;
  const times = count === 1 ? '' : ` (${count} times)`;
  const by = what === who ? who : `${who} (${what}${who.includes(from) ? '' : `, ${from}`})`;
  return `${act} of ${arm ?? 'the bridge'} by ${by}${taken}: ${outcome.replace('_', ' ')}${message === null ? '' : `: ${message}`}${times}`;
}
