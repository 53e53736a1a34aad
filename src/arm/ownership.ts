import type { ArmSet } from './arms.ts';
import type { Arm, Caller } from './types.ts';

/** Who may drive an arm, for those who ask for the arm itself and not for a motion. */
export interface Ownership {
  /**
   * Takes an arm from whoever has it and keeps it until it is released, taken over, stopped or disconnected. What drives
   * it decelerates to a hold. @throws {BridgeError} disconnected, stopped
   */
  takeOver(arm: Arm, caller: Caller): Promise<void>;
  /**
   * Gives an arm back; what the caller drives it with decelerates to a hold. Resolves to false when it was nobody's.
   * @throws {BridgeError} owned, disconnected, stopped
   */
  release(arm: Arm, caller: Caller): Promise<boolean>;
  /**
   * Makes what drives an arm decelerate to a hold; the arm stays with whoever keeps it. Resolves to false when nothing did.
   * @throws {BridgeError} owned, disconnected, stopped
   */
  halt(arm: Arm, caller: Caller): Promise<boolean>;
}

export class OwnershipService implements Ownership {
  readonly #arms: ArmSet;

  constructor(arms: ArmSet) {
    this.#arms = arms;
  }

  async takeOver(arm: Arm, caller: Caller): Promise<void> {
    const handle = this.#arms.byName(arm.name)!;
    await handle.halt({ ...caller, takeOver: true }, () => handle.keepFor(caller.owner));
  }

  async release(arm: Arm, caller: Caller): Promise<boolean> {
    const handle = this.#arms.byName(arm.name)!;
    if (handle.owner === null) return false;
    await handle.halt(caller, () => handle.keepFor(null));
    return true;
  }

  async halt(arm: Arm, caller: Caller): Promise<boolean> {
    const handle = this.#arms.byName(arm.name)!;
    const driven = handle.activity !== null;
    await handle.halt(caller);
    return driven;
  }
}
