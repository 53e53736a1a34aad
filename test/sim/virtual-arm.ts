import { onTestFinished } from 'vitest';
import { type Lane, VirtualTime } from '../../explore/virtual-clock.ts';
import { loadArmModel } from '../../src/arm/model.ts';
import { simulatedCounterpart } from '../../src/arm/simulated-counterpart.ts';
import type { LocalPort } from '../../src/sim/local-port.ts';
import { LocalSimulation } from '../../src/sim/local-simulation.ts';
import type { LineOptions, SimFault } from '../../src/sim/servo-line.ts';
import type { SimArmOptions } from '../../src/sim/simulated-arm.ts';
import { packet } from '../servo/wire.ts';
import { request } from './frames.ts';

/** Registers by address and size, as the makers' tables print them. */
export const STS = {
  goal: [42, 2],
  torque: [40, 1],
  position: [56, 2],
  temperature: [63, 1],
  voltage: [62, 1],
} as const;
export const X = { goal: [116, 4], torque: [64, 1], position: [132, 4], temperature: [146, 1] } as const;
type Place = readonly [address: number, size: number];

/** An emulated arm in virtual time with the light physics, and a host that speaks to it in frames of its own. */
export class VirtualArm {
  readonly time = new VirtualTime();
  readonly lane: Lane = this.time.lane('all');
  readonly simulation: LocalSimulation;
  readonly port: LocalPort;
  readonly feetech: boolean;
  /** What has come since the last request, and when, s. */
  chunks: { readonly time: number; readonly bytes: Uint8Array }[] = [];

  private constructor(name: string, line: LineOptions, changes: Partial<SimArmOptions>) {
    this.feetech = name.startsWith('so');
    this.simulation = new LocalSimulation({
      clock: this.lane,
      mujoco: null,
      line,
      tick: 0.005,
      catchUp: Number.POSITIVE_INFINITY,
      onFailure: (message) => {
        throw new Error(message);
      },
    });
    this.simulation.build({ ...simulatedCounterpart(loadArmModel(name), 'arm'), ...changes });
    this.port = this.simulation.portFor('arm');
    this.port.onBytes = (bytes) => void this.chunks.push({ time: this.time.now, bytes: bytes.slice() });
    onTestFinished(() => this.simulation.dispose());
  }

  /** @param name of the model */
  static async start(
    name = 'so101',
    { line = { baudRate: 1_000_000 }, ...changes }: Partial<SimArmOptions> & { readonly line?: LineOptions } = {},
  ): Promise<VirtualArm> {
    const arm = new VirtualArm(name, line, changes);
    await arm.port.open();
    arm.run(0.2);
    return arm;
  }

  run(seconds: number): void {
    this.time.runSync(this.time.now + seconds);
  }

  fault(fault: SimFault): void {
    this.simulation.get('arm').fault(fault);
  }

  /** Sends bytes and waits. @returns what has come */
  ask(bytes: ArrayLike<number>, seconds = 0.05): number[] {
    this.chunks = [];
    this.port.write(Uint8Array.from(bytes));
    this.run(seconds);
    return this.chunks.flatMap((chunk) => [...chunk.bytes]);
  }

  /** Content of a register, unsigned; null when the servo does not answer. */
  read(id: number, [address, size]: Place): number | null {
    const reply = this.ask(
      this.feetech ? request(id, 2, address, size) : packet(id, 2, address & 255, address >> 8, size, 0),
    );
    const at = this.feetech ? 5 : 9;
    if (reply.length < at + size) return null;
    return reply.slice(at, at + size).reduceRight((value, byte) => 256 * value + byte, 0);
  }

  /** @returns the error byte of the acknowledgement; null when there is none */
  write(id: number, [address, size]: Place, value: number): number | null {
    const data = Array.from({ length: size }, (_, i) => (value >> (8 * i)) & 255);
    const frame = this.feetech ? request(id, 3, address, ...data) : packet(id, 3, address & 255, address >> 8, ...data);
    return this.ask(frame)[this.feetech ? 4 : 8] ?? null;
  }

  /** Where a joint really is, rad. */
  joint(index: number): number {
    return this.simulation.truthNow('arm').positions[index]!;
  }
}
