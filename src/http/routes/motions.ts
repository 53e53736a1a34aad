import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Arm, Caller } from '../../arm/types.ts';
import { PATHS } from '../../motion/moves.ts';
import { LONGEST_NAME, MOST_JOINTS } from '../../sizes.ts';
import { fitting } from '../answer-size.ts';
import { asking } from '../callers.ts';
import { HttpProblem } from '../errors.ts';
import { asModel, components, integer, map, number, oneOf, queryInteger, word } from '../fields.ts';
import { MOST_LISTED, MOTION_STATES, type Motion, type MotionEnd } from '../motions.ts';
import { CONFLICT, moving, NO_ARM, route, takeOver } from '../route.ts';
import { ok, statusAnswer } from '../schemas.ts';
import type { HttpServices } from '../services.ts';

const LIST = '/api/v1/arms/{name}/motions';
const ONE = `${LIST}/{motion}`;
const KEY = /^[\w.:-]{1,64}$/;

const coordinate = (what: string) => number().optional().describe(what);

const motionTarget = z
  .object(
    {
      x: coordinate('Forward, m.'),
      y: coordinate('To the left, m.'),
      z: coordinate('Upwards, m.'),
      pitch: coordinate('rad; positive lifts the nose.'),
      yaw: coordinate('rad; positive turns left.'),
      roll: coordinate('rad; positive is clockwise seen from behind.'),
      open: number({ min: 0, max: 1 }).optional().describe('Gripper: 0 closed to 1 open.'),
      path: oneOf(PATHS).prefault('joint').describe('joint: the quickest way. line: the tool goes straight.'),
      max_trials: integer({ min: 1, max: 100 }).prefault(10).describe('Most trials to come within tolerance.'),
      position_tolerance: number({ min: 0 }).prefault(0.005).describe('m'),
      orientation_tolerance: number({ min: 0 }).prefault(0.0524).describe('rad'),
    },
    asModel,
  )
  .describe('In the absolute frame, zero at the pose init; for relative the change from the present goal.')
  .register(components, { id: 'MotionTarget' });

const motionReplay = z
  .object(
    {
      name: word(LONGEST_NAME).describe('Name of the recording.'),
      speed: number({ min: 0.1, max: 2 }).prefault(1).describe('1: as recorded.'),
      source: word(LONGEST_NAME).nullable().prefault(null).describe('The recorded arm that is followed.'),
    },
    asModel,
  )
  .register(components, { id: 'MotionReplay' });

const motionRequest = z
  .object(
    {
      pose: motionTarget.optional().describe('Pose of the tool to move to, as in /move/absolute.'),
      relative: motionTarget.optional().describe('Relative motion, as in /move/relative.'),
      joints: map(number(), { max: MOST_JOINTS }).optional().describe('Joint angles by name, rad; others keep theirs.'),
      named: word(LONGEST_NAME).optional().describe('Named pose to move to: init, rest, ...'),
      gripper: number({ min: 0, max: 1 }).optional().describe('Opening of the gripper alone: 0 closed to 1 open.'),
      replay: motionReplay.optional().describe('Recording to replay, as in /recording/play.'),
    },
    asModel,
  )
  .describe('Exactly one of these fields.')
  .register(components, { id: 'MotionRequest' });
type MotionBody = z.output<typeof motionRequest>;

const KINDS = ['pose', 'relative', 'joints', 'named', 'gripper', 'replay'] as const;

const motionView = z
  .object({
    id: z.string(),
    arm: z.string(),
    kind: z
      .string()
      .describe(
        'What was asked: pose, relative, joints, named, gripper, replay or chunks; of older routes their path.',
      ),
    state: z.enum(MOTION_STATES),
    progress: z.number().nullable().describe('Completed part of the present leg, 0 to 1; null if unknown.'),
    who: z.string().describe('Client that requested it.'),
    request_id: z.string().nullable().describe('Id of the HTTP request; null if it was no HTTP request.'),
    began: z.number().describe('When the motion began, seconds since the epoch.'),
    ended: z
      .number()
      .nullable()
      .describe('When the motion ended, seconds since the epoch; null while it is under way.'),
    message: z.string().nullable().describe('Why the motion was not completed; null otherwise.'),
  })
  .register(components, { id: 'MotionFacts' });

