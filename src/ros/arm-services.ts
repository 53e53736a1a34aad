import type { Act } from '../arm/journal.ts';
import type { Arm, Caller, Origin } from '../arm/types.ts';
import type { GravityService } from '../mirror/gravity.ts';
import { DEFAULT_GRAVITY } from '../mirror/mirroring.ts';
import type { MoveService } from '../motion/move-service.ts';
import type { MoveOutcome } from '../motion/moves.ts';
import type { TorqueSwitch } from '../motion/torque.ts';
import { callerOf, recorded } from './audit.ts';
import { type Fault, faultOf, NO_FAULT } from './errors.ts';
import type { InputNode } from './lent-node.ts';

const TRIGGER = 'std_srvs/srv/Trigger';

/** Response of std_srvs services. */
interface Answer {
  readonly success: boolean;
  readonly message: string;
}

/** Trigger and SetBool have no field for take-over, so they take no arm from another owner. */
type RosCaller = Caller & { readonly origin: Origin };

interface ReadRequest {
  readonly only_gripper: boolean;
  readonly sync: boolean;
}

/** The services on the node of an arm whose bus this bridge owns. */
export class ArmServices {
  readonly #node: InputNode;
  readonly #arm: Arm;
  readonly #name: string;
  readonly #isOpen: () => boolean;

  /**
   * @param name full name of the node, human-readable
   * @param isOpen false once the room closes: responses can no longer be sent then
   */
  constructor(node: InputNode, name: string, arm: Arm, isOpen: () => boolean) {
    this.#node = node;
    this.#name = name;
    this.#arm = arm;
    this.#isOpen = isOpen;
  }

  /** Services offered whoever may drive: the stop, and reading the tool. */
  offerAlways(motion: MoveService): void {
    const arm = this.#arm;
    this.#trigger('stop', 'stop', async ({ origin }) => {
      await arm.stopAtRest(`the ROS service ${this.#name}/stop was called`, origin);
      return done(`${arm.name} is stopped and refuses every motion until ${this.#name}/reset is called`);
    });
    this.#offer('arm_bridge/srv/ReadEndEffector', 'read_end_effector', async (request: ReadRequest) => {
      const options = { onlyGripper: request.only_gripper, sync: request.sync };
      const { pose, open } = await motion.readEndEffector(arm, options);
      return { success: true, ...NO_FAULT, ...toolFields(pose), opening: open ?? Number.NaN };
    });
  }

  /** Services that move the arm, or let it move again. */
  offerMotion(motion: MoveService): void {
    const arm = this.#arm;
    this.#trigger('reset', 'reset', async ({ origin }) => {
      const wasStopped = arm.latched;
      await arm.reset(origin);
      if (!wasStopped) return done(`${arm.name} was not stopped; nothing to reset`);
      return done(`${arm.name} is reset: it holds and belongs to nobody`);
    });
    const move = (name: string, what: string, act: (caller: Caller) => Promise<MoveOutcome>): void =>
      this.#trigger(name, 'motion', async (caller) => {
        const { ok, message } = await act(caller);
        return { success: ok, message: message ?? `${arm.name} ${what}` };
      });
    move('init', 'is at the pose `init`, the zero of its absolute frame', (caller) => motion.init(arm, caller));
    move('home', 'is at the pose `init`, the zero of its absolute frame', (caller) => motion.init(arm, caller));
    move('hello', 'has greeted', (caller) => motion.hello(arm, caller));
    move('park', 'rests, and its torque is off', (caller) => motion.sleep(arm, caller));
  }

  /** `~/torque_enable`: holds the arm where it is, or lowers it to its rest pose and lets it go limp there. */
  offerTorque(torque: TorqueSwitch): void {
    const arm = this.#arm;
    this.#switch('torque_enable', 'torque', async (on, caller) => {
      if (on) {
        await torque.on(arm, caller);
        return done(`${arm.name} holds where it is`);
      }
      const holds = await torque.off(arm, false, caller);
      return holds === null ? done(`${arm.name} rests, and its torque is off`) : { success: false, message: holds };
    });
  }

  /** `~/gravity_compensation_enable`: the arm supports its weight and yields to the hand, or holds again. */
  offerGravity(gravity: GravityService): void {
    const arm = this.#arm;
    this.#switch('gravity_compensation_enable', 'motion', async (on, caller) => {
      if (on) {
        await gravity.start(arm, DEFAULT_GRAVITY, caller);
        return done(`${arm.name} supports its weight and yields to the hand`);
      }
      if (await gravity.stop(arm, caller)) return done(`${arm.name} holds`);
      return { success: false, message: `${arm.name} was not floating; nothing to stop` };
    });
  }

  /** A std_srvs/srv/SetBool service. */
  #switch(name: string, act: Act, work: (on: boolean, caller: RosCaller) => Promise<Answer>): void {
    this.#offer('std_srvs/srv/SetBool', name, ({ data }: { readonly data: boolean }) =>
      this.#carryOut(name, act, (caller) => work(data, caller)),
    );
  }

  #trigger(name: string, act: Act, work: (caller: RosCaller) => Promise<Answer>): void {
    this.#offer(TRIGGER, name, () => this.#carryOut(name, act, work));
  }

  #carryOut(service: string, act: Act, work: (caller: RosCaller) => Promise<Answer>): Promise<Answer> {
    const caller = callerOf(this.#node, `${this.#name}/${service}`);
    const { journal, name } = this.#arm;
    return recorded(journal, act, name, caller.origin, () => work(caller));
  }

  #offer<Request>(type: string, name: string, act: (request: Request) => Promise<object>): void {
    offerService(this.#node, type, `~/${name}`, this.#isOpen, act, (error) => this.#fault(type, error));
  }

  #fault(type: string, error: unknown): object {
    const fault = faultOf(error, this.#name);
    if (type.startsWith('std_srvs/')) return { success: false, message: fault.message };
    return { success: false, ...fault, ...toolFields(null), opening: Number.NaN };
  }
}

/** Offers a service whose response to an error states the problem. */
export function offerService<Request>(
  node: Pick<InputNode, 'createService'>,
  type: string,
  name: string,
  isOpen: () => boolean,
  act: (request: Request) => Promise<object>,
  onError: (error: unknown) => object,
): void {
  node.createService(type, name, async (request: Request) => {
    let answer: object;
    try {
      answer = await act(request);
    } catch (error) {
      answer = onError(error);
    }
    return isOpen() ? answer : undefined;
  });
}

export function refusal(fault: Fault): { success: false } & Fault {
  return { success: false, ...fault };
}

type ToolPose = Awaited<ReturnType<MoveService['readEndEffector']>>['pose'];

/** Fields of a tool pose, NaN where there is none. */
export function toolFields(pose: ToolPose): NonNullable<ToolPose> {
  const nothing = Number.NaN;
  return pose ?? { x: nothing, y: nothing, z: nothing, pitch: nothing, yaw: nothing, roll: nothing };
}

function done(message: string): Answer {
  return { success: true, message };
}
