import type { WebSocket } from 'ws';
import { z } from 'zod';
import { type Arm, BridgeError, type Caller } from '../../arm/types.ts';
import type { HandMessage } from '../../motion/teleop-service.ts';
import { asking, callerOf } from '../callers.ts';
import type { Dialect } from '../dialect.ts';
import { asProblem, HttpProblem, inWords } from '../errors.ts';
import { asModel, components, integer, number, oneOf, queryInteger } from '../fields.ts';
import { channel } from '../live/channel.ts';
import { MOST_WAITING } from '../live/hub.ts';
import { CONFLICT, moving, NAMED_ARM, type Parts, route, takeOver } from '../route.ts';
import { failed, ok, type StatusResponse, statusAnswer, statusResponse } from '../schemas.ts';
import { armById, type HttpServices, idNamed } from '../services.ts';
import { metresFromCentimetres, radiansFromDegrees } from '../units.ts';
import { readMessage } from '../validation.ts';
import { writerOf } from '../writer.ts';
import { forceFeedbackChange } from './mirror.ts';

export const TELEOP = '/move/teleop';
/** Interval of the reports on received messages, s. */
export const REPORT_INTERVAL = 1;
/** Most connections at once: more than there are hands. */
const MOST_CLIENTS = 16;

const hand = (description: string) => number().describe(description);
const stick = (description: string) => number({ min: -1, max: 1 }).prefault(0).describe(description);

export const teleopRequest = z
  .object(
    {
      x: hand('Of the hand, forward, in centimetres.'),
      y: hand('Of the hand, to the left, in centimetres.'),
      z: hand('Of the hand, upwards, in centimetres.'),
      rx: hand('Pitch of the hand in degrees: positive lifts the nose.'),
      ry: hand('Yaw of the hand in degrees: positive turns left.'),
      rz: hand('Roll of the hand in degrees: positive is clockwise seen from behind.'),
      open: number({ min: 0, max: 1 }).describe('Gripper: 0 closed to 1 open.'),
      source: oneOf(['left', 'right'])
        .prefault('right')
        .describe('Which hand. Without robot_id the right one leads the first arm and the left one the second.'),
      timestamp: number()
        .nullable()
        .prefault(null)
        .describe('When the message was sent, in seconds by any clock: one that is late or out of order is dropped.'),
      direction_x: stick('Joystick; no arm has wheels, so it moves nothing.'),
      direction_y: stick('Joystick; no arm has wheels, so it moves nothing.'),
    },
    asModel,
  )
  .describe('Where a hand is, in axes of the base, from wherever the sender counts: its movements lead the tool.')
  .register(components, { id: 'TeleopRequest' });

export const teleopReport = z
  .object({
    nb_actions_received: z.int().describe('Messages that were followed since the last report.'),
    is_object_gripped: z
      .boolean()
      .nullable()
      .describe('Whether the gripper holds an object; null, because the servos report only position and load.'),
    is_object_gripped_source: z.string().nullable().describe('How it is known; null for the same reason.'),
  })
  .describe('Told about once a second while messages come.')
  .register(components, { id: 'TeleopReport' });

const scaling = number({ above: 0, max: 10 }).describe(
  'Centimetres of the tool per centimetre of the hand; 1 at the start. Turns are not scaled.',
);
const teleopSettings = z
  .object({ vr_scaling: scaling }, asModel)
  .describe('Of /move/teleop, for all arms, until the bridge ends.')
  .register(components, { id: 'TeleopSettings' });
const teleopChange = z
  .object(
    {
      vr_scaling: scaling.optional(),
      force_feedback: forceFeedbackChange.optional(),
      follower_id: integer().optional().describe('Id of the follower whose leader feels; left out: all followers.'),
    },
    asModel,
  )
  .refine(({ vr_scaling, force_feedback }) => vr_scaling !== undefined || force_feedback !== undefined, {
    path: ['vr_scaling'],
  })
  .describe(
    'Of /move/teleop; and what the leaders of running pairs feel, until these end. A setting that is left out stays as it is; at least one is needed.',
  )
  .register(components, { id: 'TeleopSettingsChange' });

type Body = z.output<typeof teleopRequest>;

const query = {
  robot_id: queryInteger().optional().describe('Id of the arm; left out: that of the hand.'),
  arm: NAMED_ARM,
  ...moving,
};

/** Converts a body to metres and radians. */
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

/** The arm named by `robotId`, else the arm of the hand: right leads the first arm, left the second. */
function armOf(services: HttpServices, robotId: number | undefined, source: Body['source']): Arm {
  if (robotId !== undefined) return armById(services, robotId);
  const arm = services.arms.all[source === 'right' ? 0 : 1];
  if (arm !== undefined) return arm;
  throw new HttpProblem(400, 'The left hand leads the second arm, and there is only one arm: name it with robot_id.');
}

/** Passes a message to teleoperation. @throws {HttpProblem} */
export function lead(
  { services }: Parts,
  robotId: number | undefined,
  body: Body,
  sender: unknown,
  caller: Caller,
): StatusResponse {
  const arm = armOf(services, robotId, body.source);
  try {
    const problem = services.teleoperation.feed(arm, sender, handOf(body, services.config.dialect), caller);
    return problem === null ? ok() : failed(problem);
  } catch (error) {
    throw asProblem(error, { route: TELEOP, armId: arm.id });
  }
}

