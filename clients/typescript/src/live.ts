import { BridgeError } from './errors.ts';
import type { components } from './interface.ts';

export type LiveFrame = components['schemas']['LiveFrame'];
export type Topic = Exclude<LiveFrame['type'], 'hello'>;

/** Without a frame for so long a stream counts as broken, ms. */
const MOST_SILENCE = 3000;
/** What comes only as it changes: a stream of these alone has nothing but a sign of life every 10 s. */
const RARE: ReadonlySet<Topic> = new Set(['objects', 'log', 'events', 'asks']);
const RARE_SILENCE = 25_000;
/** Statuses of a refusal that may not last: the request came too slowly, or there are too many. */
const LATER: ReadonlySet<number> = new Set([408, 429]);
/** Time before the next attempt, ms: at first, and at most. */
const FIRST_WAIT = 250;
const LONGEST_WAIT = 2000;

export interface LiveOptions {
  /** Left out: all. */
  readonly topics?: readonly Topic[];
  /** Frames of arms per second. */
  readonly rate?: number;
  /** Ends the stream. */
  readonly signal?: AbortSignal;
  /** Called when frames come, and when they come no more: the stream is taken up anew by itself. */
  readonly onConnection?: (connected: boolean) => void;
  /** Without a frame for so long it counts as broken, ms; 3000 when left out. */
  readonly silence?: number;
}

/** Frames as texts, from one connection. @throws {BridgeError} refused, or nobody answers */
export type OpenStream = (signal: AbortSignal) => Promise<AsyncIterable<string>>;

/** The data of server-sent events (WHATWG HTML, 9.2), as they come; empty for a sign of life. */
export async function* eventsOf({ body }: Response): AsyncGenerator<string> {
  const reader = body!.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const events = rest.split('\n\n');
      rest = events.pop()!;
      for (const event of events) {
        const lines = event.split('\n').filter((line) => line.startsWith('data:'));
        yield lines.map((line) => line.slice('data:'.length).trimStart()).join('\n');
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function pause(time: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', over);
      resolve();
    };
    const timer = setTimeout(over, time);
    signal?.addEventListener('abort', over);
  });
}

/**
 * The frames of a live stream, for ever; one that breaks is taken up anew. Whoever reads slowly is sent fewer: the newest wins.
 * @param open asks for the stream
 * @throws {BridgeError} when it is refused, or cannot begin
 */
export async function* liveFrames<Frame = LiveFrame>(
  open: OpenStream,
  { topics, signal, onConnection = () => {}, silence = MOST_SILENCE }: LiveOptions = {},
): AsyncGenerator<Frame, void, void> {
  const isRare = topics?.every((topic) => RARE.has(topic)) ?? false;
  const patience = isRare ? Math.max(silence, RARE_SILENCE) : silence;
  let began = false;
  let connected = false;
  let wait = FIRST_WAIT;
  const tell = (now: boolean): void => {
    if (now !== connected) onConnection(now);
    connected = now;
  };
  while (!signal?.aborted) {
    const attempt = new AbortController();
    const abort = (): void => attempt.abort();
    signal?.addEventListener('abort', abort, { once: true });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const lookAfter = (): void => {
      clearTimeout(timer);
      timer = setTimeout(abort, patience);
    };
    try {
      lookAfter();
      for await (const event of await open(attempt.signal)) {
        clearTimeout(timer);
        began = true;
        wait = FIRST_WAIT;
        tell(true);
        if (event !== '') yield JSON.parse(event) as Frame;
        lookAfter();
      }
    } catch (error) {
      // What is refused once is refused again, unless it came too slowly or too often; what has begun goes on.
      const told = error instanceof BridgeError ? error : null;
      const refused = told !== null && told.status !== null && told.status < 500 && !LATER.has(told.status);
      if (!signal?.aborted && (refused || !began)) {
        throw (
          told ?? new BridgeError('the live stream of the bridge does not begin', { code: 'unreachable', cause: error })
        );
      }
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      attempt.abort();
    }
    if (signal?.aborted) break;
    tell(false);
    await pause(wait, signal);
    wait = Math.min(2 * wait, LONGEST_WAIT);
  }
  tell(false);
}
