import type { Logger } from 'pino';
import { type Arm, Cancelled, type Origin, type Owner } from '../arm/types.ts';
import { turn } from '../clock.ts';
import { NODE_NAME } from './arguments.ts';
import { type Judged, originAt, recorded } from './audit.ts';
import { goalClientOf } from './callers.ts';
import { makeGuardedActionServer } from './guarded-node.ts';
import { unlessTypeMissing } from './missing-types.ts';
import type { Rcl, RosActionServer, RosGoal, RosNode } from './rclnodejs.ts';
import type { ResponseSender } from './responses.ts';

/** Interval of feedback for a goal, s. */
const FEEDBACK_PERIOD = 0.1;
/**
 * How long the result of a goal can be requested after its end, s, as with rclcpp and rclpy. rclnodejs keeps the whole
 * goal until then: its own 15 minutes would fill the memory at ten trajectories a second.
 */
const RESULT_TIMEOUT = 10;

/** How a goal ended, and the result for its client. */
export interface Outcome {
  readonly state: 'succeeded' | 'aborted' | 'canceled';
  readonly result: object;
  /** Why it failed, human-readable, for the journal: for results without a field for it. */
  readonly reason?: string;
}

/** One running goal: `signal` aborts when its client cancels it. */
export interface GoalRun<Goal> {
  readonly goal: Goal;
  /** Who sent it. */
  readonly client: Owner;
  readonly origin: Origin;
  readonly signal: AbortSignal;
  /** Sets the source of feedback, which is sent ten times a second. */
  tell(feedback: () => object): void;
}

/** Implementation of an action. */
export interface ActionParts<Goal> {
  /**
   * Why a goal is rejected, human-readable; null to accept it. Left out: every goal is accepted; its result tells
   * failures.
   */
  judge?(goal: Goal): string | null;
  /** Executes a goal; must end soon after its signal has aborted. */
  execute(run: GoalRun<Goal>): Promise<Outcome>;
}

/** The action servers of a node. */
export class Actions {
  readonly #rcl: Rcl;
  readonly #node: RosNode;
  readonly #servers: RosActionServer[] = [];
  readonly #running = new Set<Promise<unknown>>();
  readonly #namespace: string;
  readonly #arm: Pick<Arm, 'name' | 'journal' | 'clock'>;
  readonly #responses: ResponseSender;
  readonly #onError: (error: unknown) => void;
  readonly #log: Pick<Logger, 'warn'>;

  /** @param namespace of the node, human-readable @param log is told of actions whose type is missing */
  constructor(
    rcl: Rcl,
    node: RosNode,
    namespace: string,
    arm: Pick<Arm, 'name' | 'journal' | 'clock'>,
    responses: ResponseSender,
    onError: (error: unknown) => void,
    log: Pick<Logger, 'warn'>,
  ) {
    this.#rcl = rcl;
    this.#node = node;
    this.#namespace = namespace;
    this.#arm = arm;
    this.#responses = responses;
    this.#onError = onError;
    this.#log = log;
  }

  /**
   * Offers an action, unless this ROS 2 lacks its type. The response to a rejected goal has no field for a reason: the
   * journal has it.
   */
  offer<Goal>(type: string, name: string, { judge, execute }: ActionParts<Goal>): void {
    const { GoalResponse, CancelResponse } = this.#rcl;
    const full = name.startsWith('~') ? name.replace('~', NODE_NAME) : name;
    const controllers = new Map<RosGoal<Goal>, AbortController>();
    const run = async (goal: RosGoal<Goal>): Promise<object> => {
      const controller = new AbortController();
      controllers.set(goal, controller);
      const sender = this.#sender(full);
      const { name: arm, journal } = this.#arm;
      const carryOut = (part: Pick<GoalRun<Goal>, 'goal' | 'tell'>): Promise<Outcome> =>
        recorded(
          journal,
          'motion',
          arm,
          sender.origin,
          () => execute({ ...part, ...sender, signal: controller.signal }),
          inJournal,
        );
      const work = this.#carryOut(goal, carryOut);
      this.#running.add(work);
      try {
        return await work;
      } finally {
        controllers.delete(goal);
        this.#running.delete(work);
      }
    };
    const make = (): RosActionServer =>
      makeGuardedActionServer<Goal>(
        this.#rcl,
        this.#responses,
        this.#onError,
        this.#node,
        type,
        name,
        run,
        (goal) => {
          const fault = judge?.(goal) ?? null;
          if (fault === null) return GoalResponse.ACCEPT;
          this.#arm.journal.record('motion', this.#arm.name, this.#sender(full).origin, 'refused', fault);
          return GoalResponse.REJECT;
        },
        null,
        (goal) => {
          // Only after the goal has entered the canceling state: only then may it end as canceled.
          this.#arm.clock.soon(() => controllers.get(goal)?.abort(new Cancelled('its client cancelled it')));
          return CancelResponse.ACCEPT;
        },
        { resultTimeout: RESULT_TIMEOUT },
      );
    const server = unlessTypeMissing(this.#log, `The action ${this.#namespace}/${full}`, make);
    if (server !== null) this.#servers.push(server);
  }

  /** @param action name below the namespace */
  #sender(action: string): Pick<GoalRun<unknown>, 'client' | 'origin'> {
    const name = `${this.#namespace}/${action}`;
    const client = goalClientOf(this.#node, name);
    return { client, origin: originAt(client.name, `action ${name}`) };
  }

  /** Resolves when no goal is running any more. */
  async finished(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  /** Removes the actions from the graph; only while no goal is running. */
  withdraw(): void {
    for (const server of this.#servers.splice(0)) server.destroy();
  }

  async #carryOut<Goal>(
    goal: RosGoal<Goal>,
    execute: (run: Pick<GoalRun<Goal>, 'goal' | 'tell'>) => Promise<Outcome>,
  ): Promise<object> {
    let feedback: (() => object) | null = null;
    const timer = this.#arm.clock.every(FEEDBACK_PERIOD, () => {
      if (feedback === null || goal.isCancelRequested || !goal.isActive) return;
      try {
        goal.publishFeedback(feedback());
      } catch (error) {
        this.#onError(error);
      }
    });
    const tell = (next: () => object): void => {
      feedback = next;
    };
    try {
      const { state, result } = await execute({ goal: goal.request.toPlainObject(true), tell });
      // In the next turn of the event loop: a cancel request answered in this turn would find an ended goal, and
      // rclnodejs would not answer it.
      await turn(this.#arm.clock);
      if (goal.isActive) {
        if (goal.isCancelRequested) goal.canceled();
        else if (state === 'succeeded') goal.succeed();
        else goal.abort();
      }
      return result;
    } finally {
      timer.cancel();
    }
  }
}

/** How the journal reads an outcome. */
function inJournal({ state, result, reason }: Outcome): Judged {
  const { message, error_string: text } = result as { readonly message?: string; readonly error_string?: string };
  const told = reason ?? message ?? text;
  const cancelled = state === 'canceled';
  return { success: state === 'succeeded', cancelled, ...(told === undefined ? {} : { message: told }) };
}
