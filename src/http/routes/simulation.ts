import type { FastifyInstance } from 'fastify';
import type { Arm } from '../../arm/types.ts';
import { asProblem, type FieldError, HttpProblem } from '../errors.ts';
import { handRequest } from '../schemas.ts';
import { armById, type HttpServices, type SimulationControl } from '../services.ts';
import { aboveBound, belowBound, readRequest, unknownName } from '../validation.ts';

function simulated(services: HttpServices, id: number): { arm: Arm; simulation: SimulationControl } {
  const arm = armById(services, id);
  if (services.simulation === null || !arm.simulated) {
    throw new HttpProblem(
      400,
      `${arm.name} (robot ${arm.id}, bus ${arm.bus}) is no simulated arm: /sim/hand and /sim/truth exist in ` +
        'simulation only.',
    );
  }
  return { arm, simulation: services.simulation };
}

function checkJoints(arm: Arm, joints: Readonly<Record<string, number>>): void {
  const faults: FieldError[] = [];
  for (const [name, angle] of Object.entries(joints)) {
    const loc = ['body', 'joints', name];
    const joint = arm.model.joints.find((candidate) => candidate.name === name);
    if (joint === undefined) {
      const known = arm.model.joints.map((candidate) => candidate.name);
      faults.push(unknownName(loc, angle, known));
    } else if (angle < joint.lower) {
      faults.push(belowBound(loc, angle, joint.lower));
    } else if (angle > joint.upper) {
      faults.push(aboveBound(loc, angle, joint.upper));
    }
  }
  if (faults.length > 0) throw new HttpProblem(422, faults);
}

/** /sim/hand and /sim/truth: a hand on a simulated arm, and what its physics says of it. */
export function simulationRoutes(app: FastifyInstance, services: HttpServices): void {
  app.post('/sim/hand', async (request) => {
    const { body } = readRequest(request, { robotId: false, body: handRequest });
    const { arm, simulation } = simulated(services, body.robot_id);
    if (body.joints !== null) checkJoints(arm, body.joints);
    try {
      await simulation.hand(arm, body.joints, body.duration);
    } catch (error) {
      throw asProblem(error, { route: '/sim/hand', armId: arm.id });
    }
    return { status: 'ok', message: null };
  });

  app.get('/sim/truth', async (request) => {
    const { robotId } = readRequest(request, { robotId: 'default' });
    const { arm, simulation } = simulated(services, robotId!);
    try {
      const { joints, tool, time } = await simulation.truth(arm);
      return { robot_id: arm.id, name: arm.name, joints, tool, time };
    } catch (error) {
      throw asProblem(error, { route: '/sim/truth', armId: arm.id });
    }
  });
}
