import type { ArmFrame } from './protocol.ts';

/**
 * The angle that a person has asked a joint for and that its goal has not reached yet. The stream's goal is the present point of
 * the trajectory: a slider that showed it would take the next key press from there.
 */
export class AskedAngle {
  #value: number | null = null;
  #before: ArmFrame | undefined;
  /** The bridge has answered, or the motion is seen: what changes before that belongs to an earlier motion. */
  #begun = false;

  /** In degrees; null once the arm has it, or will not go there. */
  get value(): number | null {
    return this.#value;
  }

  /** @param value whole degrees @param answer whether the bridge accepts it */
  async ask(value: number, frame: ArmFrame | undefined, answer: Promise<boolean>): Promise<void> {
    this.#value = value;
    this.#before = frame;
    this.#begun = false;
    const accepted = await answer;
    // A newer angle has an answer of its own.
    if (this.#value !== value) return;
    this.#begun = true;
    if (!accepted) this.forget();
  }

  forget(): void {
    this.#value = null;
  }

  /**
   * Forgets the angle when the goal has arrived there, when the arm cannot be moved, and when its owner or state changes other than
   * by the beginning of this motion.
   * @param goal degrees @param me this page, as owners are named @param why why the arm cannot be moved; empty when it can
   */
  see(frame: ArmFrame, goal: number | null, me: string | undefined, why: string): void {
    if (this.#value === null) return;
    const { owner, state } = frame;
    const before = this.#before;
    this.#before = frame;
    const changed = owner !== before?.owner || state !== before.state;
    const begins = owner === me && (before?.owner !== me || state === 'moving');
    this.#begun ||= begins;
    // Rounded as the slider shows it: it would jump back by a step otherwise.
    const arrived = goal !== null && Math.round(goal) === this.#value;
    if (why !== '' || (this.#begun && changed && !begins) || arrived) this.forget();
  }
}
