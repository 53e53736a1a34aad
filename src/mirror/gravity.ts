import type { ArmSet } from '../arm/arms.ts';
import type { GainStore } from '../arm/gain-store.ts';
import type { ArmHandle, Claim, RunningMotion } from '../arm/handle.ts';
import { type Arm, BridgeError, type Caller, type Owner } from '../arm/types.ts';
import { letGo } from './leaders.ts';
import type { Gravity, GravityPercentages, PlannedMotions, Release } from './mirroring.ts';
import { float } from './weight-support.ts';

const OWNER: Owner = { key: 'gravity', name: 'gravity compensation' };

interface Floating {
  readonly claim: Claim;
  motion: RunningMotion | null;
}

/** Lets single arms float and takes them back. */
export class GravityService implements Gravity {
  readonly #arms: ArmSet;
  readonly #store: GainStore;
  readonly #mover: PlannedMotions;
  readonly #notice: (text: string) => void;
  readonly #floating = new Map<ArmHandle, Floating>();

  /** @param notice is told what people should know of an arm that has not been released */
  constructor(arms: ArmSet, store: GainStore, mover: PlannedMotions, notice: (text: string) => void) {
    this.#arms = arms;
    this.#store = store;
    this.#mover = mover;
    this.#notice = notice;
  }

  async start(arm: Arm, percentages: GravityPercentages, caller: Caller): Promise<void> {
    const handle = this.#arms.byId(arm.id);
    if (handle.remote) {
      throw new BridgeError(
        'unsupported',
        `Arm ${arm.name} belongs to another machine: start its gravity compensation there.`,
      );
    }
    const claim = handle.claim({ ...caller, owner: OWNER }, () => this.#forget(handle, floating));
    const floating: Floating = { claim, motion: null };
    this.#floating.set(handle, floating);
    try {
      await handle.torqueOn();
      const motion = await float(handle, claim, percentages, this.#store);
      floating.motion = motion;
      if (this.#floating.get(handle) !== floating) await handle.cancel(motion.motion);
      void motion.ended.then(() => this.#forget(handle, floating));
      await handle.nextCycle();
    } catch (error) {
      this.#forget(handle, floating);
      throw error;
    }
    const lost = claim.lostBecause();
    if (lost !== null) throw new BridgeError('owned', `Arm ${arm.name} does not float: ${lost}.`);
  }

  async stop(arm: Arm, release: Release = 'hold'): Promise<boolean> {
    const handle = this.#arms.byId(arm.id);
    const floating = this.#floating.get(handle);
    if (floating === undefined) return false;
    this.#forget(handle, floating);
    if (floating.motion !== null) await handle.cancel(floating.motion.motion);
    void letGo(handle, release, this.#mover, { owner: OWNER, takeOver: false }).then((problem) => {
      if (problem !== '') this.#notice(problem);
    });
    return true;
  }

  #forget(handle: ArmHandle, floating: Floating): void {
    if (this.#floating.get(handle) === floating) this.#floating.delete(handle);
    handle.release(floating.claim);
  }
}
