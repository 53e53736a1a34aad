import type { ArmSet } from '../arm/arms.ts';
import { type Arm, BridgeError, type Caller } from '../arm/types.ts';
import type { Motion } from './moves.ts';

/** Switches the torque of whole arms. */
export interface Torque {
  /** Holds the arm where it is, without a jump or a sag. @throws {BridgeError} disconnected, stopped, owned */
  on(arm: Arm, caller: Caller): Promise<void>;
  /**
   * Lowers the arm to its rest pose and lets it go limp there.
   * @param force let it go at once, wherever it is, also while it is stopped
   * @returns null, or why the arm still holds
   * @throws {BridgeError} disconnected, stopped, owned
   */
  off(arm: Arm, force: boolean, caller: Caller): Promise<string | null>;
}

export class TorqueSwitch implements Torque {
  readonly #arms: ArmSet;
  readonly #motion: Motion;

  constructor(arms: ArmSet, motion: Motion) {
    this.#arms = arms;
    this.#motion = motion;
  }

  async on(arm: Arm, caller: Caller): Promise<void> {
    const handle = this.#own(arm);
    handle.requireDrivable();
    if (handle.read().holding) return;
    const claim = handle.claim(caller, () => {});
    try {
      await handle.torqueOn();
    } finally {
      handle.release(claim);
    }
  }

  async off(arm: Arm, force: boolean, caller: Caller): Promise<string | null> {
    const handle = this.#own(arm);
    handle.requireConnected();
    if (!handle.read().torque) return null;
    if (!force) return (await this.#motion.sleep(arm, caller)).message;
    // A stopped arm belongs to nobody, and someone with a hand under it may want it limp.
    if (handle.read().state === 'stopped') {
      await handle.torqueOff();
      return null;
    }
    const claim = handle.claim(caller, () => {});
    try {
      await handle.torqueOff();
      return null;
    } finally {
      handle.release(claim);
    }
  }

  /** @throws {BridgeError} unsupported for an arm whose servos are on another machine */
  #own(arm: Arm) {
    const handle = this.#arms.byName(arm.name)!;
    if (!handle.remote) return handle;
    throw new BridgeError(
      'unsupported',
      `The servos of arm ${arm.name} belong to the bridge of another machine (bus: ros): switch its torque there.`,
    );
  }
}
