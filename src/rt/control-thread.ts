import type { Clock } from '../clock.ts';
import { Chain } from '../kinematics/chain.ts';
import { CollisionModel } from '../kinematics/collision.ts';
import { messageOf } from '../message-of.ts';
import { COMMANDS, type Settle } from './commands.ts';
import type { ArmLink } from './driver/arm-link.ts';
import { RemoteLink } from './driver/remote-link.ts';
import { ArmController } from './joint/arm-controller.ts';
import type { Group } from './joint/joint-groups.ts';
import { controlModel } from './joint/make-control-model.ts';
import { ControlLoop } from './loop/control-loop.ts';
import type { ArmSetup, Command, CommandResult, ControlSetup, FromControl, ToControl } from './messages.ts';
import { SharedState } from './snapshot/shared-snapshot.ts';
import { Feel } from './sources/feel.ts';
import { JogInput } from './sources/jog.ts';
import { StreamInput } from './sources/stream-input.ts';

/** One arm in this thread. */
export interface ControlledArm {
  readonly setup: ArmSetup;
  readonly controller: ArmController;
  /** A source of all joints uses the input of group `arm`. */
  readonly inputs: Readonly<Record<Group, { readonly stream: StreamInput; readonly jog: JogInput }>>;
  /** One chain for everything in this thread: its calls never overlap. */
  readonly chain: Chain;
  readonly collision: CollisionModel;
  /** Force feedback to its leader. */
  readonly feel: Feel;
}

/** Makes the link of an arm to its servos. @throws {Error} if its data cannot be used */
export type OpenLink = (arm: ArmSetup, clock: Clock) => ArmLink;

/** Runs a task on the bus of an arm that is being set up, and settles when it is done. */
export type RunBench = (command: Extract<Command, { kind: 'bench' }>, clock: Clock, settle: Settle) => void;

/**
 * Everything in the control thread: arms, buses and the loop. It talks to the rest of the program only by messages and
 * the shared snapshot, so it can run in a worker, or in the same thread as everything else in virtual time.
 */
export class ControlThread {
  readonly clock: Clock;
  readonly shared: SharedState;
  readonly loop: ControlLoop;
  readonly #arms: ControlledArm[] = [];
  readonly #post: (message: FromControl) => void;
  /** Arms that had to brake because a stop would not have been heard, until people are told. */
  readonly #braked: string[] = [];
  /**
   * Runs tasks on the servos of an arm that is being set up, beside the cycles. Set to `runBench` from outside, because
   * cycles must not use its promises.
   */
  runBench: RunBench = (_command, _clock, settle) => settle('nothing is set up here');
  /** Called when everything is closed. */
  onClosed: () => void = () => {};

  readonly #openLink: OpenLink;

