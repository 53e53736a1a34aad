import type { ServoFacts } from '../rt/driver/arm-link.ts';
import type { GainPlan } from '../rt/driver/gains.ts';
import type { Arm } from './arm.ts';
import type { ArmControl } from './arm-control.ts';
import { BridgeError, type Caller } from './types.ts';

export type { ServoFacts };

/**
 * Least margin between a servo's temperature limit and its present temperature, K: nearer the limit it stops its arm.
 */
const HEAT_MARGIN = 5;

/** The servos of one arm: their models, their own limits, and the position gains in use. */
export class ArmServos {
  readonly #arm: Arm;
  readonly #control: ArmControl;
  /** Settles when the running read ends. */
  #running: Promise<unknown> = Promise.resolve();
  /** The queued read that has not begun yet; null if none. */
  #next: Promise<readonly ServoFacts[]> | null = null;

  constructor(arm: Arm, control: ArmControl) {
    this.#arm = arm;
    this.#control = control;
  }

  /** Reads the servos now; one entry per joint. @throws {BridgeError} disconnected; unsupported for a remote arm */
  async read(): Promise<readonly ServoFacts[]> {
    this.#requireOwn();
    // A read takes many cycles. Everyone who asks while one runs shares the next one: otherwise many clients would keep
    // the bus busy long after they have left.
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
   * Writes the temperature at which each servo switches itself off, degrees Celsius, one per joint. The servos keep it.
   * @throws {BridgeError} disconnected, owned; bad_request above the maker's maximum or too near the present
   *   temperature; unsupported where a servo does not accept it now
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
    // A client that has left meanwhile could not be told the result.
    if (caller.signal?.aborted) return;
    await this.#control.command({ kind: 'limit_temperatures', limits });
  }

  /**
   * The gains that the servos would get for these fractions, 0..1, of their own, and whether they run on their own now.
   * @throws {BridgeError} disconnected, unsupported
   */
  async gains(parts: Float64Array): Promise<GainPlan & { readonly restored: boolean }> {
    return (await this.#control.command({ kind: 'gains', parts })).gains!;
  }

  /**
   * Sets the fractions of their own position gains, 0..1 by joint, that the servos use while the arm does not float. A
   * servo that reconnects uses its own gains again.
   * @throws {BridgeError} disconnected, unsupported
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
