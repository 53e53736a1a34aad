import type { FastifyInstance } from 'fastify';
import type { WebSocket } from 'ws';
import type { z } from 'zod';
import { type Arm, BridgeError, type Caller } from '../../arm/types.ts';
import type { HandMessage } from '../../motion/teleop-service.ts';
import type { Callers } from '../callers.ts';
import type { Dialect } from '../dialect.ts';
import { asProblem, HttpProblem } from '../errors.ts';
import type { Guard } from '../guard.ts';
import type { Limits } from '../limits.ts';
import { MOST_WAITING } from '../live/hub.ts';
import type { Admission } from '../live/upgrade.ts';
import { type StatusResponse, teleopRequest, teleopSettings } from '../schemas.ts';
import { armById, type HttpServices } from '../services.ts';
import { metresFromCentimetres, radiansFromDegrees } from '../units.ts';
import { readMessage, readQuery, readRequest } from '../validation.ts';
import { refusedMove } from './moves.ts';

const TELEOP = '/move/teleop';
export const TELEOP_SOCKET = `${TELEOP}/ws`;
/** How often a client on a WebSocket is told how many of its messages have come, s. */
const REPORT_INTERVAL = 1;
/** Most connections at once: there are not that many hands. */
const MOST_CLIENTS = 16;

type Body = z.output<typeof teleopRequest>;

/** What a body says, in the units of the inside. */
function handOf({ x, y, z, rx, ry, rz, open, timestamp }: Body, dialect: Dialect): HandMessage {
  const [yaw, roll] = dialect === 'phosphobot' ? [rz, ry] : [ry, rz];
  return {
    hand: {
      x: metresFromCentimetres(x),
      y: metresFromCentimetres(y),
      z: metresFromCentimetres(z),
      pitch: radiansFromDegrees(rx),
      yaw: radiansFromDegrees(yaw),
      roll: radiansFromDegrees(roll),
    },
    open,
    timestamp,
  };
}

/** The arm that is named, or that of the hand: the right one leads the first arm, the left one the second. */
function armOf(services: HttpServices, robotId: number | null, source: Body['source']): Arm {
  if (robotId !== null) return armById(services, robotId);
  const arm = services.arms.all[source === 'right' ? 0 : 1];
  if (arm !== undefined) return arm;
  throw new HttpProblem(400, 'The left hand leads the second arm, and there is one alone: name an arm with robot_id.');
}

/** /move/teleop, the same as a WebSocket, and /teleop/settings. @returns what to do with requests for the WebSocket */
export function teleopRoutes(
  app: FastifyInstance,
  services: HttpServices,
  { callers, guard, limits }: { readonly callers: Callers; readonly guard: Guard; readonly limits: Limits },
): Admission {
  const { teleoperation, config, clock } = services;
  let clients = 0;

  function lead(robotId: number | null, body: Body, sender: unknown, caller: Caller): StatusResponse {
    const arm = armOf(services, robotId, body.source);
    try {
      const problem = teleoperation.feed(arm, sender, handOf(body, config.dialect), caller);
      return problem === null ? { status: 'ok', message: null } : { status: 'error', message: problem };
    } catch (error) {
      return refusedMove(asProblem(error, { route: TELEOP, armId: arm.id }), config.dialect);
    }
  }

  app.post(TELEOP, async (request) => {
    const { robotId, takeOver, body } = readRequest(request, { robotId: 'all', takeOver: true, body: teleopRequest });
    return lead(robotId, body, `${TELEOP} ${body.source}`, { owner: callers.owner, takeOver });
  });

  app.post('/teleop/settings', async (request): Promise<StatusResponse> => {
    const { body } = readRequest(request, { robotId: false, body: teleopSettings });
    teleoperation.scaling = body.vr_scaling;
    return { status: 'ok', message: null };
  });

  app.post('/teleop/settings/read', async () => ({ vr_scaling: teleoperation.scaling }));

  /** Serves one client. Messages of its two hands are those of two senders. */
  function serve(socket: WebSocket, address: string, robotId: number | null, takeOver: boolean): void {
    const hands = { left: { socket }, right: { socket } };
    let received = 0;
    let reported = clock.now();
    const tell = (what: object): void => {
      // One who sends without reading is told no more than it takes.
      if (socket.bufferedAmount < MOST_WAITING) socket.send(JSON.stringify(what));
    };
    const take = (text: string): StatusResponse => {
      if (!limits.allows(address))
        return { status: 'error', message: 'too many messages a second: this one is dropped' };
      try {
        const body = readMessage(text, teleopRequest, config.dialect);
        return lead(robotId, body, hands[body.source], { owner: callers.owner, takeOver });
      } catch (error) {
        if (error instanceof HttpProblem || error instanceof BridgeError)
          return { status: 'error', message: error.message };
        throw error;
      }
    };
    socket.on('message', (data) => {
      const answer = take(String(data));
      if (answer.status === 'error') tell(answer);
      else received++;
      if (clock.now() - reported < REPORT_INTERVAL) return;
      // What the gripper has is not known: the servos tell its position and load alone.
      tell({ nb_actions_received: received, is_object_gripped: null, is_object_gripped_source: null });
      received = 0;
      reported = clock.now();
    });
    socket.on('close', () => {
      clients--;
      for (const hand of Object.values(hands)) teleoperation.leave(hand);
    });
  }

  return (request) => {
    guard.checkSource(request);
    limits.check(request.socket, TELEOP_SOCKET);
    guard.checkScope(guard.admit(request), 'POST', TELEOP);
    const { robotId, takeOver } = readQuery(request.url ?? '', { robotId: 'all', takeOver: true });
    if (robotId !== null) armById(services, robotId);
    if (clients >= MOST_CLIENTS) throw new HttpProblem(503, 'Too many clients lead arms: close some of them.');
    const address = request.socket.remoteAddress ?? '';
    return (socket) => {
      clients++;
      serve(socket, address, robotId, takeOver);
    };
  };
}
