import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { type Arm, BridgeError, type Caller } from '../../arm/types.ts';
import type { MoveOutcome } from '../../motion/moves.ts';
import type { Meaning } from '../callers.ts';
import { answeredInTime, completedAbsolute, completedRelative } from '../dialect.ts';
import { asProblem, HttpProblem } from '../errors.ts';
import { asModel, boolean, components } from '../fields.ts';
import { absoluteMoveOf, absoluteMoveRequest, relativeMoveOf, relativeMoveRequest } from '../move-bodies.ts';
import { CONFLICT, moving, NOT_THERE, type Parts, route } from '../route.ts';
import { failed, ok, outcome } from '../schemas.ts';
import type { HttpServices } from '../services.ts';
import { centimetres, degrees } from '../units.ts';

const reached = {
  ...outcome,
  position_error: z
    .number()
    .nullable()
    .optional()
    .describe('Distance between asked and measured position, in centimetres; null where nothing was asked of it.'),
  orientation_error: z
    .number()
    .nullable()
    .optional()
    .describe('Smallest rotation to the asked angles, in degrees; null where nothing was asked of it.'),
  trials: z.int().optional().describe('Trials made.'),
  duration: z.number().optional().describe('From acceptance to the end of the motion, in seconds.'),
};

const moveResponse = z
  .object(reached)
  .describe('How a motion has ended. The errors are those by the encoders; they are left out where nothing moved.')
  .register(components, { id: 'MoveResponse' });
type MoveResponse = z.input<typeof moveResponse>;

const armMove = z
  .object({ robot_id: z.int(), name: z.string().describe('Of the arm.'), ...reached })
  .register(components, { id: 'ArmMoveResponse' });

const moveAllResponse = z
  .object({ ...reached, robots: z.array(armMove).optional().describe('Each arm by itself, where several moved.') })
  .describe('How motions of several arms have ended: the worst figures, and every complaint.')
  .register(components, { id: 'MoveAllResponse' });
type MoveAllResponse = z.input<typeof moveAllResponse>;

