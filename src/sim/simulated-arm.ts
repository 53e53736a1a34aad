import type { MainModule } from '@mujoco/mujoco';
import { emulateServos, type ServoSpec, STEPS_PER_TURN } from './emulate-servos.ts';
import type { Collision, EmulatedServo, EmulatedServoBus } from './emulated-servo.ts';
import { Gear, type GearOptions } from './gear.ts';
import { Hand } from './hand.ts';
import { LightPhysics } from './light-physics.ts';
import { MujocoPhysics } from './mujoco-physics.ts';
import { type Physics, type SimPose, TIME_STEP } from './physics.ts';
import type { ServoFault } from './servo-faults.ts';
import type { SimObject } from './sim-object.ts';
import type { MotorParameters } from './sts3215-motor.ts';

/** One servo and the mounting of its shaft. */
export interface SimServo {
  readonly id: number;
  /** Trade name, e.g. STS3215. */
  readonly model: string;
  /** 1 if the reported position increases with the joint position, -1 if it decreases. */
  readonly sign: 1 | -1;
  /** Position that the servo reports at joint position 0, step. */
  readonly zero: number;
  /**
   * The servo follows the goals and torque of the joint's first servo (Dynamixel: secondary id), and so reports the
   * same positions as that servo. `sign` and `zero` describe its mounting: with the opposite sign it turns in reverse.
   */
  readonly shadow?: boolean;
}

export interface SimJoint {
  /** Name in the URDF. */
  readonly name: string;
  /** Servos that drive the joint together, usually one. */
  readonly servos: readonly SimServo[];
  /** Position stiffness of the joint, all servos together at their usual gain, Nm/rad; default: the servos' own. */
  readonly stiffness?: number;
  /** Nm s/rad; default: the servos' own. */
  readonly damping?: number;
  /** Nm; default: the servos' own. */
  readonly frictionLoss?: number;
  /** kg m^2; default: the servos' own, scaled as the damping is, because a gear ratio changes both alike. */
  readonly armature?: number;
  /** Register settings of its servos, in counts by name. Only EEPROM registers apply: RAM is lost without supply. */
  readonly settings?: Readonly<Record<string, number>>;
  /** Default: gears without play or detents. */
  readonly gear?: GearOptions;
}

/** A simulated arm as plain data, so that it can be sent to a thread. */
export interface SimArmOptions {
  readonly name: string;
  /** Text of the URDF. */
  readonly urdf: string;
  /** Name of the tool link. */
  readonly toolLink: string;
  readonly joints: readonly SimJoint[];
  /** Initial joint positions, rad. */
  readonly initial: readonly number[];
  /** Mass in the gripper, at the tool frame, kg; default 0. */
  readonly payload?: number;
  /** Scene objects, for MuJoCo only; default: none. */
  readonly objects?: readonly SimObject[];
  /** V; default: each servo's nominal voltage. */
  readonly supplyVoltage?: number;
  /** degC. */
  readonly ambientTemperature?: number;
  /** See `FirmwareOptions`. */
  readonly torqueOnGoalWrite?: boolean;
  /** EEPROM values of every servo that differ from the factory's, decoded, by register name. */
  readonly eeprom?: Readonly<Record<string, number>>;
  /** The servos are factory-new, whatever `settings` and `eeprom` say, and none is connected at first. */
  readonly factoryNew?: boolean;
  /** Seed of the wire faults. */
  readonly seed?: number;
}

/** The true state of the simulation, which no servo can report. */
export interface SimTruth {
  /** Time of this state, seconds since the epoch. */
  time: number;
  /** Joint positions, rad, and velocities, rad/s, in the joint order of the options. */
  positions: number[];
  velocities: number[];
  /** Torques of the motors and of the hand at each joint, Nm. */
  motorTorques: number[];
  handTorques: number[];
  /** Pose of the tool link in the arm's base frame. */
  tool: SimPose;
  /** Simulated time skipped because the simulation did not get the processor, s. */
  dropped: number;
}

/** Bit of the drive mode (Dynamixel) that makes a servo turn in reverse. */
const REVERSE = 1;
/** Longest machine stall that is caught up with, s. */
const CATCH_UP = 0.05;
/** All outcomes on a real line if two servos answer at the same time. */
const COLLISIONS: readonly Collision[] = ['mixed', 'first', 'second', 'both'];
const RADIANS_PER_STEP = (2 * Math.PI) / STEPS_PER_TURN;

/** Relation of a servo shaft to its joint: shaft angle = zero + sign * joint angle. */
interface Mount {
  readonly sign: number;
  /** rad */
  readonly zero: number;
}

