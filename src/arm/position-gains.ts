import { messageOf } from '../message-of.ts';
import type { Arm } from './arm.ts';
import type { Arms } from './arms.ts';
import { forgetWhenRestored, type GainStore } from './gain-store.ts';

/**
 * Lets servos run on softer position gains than their own, which stay on disk meanwhile. A servo that connects has its
 * own gain, or gets it back, before it gets the requested fraction.
 */
export class PositionGains {
  readonly #arms: Arms;
  readonly #store: GainStore;
  readonly #notice: (text: string) => void;
  readonly #parts = new Map<Arm, number[]>();
  /** Changes of one arm run one after the other. */
  readonly #under = new Map<Arm, Promise<void>>();
  #begun = false;

  /** @param notice called when gains could not be changed */
  constructor(arms: Arms, store: GainStore, notice: (text: string) => void) {
    this.#arms = arms;
    this.#store = store;
    this.#notice = notice;
  }

  /**
   * Adds an arm, or resets it to its configured gains.
   * @param configured fractions by joint name; 1 where left out
   */
  add(arm: Arm, configured: Readonly<Record<string, number>>): void {
    const known = this.#parts.has(arm);
    this.#parts.set(
      arm,
      arm.model.joints.map(({ name }) => configured[name] ?? 1),
    );
    if (this.#begun && !known) this.#watch(arm);
  }

  /** From now on connected servos get the requested gains. */
  begin(): void {
    this.#begun = true;
    for (const arm of this.#parts.keys()) this.#watch(arm);
  }

  #watch(arm: Arm): void {
    if (arm.remote) return;
    let away = arm.read().state === 'disconnected';
    if (!away && this.#softened(arm)) this.#apply(arm);
    arm.onState((state) => {
      const back = away && state !== 'disconnected';
      away = state === 'disconnected';
      if (back) this.#back(arm);
    });
  }

  /** Gives the servos of a reconnected arm their own gains first, if they had others. */
  #back(arm: Arm): void {
    if (this.#softened(arm)) this.#apply(arm);
    else if (this.#store.kept(arm.name, arm.bus) !== undefined) void forgetWhenRestored(arm, this.#store);
  }

  /** Fractions by joint, 0..1. */
  parts(arm: Arm): readonly number[] {
    return this.#parts.get(arm)!;
  }

  /** Why they cannot be changed now, human-readable; null when they can. */
  refusal(arm: Arm): string | null {
    const { state } = arm.read();
    if (!['moving', 'mirroring', 'floating'].includes(state)) return null;
    return `arm ${arm.name} is ${state}: its gains change while it holds or is limp`;
  }

  /**
   * Sets the fraction for one joint's servos: at once, or when the arm connects.
   * @param part from `leastGain` of the arm's model to 1
   */
  set(arm: Arm, joint: number, part: number): void {
    const parts = this.#parts.get(arm)!;
    if (parts[joint] === part) return;
    parts[joint] = part;
    this.#apply(arm);
  }

  /** Gives all servos their own gains back when the bridge ends. Unreachable servos get theirs at the next start. */
  async restore(): Promise<void> {
    await Promise.all(
      this.#arms.all.map(async (arm) => {
        if (!this.#softened(arm)) return;
        this.#parts.get(arm)!.fill(1);
        if (arm.read().state === 'disconnected') return;
        this.#apply(arm);
        await this.#under.get(arm);
        await forgetWhenRestored(arm, this.#store);
      }),
    );
  }

  #softened(arm: Arm): boolean {
    return this.#parts.get(arm)!.some((part) => part !== 1);
  }

  #apply(arm: Arm): void {
    const done = (this.#under.get(arm) ?? Promise.resolve()).then(() => this.#change(arm));
    this.#under.set(
      arm,
      done.catch((error) => {
        // A disconnected arm gets its gains when it reconnects.
        if (arm.read().state === 'disconnected') return;
        this.#notice(`${arm.name}: the position gains of its servos have not been changed: ${messageOf(error)}`);
      }),
    );
  }

  async #change(arm: Arm): Promise<void> {
    const parts = Float64Array.from(this.#parts.get(arm)!);
    // Once the servos have others, this file is the only record of their own gains.
    this.#store.keep(arm.name, arm.bus, await arm.servos.gains(parts));
    await arm.servos.workWith(parts);
    if (!this.#softened(arm)) void forgetWhenRestored(arm, this.#store);
  }
}
