import { AwakeClock } from '../loop/awake-clock.ts';
import type { ArmLink, ServoFacts } from './arm-link.ts';

/** A remote arm from which nothing has come for this long is gone, s. */
const SILENCE = 0.5;

const ELSEWHERE = 'its servos belong to the bridge of another machine: ask that one';

/**
 * An arm whose bus another machine owns: positions come in by message, goals go out by whoever reads the snapshot. The
 * machine that owns the bus ramps, gates and holds.
 */
export class RemoteLink implements ArmLink {
  readonly remote = true;
  readonly positions: Float64Array;
  readonly adopted: Float64Array;
  readonly gain: Float64Array;
  readonly gains = null;
  readonly velocities: Float64Array;
  readonly efforts: Float64Array;
  readonly temperatures: Float64Array;
  readonly temperatureLimits: Float64Array;
  readonly voltages: Float64Array;
  readonly alarms: Float64Array;
  readonly torqueRefusal = '';
  readonly miscalibrated = '';
  readonly fault = '';
  readonly heard: Float64Array;
  readonly lost: Uint32Array;
  readonly discarded = 0;
  readonly roundTripMedian = 0;
  readonly roundTripLongest = 0;
  readonly torque = true;
  readonly anyTorque = true;
  readonly held: Uint8Array;
  readonly withheld: Uint8Array;
  readonly readTime = 0;
  up = false;
  reason: string;
  sampleTime = 0;
  steerTime = 0;
  detailTime = 0;
  onSettled: () => void = () => {};
  onWarning: (text: string) => void = () => {};
  onAiling: ArmLink['onAiling'] = () => {};
  readonly #silent: string;
  readonly #clock = new AwakeClock();
  /** When something arrived last, by that clock, s. */
  #arrived = 0;
  #closed = false;

  constructor(joints: number, name: string) {
    this.positions = new Float64Array(joints).fill(Number.NaN);
    this.heard = new Float64Array(joints);
    this.lost = new Uint32Array(joints);
    this.held = new Uint8Array(joints).fill(1);
    this.withheld = new Uint8Array(joints);
    this.adopted = new Float64Array(joints);
    this.gain = new Float64Array(joints).fill(1);
    this.velocities = new Float64Array(joints);
    this.efforts = new Float64Array(joints);
    this.temperatures = new Float64Array(joints);
    this.temperatureLimits = new Float64Array(joints);
    this.voltages = new Float64Array(joints);
    this.alarms = new Float64Array(joints);
    this.#silent = `nothing comes on the ROS topic /${name}/joint_states: start the bridge that owns its bus`;
    this.reason = this.#silent;
  }

  /** A state of the arm has arrived. @param now monotonic time of its arrival, s */
  arrived(positions: Float64Array, velocities: Float64Array | null, now: number): void {
    if (this.#closed) return;
    this.positions.set(positions);
    this.sampleTime = now;
    this.steerTime = now;
    this.heard.fill(now);
    this.#arrived = this.#clock.time;
    if (velocities !== null) {
      this.velocities.set(velocities);
      this.detailTime = now;
    }
    if (!this.up) this.adopted.set(positions);
    this.up = true;
    this.reason = '';
  }

  begin(now: number): boolean {
    this.#clock.advance(now);
    if (this.up && this.#clock.time - this.#arrived > SILENCE) {
      this.up = false;
      this.reason = this.#silent;
    }
    return false;
  }

  expire(): void {}

  write(): void {}

  setTorque(): void {}

  recover(): string {
    return '';
  }

  giveUp(): void {}

  async servos(): Promise<readonly ServoFacts[]> {
    throw new Error(ELSEWHERE);
  }

  async limitTemperatures(): Promise<void> {
    throw new Error(ELSEWHERE);
  }

  async calibrate(): Promise<void> {
    throw new Error(ELSEWHERE);
  }

  async close(reason: string): Promise<void> {
    this.#closed = true;
    this.up = false;
    this.reason = reason;
  }

  reopen(): void {
    if (!this.#closed) return;
    this.#closed = false;
    this.reason = this.#silent;
  }
}
