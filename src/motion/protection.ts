import type { ArmHandle } from '../arm/handle.ts';
import type { Caller } from '../arm/types.ts';
import type { MotionService } from './service.ts';

const KEY = 'protection';

/** Lowers an arm of which a servo cannot go on carrying, while the others still carry it. */
export class Protection {
  readonly #motion: MotionService;
  readonly #tell: (text: string) => void;
  /** Arms that are on their way down. */
  readonly #lowering = new Set<ArmHandle>();

  /** @param tell is given what people must know */
  constructor(motion: MotionService, tell: (text: string) => void) {
    this.#motion = motion;
    this.#tell = tell;
  }

  /**
   * Takes the arm from whoever drives it, lowers it by a checked way to its rest pose, and releases it; with a dead servo,
   * whose torque nobody can switch off, it holds there. An arm that a person has stopped is left as it is, and so is one
   * without torque. A gripper carries nothing of the arm.
   * @param joint whose servo it is
   * @param text why it cannot go on, for people
   * @param dead it does not answer
   */
  async ailing(arm: ArmHandle, joint: number, text: string, dead: boolean): Promise<void> {
    const needless = this.#lowering.has(arm) || joint === arm.model.gripper?.index || !arm.read().torque;
    if (!needless) await this.#lower(arm, joint, text, dead);
    // Without a control thread there is nothing left to give up.
    if (dead) await arm.giveUp().catch(() => {});
  }

  async #lower(arm: ArmHandle, joint: number, text: string, dead: boolean): Promise<void> {
    this.#lowering.add(arm);
    const caller: Caller = { owner: { key: KEY, name: `the protection of its servos (${text})` }, takeOver: true };
    this.#tell(`${arm.name}: ${text}: it is lowered${dead ? ' by the others' : ' and released'}`);
    let problem: string | null;
    try {
      // Whoever drives it is told before its way down is planned from where it then stands.
      const claim = arm.claim(caller, () => {});
      // What another would have it do, it could not do.
      if (dead) arm.reserve(caller.owner);
      problem = await this.#motion.lower(arm, caller, dead ? joint : null).finally(() => arm.release(claim));
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    } finally {
      arm.unreserve(caller.owner);
      this.#lowering.delete(arm);
    }
    if (problem !== null) this.#tell(`${arm.name}: ${text} and the arm was not lowered: ${problem}`);
    if (arm.owner !== null) return;
    if (dead) arm.notice = problem === null ? 'the other servos have lowered it and hold' : '';
    else arm.notice = `${text}: ${problem ?? 'it has been lowered and released'}`;
  }
}
