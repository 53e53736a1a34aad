import type { ServoFacts } from '../rt/driver/arm-link.ts';
import type { ArmSet } from './arms.ts';
import type { ArmHandle } from './handle.ts';
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
  /** Ends of the reads that are under way. */
  readonly #running = new WeakMap<ArmHandle, Promise<unknown>>();
  /** Reads that have not begun yet. */
  readonly #next = new WeakMap<ArmHandle, Promise<readonly ServoFacts[]>>();

  constructor(arms: ArmSet) {
    this.#arms = arms;
  }

  async read(arm: Arm): Promise<readonly ServoFacts[]> {
    return this.#read(this.#own(arm));
  }

  async limitTemperatures(arm: Arm, limits: Float64Array, caller: Caller): Promise<void> {
    const handle = this.#own(arm);
    const { owner } = handle;
    if (owner !== null && owner.key !== caller.owner.key && !caller.takeOver) {
      throw new BridgeError('owned', `Arm ${arm.name} is driven by ${owner.name}.`, { owner: owner.name });
    }
    const { temperatures } = handle.read();
    for (const [i, { joint, id, model, highestTemperature }] of (await this.#read(handle)).entries()) {
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
    // Who has gone meanwhile could not be told.
    if (caller.signal?.aborted) return;
    await handle.limitTemperatures(limits);
  }

  /**
   * A read takes many turns of the loop. All who ask while one is under way share the next, so that many clients do not
   * keep the bus busy long after they have gone.
   */
  #read(handle: ArmHandle): Promise<readonly ServoFacts[]> {
    const next = this.#next.get(handle);
    if (next !== undefined) return next;
    const read = Promise.resolve(this.#running.get(handle)).then(() => {
      this.#next.delete(handle);
      return handle.servos();
    });
    this.#next.set(handle, read);
    this.#running.set(
      handle,
      read.catch(() => {}),
    );
    return read;
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
