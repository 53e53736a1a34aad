import type { ArmRecords } from '../arm/arm-records.ts';
import { nextCycle } from '../arm/next-cycle.ts';
import type { Origin } from '../arm/types.ts';
import type { Clock } from '../clock.ts';
import { type StopAnswer, stopAnswer } from '../http/stop-answer.ts';
import { type SharedState, StopWord } from '../rt/snapshot/shared-snapshot.ts';
import { SnapshotReader } from '../rt/snapshot/snapshot-reader.ts';
import type { StopArm } from './messages.ts';

/** Longest wait for the control loop to take up a stop, s: one that is not confirmed must be told as such. */
const TAKEN = 0.2;
/** A stopped arm whose joints still move after this time does not come to rest by itself, s. */
const REST_LIMIT = 0.8;
/** The loop is looked at so often where it does not run, s. */
const LOOK = 0.05;

type Tell = (arms: readonly number[], by: string, at: number, origin: Origin) => void;

interface DeskArm extends StopArm {
  readonly index: number;
  readonly reader: SnapshotReader;
}

/** Stops arms by their words of shared memory alone, keeps that on disk, and tells from their snapshots what has come of it. */
export class StopDesk {
  readonly #shared: SharedState;
  readonly #clock: Clock;
  readonly #records: Pick<ArmRecords, 'stopOnce'>;
  readonly #tell: Tell;
  readonly #arms: DeskArm[] = [];

  /** @param tell is given the places of the arms whose stops have been latched, who has asked, and when (monotonic, s) */
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

  /** Ids of the arms that there are. */
  get ids(): readonly number[] {
    return this.#arms.map(({ id }) => id);
  }

  /** Ids of the arms by their names. */
  get names(): ReadonlyMap<string, number> {
    return new Map(this.#arms.map(({ name, id }) => [name, id]));
  }

  /**
   * Stops the arm with an id, or all arms, and resolves when their joints rest, or will not.
   * @param how as the log and the arms' reasons say it
   */
  async stop(id: number | null, how: string, origin: Origin): Promise<StopAnswer> {
    const arms = this.#arms.filter((arm) => id === null || arm.id === id);
    for (const { index } of arms) {
      this.#shared.latchStop(index, StopWord.asked);
      // What is on its way is over, too.
      this.#shared.endEpoch(index);
    }
    const reason = `${how} by ${origin.who}`;
    this.#tell(
      arms.map(({ index }) => index),
      reason,
      this.#clock.now(),
      origin,
    );
    // The arms brake meanwhile.
    for (const arm of arms) this.#records.stopOnce(arm, reason);
    const faults = await Promise.all(arms.map((arm) => this.#confirmed(arm)));
    return stopAnswer(arms, 'Stopped', 'There is no arm.', faults);
  }

  /** @returns null when the joints of the arm rest, else what is wrong */
  async #confirmed(arm: DeskArm): Promise<string | null> {
    const began = this.#clock.now();
    for (;;) {
      const { state, resting } = arm.reader.read();
      // Somebody has reset it meanwhile, or its servos are gone.
      if (state === 'disconnected' || !this.#shared.stopLatched(arm.index)) return null;
      const taken = state === 'stopped';
      if (taken && (resting || arm.remote)) return null;
      const passed = this.#clock.now() - began;
      if (!taken && passed > TAKEN) return `no confirmation within ${TAKEN} s`;
      if (passed > REST_LIMIT) {
        return `it is stopped, and its joints still move ${REST_LIMIT} s later: hold it, and switch its power off`;
      }
      await nextCycle(this.#shared, this.#clock, this.#shared.cycle, LOOK);
    }
  }
}
