import type { Logger } from 'pino';
import { NODE_NAME } from './arguments.ts';
import { goalClientOf } from './callers.ts';
import { makeGuardedActionServer } from './guarded-node.ts';
import type { Rcl, RosActionServer, RosGoal, RosNode } from './rclnodejs.ts';
import { RefusalLog } from './refusals.ts';

/** Feedback of a goal is sent this often, ms. */
const FEEDBACK_PERIOD = 100;
/**
 * The result of a goal can be asked for so long after its end, s, as with rclcpp and rclpy. Until then rclnodejs keeps the whole goal,
 * for 15 minutes by itself: a controller that sends ten trajectories a second would fill the memory.
 */
const RESULT_TIMEOUT = 10;

/** How a goal ended, and what its client is told. */
export interface Outcome {
  readonly state: 'succeeded' | 'aborted' | 'canceled';
  readonly result: object;
}

/** One goal at work: `signal` aborts when its client cancels it; `feedback` is what is told meanwhile. */
export interface GoalRun<Goal> {
  readonly goal: Goal;
  /** Who has sent it, for people. */
  readonly who: string;
  readonly signal: AbortSignal;
  /** What is sent from now on as feedback, ten times a second. */
  tell(feedback: () => object): void;
}

/** What an action does. */
export interface ActionParts<Goal> {
  /** Why a goal is not accepted, for people; null when it is. Left out: every goal is accepted, and its result says why it failed. */
  judge?(goal: Goal): string | null;
  /** Carries a goal out; it is to end soon after its signal has aborted. */
  execute(run: GoalRun<Goal>): Promise<Outcome>;
}

/** The action servers of a node. */
export class Actions {
  readonly #rcl: Rcl;
  readonly #node: RosNode;
  readonly #servers: RosActionServer[] = [];
  readonly #running = new Set<Promise<unknown>>();
  readonly #namespace: string;
  readonly #log: Logger;
  readonly #onError: (error: unknown) => void;

  /** @param namespace of the node, for people */
  constructor(rcl: Rcl, node: RosNode, namespace: string, log: Logger, onError: (error: unknown) => void) {
    this.#rcl = rcl;
    this.#node = node;
    this.#namespace = namespace;
    this.#log = log;
    this.#onError = onError;
  }

  /** Offers an action. The response to a goal that is not accepted has no place for a reason: it is logged. */
  offer<Goal>(type: string, name: string, { judge, execute }: ActionParts<Goal>): void {
    const { GoalResponse, CancelResponse } = this.#rcl;
    const full = name.startsWith('~') ? name.replace('~', NODE_NAME) : name;
    const refusals = new RefusalLog(this.#log, `Goal of ${this.#namespace}/${full} rejected`);
    const controllers = new Map<RosGoal<Goal>, AbortController>();
    const run = async (goal: RosGoal<Goal>): Promise<object> => {
      const controller = new AbortController();
      controllers.set(goal, controller);
      const who = goalClientOf(this.#node, `${this.#namespace}/${full}`);
      const work = this.#carryOut(goal, who, controller.signal, execute);
      this.#running.add(work);
      try {
        return await work;
      } finally {
        controllers.delete(goal);
        this.#running.delete(work);
      }
    };
    const server = makeGuardedActionServer<Goal>(
      this.#rcl,
      this.#onError,
      this.#node,
      type,
      name,
      run,
      (goal) => {
        const fault = judge?.(goal) ?? null;
        if (fault === null) return GoalResponse.ACCEPT;
        refusals.refuse(fault);
        return GoalResponse.REJECT;
      },
      null,
      (goal) => {
        // After the goal has become one that is being cancelled: only such a one may end as cancelled.
        setImmediate(() => controllers.get(goal)?.abort());
        return CancelResponse.ACCEPT;
      },
      { resultTimeout: RESULT_TIMEOUT },
    );
    this.#servers.push(server);
  }

  /** Resolves when no goal is at work any more. */
  async finished(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  /** Takes the actions from the graph; only while no goal is at work. */
  withdraw(): void {
    for (const server of this.#servers.splice(0)) server.destroy();
  }

  async #carryOut<Goal>(
    goal: RosGoal<Goal>,
    who: string,
    signal: AbortSignal,
    execute: (run: GoalRun<Goal>) => Promise<Outcome>,
  ): Promise<object> {
    let feedback: (() => object) | null = null;
    const timer = setInterval(() => {
      if (feedback === null || goal.isCancelRequested || !goal.isActive) return;
      try {
        goal.publishFeedback(feedback());
      } catch (error) {
        this.#onError(error);
      }
    }, FEEDBACK_PERIOD);
    const tell = (next: () => object): void => {
      feedback = next;
    };
    try {
      const { state, result } = await execute({ goal: goal.request.toPlainObject(true), who, signal, tell });
      // In a turn of its own: a cancellation that is answered in the same one would find a goal that has ended, and rclnodejs
      // would not answer it.
      await new Promise((resolve) => setImmediate(resolve));
      if (goal.isActive) {
        if (goal.isCancelRequested) goal.canceled();
        else if (state === 'succeeded') goal.succeed();
        else goal.abort();
      }
      return result;
    } finally {
      clearInterval(timer);
    }
  }
}
