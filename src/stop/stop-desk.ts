import type { ArmRecords } from '../arm/arm-records.ts';
import { nextCycle } from '../arm/next-cycle.ts';
import type { Origin } from '../arm/types.ts';
import { REST_LIMIT, UNRESTED } from '../arm/unrested.ts';
import type { Clock } from '../clock.ts';
import { type StopAnswer, stopAnswer } from '../http/stop-answer.ts';
import { type SharedState, StopWord } from '../rt/snapshot/shared-snapshot.ts';
import { SnapshotReader } from '../rt/snapshot/snapshot-reader.ts';
import type { StopArm } from './messages.ts';

/** Longest wait for the control loop to take up a stop, s: an unconfirmed stop must be reported as such. */
const TAKEN = 0.2;
/** Polling interval while the control loop does not run, s. */
const LOOK = 0.05;

type Tell = (arms: readonly number[], by: string, at: number, origin: Origin) => void;

interface DeskArm extends StopArm {
  readonly index: number;
  readonly reader: SnapshotReader;
}

/**
 * Stops arms by their stop words in shared memory, saves the stops to disk, and reads the outcome from the snapshots.
 */
export class StopDesk {
  readonly #shared: SharedState;
  readonly #clock: Clock;
  readonly #records: Pick<ArmRecords, 'stopOnce'>;
  readonly #tell: Tell;
  readonly #arms: DeskArm[] = [];

  /**
   * @param tell receives the indices of the stopped arms, the reason with its requester, and the time (monotonic, s)
   */
  constructor(shared: SharedState, clock: Clock, records: Pick<ArmRecords, 'stopOnce'>, tell: Tell) {
    this.#shared = shared;
    this.#clock = clock;
    this.#records = records;
    this.#tell = tell;
  }

  add(arm: StopArm): void {
    const index = this.#arms.length;
    this.#shared.add(arm.joints, arm.memory);
    this.#arms.push({ ...arm, index, reader: new SnapshotReader(this.#shared, index) });
  }

  /** Ids of all arms. */
  get ids(): readonly number[] {
    return this.#arms.map(({ id }) => id);
  }

  /** Ids of the arms by name. */
  get names(): ReadonlyMap<string, number> {
    return new Map(this.#arms.map(({ name, id }) => [name, id]));
  }

  /**
   * Stops the arm with an id, or all arms for null. Resolves when the joints rest, or when it is clear that they will
   * not.
   * @param how wording for the log and the arms' reasons
   */
  async stop(id: number | null, how: string, origin: Origin): Promise<StopAnswer> {
    const arms = this.#arms.filter((arm) => id === null || arm.id === id);
    for (const { index } of arms) {
      this.#shared.latchStop(index, StopWord.asked);
      // Commands that are queued or streamed end too.
      this.#shared.endEpoch(index);
    }
    const reason = `${how} by ${origin.who}`;
    this.#tell(
      arms.map(({ index }) => index),
      reason,
      this.#clock.now(),
      origin,
    );
    // Saved after latching, because the disk is slow: the arms brake meanwhile.
    for (const arm of arms) this.#records.stopOnce(arm, reason);
    const faults = await Promise.all(arms.map((arm) => this.#confirmed(arm)));
    return stopAnswer(arms, 'Stopped', 'There is no arm.', faults);
  }

  /** @returns null once the joints rest, else the fault */
  async #confirmed(arm: DeskArm): Promise<string | null> {
    const began = this.#clock.now();
    const before = arm.reader.read();
    const held = !arm.remote && before.torque && before.state !== 'disconnected';
    for (;;) {
      const { state, resting } = arm.reader.read();
      // The stop has been reset meanwhile, or the servos were gone before.
      if (!this.#shared.stopLatched(arm.index)) return null;
      if (state === 'disconnected') return held ? UNRESTED.silent : null;
      const taken = state === 'stopped';
      if (taken && (resting || arm.remote)) return null;
      const passed = this.#clock.now() - began;
      if (!taken && passed > TAKEN) return `no confirmation within ${TAKEN} s`;
      if (passed > REST_LIMIT) {
        return UNRESTED.moves;
      }
      await nextCycle(this.#shared, this.#clock, this.#shared.cycle, LOOK);
    }
  }
}
