import type { FastifyInstance } from 'fastify';
import type { MirrorRequest } from '../../mirror/types.ts';
import type { Callers } from '../callers.ts';
import { asProblem, HttpProblem } from '../errors.ts';
import { DEFAULT_GRAVITY, startLeaderArmControlRequest } from '../schemas.ts';
import { armById, type HttpServices } from '../services.ts';
import { type ReadRequest, readRequest } from '../validation.ts';

type StartBody = ReadRequest<typeof startLeaderArmControlRequest>['body'];

function pairsOf(services: HttpServices, body: StartBody): MirrorRequest['pairs'] {
  const pairs: { leader: number; follower: number }[] = [];
  for (const [index, { leader_id, follower_id }] of body.robot_pairs.entries()) {
    if (follower_id === null) throw new HttpProblem(400, `Follower ID is required for robot pair ${index}.`);
    if (leader_id === null) throw new HttpProblem(400, `Leader ID is required for robot pair ${index}.`);
    pairs.push({ leader: armById(services.arms, leader_id).id, follower: armById(services.arms, follower_id).id });
  }
  return pairs;
}

function gravityOf(body: StartBody): MirrorRequest['gravity'] {
  if (!body.enable_gravity_compensation) return null;
  const { shoulder, elbow, wrist } = body.gravity_compensation_values ?? {};
  return {
    shoulder: shoulder ?? DEFAULT_GRAVITY.shoulder,
    elbow: elbow ?? DEFAULT_GRAVITY.elbow,
    wrist: wrist ?? DEFAULT_GRAVITY.wrist,
  };
}

/** /move/leader/start and /move/leader/stop. */
export function mirrorRoutes(app: FastifyInstance, services: HttpServices, callers: Callers): void {
  app.post('/move/leader/start', async (request) => {
    const { takeOver, body } = readRequest(request, {
      robotId: false,
      takeOver: true,
      body: startLeaderArmControlRequest,
    });
    const start = { pairs: pairsOf(services, body), gravity: gravityOf(body), invert: body.invert_controls };
    try {
      // Mirroring outlives the request that started it: a client that hangs up does not end it.
      await services.mirror.start(start, { owner: callers.owner, takeOver });
    } catch (error) {
      throw asProblem(error, { route: '/move/leader/start', status: { stopped: 400 } });
    }
    return { status: 'ok', message: 'Leader-follower control started' };
  });

  app.post('/move/leader/stop', async (request) => {
    const { takeOver } = readRequest(request, { robotId: false, takeOver: true });
    const wasRunning = await services.mirror.stop({ owner: callers.owner, takeOver });
    return wasRunning
      ? { status: 'ok', message: 'Stopping leader-follower control' }
      : { status: 'error', message: 'Leader-follower control is not running' };
  });
}
