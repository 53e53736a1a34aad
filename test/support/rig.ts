import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { VirtualHost } from '../../explore/virtual-host.ts';
import { type ArmModel, armChain, loadArmModel } from '../../src/arm/model.ts';
import type { Clock, Timer } from '../../src/clock.ts';
import { STS3215, type Sts3215Register } from '../../src/servo/feetech/sts3215.ts';
import { type BytePort, PortError } from '../../src/servo/port/port.ts';
import { encodeSign, storeRaw } from '../../src/servo/registers.ts';
import { EmulatedFeetechBus } from '../../src/sim/emulated-feetech-bus.ts';
import { type FirmwareOptions, Sts3215Firmware } from '../../src/sim/sts3215-firmware.ts';
import { STS3215_MOTOR } from '../../src/sim/sts3215-motor.ts';
import { calibrate } from './calibration.ts';
import { VirtualBridge } from './virtual-bridge.ts';

export const IDS = [1, 2, 3, 4, 5, 6];
export const SO101: ArmModel = loadArmModel('so101');
const ZERO = 2048;
const RADIANS_PER_STEP = (2 * Math.PI) / STS3215.stepsPerTurn;
/** Times of the physics, s. */
const TICK = 0.002;
const STEP = 0.001;
const CATCH_UP = 0.05;
/** A limp joint stays where it is, Nm: what lets a limp arm sink is not at issue here. */
const LIMP_FRICTION = 5;

export interface Write {
  readonly address: number;
  readonly bytes: readonly number[];
}

/** What is special about the servo with an id. */
export type ServoOptions = (id: number) => Partial<FirmwareOptions>;

/** An emulated servo that keeps what was written to it, and can be heated. */
export class RigServo extends Sts3215Firmware {
  readonly writes: Write[] = [];
  /** What its thermometer shows; null for the truth, degC. */
  shown: number | null = null;
  /** What its voltmeter shows; null for the truth, V. */
  shownVoltage: number | null = null;

  override write(address: number, data: Uint8Array, offset: number, length: number): void {
    this.writes.push({ address, bytes: [...data.subarray(offset, offset + length)] });
    super.write(address, data, offset, length);
  }

  override read(address: number, length: number, out: Uint8Array, outOffset: number): void {
    super.read(address, length, out, outOffset);
    const { present_temperature: temperature, present_voltage: voltage } = STS3215.registers;
    const show = (at: number, value: number | null): void => {
      if (value !== null && at >= 0 && at < length) out[outOffset + at] = value;
    };
    show(temperature.address - address, this.shown);
    show(voltage.address - address, this.shownVoltage === null ? null : this.shownVoltage * 10);
  }

  /** Sets a register from within, as if it had been so before anybody looked. */
  preset(name: Sts3215Register, value: number): void {
    const { address, size, sign } = STS3215.registers[name];
    const bytes = new Uint8Array(size);
    storeRaw(bytes, 0, size, encodeSign(sign, value));
    super.write(address, bytes, 0, size);
  }

  /** Writes to this register since the last `writes.length = 0`. */
  to(name: Sts3215Register): Write[] {
    const { address, size } = STS3215.registers[name];
    return this.writes.filter(
      (write) => write.address < address + size && address < write.address + write.bytes.length,
    );
  }
}

/** An SO-101's six servos on a bus, with joints that have inertia, damping, friction and weight. */
export class Rig implements Device {
  readonly servos: readonly RigServo[];
  readonly bus: EmulatedFeetechBus;
  readonly positions: number[];
  /** A joint does not get below this, rad: something is in its way. */
  readonly stops: number[] = IDS.map(() => Number.NEGATIVE_INFINITY);
  /** Takes what the servos answer. */
  onReply: (bytes: Uint8Array) => void = () => {};
  readonly #clock: Clock;
  readonly #velocities = IDS.map(() => 0);
  readonly #chain = armChain(SO101);
  readonly #timer: Pick<Timer, 'cancel'>;
  #time: number;

  constructor(clock: Clock, options: ServoOptions = () => ({})) {
    this.#clock = clock;
    // A first step, from which the encoders know where they are.
    this.#time = clock.now() - 2 * STEP;
    this.servos = IDS.map((id) => new RigServo({ id, ...options(id) }));
    this.positions = [...SO101.poses.get('rest')!];
    this.bus = new EmulatedFeetechBus({ servos: this.servos, onReply: (bytes) => this.onReply(bytes) });
    this.#advance();
    this.#timer = clock.every(TICK, () => this.#advance());
  }

