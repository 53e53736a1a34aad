import type { Arm } from '../arm/arm.ts';
import type { ArmSession } from '../arm/arm-session.ts';
import type { GainStore } from '../arm/gain-store.ts';
import { originOf } from '../arm/journal.ts';
import { BridgeError, type Caller, startedBy } from '../arm/types.ts';
import type { MoveService } from '../motion/move-service.ts';
import { letGo, requireReleasable } from './leaders.ts';
import type { GravityPercentages, Release } from './mirroring.ts';
import { float } from './weight-support.ts';

/** Gravity compensation of single arms: they support their weight and yield to the hand. */
export class GravityService {
  readonly #store: GainStore;
  readonly #moves: MoveService;
  readonly #notice: (text: string) => void;
  readonly #floating = new Map<Arm, ArmSession>();

  /** @param notice called when an arm could not be released */
  constructor(store: GainStore, moves: MoveService, notice: (text: string) => void) {
    this.#store = store;
    this.#moves = moves;
    this.#notice = notice;
  }

  /**
   * Resolves when the arm floats. A client that starts it again replaces its own, with other percentages.
   * @throws {BridgeError} disconnected, stopped, owned, unsupported
   */
  async start(arm: Arm, percentages: GravityPercentages, caller: Caller): Promise<void> {
    if (arm.remote) {
      throw new BridgeError(
        'unsupported',
        `Arm ${arm.name} belongs to another machine: start its gravity compensation there.`,
        { arm },
      );
    }
    const session = arm.claim({
      ...caller,
      owner: startedBy(caller.owner, 'gravity compensation'),
      origin: originOf(caller),
    });
    this.#floating.set(arm, session);
    session.onLost = () => this.#forget(session);
    try {
      await session.torqueOn();
      const { ended } = await float(session, percentages, this.#store);
      void ended.then(() => this.#forget(session));
    } catch (error) {
      this.#forget(session);
      const { lost } = session;
      if (lost === null || !(error instanceof BridgeError) || error.code !== 'owned') throw error;
      throw new BridgeError('owned', `Arm ${arm.name} does not float: ${lost}.`, { arm });
    }
  }

  /**
   * Needs no ownership. Resolves to false when the arm was not floating.
   * @param release what happens to the arm afterwards; left out: it holds where it is
   * @throws {BridgeError} owned, when it is to be released at once by somebody who has not started it
   */
  async stop(arm: Arm, caller: Caller, release: Release = 'hold'): Promise<boolean> {
    const session = this.#floating.get(arm);
    if (session === undefined) return false;
    requireReleasable(arm, session.owner.client ?? session.owner, caller, release);
    this.#floating.delete(arm);
    await arm.journal.during('halt', arm.name, originOf(caller), () => session.stop());
    void letGo(arm, release, this.#moves, { owner: session.owner, takeOver: false, automatic: true }).then(
      (problem) => {
        if (problem !== '') this.#notice(problem);
      },
    );
    return true;
  }

  #forget(session: ArmSession): void {
    if (this.#floating.get(session.arm) === session) this.#floating.delete(session.arm);
    session.end();
  }
}
