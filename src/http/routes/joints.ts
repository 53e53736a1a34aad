import { z } from 'zod';
import type { Arm, Caller } from '../../arm/types.ts';
import { MOST_JOINTS } from '../../sizes.ts';
import { asking } from '../callers.ts';
import { answeredInTime } from '../dialect.ts';
import { asProblem, HttpProblem } from '../errors.ts';
import { asModel, boolean, components, integer, list, number, oneOf } from '../fields.ts';
import { CONFLICT, moving, NOT_THERE, route, takeOver } from '../route.ts';
import { failed, ok, type StatusResponse, statusAnswer } from '../schemas.ts';
import { degrees, radiansFromDegrees, radiansFromSteps, stepsFromRadians } from '../units.ts';
import { finite } from '../views.ts';

const UNITS = ['rad', 'motor_units', 'degrees'] as const;
type Unit = (typeof UNITS)[number];

const unit = oneOf(UNITS).prefault('rad').describe('Of the angles; motor_units are servo steps.');
const jointIds = list(integer(), { max: MOST_JOINTS })
  .nullable()
  .prefault(null)
  .describe('Joints by their place in the arm, from 0. Null, left out or empty: all in their order.');

const jointsReadRequest = z
  .object(
    {
      unit,
      joints_ids: jointIds,
      source: oneOf(['sim', 'robot'])
        .prefault('robot')
        .describe('robot: as the encoders measure; sim: where the joints are asked to be.'),
    },
    asModel,
  )
  .register(components, { id: 'JointsReadRequest' });

const jointsReadResponse = z
  .object({
    angles: z
      .array(z.number().nullable())
      .max(MOST_JOINTS)
      .describe('Null for a joint that has not been measured yet.'),
    unit: z.enum(UNITS),
  })
  .register(components, { id: 'JointsReadResponse' });

const jointsWriteRequest = z
  .object(
    {
      angles: list(number(), { max: MOST_JOINTS }).describe(
        'One for each of joints_ids, or for the first joints of the arm; the others keep their goals.',
      ),
      unit,
      joints_ids: jointIds,
    },
    asModel,
  )
  .register(components, { id: 'JointsWriteRequest' });

const torqueReadResponse = z
  .object({
    current_torque: z
      .array(z.number())
      .max(MOST_JOINTS)
      .describe('Of each joint, Nm, estimated from its servo’s load.'),
  })
  .register(components, { id: 'TorqueReadResponse' });

const torqueControlRequest = z
  .object(
    {
      torque_status: boolean().describe('true: hold where it is. false: lower to the rest pose, then go limp.'),
      force: boolean()
        .prefault(false)
        .describe('With torque_status false: go limp at once, wherever the arm is. It drops.'),
    },
    asModel,
  )
  .register(components, { id: 'TorqueControlRequest' });

/** Converts an angle (rad) of joint `index` to a unit of the interface. */
function inUnit(arm: Arm, index: number, wanted: Unit, angle: number): number {
  if (wanted === 'rad') return angle;
  return wanted === 'degrees' ? degrees(angle) : stepsFromRadians(arm.model.joints[index]!.servos[0]!, angle);
}

function inRadians(arm: Arm, index: number, given: Unit, value: number): number {
  if (given === 'rad') return value;
  return given === 'degrees' ? radiansFromDegrees(value) : radiansFromSteps(arm.model.joints[index]!.servos[0]!, value);
}

/** @throws {HttpProblem} 400 for a joint that the arm does not have */
function checkIds(arm: Arm, ids: readonly number[]): void {
  const { joints } = arm.model;
  const unknown = ids.find((id) => joints[id] === undefined);
  if (unknown === undefined) return;
  const known = joints.map(({ name }, i) => `${i} ${name}`).join(', ');
  throw new HttpProblem(400, `Joint ID ${unknown} is out of range for the robot. Known ids: ${known}.`);
}

/** Joints that a body names; all joints for null or an empty list. */
function jointsOf(arm: Arm, ids: readonly number[] | null): readonly number[] {
  if (ids === null || ids.length === 0) return arm.model.joints.map((_, i) => i);
  checkIds(arm, ids);
  return ids;
}

/** Joint goals of a body, rad; NaN for joints that it does not name. @throws {HttpProblem} 400 */
function wantedOf(arm: Arm, angles: readonly number[], ids: readonly number[] | null, given: Unit): Float64Array {
  const named = ids === null || ids.length === 0 ? angles.map((_, i) => i) : ids;
  checkIds(arm, named);
  if (named.length !== angles.length) {
    throw new HttpProblem(
      400,
      `${angles.length} angles for ${named.length} joints_ids: give one angle for each joint, in the same order.`,
    );
  }
  const twice = named.find((id, i) => named.indexOf(id) !== i);
  if (twice !== undefined) throw new HttpProblem(400, `Joint ID ${twice} stands twice in joints_ids.`);
  const wanted = new Float64Array(arm.model.joints.length).fill(Number.NaN);
  for (const [i, id] of named.entries()) wanted[id] = inRadians(arm, id, given, angles[i]!);
  return wanted;
}

