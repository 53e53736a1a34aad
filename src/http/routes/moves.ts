import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Arm, BridgeError, type Caller } from '../../arm/types.ts';
import type { MoveOutcome } from '../../motion/moves.ts';
import type { Callers } from '../callers.ts';
import { completedAbsolute, completedRelative, type Dialect } from '../dialect.ts';
import { asProblem, HttpProblem } from '../errors.ts';
import { absoluteMoveOf, relativeMoveOf } from '../move-bodies.ts';
import { absoluteMoveRequest, endEffectorReadRequest, relativeMoveRequest, type StatusResponse } from '../schemas.ts';
import { armById, drivenArmsById, type HttpServices } from '../services.ts';
import { centimetres, degrees } from '../units.ts';
import { readRequest } from '../validation.ts';

function statusOf(outcome: MoveOutcome): StatusResponse {
  return {
    status: outcome.ok ? 'ok' : 'error',
    message: outcome.message,
    position_error: outcome.positionError === null ? null : centimetres(outcome.positionError),
    orientation_error: outcome.orientationError === null ? null : degrees(outcome.orientationError),
    trials: outcome.trials,
    duration: outcome.duration,
  };
}

function worst(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}

interface ArmOutcome {
  readonly arm: Arm;
  readonly outcome: MoveOutcome;
}

/** One answer for several arms: the worst figures, every complaint, and each arm by itself. */
function statusOfAll(outcomes: readonly ArmOutcome[]): StatusResponse {
  if (outcomes.length === 1) return statusOf(outcomes[0]!.outcome);
  const failed = outcomes.filter(({ outcome }) => !outcome.ok);
  return {
    ...statusOf({
      ok: failed.length === 0,
      message:
        failed.length === 0
          ? null
          : failed.map(({ arm, outcome }) => `${arm.name} (robot ${arm.id}): ${outcome.message}`).join(' '),
      positionError: worst(outcomes.map(({ outcome }) => outcome.positionError)),
      orientationError: worst(outcomes.map(({ outcome }) => outcome.orientationError)),
      trials: Math.max(0, ...outcomes.map(({ outcome }) => outcome.trials)),
      duration: Math.max(0, ...outcomes.map(({ outcome }) => outcome.duration)),
    }),
    robots: outcomes.map(({ arm, outcome }) => ({ robot_id: arm.id, name: arm.name, ...statusOf(outcome) })),
  };
}

/** Moves from or to a place of the absolute frame. */
const NEED_ZERO: ReadonlySet<string> = new Set(['/move/absolute', '/move/relative']);

/** The phosphobot dialect goes to `init` by itself before the first such move. @returns what became of it, when it failed */
async function initialised({ config, motion }: HttpServices, arm: Arm, caller: Caller): Promise<MoveOutcome | null> {
  if (config.dialect !== 'phosphobot' || arm.initialised) return null;
  const outcome = await motion.init(arm, caller);
  return outcome.ok ? null : outcome;
}

/** A move that is refused for another owner or a stop: phosphobot's clients read that from the status. */
export function refusedMove(problem: unknown, dialect: Dialect): StatusResponse {
  if (dialect !== 'phosphobot' || !(problem instanceof HttpProblem) || problem.status !== 409) throw problem;
  return { status: 'error', message: problem.message };
}

async function initAll(services: HttpServices, arms: readonly Arm[], caller: Caller): Promise<StatusResponse> {
  const results = await Promise.allSettled(arms.map((arm) => services.motion.init(arm, caller)));
  const outcomes: ArmOutcome[] = [];
  let refusal: unknown;
  let refused = 0;
  for (const [index, result] of results.entries()) {
    const arm = arms[index]!;
    if (result.status === 'fulfilled') {
      outcomes.push({ arm, outcome: result.value });
      continue;
    }
    const problem = asProblem(result.reason, { route: '/move/init', armId: arm.id });
    if (!(problem instanceof HttpProblem)) throw problem;
    refusal ??= problem;
    refused++;
    const message = problem.message;
    outcomes.push({
      arm,
      outcome: { ok: false, message, positionError: null, orientationError: null, trials: 0, duration: 0 },
    });
  }
  // Nothing moved: the refusal itself is the answer. Where one arm moved, the answer says what became of each.
  if (refused === arms.length && refusal !== undefined) return refusedMove(refusal, services.config.dialect);
  return statusOfAll(outcomes);
}

