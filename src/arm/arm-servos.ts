import type { ServoFacts } from '../rt/driver/arm-link.ts';
import type { GainPlan } from '../rt/driver/gains.ts';
import type { Arm } from './arm.ts';
import type { ArmControl } from './arm-control.ts';
import { BridgeError, type Caller } from './types.ts';

export type { ServoFacts };

/** A servo this near to its limit stops its arm: a limit is to be further above its present temperature, K. */
const HEAT_MARGIN = 5;

/** What the servos of one arm are, their own limits, and the position gains with which they work. */
export class ArmServos {
  readonly #arm: Arm;
  readonly #control: ArmControl;
  /** End of the read that is under way. */
  #running: Promise<unknown> = Promise.resolve();
  /** The read that has not begun yet. */
  #next: Promise<readonly ServoFacts[]> | null = null;

  constructor(arm: Arm, control: ArmControl) {
    this.#arm = arm;
    this.#control = control;
  }

  /** One per joint, read from the servos now. @throws {BridgeError} disconnected; unsupported for a remote arm */
  async read(): Promise<readonly ServoFacts[]> {
    this.#requireOwn();
    // A read takes many cycles. All who ask while one is under way share the next, so that many clients do not keep the
    // bus busy long after they have gone.
    if (this.#next !== null) return this.#next;
    const read = this.#running.then(async () => {
      this.#next = null;
      return (await this.#control.command({ kind: 'servos' })).servos ?? [];
    });
    this.#next = read;
    this.#running = read.catch(() => {});
    return read;
  }

  /**
   * Writes the temperature at which each servo switches itself off, degrees Celsius, one per joint. Kept by the servos.
   * @throws {BridgeError} disconnected, owned; bad_request above the maker's maximum or at the present temperature;
   * unsupported where a servo does not take it now
   */
  async limitTemperatures(limits: Float64Array, caller: Caller): Promise<void> {
    const arm = this.#arm;
    this.#requireOwn();
    const refused = arm.refusalFor(caller);
    if (refused !== null) throw refused;
    const { temperatures } = arm.read();
    for (const [i, { joint, id, model, highestTemperature }] of (await this.read()).entries()) {
      const limit = limits[i]!;
      const servo = `servo ${id} (${joint}) of arm ${arm.name}`;
      if (limit > highestTemperature) {
        throw new BridgeError(
          'bad_request',
          `The maximum of ${servo}, a ${model}, is ${highestTemperature} degrees Celsius, not ${limit}. Nothing has been written.`,
          { arm },
        );
      }
      if (limit < temperatures[i]! + HEAT_MARGIN) {
        throw new BridgeError(
          'bad_request',
          `${servo} has ${temperatures[i]} degrees Celsius and would switch itself off at ${limit}: choose at least ` +
            `${temperatures[i]! + HEAT_MARGIN}. Nothing has been written.`,
          { arm },
        );
      }
    }
    // A client that has gone meanwhile could not be told.
    if (caller.signal?.aborted) return;
    await this.#control.command({ kind: 'limit_temperatures', limits });
  }

  /**
   * What the servos would be given for parts of their own position gains, 0..1, and whether they have their own ones.
   * @throws {BridgeError} disconnected, unsupported
   */
  async gains(parts: Float64Array): Promise<GainPlan & { readonly restored: boolean }> {
    return (await this.#control.command({ kind: 'gains', parts })).gains!;
  }

  /**
   * From now on the servos work with these parts of their own position gains, 0..1 by joint, when the arm does not float;
   * what connects anew has its own ones. @throws {BridgeError} disconnected, unsupported
   */
  async workWith(parts: Float64Array): Promise<void> {
    await this.#control.command({ kind: 'work_gains', parts });
  }

  /** @throws {BridgeError} */
  #requireOwn(): void {
    const arm = this.#arm;
    arm.requireConnected();
    if (!arm.remote) return;
    throw new BridgeError(
      'unsupported',
      `The servos of arm ${arm.name} belong to the bridge of another machine (bus: ros): ask that one.`,
      { arm },
    );
  }
}
