import { type ArmModel, armChain } from '../../src/arm/model.ts';
import type { Clock, Timer } from '../../src/clock.ts';
import { emulateServos } from '../../src/sim/emulate-servos.ts';
import type { EmulatedServo, EmulatedServoBus } from '../../src/sim/emulated-servo.ts';
import type { MotorParameters } from '../../src/sim/sts3215-motor.ts';
import type { Device } from './rig.ts';

const RADIANS_PER_STEP = (2 * Math.PI) / 4096;
/** Times of the physics, s. */
const TICK = 0.004;
const STEP = 0.002;
const CATCH_UP = 0.05;
/** A limp joint stays where a hand has put it, Nm. */
const LIMP_FRICTION = 9;

/** Servos of both families have the register. */
interface Homed extends EmulatedServo {
  value(name: 'homing_offset'): number;
}

/**
 * An arm on a table: emulated servos on a bus, joints with inertia, damping, friction and weight, and horns
 * that were mounted at any angle. A hand puts limp joints anywhere at once.
 */
export class TableArm implements Device {
  readonly model: ArmModel;
  readonly positions: number[];
  readonly bus: EmulatedServoBus;
  onReply: (bytes: Uint8Array) => void = () => {};
  readonly #clock: Clock;
  readonly #servos: readonly EmulatedServo[];
  readonly #motors: readonly MotorParameters[];
  readonly #mounts: readonly { readonly sign: number; readonly zero: number }[];
  readonly #velocities: number[];
  readonly #chain;
  readonly #timer: Pick<Timer, 'cancel'>;
  #time: number;

  /**
   * @param horns by which the servo of each joint is mounted otherwise than the arm's data say, steps
   * @param turned joints whose servo sits the other way round
   */
  constructor(clock: Clock, model: ArmModel, horns: readonly number[], turned: readonly string[] = []) {
    this.#clock = clock;
    this.#time = clock.now();
    this.model = model;
    this.positions = [...model.poses.get('init')!];
    this.#velocities = model.joints.map(() => 0);
    const specs = model.joints.map(({ servos, stiffness, settings }) => [
      { id: servos[0]!.id, model: servos[0]!.model, stiffness, eeprom: settings, ambientTemperature: 25 },
    ]);
    const { servos, motors, bus } = emulateServos('table', specs, (bytes) => this.onReply(bytes), 1);
    this.#servos = servos.flat();
    this.#motors = motors.flat();
    this.#mounts = model.joints.map(({ name, servos: own }, i) => ({
      sign: own[0]!.sign * (turned.includes(name) ? -1 : 1),
      zero: (own[0]!.zero + horns[i]!) * RADIANS_PER_STEP,
    }));
    this.bus = bus;
    this.#chain = armChain(model);
    this.#advance();
    this.#timer = clock.every(TICK, () => this.#advance());
  }

  feed(bytes: Uint8Array): void {
    this.bus.feed(bytes, 1000 * this.#clock.now());
  }

  end(): void {
    this.#timer.cancel();
  }

  get limp(): boolean {
    return this.#servos.every(({ torqueOn }) => !torqueOn);
  }

  /** What the servos add to what their encoders say, from their registers, steps. */
  get homingOffsets(): number[] {
    return this.#servos.map((servo) => (servo as Homed).value('homing_offset'));
  }

  /** Puts a joint at a part of its range, 0 to 1; it must be limp. */
  put(joint: number, part: number): void {
    const { lower, upper } = this.model.joints[joint]!;
    this.positions[joint] = lower + part * (upper - lower);
    this.#velocities[joint] = 0;
    this.#advance();
  }

  putAll(part: number): void {
    for (const joint of this.positions.keys()) this.put(joint, part);
  }

  powerCycle(): void {
    for (const servo of this.#servos) servo.powerCycle();
  }

  #advance(): void {
    const now = this.#clock.now();
    if (now - this.#time > CATCH_UP) this.#time = now - CATCH_UP;
    const weight = new Float64Array(this.positions.length);
    this.#chain.gravityTorques(Float64Array.from(this.positions), weight);
    do {
      this.#time += STEP;
      for (const i of this.positions.keys()) this.#move(i, weight[i]!);
    } while (this.#time + STEP <= now);
  }

  #move(i: number, weight: number): void {
    const servo = this.#servos[i]!;
    const { armature, damping, frictionLoss } = this.#motors[i]!;
    const { sign, zero } = this.#mounts[i]!;
    const velocity = this.#velocities[i]!;
    const torque = sign * servo.step(STEP, zero + sign * this.positions[i]!, sign * velocity) - weight;
    const friction = servo.torqueOn ? frictionLoss : LIMP_FRICTION;
    const inertia = armature + damping * STEP;
    const free = (armature * velocity + torque * STEP) / inertia;
    this.#velocities[i] = Math.sign(free) * Math.max(0, Math.abs(free) - (friction * STEP) / inertia);
    this.positions[i] = this.positions[i]! + this.#velocities[i]! * STEP;
  }
}
