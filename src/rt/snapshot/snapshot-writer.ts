import type { ArmLink } from '../driver/arm-link.ts';
import type { Gate } from '../joint/gate.ts';
import type { SetpointSource } from '../sources/setpoint-source.ts';
import { Field, FollowCode, type SharedState, type StateCode } from './shared-snapshot.ts';

/** What of an arm in the control loop goes into its snapshot. */
interface Published {
  readonly state: StateCode;
  readonly motion: number;
  readonly holding: boolean;
  /** Monotonic time, s; 0 before the first goals. */
  readonly goalTime: number;
  readonly source: SetpointSource | null;
  readonly link: ArmLink;
  readonly gate: Gate;
}

/** Writes an arm's block of the shared snapshot. */
export class SnapshotWriter {
  readonly #shared: SharedState;
  readonly #index: number;
  readonly #block: ReturnType<SharedState['arm']>;
  readonly #setpoints: Float64Array;

  /** @param setpoints where the joints are asked to be, rad: read by each write */
  constructor(shared: SharedState, index: number, setpoints: Float64Array) {
    this.#shared = shared;
    this.#index = index;
    this.#block = shared.arm(index);
    this.#setpoints = setpoints;
  }

  /**
   * @param now monotonic time, s
   * @param epoch seconds to add to monotonic times for time since the epoch
   */
  write(arm: Published, now: number, epoch: number): void {
    const { fields, arrays } = this.#block;
    const { link } = arm;
    this.#shared.beginWrite(this.#index);
    fields[Field.cycle] = this.#shared.cycle;
    fields[Field.state] = arm.state;
    fields[Field.torque] = link.up && link.anyTorque ? 1 : 0;
    fields[Field.holding] = arm.holding ? 1 : 0;
    fields[Field.sampleTime] = link.sampleTime === 0 ? 0 : link.sampleTime + epoch;
    fields[Field.sampleInstant] = link.sampleTime;
    fields[Field.goalTime] = arm.goalTime === 0 ? 0 : arm.goalTime + epoch;
    fields[Field.detailTime] = link.detailTime === 0 ? 0 : link.detailTime + epoch;
    fields[Field.motion] = arm.motion;
    const follow = arm.source?.follow;
    fields[Field.followState] = follow === undefined ? FollowCode.idle : follow.code;
    fields[Field.followLatency] = follow === undefined ? 0 : now - follow.sampleTime;
    fields[Field.discarded] = link.discarded;
    fields[Field.roundTripMedian] = link.roundTripMedian;
    fields[Field.roundTripLongest] = link.roundTripLongest;
    arrays.positions.set(link.positions);
    arrays.goals.set(arm.gate.goals);
    arrays.setpoints.set(this.#setpoints);
    arrays.velocities.set(link.velocities);
    arrays.efforts.set(link.efforts);
    arrays.temperatures.set(link.temperatures);
    arrays.temperatureLimits.set(link.temperatureLimits);
    arrays.voltages.set(link.voltages);
    arrays.alarms.set(link.alarms);
    for (let i = 0; i < link.heard.length; i++) {
      arrays.heardTimes[i] = link.heard[i] === 0 ? 0 : link.heard[i]! + epoch;
      arrays.lostReplies[i] = link.lost[i]!;
    }
    this.#shared.endWrite(this.#index);
  }
}
