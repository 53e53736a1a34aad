/**
 * The stop. A script of its own that shares nothing with the rest of the page: its own key listener, its own requests, its
 * own words. It repeats the request until the bridge has confirmed it.
 */

// A module for the compiler; the bundler makes a plain script of it.
export {};

/** Time for one answer, and pause before the next attempt, ms. */
const ANSWER_LIMIT = 1500;
const PAUSE = 200;
/** Attempts before it gives up and says so. */
const ATTEMPTS = 50;

const box = document.getElementById('stop') as HTMLButtonElement;
const status = document.getElementById('stop-status') as HTMLElement;
/** Counts presses: the newest one's attempts are the ones that go on. */
let press = 0;

function say(state: 'sending' | 'done' | 'failed', text: string): void {
  document.body.dataset.stop = state;
  status.textContent = text;
}

/** One request. @returns null when all arms are stopped, else what is wrong */
async function request(): Promise<string | null> {
  try {
    const answer = await fetch('/stop', {
      method: 'POST',
      keepalive: true,
      cache: 'no-store',
      signal: AbortSignal.timeout(ANSWER_LIMIT),
    });
    const body = (await answer.json()) as { status?: string; message?: string; detail?: unknown };
    if (answer.ok && body.status === 'ok') return null;
    return String(body.message ?? body.detail ?? `HTTP ${answer.status}`);
  } catch {
    return 'the bridge does not answer';
  }
}

async function stop(): Promise<void> {
  press += 1;
  const mine = press;
  // Whatever drives an arm from this page ends with it.
  window.dispatchEvent(new Event('arm-bridge-stop'));
  say('sending', 'Stopping');
  for (let attempt = 0; attempt < ATTEMPTS && mine === press; attempt += 1) {
    const fault = await request();
    if (mine !== press) return;
    if (fault === null) {
      say('done', `Stopped at ${new Date().toLocaleTimeString()}`);
      return;
    }
    say('failed', `Stop NOT confirmed: ${fault}. Trying again; use the power switch.`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

// What was stopped goes on being said until it is let go.
window.addEventListener('arm-bridge-reset', () => {
  if (document.body.dataset.stop !== 'done') return;
  delete document.body.dataset.stop;
  status.textContent = '';
});

/** Fields in which a space is a letter. */
function isWritten(target: EventTarget | null): boolean {
  return target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type === 'password');
}

function isStopKey(event: KeyboardEvent): boolean {
  return event.key === 'Escape' || (event.key === ' ' && !isWritten(event.target));
}

box.addEventListener('click', () => void stop());
// A finger that comes down stops at once; the click that follows stops again, which does no harm.
box.addEventListener('pointerdown', () => void stop());
window.addEventListener(
  'keydown',
  (event) => {
    if (!isStopKey(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!event.repeat) void stop();
  },
  true,
);
// A focused button is clicked when the space bar comes up.
window.addEventListener(
  'keyup',
  (event) => {
    if (isStopKey(event)) event.preventDefault();
  },
  true,
);
