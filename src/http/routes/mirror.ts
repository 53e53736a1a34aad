import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  DEFAULT_GRAVITY,
  type GravityPercentages,
  type MirrorRequest,
  RELEASES,
  type Release,
} from '../../mirror/mirroring.ts';
import type { Callers } from '../callers.ts';
import { asProblem, HttpProblem } from '../errors.ts';
import { gravityStartRequest, startLeaderArmControlRequest } from '../schemas.ts';
import { armById, type HttpServices } from '../services.ts';
import { notOneOf, queryOf, type ReadRequest, readRequest } from '../validation.ts';

type StartBody = ReadRequest<typeof startLeaderArmControlRequest>['body'];

function pairsOf(services: HttpServices, body: StartBody): MirrorRequest['pairs'] {
  const pairs: { leader: number; follower: number }[] = [];
  for (const [index, { leader_id, follower_id }] of body.robot_pairs.entries()) {
    if (follower_id === null) throw new HttpProblem(400, `Follower ID is required for robot pair ${index}.`);
    if (leader_id === null) throw new HttpProblem(400, `Leader ID is required for robot pair ${index}.`);
    pairs.push({ leader: armById(services, leader_id).id, follower: armById(services, follower_id).id });
  }
  return pairs;
}

function gravityOf(values: StartBody['gravity_compensation_values']): GravityPercentages {
  const { shoulder, elbow, wrist } = values ?? {};
  return {
    shoulder: shoulder ?? DEFAULT_GRAVITY.shoulder,
    elbow: elbow ?? DEFAULT_GRAVITY.elbow,
    wrist: wrist ?? DEFAULT_GRAVITY.wrist,
  };
}

function startOf(services: HttpServices, body: StartBody): MirrorRequest {
  const { on_mismatch: onMismatch, mismatch_threshold: threshold, align } = body;
  return {
    pairs: pairsOf(services, body),
    gravity: body.enable_gravity_compensation ? gravityOf(body.gravity_compensation_values) : null,
    invert: body.invert_controls,
    ...(onMismatch === undefined ? {} : { onMismatch }),
    ...(threshold === undefined ? {} : { mismatchThreshold: (threshold * Math.PI) / 180 }),
    ...(align === undefined ? {} : { align }),
  };
}

/** @throws {HttpProblem} 422 for a word that is none of those that are known */
function releaseOf(request: FastifyRequest, fallback: Release): Release {
  const text = queryOf(request).get('release') ?? fallback;
  const release = RELEASES.find((word) => word === text);
  if (release === undefined) throw new HttpProblem(422, [notOneOf(['query', 'release'], text, RELEASES)]);
  return release;
}

/** /move/leader/start and /move/leader/stop, /gravity/start and /gravity/stop. */
export function mirrorRoutes(app: FastifyInstance, services: HttpServices, callers: Callers): void {
  // Clients of phosphobot know no 409.
  const owned = services.config.dialect === 'phosphobot' ? { owned: 400 } : {};

  app.post('/move/leader/start', async (request) => {
    const { takeOver, body } = readRequest(request, {
      robotId: false,
      takeOver: true,
      body: startLeaderArmControlRequest,
    });
    const start = startOf(services, body);
    try {
      // Mirroring outlives the request that started it: a client that hangs up does not end it.
      await services.mirror.start(start, { owner: callers.owner, takeOver });
    } catch (error) {
      throw asProblem(error, { route: '/move/leader/start', status: { stopped: 400, ...owned } });
    }
    return { status: 'ok', message: 'Leader-follower control started' };
  });

  app.post('/move/leader/stop', async (request) => {
    const { takeOver } = readRequest(request, { robotId: false, takeOver: true });
    const release = releaseOf(request, 'lower');
    const wasRunning = await services.mirror.stop({ owner: callers.owner, takeOver }, release);
    return wasRunning
      ? { status: 'ok', message: 'Stopping leader-follower control' }
      : { status: 'error', message: 'Leader-follower control is not running' };
  });

  app.post('/gravity/start', async (request) => {
    const { robotId, takeOver, body } = readRequest(request, {
      robotId: 'default',
      takeOver: true,
      body: gravityStartRequest,
      bodyOptional: true,
    });
    const arm = armById(services, robotId!);
    const percentages = gravityOf(body.gravity_compensation_values);
    try {
      await services.gravity.start(arm, percentages, { owner: callers.owner, takeOver });
    } catch (error) {
      throw asProblem(error, { route: '/gravity/start', status: { stopped: 400, unsupported: 400, ...owned } });
    }
    return { status: 'ok', message: 'Gravity control started' };
  });

  app.post('/gravity/stop', async (request) => {
    const { robotId } = readRequest(request, { robotId: 'default' });
    const release = releaseOf(request, 'hold');
    const wasRunning = await services.gravity.stop(armById(services, robotId!), release);
    return wasRunning
      ? { status: 'ok', message: 'Stopping gravity control' }
      : { status: 'error', message: 'Gravity control is not running' };
  });
}
