import { z } from 'zod';
import {
  ALIGN,
  DEFAULT_GRAVITY,
  type GravityPercentages,
  type MirrorRequest,
  ON_MISMATCH,
  RELEASES,
  type Release,
} from '../../mirror/mirroring.ts';
import { MOST_PAIRS } from '../../sizes.ts';
import { asking } from '../callers.ts';
import { HttpProblem } from '../errors.ts';
import { asMap, asModel, boolean, components, integer, list, number, oneOf } from '../fields.ts';
import { CONFLICT, moving, route, takeOver, UNKNOWN_ARM } from '../route.ts';
import { failed, ok, statusAnswer } from '../schemas.ts';
import { armById, type HttpServices } from '../services.ts';

const robotPairRequest = z
  .object(
    {
      leader_id: integer().nullable().nonoptional().describe('Id of the leader arm, as in the configuration.'),
      follower_id: integer().nullable().nonoptional().describe('Id of the follower arm, as in the configuration.'),
    },
    asModel,
  )
  .register(components, { id: 'RobotPairRequest' });

const percentage = (fallback: number) => integer({ min: 0, max: 100 }).prefault(fallback);
const gravityValues = z
  .strictObject(
    {
      shoulder: percentage(DEFAULT_GRAVITY.shoulder),
      elbow: percentage(DEFAULT_GRAVITY.elbow),
      wrist: percentage(DEFAULT_GRAVITY.wrist),
    },
    asMap,
  )
  .describe('Share of the weight that is held, in percent.')
  .register(components, { id: 'GravityCompensationValues' });
const gravityOrNull = gravityValues
  .nullable()
  .prefault(null)
  .describe('Share of the weight that is held, in percent. Null or left out: the default of each.');

const share = () => number({ min: 0, max: 1 });
const felt = (what: string) => share().prefault(0).describe(what);
/** Feedback of both parts; a missing one is 0. */
export const forceFeedback = z
  .object({ arm: felt('Of its own joints.'), gripper: felt('Of its gripper.') }, asModel)
  .describe('How much of the torques that push a follower its leader feels, 0 to 1. The leader must float.')
  .register(components, { id: 'ForceFeedback' });

/** A change of feedback; a missing part stays as it is. */
export const forceFeedbackChange = z
  .object(
    {
      arm: share().optional().describe('Of its own joints.'),
      gripper: share().optional().describe('Of its gripper.'),
    },
    asModel,
  )
  .refine(({ arm, gripper }) => arm !== undefined || gripper !== undefined, { path: ['arm'] })
  .describe('As `force_feedback` of the start. A part that is left out stays as it is; at least one is needed.')
  .register(components, { id: 'ForceFeedbackChange' });

const startLeaderArmControlRequest = z
  .object(
    {
      robot_pairs: list(robotPairRequest, { min: 1, max: MOST_PAIRS }).describe('Leaders and their followers.'),
      enable_gravity_compensation: boolean()
        .prefault(false)
        .describe('Hold the weight of the leader arms; false: they are limp.'),
      gravity_compensation_values: gravityOrNull,
      invert_controls: boolean().prefault(false).describe('Mirror left and right for the follower arms.'),
      on_mismatch: oneOf(ON_MISMATCH)
        .optional()
        .describe(
          'A follower away from its leader: it approaches slowly, or nothing is started. Default: as configured, else ramp.',
        ),
      mismatch_threshold: number({ min: 0.5, max: 360 })
        .optional()
        .describe('Difference of a joint from which refuse refuses, in degrees. Default: as configured, else 11.5.'),
      align: oneOf(ALIGN)
        .optional()
        .describe(
          'Who goes to whom first; a leader goes by itself, by a checked way. Default: as configured, else follower.',
        ),
      force_feedback: forceFeedback.optional(),
    },
    asModel,
  )
  .register(components, { id: 'StartLeaderArmControlRequest' });
type StartBody = z.output<typeof startLeaderArmControlRequest>;

const gravityStartRequest = z
  .object({ gravity_compensation_values: gravityOrNull }, asModel)
  .register(components, { id: 'GravityStartRequest' });

function pairsOf(services: HttpServices, body: StartBody): MirrorRequest['pairs'] {
  const pairs: { leader: number; follower: number }[] = [];
  for (const [index, { leader_id, follower_id }] of body.robot_pairs.entries()) {
    if (follower_id === null) throw new HttpProblem(400, `Follower ID is required for robot pair ${index}.`);
    if (leader_id === null) throw new HttpProblem(400, `Leader ID is required for robot pair ${index}.`);
    pairs.push({ leader: armById(services, leader_id).id, follower: armById(services, follower_id).id });
  }
  return pairs;
}

function gravityOf(values: StartBody['gravity_compensation_values']): GravityPercentages {
  return values ?? DEFAULT_GRAVITY;
}

