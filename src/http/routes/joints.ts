import type { FastifyInstance } from 'fastify';
import type { Arm } from '../../arm/types.ts';
import type { Callers } from '../callers.ts';
import { asProblem, HttpProblem } from '../errors.ts';
import { jointsReadRequest, jointsWriteRequest, type Unit } from '../joint-schemas.ts';
import { armById, type HttpServices } from '../services.ts';
import { degrees, radiansFromDegrees, radiansFromSteps, stepsFromRadians } from '../units.ts';
import { readRequest } from '../validation.ts';

/** Angle of joint `index` in a unit of the interface. */
function inUnit(arm: Arm, index: number, unit: Unit, angle: number): number {
  if (unit === 'rad') return angle;
  return unit === 'degrees' ? degrees(angle) : stepsFromRadians(arm.model.joints[index]!.servos[0]!, angle);
}

function inRadians(arm: Arm, index: number, unit: Unit, value: number): number {
  if (unit === 'rad') return value;
  return unit === 'degrees' ? radiansFromDegrees(value) : radiansFromSteps(arm.model.joints[index]!.servos[0]!, value);
}

/** @throws {HttpProblem} 400 for a joint that the arm does not have */
function checkIds(arm: Arm, ids: readonly number[]): void {
  const { joints } = arm.model;
  const unknown = ids.find((id) => joints[id] === undefined);
  if (unknown === undefined) return;
  const known = joints.map(({ name }, i) => `${i} ${name}`).join(', ');
  throw new HttpProblem(400, `Joint ID ${unknown} is out of range for the robot. Known ids: ${known}.`);
}

/** The joints that a body names; null or none: all of them. */
function jointsOf(arm: Arm, ids: readonly number[] | null): readonly number[] {
  if (ids === null || ids.length === 0) return arm.model.joints.map((_, i) => i);
  checkIds(arm, ids);
  return ids;
}

/** What a body wants of the joints, rad; NaN for those that it does not name. @throws {HttpProblem} 400 */
function wantedOf(arm: Arm, angles: readonly number[], ids: readonly number[] | null, unit: Unit): Float64Array {
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
  for (const [i, id] of named.entries()) wanted[id] = inRadians(arm, id, unit, angles[i]!);
  return wanted;
}

/** /joints/read and /joints/write. */
export function jointRoutes(app: FastifyInstance, services: HttpServices, callers: Callers): void {
  app.post('/joints/read', async (request) => {
    const { robotId, body } = readRequest(request, {
      robotId: 'default',
      body: jointsReadRequest,
      bodyOptional: true,
    });
    const arm = armById(services, robotId!);
    arm.requireConnected();
    const ids = jointsOf(arm, body.joints_ids);
    const { holding, setpoints, positions } = arm.read();
    // A limp arm is asked to be nowhere: it is where it lies.
    const angles = body.source === 'sim' && holding ? setpoints : positions;
    return {
      angles: ids.map((id) => (Number.isFinite(angles[id]) ? inUnit(arm, id, body.unit, angles[id]!) : null)),
      unit: body.unit,
    };
  });

  app.post('/joints/write', async (request, reply) => {
    const { robotId, takeOver, body } = readRequest(request, {
      robotId: 'default',
      takeOver: true,
      body: jointsWriteRequest,
    });
    const arm = armById(services, robotId!);
    const wanted = wantedOf(arm, body.angles, body.joints_ids, body.unit);
    try {
      await callers.run(reply, takeOver, (caller) => services.joints.write(arm, wanted, caller));
    } catch (error) {
      throw asProblem(error, { route: '/joints/write', armId: arm.id });
    }
    return { status: 'ok', message: null };
  });
}