  /**
   * @param openLink makes the link of an arm to its servos; passed in, because the cycle must not use its promises
   * @param post sends a message to the main thread
   */
  constructor(setup: ControlSetup, clock: Clock, openLink: OpenLink, post: (message: FromControl) => void) {
    this.#openLink = openLink;
    this.clock = clock;
    this.#post = post;
    this.shared = new SharedState(
      setup.arms.map((arm) => arm.joints.length),
      clock,
      setup.shared,
    );
    this.loop = new ControlLoop(this.shared, setup.rate, clock);
    this.loop.onAttended = (silence) => this.#attended(silence);
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
      if (sample.kind === 'setpoints') arm.inputs[sample.group].stream.arrived(sample.positions, now);
      else if (sample.kind === 'feedback') arm.feel.ask(sample.feedback);
      else if (sample.kind === 'jog') arm.inputs[sample.group].jog.arrived(sample.velocity, now);
      else if (arm.controller.link instanceof RemoteLink) {
        if (sample.kind === 'owner') arm.controller.link.told(sample.torque, sample.blocked);
        else if (sample.kind === 'external') arm.controller.link.pushed(sample.torques, now);
        else arm.controller.link.arrived(sample.positions, sample.velocities, sample.efforts, now);
      }
      return;
    }
    const { request, command } = message;
    this.#carryOut(command, (result) => {
      if (typeof result === 'string') this.#post({ kind: 'refused', request, reason: result });
      else this.#post({ kind: 'reply', request, result });
      if (command.kind === 'close') this.#close();
    });
  }

  #carryOut(command: Command, settle: Settle): void {
    if (command.kind === 'close') settle({ motion: 0, duration: 0 });
    else if (command.kind === 'add') settle(this.#addNew(command.setup, command.shared));
    else if (command.kind === 'bench') this.runBench(command, this.clock, settle);
    else
      (COMMANDS[command.kind] as (thread: ControlThread, command: Command, settle: Settle) => void)(
        this,
        command,
        settle,
      );
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

  /** Appends an arm whose shared memory exists already. @throws {Error} if its data cannot be used */
  #add(setup: ArmSetup): void {
    const index = this.#arms.length;
    const { urdf, baseLink, toolLink } = setup;
    const chain = new Chain(urdf, { base: baseLink, tool: toolLink, joints: setup.joints.map(({ name }) => name) });
    const collision = new CollisionModel(chain);
    const controller = this.#makeController(setup, index, chain);
    // Nothing throws from here on: an arm is in all lists at the same index, or in none.
    if (setup.detached !== null) controller.link.close(setup.detached);
    const joints = setup.joints.length;
    const input = () => ({ stream: new StreamInput(joints), jog: new JogInput(joints) });
    const feel = new Feel(controller);
    this.#arms.push({ setup, controller, chain, collision, feel, inputs: { arm: input(), gripper: input() } });
    this.loop.add(controller);
  }

  #makeController(arm: ArmSetup, index: number, chain: Chain): ArmController {
    const model = controlModel(arm.name, arm.joints, chain, arm.gripper);
    const controller = new ArmController(index, model, this.#openLink(arm, this.clock), this.shared);
    controller.calibrated = arm.calibrated;
    controller.motions.onEnd = (motion, reason, text) =>
      this.#post({ kind: 'ended', arm: index, motion, reason, text });
    controller.onAbandoned = (epoch, driven) => {
      this.#post({ kind: 'abandoned', arm: index, epoch, driven });
      if (driven) this.#braked.push(arm.name);
    };
    controller.motions.onContactRelief = (joint) => {
      const text = `${arm.joints[joint]!.name} has pressed on something without moving: it gives way`;
      this.#post({ kind: 'warning', arm: index, text });
    };
    const { link } = controller;
    controller.onState = () => {
      const { state, reason } = controller;
      this.#post({ kind: 'state', arm: index, state, reason });
    };
    link.onWarning = (text) => this.#post({ kind: 'warning', arm: index, text });
    link.onAiling = (joint, text, ailment) => this.#post({ kind: 'ailing', arm: index, joint, text, ailment });
    return controller;
  }

  /** Warns that force feedback is limited; called within a cycle, at most every 10 s. */
  tellGuarded(arm: number, joint: number): void {
    const name = this.#arms[arm]!.setup.joints[joint]!.name;
    const text = `force feedback would have moved ${name} by itself: it is felt less while it would`;
    this.#post({ kind: 'warning', arm, text });
  }

  #attended(silence: number): void {
    const braked = this.#braked.splice(0);
    if (braked.length === 0) return;
    const text = `the main thread did not run for ${silence.toFixed(1)} s and would have heard no stop`;
    this.#post({
      kind: 'notice',
      text: `${text}: ${braked.join(', ')} had to brake and hold; nothing goes on by itself`,
    });
  }

  #close(): void {
    this.loop.stop();
    let open = this.#arms.length;
    const closed = (): void => {
      open--;
      if (open <= 0) this.onClosed();
    };
    for (const { controller } of this.#arms) controller.link.close('the bridge is ending', closed);
    if (this.#arms.length === 0) closed();
  }
}