/** One arm: mechanics, servos, bus and hand, on the clock that the caller passes in. */
export class SimulatedArm {
  readonly name: string;
  readonly bus: EmulatedServoBus;
  readonly physics: Physics;
  /** Longest stall that is caught up with, s; Infinity if no time may be dropped. */
  catchUp = CATCH_UP;
  readonly #options: SimArmOptions;
  readonly #servos: readonly (readonly EmulatedServo[])[];
  readonly #mounts: readonly (readonly Mount[])[];
  readonly #hands: readonly Hand[];
  readonly #gears: readonly Gear[];
  readonly #motorTorques: Float64Array;
  readonly #onFailure: (message: string) => void;
  /** Time of the present state, s. */
  #clock: number;
  #dropped = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param mj null for the light model, which has no contacts
   * @param now on any monotonic clock, s
   * @param onReply see `BusOptions`
   * @param onFailure called when the physics diverged and the arm was stopped
   * @throws {Error} if the model cannot be built
   */
  constructor(
    mj: MainModule | null,
    options: SimArmOptions,
    now: number,
    onReply: (bytes: Uint8Array) => void,
    onFailure: (message: string) => void,
  ) {
    this.name = options.name;
    this.#options = options;
    this.#clock = now;
    this.#onFailure = onFailure;
    const specs = options.joints.map((joint) => joint.servos.map((servo) => servoSpec(options, joint, servo)));
    const { servos, motors, bus } = emulateServos(options.name, specs, onReply, options.seed ?? 1, options.factoryNew);
    const physics = {
      name: options.name,
      urdf: options.urdf,
      toolLink: options.toolLink,
      initial: options.initial,
      payload: options.payload ?? 0,
      objects: options.objects ?? [],
      joints: options.joints.map((joint, j) => {
        const own = sum(motors[j]!, (motor) => motor.damping);
        const { name, damping = own } = joint;
        // Damping and armature both scale with the square of the gear ratio.
        const armature = joint.armature ?? (sum(motors[j]!, (motor) => motor.armature) * damping) / own;
        const frictionLoss = joint.frictionLoss ?? sum(motors[j]!, (motor) => motor.frictionLoss);
        return { name, damping, frictionLoss, armature };
      }),
    };
    this.physics = mj === null ? new LightPhysics(physics) : new MujocoPhysics(mj, physics);
    this.#servos = servos;
    this.#mounts = specs.map((joint, j) => joint.map((spec, s) => mount(spec, options.joints[j]!.servos, s)));
    this.#hands = physics.joints.map(({ armature }) => new Hand(armature, TIME_STEP));
    this.#gears = options.joints.map(({ gear = {} }, j) => new Gear(gear, motors[j]!));
    this.#motorTorques = new Float64Array(options.joints.length);
    this.bus = bus;
    bus.faults.collisions = COLLISIONS;
    this.#sense(0);
    if (options.factoryNew) this.connect([]);
  }

  /** Advances the arm to `now` (s), by at most `catchUp`; the excess of a longer stall is dropped. */
  advance(now: number): void {
    const behind = now - this.#clock;
    if (behind > this.catchUp) {
      this.#dropped += behind - this.catchUp;
      this.#clock = now - this.catchUp;
    }
    while (this.#clock + TIME_STEP <= now) {
      this.#sense(TIME_STEP);
      if (!this.physics.step()) this.#reportDivergence();
      this.#clock += TIME_STEP;
    }
  }

  /** Takes request bytes for the servos; see `EmulatedServoBus.feed`. */
  feed(bytes: Uint8Array, now: number): void {
    this.advance(now);
    this.bus.feed(bytes, now * 1000);
  }

