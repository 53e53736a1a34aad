import type { Arm } from '../arm/arm.ts';
import type { Caller } from '../arm/types.ts';
import { messageOf } from '../message-of.ts';
import type { Ailment } from '../rt/driver/arm-link.ts';
import type { MoveService } from './move-service.ts';

const KEY = 'protection';
/** By then a servo that has fallen silent, which brakes the arm at once, counts as lost, s; and a simulated one. */
const LOSS_KNOWN = 1;
const SIMULATED_LOSS_KNOWN = 6;

/** A servo that carries nothing any more. */
interface Lost {
  /** Why, human-readable. */
  readonly text: string;
  readonly ailment: Ailment;
}

type Losses = Map<number, Lost>;

/** Lowers an arm with an ailing servo while the other servos still carry it. */
export class Protection {
  readonly #motion: MoveService;
  readonly #tell: (text: string) => void;
  /** The servos that each arm lost which is being lowered now, by joint. */
  readonly #lowering = new Map<Arm, Losses>();
  /** Those of them whose servo has been reported once more. */
  readonly #again = new Set<Arm>();

  /** @param tell receives important human-readable messages */
  constructor(motion: MoveService, tell: (text: string) => void) {
    this.#motion = motion;
    this.#tell = tell;
  }

  /**
   * Takes the arm from its owner, lowers it by a checked path to its rest pose, and releases it. If the servo is lost,
   * the arm instead holds as low as it gets; one that is lost on the way down has the arm lowered again around it. An
   * arm that a person has stopped is left alone, and so is one without torque or one whose gripper ails, since the
   * gripper carries nothing of the arm.
   * @param joint of the ailing servo
   * @param text why the servo cannot go on, human-readable
   */
  async ailing(arm: Arm, joint: number, text: string, ailment: Ailment): Promise<void> {
    const lost = this.#lowering.get(arm);
    if (lost !== undefined) {
      if (ailment === 'failing') this.#again.add(arm);
      else lost.set(joint, { text, ailment });
      return;
    }
    const lowered = new Map<number, Lost>();
    if (ailment !== 'failing') lowered.set(joint, { text, ailment });
    const needless = joint === arm.model.gripper?.index || !arm.read().torque;
    if (!needless) await this.#lower(arm, text, lowered);
    // Fails only without a control thread, and then there is nothing to give up.
    if (lowered.size > 0) await arm.giveUp().catch(() => {});
  }

  /**
   * Whether more servos are lost than were known when a lowering began, or it is to be tried again.
   * @param problem why it did not succeed
   */
  async #mustGoOn(arm: Arm, lost: Losses, known: number, problem: string | null): Promise<boolean> {
    const { clock, simulated } = arm;
    const until = clock.now() + (simulated ? SIMULATED_LOSS_KNOWN : LOSS_KNOWN);
    const more = (): boolean => lost.size > known || this.#again.has(arm);
    while (problem !== null && !more() && clock.now() < until) await arm.nextCycle();
    return (this.#again.delete(arm) && problem !== null) || lost.size > known;
  }

  /** @param text why it is lowered @param lost its lost servos; those that are lost on the way are added */
  async #lower(arm: Arm, text: string, lost: Losses): Promise<void> {
    this.#lowering.set(arm, lost);
    this.#again.delete(arm);
    const owner = { key: KEY, name: `the protection of its servos (${text})` };
    const caller: Caller = { owner, takeOver: true, automatic: true };
    this.#tell(`${arm.name}: ${text}: it is lowered${lost.size === 0 ? ' and released' : ' by the others'}`);
    let problem: string | null;
    try {
      // Claimed first, so that the owner is told before the lowering is planned from where the arm then stands.
      const session = arm.claim(caller, { lowering: true });
      let known: number;
      do {
        known = lost.size;
        // With a dead joint the arm could not do what another owner would ask.
        if (known > 0) arm.reserve(caller.owner);
        problem = await this.#motion.lower(arm, caller, lost).finally(() => session.end());
      } while (await this.#mustGoOn(arm, lost, known, problem));
    } catch (error) {
      problem = messageOf(error);
    } finally {
      arm.unreserve(caller.owner);
      this.#lowering.delete(arm);
    }
    const losses = [...lost.values()];
    const why = [...new Set([text, ...losses.map((loss) => loss.text)])].join('; ');
    if (problem !== null) this.#tell(`${arm.name}: ${why} and the arm was not lowered: ${problem}`);
    if (arm.owner !== null) return;
    const others = 'the other servos have lowered it and hold';
    // An arm with a silent servo becomes disconnected, for a reason that names the servo.
    if (losses.some(({ ailment }) => ailment === 'silent')) arm.notice = problem === null ? others : '';
    else arm.notice = `${why}: ${problem ?? (losses.length === 0 ? 'it has been lowered and released' : others)}`;
  }
}