const motionList = z
  .object({ motions: z.array(motionView).max(MOST_LISTED).describe('The newest first.') })
  .register(components, { id: 'MotionList' });

const example: z.input<typeof motionView> = {
  id: 'rwa1c0-1',
  arm: 'follower',
  kind: 'pose',
  state: 'moving',
  progress: 0.25,
  who: '"notebook" on this computer',
  request_id: 'mbqk2f1c-1z',
  began: 1767323045.5,
  ended: null,
  message: null,
};

function viewOf(motion: Motion): z.input<typeof motionView> {
  const { id, arm, kind, taken, state, owner, request, began, ended, message } = motion;
  const running = taken.motion === null ? null : arm.progressOf(taken.motion);
  const progress = state === 'done' ? 1 : running;
  return {
    id,
    arm: arm.name,
    kind,
    state,
    progress,
    who: owner.name,
    request_id: request,
    began,
    ended,
    message,
  };
}

/** Angle of each joint; NaN if left out. @throws {HttpProblem} 400 for a joint that the arm does not have */
function anglesOf(arm: Arm, joints: Readonly<Record<string, number>>): Float64Array {
  const names = arm.model.joints.map(({ name }) => name);
  const angles = new Float64Array(names.length).fill(Number.NaN);
  for (const [name, angle] of Object.entries(joints)) {
    const index = names.indexOf(name);
    if (index < 0) throw new HttpProblem(400, `Arm ${arm.name} has no joint "${name}", only ${names.join(', ')}.`);
    angles[index] = angle;
  }
  return angles;
}

function targetOf({ max_trials, position_tolerance, orientation_tolerance, ...target }: z.output<typeof motionTarget>) {
  const given = Object.fromEntries(Object.entries(target).filter(([, value]) => value !== undefined));
  const tolerances = {
    maxTrials: max_trials,
    positionTolerance: position_tolerance,
    orientationTolerance: orientation_tolerance,
  };
  return { ...given, ...tolerances, path: target.path };
}

/** The requested motion. @throws {HttpProblem} 400 for none or several, or for something the arm does not have */
function workOf({ motion, recordings }: HttpServices, arm: Arm, body: MotionBody) {
  const kinds = KINDS.filter((kind) => body[kind] !== undefined);
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) throw new HttpProblem(400, `Give exactly one of ${KINDS.join(', ')}.`);
  const { pose, relative, joints, named, gripper, replay } = body;
  const work = (): ((caller: Caller) => Promise<MotionEnd>) => {
    if (pose !== undefined) return (caller) => motion.moveAbsolute(arm, targetOf(pose), caller);
    if (relative !== undefined) return (caller) => motion.moveRelative(arm, targetOf(relative), caller);
    if (named === 'init') return (caller) => motion.init(arm, caller);
    if (named !== undefined) {
      if (arm.model.poses.has(named)) return (caller) => motion.toPose(arm, named, caller);
      const known = [...arm.model.poses.keys()].join(', ');
      throw new HttpProblem(400, `Arm ${arm.name} has no pose "${named}", only ${known}.`);
    }
    if (replay !== undefined) {
      return async (caller) => {
        const { problem } = await recordings.play(arm, replay.name, replay.speed, caller, replay.source);
        return { ok: problem === null, message: problem };
      };
    }
    const angles = anglesOf(arm, joints ?? {});
    if (gripper !== undefined) {
      const { gripper: jaw } = arm.model;
      if (jaw === null) throw new HttpProblem(400, `Arm ${arm.name} has no gripper.`);
      angles[jaw.index] = jaw.closed + gripper * (jaw.open - jaw.closed);
    }
    return (caller) => motion.toJoints(arm, angles, caller);
  };
  return { kind, work: work() };
}

