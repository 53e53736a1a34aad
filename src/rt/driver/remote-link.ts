import type { Outcome } from '../../servo/bus-session.ts';
import type { ArmLink, Power } from './arm-link.ts';
import { ArmReadings } from './arm-readings.ts';
import { RemotePresence } from './remote-presence.ts';

/** External torques expire this long after they arrived, s. */
const TORQUES_KEPT = 0.1;

const ELSEWHERE = 'its servos belong to the bridge of another machine: ask that one';

/**
 * An arm whose bus another machine owns. Positions come in by message; whoever reads the snapshot sends the goals out.
 * The machine that owns the bus ramps, gates and holds.
 */
export class RemoteLink implements ArmLink {
  readonly remote = true;
  readonly readings: ArmReadings;
  readonly adopted: Float64Array;
  readonly gain: Float64Array;
  readonly gains = null;
  readonly limits: ArmLink['limits'];
  readonly torqueRefusal = '';
  readonly miscalibrated = '';
  readonly fault = '';
  blocked = '';
  torque = true;
  readonly arming = false;
  readonly frozen = false;
  readonly settling = false;
  readonly held: Uint8Array;
  readonly withheld: Uint8Array;
  readonly readTime = 0;
  readonly late = false;
  onSettled: () => void = () => {};
  onWarning: (text: string) => void = () => {};
  onAiling: ArmLink['onAiling'] = () => {};
  readonly #presence: RemotePresence;

  constructor(joints: number, name: string) {
    this.readings = new ArmReadings(joints);
    this.held = new Uint8Array(joints).fill(1);
    this.withheld = new Uint8Array(joints);
    this.adopted = new Float64Array(joints);
    this.gain = new Float64Array(joints).fill(1);
    this.limits = {
      lower: new Float64Array(joints).fill(Number.NEGATIVE_INFINITY),
      upper: new Float64Array(joints).fill(Number.POSITIVE_INFINITY),
    };
    this.#presence = new RemotePresence(
      `nothing comes on the ROS topic /${name}/joint_states: start the bridge that owns its bus`,
    );
  }

  get up(): boolean {
    return this.#presence.present;
  }

  get reason(): string {
    return this.#presence.reason;
  }

  get anyTorque(): boolean {
    return this.torque;
  }

  get trouble(): string {
    return this.blocked;
  }

  get power(): Power {
    return this.torque ? 'holding' : 'limp';
  }

  /**
   * Takes the owner's report of what it does with the arm.
   * @param torque the arm holds
   * @param blocked why it must not be driven, for people; empty if it may be
   */
  told(torque: boolean, blocked: string): void {
    this.torque = torque;
    this.held.fill(torque ? 1 : 0);
    this.blocked = blocked;
  }

  /**
   * A state of the arm has arrived.
   * @param positions rad
   * @param velocities rad/s; null if the sender does not know them
   * @param efforts Nm; null if the sender does not know them
   * @param now monotonic time of its arrival, s
   */
  arrived(positions: Float64Array, velocities: Float64Array | null, efforts: Float64Array | null, now: number): void {
    if (this.#presence.closed) return;
    const { readings } = this;
    readings.positions.set(positions);
    readings.sampleTime = now;
    readings.steerTime = now;
    readings.heard.fill(now);
    if (velocities !== null) {
      readings.velocities.set(velocities);
      readings.detailTime = now;
      readings.detailed.fill(now);
    }
    // What came earlier must not pass as read with these.
    if (efforts === null) readings.efforts.fill(Number.NaN);
    else readings.efforts.set(efforts);
    if (this.#presence.heard()) this.adopted.set(positions);
  }

  /** External torques of its joints have arrived, Nm. @param now monotonic time of their arrival, s */
  pushed(torques: Float64Array, now: number): void {
    if (this.#presence.closed) return;
    this.readings.external.set(torques);
    this.readings.externalTime = now;
  }

  begin(now: number): boolean {
    const { external, externalTime } = this.readings;
    if (now - externalTime > TORQUES_KEPT) external.fill(Number.NaN);
    this.#presence.advance(now);
    return false;
  }

  expire(): void {}

  write(): void {}

  probe(): void {}

  takesGoals(): boolean {
    return true;
  }

  setTorque(_on: boolean, settle: (problem: string) => void = () => {}): void {
    settle(ELSEWHERE);
  }

  endArming(): void {}

  recover(): string {
    return '';
  }

  giveUp(): void {}

  servos(done: (outcome: Outcome<never>) => void): void {
    done({ problem: ELSEWHERE });
  }

  failAgain(): void {}

  limitTemperatures(_limits: Float64Array, done: (outcome: Outcome<void>) => void): void {
    done({ problem: ELSEWHERE });
  }

  calibrate(_joints: unknown, done: (outcome: Outcome<void>) => void): void {
    done({ problem: ELSEWHERE });
  }

  close(reason: string, done: () => void = () => {}): void {
    this.#presence.close(reason);
    done();
  }

  reopen(): void {
    this.#presence.reopen();
  }
}
