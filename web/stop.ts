/**
 * The stop. A script of its own that shares nothing with the rest of the page: its own key listener, its own connection, its
 * own requests, its own words. It asks over a WebSocket that is open already and by requests, since a browser keeps requests
 * waiting while its few connections to a host are taken; and it asks the port that hears stops alone, which works while the rest
 * of the bridge is busy, as well as the port of the page. It repeats all of them until the bridge has confirmed one.
 */

// A module for the compiler; the bundler makes a plain script of it.
export {};

/** Time for one answer, ms. */
const ANSWER_LIMIT = 1500;
/** Pause before the second attempt, ms; each one is longer than the one before, up to a limit. */
const PAUSE = 200;
const LONGER = 1.1;
const LONGEST_PAUSE = 2000;
/** Pause before the connection is opened anew, ms. */
const REOPENING = 2000;

/** What the bridge says to a stop, in an answer or in a message. */
interface Answer {
  readonly status?: string;
  readonly message?: string;
  readonly detail?: unknown;
}

const box = document.getElementById('stop') as HTMLButtonElement;
const status = document.getElementById('stop-status') as HTMLElement;
/** Counts presses: the newest one's attempts are the ones that go on. */
let press = 0;
let line: WebSocket | null = null;
/** The stop's own port; null while it is not known, and where there is none. */
let port: number | null = null;
/** The stop's own port could not be reached at the last attempt: the next one goes to the page's own. */
let unreached = false;
/** Told what the bridge answers over the line. */
let heard: (answer: Answer) => void = () => {};

function say(state: 'sending' | 'done' | 'failed', text: string): void {
  document.body.dataset.stop = state;
  status.textContent = text;
}

/** Opens the connection of the stop and keeps it open: to the stop's own port where there is one. */
async function connect(): Promise<void> {
  await learnPort();
  const own = unreached ? null : port;
  const url = new URL(own === null ? '/api/v1/live' : '/api/v1/stop', location.href);
  url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  if (own !== null) url.port = String(own);
  const socket = new WebSocket(url);
  unreached = own !== null;
  socket.onopen = () => {
    unreached = false;
    // Nothing is watched over it: it must be free for a stop.
    if (own === null) socket.send(JSON.stringify({ type: 'subscribe', topics: [], rate: 1 }));
  };
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data)) as Answer & { readonly type: string };
    if (message.type === 'stop') heard(message);
  };
  socket.onclose = () => setTimeout(() => void connect(), REOPENING);
  line = socket;
}

/** A bridge that has been started anew may have another one. */
async function learnPort(): Promise<void> {
  try {
    const answer = await fetch('/status', { cache: 'no-store' });
    if (answer.ok) port = ((await answer.json()) as { readonly stop_port?: number | null }).stop_port ?? null;
  } catch {
    // The bridge does not answer: the connection cannot be opened either, and the port is asked for with the next attempt.
  }
}

/** @returns null when all arms are stopped, else what is wrong */
function faultOf({ status: said, message, detail }: Answer, ok = true): string | null {
  return ok && said === 'ok' ? null : String(message ?? detail ?? 'an answer without words');
}

async function request(url: URL, signal: AbortSignal): Promise<string | null> {
  // The session counts on another port of the same host too.
  const how = { method: 'POST', keepalive: true, cache: 'no-store', credentials: 'include', signal } as const;
  const answer = await fetch(url, how);
  return faultOf((await answer.json()) as Answer, answer.ok);
}

/** Asks in all ways. @returns null when all arms are stopped, else what is wrong; the first good answer counts */
async function ask(): Promise<string | null> {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), ANSWER_LIMIT);
  const url = new URL('/stop', location.href);
  const ways = [request(url, ending.signal)];
  if (port !== null) {
    const own = new URL(url);
    own.port = String(port);
    ways.push(request(own, ending.signal));
  }
  if (line?.readyState === WebSocket.OPEN) {
    line.send('{"type":"stop"}');
    const answered = new Promise<string | null>((resolve, reject) => {
      heard = (answer) => resolve(faultOf(answer));
      ending.signal.addEventListener('abort', () => reject(ending.signal.reason));
    });
    ways.push(answered);
  }
  let refusal: string | null = null;
  const confirmed = (fault: string | null): null => {
    refusal = fault;
    if (fault !== null) throw new Error(fault);
    return null;
  };
  try {
    return await Promise.any(ways.map((way) => way.then(confirmed)));
  } catch {
    return refusal ?? 'the bridge does not answer';
  } finally {
    clearTimeout(timer);
    // A request that still waits for a connection must not stop arms that have been reset meanwhile.
    ending.abort();
  }
}

async function stop(): Promise<void> {
  press += 1;
  const mine = press;
  const asked = ask();
  // Whatever drives an arm from this page ends with it.
  window.dispatchEvent(new Event('arm-bridge-stop'));
  say('sending', 'Stopping');
  let fault = await asked;
  for (let pause = PAUSE; mine === press && fault !== null; pause = Math.min(pause * LONGER, LONGEST_PAUSE)) {
    say('failed', `Stop NOT confirmed: ${fault}. Trying again; use the power switch.`);
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (mine === press) fault = await ask();
  }
  if (mine === press) say('done', `Stopped at ${new Date().toLocaleTimeString()}`);
}

// What was stopped goes on being said until it is let go, here or by somebody else. A stop that is not confirmed goes on.
window.addEventListener('arm-bridge-reset', () => {
  if (document.body.dataset.stop !== 'done') return;
  delete document.body.dataset.stop;
  status.textContent = '';
});

/** Fields in which a space is a letter, and controls that a space presses or opens. */
const WRITTEN = 'textarea, input:not([type="range"], [type="checkbox"], [type="radio"])';
const PRESSED = 'button, select, summary, input[type="checkbox"], input[type="radio"]';
/** Whoever has clicked a control has not chosen it by the keyboard: Space stops, and does not press it again. */
let pointed = false;
/** A key that leads to controls is down. */
let leading = false;
/** The space bar is down, and has stopped. */
let stopping = false;

/** Whether Space is for a control that the keyboard has come to, not for the stop. */
function takesSpace(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  return target.matches(WRITTEN) || (!pointed && target.matches(PRESSED));
}

function isStopKey(event: KeyboardEvent): boolean {
  return event.key === 'Escape' || (event.key === ' ' && !takesSpace(event.target));
}

box.addEventListener('click', () => void stop());
// A finger that comes down stops at once; the click that follows stops again, which does no harm.
box.addEventListener('pointerdown', () => void stop());
window.addEventListener(
  'pointerdown',
  () => {
    pointed = true;
    leading = false;
  },
  true,
);
// An arrow that scrolls leaves the control where it was.
window.addEventListener(
  'focusin',
  () => {
    if (leading) pointed = false;
  },
  true,
);
window.addEventListener(
  'keydown',
  (event) => {
    leading = event.key === 'Tab' || event.key.startsWith('Arrow');
    if (!isStopKey(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    stopping = event.key === ' ';
    if (!event.repeat) void stop();
  },
  true,
);
// A focused button is clicked when the space bar comes up.
window.addEventListener(
  'keyup',
  (event) => {
    leading = false;
    if (event.key !== ' ' || !stopping) return;
    stopping = false;
    event.preventDefault();
  },
  true,
);
// Escape leaves a full screen, and the browser does not tell the page of the key.
let leaving = false;
window.addEventListener('arm-bridge-leave', () => {
  leaving = true;
});
document.addEventListener('fullscreenchange', () => {
  if (document.fullscreenElement === null && !leaving) void stop();
  leaving = false;
});
void connect();
