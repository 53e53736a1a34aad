import type { FastifyInstance } from 'fastify';
import { type Arm, BridgeError } from '../../arm/types.ts';
import type { Clock, Timer } from '../../clock.ts';
import type { StatusResponse } from '../schemas.ts';
import { armsById, type HttpServices } from '../services.ts';
import { readRequest } from '../validation.ts';

/** Longest wait for the control loop to confirm, s: a stop that is not confirmed must be told as such. */
const CONFIRMATION = 1;

async function confirmed(work: Promise<void>, clock: Clock): Promise<string | null> {
  let timer: Timer | undefined;
  const limit = new Promise<string>((resolve) => {
    timer = clock.after(CONFIRMATION, () => resolve(`no confirmation within ${CONFIRMATION} s`));
  });
  const outcome = work.then(
    () => null,
    (error: unknown) => (error instanceof BridgeError ? error.message : 'internal error, see the log'),
  );
  try {
    return await Promise.race([outcome, limit]);
  } finally {
    timer?.cancel();
  }
}

async function forEach(
  arms: readonly Arm[],
  clock: Clock,
  done: string,
  nothing: string,
  act: (arm: Arm) => Promise<void>,
): Promise<StatusResponse> {
  if (arms.length === 0) return { status: 'ok', message: nothing, robots: [] };
  const faults = await Promise.all(arms.map((arm) => confirmed(act(arm), clock)));
  const failed = arms.flatMap((arm, index) => (faults[index] === null ? [] : [`${arm.name}: ${faults[index]}`]));
  const succeeded = arms.filter((_, index) => faults[index] === null);
  const names = succeeded.map((arm) => `${arm.name} (robot ${arm.id})`).join(', ');
  return {
    status: failed.length === 0 ? 'ok' : 'error',
    message: [
      ...(names === '' ? [] : [`${done}: ${names}.`]),
      ...failed.map((text) => `Failed for ${text.replace(/\.?$/, '.')}`),
    ].join(' '),
    robots: succeeded.map((arm) => arm.id),
  };
}

/**
 * Stops these arms, latched.
 * @param by who asks, as the log and the arms' reasons say it
 */
export function stopArms(arms: readonly Arm[], by: string, clock: Clock): Promise<StatusResponse> {
  return forEach(arms, clock, 'Stopped', 'There is no arm.', (arm) => arm.stop(by));
}

/** /stop and /stop/reset, below /api/v1 too: the latched stop, for one arm or all; needs no ownership. */
export function stopRoutes(app: FastifyInstance, services: HttpServices): void {
  for (const root of ['', '/api/v1']) routesBelow(app, services, root);
}

function routesBelow(app: FastifyInstance, services: HttpServices, root: string): void {
  app.post(`${root}/stop`, async (request) => {
    const { robotId } = readRequest(request, { robotId: 'all' });
    return stopArms(armsById(services, robotId), 'POST /stop by an HTTP client', services.clock);
  });

  app.post(`${root}/stop/reset`, async (request) => {
    const { robotId } = readRequest(request, { robotId: 'all' });
    // An arm that is not stopped is left alone: a reset would take it from its owner.
    const stopped = armsById(services, robotId).filter((arm) => arm.latched);
    return forEach(stopped, services.clock, 'Reset', 'No arm was stopped.', (arm) => arm.reset());
  });
}
