import { request } from './api.ts';
import { notice } from './notices.ts';
import type { ArmFrame, ArmInfo } from './protocol.ts';
import type { Store } from './store.ts';

/** Time that the hand takes to where it is led, s: short enough to follow a finger. */
const DURATION = 0.1;
/**
 * How far the hand is asked to go ahead of a joint, rad: at its speed, 2.5 rad/s, it is there within the 0.2 s in which
 * whatever is commanded from here has to end when nothing more comes.
 */
const LEAD = 0.4;
/**
 * A floating joint that is dragged is had so softly that half of its torque, the most that it may push back with, draws it this far
 * from where it is led, rad. All others are held firmly.
 */
const GIVE = 0.2;
/** Of a hand, Nm/rad. */
const SOFTEST = 0.1;
const FIRMEST = 40;

/** Whether a hand may lead an arm: it is simulated, and it yields. */
export function yieldsToHand(info: ArmInfo, frame: ArmFrame | undefined): boolean {
  if (!info.simulated || frame === undefined || frame.state === 'disconnected') return false;
  return !frame.torque || frame.state === 'floating';
}

/**
 * A hand on a simulated arm: what a person does to a real leader. It takes hold of all joints, since the others would fall
 * if it led one alone, goes where it is led and holds there. It lets go when it is told to, or when the arm does not yield
 * any more.
 */
export class Hand {
  readonly info: ArmInfo;
  readonly #store: Store;
  /** Where the joints are to go, rad; null while it holds nothing. */
  #goals: number[] | null = null;
  /** The joint that is dragged; null while none is. */
  #dragged: number | null = null;
  #onTheWay = false;
  #busy = false;
  #newer = false;

  constructor(info: ArmInfo, store: Store) {
    this.info = info;
    this.#store = store;
    store.on(['frames'], () => {
      if (this.#goals === null) return;
      if (!this.yields) this.letGo();
      else if (this.#onTheWay) void this.#tell();
    });
    // A page that is hidden, left or stopped leads no further.
    for (const event of ['blur', 'pagehide', 'arm-bridge-stop']) window.addEventListener(event, () => this.rest());
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) this.rest();
    });
  }

  get yields(): boolean {
    return this.#store.mayControl && yieldsToHand(this.info, this.#store.frames.get(this.info.id));
  }

  /** Where it leads a joint, rad; null while it holds nothing. */
  goal(joint: number): number | null {
    return this.#goals?.[joint] ?? null;
  }

  /** What a floating joint pushes the hand with, Nm; null where nobody knows. */
  felt(joint: number): number | null {
    const frame = this.#store.frames.get(this.info.id);
    const torque = frame?.state === 'floating' ? frame.joints.external[joint] : null;
    return torque == null ? null : -torque;
  }

  /** Leads a joint to an angle, rad, within its limits. */
  lead(joint: number, angle: number): void {
    const goals = this.#goals ?? this.#measured();
    if (goals === null || !this.yields) return;
    goals[joint] = angle;
    this.#goals = goals;
    this.#dragged = joint;
    void this.#tell();
  }

  /** Leads all joints at once to these angles, rad, in so much time, s. @returns whether it does */
  async leadAll(angles: readonly number[], duration: number): Promise<boolean> {
    if (!this.yields) {
      notice('fault', `${this.info.name} holds itself: a hand can lead it while it is limp or floats.`);
      return false;
    }
    const goals = this.info.joints.map(({ lower, upper }, i) => Math.min(Math.max(angles[i]!, lower), upper));
    this.#goals = goals;
    this.#dragged = null;
    this.#onTheWay = false;
    const joints = Object.fromEntries(this.info.joints.map(({ name }, i) => [name, goals[i]!]));
    const { ok, message } = await request({ path: '/sim/hand', body: { robot_id: this.info.id, joints, duration } });
    if (!ok) notice('fault', message);
    return ok;
  }

  /** Leads no further: holds the arm where it is. */
  rest(): void {
    if (this.#goals === null) return;
    this.#goals = this.#measured() ?? this.#goals;
    this.#dragged = null;
    void this.#tell();
  }

  letGo(): void {
    this.#goals = null;
    this.#dragged = null;
    void this.#tell();
  }

  #measured(): number[] | null {
    const position = this.#store.frames.get(this.info.id)?.joints.position;
    return position?.every((angle) => angle !== null) === true ? [...(position as number[])] : null;
  }

  /** What the hand is asked for now: the way to its goals, no further than `LEAD` ahead of the joints. */
  #next(): Record<string, number> | null {
    const measured = this.#measured();
    if (this.#goals === null || measured === null) return null;
    this.#onTheWay = false;
    const next: Record<string, number> = {};
    for (const [i, { name, lower, upper }] of this.info.joints.entries()) {
      const way = this.#goals[i]! - measured[i]!;
      if (Math.abs(way) > LEAD) this.#onTheWay = true;
      const angle = measured[i]! + Math.min(Math.max(way, -LEAD), LEAD);
      next[name] = Math.min(Math.max(angle, lower), upper);
    }
    return next;
  }

  /** How stiff the hand is, Nm/rad, by joint: one that floats and is dragged pushes it back. */
  get #stiffness(): Record<string, number> {
    if (this.#dragged === null || this.#store.frames.get(this.info.id)?.state !== 'floating') return {};
    const { name, torque_limit } = this.info.joints[this.#dragged]!;
    return { [name]: Math.min(Math.max(torque_limit / 2 / GIVE, SOFTEST), FIRMEST) };
  }

  /** Sends the newest wish; one request at a time. */
  async #tell(): Promise<void> {
    this.#newer = true;
    if (this.#busy) return;
    this.#busy = true;
    while (this.#newer) {
      this.#newer = false;
      const body = { robot_id: this.info.id, joints: this.#next(), duration: DURATION, stiffness: this.#stiffness };
      const { ok, message } = await request({ path: '/sim/hand', body });
      if (ok) continue;
      this.#newer = false;
      this.#onTheWay = false;
      notice('fault', message);
    }
    this.#busy = false;
  }
}

/** One hand for each simulated arm, whoever of the page leads it. */
export class Hands {
  readonly #store: Store;
  readonly #hands = new Map<string, Hand>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** @returns null for an arm that is not simulated */
  of(info: ArmInfo): Hand | null {
    if (!info.simulated) return null;
    const key = JSON.stringify(info);
    let hand = this.#hands.get(key);
    if (hand === undefined) {
      hand = new Hand(info, this.#store);
      this.#hands.set(key, hand);
    }
    return hand;
  }
}
