import type { Arm } from '../arm/arm.ts';
import { type Caller, messageOf } from '../arm/types.ts';
import type { Ailment } from '../rt/driver/arm-link.ts';
import type { MoveService } from './move-service.ts';

const KEY = 'protection';

/** Lowers an arm of which a servo cannot go on carrying, while the others still carry it. */
export class Protection {
  readonly #motion: MoveService;
  readonly #tell: (text: string) => void;
  /** Arms that are on their way down. */
  readonly #lowering = new Set<Arm>();

  /** @param tell is given what people must know */
  constructor(motion: MoveService, tell: (text: string) => void) {
    this.#motion = motion;
    this.#tell = tell;
  }

  /**
   * Takes the arm from whoever drives it, lowers it by a checked way to its rest pose, and releases it; with a servo that
   * carries nothing any more it holds there, as low as it gets. An arm that a person has stopped is left as it is, and so is one
   * without torque. A gripper carries nothing of the arm.
   * @param joint whose servo it is
   * @param text why it cannot go on, for people
   */
  async ailing(arm: Arm, joint: number, text: string, ailment: Ailment): Promise<void> {
    const needless = this.#lowering.has(arm) || joint === arm.model.gripper?.index || !arm.read().torque;
    if (!needless) await this.#lower(arm, joint, text, ailment);
    // Without a control thread there is nothing left to give up.
    if (ailment !== 'failing') await arm.giveUp().catch(() => {});
  }

  async #lower(arm: Arm, joint: number, text: string, ailment: Ailment): Promise<void> {
    const without = ailment === 'failing' ? null : joint;
    this.#lowering.add(arm);
    const owner = { key: KEY, name: `the protection of its servos (${text})` };
    const caller: Caller = { owner, takeOver: true, automatic: true };
    this.#tell(`${arm.name}: ${text}: it is lowered${without === null ? ' and released' : ' by the others'}`);
    let problem: string | null;
    try {
      // Whoever drives it is told before its way down is planned from where it then stands.
      const session = arm.claim(caller, { lowering: true });
      // What another would have it do, it could not do.
      if (without !== null) arm.reserve(caller.owner);
      problem = await this.#motion.lower(arm, caller, without).finally(() => session.end());
    } catch (error) {
      problem = messageOf(error);
    } finally {
      arm.unreserve(caller.owner);
      this.#lowering.delete(arm);
    }
    if (problem !== null) this.#tell(`${arm.name}: ${text} and the arm was not lowered: ${problem}`);
    if (arm.owner !== null) return;
    const others = 'the other servos have lowered it and hold';
    // An arm with a silent servo is disconnected, for a reason that names it.
    if (ailment === 'silent') arm.notice = problem === null ? others : '';
    else arm.notice = `${text}: ${problem ?? (without === null ? 'it has been lowered and released' : others)}`;
  }
}
