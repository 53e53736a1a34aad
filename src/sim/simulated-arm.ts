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

/** One servo and how its shaft is mounted. */
export interface SimServo {
  readonly id: number;
  /** Trade name, e.g. STS3215. */
  readonly model: string;
  /** 1 when the position that it reports grows with the joint's, -1 when it falls. */
  readonly sign: 1 | -1;
  /** Position that the servo reports when the joint is at 0, step. */
  readonly zero: number;
  /**
   * It obeys the goals and the torque of the joint's first servo (Dynamixel: secondary id), so what it reports runs as
   * that one's; `sign` and `zero` say how it is mounted: with the other sign it turns in reverse.
   */
  readonly shadow?: boolean;
}

export interface SimJoint {
  /** As in the URDF. */
  readonly name: string;
  /** Servos that turn the joint together, usually one. */
  readonly servos: readonly SimServo[];
  /** Position stiffness of the joint at its servos' usual gain, all of them together, Nm/rad; default: the servos' own. */
  readonly stiffness?: number;
  /** Nm s/rad; default: the servos' own. */
  readonly damping?: number;
  /** Nm; default: the servos' own. */
  readonly frictionLoss?: number;
  /** kg m^2; default: the servos' own, which other gears change as they change the damping. */
  readonly armature?: number;
  /** Registers that its servos have been set to, in counts, by name: those in the EEPROM are, RAM has been forgotten. */
  readonly settings?: Readonly<Record<string, number>>;
  /** Default: gears without play and detents. */
  readonly gear?: GearOptions;
}

/** A simulated arm as plain data, so that it can be handed to a thread. */
export interface SimArmOptions {
  readonly name: string;
  /** Text of the URDF. */
  readonly urdf: string;
  /** Link of the tool frame. */
  readonly toolLink: string;
  readonly joints: readonly SimJoint[];
  /** Joint positions at the start, rad. */
  readonly initial: readonly number[];
  /** Mass in the gripper, at the tool frame, kg; default 0. */
  readonly payload?: number;
  /** Things that stand before it, where MuJoCo has the contacts; default: none. */
  readonly objects?: readonly SimObject[];
  /** V; default: each servo's nominal voltage. */
  readonly supplyVoltage?: number;
  /** degC. */
  readonly ambientTemperature?: number;
  /** See `FirmwareOptions`. */
  readonly torqueOnGoalWrite?: boolean;
  /** EEPROM content of every servo that differs from the factory's, decoded values by register name. */
  readonly eeprom?: Readonly<Record<string, number>>;
  /** Its servos are as they come from the shop, whatever `settings` and `eeprom` say, and none is connected at first. */
  readonly factoryNew?: boolean;
  /** Seed of the wire faults. */
  readonly seed?: number;
}

/** What is really the case in the simulation, as no servo can report it. */
export interface SimTruth {
  /** Time of this state, seconds since the epoch. */
  time: number;
  /** Joint positions, rad, and velocities, rad/s, in the order of the options. */
  positions: number[];
  velocities: number[];
  /** Torque of the motors and of the hand at each joint, Nm. */
  motorTorques: number[];
  handTorques: number[];
  /** Pose of the tool link in the arm's base frame. */
  tool: SimPose;
  /** Arm time that was skipped because the simulation did not get the processor, s. */
  dropped: number;
}

/** Bit of the drive mode (Dynamixel) with which a servo turns in reverse. */
const REVERSE = 1;
/** Longest stall of the machine that is caught up with afterwards, s. */
const CATCH_UP = 0.05;
/** Whatever a real line does with two servos that answer at one time. */
const COLLISIONS: readonly Collision[] = ['mixed', 'first', 'second', 'both'];
const RADIANS_PER_STEP = (2 * Math.PI) / STEPS_PER_TURN;

/** How the shaft of a servo turns with its joint: shaft angle = zero + sign * joint angle. */
interface Mount {
  readonly sign: number;
  /** rad */
  readonly zero: number;
}

