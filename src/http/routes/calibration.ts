import type { FastifyInstance } from 'fastify';
import type { CalibrationAnswer } from '../../calibration/calibrating.ts';
import type { CalibrateResponse, CalibrationState } from '../calibration-schemas.ts';
import type { Callers } from '../callers.ts';
import { asProblem, HttpProblem } from '../errors.ts';
import { armById, type HttpServices } from '../services.ts';
import { queryOf, readRequest } from '../validation.ts';
import { armByName } from './arms.ts';

function answerOf({ status, message, step, steps }: CalibrationAnswer): CalibrateResponse {
  return { calibration_status: status, message, current_step: step, total_nb_steps: steps };
}

/** A number for JSON, which has none that is not finite. */
function known(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** /calibrate, and what it has to show. */
export function calibrationRoutes(app: FastifyInstance, services: HttpServices, callers: Callers): void {
  const { arms, calibration } = services;

  app.post('/calibrate', async (request, reply): Promise<CalibrateResponse> => {
    const { robotId, takeOver } = readRequest(request, { robotId: 'default', takeOver: true });
    const arm = armById(services, robotId!);
    const reversed = (queryOf(request).get('reversed') ?? '').split(',').filter((name) => name !== '');
    try {
      return answerOf(await callers.run(reply, takeOver, (caller) => calibration.next(arm, caller, reversed)));
    } catch (error) {
      const problem = asProblem(error, { route: '/calibrate', armId: arm.id });
      // Clients of that dialect know no other refusal of this route than by its own fields.
      if (services.config.dialect === 'phosphobot' && problem instanceof HttpProblem && problem.status === 409) {
        return answerOf({ status: 'error', message: problem.message, step: 0, steps: 0 });
      }
      throw problem;
    }
  });

  app.get('/api/v1/arms/:name/calibration', async (request): Promise<CalibrationState> => {
    const arm = armByName(arms, request.params);
    const view = calibration.view(arm);
    if (view === null)
      throw new HttpProblem(404, `Arm ${arm.name} is not being calibrated: POST /calibrate begins it.`);
    return {
      ...answerOf(view),
      joints: view.joints.map(({ position, least, most, ...rest }) => ({
        ...rest,
        position: known(position),
        least: known(least),
        most: known(most),
      })),
    };
  });

  app.delete('/api/v1/arms/:name/calibration', async (request, reply) => {
    const arm = armByName(arms, request.params);
    try {
      const ended = await callers.run(reply, false, (caller) => calibration.cancel(arm, caller));
      const message = ended
        ? `The calibration of ${arm.name} has ended; its servos have what they had before`
        : `${arm.name} was not being calibrated`;
      return { status: 'ok', message };
    } catch (error) {
      throw asProblem(error, { route: request.url, armId: arm.id });
    }
  });
}
