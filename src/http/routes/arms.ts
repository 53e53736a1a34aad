import type { FastifyInstance } from 'fastify';
import type { Arm, Arms } from '../../arm/types.ts';
import { HttpProblem } from '../errors.ts';
import type { HttpServices } from '../services.ts';

/** @throws {HttpProblem} 404 naming the known arms */
export function armByName(arms: Arms, params: unknown): Arm {
  const { name } = params as { name: string };
  const arm = arms.byName(name);
  if (arm !== undefined) return arm;
  const known = arms.all.map((candidate) => candidate.name).join(', ');
  throw new HttpProblem(404, `Arm "${name.slice(0, 64)}" is unknown. Known arms: ${known}.`);
}

/** What is told of arms by their names, in SI units: /api/v1/arms. */
export function armRoutes(app: FastifyInstance, services: HttpServices): void {
  app.get('/api/v1/arms/:name/urdf', (request, reply) => {
    const arm = armByName(services.arms, request.params);
    return reply.type('application/xml; charset=utf-8').send(arm.model.urdf);
  });
}