/** One arm: mechanics, servos, bus and hand, on the clock that its owner passes in. */
export class SimulatedArm {
  readonly name: string;
  readonly bus: EmulatedServoBus;
  readonly physics: Physics;
  /** Longest stall that is caught up with, s; time of which nothing may be dropped has none too long. */
  catchUp = CATCH_UP;
  readonly #options: SimArmOptions;
  readonly #servos: readonly (readonly EmulatedServo[])[];
  readonly #mounts: readonly (readonly Mount[])[];
  readonly #hands: readonly Hand[];
  readonly #gears: readonly Gear[];
  readonly #motorTorques: Float64Array;
  readonly #onFailure: (message: string) => void;
  /** Instant that the state belongs to, s. */
  #clock: number;
  #dropped = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param mj null for the light model, which knows no contacts
   * @param now on any monotonic clock, s
   * @param onReply see `BusOptions`
   * @param onFailure is told when the physics became not finite and the arm was stopped dead
   * @throws {Error} when the model cannot be built
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
        // Both go by the square of the gears' ratio.
        const armature = joint.armature ?? (sum(motors[j]!, (motor) => motor.armature) * damping) / own;
        const frictionLoss = joint.frictionLoss ?? sum(motors[j]!, (motor) => motor.frictionLoss);
        return { name, damping, frictionLoss, armature };
      }),
    };
    this.physics = mj === null ? new LightPhysics(physics) : new MujocoPhysics(mj, physics);
    this.#servos = servos;
    this.#mounts = specs.map((joint, j) => joint.map((spec, s) => mount(spec, options.joints[j]!.servos, s)));
    this.#hands = physics.joints.map(({ armature }) => new Hand(armature, TIME_STEP));
    this.#gears = options.joints.map(({ gear = {} }, j) => {
      const { noLoadSpeed, stallTorque } = motors[j]![0]!;
      return new Gear(gear, noLoadSpeed / stallTorque);
    });
    this.#motorTorques = new Float64Array(options.joints.length);
    this.bus = bus;
    bus.faults.collisions = COLLISIONS;
    this.#sense(0);
    if (options.factoryNew) this.connect([]);
  }

  /** Brings the arm up to `now` (s), at most `catchUp` of it; what a longer stall left is dropped. */
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

  /** Request bytes for the servos; see `EmulatedFeetechBus.feed`. */
  feed(bytes: Uint8Array, now: number): void {
    this.advance(now);
    this.bus.feed(bytes, now * 1000);
  }

  /**
   * Moves the named joints with the hand (rad) within `duration` (s); joints that are held already and not named stay
   * held. Null lets go of all.
   * @param stiffness of the hand, Nm/rad, by joint; those that are not named have it firmly
   * @throws {Error} on a joint that the arm does not have or a number that is not finite; nothing moves then
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

  /** Raises the overload alarm of a servo; see `EmulatedServo`. @throws {Error} for an id that no servo has */
  raiseOverload(id: number): void {
    this.#servo(id).raiseOverload();
  }

  /**
   * Changes what is wrong with a servo.
   * @param id that the servo had at the start
   * @throws {Error} for an id that no servo had, and for a register that it does not have
   */
  faultServo(id: number, fault: ServoFault): void {
    this.#servo(id).fault(fault);
  }

  /**
   * Connects these servos to the bus, and no others. Their supply comes by the same cable.
   * @param ids that they have in the arm's data
   * @throws {Error} for an id that no servo has
   */
  connect(ids: readonly number[]): void {
    for (const id of ids) this.#servo(id);
    for (const id of this.#ids()) this.#servo(id).fault({ volts: ids.includes(id) ? null : 0 });
  }

  /** The servos of each joint, as they are. */
  get servos(): readonly (readonly EmulatedServo[])[] {
    return this.#servos;
  }

  /** Torque of the motors at each joint as of the last step, Nm. */
  get motorTorques(): Float64Array {
    return this.#motorTorques;
  }

  /** Supply of all servos, V; null: the usual one. */
  supply(volts: number | null): void {
    for (const servo of this.#servos.flat()) servo.fault({ volts });
  }

  #servo(id: number): EmulatedServo {
    const ids = this.#ids();
    const servo = this.#servos.flat()[ids.indexOf(id)];
    if (!servo) throw new Error(`arm "${this.name}" has no servo ${id}; its ids are ${ids.join(', ')}`);
    return servo;
  }

  /** Ids of the servos at the start. */
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

  /** A model that diverges once often does so at every step: one report a second says it. */
  #reportDivergence(): void {
    if (this.#clock - this.#reportedAt < 1) return;
    this.#reportedAt = this.#clock;
    this.#onFailure(
      `simulated arm "${this.name}": the physics diverged; the arm was put at rest at its last pose. ` +
        'Check masses, inertias and servo stiffness of its model',
    );
  }

  /** Lets servos and hands see the joints, and collects their torques; a `dt` of 0 only shows them where they are. */
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
    // Servos of one arm differ a little in temperature, as they do on the table.
    ambientTemperature: options.ambientTemperature ?? 25 + (servo.id % 6),
    ...(options.supplyVoltage === undefined ? {} : { supplyVoltage: options.supplyVoltage }),
    ...(options.torqueOnGoalWrite === undefined ? {} : { torqueOnGoalWrite: options.torqueOnGoalWrite }),
  };
}

function mount({ eeprom }: ServoSpec, servos: readonly SimServo[], index: number): Mount {
  // A shadow counts as its master does.
  const { sign, zero } = servos[index]!.shadow ? servos[0]! : servos[index]!;
  const direction = (eeprom.drive_mode ?? 0) & REVERSE ? -1 : 1;
  return { sign: direction * sign, zero: direction * zero * RADIANS_PER_STEP };
}

function sum(motors: readonly MotorParameters[], part: (motor: MotorParameters) => number): number {
  return motors.reduce((total, motor) => total + part(motor), 0);
}
