import type { Clock } from '../clock.ts';
import { armChain } from '../kinematics/arm-chain.ts';
import type { Chain } from '../kinematics/chain.ts';
import { CollisionModel } from '../kinematics/collision.ts';
import { makePort } from '../servo/port/make.ts';
import type { BytePort } from '../servo/port/port.ts';
import { SimPort } from '../servo/port/sim.ts';
import { modelByName } from '../servo/servo-models.ts';
import { type Carried, COMMANDS, messageOf } from './commands.ts';
import type { ArmLink } from './driver/arm-link.ts';
import { RemoteLink } from './driver/remote-link.ts';
import { ServoLink } from './driver/servo-link.ts';
import type { LinkServo } from './driver/servo-slots.ts';
import { ArmController } from './joint/arm-controller.ts';
import { StallGuard, yieldLimits } from './joint/stall-guard.ts';
import { ControlLoop } from './loop/control-loop.ts';
import type { ArmSetup, BusSetup, Command, CommandResult, ControlSetup, FromControl, ToControl } from './messages.ts';
import { SharedState } from './snapshot/shared-snapshot.ts';
import { JogInput } from './sources/jog.ts';
import { StreamInput } from './sources/stream-input.ts';

/** Part of a joint's torque limit that floating may ask of it. */
const FLOAT_TORQUE_SHARE = 0.5;

/** What this thread has of one arm. */
export interface ControlledArm {
  readonly setup: ArmSetup;
  readonly controller: ArmController;
  readonly stream: StreamInput;
  readonly jog: JogInput;
  /** One chain for all that runs here: no two of its calls overlap. */
  readonly chain: Chain;
  readonly collision: CollisionModel;
}

/**
 * All that runs in the control thread: arms, buses and the loop. It knows the rest of the program by messages and by the
 * shared snapshot alone, so that it runs in a worker as well as beside everything else in virtual time.
 */
export class ControlThread {
  readonly clock: Clock;
  readonly shared: SharedState;
  readonly loop: ControlLoop;
  readonly #arms: ControlledArm[] = [];
  readonly #post: (message: FromControl) => void;
  /** Called when it has been closed. */
  onClosed: () => void = () => {};

  /** @param post sends a message to the main thread */
  constructor(setup: ControlSetup, clock: Clock, post: (message: FromControl) => void) {
    this.clock = clock;
    this.#post = post;
    this.shared = new SharedState(
      setup.arms.map((arm) => arm.joints.length),
      clock,
      setup.shared,
    );
    this.loop = new ControlLoop(this.shared, setup.rate, clock);
    for (const arm of setup.arms) this.#add(arm);
  }

  get arms(): readonly ControlledArm[] {
    return this.#arms;
  }

  start(): void {
    this.loop.start();
  }

