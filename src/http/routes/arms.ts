import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Arm, Arms, Caller } from '../../arm/types.ts';
import type { ArmList, MotionState } from '../api-schemas.ts';
import type { Callers } from '../callers.ts';
import { completedAbsolute } from '../dialect.ts';
import { asProblem, HttpProblem } from '../errors.ts';
import { absoluteMoveOf } from '../move-bodies.ts';
import { absoluteMoveRequest } from '../schemas.ts';
import type { HttpServices } from '../services.ts';
import { readRequest } from '../validation.ts';
import { armFactsView, armView } from '../views.ts';

/** @throws {HttpProblem} 404 naming the known arms */
export function armByName(arms: Arms, params: unknown): Arm {
  const { name } = params as { name: string };
  const arm = arms.byName(name);
  if (arm !== undefined) return arm;
  const known = arms.all.map((candidate) => candidate.name).join(', ');
  throw new HttpProblem(404, `Arm "${name.slice(0, 64)}" is unknown. Known arms: ${known}.`);
}

/** Arms by their names, in SI units: /api/v1/arms. */
export function armRoutes(app: FastifyInstance, services: HttpServices, callers: Callers): void {
  const { arms } = services;

  app.get(
    '/api/v1/arms',
    async (): Promise<ArmList> => ({
      arms: arms.all.map((arm) => ({ ...armFactsView(services, arm), now: armView(arm) })),
    }),
  );

  app.get('/api/v1/arms/:name/urdf', (request, reply) => {
    const arm = armByName(arms, request.params);
    return reply.type('application/xml; charset=utf-8').send(arm.model.urdf);
  });

  app.get('/api/v1/arms/:name/motion', async (request): Promise<MotionState> => {
    const arm = armByName(arms, request.params);
    return { state: arm.read().state, owner: arm.owner?.name ?? null, motion: arm.activity };
  });

  /** Does something with the ownership of an arm. */
  async function settle<T>(
    request: FastifyRequest,
    reply: FastifyReply,
    takeOver: boolean,
    work: (arm: Arm, caller: Caller) => Promise<T>,
  ): Promise<{ arm: Arm; outcome: T }> {
    const arm = armByName(arms, request.params);
    try {
      return { arm, outcome: await callers.run(reply, takeOver, (caller) => work(arm, caller)) };
    } catch (error) {
      throw asProblem(error, { route: request.url, armId: arm.id });
    }
  }

  app.delete('/api/v1/arms/:name/motion', async (request, reply) => {
    const { takeOver } = readRequest(request, { robotId: false, takeOver: true });
    const { arm, outcome } = await settle(request, reply, takeOver, (one, caller) => one.halt(caller));
    return { status: 'ok', message: outcome ? `${arm.name} holds` : `Nothing drove ${arm.name}` };
  });

  app.post('/api/v1/arms/:name/take-over', async (request, reply) => {
    const { arm } = await settle(request, reply, true, (one, caller) => one.takeOver(caller));
    return { status: 'ok', message: `${arm.name} is yours until you release it` };
  });

  app.post('/api/v1/arms/:name/release', async (request, reply) => {
    const { takeOver } = readRequest(request, { robotId: false, takeOver: true });
    const { arm, outcome } = await settle(request, reply, takeOver, (one, caller) => one.release(caller));
    return { status: 'ok', message: outcome ? `${arm.name} is free` : `${arm.name} was free already` };
  });

  app.post('/api/v1/arms/:name/reachable', async (request) => {
    const { body } = readRequest(request, { robotId: false, body: absoluteMoveRequest, complete: completedAbsolute });
    const arm = armByName(arms, request.params);
    try {
      const { problem, goal } = await services.motion.foresee(arm, absoluteMoveOf(body, services.config.dialect));
      return { reachable: problem === null, message: problem, joints: goal === null ? null : [...goal] };
    } catch (error) {
      throw asProblem(error, { route: '/api/v1/arms/{name}/reachable', armId: arm.id });
    }
  });
}
