import type { FastifyInstance } from 'fastify';
import type { Callers } from '../callers.ts';
import { asProblem, HttpProblem } from '../errors.ts';
import { torqueControlRequest } from '../joint-schemas.ts';
import { armById, drivenArmsById, type HttpServices } from '../services.ts';
import { readRequest } from '../validation.ts';

/** /torque/read and /torque/toggle. */
export function torqueRoutes(app: FastifyInstance, services: HttpServices, callers: Callers): void {
  app.post('/torque/read', async (request) => {
    const { robotId } = readRequest(request, { robotId: 'default' });
    const arm = armById(services, robotId!);
    arm.requireConnected();
    return { current_torque: Array.from(arm.read().efforts, (effort) => (Number.isFinite(effort) ? effort : 0)) };
  });

  app.post('/torque/toggle', async (request, reply) => {
    const { robotId, takeOver, body } = readRequest(request, {
      robotId: 'all',
      takeOver: true,
      body: torqueControlRequest,
    });
    const arms = drivenArmsById(services, robotId);
    const { torque } = services;
    const faults = await callers.run(reply, takeOver, (caller) =>
      Promise.all(
        arms.map(async (arm) => {
          try {
            if (!body.torque_status) return await torque.off(arm, body.force, caller);
            await torque.on(arm, caller);
            return null;
          } catch (error) {
            const problem = asProblem(error, { route: '/torque/toggle', armId: arm.id });
            if (!(problem instanceof HttpProblem)) throw problem;
            return problem;
          }
        }),
      ),
    );
    // Nothing was switched: the refusal itself is the answer. Where one arm was, the answer says what became of each.
    const first = faults.find((fault) => fault instanceof HttpProblem);
    if (first !== undefined && faults.every((fault) => fault instanceof HttpProblem)) throw first;
    const failed = arms.flatMap((arm, i) => {
      const fault = faults[i] ?? null;
      if (fault === null) return [];
      const text = fault instanceof HttpProblem ? fault.message : fault;
      return [arms.length === 1 ? text : `${arm.name} (robot ${arm.id}): ${text}`];
    });
    return failed.length === 0 ? { status: 'ok', message: null } : { status: 'error', message: failed.join(' ') };
  });
}
