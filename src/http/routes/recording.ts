import type { FastifyInstance } from 'fastify';
import type { Callers } from '../callers.ts';
import { asProblem } from '../errors.ts';
import { recordingPlayRequest, recordingStartRequest } from '../recording-schemas.ts';
import { armById, type HttpServices } from '../services.ts';
import { readRequest } from '../validation.ts';

/** A name for a recording that has none: the time (s since the epoch), as a name may be written. */
function nameOf(time: number): string {
  return new Date(1000 * time).toISOString().replace(/[:.]/g, '-');
}

/** /recording/start, /recording/stop and /recording/play. */
export function recordingRoutes(app: FastifyInstance, services: HttpServices, callers: Callers): void {
  const { recordings } = services;

  app.post('/recording/start', async (request) => {
    const { robotId, body } = readRequest(request, {
      robotId: 'default',
      body: recordingStartRequest,
      bodyOptional: true,
    });
    const arm = armById(services, robotId!);
    const name = body.name ?? nameOf(services.clock.wall());
    try {
      const path = await recordings.start(arm, name, body.rate);
      return { status: 'ok', message: `Recording of ${arm.name} started`, name, path };
    } catch (error) {
      throw asProblem(error, { route: '/recording/start', armId: arm.id });
    }
  });

  app.post('/recording/stop', async (request) => {
    const { robotId } = readRequest(request, { robotId: 'default' });
    const arm = armById(services, robotId!);
    try {
      const summary = await recordings.stop(arm);
      if (summary === null) return { status: 'error', message: `${arm.name} is not being recorded` };
      const { problem, ...facts } = summary;
      return problem === null
        ? { status: 'ok', message: `Recording of ${arm.name} stopped`, ...facts }
        : { status: 'error', message: `The recording ended early: ${problem}.`, ...facts };
    } catch (error) {
      throw asProblem(error, { route: '/recording/stop', armId: arm.id });
    }
  });

  app.post('/recording/play', async (request, reply) => {
    const { robotId, takeOver, body } = readRequest(request, {
      robotId: 'default',
      takeOver: true,
      body: recordingPlayRequest,
    });
    const arm = armById(services, robotId!);
    try {
      const { problem, duration } = await callers.run(reply, takeOver, (caller) =>
        recordings.play(arm, body.name, body.speed, caller),
      );
      return problem === null
        ? { status: 'ok', message: null, duration }
        : { status: 'error', message: `The replay has not been completed: ${problem}.`, duration };
    } catch (error) {
      throw asProblem(error, { route: '/recording/play', armId: arm.id });
    }
  });
}