  servo(id: number): RigServo {
    return this.servos[id - 1]!;
  }

  /** Bytes from the host. */
  feed(bytes: Uint8Array): void {
    this.bus.feed(bytes, 1000 * this.#clock.now());
  }

  /** Goal registers, steps. */
  goals(): number[] {
    return this.servos.map((servo) => servo.value('goal_position'));
  }

  forgetWrites(): void {
    for (const servo of this.servos) servo.writes.length = 0;
  }

  end(): void {
    this.#timer.cancel();
  }

  #advance(): void {
    const now = this.#clock.now();
    if (now - this.#time > CATCH_UP) this.#time = now - CATCH_UP;
    const weight = new Float64Array(IDS.length);
    this.#chain.gravityTorques(Float64Array.from(this.positions), weight);
    while (this.#time + STEP <= now) {
      this.#time += STEP;
      for (const [i, servo] of this.servos.entries()) this.#move(i, servo, weight[i]!);
    }
  }

  #move(i: number, servo: RigServo, weight: number): void {
    const angle = (ZERO * RADIANS_PER_STEP + this.positions[i]!) % (2 * Math.PI);
    const torque = servo.step(STEP, angle, this.#velocities[i]!) - weight;
    const friction = servo.torqueOn ? STS3215_MOTOR.frictionLoss : LIMP_FRICTION;
    const inertia = STS3215_MOTOR.armature + STS3215_MOTOR.damping * STEP;
    const free = (STS3215_MOTOR.armature * this.#velocities[i]! + torque * STEP) / inertia;
    const braked = (friction * STEP) / inertia;
    this.#velocities[i] = Math.sign(free) * Math.max(0, Math.abs(free) - braked);
    this.positions[i] = this.positions[i]! + this.#velocities[i]! * STEP;
    if (this.positions[i]! < this.stops[i]!) {
      this.positions[i] = this.stops[i]!;
      this.#velocities[i] = 0;
    }
  }
}

/** What stands at the far end of a port. */
export interface Device {
  /** Takes what it answers. */
  onReply: (bytes: Uint8Array) => void;
  /** Bytes from the host. */
  feed(bytes: Uint8Array): void;
}

/** A serial port in virtual time, with an adapter that can be pulled out. */
export class VirtualPort implements BytePort {
  readonly url: string;
  readonly clock: Clock;
  onBytes: (chunk: Uint8Array) => void = () => {};
  onClose: (reason: PortError) => void = () => {};
  readonly #device: Device;
  #plugged = true;
  #open = false;

  constructor(name: string, clock: Clock, device: Device) {
    this.url = `serial:/dev/${name}`;
    this.clock = clock;
    this.#device = device;
    device.onReply = (bytes) => {
      if (this.#open) this.onBytes(bytes);
    };
  }

  async open(): Promise<void> {
    if (!this.#plugged) throw new PortError('not_found', `there is no ${this.url}`);
    this.#open = true;
  }

  write(bytes: Uint8Array): void {
    if (this.#open) this.#device.feed(bytes);
  }

  async close(): Promise<void> {
    this.#open = false;
  }

  unplug(): void {
    this.#plugged = false;
    if (!this.#open) return;
    this.#open = false;
    this.onClose(new PortError('closed', `${this.url} has gone`));
  }

  plugIn(): void {
    this.#plugged = true;
  }
}

/** A rig at a port of a machine in virtual time. */
export class VirtualRig extends Rig {
  readonly port: VirtualPort;

  constructor(host: VirtualHost, name = 'rig', options?: ServoOptions) {
    super(host.simulationLane, options);
    this.port = new VirtualPort(name, host.controlLane, this);
    onTestFinished(() => this.end());
  }
}

/** A bridge in virtual time whose calibrated arms are these, with the ids of their order. */
export async function bridgeTo(host: VirtualHost, rigs: Readonly<Record<string, VirtualRig>>): Promise<VirtualBridge> {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-rig-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  calibrate(folder, Object.keys(rigs), SO101);
  const ports = Object.values(rigs).map(({ port }) => port);
  host.portAt = (url) => ports.find((port) => port.url === url)!;
  const arms = Object.entries(rigs).map(([name, { port }]) => ({ name, bus: port.url }));
  return VirtualBridge.start({ control: { rate: 100 }, arms }, folder, host);
}
