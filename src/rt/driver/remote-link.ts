import type { Outcome } from '../../servo/bus-session.ts';
import { AwakeClock } from '../loop/awake-clock.ts';
import type { ArmLink, Power } from './arm-link.ts';
import { ArmReadings } from './arm-readings.ts';

/** A remote arm that has sent nothing for this long counts as gone, s. */
const SILENCE = 0.5;
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
  up = false;
  reason: string;
  onSettled: () => void = () => {};
  onWarning: (text: string) => void = () => {};
  onAiling: ArmLink['onAiling'] = () => {};
  readonly #silent: string;
  readonly #clock = new AwakeClock();
  /** When the last state arrived, on `#clock`, s. */
  #arrived = 0;
  /** When external torques last arrived, monotonic, s; infinite while none are known. */
  #pushed = Number.POSITIVE_INFINITY;
  #closed = false;

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
    this.#silent = `nothing comes on the ROS topic /${name}/joint_states: start the bridge that owns its bus`;
    this.reason = this.#silent;
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
    if (this.#closed) return;
    const { readings } = this;
    readings.positions.set(positions);
    readings.sampleTime = now;
    readings.steerTime = now;
    readings.heard.fill(now);
    this.#arrived = this.#clock.time;
    if (velocities !== null) {
      readings.velocities.set(velocities);
      readings.detailTime = now;
    }
    if (efforts !== null) readings.efforts.set(efforts);
    if (!this.up) this.adopted.set(positions);
    this.up = true;
    this.reason = '';
  }

  /** External torques of its joints have arrived, Nm. @param now monotonic time of their arrival, s */
  pushed(torques: Float64Array, now: number): void {
    if (this.#closed) return;
    this.readings.external.set(torques);
    this.#pushed = now;
  }

  begin(now: number): boolean {
    if (now - this.#pushed > TORQUES_KEPT) {
      this.readings.external.fill(Number.NaN);
      this.#pushed = Number.POSITIVE_INFINITY;
    }
    this.#clock.advance(now);
    if (this.up && this.#clock.time - this.#arrived > SILENCE) {
      this.up = false;
      this.reason = this.#silent;
    }
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

  limitTemperatures(_limits: Float64Array, done: (outcome: Outcome<void>) => void): void {
    done({ problem: ELSEWHERE });
  }

  calibrate(_joints: unknown, done: (outcome: Outcome<void>) => void): void {
    done({ problem: ELSEWHERE });
  }

  close(reason: string, done: () => void = () => {}): void {
    this.#closed = true;
    this.up = false;
    this.reason = reason;
    done();
  }

  reopen(): void {
    if (!this.#closed) return;
    this.#closed = false;
    this.reason = this.#silent;
  }
}
