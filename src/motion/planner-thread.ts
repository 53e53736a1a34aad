import { armChain } from '../kinematics/arm-chain.ts';
import type { FromPlanner, PlanAnswer, PlanQuestion, ToPlanner } from './plan-messages.ts';
import { ArmPlanner } from './planner.ts';

/** Ends the work on a question whose answer nobody wants any more. */
class GivenUp extends Error {}

/**
 * All that runs in the planner thread: a planner for each arm, and one question after the other. It knows the rest of the
 * program by messages alone, so that it runs in a worker as well as beside everything else in virtual time.
 */
export class PlannerThread {
  readonly #arms: ArmPlanner[] = [];
  readonly #givenUp: Int32Array;
  readonly #post: (message: FromPlanner) => void;

  /** @param givenUp one word of shared memory: the request that is not wanted any more */
  constructor(givenUp: Int32Array, post: (message: FromPlanner) => void) {
    this.#givenUp = givenUp;
    this.#post = post;
  }

  receive(message: ToPlanner): void {
    if ('setup' in message) {
      this.#arms.push(new ArmPlanner(message.setup, armChain(message.setup)));
      return;
    }
    const { request, arm, question } = message;
    const planner = this.#arms[arm]!;
    planner.proceed = () => {
      if (Atomics.load(this.#givenUp, 0) === request) throw new GivenUp('nobody wants it any more');
    };
    try {
      this.#post({ request, answer: answerTo(planner, question) });
    } catch (error) {
      this.#post({ request, failure: error instanceof Error ? error.message : String(error) });
    }
  }
}

function answerTo(planner: ArmPlanner, question: PlanQuestion): PlanAnswer {
  switch (question.kind) {
    case 'solve':
      return planner.solve(question.position, question.angles, question.seed);
    case 'route':
      return planner.route(question.from, question.to);
    case 'line':
      return planner.line(question.from, question.to, question.parts);
    case 'along':
      return planner.along(question.from, question.positions);
  }
}
