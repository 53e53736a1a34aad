import { expect, onTestFinished } from 'vitest';
import { VirtualTime } from '../../../explore/virtual-clock.ts';
import { parseUrdf } from '../../../src/kinematics/urdf.ts';
import { ControlThread } from '../../../src/rt/control-thread.ts';
import type { ArmController } from '../../../src/rt/joint/arm-controller.ts';
import type { Joints } from '../../../src/rt/joint/joint-groups.ts';
import type {
  ArmSetup,
  Command,
  CommandResult,
  FromControl,
  JointSetup,
  Sample,
  SourceSpec,
} from '../../../src/rt/messages.ts';
import { linkJoints, openLink, servoLink } from '../../../src/rt/open-link.ts';
import { SharedState } from '../../../src/rt/snapshot/shared-snapshot.ts';
import type { EmulatedFeetechBus } from '../../../src/sim/emulated-feetech-bus.ts';
import type { Sts3215Firmware } from '../../../src/sim/sts3215-firmware.ts';
import { STS3215_MOTOR } from '../../../src/sim/sts3215-motor.ts';
import { type BenchPort, BenchServos, INERTIA, type Shaft } from './bench-servos.ts';

const { stiffness, damping, frictionLoss, stallTorque } = STS3215_MOTOR;
const RATE = 200;

const urdf = (shape: string): string => `<robot name="two_links">
  <link name="base"/><link name="upper"/>
  <link name="tool"><collision><geometry>${shape}</geometry></collision></link>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/>
  </joint>
  <joint name="tilt" type="revolute">
    <parent link="upper"/><child link="tool"/><origin xyz="0.2 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/>
  </joint>
</robot>`;

const joint = (name: string, id: number): JointSetup => ({
  ...{ name, settings: {}, stall: null, torqueLimit: stallTorque, stiffness, damping, friction: frictionLoss },
  servos: [{ id, model: 'STS3215', sign: 1, zero: 2048, shadow: false }],
  ...{ inertia: INERTIA, lower: -2, upper: 2, moveVelocity: 1.5, moveAcceleration: 6, moveJerk: null },
  ...{ mirrorVelocity: 3, mirrorAcceleration: 25 },
});

/** An arm with the joints `turn` and `tilt`, of which the second is its gripper. */
export const setupOf = (name: string, kind: 'remote' | 'port', shape = '<sphere radius="0.01"/>'): ArmSetup => ({
  ...{ name, urdf: parseUrdf(urdf(shape)), baseLink: 'base', toolLink: 'tool' },
  ...{ joints: [joint('turn', 1), joint('tilt', 2)], calibrated: true, leftGains: null, detached: null, gripper: 1 },
  bus: kind === 'remote' ? { kind } : { kind, url: 'test:' },
});

export const at = (...angles: readonly number[]): Float64Array => Float64Array.from(angles);
export const trajectory = (...goal: readonly number[]): SourceSpec => ({
  ...{ kind: 'trajectory', goal: at(...goal), speed: null },
});

export interface ControlBenchOptions {
  /** Of the joints of its own arm at the beginning, rad. */
  readonly pose?: readonly number[];
  /** Changes the setup of both arms. */
  readonly setup?: (arm: ArmSetup) => ArmSetup;
}

/**
 * A control thread in virtual time, with an arm of its own (0) and one of another machine (1), whose state arrives all
 * the time.
 */
export class ControlBench {
  readonly time = new VirtualTime();
  readonly servos: readonly Sts3215Firmware[];
  readonly shafts: readonly Shaft[];
  readonly bus: EmulatedFeetechBus;
  readonly port: BenchPort;
  readonly shared: SharedState;
  readonly control: ControlThread;
  /** What the main thread has been told. */
  readonly posted: FromControl[] = [];
  /** The main thread runs. */
  beating = true;
  /** The other machine says where its arm is. */
  telling = true;
  #requests = 0;