/** /move/init, /move/absolute, /move/relative, /move/hello, /move/sleep and /end-effector/read. */
export function moveRoutes(app: FastifyInstance, services: HttpServices, callers: Callers): void {
  const { dialect } = services.config;

  /** Runs a move of one arm for a client. */
  async function one(
    reply: FastifyReply,
    route: string,
    robotId: number,
    takeOver: boolean,
    move: (arm: Arm, caller: Caller) => Promise<MoveOutcome>,
  ): Promise<StatusResponse> {
    const arm = armById(services, robotId);
    try {
      return statusOf(
        await callers.run(reply, takeOver, async (caller) => {
          const early = NEED_ZERO.has(route) ? await initialised(services, arm, caller) : null;
          return early ?? move(arm, caller);
        }),
      );
    } catch (error) {
      return refusedMove(asProblem(error, { route, armId: arm.id }), dialect);
    }
  }

  app.post('/move/init', async (request, reply) => {
    const { robotId, takeOver } = readRequest(request, { robotId: 'all', takeOver: true });
    const arms = drivenArmsById(services, robotId);
    return callers.run(reply, takeOver, (caller) => initAll(services, arms, caller));
  });

  app.post('/move/absolute', async (request, reply) => {
    const { robotId, takeOver, body } = readRequest(request, {
      robotId: 'default',
      takeOver: true,
      body: absoluteMoveRequest,
      complete: completedAbsolute,
    });
    const move = absoluteMoveOf(body, dialect);
    return one(reply, '/move/absolute', robotId!, takeOver, (arm, caller) =>
      services.motion.moveAbsolute(arm, move, caller),
    );
  });

  app.post('/move/relative', async (request, reply) => {
    const { robotId, takeOver, body } = readRequest(request, {
      robotId: 'default',
      takeOver: true,
      body: relativeMoveRequest,
      complete: completedRelative,
    });
    const move = relativeMoveOf(body, dialect);
    return one(reply, '/move/relative', robotId!, takeOver, (arm, caller) =>
      services.motion.moveRelative(arm, move, caller),
    );
  });

  app.post('/move/hello', async (request, reply) => {
    const { robotId, takeOver } = readRequest(request, { robotId: 'default', takeOver: true });
    return one(reply, '/move/hello', robotId!, takeOver, (arm, caller) => services.motion.hello(arm, caller));
  });

  app.post('/move/sleep', async (request, reply) => {
    const { robotId, takeOver } = readRequest(request, { robotId: 'default', takeOver: true });
    return one(reply, '/move/sleep', robotId!, takeOver, (arm, caller) => services.motion.sleep(arm, caller));
  });

  app.post('/end-effector/read', async (request) => {
    const { robotId, body } = readRequest(request, {
      robotId: 'default',
      body: endEffectorReadRequest,
      bodyOptional: true,
    });
    const arm = armById(services, robotId!);
    try {
      const { pose, open } = await services.motion.readEndEffector(arm, {
        onlyGripper: body.only_gripper,
        sync: body.sync,
      });
      if (pose === null && !body.only_gripper) throw new BridgeError('internal', `${arm.name}: pose left out`);
      return {
        x: pose === null ? null : centimetres(pose.x),
        y: pose === null ? null : centimetres(pose.y),
        z: pose === null ? null : centimetres(pose.z),
        rx: pose === null ? null : degrees(pose.pitch),
        ry: pose === null ? null : degrees(dialect === 'phosphobot' ? pose.roll : pose.yaw),
        rz: pose === null ? null : degrees(dialect === 'phosphobot' ? pose.yaw : pose.roll),
        open,
      };
    } catch (error) {
      throw asProblem(error, { route: '/end-effector/read', armId: arm.id });
    }
  });
}