  receive(message: ToControl): void {
    if ('sample' in message) {
      const { sample } = message;
      const arm = this.#arms[sample.arm]!;
      const now = this.clock.now();
      if (sample.kind === 'setpoints') arm.stream.arrived(sample.positions, now);
      else if (sample.kind === 'jog') arm.jog.arrived(sample.velocity, now);
      else if (arm.controller.link instanceof RemoteLink)
        arm.controller.link.arrived(sample.positions, sample.velocities, now);
      return;
    }
    const { request, command } = message;
    this.#carryOut(command, (result) => {
      if (typeof result === 'string') this.#post({ kind: 'refused', request, reason: result });
      else this.#post({ kind: 'reply', request, result });
      if (command.kind === 'close') void this.#close();
    });
  }

  /** @param settle is told the result, or why the command is refused */
  #carryOut(command: Command, settle: (result: CommandResult | string) => void): void {
    if (command.kind === 'close') {
      settle({ motion: 0, duration: 0 });
      return;
    }
    if (command.kind === 'add') {
      settle(this.#addNew(command.setup, command.shared));
      return;
    }
    const handler = COMMANDS[command.kind] as (thread: ControlThread, command: Command) => Carried;
    const carried = handler(this, command);
    if (carried instanceof Promise) void carried.then(settle, (error: unknown) => settle(messageOf(error)));
    else settle(carried);
  }

  #addNew(setup: ArmSetup, memory: SharedArrayBuffer): CommandResult | string {
    this.shared.add(setup.joints.length, memory);
    try {
      this.#add(setup);
    } catch (error) {
      this.shared.drop();
      return messageOf(error);
    }
    return { motion: 0, duration: 0 };
  }

  /** Adds an arm, whose memory is there, after those that there are. @throws {Error} when its data cannot be used */
  #add(setup: ArmSetup): void {
    const index = this.#arms.length;
    const chain = armChain(setup);
    const collision = new CollisionModel(chain);
    const controller = this.#makeController(setup, index, chain);
    // Nothing throws from here on: an arm is in all lists at one place, or in none.
    if (setup.detached !== null) void controller.link.close(setup.detached);
    const joints = setup.joints.length;
    const inputs = { stream: new StreamInput(joints), jog: new JogInput(joints) };
    this.#arms.push({ setup, controller, chain, collision, ...inputs });
    this.loop.add(controller);
  }

  #makeController(arm: ArmSetup, index: number, chain: Chain): ArmController {
    const of = (pick: (joint: ArmSetup['joints'][number]) => number): Float64Array =>
      Float64Array.from(arm.joints, pick);
    const model = {
      name: arm.name,
      limits: {
        lower: of((joint) => joint.lower),
        upper: of((joint) => joint.upper),
        velocity: { move: of((joint) => joint.moveVelocity), mirror: of((joint) => joint.mirrorVelocity) },
        acceleration: { move: of((joint) => joint.moveAcceleration), mirror: of((joint) => joint.mirrorAcceleration) },
      },
      stiffness: of((joint) => joint.stiffness),
      floatTorque: of((joint) => joint.torqueLimit * FLOAT_TORQUE_SHARE),
      gravity: (q: Float64Array, out: Float64Array) => chain.gravityTorques(q, out),
      stall: arm.joints.map(({ stall }) => (stall === null ? null : new StallGuard(stall))),
      yield: arm.joints.map(({ torqueLimit }) => new StallGuard(yieldLimits(torqueLimit))),
    };
    const controller = new ArmController(index, model, makeLink(arm, this.clock), this.shared);
    controller.onEnd = (motion, reason) => this.#post({ kind: 'ended', arm: index, motion, reason });
    controller.onContactRelief = (joint) => {
      const text = `${arm.joints[joint]!.name} has pressed on something without moving: it gives way`;
      this.#post({ kind: 'warning', arm: index, text });
    };
    const { link } = controller;
    controller.onState = () => {
      const reason = link.reason === '' ? link.fault : link.reason;
      this.#post({ kind: 'state', arm: index, state: controller.state, reason });
    };
    link.onWarning = (text) => this.#post({ kind: 'warning', arm: index, text });
    link.onAiling = (joint, text, ailment) => this.#post({ kind: 'ailing', arm: index, joint, text, ailment });
    return controller;
  }

  async #close(): Promise<void> {
    this.loop.stop();
    await Promise.all(this.#arms.map(({ controller }) => controller.link.close('the bridge is ending')));
    this.onClosed();
  }
}

function makeLink(arm: ArmSetup, clock: Clock): ArmLink {
  if (arm.bus.kind === 'remote') return new RemoteLink(arm.joints.length, arm.name);
  const joints = arm.joints.map(({ name, servos, settings, lower, upper }) => ({
    name,
    settings,
    middle: (lower + upper) / 2,
    servos: servos.map(({ id, model: trade, sign, zero, homing, shadow }): LinkServo => {
      const model = modelByName(trade);
      if (model === undefined) throw new Error(`arm ${arm.name}: no table of a servo "${trade}"`);
      return { id, model, calibration: { sign, zero, stepsPerTurn: model.stepsPerTurn }, homing, shadow };
    }),
  }));
  return new ServoLink(busPort(arm.bus, clock), joints, arm.leftGains);
}

function busPort(bus: Exclude<BusSetup, { kind: 'remote' }>, clock: Clock): BytePort {
  if (bus.kind === 'port') return makePort(bus.url, clock);
  return 'postMessage' in bus.port ? new SimPort(bus.url, bus.port, clock) : bus.port;
}
