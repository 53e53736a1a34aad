import type { Arm } from '../arm/arm.ts';
import { BridgeError, type Caller } from '../arm/types.ts';
import type { MoveService } from './move-service.ts';

/** Longest wait for servos that are to say that they hold, s. */
const SAMPLE_TIMEOUT = 0.5;

/**
 * Switches the torque of whole arms. An arm already in the requested state is left alone. An arm on its way to the
 * opposite state is taken from its owner, or the request is refused.
 */
export class TorqueSwitch {
  readonly #moves: MoveService;

  constructor(moves: MoveService) {
    this.#moves = moves;
  }

  /** Makes the arm hold where it is, without a jump or a sag. @throws {BridgeError} disconnected, stopped, owned, no_sample */
  async on(arm: Arm, caller: Caller): Promise<void> {
    requireOwnServos(arm);
    arm.requireDrivable();
    const ask = arm.ask();
    const holds = (): boolean => arm.read().holding && arm.headsFor !== 'limp';
    // A servo that has lost its supply since the last sample is not yet known to hold nothing.
    if (holds()) await arm.readFresh(SAMPLE_TIMEOUT);
    // A stop may have come meanwhile.
    arm.requireDrivable();
    if (holds()) return;
    const letGo = arm.headsFor === 'limp';
    const session = arm.claim(caller, { still: true, ask });
    try {
      if (letGo) await session.brake();
      await session.torqueOn();
      session.requireHeld();
    } finally {
      session.end();
    }
  }

  /**
   * Lowers the arm to its rest pose and lets it go limp there.
   * @param force let it go limp at once, wherever it is, even while it is stopped
   * @returns null, or why the arm still holds
   * @throws {BridgeError} disconnected, stopped, owned
   */
  async off(arm: Arm, force: boolean, caller: Caller): Promise<string | null> {
    requireOwnServos(arm);
    arm.requireConnected();
    const { torque } = arm.read();
    if (!torque && arm.headsFor !== 'torque') return null;
    // An arm that is still limp needs no lowering.
    if (torque && !force) return (await this.#moves.sleep(arm, caller)).message;
    // A stopped arm has no owner, and someone with a hand under it may want it limp.
    if (arm.read().state === 'stopped') {
      await arm.dropTorque(caller);
      return null;
    }
    const session = arm.claim(caller, { still: true });
    try {
      await session.torqueOff();
      return null;
    } finally {
      session.end();
    }
  }
}

/** @throws {BridgeError} unsupported for an arm whose servos are on another machine */
function requireOwnServos(arm: Arm): void {
  if (!arm.remote) return;
  throw new BridgeError(
    'unsupported',
    `The servos of arm ${arm.name} belong to the bridge of another machine (bus: ros): switch its torque there.`,
    { arm },
  );
}
