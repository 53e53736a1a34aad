import type { Arm } from '../arm/arm.ts';
import type { Caller } from '../arm/types.ts';
import { messageOf } from '../message-of.ts';
import type { Ailment } from '../rt/driver/arm-link.ts';
import type { MoveService } from './move-service.ts';

const KEY = 'protection';

/** Lowers an arm with an ailing servo while the other servos still carry it. */
export class Protection {
  readonly #motion: MoveService;
  readonly #tell: (text: string) => void;
  /** Arms being lowered now. */
  readonly #lowering = new Set<Arm>();

  /** @param tell receives important human-readable messages */
  constructor(motion: MoveService, tell: (text: string) => void) {
    this.#motion = motion;
    this.#tell = tell;
  }

  /**
   * Takes the arm from its owner, lowers it by a checked path to its rest pose, and releases it. If the servo is dead,
   * the arm instead holds as low as it gets. An arm that a person has stopped is left alone, and so is one without
   * torque or one whose gripper ails, since the gripper carries nothing of the arm.
   * @param joint of the ailing servo
   * @param text why the servo cannot go on, human-readable
   */
  async ailing(arm: Arm, joint: number, text: string, ailment: Ailment): Promise<void> {
    const needless = this.#lowering.has(arm) || joint === arm.model.gripper?.index || !arm.read().torque;
    if (!needless) await this.#lower(arm, joint, text, ailment);
    // Fails only without a control thread, and then there is nothing to give up.
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
      // Claimed first, so that the owner is told before the lowering is planned from where the arm then stands.
      const session = arm.claim(caller, { lowering: true });
      // With a dead joint the arm could not do what another owner would ask.
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
    // An arm with a silent servo becomes disconnected, for a reason that names the servo.
    if (ailment === 'silent') arm.notice = problem === null ? others : '';
    else arm.notice = `${text}: ${problem ?? (without === null ? 'it has been lowered and released' : others)}`;
  }
}
