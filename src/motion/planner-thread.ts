import { ArmModelError, armBuilds, readArmModel } from '../arm/model.ts';
import { armChain } from '../kinematics/arm-chain.ts';
import { messageOf } from '../message-of.ts';
import { ledChunk } from './chunk-path.ts';
import type { FromPlanner, ModelQuestion, PlanAnswer, PlanQuestion, ToPlanner } from './plan-messages.ts';
import { ArmPlanner } from './planner.ts';
import { waypointPoses } from './waypoint-poses.ts';

/** Aborts work on a question whose answer is no longer wanted. */
class GivenUp extends Error {}

/**
 * Everything that runs in the planner thread: a planner for each arm, and the reading of models; one question after the
 * other. It communicates only by messages, so it runs in a worker as well as in one thread with everything else in virtual time.
 */
export class PlannerThread {
  readonly #arms: ArmPlanner[] = [];
  readonly #givenUp: Int32Array;
  readonly #post: (message: FromPlanner) => void;

  /** @param givenUp one word of shared memory: the request that was given up */
  constructor(givenUp: Int32Array, post: (message: FromPlanner) => void) {
    this.#givenUp = givenUp;
    this.#post = post;
  }

  receive(message: ToPlanner): void {
    if ('setup' in message) {
      this.#arms.push(new ArmPlanner(message.setup, armChain(message.setup)));
      return;
    }
    const { request } = message;
    if (message.arm === null) {
      this.#post(this.#read(request, message.question));
      return;
    }
    const { arm, question } = message;
    const planner = this.#arms[arm]!;
    planner.proceed = () => {
      if (Atomics.load(this.#givenUp, 0) === request) throw new GivenUp('nobody wants it any more');
    };
    try {
      this.#post({ request, answer: answerTo(planner, question) });
    } catch (error) {
      this.#post({ request, failure: messageOf(error) });
    }
  }

  #read(request: number, question: ModelQuestion): FromPlanner {
    try {
      const answer =
        question.kind === 'model' ? readArmModel(question.model, question.variant) : armBuilds(question.model);
      return { request, answer };
    } catch (error) {
      if (error instanceof ArmModelError) return { request, unreadable: error.message };
      return { request, failure: messageOf(error) };
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
    case 'waypoints':
      return waypointPoses(question);
    case 'chunk':
      return ledChunk(question);
  }
}