  /**
   * Moves the named joints by hand (rad) within `duration` (s); other joints that the hand holds stay held. Null lets
   * go of all.
   * @param stiffness of the hand, Nm/rad, by joint; default: firm
   * @throws {Error} for an unknown joint or a number that is not finite; nothing moves then
   */
  hand(
    joints: Readonly<Record<string, number>> | null,
    duration: number,
    stiffness: Readonly<Record<string, number>> = {},
  ): void {
    if (joints === null) {
      for (const hand of this.#hands) hand.letGo();
      return;
    }
    const names = this.#options.joints.map((joint) => joint.name);
    for (const [name, angle] of Object.entries(joints)) {
      if (!names.includes(name)) {
        throw new Error(`arm "${this.name}" has no joint "${name}"; its joints are ${names.join(', ')}`);
      }
      if (!Number.isFinite(angle)) throw new Error(`joint "${name}" of arm "${this.name}": the angle must be finite`);
    }
    if (!(duration >= 0 && Number.isFinite(duration))) {
      throw new Error(`hand on arm "${this.name}": the duration must be 0 s or more`);
    }
    for (const [name, angle] of Object.entries(joints)) {
      const i = names.indexOf(name);
      this.#hands[i]!.move(angle, duration, this.physics.positions[i]!, this.physics.velocities[i]!, stiffness[name]);
    }
  }

  /** Switches the supply of all servos off and on. */
  powerCycle(): void {
    for (const servo of this.#servos.flat()) servo.powerCycle();
  }

  /** Raises the overload alarm of a servo; see `EmulatedServo`. @throws {Error} for an unknown id */
  raiseOverload(id: number): void {
    this.#servo(id).raiseOverload();
  }

  /**
   * Changes the faults of a servo.
   * @param id initial id of the servo
   * @throws {Error} for an id that no servo had, or a register that the servo lacks
   */
  faultServo(id: number, fault: ServoFault): void {
    this.#servo(id).fault(fault);
  }

  /**
   * Connects exactly these servos to the bus. The same cable supplies them.
   * @param ids as in the arm's data
   * @throws {Error} for an unknown id
   */
  connect(ids: readonly number[]): void {
    for (const id of ids) this.#servo(id);
    for (const id of this.#ids()) this.#servo(id).fault({ volts: ids.includes(id) ? null : 0 });
  }

  /** The emulated servos of each joint. */
  get servos(): readonly (readonly EmulatedServo[])[] {
    return this.#servos;
  }

  /** Motor torque at each joint as of the last step, Nm. */
  get motorTorques(): Float64Array {
    return this.#motorTorques;
  }

  /** Sets the supply of all servos, V; null: the usual one. */
  supply(volts: number | null): void {
    for (const servo of this.#servos.flat()) servo.fault({ volts });
  }

  #servo(id: number): EmulatedServo {
    const ids = this.#ids();
    const servo = this.#servos.flat()[ids.indexOf(id)];
    if (!servo) throw new Error(`arm "${this.name}" has no servo ${id}; its ids are ${ids.join(', ')}`);
    return servo;
  }

  /** Initial ids of the servos. */
  #ids(): number[] {
    return this.#options.joints.flatMap(({ servos }) => servos.map((servo) => servo.id));
  }

  /** @param epoch seconds since the epoch at which the clock passed to `advance` was 0 */
  truth(epoch: number): SimTruth {
    return {
      time: epoch + this.#clock,
      positions: Array.from(this.physics.positions),
      velocities: Array.from(this.physics.velocities),
      motorTorques: Array.from(this.#motorTorques),
      handTorques: this.#hands.map((hand) => hand.torque),
      tool: this.physics.toolPose(),
      dropped: this.#dropped,
    };
  }

  dispose(): void {
    this.physics.dispose();
  }

  /** A model that has diverged once often diverges at every step, so one report per second is enough. */
  #reportDivergence(): void {
    if (this.#clock - this.#reportedAt < 1) return;
    this.#reportedAt = this.#clock;
    this.#onFailure(
      `simulated arm "${this.name}": the physics diverged; the arm was put at rest at its last pose. ` +
        'Check masses, inertias and servo stiffness of its model',
    );
  }

  /** Steps servos and hands with the joint states and collects their torques; `dt` 0 only shows them the positions. */
  #sense(dt: number): void {
    const { positions, velocities, torques } = this.physics;
    for (let j = 0; j < torques.length; j++) {
      const position = positions[j]!;
      const velocity = velocities[j]!;
      const servos = this.#servos[j]!;
      const mounts = this.#mounts[j]!;
      let motor = 0;
      for (let s = 0; s < servos.length; s++) {
        const { sign, zero } = mounts[s]!;
        const torque = servos[s]!.step(dt, zero + sign * position, sign * velocity);
        motor += sign * torque;
      }
      this.#motorTorques[j] = motor;
      torques[j] = this.#gears[j]!.step(dt, motor, position, velocity) + this.#hands[j]!.step(dt, position, velocity);
    }
  }
}

function servoSpec(options: SimArmOptions, { stiffness, servos, settings }: SimJoint, servo: SimServo): ServoSpec {
  const first = servos[0]!;
  const firstMode = settings?.drive_mode ?? 0;
  return {
    id: servo.id,
    model: servo.model,
    stiffness: stiffness === undefined ? null : stiffness / servos.length,
    eeprom: {
      ...settings,
      ...options.eeprom,
      ...(servo.shadow
        ? { secondary_id: first.id, drive_mode: servo.sign === first.sign ? firstMode : firstMode ^ REVERSE }
        : {}),
    },
    // Servo temperatures of one arm differ a little, as on a real arm.
    ambientTemperature: options.ambientTemperature ?? 25 + (servo.id % 6),
    ...(options.supplyVoltage === undefined ? {} : { supplyVoltage: options.supplyVoltage }),
    ...(options.torqueOnGoalWrite === undefined ? {} : { torqueOnGoalWrite: options.torqueOnGoalWrite }),
  };
}

function mount({ eeprom }: ServoSpec, servos: readonly SimServo[], index: number): Mount {
  // A shadow servo counts positions as its master does.
  const { sign, zero } = servos[index]!.shadow ? servos[0]! : servos[index]!;
  const direction = (eeprom.drive_mode ?? 0) & REVERSE ? -1 : 1;
  return { sign: direction * sign, zero: direction * zero * RADIANS_PER_STEP };
}

function sum(motors: readonly MotorParameters[], part: (motor: MotorParameters) => number): number {
  return motors.reduce((total, motor) => total + part(motor), 0);
}
