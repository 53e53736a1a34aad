import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { type ArmModel, armChain, loadArmModel } from '../../../../src/arm/model.ts';
import type { Bridge } from '../../../../src/bridge.ts';
import { loadConfig } from '../../../../src/config/load.ts';
import { STS3215, type Sts3215Register } from '../../../../src/servo/feetech/sts3215.ts';
import type { PortInfo } from '../../../../src/servo/port/discovery.ts';
import { encodeSign, storeRaw } from '../../../../src/servo/registers.ts';
import { EmulatedFeetechBus } from '../../../../src/sim/emulated-feetech-bus.ts';
import { type FirmwareOptions, Sts3215Firmware } from '../../../../src/sim/sts3215-firmware.ts';
import { STS3215_MOTOR } from '../../../../src/sim/sts3215-motor.ts';
import { PseudoTerminal } from '../../../../src/sim/terminal.ts';
import { calibrate } from '../../../support/calibration.ts';
import { startBridge } from '../../../support/compiled-bridge.ts';
import { BridgeClient } from '../../support/bridge.ts';

export const IDS = [1, 2, 3, 4, 5, 6];
export const SO101: ArmModel = loadArmModel('so101');
const ZERO = 2048;
const RADIANS_PER_STEP = (2 * Math.PI) / STS3215.stepsPerTurn;
const TICK = 2;
const STEP = 0.001;
const CATCH_UP = 0.05;
/** A limp joint stays where it is, Nm: what lets a limp arm sink is not at issue here. */
const LIMP_FRICTION = 5;

export interface Write {
  readonly address: number;
  readonly bytes: readonly number[];
}

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

/**
 * An SO-101's six servos behind a real pseudo-terminal, with joints that have inertia, damping, friction and weight. It
 * lives on this thread; the bridge's control thread is the other end.
 */
export class Rig {
  readonly servos: readonly RigServo[];
  readonly bus: EmulatedFeetechBus;
  readonly positions: number[];
  /** A joint does not get below this, rad: something is in its way. */
  readonly stops: number[] = IDS.map(() => Number.NEGATIVE_INFINITY);
  readonly #folder = mkdtempSync(join(tmpdir(), 'arm-bridge-rig-'));
  readonly #velocities = IDS.map(() => 0);
  readonly #chain = armChain(SO101);
  readonly #timer: NodeJS.Timeout;
  #clock = performance.now() / 1000;
  #terminal: PseudoTerminal | null = null;

  private constructor(options: (id: number) => Partial<FirmwareOptions>) {
    this.servos = IDS.map((id) => new RigServo({ id, ...options(id) }));
    this.positions = [...SO101.poses.get('rest')!];
    this.bus = new EmulatedFeetechBus({ servos: this.servos, onReply: (bytes) => this.#terminal?.write(bytes) });
    this.#advance();
    this.#timer = setInterval(() => this.#advance(), TICK);
  }

  /** @param options what is special about the servo with this id */
  static async start(options: (id: number) => Partial<FirmwareOptions> = () => ({})): Promise<Rig> {
    const rig = new Rig(options);
    await rig.plugIn();
    return rig;
  }

  /** Where the port is found, whatever its terminal is called today. */
  get path(): string {
    return join(this.#folder, 'port');
  }

  servo(id: number): RigServo {
    return this.servos[id - 1]!;
  }

  async plugIn(): Promise<void> {
    const terminal = await PseudoTerminal.open((chunk) => this.bus.feed(chunk, performance.now()));
    symlinkSync(terminal.path, this.path);
    this.#terminal = terminal;
  }

  async unplug(): Promise<void> {
    const terminal = this.#terminal;
    this.#terminal = null;
    rmSync(this.path, { force: true });
    await terminal?.close();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.unplug();
    rmSync(this.#folder, { recursive: true });
  }

  /** Goal registers, steps. */
  goals(): number[] {
    return this.servos.map((servo) => servo.value('goal_position'));
  }

  forgetWrites(): void {
    for (const servo of this.servos) servo.writes.length = 0;
  }

  #advance(): void {
    const now = performance.now() / 1000;
    if (now - this.#clock > CATCH_UP) this.#clock = now - CATCH_UP;
    const weight = new Float64Array(IDS.length);
    this.#chain.gravityTorques(Float64Array.from(this.positions), weight);
    while (this.#clock + STEP <= now) {
      this.#clock += STEP;
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

/** A bridge whose arms are these, by HTTP and by its log. */
export class RigBridge extends BridgeClient {
  readonly #bridge: Bridge;
  readonly #folder: string;
  /** Lines of the log from the level `warn` on. */
  readonly warnings: string[];

  private constructor(bridge: Bridge, folder: string, warnings: string[]) {
    super();
    this.#bridge = bridge;
    this.#folder = folder;
    this.warnings = warnings;
    this.url = `http://127.0.0.1:${bridge.address.port}`;
  }

  /**
   * @param buses URL of each arm's bus by the arm's name; ids count from 0
   * @param control what is special about the control loop
   * @param scan ports that it finds; left out: those of this machine
   * @param calibrated names of arms that are; left out: all of `buses`
   */
  static async start(
    buses: Readonly<Record<string, string>>,
    control: object = {},
    scan?: () => Promise<PortInfo[]>,
    calibrated: readonly string[] = Object.keys(buses),
  ): Promise<RigBridge> {
    const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-buses-'));
    const file = join(folder, 'bridge.yaml');
    calibrate(folder, calibrated, SO101);
    const arms = Object.entries(buses).map(([name, bus]) => ({ name, model: 'so101', bus }));
    // Half the usual rate: both ends of the line share two cores with whatever else is tested.
    writeFileSync(file, JSON.stringify({ state_folder: folder, control: { rate: 100, ...control }, arms }));
    const warnings: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line) => void warnings.push(JSON.parse(line).msg) });
    const bridge = await startBridge(
      loadConfig(file, {}, { port: 0, ros: false }),
      logger,
      {},
      scan === undefined ? {} : { scanPorts: scan },
    );
    return new RigBridge(bridge, folder, warnings);
  }

  /** Warnings that contain this text. */
  told(text: string): string[] {
    return this.warnings.filter((line) => line.includes(text));
  }

  async close(): Promise<void> {
    await this.#bridge.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
