import type { Live } from './live.ts';
import { notice } from './notices.ts';
import type { Jog, Vector } from './protocol.ts';
import type { Store } from './store.ts';

/** Time from one message to the next, ms: the bridge stops the arm 200 ms after the last one. */
const INTERVAL = 50;
/** A stream that was refused has to fall silent for 0.5 s before the bridge takes another one from here: a bit more, ms. */
const PAUSE = 600;

/** What is asked for at this moment: speeds of joints by name (rad/s), or of the tool (m/s and rad/s). */
type Speeds =
  | { readonly kind: 'joints'; readonly joints: ReadonlyMap<string, number> }
  | { readonly kind: 'twist'; readonly twist: readonly number[]; readonly frame: 'base' | 'tool' };

function messageOf(speeds: Speeds): Jog {
  if (speeds.kind === 'joints') return { joints: Object.fromEntries(speeds.joints) };
  const [vx = 0, vy = 0, vz = 0, wx = 0, wy = 0, wz = 0] = speeds.twist;
  const linear: Vector = [vx, vy, vz];
  const angular: Vector = [wx, wy, wz];
  return { twist: { linear, angular, frame: speeds.frame } };
}

/**
 * Moves an arm for as long as somebody holds a control: a dead-man's switch. A hidden tab, a window that is left, a lost
 * connection, a stop and a released control end it; the bridge itself ends it when no message comes.
 */
export class Jogger {
  readonly #live: Live;
  #arm = 0;
  #speeds: Speeds | null = null;
  #timer = 0;
  /** Nothing is sent before, by the page's clock, ms. */
  #from = 0;
  readonly #onRelease: (() => void)[] = [];

  constructor(live: Live, store: Store) {
    this.#live = live;
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) this.release();
    });
    for (const event of ['blur', 'pagehide', 'arm-bridge-stop']) window.addEventListener(event, () => this.release());
    store.on(['connection'], () => {
      if (store.connection !== 'live') this.release();
    });
  }

  get active(): boolean {
    return this.#speeds !== null;
  }

  /** Calls back when all controls have to let go. */
  onRelease(act: () => void): void {
    this.#onRelease.push(act);
  }

  /** Moves at these speeds from now on. */
  hold(arm: number, speeds: Speeds): void {
    this.#arm = arm;
    this.#speeds = speeds;
    this.#send();
    if (this.#timer === 0) this.#timer = window.setInterval(() => this.#send(), INTERVAL);
  }

  /** Decelerates to a hold. */
  release(): void {
    clearInterval(this.#timer);
    this.#timer = 0;
    const speeds = this.#speeds;
    if (speeds === null) return;
    this.#speeds = null;
    const still: Speeds =
      speeds.kind === 'joints'
        ? { kind: 'joints', joints: new Map([...speeds.joints.keys()].map((name) => [name, 0])) }
        : { ...speeds, twist: [] };
    this.#live.jog(this.#arm, messageOf(still));
    for (const act of this.#onRelease) act();
  }

  /** The bridge does not do it: says why, once. */
  refused(reason: string): void {
    // Of what was sent before the pause more than one message may be refused.
    if (!this.active || performance.now() < this.#from) return;
    this.release();
    this.#from = performance.now() + PAUSE;
    // The next try says it anew, if it is so still.
    notice('fault', `Not jogged: ${reason}`, { about: 'jog', gone: () => this.active });
  }

  #send(): void {
    if (performance.now() < this.#from) return;
    if (this.#speeds !== null && !this.#live.jog(this.#arm, messageOf(this.#speeds))) this.release();
  }
}
