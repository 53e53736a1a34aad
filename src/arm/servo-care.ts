import type { ServoFacts } from '../control/link.ts';
import type { ArmSet } from './arms.ts';
import { type Arm, BridgeError, type Caller } from './types.ts';

export type { ServoFacts };

/** A servo this near to its limit stops its arm: a limit is to be further above its present temperature, K. */
const HEAT_MARGIN = 5;

/** What the servos of an arm are, and their own limits. */
export interface Servos {
  /** One per joint, read from the servos now. @throws {BridgeError} disconnected; unsupported for a remote arm */
  read(arm: Arm): Promise<readonly ServoFacts[]>;
  /**
   * Writes the temperature at which each servo switches itself off, degrees Celsius, one per joint. Kept by the servos.
   * @throws {BridgeError} disconnected, owned; bad_request above the maker's maximum or at the present temperature;
   * unsupported where a servo does not take it now
   */
  limitTemperatures(arm: Arm, limits: Float64Array, caller: Caller): Promise<void>;
}

export class ServoCare implements Servos {
  readonly #arms: ArmSet;

  constructor(arms: ArmSet) {
    this.#arms = arms;
  }

  async read(arm: Arm): Promise<readonly ServoFacts[]> {
    return this.#own(arm).servos();
  }

  async limitTemperatures(arm: Arm, limits: Float64Array, caller: Caller): Promise<void> {
    const handle = this.#own(arm);
    const { owner } = handle;
    if (owner !== null && owner.key !== caller.owner.key && !caller.takeOver) {
      throw new BridgeError('owned', `Arm ${arm.name} is driven by ${owner.name}.`, { owner: owner.name });
    }
    const { temperatures } = handle.read();
    for (const [i, { joint, id, model, highestTemperature }] of (await handle.servos()).entries()) {
      const limit = limits[i]!;
      const servo = `servo ${id} (${joint}) of arm ${arm.name}`;
      if (limit > highestTemperature) {
        throw new BridgeError(
          'bad_request',
          `The maximum of ${servo}, a ${model}, is ${highestTemperature} degrees Celsius, not ${limit}. Nothing has been written.`,
        );
      }
      if (limit < temperatures[i]! + HEAT_MARGIN) {
        throw new BridgeError(
          'bad_request',
          `${servo} has ${temperatures[i]} degrees Celsius and would switch itself off at ${limit}: choose at least ` +
            `${temperatures[i]! + HEAT_MARGIN}. Nothing has been written.`,
        );
      }
    }
    await handle.limitTemperatures(limits);
  }

  /** @throws {BridgeError} */
  #own(arm: Arm) {
    const handle = this.#arms.byName(arm.name)!;
    handle.requireConnected();
    if (!handle.remote) return handle;
    throw new BridgeError(
      'unsupported',
      `The servos of arm ${arm.name} belong to the bridge of another machine (bus: ros): ask that one.`,
    );
  }
}
