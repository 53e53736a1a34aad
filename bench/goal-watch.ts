/** Instructions and registers of an STS3215's bus, as its data sheet prints them. */
const WRITE = 0x03;
const SYNC_WRITE = 0x83;
const TORQUE_ENABLE = 40;
const GOAL_POSITION = 42;
/** Bytes of the longest frame that has a meaning. */
const LONGEST = 253;
/** Step of a servo, rad. */
export const SERVO_STEP = (2 * Math.PI) / 4096;

/**
 * Watches a Feetech bus from its wire: the goals that its servos are sent. It reads frames by itself, so that it shares no
 * mistake with the codec that wrote them.
 */
export class GoalWatch {
  /** Goals seen, and those of servos with torque that differ from the ones before. */
  count = 0;
  changes = 0;
  /** Largest change of the goal of a servo with torque from one message to the next, rad. */
  largest = 0;
  readonly #goals = new Map<number, number>();
  /** Servos that have been given torque; the others follow no goal. */
  readonly #held = new Set<number>();
  #rest: number[] = [];

  /** Bytes from the host, in whatever chunks they come. */
  take(chunk: Uint8Array): void {
    const bytes = [...this.#rest, ...chunk];
    let at = 0;
    while (at + 4 <= bytes.length) {
      const size = bytes[at + 3]! + 4;
      if (bytes[at] !== 0xff || bytes[at + 1] !== 0xff || size < 6 || size > LONGEST) at++;
      else if (at + size > bytes.length) break;
      else {
        this.#frame(bytes.slice(at, at + size));
        at += size;
      }
    }
    this.#rest = bytes.slice(at);
  }

  #frame(frame: readonly number[]): void {
    const [id, instruction, address] = [frame[2]!, frame[4]!, frame[5]!];
    if (instruction === WRITE) this.#written(id, address, frame.slice(6, -1));
    if (instruction !== SYNC_WRITE) return;
    const size = 1 + frame[6]!;
    for (let at = 7; at + size < frame.length; at += size) {
      this.#written(frame[at]!, address, frame.slice(at + 1, at + size));
    }
  }

  #written(id: number, address: number, data: readonly number[]): void {
    const torque = address > TORQUE_ENABLE ? undefined : data[TORQUE_ENABLE - address];
    if (torque === 1) this.#held.add(id);
    if (torque === 0) this.#held.delete(id);
    const low = data[GOAL_POSITION - address];
    const high = data[GOAL_POSITION + 1 - address];
    if (address > GOAL_POSITION || low === undefined || high === undefined) return;
    const goal = (low | (high << 8)) * SERVO_STEP;
    if (this.#held.has(id)) {
      const step = Math.abs(goal - (this.#goals.get(id) ?? goal));
      if (step > 0) this.changes++;
      this.largest = Math.max(this.largest, step);
    }
    this.#goals.set(id, goal);
    this.count++;
  }
}