const UNDER_WAY = ok('It is not done yet, and goes on: an arm that is lowered goes limp when it is down.');

export const jointRoutes = [
  route({
    method: 'POST',
    path: '/joints/read',
    access: 'read',
    id: 'joints_read',
    tag: 'control',
    summary: 'Read joints',
    description: 'Angles of single joints, as measured or as asked for.',
    target: 'one',
    body: { schema: jointsReadRequest, optional: true, example: { unit: 'degrees' } },
    answer: {
      description: 'In the unit that was asked for.',
      schema: jointsReadResponse,
      example: { angles: [20, -34.5, 41.2, 12, -30, 5], unit: 'degrees' },
    },
    refusals: { 400: 'The arm is unknown or disconnected, or has no such joint.' },
    handler: (_parts, { arm, body }) => {
      arm.requireConnected();
      const ids = jointsOf(arm, body.joints_ids);
      const { holding, setpoints, positions } = arm.read();
      // A limp arm has no goal, so its measured position counts.
      const angles = body.source === 'sim' && holding ? setpoints : positions;
      return {
        angles: ids.map((id) => (Number.isFinite(angles[id]) ? inUnit(arm, id, body.unit, angles[id]!) : null)),
        unit: body.unit,
      };
    },
  }),
  route({
    method: 'POST',
    path: '/joints/write',
    access: 'control',
    act: 'motion',
    id: 'joints_write',
    tag: 'control',
    summary: 'Move joints',
    description: 'Answers once the goal is accepted, not when it is reached. The newest goal wins.',
    target: 'one',
    query: moving,
    body: { schema: jointsWriteRequest, example: { angles: [20], unit: 'degrees', joints_ids: [0] } },
    answer: statusAnswer(),
    refusals: { 400: 'The arm is unknown or disconnected, has no such joint, or cannot go there.', 409: CONFLICT },
    handler: async ({ services }, { arm, query, body, request }) => {
      const wanted = wantedOf(arm, body.angles, body.joints_ids, body.unit);
      // Drop the goal if the client has disconnected before the goal is accepted.
      if (!request.raw.socket.destroyed) await services.joints.write(arm, wanted, asking(request, query));
      return ok();
    },
  }),
  route({
    method: 'POST',
    path: '/torque/read',
    access: 'read',
    id: 'torque_read',
    tag: 'control',
    summary: 'Read torques',
    description: 'What each joint gives at this moment.',
    target: 'one',
    answer: {
      description: 'Of each joint.',
      schema: torqueReadResponse,
      example: { current_torque: [0.02, -0.61, 0.33, 0.05, 0, 0.01] },
    },
    refusals: { 400: NOT_THERE },
    handler: (_parts, { arm }) => {
      arm.requireConnected();
      return { current_torque: Array.from(arm.read().efforts, finite) };
    },
  }),
  route({
    method: 'POST',
    path: '/torque/toggle',
    access: 'control',
    act: 'torque',
    id: 'torque_toggle',
    tag: 'control',
    summary: 'Switch torque on or off',
    description: 'On: the arm holds where it is. Off: it is lowered first, unless `force` is true.',
    target: 'driven',
    query: { take_over: takeOver },
    body: { schema: torqueControlRequest, example: { torque_status: true } },
    answer: statusAnswer(),
    refusals: { 400: NOT_THERE, 409: CONFLICT },
    handler: async ({ services, callers }, { arms, query, body }, reply) => {
      const { torque } = services;
      const toggle = async (arm: Arm, caller: Caller): Promise<string | HttpProblem | null> => {
        try {
          if (!body.torque_status) return await torque.off(arm, body.force, caller);
          await torque.on(arm, caller);
          return null;
        } catch (error) {
          const problem = asProblem(error, { route: '/torque/toggle', armId: arm.id });
          if (!(problem instanceof HttpProblem)) throw problem;
          return problem;
        }
      };
      const toggled = async (caller: Caller): Promise<StatusResponse> => {
        const faults = await Promise.all(arms.map((arm) => toggle(arm, caller)));
        // If every arm refused, the first refusal is the answer. Otherwise the answer states the outcome of each arm.
        const first = faults.find((fault) => fault instanceof HttpProblem);
        if (first !== undefined && faults.every((fault) => fault instanceof HttpProblem)) throw first;
        const texts = arms.flatMap((arm, i) => {
          const fault = faults[i] ?? null;
          if (fault === null) return [];
          const text = fault instanceof HttpProblem ? fault.message : fault;
          return [arms.length === 1 ? text : `${arm.name} (robot ${arm.id}): ${text}`];
        });
        return texts.length === 0 ? ok() : failed(texts.join(' '));
      };
      return callers.run(reply, query, (caller) =>
        answeredInTime(services, reply.request.headers, toggled(caller), UNDER_WAY),
      );
    },
  }),
];