const example = { x: 0, y: 0, z: 0, rx: 0, ry: 0, rz: 0, open: 0.5 };

export const teleopRoutes = [
  route({
    method: 'POST',
    path: TELEOP,
    access: 'control',
    act: 'motion',
    id: 'move_teleop',
    tag: 'control',
    summary: 'Lead the end effector by a hand',
    description:
      'One message of a stream: the tool moves as the hand has since the first. 0.2 s without a message and the arm ' +
      'holds; the next one begins anew from where it is. The same messages are taken by the WebSocket /move/teleop/ws.',
    target: 'none',
    query,
    body: { schema: teleopRequest, example },
    answer: {
      description: 'The arm follows, or `status: "error"` with a message that says why not, or not all the way.',
      schema: statusResponse,
      example: ok(),
    },
    refusals: { 400: 'The arm is unknown or disconnected, or its torque is off.', 409: CONFLICT },
    conflict: failed,
    handler: (parts, { query, body, request }) => {
      const caller = asking(request, query);
      return lead(parts, idNamed(parts.services, query), body, `${TELEOP} ${body.source} ${caller.owner.key}`, caller);
    },
  }),
  route({
    method: 'POST',
    path: '/teleop/settings',
    access: 'control',
    act: 'configuration',
    id: 'teleop_settings',
    tag: 'control',
    summary: 'Change how hands lead arms, and what leaders feel',
    description:
      'A hand that leads an arm is taken up anew from where both are. Force feedback goes within 0.1 s to the pairs that ' +
      'the client has started, or with take_over to all. Whoever has started none may lower that of the others.',
    target: 'none',
    query: { take_over: takeOver },
    body: { schema: teleopChange, example: { vr_scaling: 0.5 } },
    answer: statusAnswer(),
    refusals: {
      400: 'The follower is unknown or disconnected.',
      409: 'Somebody else has started the pairs whose leaders feel, and would feel more (take_over sets theirs).',
    },
    conflict: failed,
    handler: ({ services }, { query, body, request }) => {
      const { vr_scaling: wanted, force_feedback: feedback, follower_id: id } = body;
      const follower = id === undefined ? null : armById(services, id);
      if (feedback !== undefined && !services.mirror.feel(feedback, asking(request, query), follower))
        return failed(
          `No pair runs whose leader could feel ${follower === null ? 'its follower' : follower.name} (an arm of this ` +
            'machine that floats, by enable_gravity_compensation): nothing has been changed',
        );
      if (wanted !== undefined) services.teleoperation.scaling = wanted;
      return ok();
    },
  }),
  route({
    method: 'POST',
    path: '/teleop/settings/read',
    access: 'read',
    id: 'teleop_settings_read',
    tag: 'control',
    summary: 'Read how hands lead arms',
    description: 'How far the tools of all arms move for the way of a hand.',
    target: 'none',
    answer: { description: 'As they were set last.', schema: teleopSettings, example: { vr_scaling: 0.5 } },
    refusals: {},
    handler: ({ services }) => ({ vr_scaling: services.teleoperation.scaling }),
  }),
];

const writeStatus = writerOf(statusResponse);
const writeReport = writerOf(teleopReport);

/** Serves one client. Its two hands count as two senders. */
function serve(parts: Parts, socket: WebSocket, address: string, robotId: number | undefined, caller: Caller): void {
  const { services, limits } = parts;
  const { teleoperation, config, clock } = services;
  const hands = { left: { socket }, right: { socket } };
  let received = 0;
  let reported = clock.now();
  const tell = (what: string): void => {
    // Replies are dropped for a client that does not read.
    if (socket.bufferedAmount < MOST_WAITING) socket.send(what);
  };
  const take = (text: string): StatusResponse => {
    if (!limits.allows(address)) return failed('too many messages a second: this one is dropped');
    try {
      const body = readMessage(text, teleopRequest, config.dialect);
      return lead(parts, robotId, body, hands[body.source], caller);
    } catch (error) {
      if (error instanceof HttpProblem) {
        services.arms.journal.record('motion', null, caller.origin!, 'refused', error.message);
        return failed(error.message);
      }
      if (error instanceof BridgeError) return failed(inWords(error));
      throw error;
    }
  };
  socket.on('message', (data) => {
    const answer = take(String(data));
    if (answer.status === 'error') tell(writeStatus(answer));
    else received++;
    if (clock.now() - reported < REPORT_INTERVAL) return;
    tell(writeReport({ nb_actions_received: received, is_object_gripped: null, is_object_gripped_source: null }));
    received = 0;
    reported = clock.now();
  });
  socket.on('close', () => {
    for (const side of Object.values(hands)) teleoperation.leave(side);
  });
}

export const teleopChannel = channel({
  path: `${TELEOP}/ws`,
  access: 'control',
  id: 'teleoperation',
  summary: 'Lead end effectors by hands',
  description:
    'Takes the messages of /move/teleop as text. Those that are not followed are answered; about once a second the client is ' +
    'told how many were.',
  query,
  received: { hand: teleopRequest },
  sent: { refused: statusResponse, report: teleopReport },
  most: MOST_CLIENTS,
  full: 'Too many clients lead arms: close some of them.',
  open(parts, { query, address, client, origin }) {
    const id = idNamed(parts.services, query);
    if (id !== undefined) armById(parts.services, id);
    return (socket) => serve(parts, socket, address, id, callerOf(client, origin, query));
  },
});
