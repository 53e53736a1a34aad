import type { Rcl, RosGoal, RosNode } from './rclnodejs.ts';

/** Feedback of a goal is sent this often, ms. */
const FEEDBACK_PERIOD = 100;

/** How a goal ended, and what its client is told. */
export interface Outcome {
  readonly state: 'succeeded' | 'aborted' | 'canceled';
  readonly result: object;
}

/** One goal at work: `signal` aborts when its client cancels it; `feedback` is what is told meanwhile. */
export interface GoalRun<Goal> {
  readonly goal: Goal;
  readonly signal: AbortSignal;
  /** What is sent from now on as feedback, ten times a second. */
  tell(feedback: () => object): void;
}

/** The action servers of a node. */
export class Actions {
  readonly #rcl: Rcl;
  readonly #node: RosNode;
  readonly #running = new Set<Promise<unknown>>();
  readonly #onError: (error: unknown) => void;

  constructor(rcl: Rcl, node: RosNode, onError: (error: unknown) => void) {
    this.#rcl = rcl;
    this.#node = node;
    this.#onError = onError;
  }

  /**
   * Offers an action. Every goal is accepted and given a result, so that a refusal too can say why.
   * @param execute carries a goal out; it is to end soon after its signal has aborted
   */
  offer<Goal>(type: string, name: string, execute: (run: GoalRun<Goal>) => Promise<Outcome>): void {
    const { ActionServer, GoalResponse, CancelResponse } = this.#rcl;
    const controllers = new Map<RosGoal<Goal>, AbortController>();
    const run = async (goal: RosGoal<Goal>): Promise<object> => {
      const controller = new AbortController();
      controllers.set(goal, controller);
      const work = this.#carryOut(goal, controller.signal, execute);
      this.#running.add(work);
      try {
        return await work;
      } finally {
        controllers.delete(goal);
        this.#running.delete(work);
      }
    };
    new ActionServer<Goal>(
      this.#node,
      type,
      name,
      run,
      () => GoalResponse.ACCEPT,
      null,
      (goal) => {
        // After the goal has become one that is being cancelled: only such a one may end as cancelled.
        setImmediate(() => controllers.get(goal)?.abort());
        return CancelResponse.ACCEPT;
      },
    );
  }

  /** Resolves when no goal is at work any more. */
  async finished(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  async #carryOut<Goal>(
    goal: RosGoal<Goal>,
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
      const { state, result } = await execute({ goal: goal.request.toPlainObject(true), signal, tell });
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