  static async connected(options: ControlBenchOptions = {}): Promise<ControlBench> {
    const bench = new ControlBench(options);
    await bench.until(() => bench.own.link.up);
    await bench.pass(0.05);
    return bench;
  }

  constructor({ pose = [0, 0], setup = (arm) => arm }: ControlBenchOptions) {
    const { time } = this;
    time.runSync(10);
    const lane = time.lane('control');
    const arms = [setupOf('own', 'port'), setupOf('far', 'remote')].map(setup);
    const bench = new BenchServos(linkJoints('own', arms[0]!.joints), pose, [0, 0], time.lane('bus'), {}, 0.001);
    ({ servos: this.servos, shafts: this.shafts, bus: this.bus, port: this.port } = bench);
    this.shared = new SharedState([2, 2], lane);
    this.control = new ControlThread(
      { rate: RATE, priority: null, shared: this.shared.buffers, arms },
      lane,
      (arm, clock) =>
        arm.bus.kind === 'remote' ? openLink(arm, clock) : servoLink(this.port, linkJoints(arm.name, arm.joints)),
      (message) => void this.posted.push(message),
    );
    const main = time.lane('main');
    main.every(0.005, () => {
      for (let k = 0; k < 5; k++) bench.turn(0.001);
    });
    main.every(0.05, () => {
      if (this.beating) this.shared.beat();
    });
    main.every(0.02, () => {
      const positions = at(0.5, -0.5);
      if (this.telling) this.sample({ kind: 'state', arm: 1, positions, velocities: null, efforts: null });
    });
    this.control.start();
    onTestFinished(() => this.control.loop.stop());
  }

  pass(seconds: number): Promise<void> {
    return this.time.run(this.time.now + seconds);
  }

  async until(check: () => boolean, limit = 10): Promise<void> {
    const deadline = this.time.now + limit;
    while (!check()) {
      if (this.time.now > deadline) throw new Error(`not within ${limit} s`);
      await this.pass(0.005);
    }
  }

  sample(message: Sample): void {
    this.control.receive({ sample: message });
  }

  /** What a command is answered: its result, or why it is refused. */
  async ask(command: Command): Promise<CommandResult | string> {
    const request = ++this.#requests;
    this.control.receive({ request, command });
    const answer = () => this.posted.find((message) => 'request' in message && message.request === request);
    await this.until(() => answer() !== undefined);
    const found = answer()!;
    if (found.kind === 'refused') {
      expect(found.reason).toBeTypeOf('string');
      return found.reason;
    }
    const { result } = found as { result: CommandResult };
    expect(result).toBeTypeOf('object');
    return result;
  }

  /** Drives joints of an arm. */
  drive(
    source: SourceSpec,
    arm = 0,
    lowering: boolean | undefined = undefined,
    joints: Joints = 'all',
  ): Promise<CommandResult | string> {
    const how = lowering === undefined ? {} : { lowering };
    return this.ask({ kind: 'drive', arm, source, joints, epoch: this.shared.epoch(arm), ...how });
  }

  /** Drives joints of an arm. @returns how long it says that this takes, s */
  async duration(source: SourceSpec, joints: Joints = 'all'): Promise<number> {
    const result = await this.drive(source, 0, undefined, joints);
    return typeof result === 'string' ? Number.NaN : result.duration;
  }

  torque(on: boolean, arm = 0): Promise<CommandResult | string> {
    return this.ask({ kind: 'torque', arm, on, joints: 'all', epoch: this.shared.epoch(arm) });
  }

  get own(): ArmController {
    return this.control.arms[0]!.controller;
  }

  get far(): ArmController {
    return this.control.arms[1]!.controller;
  }

  /** Motions that have ended. */
  get ended() {
    return this.posted.flatMap((message) => (message.kind === 'ended' ? [message] : []));
  }

  get warnings(): string[] {
    return this.posted.flatMap((message) => (message.kind === 'warning' ? [message.text] : []));
  }
}