/** Idempotency key, unique to the client; null: none. @throws {HttpProblem} 400 */
function keyOf(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && KEY.test(key)) return `${request.client!.owner.key} ${key}`;
  throw new HttpProblem(400, 'Idempotency-Key is not valid: use 1 to 64 letters, digits and "_.:-".');
}

const named = { tag: 'arms', target: 'named' } as const;

export const motionRoutes = [
  route({
    ...named,
    method: 'POST',
    path: LIST,
    access: 'control',
    act: 'motion',
    id: 'motion_start',
    summary: 'Begin a motion',
    description:
      'Answers once the motion has been planned and the arm is the client’s. The motion goes on when the client hangs up, until the ' +
      'client has not been heard for 30 s. A request with the same Idempotency-Key as one before is that motion.',
    query: moving,
    headers: { 'Idempotency-Key': '1 to 64 letters, digits and "_.:-", new with each motion.' },
    body: { schema: motionRequest, example: { joints: { shoulder_pan: 0.2 } } },
    answer: {
      status: 202,
      description: 'The motion is under way.',
      headers: { Location: 'Path of the motion.' },
      schema: motionView,
      example,
    },
    refusals: { 400: 'The arm is disconnected or not initialised, or cannot go there.', 404: NO_ARM, 409: CONFLICT },
    handler: async ({ services, callers, motions }, { arm, query, body, request }, reply) => {
      const { kind, work } = workOf(services, arm, body);
      const key = keyOf(request);
      const asked = JSON.stringify([arm.name, query, body]);
      const motion = await callers.run(reply, query, (caller) => {
        const begin = () => motions.start(arm, kind, caller, work);
        return key === null ? begin() : motions.once(key, asked, caller, begin);
      });
      reply.code(202).header('location', `/api/v1/arms/${arm.name}/motions/${motion.id}`);
      return viewOf(motion);
    },
  }),
  route({
    ...named,
    method: 'GET',
    path: LIST,
    access: 'read',
    id: 'motions',
    summary: 'List the motions of an arm',
    description:
      'Those under way and the newest that are over, of whoever asked for them by HTTP, by the older routes too.',
    query: { limit: queryInteger({ min: 1, max: MOST_LISTED }).prefault(20).describe('Most motions in the answer.') },
    answer: { description: 'The newest first.', schema: motionList, example: { motions: [example] } },
    refusals: { 404: NO_ARM },
    handler: ({ motions }, { arm, query }) => ({
      motions: fitting(motions.of(arm).slice(0, query.limit).map(viewOf)),
    }),
  }),
  route({
    ...named,
    method: 'GET',
    path: ONE,
    params: ['motion'],
    access: 'read',
    id: 'motion',
    summary: 'State of a motion',
    description: 'How far it is, or what came of it.',
    answer: { description: 'At this moment.', schema: motionView, example },
    refusals: { 404: 'There is no such arm or motion.' },
    handler: ({ motions }, { arm, params }) => viewOf(motions.get(arm, params.motion!)),
  }),
  route({
    ...named,
    method: 'DELETE',
    path: ONE,
    params: ['motion'],
    access: 'control',
    act: 'halt',
    id: 'motion_cancel',
    summary: 'Cancel a motion',
    description:
      'Answers when the arm has decelerated and holds, or after 2 s. It is not stopped: the next motion may begin at once.',
    query: { take_over: takeOver },
    answer: statusAnswer('The motion is cancelled; follower holds'),
    refusals: { 404: 'There is no such arm or motion.', 409: CONFLICT },
    handler: async ({ motions }, { arm, params, query, request }) => {
      const told = {
        over: 'The motion was over',
        holds: `The motion is cancelled; ${arm.name} holds`,
        braking: `The motion is cancelled; ${arm.name} has not come to rest yet`,
      };
      return ok(told[await motions.cancel(arm, params.motion!, asking(request, query))]);
    },
  }),
];
