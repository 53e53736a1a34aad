import type { FastifyInstance } from 'fastify';
import type { Callers } from '../callers.ts';
import { type RobotConnectionResponse, robotConnectionRequest } from '../connection-schemas.ts';
import { asProblem, HttpProblem } from '../errors.ts';
import type { StatusResponse } from '../schemas.ts';
import { armById, type HttpServices } from '../services.ts';
import { readRequest } from '../validation.ts';

/** What clients in the field call the models of arms. */
const MODELS: ReadonlyMap<string, string> = new Map([
  ['so-100', 'so100'],
  ['so-101', 'so101'],
  ['koch-v1.1', 'koch'],
  ['wx-250s', 'wx250s'],
]);

/** /robot/add-connection and /robot/disconnect. */
export function connectionRoutes(app: FastifyInstance, services: HttpServices, callers: Callers): void {
  const { connections } = services;

  app.post('/robot/add-connection', async (request): Promise<RobotConnectionResponse> => {
    const { body } = readRequest(request, { robotId: false, body: robotConnectionRequest });
    const { device_name: device, serial_number: serialNumber, bus, variant } = body.connection_details;
    const name = MODELS.get(body.robot_name) ?? body.robot_name;
    try {
      const arm = await connections.connect({ name, device, serialNumber, bus, variant });
      const message = `Robot connection to ${body.robot_name} added: ${arm.name}, a ${arm.model.title}`;
      return { status: 'ok', message, robot_id: arm.id };
    } catch (error) {
      const problem = asProblem(error, { route: '/robot/add-connection' });
      if (!(problem instanceof HttpProblem)) throw problem;
      throw new HttpProblem(problem.status, `Failed to add robot connection: ${problem.message}`);
    }
  });

  app.post('/robot/disconnect', async (request, reply): Promise<StatusResponse> => {
    const { robotId, takeOver } = readRequest(request, { robotId: 'default', takeOver: true });
    const arm = armById(services, robotId!);
    try {
      const problem = await callers.run(reply, takeOver, (caller) => connections.disconnect(arm, caller));
      if (problem !== null) return { status: 'error', message: problem };
      return { status: 'ok', message: `Robot connection to ${arm.id} removed successfully` };
    } catch (error) {
      throw asProblem(error, { route: '/robot/disconnect', armId: arm.id });
    }
  });
}
