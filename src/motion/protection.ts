import type { ArmHandle } from '../arm/handle.ts';
import type { Caller } from '../arm/types.ts';
import type { MotionService } from './service.ts';

const PROTECTION: Caller = { owner: { key: 'protection', name: 'the protection of its servos' }, takeOver: true };

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
   * Takes the arm from whoever drives it, lowers it by a checked way to its rest pose, and releases it. One that a person
   * has stopped is left as it is, and so is one without torque. A gripper carries nothing of the arm: it goes on pressing
   * with what its servo leaves it.
   * @param joint whose servo it is
   * @param text why it cannot go on, for people
   */
  async ailing(arm: ArmHandle, joint: number, text: string): Promise<void> {
    if (this.#lowering.has(arm) || joint === arm.model.gripper?.index || !arm.read().torque) return;
    this.#lowering.add(arm);
    this.#tell(`${arm.name}: ${text}: it is lowered and released`);
    let problem: string | null;
    try {
      // Whoever drives it is told before its way down is planned from where it then stands.
      const claim = arm.claim(PROTECTION, () => {});
      problem = await this.#motion.lower(arm, PROTECTION).finally(() => arm.release(claim));
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    } finally {
      this.#lowering.delete(arm);
    }
    if (problem !== null) this.#tell(`${arm.name}: ${text} and the arm was not lowered: ${problem}`);
    if (arm.owner === null)
      arm.notice = problem === null ? `${text}: it has been lowered and released` : `${text}: ${problem}`;
  }
}