function startOf(services: HttpServices, body: StartBody): MirrorRequest {
  const { on_mismatch: onMismatch, mismatch_threshold: threshold, align, force_feedback: feedback } = body;
  return {
    pairs: pairsOf(services, body),
    gravity: body.enable_gravity_compensation ? gravityOf(body.gravity_compensation_values) : null,
    invert: body.invert_controls,
    ...(onMismatch === undefined ? {} : { onMismatch }),
    ...(threshold === undefined ? {} : { mismatchThreshold: (threshold * Math.PI) / 180 }),
    ...(align === undefined ? {} : { align }),
    ...(feedback === undefined ? {} : { forceFeedback: feedback }),
  };
}

const release = (fallback: Release) =>
  oneOf(RELEASES)
    .prefault(fallback)
    .describe(
      'What becomes of an arm that floated: lower = it is lowered to its rest pose and released, now = it is released ' +
        'and falls unless a hand has it, hold = it goes on holding.',
    );
const RELEASED = '`release=now` is asked for by somebody who has not started it, without take_over.';

/** phosphobot's clients expect 400 for a refused start. */
const refusedStart = (message: string): never => {
  throw new HttpProblem(400, message);
};

export const mirrorRoutes = [
  route({
    method: 'POST',
    path: '/move/leader/start',
    access: 'control',
    act: 'mirroring',
    id: 'move_leader_start',
    tag: 'control',
    summary: 'Start leader-follower control',
    description:
      'Answers when the pairs are set up; the followers then approach their leaders slowly. Mirroring goes on when the client ' +
      'goes.',
    target: 'none',
    query: moving,
    body: {
      schema: startLeaderArmControlRequest,
      example: { robot_pairs: [{ leader_id: 0, follower_id: 1 }], enable_gravity_compensation: true },
    },
    answer: statusAnswer('Leader-follower control started'),
    refusals: { 400: 'A pair cannot be set up, or mirrors already.', 409: 'Somebody else drives one of the arms.' },
    statuses: { stopped: 400 },
    conflict: refusedStart,
    handler: async ({ services }, { query, body, request }) => {
      const start = startOf(services, body);
      // Mirroring outlives the request that started it: a client that hangs up does not end it.
      await services.mirror.start(start, asking(request, query));
      return ok('Leader-follower control started');
    },
  }),
  route({
    method: 'POST',
    path: '/move/leader/stop',
    access: 'control',
    act: 'mirroring',
    id: 'move_leader_stop',
    tag: 'control',
    summary: 'Stop leader-follower control',
    description:
      'The followers hold where they are. Leaders that floated hold, and are lowered and released. Anybody may stop it.',
    target: 'none',
    query: { take_over: takeOver, release: release('lower') },
    answer: statusAnswer('Stopping leader-follower control'),
    refusals: { 409: RELEASED },
    handler: async ({ services }, { query, request }) => {
      const wasRunning = await services.mirror.stop(asking(request, query), query.release);
      return wasRunning ? ok('Stopping leader-follower control') : failed('Leader-follower control is not running');
    },
  }),
  route({
    method: 'POST',
    path: '/gravity/start',
    access: 'control',
    act: 'motion',
    id: 'gravity_start',
    tag: 'control',
    summary: 'Start gravity compensation',
    description: 'The arm supports its weight, or the given share of it, and yields to the hand.',
    target: 'one',
    query: moving,
    body: {
      schema: gravityStartRequest,
      optional: true,
      example: { gravity_compensation_values: { shoulder: 100, elbow: 50, wrist: 10 } },
    },
    answer: statusAnswer('Gravity control started'),
    refusals: { 400: 'The arm is unknown, disconnected, or belongs to another machine.', 409: CONFLICT },
    statuses: { stopped: 400, unsupported: 400 },
    conflict: refusedStart,
    handler: async ({ services }, { arm, query, body, request }) => {
      const percentages = gravityOf(body.gravity_compensation_values);
      await services.gravity.start(arm, percentages, asking(request, query));
      return ok('Gravity control started');
    },
  }),
  route({
    method: 'POST',
    path: '/gravity/stop',
    access: 'control',
    act: 'halt',
    id: 'gravity_stop',
    tag: 'control',
    summary: 'Stop gravity compensation',
    description: 'The arm holds where it is. Anybody may stop it.',
    target: 'one',
    query: { take_over: takeOver, release: release('hold') },
    answer: statusAnswer('Stopping gravity control'),
    refusals: { 400: UNKNOWN_ARM, 409: RELEASED },
    handler: async ({ services }, { arm, query, request }) =>
      (await services.gravity.stop(arm, asking(request, query), query.release))
        ? ok('Stopping gravity control')
        : failed('Gravity control is not running'),
  }),
];