function statusOf(move: MoveOutcome) {
  return {
    status: move.ok ? ('ok' as const) : ('error' as const),
    message: move.message,
    position_error: move.positionError === null ? null : centimetres(move.positionError),
    orientation_error: move.orientationError === null ? null : degrees(move.orientationError),
    trials: move.trials,
    duration: move.duration,
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

/** Combined answer for several arms: the worst figures, all messages, and the outcome of each arm. */
function statusOfAll(outcomes: readonly ArmOutcome[]): MoveAllResponse {
  if (outcomes.length === 1) return statusOf(outcomes[0]!.outcome);
  const unmet = outcomes.filter((one) => !one.outcome.ok);
  return {
    ...statusOf({
      ok: unmet.length === 0,
      message:
        unmet.length === 0
          ? null
          : unmet.map((one) => `${one.arm.name} (robot ${one.arm.id}): ${one.outcome.message}`).join(' '),
      positionError: worst(outcomes.map((one) => one.outcome.positionError)),
      orientationError: worst(outcomes.map((one) => one.outcome.orientationError)),
      trials: Math.max(0, ...outcomes.map((one) => one.outcome.trials)),
      duration: Math.max(0, ...outcomes.map((one) => one.outcome.duration)),
    }),
    robots: outcomes.map((one) => ({ robot_id: one.arm.id, name: one.arm.name, ...statusOf(one.outcome) })),
  };
}

/**
 * In the phosphobot dialect, moves to `init` before the first such move.
 * @returns the outcome if that failed, else null
 */
async function initialised({ config, motion }: HttpServices, arm: Arm, caller: Caller): Promise<MoveOutcome | null> {
  if (config.dialect !== 'phosphobot' || arm.initialised) return null;
  const move = await motion.init(arm, caller);
  return move.ok ? null : move;
}

async function initAll(
  { services: { motion }, motions }: Parts,
  arms: readonly Arm[],
  kind: string,
  caller: Caller,
): Promise<MoveAllResponse> {
  const toInit = (arm: Arm): Promise<MoveOutcome> => motions.run(arm, kind, caller, (asker) => motion.init(arm, asker));
  const results = await Promise.allSettled(arms.map(toInit));
  const outcomes: ArmOutcome[] = [];
  let refusal: HttpProblem | undefined;
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
  // If every arm refused, the first refusal is the answer. Otherwise the answer states the outcome of each arm.
  if (refused === arms.length && refusal !== undefined) throw refusal;
  return statusOfAll(outcomes);
}

/** Service for moves to poses: in the phosphobot dialect, moves may come as streams. */
function movesOf({ config, motion, streamedMoves }: HttpServices): HttpServices['streamedMoves'] {
  return config.dialect === 'phosphobot' ? streamedMoves : motion;
}

const UNDER_WAY = ok('The arm is still on its way.');

/** Runs a move for a client. */
async function moved(
  { callers, services, motions }: Parts,
  arm: Arm,
  meaning: Meaning,
  reply: FastifyReply,
  move: (caller: Caller) => Promise<MoveOutcome>,
): Promise<MoveResponse> {
  const kind = reply.request.routed;
  const answer = async (caller: Caller): Promise<MoveResponse> => statusOf(await motions.run(arm, kind, caller, move));
  return callers.run(reply, meaning, (caller) =>
    answeredInTime(services, reply.request.headers, answer(caller), UNDER_WAY),
  );
}

/** Declaration shared by all moves of one arm. */
const aMove = {
  method: 'POST',
  access: 'control',
  act: 'motion',
  tag: 'control',
  target: 'one',
  query: moving,
  answer: {
    description: 'The motion has ended. `error`: the message says why and how far it came.',
    schema: moveResponse,
    example: {
      ...ok(),
      position_error: 0.03,
      orientation_error: 0.2,
      trials: 1,
      duration: 1.9,
    },
  },
  refusals: { 400: NOT_THERE, 409: CONFLICT },
  conflict: failed,
} as const;

const toAPlace = {
  ...aMove,
  refusals: { 400: 'The arm is unknown, disconnected, or not initialised.', 409: CONFLICT },
};

const endEffectorReadRequest = z
  .object(
    {
      only_gripper: boolean()
        .prefault(false)
        .describe('The gripper alone: the six others are null. Works before /move/init.'),
      sync: boolean()
        .prefault(false)
        .describe('Answer from a read of the motors that began after the request, at most 200 ms.'),
    },
    asModel,
  )
  .register(components, { id: 'EndEffectorReadRequest' });

const coordinate = (description: string) => z.number().nullable().describe(`${description}; null with only_gripper.`);

const endEffectorPosition = z
  .object({
    x: coordinate('Centimetres'),
    y: coordinate('Centimetres'),
    z: coordinate('Centimetres'),
    rx: coordinate('Absolute pitch in degrees'),
    ry: coordinate('Absolute yaw in degrees'),
    rz: coordinate('Absolute roll in degrees'),
    open: z.number().nullable().describe('Measured opening, 0 closed to 1 open; null for an arm without a gripper.'),
  })
  .register(components, { id: 'EndEffectorPosition' });

export const moveRoutes = [
  route({
    ...aMove,
    path: '/move/init',
    id: 'move_init',
    summary: 'Move to the initial pose',
    description:
      'Torque on if it is off, then to the pose `init`. The pose that it reaches is the zero of the absolute frame. It comes ' +
      'before /move/absolute.',
    target: 'driven',
    answer: {
      ...aMove.answer,
      schema: moveAllResponse,
      example: {
        ...aMove.answer.example,
        robots: [
          { robot_id: 0, name: 'leader', ...aMove.answer.example },
          { robot_id: 1, name: 'follower', ...aMove.answer.example },
        ],
      },
    },
    handler: (parts, { arms, query }, reply) => {
      const { callers, services } = parts;
      const { headers, routed } = reply.request;
      return callers.run(reply, query, (caller) =>
        answeredInTime(services, headers, initAll(parts, arms, routed, caller), UNDER_WAY),
      );
    },
  }),
  route({
    ...toAPlace,
    path: '/move/absolute',
    id: 'move_absolute',
    summary: 'Move to an absolute position',
    description:
      'Moves the end effector in the absolute frame. /move/init comes first. The answer comes when the motion has ended: after ' +
      '30 s at most, or longer in proportion where the arm is slowed. A client that hangs up makes its arm decelerate to a hold.',
    body: { schema: absoluteMoveRequest, complete: completedAbsolute, example: { x: 2, y: 3, z: -2, open: 0.5 } },
    handler: (parts, { arm, query, body }, reply) => {
      const { services } = parts;
      const move = absoluteMoveOf(body, services.config.dialect);
      return moved(
        parts,
        arm,
        query,
        reply,
        async (caller) =>
          (await initialised(services, arm, caller)) ?? (await movesOf(services).moveAbsolute(arm, move, caller)),
      );
    },
  }),
  route({
    ...toAPlace,
    path: '/move/relative',
    id: 'move_relative',
    summary: 'Move relative to the present goal',
    description: 'From the present goal of the end effector, not from where it is measured. /move/init comes first.',
    body: { schema: relativeMoveRequest, complete: completedRelative, example: { z: 2 } },
    handler: (parts, { arm, query, body }, reply) => {
      const { services } = parts;
      const move = relativeMoveOf(body, services.config.dialect);
      return moved(
        parts,
        arm,
        query,
        reply,
        async (caller) =>
          (await initialised(services, arm, caller)) ?? (await movesOf(services).moveRelative(arm, move, caller)),
      );
    },
  }),
  route({
    ...aMove,
    path: '/move/hello',
    id: 'move_hello',
    summary: 'Greet',
    description:
      'Moves to the pose `hello`, waves twice with the wrist and stays there. The gripper keeps what it holds.',
    handler: (parts, { arm, query }, reply) =>
      moved(parts, arm, query, reply, (caller) => parts.services.motion.hello(arm, caller)),
  }),
  route({
    ...aMove,
    path: '/move/sleep',
    id: 'move_sleep',
    summary: 'Go to sleep',
    description:
      'Lowers the arm to the pose `rest` and switches its torque off there. One that does not get down holds.',
    handler: (parts, { arm, query }, reply) =>
      moved(parts, arm, query, reply, (caller) => parts.services.motion.sleep(arm, caller)),
  }),
  route({
    method: 'POST',
    path: '/end-effector/read',
    access: 'read',
    id: 'end_effector_read',
    tag: 'control',
    summary: 'Read the end effector',
    description: 'Measured position, orientation and opening of the end effector in the absolute frame.',
    target: 'one',
    body: { schema: endEffectorReadRequest, optional: true, example: { only_gripper: false, sync: true } },
    answer: {
      description: 'Centimetres and degrees.',
      schema: endEffectorPosition,
      example: { x: 2, y: 3, z: -2, rx: 0.1, ry: 11.3, rz: 0, open: 0.5 },
    },
    refusals: { 400: 'The arm is unknown, disconnected, or not initialised.' },
    handler: async ({ services: { motion, config } }, { arm, body }) => {
      const { pose, open } = await motion.readEndEffector(arm, { onlyGripper: body.only_gripper, sync: body.sync });
      if (pose === null) {
        if (!body.only_gripper) throw new BridgeError('internal', `${arm.name}: pose left out`);
        return { x: null, y: null, z: null, rx: null, ry: null, rz: null, open };
      }
      const [ry, rz] = config.dialect === 'phosphobot' ? [pose.roll, pose.yaw] : [pose.yaw, pose.roll];
      return {
        x: centimetres(pose.x),
        y: centimetres(pose.y),
        z: centimetres(pose.z),
        rx: degrees(pose.pitch),
        ry: degrees(ry),
        rz: degrees(rz),
        open,
      };
    },
  }),
];
