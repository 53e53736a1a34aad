import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ArmModel, armChain } from '../../../../src/arm/model.ts';
import { emulateServos } from '../../../../src/sim/emulate-servos.ts';
import type { EmulatedServo, EmulatedServoBus } from '../../../../src/sim/emulated-servo.ts';
import type { MotorParameters } from '../../../../src/sim/sts3215-motor.ts';
import { PseudoTerminal } from '../../../../src/sim/terminal.ts';

const RADIANS_PER_STEP = (2 * Math.PI) / 4096;
const TICK = 4;
const STEP = 0.002;
const CATCH_UP = 0.05;
/** A limp joint stays where a hand has put it, Nm. */
const LIMP_FRICTION = 9;

/**
 * An arm on a table: emulated servos behind a pseudo-terminal, joints with inertia, damping, friction and weight, and horns
 * that were mounted at any angle. A hand puts limp joints anywhere at once.
 */
export class TableArm {
  readonly model: ArmModel;
  readonly positions: number[];
  readonly bus: EmulatedServoBus;
  /** Whether some joint has had torque since it was looked at last. */
  readonly #servos: readonly EmulatedServo[];
  readonly #motors: readonly MotorParameters[];
  readonly #mounts: readonly { readonly sign: number; readonly zero: number }[];
  readonly #velocities: number[];
  readonly #folder = mkdtempSync(join(tmpdir(), 'arm-bridge-table-'));
  readonly #chain;
  #clock = performance.now() / 1000;
  #terminal: PseudoTerminal | null = null;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param horns by which the servo of each joint is mounted otherwise than the arm's data say, steps
   * @param turned joints whose servo sits the other way round
   */
  constructor(model: ArmModel, horns: readonly number[], turned: readonly string[] = []) {
    this.model = model;
    this.positions = [...model.poses.get('init')!];
    this.#velocities = model.joints.map(() => 0);
    const specs = model.joints.map(({ servos, stiffness, settings }) => [
      { id: servos[0]!.id, model: servos[0]!.model, stiffness, eeprom: settings, ambientTemperature: 25 },
    ]);
    const { servos, motors, bus } = emulateServos('table', specs, (bytes) => this.#terminal?.write(bytes), 1);
    this.#servos = servos.flat();
    this.#motors = motors.flat();
    this.#mounts = model.joints.map(({ name, servos: own }, i) => ({
      sign: own[0]!.sign * (turned.includes(name) ? -1 : 1),
      zero: (own[0]!.zero + horns[i]!) * RADIANS_PER_STEP,
    }));
    this.bus = bus;
    this.#chain = armChain(model);
  }

  async plugIn(): Promise<void> {
    this.#timer = setInterval(() => this.#advance(), TICK);
    this.#terminal = await PseudoTerminal.open((chunk) => this.bus.feed(chunk, performance.now()));
    symlinkSync(this.#terminal.path, this.path);
  }

  get path(): string {
    return join(this.#folder, 'port');
  }

  get limp(): boolean {
    return this.#servos.every(({ torqueOn }) => !torqueOn);
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

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#terminal?.close();
    rmSync(this.#folder, { recursive: true });
  }

  #advance(): void {
    const now = performance.now() / 1000;
    if (now - this.#clock > CATCH_UP) this.#clock = now - CATCH_UP;
    const weight = new Float64Array(this.positions.length);
    this.#chain.gravityTorques(Float64Array.from(this.positions), weight);
    do {
      this.#clock += STEP;
      for (const i of this.positions.keys()) this.#move(i, weight[i]!);
    } while (this.#clock + STEP <= now);
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
